#include "greedy/gain_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/targets.hpp"

namespace termsift {
namespace {

// The usual number of pairs of a group and a class in a thread's chunk. Evaluating one pair takes about 6 ns.
constexpr std::int64_t grain = 1 << 12;

// With fewer groups, finding and sorting all bounds would take longer than it saves.
constexpr std::int64_t least_for_sparse_bounds = 256;

constexpr int chord_ends = 8;                // the number of ends of chords in one call of a kernel
constexpr std::int64_t chord_classes = 512;  // the number of classes in one call

constexpr int vector_groups = 8;   // the longest vector of any target
constexpr int many_classes = 1024;  // the gains of one vector of groups in so many classes are worth a thread

// A thread's block of groups has about so many pairs of a group and a class that has it, but at most so many groups.
constexpr std::int64_t block_pairs = 1 << 14, most_block_groups = 256;

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
      block_(groups.n_classes() <= 24            ? longest_gain_block
             : groups.n_classes() <= 48          ? 32
             : groups.n_classes() < many_classes ? 2 * vector_groups
                                                 : vector_groups),
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
  const int width = (n + vector_groups - 1) / vector_groups * vector_groups;
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
  if (has_sparse_bounds() && sparse_bounds_->bounds(groups, n, wedge, values)) evaluations_ += n;
  else run(kernels_.bounds, wedge, groups, n, values);
}

std::size_t GainEvaluator::least_batch() const {
  return groups_.n_classes() < many_classes ? vector_groups : 2 * vector_groups;
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
  for_each_range(groups.n_groups(), most_block_groups, threads, [&](std::int64_t begin, std::int64_t end, Worker&) {
    for (std::int64_t g = begin; g < end; ++g)
      for (const MassColumns::Cell& cell : columns.column(g)) U_[at(g)] += part_of(cell);
  });
}

double SparseBounds::part_of(const MassColumns::Cell& cell) const {
  return w_[at(cell.class_)] * (cell.mass - groups_.columns().absent[at(cell.class_)]);
}

bool SparseBounds::bounds(const GroupId* groups, std::int64_t n, const WedgeClass* wedge, double* values) {
  const std::vector<std::size_t> ends = place_chords(groups, n);
  if (std::ssize(ends) + chord_ends > n) return false;
  set_chords(ends, wedge);
  const MassColumns& columns = groups_.columns();
  const std::int64_t pairs_of_group = std::ssize(columns.cells) / groups_.n_groups();
  const std::int64_t block_groups =
      std::clamp<std::int64_t>(block_pairs / std::max<std::int64_t>(pairs_of_group, 1), 1, most_block_groups);
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
  return true;
}

std::vector<std::size_t> SparseBounds::place_chords(const GroupId* groups, std::int64_t n) {
  chord_shift_ = n < least_for_sparse_bounds ? chord_shift_of_few : chord_shift_of_many;
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
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < needed.size(); ++at)
    if (needed[at] != 0) ends.push_back(at);
  return ends;
}

// Each block of the loop is a part of the classes for a few ends, since a list with few chords may have many classes.
void SparseBounds::set_chords(const std::vector<std::size_t>& ends, const WedgeClass* wedge) {
  const std::int64_t n_ends = (std::ssize(ends) + chord_ends - 1) / chord_ends * chord_ends;
  const std::int64_t n_parts = (groups_.n_classes() + chord_classes - 1) / chord_classes;
  std::vector<double> U(at(n_ends)), sums(at(n_parts * n_ends));
  for (std::size_t i = 0; i < U.size(); ++i)
    U[i] = begin_of(first_piece_ + static_cast<std::int64_t>(ends[std::min(i, ends.size() - 1)]));
  for_each_range(n_parts * n_ends, chord_ends, threads_, [&](std::int64_t first, std::int64_t, Worker&) {
    const auto begin = static_cast<int>(first / n_ends * chord_classes);
    const int end = std::min(begin + static_cast<int>(chord_classes), groups_.n_classes());
    kernels_.absent_bounds(
        {chord_ends, groups_.n_classes(), begin, end, wedge, U.data() + first % n_ends, sums.data() + first});
  });
  for (std::size_t i = 0; i < ends.size(); ++i) {
    double value = 0;
    for (std::size_t at = i; at < sums.size(); at += U.size()) value += sums[at];
    chords_[ends[i]] = {U[i], value, 0};
  }
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    Chord &here = chords_[ends[i]], &next = chords_[ends[i] + 1];
    if (ends[i + 1] == ends[i] + 1) here.slope = (next.value - here.value) / (next.U - here.U);
  }
}

double SparseBounds::chord_at(double U) const {
  const Chord& chord = chords_[static_cast<std::size_t>(piece_of(U) - first_piece_)];
  if (!(chord.value + std::abs(chord.slope) < std::numeric_limits<double>::infinity()))
    return std::numeric_limits<double>::infinity();
  // The parts with lost_ cover the rounding errors of U, of the bounds of single classes, and of the sums of these bounds.
  return chord.value * (1 + 8 * lost_) + chord.slope * (U - chord.U) + std::abs(chord.slope) * lost_ * (absent_mixture_ + U);
}

}  // namespace termsift
