// The interface of the kernels of conditional gain: the class probabilities of documents, and how a term would change them.
// The source is posterior_kernels.cpp.
#pragma once

#include <cstdint>

namespace termsift {

// Rows of class values have a stride that is a multiple of 8. The classes come first; the lanes beyond them hold 0 in
// `posteriors`, anything finite in `lift`, and minus infinity in `log_prior`.
//
// A document's row holds all classes, or only those in play for it: first its own class, then the others in any order.
struct MixtureBatch {
  std::int64_t n;                 // documents
  const std::int32_t* documents;  // (n,)
  const std::int32_t* classes;    // (documents of the collection,) y_d
  const float* posteriors;        // (documents of the collection, stride) P_dc
  const std::int32_t* in_play;    // (documents of the collection, stride) the classes in play, 0 beyond; null: all, in order
  std::int64_t stride;
  const double* lift;      // (n_classes,) e_c
  const double* own_lift;  // (n_classes,) e'_c
  double* mixtures;        // (n,) out: sum over c != y of P_dc e_c, plus P_dy e'_y
};

// Adds a chosen term to a document.
struct PosteriorUpdate {
  std::int64_t stride;
  double* sums;             // (stride,) in and out: F_c, to which the term's W_c are added
  const double* next_sums;  // the row of a later document, to be prefetched, or null
  const double* log_lift;   // (stride,) W_c
  std::int32_t own;         // the place of y in the row
  double own_log_lift;      // W'_y, in place of W_y
  double temperature;       // 1 / (1 + rho (m - 1))
  const double* log_prior;  // (stride,)
  double* scratch;          // (stride,)
  float* posterior;         // (stride,) out: proportional to prior_c exp(temperature F_c), sum 1
};

struct PosteriorKernels {
  // Both work in place, to 1 ulp; n is a multiple of 8. `logarithms` accepts positive normal numbers, and `exponentials`
  // numbers up to 709.
  void (*logarithms)(double* x, std::int64_t n);
  void (*exponentials)(double* x, std::int64_t n);
  void (*mixtures)(const MixtureBatch&);
  void (*posterior)(const PosteriorUpdate&);

  static const PosteriorKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift
