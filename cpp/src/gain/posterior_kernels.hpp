// The kernels of conditional gain compute class probabilities of documents and mixtures of lifts.
#pragma once

#include <cstdint>

namespace termsift {

// The documents of a term that belong to one class. Documents are sorted by class, so those of a run are consecutive.
struct ClassRun {
  std::int32_t of_class;  // y
  std::int32_t end;       // 1 + the index of the run's last document
};

// Rows with one value per class have a stride that is a multiple of 8. In a row, the classes are followed by padding. The
// padding holds 0 in `posteriors`, any finite number in `lift`, and minus infinity in `log_prior`.
//
// A document's row holds either all classes in order, or only the classes in play. In a row of classes in play, the
// document's own class comes first, and the other classes follow in any order.
struct MixtureBatch {
  std::int64_t first, last;       // the range of indices of `documents`; last <= runs[n_runs - 1].end
  const std::int32_t* documents;  // the documents of a term
  const ClassRun* runs;
  const std::int32_t* n_chosen;  // (documents of the collection,) the number of chosen terms; if 0, the row is unset
  const float* posteriors;       // (documents of the collection, stride) P_dc
  const std::int32_t* in_play;   // (documents of the collection, stride) classes in play, then 0; null if all are in play
  std::int64_t stride;
  const double* lift;         // (n_classes,) e_c = e^{b W_c}
  const double* own_lift;     // (n_classes,) e'_c = e^{b W'_c}
  const double* at_the_start;  // (n_classes,) the mixtures of documents without chosen terms
  double* mixtures;           // (last,) out, from `first` on: sum over c != y of P_dc e_c / e'_y, plus P_dy
};

// Adds a chosen term to a document.
struct EvidenceUpdate {
  std::int64_t stride;
  double* sums;             // (stride,) in and out: F_c, to which the log lifts are added
  const double* next_sums;  // the row of a later document, to be prefetched, or null
  const double* log_lift;   // (stride,) W_c, except that element y is W'_y
  double temperature;       // 1 / (1 + rho (m - 1))
  const double* log_prior;  // (stride,)
  double* logs;             // (stride,) out: log_prior + temperature F_c, minus the largest of these sums
};

struct PosteriorKernels {
  // logarithms() and exponentials() work in place, with errors of at most 1 ulp; n is a multiple of 8. `logarithms`
  // requires positive normal numbers. `exponentials` requires numbers up to 709.
  void (*logarithms)(double* x, std::int64_t n);
  void (*exponentials)(double* x, std::int64_t n);
  void (*short_exponentials)(double* x, std::int64_t n);  // for x <= 0, with a relative error of 2^-46
  // For each run, computes the logarithm of the product of the run's numbers in x, which must be positive and normal.
  // Each run needs only one call of the logarithm. The error is below 2^-53 per factor plus 1 ulp. x must be followed
  // by 7 doubles of any value. The arrays `logs` and `scratch` have n_runs elements, rounded up to a multiple of 8.
  // `logs` may be the same array as x.
  void (*logs_of_products)(const double* x, const ClassRun* runs, std::int64_t n_runs, double* logs, double* scratch);
  void (*mixtures)(const MixtureBatch&);
  void (*add_evidence)(const EvidenceUpdate&);
  // Computes shares (n,) that are proportional to x and add up to 1; n is a multiple of 8.
  void (*normalise)(const double* x, std::int64_t n, float* shares);

  static const PosteriorKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift
