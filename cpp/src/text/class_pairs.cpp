#include "text/class_pairs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "termsift/portability.hpp"

namespace termsift {
namespace {

// A row of entries, and an array with the column of each id (see CountedRows).
using RowAndColumns = std::pair<const Row<ClassEntry>*, const std::int32_t*>;

// Appends each row of a store to the rows of its class.
void add_rows(std::vector<std::vector<RowAndColumns>>& of_classes, const CountedRows<ClassEntry>& counted) {
  for (const Row<ClassEntry>& row : counted.store->rows()) {
    const auto c = static_cast<std::size_t>(row.owner);
    if (of_classes.size() <= c) of_classes.resize(c + 1);
    of_classes[c].emplace_back(&row, counted.columns);
  }
}

// The sums of the entries of one class in one column.
struct Pair {
  std::int32_t column;
  std::int64_t count, documents;
};

// Adds up the entries of a class by column. Each thread has its own ClassSum.
class ClassSum {
 public:
  explicit ClassSum(std::int64_t n_columns) : n_columns_(n_columns) {}

  // Returns the sums, sorted by column. The result is valid until the next call.
  std::vector<Pair>& add_up(std::span<const RowAndColumns> rows, Worker& worker) {
    std::int64_t n_entries = 0;
    for (const auto& [row, columns] : rows) n_entries += row->size;
    // A table of all columns is faster than a sort if many entries share a column. With few entries and 3 million columns,
    // the table does not fit into a cache and takes four times as long as the sort.
    if (n_entries < n_columns_)
      add_up_sorted(rows, worker);
    else
      add_up_in_table(rows, worker);
    return pairs_;
  }

 private:
  // Calls f(entry, column) for the entries that have a column.
  template <class F>
  static void for_each_entry(std::span<const RowAndColumns> rows, Worker& worker, const F& f) {
    for (const auto& [row, columns] : rows) {
      worker.check();
      constexpr std::int64_t ahead = 32;  // number of entries to prefetch ahead, because `columns` may not fit into a cache
      for (std::int64_t i = 0; i < row->size; ++i) {
        const ClassEntry& entry = row->entries[i];
        if (columns != nullptr && i + ahead < row->size) prefetch(&columns[row->entries[i + ahead].id]);
        const std::int32_t column = columns != nullptr ? columns[entry.id] : static_cast<std::int32_t>(entry.id);
        if (column >= 0) f(entry, column);
      }
    }
  }
  void add_up_in_table(std::span<const RowAndColumns> rows, Worker& worker) {
    pairs_.assign(static_cast<std::size_t>(n_columns_), {0, 0, 0});
    for_each_entry(rows, worker, [&](const ClassEntry& entry, std::int32_t column) {
      Pair& pair = pairs_[static_cast<std::size_t>(column)];
      pair = {column, pair.count + entry.count, pair.documents + entry.documents};
    });
    std::erase_if(pairs_, [](const Pair& pair) { return pair.count == 0; });
  }
  void add_up_sorted(std::span<const RowAndColumns> rows, Worker& worker) {
    entries_.clear();
    for_each_entry(rows, worker, [&](const ClassEntry& entry, std::int32_t column) {
      entries_.push_back({static_cast<std::uint32_t>(column), entry.count, entry.documents});
    });
    sort();
    pairs_.clear();
    for (const ClassEntry& entry : entries_) {
      const auto column = static_cast<std::int32_t>(entry.id);
      if (pairs_.empty() || pairs_.back().column != column) pairs_.push_back({column, 0, 0});
      pairs_.back().count += entry.count;
      pairs_.back().documents += entry.documents;
    }
  }
  // Sorts entries_ by column.
  void sort() {
    constexpr std::size_t few = 256, n_values = 1 << 11;
    if (entries_.size() < few)
      return std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    sorted_.resize(entries_.size());
    for (int shift = 0; n_columns_ >> shift > 0; shift += 11) {
      const auto digit = [shift](const ClassEntry& entry) { return entry.id >> shift & (n_values - 1); };
      std::array<std::size_t, n_values> places{};
      for (const ClassEntry& entry : entries_) ++places[digit(entry)];
      std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
      for (const ClassEntry& entry : entries_) sorted_[places[digit(entry)]++] = entry;
      entries_.swap(sorted_);
    }
  }

  std::int64_t n_columns_;
  std::vector<ClassEntry> entries_, sorted_;  // in these two arrays, `id` is a column
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
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::vector<RowAndColumns>> rows;
  add_rows(rows, {&store, nullptr});
  RowStore<ClassEntry> united;
  ClassSum sum(n_ids);
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::vector<Pair>& pairs = sum.add_up(rows[c], worker);
    while (!pairs.empty()) {  // a sum of more than 32 bits needs several rows
      ClassEntry* entry = united.add(static_cast<std::int64_t>(c), std::ssize(pairs));
      for (Pair& pair : pairs) {
        const std::int64_t count = std::min(pair.count, most), documents = std::min(pair.documents, most);
        *entry++ = {static_cast<std::uint32_t>(pair.column), static_cast<std::uint32_t>(count),
                    static_cast<std::uint32_t>(documents)};
        pair.count -= count;
        pair.documents -= documents;
      }
      std::erase_if(pairs, [](const Pair& pair) { return pair.count == 0; });
    }
  }
  store = std::move(united);
}

void append_rows(RowStore<ClassEntry>& store, const RowStore<ClassEntry>& other, std::span<const std::uint32_t> ids,
                 Worker& worker) {
  for (const Row<ClassEntry>& row : other.rows()) {
    worker.check();
    std::transform(row.entries, row.entries + row.size, store.add(row.owner, row.size), [&](const ClassEntry& entry) {
      return ClassEntry{ids[entry.id], entry.count, entry.documents};
    });
  }
}

ClassCounts<std::int64_t> class_counts(std::span<const std::vector<CountedRows<ClassEntry>>> of_threads,
                                       std::span<const LabelSet> sets, std::int64_t n_columns, std::int64_t n_classes,
                                       bool binary, const Threads& threads) {
  const auto collection = static_cast<std::size_t>(n_classes);  // the row of the collection follows the rows of the classes
  const bool has_collection =
      std::any_of(sets.begin(), sets.end(), [](const LabelSet& set) { return set.n_docs > 0 && set.classes.size() != 1; });
  std::vector<std::vector<RowAndColumns>> of_sets(sets.size());
  for (const auto& of_thread : of_threads)
    for (const CountedRows<ClassEntry>& counted : of_thread) add_rows(of_sets, counted);
  std::vector<std::vector<RowAndColumns>> rows(collection + 1);
  std::vector<std::int64_t> n_docs(collection + 1, 0);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const auto add_to = [&](std::size_t row) {
      rows[row].insert(rows[row].end(), of_sets[s].begin(), of_sets[s].end());
      n_docs[row] += sets[s].n_docs;
    };
    for (const ClassId c : sets[s].classes) add_to(static_cast<std::size_t>(c));
    if (has_collection) add_to(collection);
  }
  ClassCounts<std::int64_t> counts;
  counts.n_terms = n_columns;
  counts.rows.resize(collection);
  for (const LabelSet& set : sets) counts.n_docs += set.n_docs;
  const std::int64_t n_rows = n_classes + has_collection;
  PerThread<ClassSum> sums(worth(threads, n_rows, 1));
  for_each_block(n_rows, threads, [&](std::int64_t block, Worker& worker) {
    const auto r = static_cast<std::size_t>(block);
    counts.row_or_collection(r) = class_row(sums.own(worker, n_columns).add_up(rows[r], worker), n_docs[r], binary);
  });
  return counts;
}

}  // namespace termsift
