#include "greedy/gain_evaluator.hpp"
#include "simd/targets.hpp"

#include <algorithm>

namespace termsift {
namespace {

// The minimum number of evaluations in a thread's chunk. Evaluating one group in one class takes about 6 ns.
constexpr std::int64_t grain = 1 << 12;

// If there were fewer groups, hardly any two of them would share a chord.
constexpr std::int64_t least_for_sparse_bounds = 256;

}  // namespace

GainEvaluator::GainEvaluator(const TermGroups& groups, const Threads& threads)
    : groups_(groups), threads_(threads), kernels_(kernels_in_use<GainKernels>()),
      // Four arrays (n_classes, block) should fit in the first-level cache.
      block_(groups.n_classes() <= 4 ? longest_gain_block : 16),
      scratch_(static_cast<std::size_t>(std::max(threads.count, 1))) {
  const auto cells = static_cast<std::size_t>(groups.n_classes() * block_);
  for (Scratch& scratch : scratch_) {
    scratch.masses.resize(cells);
    scratch.sums.resize(3 * cells);
    scratch.values.resize(static_cast<std::size_t>(block_));
  }
  if (groups.n_groups() >= least_for_sparse_bounds && SparseBounds::pay(groups)) sparse_bounds_.emplace(groups, threads);
}

template <class Kernel, class View>
void GainEvaluator::run_block(Kernel kernel, const View& view, const GroupId* groups, int n, Scratch& scratch,
                              double* values) {
  const int width = (n + 7) / 8 * 8;  // a multiple of every target's vector length
  groups_.gather(groups, n, width, scratch.masses.data());
  double* const out = width == n ? values : scratch.values.data();
  kernel({width, groups_.n_classes(), scratch.masses.data(), scratch.sums.data(), out}, view);
  if (out != values) std::copy_n(out, n, values);
}

template <class Kernel, class View>
void GainEvaluator::run(Kernel kernel, const View& view, const GroupId* groups, std::int64_t n, double* values) {
  evaluations_ += n;
  if (n <= block_) return run_block(kernel, view, groups, static_cast<int>(n), scratch_[0], values);
  // A thread's chunk is several blocks of the kernel.
  const std::int64_t chunk = std::max<std::int64_t>(grain / groups_.n_classes() / block_, 1) * block_;
  for_each_range(n, chunk, worth(threads_, n * groups_.n_classes(), 2 * grain),
                 [&](std::int64_t begin, std::int64_t end, Worker& worker) {
                   Scratch& scratch = scratch_[static_cast<std::size_t>(worker.thread())];
                   for (std::int64_t i = begin; i < end; i += block_)
                     run_block(kernel, view, groups + i, static_cast<int>(std::min<std::int64_t>(block_, end - i)), scratch,
                               values + i);
                 });
}

void GainEvaluator::gains(const GroupId* groups, std::int64_t n, const PoolView& pool, double* values) {
  run(kernels_.gains, pool, groups, n, values);
}

void GainEvaluator::bounds(const GroupId* groups, std::int64_t n, const WedgeView& wedge, double* values) {
  if (!has_sparse_bounds() || n < least_for_sparse_bounds) return run(kernels_.bounds, wedge, groups, n, values);
  evaluations_ += n;
  sparse_bounds_->bounds(groups, n, wedge, values);
}

}  // namespace termsift
