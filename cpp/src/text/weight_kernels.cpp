// The kernel that adds up the weights of a document's terms. It is compiled once for each SIMD target. Each column of the
// weights has its own lane, so the sums have the same bits on each target.
#include "text/weight_kernels.hpp"

#include "termsift/portability.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// The number of lanes of a register. Vectors with more lanes would be stored in memory.
#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif

// Computes the sums from column c on, n vectors at a time. Stops when fewer than n * width columns are left.
template <int width, int n>
TERMSIFT_INLINE void add_vectors(const WeightedRow& row, std::int64_t& c) {
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

void add(const WeightedRow& row) {
  std::int64_t c = 0;
  add_vectors<lanes, 4>(row, c);
  add_vectors<lanes, 2>(row, c);
  add_vectors<lanes, 1>(row, c);
  add_vectors<lanes / 2, 1>(row, c);
  add_vectors<2, 1>(row, c);
  add_vectors<1, 1>(row, c);
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::WeightKernels termsift::WeightKernels::TERMSIFT_TARGET{termsift::simd::TERMSIFT_TARGET::add};
