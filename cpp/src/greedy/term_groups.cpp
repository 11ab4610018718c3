#include "greedy/term_groups.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/values.hpp"
#include "ranking/pairs_by_term.hpp"
#include "scoring/class_model.hpp"
#include "termsift/portability.hpp"

namespace termsift {
namespace {

// A mass below this number of units must be exact, because rounding it would lose too many digits.
constexpr double least_units = 0x1p10;

[[noreturn]] void throw_zero(std::int64_t term, std::int64_t c) {
  throw std::invalid_argument("term " + std::to_string(term) + " has probability 0 in class " + std::to_string(c) +
                              " with b1 = 0; greedy needs every p_ic > 0");
}

template <CountType Count>
[[noreturn]] void throw_too_small(const ClassCounts<Count>& counts, std::int64_t term, std::int64_t c, Count l,
                                  const Grid& grid, double b1) {
  const Count tokens = counts.rows[static_cast<std::size_t>(grid.coarsest)]->n_tokens;
  const std::string what = l > 0 ? "term " + std::to_string(term) + " has l + b1 = " +
                                       text(static_cast<double>(l) + b1) + " in class " + std::to_string(c) + ", "
                                 : "smoothing b1 = " + text(b1) + " is ";
  throw std::invalid_argument(what + "too small compared with the " + text(tokens) + " tokens of class " +
                              std::to_string(grid.coarsest) + "; greedy needs at least 2^-40 of the number of tokens");
}

std::uint64_t hash_of(std::span<const MassColumns::Cell> column) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const auto& [c, mass] : column)
    hash = fold(hash ^ std::bit_cast<std::uint64_t>(mass), 0xbf58476d1ce4e5b9u + static_cast<std::uint64_t>(c));
  return hash;
}

bool same(std::span<const MassColumns::Cell> a, std::span<const MassColumns::Cell> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.class_ == y.class_ && x.mass == y.mass; });
}

}  // namespace

template <CountType Count>
TermGroups::TermGroups(const ClassCounts<Count>& counts, const Estimation& estimation, bool grouped,
                       const Threads& threads)
    : n_terms_(counts.n_terms) {
  MassColumns columns = read_columns(counts, estimation, threads);
  if (!grouped) {
    n_groups_ = static_cast<GroupId>(n_terms_);
    columns_ = std::move(columns);
  } else {
    const std::vector<TermId> heads = group_equal_columns(columns, threads);
    n_groups_ = static_cast<GroupId>(heads.size());
    columns_.absent = std::move(columns.absent);
    columns_.starts.assign(1, 0);
    columns_.starts.reserve(heads.size() + 1);
    for (const TermId head : heads) {
      const auto column = columns.column(head);
      columns_.cells.insert(columns_.cells.end(), column.begin(), column.end());
      columns_.starts.push_back(std::ssize(columns_.cells));
    }
  }
}

template <CountType Count>
MassColumns TermGroups::read_columns(const ClassCounts<Count>& counts, const Estimation& estimation,
                                     const Threads& threads) {
  const ClassModel model = make_class_model(counts, estimation);
  const Grids grids = make_grids(counts, model.classes, estimation);
  smoothing_ = grids.smoothing;
  MassColumns columns;
  const auto fill = [&](std::size_t k, const ClassRow<Count>& row, const auto& slot) {
    const Grid& grid = grids.of_class[k];
    const std::int64_t c = model.classes[k];
    const auto mass_of = [&](std::int64_t term, Count l) {
      const double scaled = grid.scaled(static_cast<double>(l)), mass = std::nearbyint(scaled);
      if (mass < least_units && (mass != scaled || mass == 0)) throw_too_small(counts, term, c, l, grid, estimation.b1);
      return mass;
    };
    const double absent = std::nearbyint(grid.scaled(0));
    double total = grid.leftover + absent * static_cast<double>(n_terms_ - row.size);
    std::int64_t first_absent = 0;
    for (std::int64_t i = 0; i < row.size; ++i) {
      const Count l = row.term_frequency[i];
      const double mass = mass_of(row.terms[i], l);
      if (row.terms[i] == first_absent) ++first_absent;
      total += mass;
      columns.cells[static_cast<std::size_t>(slot(row.terms[i]))] = {static_cast<ClassId>(k), mass};
    }
    if (first_absent < n_terms_) {
      if (estimation.b1 == 0) throw_zero(first_absent, c);
      mass_of(first_absent, 0);
    }
    columns.absent.push_back(absent);
    totals.push_back(total);
    prior.push_back(model.constants[k].prior.hi);
    others_inverse.push_back(model.constants[k].rest_inverse.hi);
  };
  columns.starts = arrange_pairs_by_term(
      counts, model.classes, n_terms_, threads, [](TermId term) { return term; },
      [&](std::size_t n_pairs) { columns.cells.resize(n_pairs); }, fill);
  return columns;
}

std::vector<TermId> TermGroups::group_equal_columns(const MassColumns& columns, const Threads& threads) {
  const auto n_terms = static_cast<std::size_t>(n_terms_);
  std::vector<TermId> heads;
  std::vector<std::uint64_t> hashes;  // the hashes of the heads' columns
  const std::size_t mask = std::bit_ceil(2 * n_terms) - 1;
  std::vector<GroupId> group_of(n_terms), slots(mask + 1, -1);
  const auto assign = [&](std::size_t term) {
    const auto column = columns.column(static_cast<std::int64_t>(term));
    const std::uint64_t hash = hash_of(column);
    const auto is_it = [&](std::size_t g) { return hashes[g] == hash && same(columns.column(heads[g]), column); };
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
  for (int j = 0; j < width; ++j)
    for (const MassColumns::Cell& cell : columns_.column(groups[std::min(j, n - 1)]))
      masses[std::ptrdiff_t{cell.class_} * width + j] = cell.mass;
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

template TermGroups::TermGroups(const ClassCounts<std::int64_t>&, const Estimation&, bool, const Threads&);
template TermGroups::TermGroups(const ClassCounts<double>&, const Estimation&, bool, const Threads&);

}  // namespace termsift
