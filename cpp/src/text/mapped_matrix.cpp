#include <bit>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/per_thread.hpp"
#include "termsift/text_counter.hpp"
#include "termsift/types.hpp"
#include "text/chunks.hpp"
#include "text/document_rows.hpp"
#include "text/row_sorter.hpp"
#include "text/thread_counter.hpp"

namespace termsift {
namespace {

// MurmurHash3_x86_32 by Austin Appleby, in the public domain, with seed 0.
std::int32_t murmur3(std::string_view bytes) {
  constexpr std::uint32_t c1 = 0xCC9E2D51, c2 = 0x1B873593;
  const auto mixed = [](std::uint32_t k) { return std::rotl(k * c1, 15) * c2; };
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<std::uint8_t>(bytes[i])}; };
  std::uint32_t hash = 0;
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4)
    hash = std::rotl(hash ^ mixed(byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24), 13) * 5 + 0xE6546B64;
  std::uint32_t rest = 0;
  for (std::size_t j = bytes.size(); j > i; --j) rest = rest << 8 | byte(j - 1);
  if (i < bytes.size()) hash ^= mixed(rest);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85EBCA6B;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35;
  return static_cast<std::int32_t>(hash ^ hash >> 16);
}

// Returns the column of a term, with its sign in the top bit.
std::uint32_t signed_column(std::string_view term, std::int32_t n_columns, bool alternate_sign) {
  const std::int32_t hash = murmur3(term);
  // The least hash has no |hash| in 32 bits; its column is scikit-learn's.
  const std::int32_t column = hash == std::numeric_limits<std::int32_t>::min()
                                  ? (std::numeric_limits<std::int32_t>::max() - (n_columns - 1)) % n_columns
                                  : (hash < 0 ? -hash : hash) % n_columns;
  return static_cast<std::uint32_t>(column) | static_cast<std::uint32_t>(alternate_sign && hash < 0) << 31;
}

// The column of a term, with its sign in the top bit; no_column if the term is dropped.
using ColumnOf = std::function<std::uint32_t(std::string_view term)>;
constexpr std::uint32_t no_column = 0xFFFFFFFF;

// The counts of one thread's chunk, and the columns of all terms that the thread has found.
class MappingCounter {
 public:
  MappingCounter(const TextRules& rules, std::int64_t n_columns, const ColumnOf& column_of)
      : rules_(rules), n_columns_(n_columns), column_of_(column_of) {
    start();
  }

  void count(Texts texts, std::int64_t begin, std::int64_t end, Worker& worker, FinishedRows& rows) {
    counter_->count(texts, begin, end, [](std::int64_t document) { return document; }, worker);
    sorter_.start(n_columns_);
    for (std::size_t n = 1; n <= columns_.size(); ++n) {
      map_new_terms(n);
      RowStore<DocumentEntry>& store = counter_->rows[n - 1].store();
      for (const Row<DocumentEntry>& row : store.rows()) {
        sorter_.reserve(row.size);
        for (std::int64_t i = 0; i < row.size; ++i) {
          const std::uint32_t column = columns_[n - 1][row.entries[i].id];
          if (column == no_column) continue;
          const bool negative = column >> 31 != 0;
          sorter_.add(row.owner - begin, static_cast<std::int32_t>(column & 0x7FFFFFFF), negative, row.entries[i].count);
        }
      }
      store.clear();
    }
    rows.take(sorter_, begin, end - begin);
    // The tables only save repeated mapping, so large tables may be emptied.
    for (const std::vector<std::uint32_t>& columns : columns_)
      if (columns.size() > most_terms) return start();
  }

 private:
  static constexpr std::size_t most_terms = std::size_t{1} << 21;

  void start() {
    counter_ = std::make_unique<ThreadCounter<DocumentRows>>(rules_, true);
    columns_.assign(counter_->rows.size(), {});
  }
  void map_new_terms(std::size_t n) {
    std::vector<std::uint32_t>& columns = columns_[n - 1];
    for (auto id = static_cast<std::uint32_t>(columns.size()); id < counter_->tables.size(n); ++id) {
      term_.clear();
      append(n, id);
      columns.push_back(column_of_(term_));
    }
  }
  void append(std::size_t n, std::uint32_t id) {
    const TermTables& tables = counter_->tables;
    if (n > 1) {
      const NgramKey key = tables.ngrams[n - 2].keys()[id];
      append(n - 1, key.prefix());
      term_ += ' ';
      id = key.word();
    }
    char buffer[WordKey::most_bytes];
    term_ += tables.words.bytes(tables.words.keys()[id], buffer);
  }

  const TextRules& rules_;
  const std::int64_t n_columns_;
  const ColumnOf& column_of_;
  std::unique_ptr<ThreadCounter<DocumentRows>> counter_;
  std::vector<std::vector<std::uint32_t>> columns_;  // at [n - 1][id]: of an n-gram of n words
  RowSorter sorter_;
  std::string term_;
};

TextMatrix mapped_matrix(const TextRules& rules, Texts texts, std::int64_t n_columns, const ColumnOf& column_of,
                         const Threads& threads) {
  const std::vector<std::int64_t> bounds = chunk_bounds(texts);
  std::vector<FinishedRows> rows(bounds.size() - 1);
  const std::int64_t n_chunks = std::ssize(rows);
  PerThread<MappingCounter> counters(worth(threads, n_chunks, 1));
  name_first_bad_text(rules, texts, threads, [&] {
    for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
      const auto b = static_cast<std::size_t>(block);
      counters.own(worker, rules, n_columns, column_of).count(texts, bounds[b], bounds[b + 1], worker, rows[b]);
    });
  });
  return joined_rows(rows, std::ssize(texts), threads);
}

}  // namespace

TextIndex::TextIndex(const TextRules& rules, std::span<const std::string> terms, const Poll& poll) : rules_(rules) {
  if (std::ssize(terms) > max_terms) throw std::length_error("a vocabulary has more than 2^31 - 1 terms");
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i % (1 << 16) == 0 && poll && poll()) throw Interrupted();
    columns_.insert_or_assign(terms[i], static_cast<std::int32_t>(i));
  }
  n_columns_ = std::ssize(terms);
}

TextMatrix TextIndex::matrix(Texts texts, const Threads& threads) const {
  const auto column_of = [&](std::string_view term) {
    const auto found = columns_.find(std::string(term));
    return found == columns_.end() ? no_column : static_cast<std::uint32_t>(found->second);
  };
  return mapped_matrix(rules_, texts, n_columns_, column_of, threads);
}

TextMatrix hashed_matrix(const TextRules& rules, Texts texts, std::int32_t n_columns, bool alternate_sign,
                         const Threads& threads) {
  if (n_columns < 1) throw std::invalid_argument("the number of columns must be positive, got " + std::to_string(n_columns));
  const auto column_of = [=](std::string_view term) { return signed_column(term, n_columns, alternate_sign); };
  return mapped_matrix(rules, texts, n_columns, column_of, threads);
}

}  // namespace termsift
