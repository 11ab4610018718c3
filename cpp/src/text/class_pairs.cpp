#include "text/class_pairs.hpp"

#include <algorithm>
#include <limits>
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

// The sums of one class.
struct Pair {
  std::int32_t column;
  std::int64_t count, documents;
};

// Adds up the entries of a class by column. Each thread has its own.
class ClassSum {
 public:
  explicit ClassSum(std::int64_t n_columns) : place_(LargeArray<std::int64_t>::zeroed(n_columns)), n_columns_(n_columns) {}

  // Returns the sums, sorted by column, until the next call.
  std::vector<Pair>& add_up(std::span<const std::pair<const ClassRowOfStore*, const std::int32_t*>> rows, Worker& worker) {
    pairs_.clear();
    for (const auto& [row, columns] : rows) {
      worker.check();
      constexpr std::int64_t near = 16, far = 32;  // entries ahead, since both tables may be far larger than a cache
      for (std::int64_t i = 0; i < row->size; ++i) {
        const ClassEntry& entry = row->entries[i];
        if (i + far < row->size) prefetch(&columns[row->entries[i + far].id]);
        if (i + near < row->size) prefetch_for_write(&place_[std::max(columns[row->entries[i + near].id], 0)]);
        const std::int32_t column = columns[entry.id];
        if (column < 0) continue;
        if (place_[column] == 0) {
          pairs_.push_back({column, 0, 0});
          place_[column] = static_cast<std::int64_t>(pairs_.size());
        }
        Pair& pair = pairs_[static_cast<std::size_t>(place_[column] - 1)];
        pair.count += entry.count;
        pair.documents += entry.documents;
      }
    }
    sort();
    return pairs_;
  }

 private:
  // Sorts pairs_ by column, and clears the places. Walking over all columns is faster than sorting, unless the class has
  // few of them.
  void sort() {
    if (static_cast<std::int64_t>(pairs_.size()) * 16 < n_columns_) {
      for (const Pair& pair : pairs_) place_[pair.column] = 0;
      std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.column < b.column; });
      return;
    }
    sorted_.clear();
    sorted_.reserve(pairs_.size());
    for (std::int64_t column = 0; column < n_columns_; ++column)
      if (const std::int64_t place = std::exchange(place_[column], 0))
        sorted_.push_back(pairs_[static_cast<std::size_t>(place - 1)]);
    pairs_.swap(sorted_);
  }

  LargeArray<std::int64_t> place_;  // 1 + the place of each column in pairs_, or 0
  std::int64_t n_columns_;
  std::vector<Pair> pairs_, sorted_;
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
  std::vector<std::vector<std::pair<const ClassRowOfStore*, const std::int32_t*>>> rows(counts.rows.size());
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
