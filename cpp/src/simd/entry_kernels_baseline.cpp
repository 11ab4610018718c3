#define TERMSIFT_TARGET_NAMESPACE baseline
#include "entry_kernels_impl.hpp"
