#define TERMSIFT_TARGET_NAMESPACE avx2
#include "entry_kernels_impl.hpp"
