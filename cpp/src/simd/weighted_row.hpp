// The product of a sparse row and a dense matrix of weights.
#pragma once

#include <cstdint>

namespace termsift {

// An Entry has the members `id`, the row of the weights, and `count`.
template <class Entry>
struct WeightedRow {
  const Entry* entries;
  std::int64_t size;
  const double* weights;  // (rows, n)
  std::int64_t n;
  double* sums;  // (n,), the sums; products are added in the order of the entries
};

}  // namespace termsift
