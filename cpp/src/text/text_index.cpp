#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "simd/targets.hpp"
#include "termsift/text_counter.hpp"
#include "text/chunks.hpp"
#include "text/row_sorter.hpp"
#include "text/thread_counter.hpp"
#include "text/weight_kernels.hpp"

namespace termsift {
namespace {

// Sources that look terms up but never insert them. Empty slots of the tables have the id no_term. Several threads may use
// the same table.
struct FrozenTokens : TokenSource {
  using TokenSource::TokenSource;
  static constexpr bool inserts = false;
  Slot<WordKey>* slot(std::int64_t i, const WordKey& key) const { return table.find_token(key, begin(i), size(i)); }
};
struct FrozenNgrams : NgramSource {
  static constexpr bool inserts = false;
  // A pair of two unknown words would have the key of an empty slot, so key() returns the key of another unknown pair.
  NgramKey key(std::int64_t i) const { return keys[i].is_empty() ? NgramKey::of(no_term, 0) : keys[i]; }
  Slot<NgramKey>* slot(std::int64_t, NgramKey key) const { return table.find_key(key); }
};

// One thread's buffers for a document's n-grams of one fixed n.
struct TermBuffers {
  std::vector<std::uint32_t> counts;  // the count of each id in the document; all are 0 between documents
  std::vector<DocumentEntry> row;
};

// Counts n-grams of one fixed n by document, for count_tokens(). At the end of a document, calls done(document, row). `row`
// has the columns and counts of the terms that have a column, in the order of first occurrence.
template <class Done>
class IndexedRows {
 public:
  IndexedRows(std::span<const std::int32_t> columns, TermBuffers& buffers, const Done& done)
      : columns_(columns), buffers_(buffers), done_(done) {
    buffers_.counts.resize(columns.size(), 0);
  }

  class Count {
   public:
    explicit Count(IndexedRows& rows)
        : rows_(rows), counts_(rows.buffers_.counts), row_(rows.buffers_.row.data()), size_(rows.size_) {}
    template <class Key>
    void add(const Slot<Key>& slot) {
      // There is no branch for unknown terms, because a branch would be unpredictable.
      const std::size_t id = std::min<std::size_t>(slot.id, counts_.size() - 1);
      row_[size_].id = static_cast<std::uint32_t>(id);
      size_ += counts_[id]++ == 0;
    }
    void end() { rows_.size_ = size_; }

   private:
    IndexedRows& rows_;
    const std::span<std::uint32_t> counts_;
    DocumentEntry* const row_;
    std::size_t size_;
  };

  template <class Table>
  Count begin_part(Table&, const Part& part, std::int64_t n_tokens) {
    if (part.document != document_) {
      close();
      document_ = part.document;
      n_tokens_ = 0;
    }
    n_tokens_ += n_tokens;
    if (n_tokens_ > text_tuning().row_tokens)  // otherwise, counts might exceed 32 bits
      throw std::length_error("a document has more than 2^31 terms; split it");
    if (const std::size_t room = size_ + static_cast<std::size_t>(n_tokens) + 1; buffers_.row.size() < room)
      buffers_.row.resize(2 * room);
    return Count(*this);
  }
  // Ends the last document.
  void close() {
    DocumentEntry* const row = buffers_.row.data();
    std::size_t size = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const std::uint32_t id = row[i].id;
      row[size] = {static_cast<std::uint32_t>(columns_[id]), std::exchange(buffers_.counts[id], 0)};
      size += columns_[id] >= 0;
    }
    size_ = 0;
    if (size > 0) done_(document_, std::span<DocumentEntry>(row, size));
  }

 private:
  const std::span<const std::int32_t> columns_;  // the column of each id, or -1; the last element is -1, for unknown terms
  TermBuffers& buffers_;
  const Done& done_;
  std::size_t size_ = 0;  // the size of the open row
  std::int64_t document_ = -1, n_tokens_ = 0;
};

// Cuts a term of a vocabulary at blanks. Returns no words unless the term is a sequence of min_n to max_n words.
std::vector<std::string_view> words_of(std::string_view term, std::int64_t min_n, std::int64_t max_n) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0, end = 0; begin <= term.size(); begin = end + 1) {
    end = std::min(term.find(' ', begin), term.size());
    if (end == begin) return {};
    words.push_back(term.substr(begin, end - begin));
  }
  const auto n = static_cast<std::int64_t>(words.size());
  return n < min_n || n > max_n ? std::vector<std::string_view>() : words;
}

}  // namespace

struct TextIndex::State {
  // Buffers of one thread. Later calls reuse them, so a short text costs little.
  struct Scratch {
    explicit Scratch(const TextRules& rules)
        : cutter(Cutter::of(rules)), steps(most_words(rules)), buffers(static_cast<std::size_t>(most_words(rules))) {}
    std::unique_ptr<Cutter> cutter;
    Tokens tokens;
    NgramSteps steps;
    RowSorter sorter;
    std::vector<Part> parts;
    std::vector<TermBuffers> buffers;  // buffers[n - 1] is for terms of n words
  };

  State(const TextRules& given, std::span<const std::string> terms, const Poll& poll)
      : rules(given), tables(most_words(given)), columns(static_cast<std::size_t>(most_words(given))) {
    if (static_cast<std::int64_t>(terms.size()) > max_terms)
      throw std::length_error("a vocabulary has more than 2^31 - 1 terms");
    n_columns = static_cast<std::int64_t>(terms.size());
    if (rules.analyzer == Analyzer::word)
      for (const std::string& word : rules.stop_words)
        if (!word.empty()) insert(word);
    n_stop = tables.words.size();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i % (1 << 16) == 0 && poll && poll()) throw Interrupted();
      add(terms[i], static_cast<std::int32_t>(i));
    }
    for (std::vector<std::int32_t>& of_length : columns) of_length.push_back(-1);  // for unknown terms
    tables.words.spread();
    tables.words.mark_empty_slots();
    for (NgramTable& table : tables.ngrams) table.mark_empty_slots();
  }

  std::uint32_t insert(std::string_view word) {
    padded.assign(word.begin(), word.end());
    padded.resize(word.size() + WordKey::most_bytes);
    const auto size = static_cast<std::uint32_t>(word.size());
    return tables.words.find_or_insert(key_of_token(padded.data(), size, tables.words.hash()), padded.data(), size)->id;
  }
  void add(std::string_view term, std::int32_t column) {
    if (term.size() >= std::size_t{1} << 31) return;  // no text has such a token
    std::vector<std::string_view> words;
    if (rules.analyzer == Analyzer::word)
      words = words_of(term, rules.min_n, rules.max_n);
    else if (!term.empty())
      words.push_back(term);
    if (words.empty()) return;
    std::uint32_t id = insert(words[0]);
    for (std::size_t n = 2; n <= words.size(); ++n)
      id = tables.ngrams[n - 2].find_or_insert(NgramKey::of(id, insert(words[n - 1])))->id;
    std::vector<std::int32_t>& of_length = columns[words.size() - 1];
    if (of_length.size() <= id) of_length.resize(std::size_t{id} + 1, -1);
    of_length[id] = column;
  }

  // Counts documents. For each document and each n, calls done(document, row) with the document's row of n-grams.
  template <class Done>
  void count(Texts texts, std::int64_t begin, std::int64_t end, Scratch& scratch, Worker& worker, const Done& done) {
    std::vector<IndexedRows<Done>> rows;
    for (std::size_t n = 0; n < columns.size(); ++n) rows.emplace_back(columns[n], scratch.buffers[n], done);
    scratch.cutter->start(texts, begin, end);
    scratch.steps.start_texts();
    while (scratch.cutter->next(scratch.tokens)) {
      worker.check();
      scratch.parts.clear();
      for (const Tokens::Part& part : scratch.tokens.parts)
        scratch.parts.push_back({part.document, part.document, part.end});
      scratch.steps.ids.resize(static_cast<std::size_t>(scratch.tokens.n_tokens) + 1);
      scratch.steps.ends.resize(scratch.parts.size());
      const TokenIds list{scratch.steps.ids.data(), scratch.steps.ends.data()};
      const FrozenTokens tokens(tables.words, scratch.tokens);
      if (tables.ngrams.empty()) {
        count_tokens<true, false>(tables.words, tokens, scratch.parts, n_stop, rows[0], list);
        continue;
      }
      count_tokens<true, true>(tables.words, tokens, scratch.parts, n_stop, rows[0], list);
      scratch.steps.start(scratch.parts);
      for (std::size_t n = 2; n <= columns.size(); ++n) {
        scratch.steps.prepare(n);
        NgramTable& table = tables.ngrams[n - 2];
        const FrozenNgrams ngrams{{table, scratch.steps.keys.data()}};
        count_tokens<false, true>(table, ngrams, scratch.steps.parts, 0, rows[n - 1], list);
      }
    }
    for (auto& of_length : rows) of_length.close();
  }

  // Calls f(chunk, begin, end, scratch, worker) for chunks of documents, in parallel.
  template <class F>
  void for_each_chunk(Texts texts, std::span<const std::int64_t> bounds, const Threads& threads, const F& f) {
    const auto n_chunks = static_cast<std::int64_t>(bounds.size()) - 1;
    std::vector<std::unique_ptr<Scratch>> scratch(static_cast<std::size_t>(worth(threads, n_chunks, 1).count));
    name_first_bad_text(rules, texts, threads, [&] {
      for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
        const auto b = static_cast<std::size_t>(block);
        std::unique_ptr<Scratch>& own = scratch[static_cast<std::size_t>(worker.thread())];
        if (!own) own = take_scratch();
        if (!own) own = std::make_unique<Scratch>(rules);
        f(b, bounds[b], bounds[b + 1], *own, worker);
      });
    });
    for (std::unique_ptr<Scratch>& own : scratch)
      if (own) keep_scratch(std::move(own));
  }

  std::unique_ptr<Scratch> take_scratch() {
    const std::lock_guard lock(mutex);
    if (kept.empty()) return nullptr;
    std::unique_ptr<Scratch> scratch = std::move(kept.back());
    kept.pop_back();
    return scratch;
  }
  void keep_scratch(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(scratch));
  }

  const TextRules rules;
  TermTables tables;
  std::vector<std::vector<std::int32_t>> columns;  // columns[n - 1][id] is the column of an n-gram of n words, or -1
  std::int64_t n_columns = 0;
  std::uint32_t n_stop = 0;
  std::vector<std::uint8_t> padded;
  std::mutex mutex;
  std::vector<std::unique_ptr<Scratch>> kept;
};

TextIndex::TextIndex(const TextRules& rules, std::span<const std::string> terms, const Poll& poll)
    : state_(new State(rules, terms, poll)) {}
TextIndex::~TextIndex() = default;

TextMatrix TextIndex::matrix(Texts texts, const Threads& threads) const {
  const std::vector<std::int64_t> bounds = chunk_bounds(texts);
  std::vector<FinishedRows> rows(bounds.size() - 1);
  state_->for_each_chunk(texts, bounds, threads, [&](std::size_t chunk, std::int64_t begin, std::int64_t end,
                                                     State::Scratch& scratch, Worker& worker) {
    RowSorter& sorter = scratch.sorter;
    sorter.start(state_->n_columns);
    const auto add = [&](std::int64_t document, std::span<const DocumentEntry> row) {
      sorter.reserve(static_cast<std::int64_t>(row.size()));
      for (const DocumentEntry& entry : row)
        sorter.add(document - begin, static_cast<std::int32_t>(entry.id), false, entry.count);
    };
    state_->count(texts, begin, end, scratch, worker, add);
    rows[chunk].take(sorter, begin, end - begin);
  });
  return joined_rows(rows, static_cast<std::int64_t>(texts.size()), threads);
}

LargeArray<double> TextIndex::sums(Texts texts, std::span<const double> weights, bool binary, const Threads& threads) const {
  if (state_->n_columns == 0 || weights.size() % static_cast<std::size_t>(state_->n_columns) != 0)
    throw std::invalid_argument("the weights need a row for each of " + std::to_string(state_->n_columns) + " terms");
  const std::int64_t n = static_cast<std::int64_t>(weights.size()) / state_->n_columns;
  auto sums = LargeArray<double>::zeroed(static_cast<std::int64_t>(texts.size()) * n);
  const WeightKernels kernels = kernels_in_use<WeightKernels>();
  const auto add = [&](std::int64_t document, std::span<DocumentEntry> row) {
    if (binary)
      for (DocumentEntry& entry : row) entry.count = 1;
    kernels.add({row.data(), static_cast<std::int64_t>(row.size()), weights.data(), n, sums.get() + document * n});
  };
  state_->for_each_chunk(
      texts, chunk_bounds(texts), threads,
      [&](std::size_t, std::int64_t begin, std::int64_t end, State::Scratch& scratch, Worker& worker) {
        state_->count(texts, begin, end, scratch, worker, add);
      });
  return sums;
}

}  // namespace termsift
