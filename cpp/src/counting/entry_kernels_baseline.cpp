#define TERMSIFT_TARGET_NAMESPACE baseline
#include "counting/entry_kernels_impl.hpp"
