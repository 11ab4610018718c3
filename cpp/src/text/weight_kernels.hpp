// The interface of the kernel that adds up the weights of a document's terms. The source is weight_kernels.cpp.
#pragma once

#include <cstdint>

#include "text/row_store.hpp"

namespace termsift {

struct WeightedRow {
  const DocumentEntry* entries;  // columns and counts
  std::int64_t size;
  const double* weights;  // (columns, n)
  std::int64_t n;
  double* sums;  // (n,), the sums; products are added in the order of the entries
};

struct WeightKernels {
  void (*add)(const WeightedRow&);

  static const WeightKernels baseline, avx2, avx512;  // simd/targets.hpp
};

}  // namespace termsift
