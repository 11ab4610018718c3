#include "termsift/columns_and_classes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "counting/map_rows.hpp"

namespace termsift {
namespace {

// Checks the new columns of all terms. Returns whether the columns of the terms that stay increase.
bool check_columns(std::span<const std::int64_t> new_column, std::int64_t n_before, std::int64_t n_terms,
                   const Threads& threads) {
  const auto n = std::ssize(new_column);
  if (n_terms < 0 || n_terms > max_terms)
    throw std::invalid_argument("counts cannot have " + std::to_string(n_terms) + " terms");
  if (n != n_before)
    throw std::invalid_argument("new_column has " + std::to_string(n) + " columns for " + std::to_string(n_before) +
                                " terms");
  bool increasing = true;
  for_each_block(1, threads, [&](std::int64_t, Worker& worker) {
    std::vector<bool> taken;  // whether an earlier term has the column; empty as long as the columns increase
    const auto take = [&](std::int64_t column) {
      const bool was_taken = taken[at(column)];
      taken[at(column)] = true;
      return was_taken;
    };
    std::int64_t last = -1;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i % pairs_per_check == 0) worker.check();
      const std::int64_t column = new_column[at(i)];
      if (column == -1) continue;
      const auto place = [&] { return "new_column[" + std::to_string(i) + "] is " + std::to_string(column); };
      if (column < -1 || column >= n_terms)
        throw std::invalid_argument(place() + ", expected -1 or a column below " + std::to_string(n_terms));
      if (increasing && column <= last) {
        increasing = false;
        taken.resize(at(n_terms));
        for (std::int64_t j = 0; j < i; ++j) {
          if (j % pairs_per_check == 0) worker.check();
          if (new_column[at(j)] >= 0) take(new_column[at(j)]);
        }
      }
      if (!increasing && take(column)) {
        const auto first = std::find(new_column.begin(), new_column.end(), column) - new_column.begin();
        throw std::invalid_argument(place() + ", which is also new_column[" + std::to_string(first) + "]");
      }
      last = column;
    }
  });
  return increasing;
}

// The pairs of a row in the order of their new columns.
class PairsByColumn {
 public:
  // Takes the pairs of a row whose terms stay.
  template <CountType Count>
  void take(const ClassRow<Count>& row, std::span<const std::int64_t> new_column, Worker& worker) {
    keys_.clear();
    for (std::int64_t i = 0; i < row.size; ++i) {
      if (i % pairs_per_check == 0) worker.check();
      if (const std::int64_t column = new_column[at(std::int64_t{row.terms[i]})]; column >= 0)
        keys_.push_back(static_cast<std::uint64_t>(column) << 32 | static_cast<std::uint64_t>(i));
    }
  }
  // Few pairs are sorted by comparisons. More pairs are sorted by 11 bits of the column at a time.
  void sort(Worker& worker) {
    constexpr std::size_t few = 1024;
    if (keys_.size() < few) return std::sort(keys_.begin(), keys_.end());
    std::uint64_t differing = 0;
    for (const std::uint64_t key : keys_) differing |= key ^ keys_[0];
    sorted_.resize(keys_.size());
    constexpr int bits = 11;
    for (int shift = 32; shift < 64; shift += bits) {
      if ((differing >> shift & digits) == 0) continue;
      std::array<std::size_t, std::size_t{1} << bits> next{};
      for (const std::uint64_t key : keys_) ++next[key >> shift & digits];
      std::size_t begin = 0;
      for (std::size_t& place : next) begin += std::exchange(place, begin);
      std::int64_t n = 0;
      for (const std::uint64_t key : keys_) {
        if (n++ % pairs_per_check == 0) worker.check();
        sorted_[next[key >> shift & digits]++] = key;
      }
      keys_.swap(sorted_);
    }
  }
  std::int64_t size() const { return std::ssize(keys_); }
  TermId column(std::int64_t n) const { return static_cast<TermId>(keys_[at(n)] >> 32); }
  std::int64_t pair(std::int64_t n) const { return static_cast<std::int64_t>(keys_[at(n)] & 0xFFFFFFFF); }

 private:
  static constexpr std::uint64_t digits = (1 << 11) - 1;
  std::vector<std::uint64_t> keys_, sorted_;  // the column in the upper 32 bits, and the pair in the lower
};

// Calls visit(pair, column) for each pair of the row whose term stays, in the order of the new columns.
template <CountType Count, class Visit>
void for_each_pair(const ClassRow<Count>& row, std::span<const std::int64_t> new_column, PairsByColumn* sorter,
                   Worker& worker, const Visit& visit) {
  if (sorter == nullptr) {
    for (std::int64_t i = 0; i < row.size; ++i) {
      if (i % pairs_per_check == 0) worker.check();
      if (const std::int64_t column = new_column[at(std::int64_t{row.terms[i]})]; column >= 0)
        visit(i, static_cast<TermId>(column));
    }
    return;
  }
  sorter->take(row, new_column, worker);
  sorter->sort(worker);
  for (std::int64_t n = 0; n < sorter->size(); ++n) {
    if (n % pairs_per_check == 0) worker.check();
    visit(sorter->pair(n), sorter->column(n));
  }
}

// Returns the row with its terms in new columns. The columns increase if `sorter` is null.
template <CountType Count>
ClassRow<Count> row_in_columns(const ClassRow<Count>& row, std::span<const std::int64_t> new_column, PairsByColumn* sorter,
                               Worker& worker) {
  // A wide row becomes narrow if its large frequencies are dropped.
  constexpr Count limit = static_cast<Count>(narrow_limit);
  std::int64_t size = 0;
  bool narrow = row.is_narrow() || std::is_integral_v<Count>;
  for_each_pair(row, new_column, nullptr, worker, [&](std::int64_t i, TermId) {
    ++size;
    narrow = narrow && (row.is_narrow() ||
                        (row.term_frequency[i] < limit && row.document_frequency[i] < limit));
  });
  auto moved = ClassRow<Count>::with_capacity(size, narrow);
  moved.n_docs = row.n_docs;
  moved.n_unlisted = row.n_unlisted;
  for_each_pair(row, new_column, sorter, worker, [&](std::int64_t i, TermId column) {
    moved.set_pair(moved.size++, column, row.term_frequency[i], row.document_frequency[i]);
  });
  moved.sum_tokens();
  return moved;
}

// Returns the sum of the documents of the rows [first, last). Float numbers are added in the order in which numpy adds an
// array, so that n_docs is counts.class_docs.sum() to the last bit.
template <CountType Count>
Count documents_of(const std::vector<ClassRowPtr<Count>>& rows, std::size_t first, std::size_t last) {
  const std::size_t n = last - first;
  const auto docs = [&](std::size_t i) { return rows[first + i]->n_docs; };
  if constexpr (std::is_integral_v<Count>) {
    Count sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (sum > std::numeric_limits<Count>::max() - docs(i)) throw CountOverflow("the sum of documents exceeds 2^63 - 1");
      sum += docs(i);
    }
    return sum;
  } else {
    if (n > 128) {
      const std::size_t half = n / 2 - n / 2 % 8;
      return documents_of(rows, first, first + half) + documents_of(rows, first + half, last);
    }
    Count sum = 0;
    std::size_t i = 0;
    if (n >= 8) {
      Count r[8] = {};
      for (; i + 8 <= n; i += 8)
        for (std::size_t k = 0; k < 8; ++k) r[k] += docs(i + k);
      sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; i < n; ++i) sum += docs(i);
    return sum;
  }
}

template <CountType Count>
bool equal_rows(const ClassRow<Count>& a, const ClassRow<Count>& b, Worker& worker) {
  if (&a == &b) return true;
  if (a.n_docs != b.n_docs || a.n_unlisted != b.n_unlisted || a.size != b.size) return false;
  for (std::int64_t begin = 0; begin < a.size; begin += pairs_per_check) {
    worker.check();
    const std::int64_t end = std::min(a.size, begin + pairs_per_check);
    bool same = std::equal(a.terms + begin, a.terms + end, b.terms + begin);
    for (std::int64_t i = begin; i < end; ++i)
      same &= a.term_frequency[i] == b.term_frequency[i] && a.document_frequency[i] == b.document_frequency[i];
    if (!same) return false;
  }
  return true;
}

// Returns whether groups of classes keep each document once. The sum of their weights must then not change, but in another
// order of the classes it could be rounded differently. A group has no known documents if one of its classes has none.
template <CountType Count>
bool has_every_document(const ClassCounts<Count>& counts, std::span<const std::vector<std::int64_t>> groups) {
  std::vector<int> times(counts.rows.size());
  for (const std::vector<std::int64_t>& group : groups)
    for (const std::int64_t c : group) {
      ++times[at(c)];
      if (group.size() > 1 && counts.rows[at(c)]->has_unknown_documents()) return false;
    }
  for (std::size_t c = 0; c < times.size(); ++c)
    if (times[c] != 1 && counts.rows[c]->n_docs != 0) return false;
  return true;
}

}  // namespace

template <CountType Count>
ClassCounts<Count> in_columns(const ClassCounts<Count>& counts, std::span<const std::int64_t> new_column,
                              std::int64_t n_terms, const Threads& threads) {
  const bool increasing = check_columns(new_column, counts.n_terms, n_terms, threads);
  ClassCounts<Count> result{n_terms, counts.n_docs, {}, nullptr};
  PerThread<PairsByColumn> sorters(threads);
  return map_rows(counts, std::move(result), threads, [&](const ClassRow<Count>& row, Worker& worker) {
    return row_in_columns(row, new_column, increasing ? nullptr : &sorters.own(worker), worker);
  });
}

template <CountType Count>
ClassCounts<Count> of_classes(const ClassCounts<Count>& counts, std::span<const std::vector<std::int64_t>> groups,
                              const Threads& threads) {
  if (counts.collection)
    throw std::invalid_argument("counts with a row of the collection do not record which documents two classes share");
  std::vector<std::vector<ClassRowPtr<Count>>> rows;
  for (const std::vector<std::int64_t>& group : groups) {
    rows.emplace_back();
    for (const std::int64_t c : group) rows.back().push_back(counts.rows.at(at(c)));
  }
  sum_groups(rows, threads);
  ClassCounts<Count> result{counts.n_terms, 0, {}, nullptr, counts.model};
  for (const auto& group : rows) result.rows.push_back(group[0]);
  result.n_docs = has_every_document(counts, groups) ? counts.n_docs : documents_of(result.rows, 0, result.rows.size());
  check_finite(result.n_docs, "the weights of the documents");
  return result;
}

template <CountType Count>
void collection_totals(const ClassCounts<Count>& counts, Frequencies<Count> ClassRow<Count>::*frequency, Count* totals,
                       const Threads& threads) {
  auto rows = counts.rows;
  // Sums of fractions depend on the order of the additions.
  if (counts.collection || std::is_floating_point_v<Count>) rows.assign(1, collection_row(counts, threads));
  std::int64_t n_pairs = counts.n_terms;
  for (const auto& row : rows) n_pairs += row->size;
  const Threads several = worth(threads, n_pairs);
  const std::int64_t n_ranges = several.count == 1 ? 1 : 4 * several.count;
  for_each_range(counts.n_terms, std::max<std::int64_t>((counts.n_terms + n_ranges - 1) / n_ranges, 1), several,
                 [&](std::int64_t first, std::int64_t last, Worker& worker) {
    std::fill(totals + first, totals + last, Count{0});
    std::int64_t n = 0;
    for (const auto& row : rows) {
      if (n++ % pairs_per_check == 0) worker.check();
      for (std::int64_t i = std::lower_bound(row->terms, row->terms + row->size, first) - row->terms;
           i < row->size && row->terms[i] < last; ++i) {
        if (n++ % pairs_per_check == 0) worker.check();
        const Count value = ((*row).*frequency)[i];
        Count& total = totals[row->terms[i]];
        if constexpr (std::is_integral_v<Count>)
          if (total > std::numeric_limits<Count>::max() - value)
            throw CountOverflow("term " + std::to_string(row->terms[i]) +
                                " occurs more than 2^63 - 1 times in the collection");
        total += value;
      }
    }
  });
}

template <CountType Count>
bool equal(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads) {
  if (a.n_terms != b.n_terms || a.n_docs != b.n_docs || a.rows.size() != b.rows.size()) return false;
  const bool with_collection = a.collection || b.collection;
  const ClassRowPtr<Count> whole_a = with_collection ? collection_row(a, threads) : nullptr;
  const ClassRowPtr<Count> whole_b = with_collection ? collection_row(b, threads) : nullptr;
  std::int64_t n_pairs = 0;
  for (const auto& row : a.rows) n_pairs += row->size;
  std::atomic<bool> same = true;
  for_each_block(std::ssize(a.rows) + with_collection, worth(threads, n_pairs), [&](std::int64_t c, Worker& worker) {
    if (!same) return;
    const bool of_class = c < std::ssize(a.rows);
    if (!equal_rows(of_class ? *a.rows[at(c)] : *whole_a, of_class ? *b.rows[at(c)] : *whole_b, worker)) same = false;
  });
  return same;
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                      \
  template ClassCounts<Count> in_columns(const ClassCounts<Count>&, std::span<const std::int64_t>, std::int64_t,         \
                                         const Threads&);                                                                \
  template ClassCounts<Count> of_classes(const ClassCounts<Count>&, std::span<const std::vector<std::int64_t>>,          \
                                         const Threads&);                                                                \
  template void collection_totals(const ClassCounts<Count>&, Frequencies<Count> ClassRow<Count>::*, Count*,              \
                                  const Threads&);                                                                       \
  template bool equal(const ClassCounts<Count>&, const ClassCounts<Count>&, const Threads&);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
