#define TERMSIFT_TARGET_NAMESPACE avx2
#include "scoring/kernels_impl.hpp"
#include "greedy/gain_kernels_impl.hpp"
#include "contingency/contingency_kernels_impl.hpp"
#include "gain/posterior_kernels_impl.hpp"
