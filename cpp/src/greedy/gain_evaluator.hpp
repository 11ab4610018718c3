// Computes gains and bounds for lists of groups, in blocks on several threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/term_groups.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// Bounds the gains of terms that are absent from most classes. Only the classes that have a term are visited.
//
// Let a_c be the mass of a term that is absent from class c, w_c = pi_c / n_c and U = sum_c w_c (m_c - a_c). A class
// without the term has p_c = a_c / n_c and q_c = (sum_{k != c} w_k a_k + U) / (1 - pi_c), so the bound for this class
// depends on the term only through U. The bound is convex in U, because a relative entropy is convex in q and the larger
// of two convex functions is convex. For a term that is absent from every class, the sum of the bounds of all classes is
// also convex in U. Between two values of U, this sum is therefore at most its chord, a straight line. The sum is computed
// only at the ends of chords. The bound of a term then needs corrections only for the classes that have the term.
//
// A chord is above its curve, so these bounds are valid, and a little larger than the bounds of GainKernels::bounds.
class SparseBounds {
 public:
  // Returns true if most terms are absent from most classes and no class has more than half of the prior. If a class had
  // more than half, q could exceed 1 for a term that occurs in the class but is treated as absent from it.
  static bool pay(const TermGroups& groups);
  // Requires sparse columns. O(pairs).
  SparseBounds(const TermGroups& groups, const Threads& threads);

  // Writes an upper bound of each group's gain in the wedge (n_classes,) to values (n,). O(pairs of the groups + n_classes *
  // chords). Returns false and writes nothing if the groups need so many chords that GainKernels::bounds is faster.
  bool bounds(const GroupId* groups, std::int64_t n, const WedgeClass* wedge, double* values);

 private:
  struct Chord {
    double U, value, slope;  // the chord is value + slope (u - U)
  };
  double part_of(const MassColumns::Cell& cell) const;  // the summand of U for a pair of a class and a term
  // Places the chords that the groups need. Returns the indices of the ends of all needed chords.
  std::vector<std::size_t> place_chords(const GroupId* groups, std::int64_t n);
  void set_chords(const std::vector<std::size_t>& ends, const WedgeClass* wedge);
  double chord_at(double U) const;
  // Each chord covers 1/32 of an interval [2^k, 2^(k+1)) of sum_c w_c m_c, or 1/1024 for a few groups, whose bounds decide
  // how many gains a step computes.
  static constexpr int chord_shift_of_many = 52 - 5, chord_shift_of_few = 52 - 10;
  int chord_shift_ = chord_shift_of_many;
  std::int64_t piece_of(double U) const { return std::bit_cast<std::int64_t>(absent_mixture_ + U) >> chord_shift_; }
  double begin_of(std::int64_t piece) const {
    return std::max(std::bit_cast<double>(piece << chord_shift_) - absent_mixture_, 0.0);
  }

  const TermGroups& groups_;
  const Threads& threads_;
  const GainKernels& kernels_;
  const double lost_;              // the relative rounding error of a sum over the classes
  double absent_mixture_ = 0;      // sum_c w_c a_c
  std::vector<double> w_;          // (n_classes,)
  std::vector<double> U_;          // (n_groups,) U of each group
  std::int64_t first_piece_ = 0;
  std::vector<Chord> chords_;      // consecutive chords; the first one has the number first_piece_
};

class GainEvaluator {
 public:
  GainEvaluator(const TermGroups& groups, const Threads& threads);

  // `gains` writes the gain of each of the n groups in a pool. `bounds` writes upper bounds for all pools of a wedge.
  void gains(const GroupId* groups, std::int64_t n, const PoolView& pool, double* values);
  void bounds(const GroupId* groups, std::int64_t n, const WedgeClass* wedge, double* values);

  // If true, `bounds` of groups of similar sizes read only the classes that have the terms, far faster than `gains`.
  bool has_sparse_bounds() const { return sparse_bounds_.has_value(); }
  // Returns how many groups should at least be given to `gains`. If there are many classes, two threads share them.
  std::size_t least_batch() const;
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
