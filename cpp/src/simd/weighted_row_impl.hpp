// The loops of the product of a sparse row and a matrix of weights, which are compiled once for each SIMD target.
#pragma once

#include "simd/weighted_row.hpp"
#include "termsift/portability.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// The number of doubles in a vector register. Longer vectors would be stored in memory.
#if defined(__AVX512F__)
constexpr int register_lanes = 8;
#elif defined(__AVX__)
constexpr int register_lanes = 4;
#else
constexpr int register_lanes = 2;
#endif

// Computes the sums from column c on, n vectors at a time. Stops when fewer than n * width columns are left.
template <int width, int n, class Entry>
TERMSIFT_INLINE void add_vectors(const WeightedRow<Entry>& row, std::int64_t& c) {
  for (; c + n * width <= row.n; c += n * width) {
    Lanes<double, width> sums[n], weight;
    for (int v = 0; v < n; ++v) load(row.sums + c + v * width, sums[v]);
    for (std::int64_t i = 0; i < row.size; ++i) {
      const double* const weights = row.weights + std::int64_t{row.entries[i].id} * row.n + c;
      const double count = row.entries[i].count;
      for (int v = 0; v < n; ++v) {
        load(weights + v * width, weight);
        sums[v] += count * weight;
      }
    }
    for (int v = 0; v < n; ++v) store(sums[v], row.sums + c + v * width);
  }
}

// Each column of the weights has its own lane, so the sums have the same bits on each SIMD target.
template <class Entry>
void add_weights(const WeightedRow<Entry>& row) {
  std::int64_t c = 0;
  add_vectors<register_lanes, 4>(row, c);
  add_vectors<register_lanes, 3>(row, c);
  add_vectors<register_lanes, 2>(row, c);
  add_vectors<register_lanes, 1>(row, c);
  add_vectors<register_lanes / 2, 1>(row, c);
  add_vectors<2, 1>(row, c);
  add_vectors<1, 1>(row, c);
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET
