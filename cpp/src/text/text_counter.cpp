#include "termsift/text_counter.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "text/chunks.hpp"
#include "text/class_pairs.hpp"
#include "text/class_rows.hpp"
#include "text/document_matrix.hpp"
#include "text/document_rows.hpp"
#include "text/row_store.hpp"
#include "text/thread_counter.hpp"
#include "text/vocabulary.hpp"

namespace termsift {
namespace {

// A thread's rows for terms of one length, and the sorted term of each id, or -1.
template <class Entry>
struct TermEntries {
  const RowStore<Entry>* store;
  const std::int32_t* terms;
};

// Returns the sum of value(entry) for each term. O(entries + threads * n_terms).
template <class Entry, class Value>
LargeArray<std::int64_t> sum_entries(std::span<const TermEntries<Entry>> stores, std::int64_t n_terms, const Value& value,
                                     const Threads& threads) {
  constexpr std::size_t block_rows = 1 << 10;
  std::size_t most_rows = 0;
  for (const TermEntries<Entry>& part : stores) most_rows = std::max(most_rows, part.store->rows().size());
  const std::int64_t n_sums = worth(threads, static_cast<std::int64_t>(most_rows / block_rows) + 1, 1).count;
  const LargeArray<std::int64_t> sums = LargeArray<std::int64_t>::zeroed(n_sums * std::max<std::int64_t>(n_terms, 1));
  for (const TermEntries<Entry>& part : stores) {
    const auto& rows = part.store->rows();
    for_each_block(static_cast<std::int64_t>((rows.size() + block_rows - 1) / block_rows), threads,
                   [&](std::int64_t block, Worker& worker) {
                     std::int64_t* const own = sums.get() + worker.thread() * n_terms;
                     const std::size_t begin = static_cast<std::size_t>(block) * block_rows;
                     for (std::size_t r = begin; r < std::min(rows.size(), begin + block_rows); ++r) {
                       worker.check();
                       for (std::int64_t i = 0; i < rows[r].size; ++i) {
                         const Entry& entry = rows[r].entries[i];
                         if (part.terms[entry.id] >= 0) own[part.terms[entry.id]] += value(entry);
                       }
                     }
                   });
  }
  LargeArray<std::int64_t> total = LargeArray<std::int64_t>::uninitialised(n_terms);
  constexpr std::int64_t block_terms = 1 << 14;
  for_each_block((n_terms + block_terms - 1) / block_terms, threads, [&](std::int64_t block, Worker&) {
    for (std::int64_t term = block * block_terms; term < std::min(n_terms, (block + 1) * block_terms); ++term) {
      total[term] = 0;
      for (std::int64_t s = 0; s < n_sums; ++s) total[term] += sums[s * n_terms + term];
    }
  });
  return total;
}

template <class Rows>
using Counters = std::vector<std::unique_ptr<ThreadCounter<Rows>>>;  // by thread; null if a thread has not counted

template <class Rows>
std::vector<TermTables*> tables_of(const Counters<Rows>& counters) {
  std::vector<TermTables*> tables;
  for (const auto& counter : counters) tables.push_back(&counter->tables);
  return tables;
}

// Documents sorted by class. Counts by class do not depend on the order; in this order, fewer are written down.
struct ByClass {
  std::vector<Text> texts;
  std::vector<std::int64_t> number;  // the place of each in the caller's order
  std::vector<ClassId> classes;
};

ByClass by_class(Texts texts, std::span<const ClassId> classes, std::size_t n_classes) {
  std::vector<std::int64_t> place(n_classes + 1, 0);
  for (const ClassId c : classes) ++place[static_cast<std::size_t>(c) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  ByClass sorted;
  sorted.texts.resize(texts.size());
  sorted.number.resize(texts.size());
  sorted.classes.resize(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(classes[i])]++);
    sorted.texts[at] = texts[i];
    sorted.number[at] = static_cast<std::int64_t>(i);
    sorted.classes[at] = classes[i];
  }
  return sorted;
}

}  // namespace

struct TextCounter::State {
  State(const TextRules& given, bool counts_by_class) : rules(given), by_class(counts_by_class) {}

  const TextRules rules;
  const bool by_class;
  bool failed = false;  // whether a call failed midway and left the counter inconsistent
  Counters<DocumentRows> documents;
  Counters<ClassRows> classes;
  std::vector<CountedChunk> chunks;                 // not by class
  std::vector<std::int64_t> class_documents;        // by class
  std::int64_t n_marked = 0;                        // entries by class after the last uniting, or first check
  std::unique_ptr<Vocabulary> vocabulary;           // once sorted

  void require_whole() const {
    if (failed) throw std::logic_error("an earlier call of this counter failed; start again with a new counter");
  }
  // Calls f(), which changes the counter. If f throws, the counter refuses all further calls.
  template <class F>
  void change(const F& f) {
    require_whole();
    failed = true;
    f();
    failed = false;
  }

  // Counts texts. owner(document) is the owner of the document's row, and done(chunk, begin, end, thread) is called after
  // each chunk of documents [begin, end).
  template <class Rows, class Owner, class Done>
  void count(Counters<Rows>& counters, Texts texts, const Threads& threads, const Owner& owner, const Done& done) {
    const std::vector<std::int64_t> bounds = chunk_bounds(texts);
    const auto n_chunks = static_cast<std::int64_t>(bounds.size()) - 1;
    const auto n_threads = static_cast<std::size_t>(worth(threads, n_chunks, 1).count);
    if (counters.size() < n_threads) counters.resize(n_threads);
    for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
      const std::int64_t begin = bounds[static_cast<std::size_t>(block)], end = bounds[static_cast<std::size_t>(block) + 1];
      count_chunk(counters, texts, begin, end, owner, worker);
      done(block, begin, end, static_cast<std::size_t>(worker.thread()));
    });
  }
  template <class Rows, class Owner>
  void count_chunk(Counters<Rows>& counters, Texts texts, std::int64_t begin, std::int64_t end, const Owner& owner,
                   Worker& worker) {
    auto& counter = counters[static_cast<std::size_t>(worker.thread())];
    if (!counter) counter = std::make_unique<ThreadCounter<Rows>>(rules);
    prefetch_texts(texts, begin, end);
    counter->count(texts, begin, end, owner, worker);
  }

  void add_documents(Texts texts, const Threads& threads) {
    const std::size_t n_chunks = chunks.size();
    const std::int64_t first = chunks.empty() ? 0 : chunks.back().end;
    chunks.resize(n_chunks + chunk_bounds(texts).size() - 1);
    name_first_bad_text(rules, texts, threads, [&] {
      count(
          documents, texts, threads, [first](std::int64_t document) { return first + document; },
          [&](std::int64_t block, std::int64_t begin, std::int64_t end, std::size_t thread) {
            chunks[n_chunks + static_cast<std::size_t>(block)] = {first + begin, first + end, thread};
          });
    });
  }

  // Returns the number of classes that the documents need.
  static std::size_t checked(Texts texts, std::span<const ClassId> of_texts) {
    if (of_texts.size() != texts.size()) throw std::invalid_argument("each document needs a class");
    if (of_texts.empty()) return 0;
    const auto [least, most] = std::minmax_element(of_texts.begin(), of_texts.end());
    if (*least < 0) throw std::invalid_argument("a class is negative");
    return static_cast<std::size_t>(*most) + 1;
  }
  void add_classes(Texts texts, std::span<const ClassId> of_texts, std::size_t n_classes, const Threads& threads) {
    if (class_documents.size() < n_classes) class_documents.resize(n_classes, 0);
    const ByClass sorted = termsift::by_class(texts, of_texts, n_classes);
    std::int64_t bad_text = -1;
    try {
      count(
          classes, sorted.texts, threads,
          [&](std::int64_t document) { return std::int64_t{sorted.classes[static_cast<std::size_t>(document)]}; },
          [](auto&&...) {});
    } catch (const BadText& bad) {
      bad_text = sorted.number[static_cast<std::size_t>(bad.document)];
    }
    if (bad_text >= 0) throw_first_bad_text(rules, texts, bad_text, threads);
    for (const ClassId c : of_texts) ++class_documents[static_cast<std::size_t>(c)];
    unite_if_due(threads);
  }

  std::int64_t add_table(TableReader& table, std::int64_t n_bytes, const Threads& threads) {
    const auto n_threads = static_cast<std::size_t>(threads.count);
    if (classes.size() < n_threads) classes.resize(n_threads);
    std::vector<std::vector<std::int64_t>> of_threads(n_threads);  // the documents of each class
    std::mutex reading;
    const std::int64_t end = table.bytes_read() + n_bytes;
    for_each_block(threads.count, threads, [&](std::int64_t, Worker& worker) {
      TableBlock block;
      const auto read = [&] {
        const std::lock_guard held(reading);
        return table.bytes_read() < end && table.next(block);
      };
      std::vector<std::int64_t>& own = of_threads[static_cast<std::size_t>(worker.thread())];
      while (read()) {
        worker.check();
        const std::size_t n_classes = checked(block.texts, block.classes);
        if (own.size() < n_classes) own.resize(n_classes, 0);
        for (const ClassId c : block.classes) ++own[static_cast<std::size_t>(c)];
        const ByClass sorted = termsift::by_class(block.texts, block.classes, n_classes);
        const std::vector<std::int64_t> bounds = chunk_bounds(sorted.texts);
        const auto owner = [&](std::int64_t i) { return std::int64_t{sorted.classes[static_cast<std::size_t>(i)]}; };
        for (std::size_t c = 0; c + 1 < bounds.size(); ++c)
          count_chunk(classes, sorted.texts, bounds[c], bounds[c + 1], owner, worker);
      }
    });
    std::int64_t n_docs = 0;
    for (const std::vector<std::int64_t>& own : of_threads) {
      if (class_documents.size() < own.size()) class_documents.resize(own.size(), 0);
      for (std::size_t c = 0; c < own.size(); ++c) class_documents[c] += own[c], n_docs += own[c];
    }
    unite_if_due(threads);
    return n_docs;
  }

  void unite_if_due(const Threads& threads) {
    const std::int64_t entries = n_entries();
    // Each call writes pairs of class and term again. Uniting takes time, so it waits until the entries have doubled.
    if (entries < text_tuning().entries_to_unite || entries < 2 * n_marked) return;
    if (n_marked > 0) unite(threads);
    n_marked = n_entries();
  }

  std::int64_t n_entries() const {
    std::int64_t n = 0;
    for (const auto& counter : classes)
      if (counter)
        for (const ClassRows& rows : counter->rows) n += rows.n_entries();
    return n;
  }
  static void close_rows(ThreadCounter<ClassRows>& counter, Worker& worker) {
    counter.rows[0].close(counter.tables.words, &worker);
    for (std::size_t n = 2; n <= counter.rows.size(); ++n)
      counter.rows[n - 1].close(counter.tables.ngrams[n - 2], &worker);
  }
  // Unites each thread's rows of a class, so memory grows with the pairs of class and term, not with the calls.
  void unite(const Threads& threads) {
    for_each_block(static_cast<std::int64_t>(classes.size()), threads, [&](std::int64_t thread, Worker& worker) {
      ThreadCounter<ClassRows>* const counter = classes[static_cast<std::size_t>(thread)].get();
      if (counter == nullptr) return;
      close_rows(*counter, worker);
      for (std::size_t n = 1; n <= counter->rows.size(); ++n)
        unite_rows(counter->rows[n - 1].store(), counter->tables.size(n), worker);
    });
  }

  template <class Rows>
  void sort(Counters<Rows>& counters, const Threads& threads) {
    // Chunks refer to counters by position, so every position needs a counter.
    for (auto& counter : counters)
      if (!counter) counter = std::make_unique<ThreadCounter<Rows>>(rules);
    if constexpr (std::is_same_v<Rows, ClassRows>)
      for_each_block(static_cast<std::int64_t>(counters.size()), threads, [&](std::int64_t thread, Worker& worker) {
        close_rows(*counters[static_cast<std::size_t>(thread)], worker);
      });
    const std::vector<TermTables*> tables = tables_of(counters);
    const std::uint32_t n_stop = counters.empty() ? 0 : counters[0]->n_stop;
    vocabulary = std::make_unique<Vocabulary>(tables, n_stop, fewest_words(rules), threads);
  }

  const Vocabulary& sorted() const {
    require_whole();
    if (!vocabulary) throw std::logic_error("the terms have not been sorted");
    return *vocabulary;
  }
  void check_columns(std::span<const std::int32_t> columns) const {
    if (!columns.empty() && static_cast<std::int64_t>(columns.size()) != sorted().n_terms())
      throw std::invalid_argument("columns has " + std::to_string(columns.size()) + " elements for " +
                                  std::to_string(sorted().n_terms()) + " terms");
    std::int32_t last = -1;
    for (const std::int32_t column : columns) {
      if (column < 0) continue;
      if (column <= last) throw std::invalid_argument("columns must increase, " + std::to_string(column) + " does not");
      last = column;
    }
  }
};

namespace {

// The column of each id in the threads' tables: columns[term] of its sorted term, or that term if `columns` is empty.
class ColumnsOfIds {
 public:
  template <class Rows>
  ColumnsOfIds(const Counters<Rows>& counters, const Vocabulary& vocabulary, std::span<const std::int32_t> columns,
               const Threads& threads) {
    for (std::size_t t = 0; t < counters.size(); ++t) {
      const std::size_t max_n = counters[t]->rows.size();
      of_.emplace_back();
      for (std::size_t n = 1; n <= max_n; ++n) of_[t].push_back(vocabulary.terms(t, n));
    }
    if (columns.empty()) return;
    for (std::size_t t = 0; t < counters.size(); ++t)
      for (std::size_t n = 1; n <= of_[t].size(); ++n) map(of_[t][n - 1], counters[t]->tables.size(n), columns, threads);
  }
  const std::vector<std::vector<const std::int32_t*>>& of() const { return of_; }

 private:
  void map(const std::int32_t*& terms, std::int64_t n_ids, std::span<const std::int32_t> columns, const Threads& threads) {
    constexpr std::int64_t block_size = 1 << 16;
    LargeArray<std::int32_t> mapped = LargeArray<std::int32_t>::uninitialised(n_ids);
    for_each_block((n_ids + block_size - 1) / block_size, threads, [&](std::int64_t block, Worker&) {
      for (std::int64_t id = block * block_size; id < std::min(n_ids, (block + 1) * block_size); ++id)
        mapped[id] = terms[id] < 0 ? -1 : columns[static_cast<std::size_t>(terms[id])];
    });
    terms = mapped.get();
    held_.push_back(std::move(mapped));
  }
  std::vector<std::vector<const std::int32_t*>> of_;
  std::vector<LargeArray<std::int32_t>> held_;
};

template <class Entry, class Rows>
std::vector<TermEntries<Entry>> entries_of(const Counters<Rows>& counters, const Vocabulary& vocabulary) {
  std::vector<TermEntries<Entry>> entries;
  for (std::size_t t = 0; t < counters.size(); ++t)
    for (std::size_t n = 1; n <= counters[t]->rows.size(); ++n)
      entries.push_back({&counters[t]->rows[n - 1].store(), vocabulary.terms(t, n)});
  return entries;
}

}  // namespace

TextCounter::TextCounter(const TextRules& rules, bool by_class)
    : state_(new State(rules, by_class)) {}
TextCounter::~TextCounter() = default;

void TextCounter::add(Texts texts, std::span<const ClassId> classes, const Threads& threads) {
  if (state_->vocabulary) throw std::logic_error("no text can be added after the terms were sorted");
  if (!state_->by_class) {
    if (!classes.empty()) throw std::invalid_argument("a counter by document takes no classes");
    return state_->change([&] { state_->add_documents(texts, threads); });
  }
  const std::size_t n_classes = State::checked(texts, classes);
  state_->change([&] { state_->add_classes(texts, classes, n_classes, threads); });
}

std::int64_t TextCounter::add(TableReader& table, std::int64_t n_bytes, const Threads& threads) {
  if (state_->vocabulary) throw std::logic_error("no text can be added after the terms were sorted");
  if (!state_->by_class) throw std::invalid_argument("a counter by document takes no table");
  std::int64_t n_docs = 0;
  state_->change([&] { n_docs = state_->add_table(table, n_bytes, threads); });
  return n_docs;
}

std::int64_t TextCounter::n_bytes() const {
  std::int64_t sum = 0;
  for (const auto& counter : state_->classes) sum += counter ? counter->n_bytes() : 0;
  for (const auto& counter : state_->documents) sum += counter ? counter->n_bytes() : 0;
  return sum;
}

void TextCounter::sort(const Threads& threads) {
  if (state_->vocabulary) return;
  state_->change([&] {
    if (state_->by_class)
      state_->sort(state_->classes, threads);
    else
      state_->sort(state_->documents, threads);
  });
}

std::int64_t TextCounter::n_terms() const {
  return state_->sorted().n_terms();
}

void TextCounter::for_each_term(std::span<const std::int32_t> columns,
                                const std::function<void(std::int64_t, std::string_view)>& visit,
                                const std::function<void()>& check) const {
  state_->check_columns(columns);
  state_->sorted().for_each_term([&](std::int64_t term, std::string_view bytes) {
    if (check && term % (1 << 16) == 0) check();
    if (columns.empty() || columns[static_cast<std::size_t>(term)] >= 0) visit(term, bytes);
  });
}

LargeArray<std::int64_t> TextCounter::document_frequency(const Threads& threads) const {
  const Vocabulary& vocabulary = state_->sorted();
  if (state_->by_class) {
    const auto documents = [](const ClassEntry& entry) { return entry.documents; };
    return sum_entries<ClassEntry>(entries_of<ClassEntry>(state_->classes, vocabulary), n_terms(), documents, threads);
  }
  LargeArray<std::int64_t> frequency = LargeArray<std::int64_t>::uninitialised(n_terms());
  std::copy_n(vocabulary.rows(), n_terms(), frequency.get());
  return frequency;
}

LargeArray<std::int64_t> TextCounter::term_frequency(const Threads& threads) const {
  const auto count = [](const auto& entry) { return entry.count; };
  const Vocabulary& vocabulary = state_->sorted();
  if (state_->by_class)
    return sum_entries<ClassEntry>(entries_of<ClassEntry>(state_->classes, vocabulary), n_terms(), count, threads);
  return sum_entries<DocumentEntry>(entries_of<DocumentEntry>(state_->documents, vocabulary), n_terms(), count, threads);
}

TextMatrix TextCounter::matrix(std::span<const std::int32_t> columns, const Threads& threads) const {
  if (state_->by_class) throw std::logic_error("a counter by class has no matrix");
  state_->check_columns(columns);
  const ColumnsOfIds of_ids(state_->documents, state_->sorted(), columns, threads);
  CountedDocuments counted{state_->chunks, {}, of_ids.of(), n_terms(), false};
  for (const auto& counter : state_->documents) {
    counted.rows.emplace_back();
    for (const auto& rows : counter->rows) counted.rows.back().push_back(&rows.store());
  }
  for (const std::int32_t column : columns) counted.drops |= column < 0;
  if (!columns.empty()) counted.n_columns = std::int64_t{*std::max_element(columns.begin(), columns.end())} + 1;
  return document_matrix(counted, threads);
}

ClassCounts<std::int64_t> TextCounter::counts(std::span<const std::int32_t> columns, std::int64_t n_columns,
                                              std::int64_t n_classes, bool binary, const Threads& threads) const {
  if (!state_->by_class) throw std::logic_error("a counter by document has no counts by class");
  state_->check_columns(columns);
  if (n_classes < 0) throw std::invalid_argument("there are " + std::to_string(n_classes) + " classes");
  if (n_classes < static_cast<std::int64_t>(state_->class_documents.size()))
    throw std::invalid_argument("some documents have class " + std::to_string(state_->class_documents.size() - 1) +
                                ", expected below " + std::to_string(n_classes));
  for (const std::int32_t column : columns)
    if (column >= n_columns)
      throw std::invalid_argument("a column is " + std::to_string(column) + " of " + std::to_string(n_columns));
  if (columns.empty() && n_columns < n_terms()) throw std::invalid_argument("there are fewer columns than terms");
  const ColumnsOfIds of_ids(state_->classes, state_->sorted(), columns, threads);
  std::vector<CountedRows> counted;
  for (std::size_t t = 0; t < state_->classes.size(); ++t)
    for (std::size_t n = 0; n < of_ids.of()[t].size(); ++n)
      counted.push_back({&state_->classes[t]->rows[n].store(), of_ids.of()[t][n]});
  return class_counts(counted, state_->class_documents, n_columns, n_classes, binary, threads);
}

}  // namespace termsift
