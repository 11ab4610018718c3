#define TERMSIFT_TARGET_NAMESPACE avx2
#include "kernels_impl.hpp"
#include "gain_kernels_impl.hpp"
#include "contingency_kernels_impl.hpp"
#include "posterior_kernels_impl.hpp"
