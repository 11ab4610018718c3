// Computes logarithms of whole arrays, for code without kernels of its own, by the functions of simd/logarithms.hpp.
#pragma once

#include <cstdint>

namespace termsift {

struct LogarithmKernels {
  // Sets x[j] = log(1 + x[j]) for finite x >= 0, with an error of at most 1 ulp. n must be a multiple of 8. O(n).
  void (*log_plus_one)(double* x, std::int64_t n);

  static const LogarithmKernels baseline, avx2, avx512;
};

}  // namespace termsift
