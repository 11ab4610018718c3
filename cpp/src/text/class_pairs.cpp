#include "text/class_pairs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "base/per_thread.hpp"
#include "termsift/portability.hpp"

namespace termsift {
namespace {

using ClassRowOfStore = Row<ClassEntry>;

std::vector<const ClassRowOfStore*> by_owner(const RowStore<ClassEntry>& store) {
  std::vector<const ClassRowOfStore*> rows;
  for (const ClassRowOfStore& row : store.rows())
    if (row.size > 0) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->owner < b->owner; });
  return rows;
}

// A row and the column of each id, or -1.
using RowAndColumns = std::pair<const ClassRowOfStore*, const std::int32_t*>;

// The sums of one class.
struct Pair {
  std::int32_t column;
  std::int64_t count, documents;
};

// Adds up the entries of a class by column. With 3 million columns, a radix sort takes a quarter of the time of a table of
// all columns, which no cache holds. Each thread has its own.
class ClassSum {
 public:
  explicit ClassSum(std::int64_t n_columns) : n_columns_(n_columns) {}

  // Returns the sums, sorted by column, until the next call.
  std::span<const Pair> add_up(std::span<const RowAndColumns> rows, Worker& worker) {
    entries_.clear();
    for (const auto& [row, columns] : rows) {
      worker.check();
      constexpr std::int64_t ahead = 32;  // entries, since the columns may take far more memory than a cache has
      for (std::int64_t i = 0; i < row->size; ++i) {
        const ClassEntry& entry = row->entries[i];
        if (i + ahead < row->size) prefetch(&columns[row->entries[i + ahead].id]);
        const std::int32_t column = columns[entry.id];
        if (column >= 0) entries_.push_back({static_cast<std::uint32_t>(column), entry.count, entry.documents});
      }
    }
    sort();
    pairs_.clear();
    for (const ClassEntry& entry : entries_) {
      const auto column = static_cast<std::int32_t>(entry.id);
      if (pairs_.empty() || pairs_.back().column != column) pairs_.push_back({column, 0, 0});
      pairs_.back().count += entry.count;
      pairs_.back().documents += entry.documents;
    }
    return pairs_;
  }

 private:
  static constexpr int digit_bits = 11;

  // Sorts the entries by column.
  void sort() {
    constexpr std::size_t few = 256, n_values = std::size_t{1} << digit_bits;
    if (entries_.size() < few)
      return std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    sorted_.resize(entries_.size());
    for (int shift = 0; n_columns_ >> shift > 0; shift += digit_bits) {
      const auto digit = [shift](const ClassEntry& entry) { return entry.id >> shift & (n_values - 1); };
      std::array<std::size_t, n_values> places{};
      for (const ClassEntry& entry : entries_) ++places[digit(entry)];
      std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
      for (const ClassEntry& entry : entries_) sorted_[places[digit(entry)]++] = entry;
      entries_.swap(sorted_);
    }
  }

  std::int64_t n_columns_;
  std::vector<ClassEntry> entries_, sorted_;  // their ids are columns
  std::vector<Pair> pairs_;
};

ClassRowPtr<std::int64_t> class_row(std::span<const Pair> pairs, std::int64_t n_docs, bool binary) {
  const auto size = static_cast<std::int64_t>(pairs.size());
  const bool narrow = std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return (binary ? pair.documents : pair.count) <= std::numeric_limits<std::uint32_t>::max();
  });
  auto row = ClassRow<std::int64_t>::with_capacity(size, narrow);
  row.size = size;
  row.n_docs = n_docs;
  for (std::int64_t i = 0; i < size; ++i) {
    const Pair& pair = pairs[static_cast<std::size_t>(i)];
    row.set_pair(i, pair.column, binary ? pair.documents : pair.count, pair.documents);
  }
  row.sum_tokens();
  return std::make_shared<const ClassRow<std::int64_t>>(std::move(row));
}

}  // namespace

void unite_rows(RowStore<ClassEntry>& store, std::int64_t n_ids, Worker& worker) {
  RowStore<ClassEntry> united;
  // Where each id has its entry in the open row: valid if `row` is the number of that row, from 1 on.
  struct Place {
    std::uint32_t row, at;
  };
  const auto places = LargeArray<Place>::zeroed(n_ids);
  std::uint32_t row_number = 0;
  std::int64_t size = 0;
  for (const ClassRowOfStore* row : by_owner(store)) {
    worker.check();
    if (!united.is_open() || united.open_owner() != row->owner) {
      united.close();
      united.open(row->owner);
      ++row_number;
      size = 0;
    }
    ClassEntry* const entries = united.reserve(row->size);
    for (std::int64_t i = 0; i < row->size; ++i) {
      const ClassEntry& entry = row->entries[i];
      Place& place = places[entry.id];
      if (place.row != row_number || entries[place.at].count > std::numeric_limits<std::uint32_t>::max() - entry.count) {
        place = {row_number, static_cast<std::uint32_t>(size)};
        entries[size++] = entry;
        continue;
      }
      entries[place.at].count += entry.count;
      entries[place.at].documents += entry.documents;
    }
    united.set_open_size(size);
  }
  united.close();
  store = std::move(united);
}

ClassCounts<std::int64_t> class_counts(std::span<const CountedRows> counted, std::span<const std::int64_t> documents,
                                       std::int64_t n_columns, std::int64_t n_classes, bool binary, const Threads& threads) {
  ClassCounts<std::int64_t> counts;
  counts.n_terms = n_columns;
  counts.rows.resize(static_cast<std::size_t>(n_classes));
  for (const std::int64_t n : documents) counts.n_docs += n;
  std::vector<std::vector<RowAndColumns>> rows(counts.rows.size());
  for (const CountedRows& part : counted)
    for (const ClassRowOfStore& row : part.store->rows())
      if (row.size > 0) rows[static_cast<std::size_t>(row.owner)].emplace_back(&row, part.columns);
  PerThread<ClassSum> sums(worth(threads, n_classes, 1));
  for_each_block(n_classes, threads, [&](std::int64_t block, Worker& worker) {
    const auto c = static_cast<std::size_t>(block);
    const std::int64_t n_docs = c < documents.size() ? documents[c] : 0;
    counts.rows[c] = class_row(sums.own(worker, n_columns).add_up(rows[c], worker), n_docs, binary);
  });
  return counts;
}

}  // namespace termsift
