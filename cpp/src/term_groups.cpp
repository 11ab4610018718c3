#include "term_groups.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "class_model.hpp"
#include "exact_double.hpp"
#include "values.hpp"

namespace termsift {
namespace {

// A grid's unit is at most 2^-51 of the class's mass. A smoothed zero of less than this many units would be rounded badly.
constexpr double least_units = 0x1p10;

struct Fraction {
  double numerator, denominator;
};

// The simplest fraction that rounds to x, by continued fractions: 0.1 is 1/10, so that l + 0.1 is a whole number of tenths.
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

// l -> the whole number nearest to (l denominator + numerator) unit, where b1 = numerator / denominator.
struct Grid {
  Fraction b1{0, 1};
  double unit = 1;  // a power of two
  double leftover = 0;

  double mass(double l) const { return std::nearbyint((l * b1.denominator + b1.numerator) * unit); }
};

template <CountType Count>
Grid make_grid(const ClassRow<Count>& row, std::int64_t c, std::int64_t n_terms, const Estimation& estimation) {
  const auto n = static_cast<double>(n_terms);
  Grid grid{simple_fraction(estimation.b1)};
  const double total = (static_cast<double>(row.n_tokens) + estimation.b2) * grid.b1.denominator;
  if (!(total > 0x1p-960 && total < 0x1p960))  // so that neither the unit nor a mass leaves the range of double
    throw std::invalid_argument("class " + std::to_string(c) + " has " + text(row.n_tokens) + " tokens and b2 = " +
                                text(estimation.b2) + "; greedy needs a sum between 2^-960 and 2^960");
  grid.unit = std::ldexp(1.0, 51 - std::ilogb(total));

  const DoubleDouble b2 = multiply({estimation.b2, estimation.b2_rest}, {grid.b1.denominator, 0});
  const DoubleDouble leftover = subtract(b2, two_product(grid.b1.numerator, n));
  if (std::abs(leftover.hi) > 0x1p-45 * b2.hi) {  // else alpha n_terms, rounded
    if (leftover.hi < 0)
      throw std::invalid_argument("the probabilities of a class must not exceed 1 in sum: greedy needs b2 >= b1 * "
                                  "n_terms = " + text(estimation.b1 * n) + ", got b2 = " + text(estimation.b2));
    grid.leftover = std::max(1.0, std::nearbyint(leftover.hi * grid.unit));
  }
  const double unseen = grid.b1.numerator * grid.unit;
  if (estimation.b1 > 0 && unseen < least_units && unseen != std::floor(unseen))
    throw std::invalid_argument("smoothing b1 = " + text(estimation.b1) + " is too small beside the " +
                                text(row.n_tokens) + " tokens of class " + std::to_string(c) +
                                " for greedy, which needs 2^-40 of their number");
  return grid;
}

[[noreturn]] void throw_zero(std::int64_t term, std::int64_t c, double b1) {
  throw std::invalid_argument("term " + std::to_string(term) + " has probability 0 in class " + std::to_string(c) +
                              " with b1 = " + text(b1) + "; greedy needs every p_ic > 0");
}

// A strong mix of 64 bits (splitmix64).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

template <CountType Count>
TermGroups::TermGroups(const ClassCounts<Count>& counts, const Estimation& estimation, bool grouped,
                       const Threads& threads)
    : n_terms_(counts.n_terms) {
  const ClassModel model = make_class_model(counts, estimation);
  const auto n_terms = static_cast<std::size_t>(n_terms_);
  const std::size_t n_classes = model.classes.size();
  const auto row_of = [&](std::size_t c) -> const ClassRow<Count>& {
    return *counts.rows[static_cast<std::size_t>(model.classes[c])];
  };
  // One thread, and time to hear an interruption after each class.
  const auto for_each_class = [&](const auto& body) {
    for_each_block(static_cast<std::int64_t>(n_classes), {1, threads.poll},
                   [&](std::int64_t c, Worker&) { body(static_cast<std::size_t>(c)); });
  };

  // Columns of cells: the pairs, ordered by term. The start of a term's cells is moved to its end while they are written.
  std::vector<std::int64_t> ends(n_terms + 1, 0);
  for_each_class([&](std::size_t c) {
    const auto& row = row_of(c);
    for (std::int64_t i = 0; i < row.size; ++i) ++ends[static_cast<std::size_t>(row.terms[i]) + 1];
  });
  for (std::size_t term = 0; term < n_terms; ++term) ends[term + 1] += ends[term];
  std::vector<Cell> cells(static_cast<std::size_t>(ends[n_terms]));
  std::vector<std::uint64_t> hashes(grouped ? n_terms : 0, 0);
  for_each_class([&](std::size_t c) {
    const auto& row = row_of(c);
    const Grid grid = make_grid(row, model.classes[c], n_terms_, estimation);
    const double unseen = grid.mass(0);
    std::int64_t next = 0;  // the first term without a pair
    double total = grid.leftover + unseen * static_cast<double>(n_terms_ - row.size);
    for (std::int64_t i = 0; i < row.size; ++i) {
      const auto term = static_cast<std::size_t>(row.terms[i]);
      const double mass = grid.mass(static_cast<double>(row.term_frequency[i]));
      if (!(mass > 0)) throw_zero(row.terms[i], model.classes[c], estimation.b1);
      if (row.terms[i] == next) ++next;
      total += mass;
      cells[static_cast<std::size_t>(ends[term]++)] = {static_cast<ClassId>(c), mass};
      if (grouped) hashes[term] += mix(std::bit_cast<std::uint64_t>(mass) + mix(c));
    }
    if (!(unseen > 0) && next < n_terms_) throw_zero(next, model.classes[c], estimation.b1);
    unseen_.push_back(unseen);
    totals.push_back(total);
    prior.push_back(model.constants[c].prior_hi);
    others_inverse.push_back(model.constants[c].rest_inverse_hi);
  });
  const auto begin_of = [&](std::size_t term) { return term == 0 ? 0 : ends[term - 1]; };
  const auto size_of = [&](std::size_t term) { return ends[term] - begin_of(term); };

  std::vector<TermId> heads;  // (n_groups,) of which the columns are kept
  if (!grouped) {
    n_groups_ = static_cast<GroupId>(n_terms_);
  } else {
    const auto same = [&](std::size_t a, std::size_t b) {
      return hashes[a] == hashes[b] && size_of(a) == size_of(b) &&
             std::equal(cells.begin() + begin_of(a), cells.begin() + ends[a], cells.begin() + begin_of(b),
                        [](const Cell& x, const Cell& y) { return x.class_ == y.class_ && x.mass == y.mass; });
    };
    std::vector<GroupId> group_of(n_terms), table(1 << 12, -1);
    const auto slot = [&](std::uint64_t hash) { return static_cast<std::size_t>(mix(hash)) & (table.size() - 1); };
    for (std::size_t term = 0; term < n_terms; ++term) {
      std::size_t at = slot(hashes[term]);
      while (table[at] >= 0 && !same(static_cast<std::size_t>(heads[static_cast<std::size_t>(table[at])]), term))
        at = (at + 1) & (table.size() - 1);
      if (table[at] < 0) {
        table[at] = static_cast<GroupId>(heads.size());
        heads.push_back(static_cast<TermId>(term));
      }
      group_of[term] = table[at];
      if (2 * heads.size() <= table.size()) continue;
      table.assign(2 * table.size(), -1);
      for (std::size_t g = 0; g < heads.size(); ++g) {
        at = slot(hashes[static_cast<std::size_t>(heads[g])]);
        while (table[at] >= 0) at = (at + 1) & (table.size() - 1);
        table[at] = static_cast<GroupId>(g);
      }
    }
    n_groups_ = static_cast<GroupId>(heads.size());
    member_starts_.assign(heads.size() + 1, 0);
    for (const GroupId g : group_of) ++member_starts_[static_cast<std::size_t>(g) + 1];
    for (std::size_t g = 0; g < heads.size(); ++g) member_starts_[g + 1] += member_starts_[g];
    members_.resize(n_terms);
    std::vector<std::int64_t> next(member_starts_.begin(), member_starts_.end() - 1);
    for (std::size_t term = 0; term < n_terms; ++term)
      members_[static_cast<std::size_t>(next[static_cast<std::size_t>(group_of[term])]++)] = static_cast<TermId>(term);
  }

  const auto head_of = [&](std::size_t g) { return grouped ? static_cast<std::size_t>(heads[g]) : g; };
  const auto n_groups = static_cast<std::size_t>(n_groups_);
  std::size_t n_cells = 0;
  for (std::size_t g = 0; g < n_groups; ++g) n_cells += static_cast<std::size_t>(size_of(head_of(g)));
  if (n_groups * n_classes <= 4 * (n_cells + n_groups)) {
    dense_.resize(n_groups * n_classes);
    for (std::size_t g = 0; g < n_groups; ++g) {
      double* const row = dense_.data() + g * n_classes;
      std::copy(unseen_.begin(), unseen_.end(), row);
      const std::size_t term = head_of(g);
      std::for_each(cells.begin() + begin_of(term), cells.begin() + ends[term],
                    [row](const Cell& cell) { row[cell.class_] = cell.mass; });
    }
    return;
  }
  cell_starts_.assign(1, 0);
  cell_starts_.reserve(n_groups + 1);
  cells_.reserve(n_cells);
  for (std::size_t g = 0; g < n_groups; ++g) {
    const std::size_t term = head_of(g);
    cells_.insert(cells_.end(), cells.begin() + begin_of(term), cells.begin() + ends[term]);
    cell_starts_.push_back(static_cast<std::int64_t>(cells_.size()));
  }
}

void TermGroups::gather(const GroupId* groups, int n, int width, double* masses) const {
  const auto n_classes = static_cast<std::ptrdiff_t>(totals.size());
  if (!dense_.empty()) {
    for (int j = 0; j < width; ++j) {
      const double* const row = dense_.data() + groups[std::min(j, n - 1)] * n_classes;
      for (std::ptrdiff_t c = 0; c < n_classes; ++c) masses[c * width + j] = row[c];
    }
    return;
  }
  for (std::ptrdiff_t c = 0; c < n_classes; ++c)
    std::fill_n(masses + c * width, width, unseen_[static_cast<std::size_t>(c)]);
  for (int j = 0; j < width; ++j) {
    const auto g = static_cast<std::size_t>(groups[std::min(j, n - 1)]);
    for (auto i = static_cast<std::size_t>(cell_starts_[g]); i < static_cast<std::size_t>(cell_starts_[g + 1]); ++i)
      masses[std::ptrdiff_t{cells_[i].class_} * width + j] = cells_[i].mass;
  }
}

template TermGroups::TermGroups(const ClassCounts<std::int64_t>&, const Estimation&, bool, const Threads&);
template TermGroups::TermGroups(const ClassCounts<double>&, const Estimation&, bool, const Threads&);

}  // namespace termsift
