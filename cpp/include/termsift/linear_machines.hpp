// Trains linear support vector machines on documents. Each class has a machine that separates the class from all others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "termsift/csr_view.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// The machine of class c has a vector w_c, which holds a weight for each term and an intercept. The vector w_c minimises
//     |w_c|^2 / 2 + C sum_d g_d max(0, 1 - s_dc w_c.z_d)^2,
// where s_dc is 1 for documents of the class and -1 for all other documents, g_d is the document's weight, and z_d is the
// document's vector. The vector z_d holds log(1 + x) for each count x, scaled to norm 1, and then a 1 for the intercept.
// Coordinate descent finds w_c by solving the dual problem (Hsieh et al., "A dual coordinate descent method for large-scale
// linear SVM", ICML 2008). An epoch visits each document once, in a new random order.
struct LinearMachines {
  double cost;          // C, positive and finite
  std::int32_t epochs;  // positive
};

// The documents are rows of the matrix x, which check_csr() has accepted.
struct MachineInput {
  const AnyCsr& x;
  bool distinct;                           // CsrFacts::distinct of x
  std::span<const std::int64_t> rows;      // (documents,)
  std::span<const std::int32_t> class_of;  // (documents,) in [0, n_classes)
  std::int32_t n_classes;
  std::span<const double> weights;  // (documents,) positive weights; empty if all are 1
};

inline constexpr std::int64_t machine_lanes = 16;

// The machines of the classes [first, first + n), n <= 16.
struct MachineBlock {
  std::int64_t first, n;
  std::span<const std::int32_t> terms;  // the terms that occur in any document, in increasing order
  const float* weights;                 // (terms + 1, 16), intercepts last; the weights of all other terms are 0
};

// Trains sixteen machines at a time, and calls `take` for each block of machines. Any thread may call `take`, and blocks may
// come in any order, but only one thread at a time calls `take`. Returns the mean entry of the document vectors without the
// entries for the intercepts. The arithmetic is in single precision. In the tests, the weights differ from those of exact
// arithmetic with the same epochs by at most 2e-5 of the largest weight. Any number of threads and any SIMD target give the
// same bits.
//
// Takes O(epochs * entries * n_classes / 16) vector steps. Memory: 8 bytes for each entry, 4 for each column, and 28 for
// each document. Each thread also takes 64 bytes for each term that occurs in a document, and 68 for each document.
double train_linear_machines(const MachineInput& input, const LinearMachines& options, const Threads& threads,
                             const std::function<void(const MachineBlock&)>& take);

}  // namespace termsift
