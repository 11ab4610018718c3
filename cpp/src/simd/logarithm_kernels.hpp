// Logarithms of whole arrays, for stages without kernels of their own. The functions are those of simd/logarithms.hpp.
#pragma once

#include <cstdint>

namespace termsift {

struct LogarithmKernels {
  // Sets log_hi[j] + log_lo[j] = log(hi[j] + lo[j]), with an absolute error of at most 2^-68. n must be a multiple of 8, and
  // hi[j] + lo[j] must be in [2^-900, 2^900]. O(n).
  void (*logarithms)(const double* hi, const double* lo, int n, double* log_hi, double* log_lo);
  // Sets x[j] = log(1 + x[j]) for finite x >= 0, with an error of at most 1 ulp. n must be a multiple of 8. O(n).
  void (*log_plus_one)(double* x, std::int64_t n);

  static const LogarithmKernels baseline, avx2, avx512;
};

}  // namespace termsift
