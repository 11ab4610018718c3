// The interface of the kernels of linear machines.
#pragma once

#include <cstdint>

#include "termsift/linear_machines.hpp"

namespace termsift {

// Sixteen machines. The vector z_d has the entries [begin[d], end[d]) of `terms` and `values`, and a 1 for the intercept.
struct MachineProblem {
  std::int64_t n_terms;
  const std::int64_t *begin, *end;  // (n_docs,)
  const std::int32_t* terms;        // below n_terms
  const float* values;
  const float* squares;          // (n_docs,) |z_d|^2
  const float* diagonal;         // (n_docs,) 1 / (2 C g_d)
  const std::int32_t* class_of;  // (n_docs,)
  std::int32_t first_class;      // the class of the first machine
  float* weights;                // (n_terms + 1, 16), in and out
  float* duals;                  // (n_docs, 16), in and out, at least 0
};

struct MachineKernels {
  // For n documents in the given order, sets each machine's dual of the document to its optimum, given all other duals.
  void (*descend)(const MachineProblem&, const std::int32_t* order, std::int64_t n);

  static const MachineKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift
