// Gains and bounds of lists of groups, in blocks on several threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/sparse_bounds.hpp"
#include "greedy/term_groups.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

class GainEvaluator {
 public:
  GainEvaluator(const TermGroups& groups, const Threads& threads);

  // Both write one value for each of n groups: its gain in a pool, or an upper bound of its gains in a wedge.
  void gains(const GroupId* groups, std::int64_t n, const PoolView& pool, double* values);
  void bounds(const GroupId* groups, std::int64_t n, const WedgeView& wedge, double* values);

  // Whether bounds of many groups read only the classes that have their terms, which is far faster than computing gains.
  bool has_sparse_bounds() const { return sparse_bounds_.has_value(); }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  struct Scratch {
    std::vector<double> masses, sums, values;
  };
  template <class Kernel, class View>
  void run(Kernel kernel, const View& view, const GroupId* groups, std::int64_t n, double* values);
  template <class Kernel, class View>
  void run_block(Kernel kernel, const View& view, const GroupId* groups, int n, Scratch& scratch, double* values);

  const TermGroups& groups_;
  const Threads& threads_;
  const GainKernels kernels_;
  const int block_;  // groups in a block
  std::vector<Scratch> scratch_;  // (threads,)
  std::optional<SparseBounds> sparse_bounds_;
  std::int64_t evaluations_ = 0;
};

}  // namespace termsift
