#include "greedy/term_groups.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "base/values.hpp"
#include "ranking/pairs_by_term.hpp"
#include "scoring/class_model.hpp"
#include "termsift/portability.hpp"

namespace termsift {
namespace {

constexpr double largest_total = 0x1p52;
// If counts must be rounded, a class whose total allows a unit above `coarser` times the common unit gets its own unit.
constexpr double coarser = 0x1p10;
// A mass below this number of units must be exact, because rounding it would lose too many digits.
constexpr double least_units = 0x1p10;

// Maps a count l to the whole number nearest to (l denominator + numerator) unit.
struct Grid {
  double denominator = 1;
  double numerator = 0;       // b1 * denominator
  double unit = 1;            // a power of two
  double leftover = 0;        // Smoothing::leftover on this grid, as a whole number
  std::int64_t coarsest = 0;  // the class whose total sets the unit

  double scaled(double l) const { return (l * denominator + numerator) * unit; }
  double mass(double l) const { return std::nearbyint(scaled(l)); }
};

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

// Returns the grids of `classes`, which are indices of rows of the counts, and sets `smoothing`. On these grids, the totals
// of classes are below 2^52, and the largest total is at least 2^51. In general, all classes share one unit. A count is
// therefore rounded equally in all classes, and equal shares of the pool stay equal. If counts must be rounded, however, a
// class with less than 2^-10 of the tokens of the largest class has its own unit. If all counts are exact, only b1 and the
// leftover may be rounded. Throws std::invalid_argument if b2 < b1 n_terms or if a total is out of range.
template <CountType Count>
std::vector<Grid> make_grids(const ClassCounts<Count>& counts, const std::vector<std::int64_t>& classes,
                             const Estimation& estimation, Smoothing& smoothing) {
  const auto n_terms = static_cast<double>(counts.n_terms);
  const Fraction b1 = simple_fraction(estimation.b1);
  const Fraction b2 = estimation.b2_rest == 0 ? simple_fraction(estimation.b2) : Fraction{estimation.b2, 1};
  const DoubleDouble b2_numerator{b2.numerator, estimation.b2_rest};

  smoothing.b1 = divide({b1.numerator, 0}, {b1.denominator, 0});
  const DoubleDouble b2_value = divide(b2_numerator, {b2.denominator, 0});
  const DoubleDouble leftover = subtract(b2_value, multiply(smoothing.b1, {n_terms, 0}));
  if (std::abs(leftover.hi) > 0x1p-45 * b2_value.hi) {  // if false, b2 equals b1 n_terms up to rounding
    if (leftover.hi < 0)
      throw WrongArgument("alpha", "the probabilities of a class must not sum to more than 1: greedy needs b2 >= b1 * "
                                   "n_terms = " + text(estimation.b1 * n_terms) + ", got b2 = " + text(estimation.b2));
    smoothing.leftover = leftover;
  }
  const bool has_leftover = smoothing.leftover.hi > 0;

  std::vector<double> totals;
  double most = 0;
  for (const std::int64_t c : classes) {
    const Count tokens = counts.rows[static_cast<std::size_t>(c)]->n_tokens;
    totals.push_back(static_cast<double>(tokens) + estimation.b2);
    most = std::max(most, totals.back());
    if (!(totals.back() > 0x1p-960 && totals.back() < 0x1p960))  // totals in this range cause no overflow
      throw WrongArgument("alpha", "class " + std::to_string(c) + " has " + text(tokens) + " tokens and b2 = " +
                                   text(estimation.b2) + "; greedy needs a sum between 2^-960 and 2^960");
  }

  // Use the first of two denominators that keeps all digits of whole counts, or 1 if neither denominator does.
  Grid grid;
  const double both = has_leftover ? common_multiple(b1.denominator, b2.denominator) : b1.denominator;
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
  std::vector<Grid> grids;
  for (const double total : totals) units.push_back(std::ldexp(1.0, 51 - std::ilogb(total * grid.denominator)));
  const auto coarsest = std::min_element(units.begin(), units.end());
  const bool are_whole = std::is_integral_v<Count> && *coarsest >= 1;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const bool is_own = !are_whole && units[k] > coarser * *coarsest;
    grid.unit = is_own ? units[k] : *coarsest;
    grid.coarsest = is_own ? classes[k] : classes[static_cast<std::size_t>(coarsest - units.begin())];
    const double rounded = std::nearbyint(scaled_leftover.hi * grid.unit);
    grid.leftover = has_leftover ? std::max(1.0, rounded) : 0;
    grids.push_back(grid);
  }
  return grids;
}

template <CountType Count>
[[noreturn]] void throw_too_small(const ClassCounts<Count>& counts, std::int64_t term, std::int64_t c, Count l,
                                  const Grid& grid, double b1) {
  const Count tokens = counts.rows[static_cast<std::size_t>(grid.coarsest)]->n_tokens;
  const std::string what = l > 0 ? "term " + std::to_string(term) + " has l + b1 = " +
                                       text(static_cast<double>(l) + b1) + " in class " + std::to_string(c) + ", "
                                 : "smoothing b1 = " + text(b1) + " is ";
  throw WrongArgument("alpha", what + "too small compared with the " + text(tokens) + " tokens of class " +
                               std::to_string(grid.coarsest) + "; greedy needs at least 2^-40 of the number of tokens");
}

template <CountType Count>
using Column = std::span<const typename PairsByTerm<Count>::Pair>;

template <CountType Count>
std::uint64_t hash_of(const Column<Count>& column) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const auto& [k, l] : column)
    hash = fold(hash ^ std::bit_cast<std::uint64_t>(l), 0xbf58476d1ce4e5b9u + static_cast<std::uint64_t>(k));
  return hash;
}

}  // namespace

template <CountType Count>
TermGroups::TermGroups(const ClassCounts<Count>& counts, const Estimation& estimation, bool grouped,
                       const Threads& threads)
    : n_terms_(counts.n_terms) {
  const ClassModel model = make_class_model(counts, estimation);
  const std::vector<Grid> grids = make_grids(counts, model.classes, estimation, smoothing_);
  for_each_block(std::ssize(model.classes), {1, threads.poll}, [&](std::int64_t k, Worker&) {
    const Grid& grid = grids[at(k)];
    const std::int64_t c = model.classes[at(k)];
    const ClassRow<Count>& row = *counts.rows[at(c)];
    const auto mass_of = [&](std::int64_t term, Count l) {
      const double scaled = grid.scaled(static_cast<double>(l)), mass = grid.mass(static_cast<double>(l));
      if (mass < least_units && (mass != scaled || mass == 0)) throw_too_small(counts, term, c, l, grid, estimation.b1);
      return mass;
    };
    const double absent = grid.mass(0);
    double total = grid.leftover + absent * static_cast<double>(n_terms_ - row.size);
    std::int64_t first_absent = 0;
    for (std::int64_t i = 0; i < row.size; ++i) {
      if (row.terms[i] == first_absent) ++first_absent;
      total += mass_of(row.terms[i], row.term_frequency[i]);
    }
    if (first_absent < n_terms_) {
      if (estimation.b1 == 0)
        throw WrongArgument("alpha", "term " + std::to_string(first_absent) + " has probability 0 in class " +
                                     std::to_string(c) + " with b1 = 0; greedy needs every p_ic > 0");
      mass_of(first_absent, 0);
    }
    columns_.absent.push_back(absent);
    totals.push_back(total);
    prior.push_back(model.constants[at(k)].prior.hi);
    others_inverse.push_back(model.constants[at(k)].rest_inverse.hi);
  });
  const PairsByTerm<Count> pairs =
      arrange_pairs_by_term(counts, model.classes, n_terms_, threads, [](TermId term) { return term; });
  const std::vector<TermId> heads = group_equal_columns(pairs, grouped, threads);
  columns_.starts.assign(1, 0);
  columns_.starts.reserve(heads.size() + 1);
  for (const TermId head : heads) {
    for (const auto& [k, l] : pairs[head])
      columns_.cells.push_back({k, grids[at(k)].mass(static_cast<double>(l))});
    columns_.starts.push_back(std::ssize(columns_.cells));
  }
}

template <CountType Count>
std::vector<TermId> TermGroups::group_equal_columns(const PairsByTerm<Count>& pairs, bool grouped,
                                                    const Threads& threads) {
  const auto n_terms = static_cast<std::size_t>(n_terms_);
  std::vector<TermId> heads;
  std::vector<std::uint64_t> hashes;  // for each head, the hash of its column
  const std::size_t mask = std::bit_ceil(2 * n_terms) - 1;
  std::vector<GroupId> group_of(n_terms), slots(mask + 1, -1);
  const auto assign = [&](std::size_t term) {
    const Column<Count> column = pairs[static_cast<std::int64_t>(term)];
    const std::uint64_t hash = grouped ? hash_of<Count>(column) : term;  // columns with different hashes are not compared
    const auto is_it = [&](std::size_t g) {
      const Column<Count> other = pairs[heads[g]];
      return hashes[g] == hash && std::equal(other.begin(), other.end(), column.begin(), column.end());
    };
    std::size_t slot = hash & mask;
    while (slots[slot] >= 0 && !is_it(static_cast<std::size_t>(slots[slot]))) slot = (slot + 1) & mask;
    if (slots[slot] < 0) {
      slots[slot] = static_cast<GroupId>(heads.size());
      heads.push_back(static_cast<TermId>(term));
      hashes.push_back(hash);
    }
    group_of[term] = slots[slot];
  };
  constexpr std::int64_t chunk = 1 << 20;
  for_each_range(n_terms_, chunk, {1, threads.poll}, [&](std::int64_t first, std::int64_t last, Worker&) {
    for (std::int64_t term = first; term < last; ++term) assign(at(term));
  });

  member_starts_.assign(heads.size() + 1, 0);
  for (const GroupId g : group_of) ++member_starts_[static_cast<std::size_t>(g) + 1];
  for (std::size_t g = 0; g < heads.size(); ++g) member_starts_[g + 1] += member_starts_[g];
  members_.resize(n_terms);
  std::vector<std::int64_t> next(member_starts_.begin(), member_starts_.end() - 1);
  for (std::size_t term = 0; term < n_terms; ++term)
    members_[static_cast<std::size_t>(next[static_cast<std::size_t>(group_of[term])]++)] = static_cast<TermId>(term);
  return heads;
}

void TermGroups::gather(const GroupId* groups, int n, int width, double* masses) const {
  for (std::size_t c = 0; c < totals.size(); ++c)
    std::fill_n(masses + static_cast<std::ptrdiff_t>(c) * width, width, columns_.absent[c]);
  for (int j = 0; j < width; ++j) {
    columns_.prefetch_later(groups, j, n);
    for (const MassColumns::Cell& cell : columns_.column(groups[std::min(j, n - 1)]))
      masses[std::ptrdiff_t{cell.class_} * width + j] = cell.mass;
  }
}

std::vector<double> TermGroups::sum(std::span<const GroupId> groups, std::span<const double> copies) const {
  std::vector<double> result(totals.size(), 0.0);
  double n_absent = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    n_absent += copies[i];
    for (const auto& [c, mass] : columns_.column(groups[i])) result[at(c)] += copies[i] * (mass - columns_.absent[at(c)]);
  }
  for (std::size_t c = 0; c < result.size(); ++c) result[c] += n_absent * columns_.absent[c];
  return result;
}

std::vector<WedgeClass> TermGroups::wedge_classes() const {
  std::vector<WedgeClass> classes(totals.size());
  double before = 0, after = 0;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    WedgeClass& k = classes[c];
    k.inverse_total = 1 / totals[c];
    k.w = prior[c] / totals[c];
    k.others_inverse = others_inverse[c];
    k.absent_p = columns_.absent[c] * k.inverse_total;
    k.absent_rest = before;
    before += k.w * columns_.absent[c];
  }
  for (std::size_t c = classes.size(); c-- > 0;) {
    classes[c].absent_rest += after;
    after += classes[c].w * columns_.absent[c];
  }
  return classes;
}

template TermGroups::TermGroups(const ClassCounts<std::int64_t>&, const Estimation&, bool, const Threads&);
template TermGroups::TermGroups(const ClassCounts<double>&, const Estimation&, bool, const Threads&);

}  // namespace termsift
