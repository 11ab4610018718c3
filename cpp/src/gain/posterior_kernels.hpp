// The kernels of conditional gain: what documents' classes probably are, and how a term would change that.
#pragma once

#include <cstdint>

namespace termsift {

// Rows of class values have a stride of a multiple of 8, the classes first; lanes beyond hold 0 in `posteriors`, anything
// finite in `lift`, and minus infinity in `log_prior`.
//
// A document's row holds all classes, or those alone that are in play for it, its own first and the others in any order.
struct MixtureRun {
  std::int64_t n;               // documents
  const std::int32_t* documents;  // (n,)
  const std::int32_t* classes;  // of each document of the collection, y_d
  const float* posteriors;      // (documents of the collection, stride) P_dc
  const std::int32_t* in_play;  // (documents of the collection, stride) the classes of these, 0 beyond; null: all, in order
  std::int64_t stride;
  const double* lift;      // of each class, e_c
  const double* own_lift;  // of each class, e'_c
  double* mixtures;        // (n,) out: sum over c != y of P_dc e_c, plus P_dy e'_y
};

// A document gets one more of the chosen terms.
struct PosteriorRun {
  std::int64_t stride;
  double* sums;             // (stride,) in and out: F_c, to which the term's W_c are added
  const double* next_sums;  // of a document soon to come, to be fetched meanwhile, or null
  const double* log_lift;   // (stride,) W_c
  std::int32_t own;         // where y stands
  double own_log_lift;      // W'_y, in place of W_y
  double temperature;       // 1 / (1 + rho (m - 1))
  const double* log_prior;  // (stride,)
  double* scratch;          // (stride,)
  float* posterior;         // (stride,) out: proportional to prior_c exp(temperature F_c), sum 1
};

struct PosteriorKernels {
  // In place, to 1 ulp; n is a multiple of 8. Arguments of the first are normal and positive, those of the second up to 709.
  void (*logarithms)(double* x, std::int64_t n);
  void (*exponentials)(double* x, std::int64_t n);
  void (*mixtures)(const MixtureRun&);
  void (*posterior)(const PosteriorRun&);

  static const PosteriorKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift
