#include "simd/logarithm_kernels.hpp"

#include "simd/logarithms.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

void logarithms(const double* __restrict hi, const double* __restrict lo, int n, double* __restrict log_hi,
                double* __restrict log_lo) {
  for (int j = 0; j < n; ++j) {
    const DoubleDouble y = logarithm({hi[j], lo[j]});
    log_hi[j] = y.hi, log_lo[j] = y.lo;
  }
}

void log_plus_one(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = log_plus_one(x[j]);
}

constexpr LogarithmKernels kernels{logarithms, log_plus_one};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::LogarithmKernels termsift::LogarithmKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
