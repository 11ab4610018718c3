// Gains and bounds of lists of groups, in blocks on several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/term_groups.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

class GainEvaluator {
 public:
  GainEvaluator(const TermGroups& groups, const Threads& threads);

  // values (n,) of groups (n,).
  void gains(const GroupId* groups, std::int64_t n, const PoolView& pool, double* values);
  void bounds(const GroupId* groups, std::int64_t n, const WedgeView& wedge, double* values);
  // The divergence's cells, the pool being the whole.
  void cells(const GroupId* groups, std::int64_t n, const PoolView& whole, double* values);
  double cell(const double* masses, const PoolView& whole);  // of masses (n_classes,)
  // Value j is the gain of groups[j] out of pool j, for j < block(): the pools are (n_classes, block()).
  void gains_along_path(const GroupId* groups, const PoolView& pools, double* values);

  int block() const { return block_; }  // groups in a block
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
  const int block_;
  std::vector<Scratch> scratch_;  // of each thread
  std::int64_t evaluations_ = 0;
};

}  // namespace termsift
