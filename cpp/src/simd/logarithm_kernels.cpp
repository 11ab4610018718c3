#include "simd/logarithm_kernels.hpp"

#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

void log_plus_one(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = log_plus_one(x[j]);
}

constexpr LogarithmKernels kernels{log_plus_one};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::LogarithmKernels termsift::LogarithmKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
