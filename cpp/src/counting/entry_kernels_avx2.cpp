#define TERMSIFT_TARGET_NAMESPACE avx2
#include "counting/entry_kernels_impl.hpp"
