#include <string>
#include <string_view>

#include "termsift/text_counter.hpp"
#include "text/chunks.hpp"
#include "text/document_rows.hpp"
#include "text/row_sorter.hpp"
#include "text/term_hash.hpp"
#include "text/thread_counter.hpp"

namespace termsift {
namespace {

// Returns the column of a term. The top bit of the result is set if each occurrence counts as -1.
std::uint32_t signed_column(std::string_view term, std::int32_t n_columns, bool alternate_sign) {
  const std::int32_t hash = murmur3(term);
  const auto column = static_cast<std::uint32_t>(column_of(hash, n_columns));
  return column | static_cast<std::uint32_t>(alternate_sign && hash < 0) << 31;
}

// Counts the chunks of one thread, and keeps the column of each term in the thread's tables.
class HashingCounter {
 public:
  HashingCounter(const TextRules& rules, std::int32_t n_columns, bool alternate_sign)
      : rules_(rules), n_columns_(n_columns), alternate_sign_(alternate_sign) {
    start();
  }

  void count(Texts texts, std::int64_t begin, std::int64_t end, Worker& worker, FinishedRows& rows) {
    counter_->count(texts, begin, end, [](std::int64_t document) { return document; }, worker);
    sorter_.start(n_columns_);
    for (std::size_t n = 1; n <= columns_.size(); ++n) {
      hash_new_terms(n);
      RowStore<DocumentEntry>& store = counter_->rows[n - 1].store();
      for (const Row<DocumentEntry>& row : store.rows()) {
        sorter_.reserve(row.size);
        for (std::int64_t i = 0; i < row.size; ++i) {
          const std::uint32_t column = columns_[n - 1][row.entries[i].id];
          const bool negative = column >> 31 != 0;
          sorter_.add(row.owner - begin, static_cast<std::int32_t>(column & 0x7FFFFFFF), negative, row.entries[i].count);
        }
      }
      store.clear();
    }
    rows.take(sorter_, begin, end - begin);
    // The tables are needed only to avoid hashing a term again, so large tables are emptied.
    for (const std::vector<std::uint32_t>& columns : columns_)
      if (columns.size() > most_terms) return start();
  }

 private:
  static constexpr std::size_t most_terms = std::size_t{1} << 21;

  void start() {
    counter_ = std::make_unique<ThreadCounter<DocumentRows>>(rules_, true);
    columns_.assign(counter_->rows.size(), {});
  }
  void hash_new_terms(std::size_t n) {
    std::vector<std::uint32_t>& columns = columns_[n - 1];
    for (auto id = static_cast<std::uint32_t>(columns.size()); id < counter_->tables.size(n); ++id) {
      term_.clear();
      append(n, id);
      columns.push_back(signed_column(term_, n_columns_, alternate_sign_));
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
  const std::int32_t n_columns_;
  const bool alternate_sign_;
  std::unique_ptr<ThreadCounter<DocumentRows>> counter_;
  std::vector<std::vector<std::uint32_t>> columns_;  // columns_[n - 1][id] is the signed column of an n-gram of n words
  RowSorter sorter_;
  std::string term_;
};

}  // namespace

TextMatrix hashed_matrix(const TextRules& rules, Texts texts, std::int32_t n_columns, bool alternate_sign,
                         const Threads& threads) {
  if (n_columns < 1) throw std::invalid_argument("the number of columns must be positive, got " + std::to_string(n_columns));
  const std::vector<std::int64_t> bounds = chunk_bounds(texts);
  std::vector<FinishedRows> rows(bounds.size() - 1);
  const auto n_chunks = static_cast<std::int64_t>(rows.size());
  PerThread<HashingCounter> counters(worth(threads, n_chunks, 1));
  name_first_bad_text(rules, texts, threads, [&] {
    for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
      const auto b = static_cast<std::size_t>(block);
      counters.own(worker, rules, n_columns, alternate_sign).count(texts, bounds[b], bounds[b + 1], worker, rows[b]);
    });
  });
  return joined_rows(rows, static_cast<std::int64_t>(texts.size()), threads);
}

}  // namespace termsift
