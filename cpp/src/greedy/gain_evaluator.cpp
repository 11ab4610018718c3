#include "greedy/gain_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/targets.hpp"

namespace termsift {
namespace {

// The usual number of pairs of a group and a class in a thread's chunk. Evaluating one pair takes about 6 ns.
constexpr std::int64_t grain = 1 << 12;

// If there were fewer groups than this number, hardly any two groups would share a chord.
constexpr std::int64_t least_for_sparse_bounds = 256;

constexpr std::int64_t block_groups = 256;  // the number of groups in a thread's block

// Pairs of a group and a class, from several groups, for one call of a kernel. Result j of the kernel is added to *sum[j].
struct Batch {
  int n = 0;
  ClassId class_[longest_gain_block];
  double mass[longest_gain_block], U[longest_gain_block], U_rest[longest_gain_block], values[longest_gain_block];
  double* sum[longest_gain_block];
};

}  // namespace

GainEvaluator::GainEvaluator(const TermGroups& groups, const Threads& threads)
    : groups_(groups), threads_(threads), kernels_(kernels_in_use<GainKernels>()),
      // Four arrays (n_classes, block) should fit in the first-level cache.
      block_(groups.n_classes() <= 24 ? longest_gain_block : groups.n_classes() <= 48 ? 32 : 16),
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
  // A thread's chunk consists of several blocks of the kernel.
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

void GainEvaluator::bounds(const GroupId* groups, std::int64_t n, const WedgeClass* wedge, double* values) {
  if (!has_sparse_bounds() || n < least_for_sparse_bounds) return run(kernels_.bounds, wedge, groups, n, values);
  evaluations_ += n;
  sparse_bounds_->bounds(groups, n, wedge, values);
}

bool SparseBounds::pay(const TermGroups& groups) {
  return groups.is_sparse() && *std::max_element(groups.prior.begin(), groups.prior.end()) <= 0.5;
}

SparseBounds::SparseBounds(const TermGroups& groups, const Threads& threads)
    : groups_(groups), threads_(threads), kernels_(kernels_in_use<GainKernels>()),
      lost_((groups.n_classes() + 8) * 0x1p-52), U_(at(groups.n_groups())) {
  const MassColumns& columns = groups.columns();
  for (std::size_t c = 0; c < groups.totals.size(); ++c) {
    w_.push_back(groups.prior[c] / groups.totals[c]);
    absent_mixture_ += w_[c] * columns.absent[c];
  }
  for_each_range(groups.n_groups(), block_groups, threads, [&](std::int64_t begin, std::int64_t end, Worker&) {
    for (std::int64_t g = begin; g < end; ++g)
      for (const MassColumns::Cell& cell : columns.column(g)) U_[at(g)] += part_of(cell);
  });
}

double SparseBounds::part_of(const MassColumns::Cell& cell) const {
  return w_[at(cell.class_)] * (cell.mass - groups_.columns().absent[at(cell.class_)]);
}

void SparseBounds::bounds(const GroupId* groups, std::int64_t n, const WedgeClass* wedge, double* values) {
  set_chords(groups, n, wedge);
  const MassColumns& columns = groups_.columns();
  for_each_range(n, block_groups, threads_, [&](std::int64_t begin, std::int64_t end, Worker&) {
    Batch batch;
    const auto flush = [&] {
      kernels_.pair_bounds(
          {batch.n, groups_.n_classes(), wedge, batch.class_, batch.mass, batch.U, batch.U_rest, batch.values});
      for (int j = 0; j < batch.n; ++j) *batch.sum[j] += batch.values[j];
      batch.n = 0;
    };
    std::vector<double> after;  // for each pair, the part of U that comes from later pairs
    for (std::int64_t i = begin; i < end; ++i) {
      const double U = U_[static_cast<std::size_t>(groups[i])];
      const auto column = columns.column(groups[i]);
      values[i] = chord_at(U);
      after.resize(column.size());
      double sum = 0;
      for (std::size_t j = column.size(); j-- > 0;) after[j] = sum, sum += part_of(column[j]);
      sum = 0;
      for (std::size_t j = 0; j < column.size(); ++j) {
        const int at = batch.n++;
        batch.class_[at] = column[j].class_, batch.mass[at] = column[j].mass;
        batch.U[at] = U, batch.U_rest[at] = sum + after[j];
        batch.sum[at] = values + i;
        sum += part_of(column[j]);
        if (batch.n == longest_gain_block) flush();
      }
    }
    if (batch.n > 0) flush();
  });
}

void SparseBounds::set_chords(const GroupId* groups, std::int64_t n, const WedgeClass* wedge) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t piece = piece_of(U_[static_cast<std::size_t>(groups[i])]);
    first = std::min(first, piece), last = std::max(last, piece);
  }
  first_piece_ = first;
  std::vector<char> needed(static_cast<std::size_t>(last - first + 2), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(piece_of(U_[static_cast<std::size_t>(groups[i])]) - first);
    needed[at] = needed[at + 1] = 1;
  }
  chords_.resize(needed.size());
  std::vector<std::size_t> ends;  // the indices of the ends of all needed chords
  for (std::size_t at = 0; at < needed.size(); ++at)
    if (needed[at] != 0) ends.push_back(at);
  constexpr std::int64_t width = 16;
  for_each_range(std::ssize(ends), width, threads_, [&](std::int64_t begin, std::int64_t end, Worker&) {
    double U[width], values[width];
    for (std::int64_t j = 0; j < width; ++j)
      U[j] = begin_of(first + static_cast<std::int64_t>(ends[at(std::min(begin + j, end - 1))]));
    kernels_.absent_bounds({width, groups_.n_classes(), wedge, U, values});
    for (std::int64_t i = begin; i < end; ++i) chords_[ends[at(i)]] = {U[i - begin], values[i - begin], 0};
  });
  for (std::size_t at = 0; at + 1 < needed.size(); ++at)
    if (needed[at] != 0 && needed[at + 1] != 0)
      chords_[at].slope = (chords_[at + 1].value - chords_[at].value) / (chords_[at + 1].U - chords_[at].U);
}

double SparseBounds::chord_at(double U) const {
  const Chord& chord = chords_[static_cast<std::size_t>(piece_of(U) - first_piece_)];
  if (!(chord.value + std::abs(chord.slope) < std::numeric_limits<double>::infinity()))
    return std::numeric_limits<double>::infinity();
  // The parts with lost_ cover the rounding errors of U, of the bounds of single classes, and of the sums of these bounds.
  return chord.value * (1 + 8 * lost_) + chord.slope * (U - chord.U) + std::abs(chord.slope) * lost_ * (absent_mixture_ + U);
}

}  // namespace termsift
