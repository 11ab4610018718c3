#include "scoring/absent_classes.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "termsift/double_double.hpp"

namespace termsift {
namespace {

constexpr int n_nodes = AbsentPiece::n_nodes;
using Nodes = std::array<double, n_nodes>;

// The pieces of U are [2^e, 1.5 2^e) and [1.5 2^e, 2^(e+1)). The number of a piece consists of U's exponent bits and first
// fraction bit.
std::int64_t piece_of(double U) { return std::bit_cast<std::int64_t>(U) >> 51; }
double begin_of(std::int64_t piece) { return std::bit_cast<double>(piece << 51); }

// If the end of a piece is r times its beginning, the center is sqrt(r) times the beginning, and t is in [-tau, tau] with
// tau = (sqrt(r) - 1) / (sqrt(r) + 1), up to rounding.
struct PieceShape {
  double center, tau;
};
constexpr PieceShape first_half{0x1.3988e1409212ep+0, 0x1.9dc7afdb7b461p-4};   // r = 3/2
constexpr PieceShape second_half{0x1.279a74590331cp+0, 0x1.26145e9ecd563p-4};  // r = 4/3

// cos(pi k / (2 n_nodes)) for k < n_nodes. These are literals, because the C++ library's cosines differ between systems in
// their last bits, and so would the scores.
constexpr Nodes first_cosines{
    1.0, 0x1.fd88da3d12526p-1, 0x1.f6297cff75cbp-1, 0x1.e9f4156c62ddap-1, 0x1.d906bcf328d46p-1,
    0x1.c38b2f180bdb1p-1, 0x1.a9b66290ea1a3p-1, 0x1.8bc806b151741p-1, 0x1.6a09e667f3bcdp-1,
    0x1.44cf325091dd6p-1, 0x1.1c73b39ae68c8p-1, 0x1.e2b5d3806f63bp-2, 0x1.87de2a6aea963p-2,
    0x1.294062ed59f06p-2, 0x1.8f8b83c69a60bp-3, 0x1.917a6bc29b42cp-4};

// Returns cos(pi k / (2 n_nodes)) for k >= 0. The angle is reduced below pi/2 first, because at k = 600 the angle's rounding
// error would make V lose four bits.
double cosine(int k) {
  static constexpr auto cosines = [] {
    std::array<double, 4 * n_nodes> table{};  // the cosines at k = n_nodes and 3 n_nodes stay 0
    for (std::size_t i = 0; i < n_nodes; ++i) {
      const double x = first_cosines[i];
      table[i] = x, table[2 * n_nodes - i] = -x, table[2 * n_nodes + i] = -x;
      if (i > 0) table[4 * n_nodes - i] = x;
    }
    return table;
  }();
  return cosines[static_cast<std::size_t>(k % (4 * n_nodes))];
}

// Returns the i-th zero of the Chebyshev polynomial of degree n_nodes.
double node(int i) { return cosine(2 * i + 1); }

// Returns the coefficients of the polynomial of degree n_nodes - 1 that has the values f at the nodes. O(n_nodes^2).
Nodes interpolate(const Nodes& f) {
  Nodes result{};
  Nodes before{}, power{};  // the coefficients of the Chebyshev polynomials T_(m-1) and T_m
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

AbsentClasses::AbsentClasses(const ClassModel& model, const PairModel& pairs, PairSum sum) : pairs_(pairs), sum_(sum) {
  const double T_0 = pairs.totals.T_0.hi;
  // A class without the term has q = (T - w x) / (1 - pi) <= T / (1 - pi). The bound T / (1 - pi) is largest for the class
  // with the largest prior, so limiting T limits every q. The limit of q is 2^-6 if series for small p and q are used.
  // Without series, the limit of q is 1/4, because n_nodes nodes are enough at this distance from the singularity at
  // q = 1. Rates need no limit.
  const double most_q = pairs.variable == Variable::small_probability ? ordinary_p : 0.25;
  const double T_end = has_complement(pairs.variable)
                           ? most_q / model.constants[static_cast<std::size_t>(model.reference)].rest_inverse.hi
                           : 2 * most_rate;
  const double least = std::fmax(model.lost * T_0, 0x1p-960);
  if (!(T_0 > 0 && T_0 < T_end && least < T_end - T_0)) return;
  first_ = piece_of(least) + 1;
  n_pieces_ = piece_of(T_end - T_0) - first_;
  if (n_pieces_ > 0) pieces_ = std::make_unique<Piece[]>(static_cast<std::size_t>(n_pieces_));
}

const AbsentPiece* AbsentClasses::find(double U, Worker& worker) const {
  const std::int64_t index = piece_of(U) - first_;
  if (index < 0 || index >= n_pieces_) return nullptr;
  Piece& piece = pieces_[static_cast<std::size_t>(index)];
  if (!piece.ready.load(std::memory_order_acquire)) {
    worker.check();
    const std::lock_guard lock(piece.making);
    if (!piece.ready.load(std::memory_order_relaxed)) {
      tabulate(first_ + index, piece);
      piece.ready.store(true, std::memory_order_release);
    }
  }
  return piece.usable ? &piece.polynomial : nullptr;
}

void AbsentClasses::tabulate(std::int64_t index, Piece& piece) const {
  const auto [center, tau] = index % 2 == 0 ? first_half : second_half;
  AbsentPiece& polynomial = piece.polynomial;
  polynomial.center = begin_of(index) * center;
  double U_hi[n_nodes], U_lo[n_nodes], V_hi[n_nodes], V_lo[n_nodes];
  unsigned char doubtful[n_nodes];
  for (int i = 0; i < n_nodes; ++i) {
    const double t = tau * node(i);
    const DoubleDouble U = multiply(divide(two_sum(1.0, t), two_sum(1.0, -t)), {polynomial.center, 0.0});
    U_hi[i] = U.hi, U_lo[i] = U.lo;
  }
  kernels_.score_absent({n_nodes, &pairs_, static_cast<int>(pairs_.classes.size()), pairs_.classes.data(), sum_, U_hi, U_lo,
                         V_hi, V_lo, doubtful});
  // The polynomial gives V(t) minus the V of a node near the center, so only this difference is rounded to a double.
  constexpr int middle = n_nodes / 2;
  polynomial.middle = quick_two_sum(V_hi[middle], V_lo[middle]);
  piece.usable = V_hi[middle] > 0;
  Nodes change;
  for (int i = 0; i < n_nodes; ++i) {
    piece.usable = piece.usable && doubtful[i] == 0;
    change[static_cast<std::size_t>(i)] = (V_hi[i] - polynomial.middle.hi) + (V_lo[i] - polynomial.middle.lo);
  }
  const Nodes coefficients = interpolate(change);  // of the powers of t / tau
  polynomial.middle.lo += coefficients[0];
  double power = 1;
  for (int m = 1; m < n_nodes; ++m) {
    power /= tau;
    polynomial.slope[m - 1] = coefficients[static_cast<std::size_t>(m)] * power;
  }
}

}  // namespace termsift
