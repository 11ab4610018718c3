// Computes gains and bounds for lists of groups, in blocks on several threads.
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

  // `gains` writes the gain of each of the n groups in a pool. `bounds` writes an upper bound of their gains in a wedge.
  void gains(const GroupId* groups, std::int64_t n, const PoolView& pool, double* values);
  void bounds(const GroupId* groups, std::int64_t n, const WedgeView& wedge, double* values);

  // Returns true if, for many groups, `bounds` reads only the classes that have the terms. This is far faster than `gains`.
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
  const int block_;  // the number of groups in a block
  std::vector<Scratch> scratch_;  // (threads,)
  std::optional<SparseBounds> sparse_bounds_;
  std::int64_t evaluations_ = 0;
};

}  // namespace termsift
