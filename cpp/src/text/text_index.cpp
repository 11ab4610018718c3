#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

#include "termsift/text_counter.hpp"
#include "text/chunks.hpp"
#include "text/row_sorter.hpp"
#include "text/thread_counter.hpp"

namespace termsift {
namespace {

// Sources that only look up. Many threads may use the same table.
struct FrozenTokens : TokenSource {
  using TokenSource::TokenSource;
  const Slot<WordKey>* slot(std::int64_t i, const WordKey& key) const { return table.find_token(key, begin(i), size(i)); }
};
struct FrozenNgrams : NgramSource {
  const Slot<NgramKey>* slot(std::int64_t, NgramKey key) const { return table.find_key(key); }
};

// Cuts a term of a vocabulary at blanks. Returns no words unless it is a sequence of min_n to max_n words.
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
    explicit Scratch(const TextRules& rules) : cutter(rules), steps(most_words(rules)) {}
    Cutter cutter;
    Tokens tokens;
    NgramSteps steps;
    RowSorter sorter;
    std::vector<Part> parts;
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

  // Looks up the tokens of the parts. Adds those with a column to the sorter, and the ids of all but stop words to `ids`.
  template <class Table, class Source>
  void look_up(const Table& table, const Source& source, std::span<const Part> parts, std::size_t n, std::int64_t begin,
               Scratch& scratch) const {
    using Key = typename Table::KeyType;
    const KeyHash hash = table.hash();
    const std::vector<std::int32_t>& of_length = columns[n - 1];
    const std::uint32_t first_id = n == 1 ? n_stop : 0;
    std::int64_t i = 0, n_ids = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      scratch.sorter.reserve(parts[p].end - i);
      for (; i < parts[p].end; ++i) {
        const Key key = source.key(i);
        const Slot<Key>* slot = table.home(hash(key));
        if (!(slot->key == key)) slot = source.slot(i, key);
        const std::uint32_t id = slot->key.is_empty() ? no_term : slot->id;
        if (id < first_id) continue;
        scratch.steps.ids[static_cast<std::size_t>(n_ids++)] = id;
        if (id < of_length.size() && of_length[id] >= 0)
          scratch.sorter.add(parts[p].document - begin, of_length[id], false, 1);
      }
      scratch.steps.ends[p] = n_ids;
    }
  }

  void count(Texts texts, std::int64_t begin, std::int64_t end, Scratch& scratch, Worker& worker, FinishedRows& rows) {
    scratch.sorter.start(n_columns);
    scratch.cutter.start(texts, begin, end);
    scratch.steps.start_texts();
    while (scratch.cutter.next(scratch.tokens)) {
      worker.check();
      scratch.parts.clear();
      for (const Tokens::Part& part : scratch.tokens.parts)
        scratch.parts.push_back({part.document, part.document, part.end});
      scratch.steps.ids.resize(static_cast<std::size_t>(scratch.tokens.n_tokens) + 1);
      scratch.steps.ends.resize(scratch.parts.size());
      const FrozenTokens tokens(tables.words, scratch.tokens);
      look_up(tables.words, tokens, scratch.parts, 1, begin, scratch);
      if (tables.ngrams.empty()) continue;
      scratch.steps.start(scratch.parts);
      for (std::size_t n = 2; n <= columns.size(); ++n) {
        scratch.steps.prepare(n);
        NgramTable& table = tables.ngrams[n - 2];
        look_up(table, FrozenNgrams{{table, scratch.steps.keys.data()}}, scratch.steps.parts, n, begin, scratch);
      }
    }
    rows.take(scratch.sorter, begin, end - begin);
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
  std::vector<std::vector<std::int32_t>> columns;  // at [n - 1][id]: the column of an n-gram of n words, or -1
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
  const auto n_chunks = static_cast<std::int64_t>(rows.size());
  std::vector<std::unique_ptr<State::Scratch>> scratch(static_cast<std::size_t>(worth(threads, n_chunks, 1).count));
  name_first_bad_text(state_->rules, texts, threads, [&] {
    for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
      const auto b = static_cast<std::size_t>(block);
      std::unique_ptr<State::Scratch>& own = scratch[static_cast<std::size_t>(worker.thread())];
      if (!own) own = state_->take_scratch();
      if (!own) own = std::make_unique<State::Scratch>(state_->rules);
      prefetch_texts(texts, bounds[b], bounds[b + 1]);
      state_->count(texts, bounds[b], bounds[b + 1], *own, worker, rows[b]);
    });
  });
  for (std::unique_ptr<State::Scratch>& own : scratch)
    if (own) state_->keep_scratch(std::move(own));
  return joined_rows(rows, static_cast<std::int64_t>(texts.size()), threads);
}

}  // namespace termsift
