#include <algorithm>
#include <functional>
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

namespace termsift {
namespace {

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
  using Counter = ThreadCounter<IndexedRows>;
  using Counters = std::vector<std::unique_ptr<Counter>>;  // one counter per thread; null if the thread has not counted

  State(const TextRules& given, std::span<const std::string> terms, const Poll& poll)
      : rules(given), tables(empty_tables(given)), columns(static_cast<std::size_t>(most_words(given))) {
    if (std::ssize(terms) > max_terms) throw std::length_error("a vocabulary has more than 2^31 - 1 terms");
    n_columns = std::ssize(terms);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i % (1 << 16) == 0 && poll && poll()) throw Interrupted();
      add(terms[i], static_cast<std::int32_t>(i));
    }
    for (std::vector<std::int32_t>& of_length : columns) of_length.push_back(-1);  // for unknown terms
    tables->words.spread();
    tables->words.mark_empty_slots();
    for (NgramTable& table : tables->ngrams) table.mark_empty_slots();
  }

  void add(std::string_view term, std::int32_t column) {
    if (term.size() >= std::size_t{1} << 31) return;  // no text has a token of 2 GB or more
    std::vector<std::string_view> words;
    const bool is_one_word = rules.max_n == 1 && (rules.pattern || rules.stems);  // which may hold blanks
    if (rules.analyzer == Analyzer::word && !is_one_word)
      words = words_of(term, rules.min_n, rules.max_n);
    else if (rules.analyzer == Analyzer::tokens || !term.empty())
      words.push_back(term);
    if (words.empty()) return;
    std::uint32_t id = insert_word(words[0], tables->words);
    for (std::size_t n = 2; n <= words.size(); ++n)
      id = tables->ngrams[n - 2].find_or_insert(NgramKey::of(id, insert_word(words[n - 1], tables->words)))->id;
    std::vector<std::int32_t>& of_length = columns[words.size() - 1];
    if (of_length.size() <= id) of_length.resize(std::size_t{id} + 1, -1);
    of_length[id] = column;
  }

  // Counts the documents of all chunks in parallel. Calls done(chunk, thread, counter) after each chunk. Returns the
  // counters.
  template <class Done>
  Counters count(Texts texts, const std::vector<std::int64_t>& bounds, const Threads& threads, const Done& done) {
    Counters counters(static_cast<std::size_t>(threads.count));
    for_each_chunk(rules, texts, bounds, threads,
                   [&](std::size_t chunk, std::int64_t begin, std::int64_t end, Worker& worker) {
                     const auto thread = static_cast<std::size_t>(worker.thread());
                     if (!counters[thread]) counters[thread] = take_counter();
                     counters[thread]->count(texts, begin, end, std::identity(), worker);
                     done(chunk, thread, *counters[thread]);
                   });
    return counters;
  }
  // Returns a counter without rows. Later calls reuse counters, so a short text costs little.
  std::unique_ptr<Counter> take_counter() {
    const std::lock_guard lock(mutex);
    if (kept.empty()) {
      auto counter = std::make_unique<Counter>(rules, tables);
      for (std::size_t n = 0; n < columns.size(); ++n) counter->rows[n].set_columns(columns[n]);
      return counter;
    }
    std::unique_ptr<Counter> counter = std::move(kept.back());
    kept.pop_back();
    return counter;
  }
  void keep(Counters counters) {
    constexpr std::int64_t few_entries = 1 << 12;
    const std::lock_guard lock(mutex);
    for (std::unique_ptr<Counter>& counter : counters) {
      if (!counter) continue;
      for (IndexedRows& rows : counter->rows)
        if (rows.n_entries() > few_entries) rows.store() = {};
        else rows.store().clear();
      kept.push_back(std::move(counter));
    }
  }

  const TextRules rules;
  const std::shared_ptr<TermTables> tables;
  std::vector<std::vector<std::int32_t>> columns;  // columns[n - 1][id] is the column of an n-gram of n words, or -1
  std::int64_t n_columns = 0;
  std::mutex mutex;
  Counters kept;
};

TextIndex::TextIndex(const TextRules& rules, std::span<const std::string> terms, const Poll& poll)
    : state_(new State(rules, terms, poll)) {}
TextIndex::~TextIndex() = default;

TextMatrix TextIndex::matrix(Texts texts, const Threads& threads) const {
  const std::vector<std::int64_t> bounds = chunk_bounds(texts);
  std::vector<CountedChunk> chunks(bounds.size() - 1);
  State::Counters counters =
      state_->count(texts, bounds, threads, [&](std::size_t chunk, std::size_t thread, State::Counter&) {
        chunks[chunk] = {bounds[chunk], bounds[chunk + 1], thread};
      });
  std::vector<std::vector<CountedRows<DocumentEntry>>> rows(counters.size());
  for (std::size_t t = 0; t < counters.size(); ++t)
    if (counters[t])
      for (IndexedRows& of_length : counters[t]->rows) rows[t].push_back({&of_length.store(), nullptr});
  TextMatrix matrix = matrix_of_rows(chunks, rows, state_->n_columns, false, threads);
  state_->keep(std::move(counters));
  return matrix;
}

LargeArray<double> TextIndex::sums(Texts texts, std::span<const double> weights, std::int64_t n, bool binary,
                                   const Threads& threads) const {
  if (std::ssize(weights) != n * state_->n_columns)
    throw std::invalid_argument("the weights need a row for each of " + std::to_string(state_->n_columns) + " terms");
  auto sums = LargeArray<double>::zeroed(std::ssize(texts) * n);
  const auto add_weights = kernels_in_use<TextKernels>().add_weights;
  state_->keep(state_->count(texts, chunk_bounds(texts), threads, [&](std::size_t, std::size_t, State::Counter& counter) {
    for (IndexedRows& of_length : counter.rows) {
      for (const Row<DocumentEntry>& row : of_length.store().rows()) {
        if (binary)
          for (std::int64_t i = 0; i < row.size; ++i) row.entries[i].count = 1;
        add_weights({row.entries, row.size, weights.data(), n, sums.get() + row.owner * n});
      }
      of_length.store().clear();
    }
  }));
  return sums;
}

}  // namespace termsift
