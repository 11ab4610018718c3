// Bounds of the gains of terms that are absent from most classes, from the classes that have them.
//
// With a_c the mass of a term that is absent from class c, w_c = pi_c / n_c and U = sum_c w_c (m_c - a_c), a class without
// the term has p_c = a_c / n_c and q_c = (sum_{k != c} w_k a_k + U) / (1 - pi_c). So its bound depends on the term only
// through U. The bound is convex in U: a relative entropy is convex in q, and so is the larger of two. The sum over all
// classes, as if the term were absent from each, is therefore at most its chord between two values of U. The sum is computed
// once at each end of a chord. Then only the classes that have the term are read.
//
// A chord is above its curve, so these bounds are valid and a little larger than those of GainKernels::bounds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "greedy/gain_kernels.hpp"
#include "greedy/term_groups.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

class SparseBounds {
 public:
  // Whether classes have few of the terms and no class has most of the prior. Terms of such a class, treated as absent from
  // it, could exceed the whole probability of its complement.
  static bool pay(const TermGroups& groups);
  // Requires sparse columns. O(n_classes).
  SparseBounds(const TermGroups& groups, const Threads& threads);

  // Writes values (n,), bounds of the groups' gains in a wedge of pools. O(pairs of the groups + n_classes * chords); the
  // first call takes O(all pairs).
  void bounds(const GroupId* groups, std::int64_t n, const WedgeView& wedge, double* values);

 private:
  struct Chord {
    double U, value, slope;  // at the beginning
  };
  void sum_mixtures();
  void set_chords(const GroupId* groups, std::int64_t n);
  double chord_at(double U) const;
  // A chord covers a 2^-5th of an octave of sum_c w_c m_c.
  static constexpr int chord_shift = 52 - 5;
  std::int64_t piece_of(double U) const { return std::bit_cast<std::int64_t>(absent_mixture_ + U) >> chord_shift; }
  double begin_of(std::int64_t piece) const {
    return std::max(std::bit_cast<double>(piece << chord_shift) - absent_mixture_, 0.0);
  }

  const TermGroups& groups_;
  const Threads& threads_;
  const GainKernels& kernels_;
  const double lost_;              // the relative rounding error of a sum over the classes
  double absent_mixture_ = 0;      // sum_c w_c a_c
  std::vector<double> w_;          // (n_classes,)
  std::vector<BoundClass> classes_;  // (n_classes,)
  std::vector<double> U_;          // (n_groups,), empty until the first call
  std::int64_t first_piece_ = 0;
  std::vector<Chord> chords_;      // of the pieces from first_piece_ on
};

}  // namespace termsift
