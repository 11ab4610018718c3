#define TERMSIFT_TARGET_NAMESPACE avx512
#include "counting/entry_kernels_impl.hpp"
