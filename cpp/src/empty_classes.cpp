#include "empty_classes.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace termsift {
namespace {

constexpr int n_nodes = EmptyClasses::n_nodes;
using Nodes = std::array<double, n_nodes>;

// Half octaves [2^e, 1.5 2^e), [1.5 2^e, 2^(e+1)) by number: the exponent and the first bit after it.
std::int64_t piece_of(double U) { return std::bit_cast<std::int64_t>(U) >> 51; }
double begin_of(std::int64_t piece) { return std::bit_cast<double>(piece << 51); }

// cos(pi k / (2 n_nodes)) for any k >= 0. From an angle below pi/2, where the rounding of the angle does no harm: of
// k = 600 it would cost F four bits.
double cosine(int k) {
  k %= 4 * n_nodes;
  if (k > 2 * n_nodes) k = 4 * n_nodes - k;
  if (k == n_nodes) return 0;
  return k < n_nodes ? std::cos(std::numbers::pi * k / (2 * n_nodes)) : -cosine(2 * n_nodes - k);
}

// The zeros of the Chebyshev polynomial of degree n_nodes.
double node(int i) { return cosine(2 * i + 1); }

// The coefficients of the polynomial of degree n_nodes - 1 with values f at the nodes.
Nodes interpolate(const Nodes& f) {
  Nodes result{};
  Nodes before{}, power{};  // the coefficients of T_(m-1) and T_m
  power[0] = 1;
  for (int m = 0; m < n_nodes; ++m) {
    double coefficient = 0;
    for (int i = 0; i < n_nodes; ++i) coefficient += f[i] * cosine(m * (2 * i + 1));
    coefficient *= (m == 0 ? 1.0 : 2.0) / n_nodes;
    for (int i = 0; i < n_nodes; ++i) result[i] += coefficient * power[i];
    Nodes next{};
    for (int i = 0; i < n_nodes; ++i) next[i] = (m == 0 ? 1.0 : 2.0) * (i > 0 ? power[i - 1] : 0.0) - before[i];
    before = power;
    power = next;
  }
  return result;
}

}  // namespace

EmptyClasses::EmptyClasses(const ClassModel& model, const Kernels& kernels, Measure measure, Aggregate aggregate)
    : model_(model), kernels_(kernels), measure_(measure), aggregate_(aggregate) {
  for (const ClassConstants& c : model.constants) T_0_ = add(T_0_, multiply({c.weight_hi, c.weight_lo}, {c.empty, 0}));
  // Where every p <= 2^-6, T <= 2^-6. A class with nearly all the prior mass has q = (T - pi p) / (1 - pi) <= 2^-6 too,
  // but as an empty class only while T is as small as this:
  const double T_end = 0x1p-6 / model.constants[static_cast<std::size_t>(model.reference)].rest_inverse_hi;
  const double least = std::fmax(model.lost * T_0_.hi, 0x1p-960);
  if (!(T_0_.hi > 0 && T_0_.hi < T_end && least < T_end - T_0_.hi)) return;
  first_ = piece_of(least) + 1;
  n_pieces_ = piece_of(T_end - T_0_.hi) - first_;
  if (n_pieces_ > 0) pieces_ = std::make_unique<Piece[]>(static_cast<std::size_t>(n_pieces_));
}

void EmptyClasses::tabulate(std::int64_t index, Piece& piece) const {
  constexpr int lanes = (n_nodes + 7) / 8 * 8;
  const double begin = begin_of(index), end = begin_of(index + 1);
  const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin);
  double T_hi[lanes], T_lo[lanes], F_hi[lanes], F_lo[lanes];
  unsigned char doubtful[lanes];
  for (int i = 0; i < lanes; ++i) {
    const DoubleDouble T = add(T_0_, two_sum(middle, i < n_nodes ? half * node(i) : 0.0));
    T_hi[i] = T.hi, T_lo[i] = T.lo;
  }
  kernels_.score_empty({lanes, static_cast<int>(model_.constants.size()), model_.constants.data(), measure_, aggregate_,
                        model_.lost, T_hi, T_lo, F_hi, F_lo, doubtful});
  // Relative to the middle, so that only the change within the piece is rounded.
  constexpr int center = n_nodes / 2;
  piece.middle = quick_two_sum(F_hi[center], F_lo[center]);
  piece.usable = F_hi[center] > 0;
  Nodes change;
  for (int i = 0; i < n_nodes; ++i) {
    piece.usable = piece.usable && doubtful[i] == 0;
    change[static_cast<std::size_t>(i)] = (F_hi[i] - piece.middle.hi) + (F_lo[i] - piece.middle.lo);
  }
  const Nodes coefficients = interpolate(change);
  piece.middle.lo += coefficients[0];
  for (int m = 1; m < n_nodes; ++m) piece.slope[m - 1] = coefficients[static_cast<std::size_t>(m)];
}

bool EmptyClasses::start(TermSums& term) const {
  const DoubleDouble U = quick_two_sum(term.T_hi, term.T_lo);
  const std::int64_t index = piece_of(U.hi);
  if (index < first_ || index >= first_ + n_pieces_) return false;
  Piece& piece = pieces_[static_cast<std::size_t>(index - first_)];
  if (!piece.ready.load(std::memory_order_acquire)) {
    const std::lock_guard lock(piece.making);
    if (!piece.ready.load(std::memory_order_relaxed)) {
      tabulate(index, piece);
      piece.ready.store(true, std::memory_order_release);
    }
  }
  if (!piece.usable) return false;
  const double begin = begin_of(index), end = begin_of(index + 1);
  const double t = ((U.hi - 0.5 * (begin + end)) + U.lo) / (0.5 * (end - begin));
  double slope = piece.slope[n_nodes - 2];
  for (int m = n_nodes - 2; m-- > 0;) slope = piece.slope[m] + t * slope;
  const DoubleDouble F = quick_two_sum(piece.middle.hi, piece.middle.lo + t * slope);
  term.score_hi = F.hi, term.score_lo = F.lo;
  const DoubleDouble T = add(T_0_, U);
  term.T_hi = T.hi, term.T_lo = T.lo;
  return true;
}

}  // namespace termsift
