// The kernel that adds up the weights of a document's terms, compiled once for each SIMD target. Each class has a lane, so
// sums have the same bits on each target.
#include "text/weight_kernels.hpp"

#include "termsift/portability.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// Adds the sums from c on, in vectors that are whole.
template <int lanes>
TERMSIFT_INLINE void add_lanes(const WeightedRow& row, std::int64_t& c) {
  for (; c + lanes <= row.n; c += lanes) {
    Lanes<double, lanes> sum, weight;
    load(row.sums + c, sum);
    for (std::int64_t i = 0; i < row.size; ++i) {
      load(row.weights + std::int64_t{row.entries[i].id} * row.n + c, weight);
      sum += static_cast<double>(row.entries[i].count) * weight;
    }
    store(sum, row.sums + c);
  }
}

void add(const WeightedRow& row) {
  std::int64_t c = 0;
  add_lanes<16>(row, c);
  add_lanes<8>(row, c);
  add_lanes<4>(row, c);
  add_lanes<2>(row, c);
  add_lanes<1>(row, c);
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::WeightKernels termsift::WeightKernels::TERMSIFT_TARGET{termsift::simd::TERMSIFT_TARGET::add};
