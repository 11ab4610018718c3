#define TERMSIFT_TARGET_NAMESPACE avx512
#include "entry_kernels_impl.hpp"
