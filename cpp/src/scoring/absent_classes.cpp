#include "scoring/absent_classes.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace termsift {
namespace {

constexpr int n_nodes = AbsentClasses::n_nodes;
using Nodes = std::array<double, n_nodes>;

// The pieces are [2^e, 1.5 2^e) and [1.5 2^e, 2^(e+1)). A piece's number is made of U's exponent and first fraction bit.
std::int64_t piece_of(double U) { return std::bit_cast<std::int64_t>(U) >> 51; }
double begin_of(std::int64_t piece) { return std::bit_cast<double>(piece << 51); }

// Returns cos(pi k / (2 n_nodes)) for k >= 0. The angle is first reduced below pi/2. Otherwise its rounding error at
// k = 600 would cost V four bits. A table is used because calls of cos() took a tenth of the time to score 20,000 terms.
double cosine(int k) {
  static const auto cosines = [] {
    std::array<double, 4 * n_nodes> table{};  // 0 at k = n_nodes and 3 n_nodes
    for (int i = 0; i < n_nodes; ++i) {
      const double x = std::cos(std::numbers::pi * i / (2 * n_nodes));
      table[i] = x, table[2 * n_nodes - i] = -x, table[2 * n_nodes + i] = -x;
      if (i > 0) table[4 * n_nodes - i] = x;
    }
    return table;
  }();
  return cosines[k % (4 * n_nodes)];
}

// Returns the i-th zero of the Chebyshev polynomial of degree n_nodes.
double node(int i) { return cosine(2 * i + 1); }

// Returns the coefficients of the polynomial of degree n_nodes - 1 that has the values f at the nodes. O(n_nodes^2).
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

AbsentClasses::AbsentClasses(const ClassModel& model, const PairModel& pairs, PairSum sum)
    : pairs_(pairs), sum_(sum), lost_(model.lost) {
  const double T_0 = pairs.totals.T_0_hi;
  // A class without the term has q = (T - w x) / (1 - pi) <= T / (1 - pi). This bound is largest for the class with the
  // largest prior, so a limit of T limits every q. The limit of q is 2^-6 if series for small p and q are used, otherwise
  // 1/4. With this number of nodes, 1/4 is far enough from the singularity at q = 1. For rates, T has no limit.
  const double most_q = pairs.variable == Variable::small_probability ? ordinary_p : 0.25;
  const double T_end = has_complement(pairs.variable)
                           ? most_q / model.constants[static_cast<std::size_t>(model.reference)].rest_inverse_hi
                           : 2 * most_rate;
  const double least = std::fmax(model.lost * T_0, 0x1p-960);
  if (!(T_0 > 0 && T_0 < T_end && least < T_end - T_0)) return;
  first_ = piece_of(least) + 1;
  n_pieces_ = piece_of(T_end - T_0) - first_;
  if (n_pieces_ > 0) pieces_ = std::make_unique<Piece[]>(static_cast<std::size_t>(n_pieces_));
}

void AbsentClasses::tabulate(std::int64_t index, Piece& piece) const {
  constexpr int lanes = n_evaluations;
  const double begin = begin_of(index), end = begin_of(index + 1);
  const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin);
  double U_hi[lanes], U_lo[lanes], V_hi[lanes], V_lo[lanes];
  unsigned char doubtful[lanes];
  for (int i = 0; i < lanes; ++i) {
    const DoubleDouble U = two_sum(middle, i < n_nodes ? half * node(i) : 0.0);
    U_hi[i] = U.hi, U_lo[i] = U.lo;
  }
  kernels_.score_absent({lanes, static_cast<int>(pairs_.classes.size()), pairs_.classes.data(), &pairs_.totals,
                         pairs_.measure, pairs_.variable, sum_, lost_, U_hi, U_lo, V_hi, V_lo, doubtful});
  // The polynomial gives V(t) minus V at the middle, so only this difference is rounded.
  constexpr int center = n_nodes / 2;
  piece.middle = quick_two_sum(V_hi[center], V_lo[center]);
  piece.middle_U = middle, piece.to_t = 1 / half;
  piece.usable = V_hi[center] > 0;
  Nodes change;
  for (int i = 0; i < n_nodes; ++i) {
    piece.usable = piece.usable && doubtful[i] == 0;
    change[static_cast<std::size_t>(i)] = (V_hi[i] - piece.middle.hi) + (V_lo[i] - piece.middle.lo);
  }
  const Nodes coefficients = interpolate(change);
  piece.middle.lo += coefficients[0];
  for (int m = 1; m < n_nodes; ++m) piece.slope[m - 1] = coefficients[static_cast<std::size_t>(m)];
}

bool AbsentClasses::find(DoubleDouble U, DoubleDouble& V) const {
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
  const double t = ((U.hi - piece.middle_U) + U.lo) * piece.to_t;
  // The processor overlaps these four polynomials in t^4. Horner's rule, a chain of 36 operations, took 3 times as long.
  const double t2 = t * t, t4 = t2 * t2;
  double slope[4];
  for (int i = 0; i < 4; ++i) slope[i] = piece.slope[n_slopes - 4 + i];
  for (int m = n_slopes - 8; m >= 0; m -= 4)
    for (int i = 0; i < 4; ++i) slope[i] = piece.slope[m + i] + t4 * slope[i];
  V = quick_two_sum(piece.middle.hi, piece.middle.lo + t * ((slope[0] + t * slope[1]) + t2 * (slope[2] + t * slope[3])));
  return true;
}

}  // namespace termsift
