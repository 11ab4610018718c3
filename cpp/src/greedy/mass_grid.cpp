#include "greedy/term_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "base/values.hpp"

namespace termsift {
namespace {

constexpr double largest_total = 0x1p52;
// If counts must be rounded, a class gets its own unit if its total allows a unit above `coarser` times the common unit.
constexpr double coarser = 0x1p10;

struct Fraction {
  double numerator, denominator;
};

// Returns the simplest fraction that rounds to x, or x / 1 if the denominator would be too large. Uses continued fractions.
// For example, 0.1 becomes 1/10, so that l + 0.1 is a whole number of tenths.
Fraction simple_fraction(double x) {
  double before = 0, numerator = 1, denominator_before = 1, denominator = 0, rest = x;
  for (int i = 0; i < 40; ++i) {
    const double whole = std::floor(rest);
    before = std::exchange(numerator, whole * numerator + before);
    denominator_before = std::exchange(denominator, whole * denominator + denominator_before);
    if (numerator / denominator == x) return {numerator, denominator};
    if (denominator > 0x1p30) break;
    rest = 1 / (rest - whole);
  }
  return {x, 1};
}

// Returns the least common multiple of two whole numbers, or infinity if one of them is 2^62 or more.
double common_multiple(double a, double b) {
  if (!(a < 0x1p62 && b < 0x1p62)) return HUGE_VAL;
  return a / static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b))) * b;
}

bool is_whole(double x) { return x == std::nearbyint(x); }

}  // namespace

template <CountType Count>
Grids make_grids(const ClassCounts<Count>& counts, const std::vector<std::int64_t>& classes,
                 const Estimation& estimation) {
  const auto n_terms = static_cast<double>(counts.n_terms);
  const Fraction b1 = simple_fraction(estimation.b1);
  const Fraction b2 = estimation.b2_rest == 0 ? simple_fraction(estimation.b2) : Fraction{estimation.b2, 1};
  const DoubleDouble b2_numerator{b2.numerator, estimation.b2_rest};

  Grids grids;
  grids.smoothing.b1 = divide({b1.numerator, 0}, {b1.denominator, 0});
  const DoubleDouble b2_value = divide(b2_numerator, {b2.denominator, 0});
  const DoubleDouble leftover = subtract(b2_value, multiply(grids.smoothing.b1, {n_terms, 0}));
  if (std::abs(leftover.hi) > 0x1p-45 * b2_value.hi) {  // otherwise b2 equals b1 n_terms up to rounding
    if (leftover.hi < 0)
      throw std::invalid_argument("the probabilities of a class must not sum to more than 1: greedy needs b2 >= b1 * "
                                  "n_terms = " + text(estimation.b1 * n_terms) + ", got b2 = " + text(estimation.b2));
    grids.smoothing.leftover = leftover;
  }
  const bool has_leftover = grids.smoothing.leftover.hi > 0;

  std::vector<double> totals;
  double most = 0;
  for (const std::int64_t c : classes) {
    const Count tokens = counts.rows[static_cast<std::size_t>(c)]->n_tokens;
    totals.push_back(static_cast<double>(tokens) + estimation.b2);
    most = std::max(most, totals.back());
    if (!(totals.back() > 0x1p-960 && totals.back() < 0x1p960))  // totals in this range cause no overflow
      throw std::invalid_argument("class " + std::to_string(c) + " has " + text(tokens) + " tokens and b2 = " +
                                  text(estimation.b2) + "; greedy needs a sum between 2^-960 and 2^960");
  }

  // Use the first of these denominators that keeps all digits of whole counts.
  Grid grid;
  const double both = has_leftover ? common_multiple(b1.denominator, b2.denominator) : b1.denominator;
  grid.denominator = 1;
  for (const double denominator : {both, b1.denominator})
    if (most * denominator < largest_total) {
      grid.denominator = denominator;
      break;
    }
  const double times_b1 = grid.denominator / b1.denominator, times_b2 = grid.denominator / b2.denominator;
  grid.numerator = is_whole(times_b1) ? b1.numerator * times_b1 : estimation.b1 * grid.denominator;
  const DoubleDouble scaled_leftover =
      !has_leftover ? DoubleDouble{}
      : is_whole(times_b1) && is_whole(times_b2)
          ? subtract(multiply(b2_numerator, {times_b2, 0}), two_product(grid.numerator, n_terms))
          : multiply(leftover, {grid.denominator, 0});

  std::vector<double> units;
  for (const double total : totals) units.push_back(std::ldexp(1.0, 51 - std::ilogb(total * grid.denominator)));
  const auto coarsest = std::min_element(units.begin(), units.end());
  const bool are_whole = std::is_integral_v<Count> && *coarsest >= 1;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const bool is_own = !are_whole && units[k] > coarser * *coarsest;
    grid.unit = is_own ? units[k] : *coarsest;
    grid.coarsest = is_own ? classes[k] : classes[static_cast<std::size_t>(coarsest - units.begin())];
    const double rounded = std::nearbyint(scaled_leftover.hi * grid.unit);
    grid.leftover = has_leftover ? std::max(1.0, rounded) : 0;
    grids.of_class.push_back(grid);
  }
  return grids;
}

template Grids make_grids(const ClassCounts<std::int64_t>&, const std::vector<std::int64_t>&, const Estimation&);
template Grids make_grids(const ClassCounts<double>&, const std::vector<std::int64_t>&, const Estimation&);

}  // namespace termsift
