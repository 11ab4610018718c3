#include "scoring/score_kernels.hpp"

#include "scoring/careful_impl.hpp"
#include "scoring/measures_impl.hpp"
#include "scoring/ordinary_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

void numerators(const std::uint32_t* __restrict l, int n, double scale, double scaled_b1, double* __restrict x) {
  for (int j = 0; j < n; ++j) x[j] = as_double(l[j]) * scale + scaled_b1;
}

void score_block(const ScoreBlock& block) {
  with_measure(block.measure, block.variable, [&]<Measure measure, Variable variable>() {
    if (block.x_lo == nullptr) ordinary_scores<measure, variable, false>(block);
    else ordinary_scores<measure, variable, true>(block);
  });
}

void score_block_carefully(const CarefulBlock& block) {
  ClassSums sums;
  sum_classes(block, sums);
  with_measure(block.measure, block.variable, [&]<Measure measure, Variable variable>() {
    careful_values<measure, has_complement(variable) && measure != Measure::direction>(block, sums);
  });
  if (block.scores == nullptr) return;
  double low[block_terms];
  begin_aggregate(block, low);
  for (int k = 0; k < block.n_classes; ++k) aggregate_class(block, k, block.class_scores + k * block_terms, low);
  end_aggregate(block, low);
}

constexpr ScoreKernels kernels{numerators, score_block, score_block_carefully};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::ScoreKernels termsift::ScoreKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
