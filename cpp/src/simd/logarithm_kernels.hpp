// Logarithms of whole arrays, for stages that have no kernels of their own. simd/logarithms.hpp has the functions.
#pragma once

#include <cstdint>

namespace termsift {

struct LogarithmKernels {
  // Sets log_hi[j] + log_lo[j] = log(hi[j] + lo[j]), to an absolute error of 2^-68. n is a multiple of 8, and the arguments
  // are in [2^-900, 2^900]. O(n).
  void (*logarithms)(const double* hi, const double* lo, int n, double* log_hi, double* log_lo);
  // x[j] = log(1 + x[j]) for finite x >= 0, to 1 ulp. n is a multiple of 8. O(n).
  void (*log_plus_one)(double* x, std::int64_t n);

  static const LogarithmKernels baseline, avx2, avx512;
};

}  // namespace termsift
