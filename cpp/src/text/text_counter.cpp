#include "termsift/text_counter.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "text/chunks.hpp"
#include "text/class_pairs.hpp"
#include "text/row_sorter.hpp"
#include "text/rows.hpp"
#include "text/thread_counter.hpp"
#include "text/vocabulary.hpp"

namespace termsift {
namespace {

template <class Rows>
using Counters = std::vector<std::unique_ptr<ThreadCounter<Rows>>>;  // one per thread; null if the thread has not counted

// Returns the sum of value(entry) for each sorted term. O(entries + n_terms), on one thread.
template <class Rows, class Value>
LargeArray<std::int64_t> sum_entries(const Counters<Rows>& counters, const Vocabulary& vocabulary, const Value& value,
                                     const Threads& threads) {
  LargeArray<std::int64_t> sums = LargeArray<std::int64_t>::zeroed(vocabulary.n_terms());
  for_each_block(std::ssize(counters), {1, threads.poll}, [&](std::int64_t thread, Worker& worker) {
    const auto t = static_cast<std::size_t>(thread);
    for (std::size_t n = 1; n <= counters[t]->rows.size(); ++n)
      for (const auto& row : counters[t]->rows[n - 1].store().rows()) {
        worker.check();
        for (std::int64_t i = 0; i < row.size; ++i)
          if (const std::int32_t term = vocabulary.terms(t, n)[row.entries[i].id]; term >= 0)
            sums[term] += value(row.entries[i]);
      }
  });
  return sums;
}

// Most terms occur in the documents of every thread. To save memory, threads move their terms to SharedTerms. The terms that
// threads still hold take at most half as much memory as the larger of the sketch and the shared terms. The rules must have
// a sketch, because without a sketch n-grams of words have tables of their own.
class SharedTerms {
 public:
  using Counter = ThreadCounter<ClassRows>;

  std::int64_t n_bytes() const { return n_bytes_; }

  // Takes over the terms and counts of one of `n_threads` threads if they take much memory. A single thread keeps its terms.
  void take_if_many(std::unique_ptr<Counter>& own, std::int64_t sketch_bytes, std::size_t n_threads, Worker& worker) {
    // Unused slots of a table are not counted, because emptying the table does not free its slots.
    const std::int64_t own_bytes = 64 * (own->tables->words.size() + own->rows[0].n_entries());
    const std::int64_t share = std::max(sketch_bytes, n_bytes()) / static_cast<std::int64_t>(2 * n_threads);
    if (n_threads == 1 || own_bytes <= share) return;
    own->rows[0].close(own->tables->words, &worker);
    const std::lock_guard held(mutex_);
    if (counter_)
      move(*own, worker);
    else
      counter_ = std::move(own);
    n_bytes_ = counter_->n_bytes();
  }
  // Returns the counter with the shared terms, or null.
  std::unique_ptr<Counter> release() {
    n_bytes_ = 0;
    return std::move(counter_);
  }

 private:
  void move(Counter& own, Worker& worker) {
    WordTable& words = counter_->tables->words;
    RowStore<ClassEntry>& rows = counter_->rows[0].store();
    append_rows(rows, own.rows[0].store(), words.insert_all(own.tables->words), worker);
    own.tables->words.clear();
    own.rows[0].store().clear();
    if (rows.n_entries() < 2 * n_united_) return;
    unite_rows(rows, words.size(), worker);
    n_united_ = rows.n_entries();
  }

  std::mutex mutex_;
  std::unique_ptr<Counter> counter_;
  std::atomic<std::int64_t> n_bytes_ = 0;
  std::int64_t n_united_ = 0;  // the number of entries after the last call of unite_rows()
};

// Documents sorted by class. Sorting documents does not change the counts, but ClassRows moves fewer counts if the documents
// are sorted by class.
struct ByClass {
  std::vector<Text> texts;
  std::vector<std::int64_t> number;  // the position of each text in the caller's order
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

// Keeps the failure of the earliest of several steps that run on several threads.
class FirstFailure {
 public:
  // Returns f(), or false if f throws. Interrupted is passed on, since for_each_block() stops all threads then.
  template <class F>
  bool guard(std::int64_t step, const F& f) {
    try {
      return f();
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      const std::lock_guard held(mutex_);
      if (step < step_) step_ = step, failure_ = std::current_exception();
      return false;
    }
  }
  bool has_failed() const {
    const std::lock_guard held(mutex_);
    return failure_ != nullptr;
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t step_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure_;
};

}  // namespace

struct TextCounter::State {
  State(const TextRules& given, bool counts_by_class) : rules(given), by_class(counts_by_class) {}

  const TextRules rules;
  const bool by_class;
  bool failed = false;  // whether a call has failed and left the counter inconsistent
  Counters<DocumentRows> documents;
  Counters<ClassRows> classes;
  SharedTerms shared;                               // the terms that threads have moved out of `classes`
  std::vector<CountedChunk> chunks;                 // the chunks of a counter by document, in the documents' order
  // In a counter by class, the owner of a row is one of these sets. The set c is the class c, unless documents may have any
  // number of classes.
  std::vector<LabelSet> sets;
  std::map<std::vector<ClassId>, ClassId> set_of;   // the number of each set, if documents may have any number of classes
  bool has_sets = false;
  std::int64_t n_empty = 0;                         // the number of texts without a character
  std::atomic<std::int64_t> n_words = 0, n_before_marks = 0;  // see CutWords
  std::int64_t n_marked = 0;                        // the value of n_entries() when unite_if_due() last found enough entries
  std::unique_ptr<Vocabulary> vocabulary;           // null until the terms are sorted

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

  // Counts the documents [begin, end). owner(document) returns the owner of the document's row.
  template <class Rows, class Owner>
  void count_chunk(Counters<Rows>& counters, Texts texts, std::int64_t begin, std::int64_t end, const Owner& owner,
                   Worker& worker) {
    auto& counter = counters[static_cast<std::size_t>(worker.thread())];
    if (!counter) counter = std::make_unique<ThreadCounter<Rows>>(rules);
    counter->count(texts, begin, end, owner, worker);
    const CutWords words = counter->take_cut_words();
    n_words += words.all;
    n_before_marks += words.before_mark;
    if constexpr (std::is_same_v<Rows, ClassRows>)
      if (rules.sketch) shared.take_if_many(counter, rules.sketch->n_bytes(), counters.size(), worker);
  }
  template <class Rows>
  static void make_room(Counters<Rows>& counters, const Threads& threads) {
    counters.resize(std::max(counters.size(), static_cast<std::size_t>(threads.count)));
  }

  void add_documents(Texts texts, const Threads& threads) {
    const std::vector<std::int64_t> bounds = chunk_bounds(texts);
    const std::size_t n_before = chunks.size();
    const std::int64_t first = chunks.empty() ? 0 : chunks.back().end;
    chunks.resize(n_before + bounds.size() - 1);
    make_room(documents, worth(threads, std::ssize(bounds) - 1, 1));
    const auto owner = [first](std::int64_t document) { return first + document; };
    for_each_chunk(rules, texts, bounds, threads,
                   [&](std::size_t chunk, std::int64_t begin, std::int64_t end, Worker& worker) {
                     count_chunk(documents, texts, begin, end, owner, worker);
                     chunks[n_before + chunk] = {first + begin, first + end, static_cast<std::size_t>(worker.thread())};
                   });
  }

  // Checks the classes of documents. Returns one more than the largest class.
  static std::size_t checked(Texts texts, std::span<const ClassId> of_texts) {
    if (of_texts.size() != texts.size()) throw std::invalid_argument("each document needs a class");
    if (of_texts.empty()) return 0;
    const auto [least, most] = std::minmax_element(of_texts.begin(), of_texts.end());
    if (*least < 0) throw std::invalid_argument("a class is negative");
    return static_cast<std::size_t>(*most) + 1;
  }
  void count_chunk(const ByClass& sorted, std::int64_t begin, std::int64_t end, Worker& worker) {
    const auto owner = [&](std::int64_t i) { return std::int64_t{sorted.classes[static_cast<std::size_t>(i)]}; };
    count_chunk(classes, sorted.texts, begin, end, owner, worker);
  }
  void require_classes() const {
    require_whole();
    if (has_sets) throw std::logic_error("documents of this counter have lists of classes");
  }
  void require_sets() const {
    require_whole();
    if (!has_sets && !sets.empty()) throw std::logic_error("documents of this counter have one class each");
  }
  // Makes the sets 0 to n_classes - 1, which are single classes.
  void make_classes(std::size_t n_classes) {
    while (sets.size() < n_classes) sets.push_back({{static_cast<ClassId>(sets.size())}});
  }
  // Returns the set of each document's classes.
  std::vector<ClassId> sets_of(const LabelView& labels, std::int64_t n_docs) {
    has_sets = true;
    std::vector<ClassId> of_documents, of_document;
    for (std::int64_t d = 0; d < n_docs; ++d) {
      of_document.clear();
      for_each_class(labels, d, [&](std::size_t c) { of_document.push_back(static_cast<ClassId>(c)); });
      const auto [found, is_new] = set_of.try_emplace(of_document, static_cast<ClassId>(sets.size()));
      if (is_new) sets.push_back({of_document});
      of_documents.push_back(found->second);
    }
    return of_documents;
  }
  // Counts documents by the numbers of their sets. The sets must exist.
  void add_classes(Texts texts, std::span<const ClassId> of_texts, const Threads& threads) {
    const ByClass sorted = termsift::by_class(texts, of_texts, sets.size());
    const std::vector<std::int64_t> bounds = chunk_bounds(sorted.texts);
    const std::int64_t n_chunks = std::ssize(bounds) - 1;
    make_room(classes, worth(threads, n_chunks, 1));
    const auto count_all = [&] {
      for_each_block(n_chunks, threads, [&](std::int64_t c, Worker& worker) {
        count_chunk(sorted, bounds[static_cast<std::size_t>(c)], bounds[static_cast<std::size_t>(c) + 1], worker);
      });
    };
    const auto number_of = [&](std::int64_t i) { return sorted.number[static_cast<std::size_t>(i)]; };
    name_first_bad_text(rules, texts, threads, count_all, number_of);
    for (const ClassId c : of_texts) ++sets[static_cast<std::size_t>(c)].n_docs;
    unite_if_due(threads);
  }

  std::int64_t add_table(TableReader& table, std::int64_t n_bytes, const Threads& threads) {
    make_room(classes, threads);
    std::vector<std::vector<std::int64_t>> of_threads(classes.size());  // the number of documents of each class
    std::atomic<std::int64_t> n_empty_read = 0;
    FirstFailure failure;  // in the order of the file's blocks, so the error does not depend on the threads
    std::mutex reading;
    std::int64_t n_read = 0;
    const std::int64_t end = table.bytes_read() + n_bytes;
    for_each_block(threads.count, threads, [&](std::int64_t, Worker& worker) {
      TableBlock block;
      std::int64_t number = 0;  // the position of the block in the file
      const auto read = [&] {
        const std::lock_guard held(reading);
        if (failure.has_failed() || table.bytes_read() >= end) return false;
        number = n_read++;
        return failure.guard(number, [&] { return table.next(block); });
      };
      std::vector<std::int64_t>& own = of_threads[static_cast<std::size_t>(worker.thread())];
      while (read()) {
        worker.check();
        failure.guard(number, [&] {
          const std::size_t n_classes = checked(block.texts, block.classes);
          if (own.size() < n_classes) own.resize(n_classes, 0);
          for (const ClassId c : block.classes) ++own[static_cast<std::size_t>(c)];
          n_empty_read += n_empty_of(block.texts);
          const ByClass sorted = termsift::by_class(block.texts, block.classes, n_classes);
          const std::vector<std::int64_t> bounds = chunk_bounds(sorted.texts);
          for (std::size_t c = 0; c + 1 < bounds.size(); ++c) count_chunk(sorted, bounds[c], bounds[c + 1], worker);
          return true;
        });
      }
    });
    failure.rethrow();
    n_empty += n_empty_read;
    std::int64_t n_docs = 0;
    for (const std::vector<std::int64_t>& own : of_threads) {
      make_classes(own.size());
      for (std::size_t c = 0; c < own.size(); ++c) sets[c].n_docs += own[c], n_docs += own[c];
    }
    unite_if_due(threads);
    return n_docs;
  }

  void unite_if_due(const Threads& threads) {
    const std::int64_t entries = n_entries();
    // Every call adds new entries, even for (class, term) pairs that earlier calls have counted. Rows are united only when
    // the number of entries has doubled, because uniting rows takes time.
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
    counter.rows[0].close(counter.tables->words, &worker);
    for (std::size_t n = 2; n <= counter.rows.size(); ++n)
      counter.rows[n - 1].close(counter.tables->ngrams[n - 2], &worker);
  }
  // Unites each thread's rows of a class, so that memory grows with the number of (class, term) pairs, not of calls.
  void unite(const Threads& threads) {
    for_each_block(static_cast<std::int64_t>(classes.size()), threads, [&](std::int64_t thread, Worker& worker) {
      ThreadCounter<ClassRows>* const counter = classes[static_cast<std::size_t>(thread)].get();
      if (counter == nullptr) return;
      close_rows(*counter, worker);
      for (std::size_t n = 1; n <= counter->rows.size(); ++n)
        unite_rows(counter->rows[n - 1].store(), counter->tables->size(n), worker);
    });
  }

  template <class Rows>
  void sort(Counters<Rows>& counters, const Threads& threads) {
    if constexpr (std::is_same_v<Rows, ClassRows>)
      if (auto of_all = shared.release()) counters.insert(counters.begin(), std::move(of_all));
    // Chunks refer to counters by position, so every position needs a counter.
    for (auto& counter : counters)
      if (!counter) counter = std::make_unique<ThreadCounter<Rows>>(rules);
    if constexpr (std::is_same_v<Rows, ClassRows>)
      for_each_block(static_cast<std::int64_t>(counters.size()), threads, [&](std::int64_t thread, Worker& worker) {
        close_rows(*counters[static_cast<std::size_t>(thread)], worker);
      });
    std::vector<TermTables*> tables;
    for (const auto& counter : counters) tables.push_back(counter->tables.get());
    vocabulary = std::make_unique<Vocabulary>(tables, fewest_words(rules), threads);
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
      if (column <= last) throw std::invalid_argument("columns must increase, but " + std::to_string(column) + " does not");
      last = column;
    }
  }
  std::int64_t n_columns(std::span<const std::int32_t> columns) const {
    return columns.empty() ? sorted().n_terms() : std::int64_t{*std::max_element(columns.begin(), columns.end())} + 1;
  }
};

namespace {

// The rows of each thread for n-grams of n = 1, 2, ... words, with columns: columns[term] is the column of an id, where
// `term` is the id's number in the sorted vocabulary. If `columns` is empty, the column is `term` itself.
template <class Entry>
class RowsWithColumns {
 public:
  template <class Rows>
  RowsWithColumns(const Counters<Rows>& counters, const Vocabulary& vocabulary, std::span<const std::int32_t> columns) {
    for (std::size_t t = 0; t < counters.size(); ++t) {
      auto& of_thread = rows_.emplace_back();
      for (std::size_t n = 1; n <= counters[t]->rows.size(); ++n) {
        const std::int32_t* of_ids = vocabulary.terms(t, n);
        if (!columns.empty()) of_ids = mapped(of_ids, counters[t]->tables->size(n), columns);
        of_thread.push_back({&counters[t]->rows[n - 1].store(), of_ids});
      }
    }
  }
  const std::vector<std::vector<CountedRows<Entry>>>& by_thread() const { return rows_; }

 private:
  const std::int32_t* mapped(const std::int32_t* terms, std::int64_t n_ids, std::span<const std::int32_t> columns) {
    const auto& columns_of_ids = held_.emplace_back(LargeArray<std::int32_t>::uninitialised(n_ids));
    for (std::int64_t id = 0; id < n_ids; ++id)
      columns_of_ids[id] = terms[id] < 0 ? -1 : columns[static_cast<std::size_t>(terms[id])];
    return columns_of_ids.get();
  }
  std::vector<std::vector<CountedRows<Entry>>> rows_;
  std::vector<LargeArray<std::int32_t>> held_;
};

}  // namespace

TextCounter::TextCounter(const TextRules& rules, bool by_class)
    : state_(new State(rules, by_class)) {}
TextCounter::~TextCounter() = default;

void TextCounter::add(Texts texts, std::span<const ClassId> classes, const Threads& threads) {
  if (state_->vocabulary) throw std::logic_error("no text can be added after the terms were sorted");
  if (!state_->by_class) {
    if (!classes.empty()) throw std::invalid_argument("a counter by document cannot have classes");
    state_->change([&] { state_->add_documents(texts, threads); });
  } else {
    const std::size_t n_classes = State::checked(texts, classes);
    state_->require_classes();
    state_->change([&] {
      state_->make_classes(n_classes);
      state_->add_classes(texts, classes, threads);
    });
  }
  state_->n_empty += n_empty_of(texts);
}

void TextCounter::add_labelled(Texts texts, const LabelView& labels, const Threads& threads) {
  if (state_->vocabulary) throw std::logic_error("no text can be added after the terms were sorted");
  if (!state_->by_class) throw std::invalid_argument("a counter by document cannot have classes");
  check_labels(labels, std::ssize(texts));
  state_->require_sets();
  state_->change([&] { state_->add_classes(texts, state_->sets_of(labels, std::ssize(texts)), threads); });
  state_->n_empty += n_empty_of(texts);
}

std::int64_t TextCounter::add(TableReader& table, std::int64_t n_bytes, const Threads& threads) {
  if (state_->vocabulary) throw std::logic_error("no text can be added after the terms were sorted");
  if (!state_->by_class) throw std::invalid_argument("a counter by document cannot read a table");
  state_->require_classes();
  std::int64_t n_docs = 0;
  state_->change([&] { n_docs = state_->add_table(table, n_bytes, threads); });
  return n_docs;
}

std::int64_t TextCounter::n_empty() const { return state_->n_empty; }
std::int64_t TextCounter::n_words() const { return state_->n_words; }
std::int64_t TextCounter::n_before_marks() const { return state_->n_before_marks; }

std::int64_t TextCounter::n_bytes() const {
  std::int64_t sum = state_->shared.n_bytes();
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
                                const std::function<void(std::int64_t, std::string_view)>& visit) const {
  state_->check_columns(columns);
  if (columns.empty()) return state_->sorted().for_each_term(visit);
  state_->sorted().for_each_term([&](std::int64_t term, std::string_view bytes) {
    if (columns[static_cast<std::size_t>(term)] >= 0) visit(term, bytes);
  });
}

LargeArray<std::int64_t> TextCounter::document_frequency(const Threads& threads) const {
  const Vocabulary& vocabulary = state_->sorted();
  if (state_->by_class)
    return sum_entries(state_->classes, vocabulary, [](const ClassEntry& entry) { return entry.documents; }, threads);
  LargeArray<std::int64_t> frequency = LargeArray<std::int64_t>::uninitialised(n_terms());
  std::copy_n(vocabulary.rows(), n_terms(), frequency.get());
  return frequency;
}

LargeArray<std::int64_t> TextCounter::term_frequency(const Threads& threads) const {
  const auto count = [](const auto& entry) { return entry.count; };
  const Vocabulary& vocabulary = state_->sorted();
  if (state_->by_class) return sum_entries(state_->classes, vocabulary, count, threads);
  return sum_entries(state_->documents, vocabulary, count, threads);
}

TextMatrix TextCounter::matrix(std::span<const std::int32_t> columns, const Threads& threads) const {
  if (state_->by_class) throw std::logic_error("a counter by class has no matrix");
  state_->check_columns(columns);
  const bool drops = std::any_of(columns.begin(), columns.end(), [](std::int32_t column) { return column < 0; });
  const RowsWithColumns<DocumentEntry> rows(state_->documents, state_->sorted(), columns);
  return matrix_of_rows(state_->chunks, rows.by_thread(), state_->n_columns(columns), drops, threads);
}

ClassCounts<std::int64_t> TextCounter::counts(std::span<const std::int32_t> columns, std::int64_t n_classes, bool binary,
                                              const Threads& threads) const {
  if (!state_->by_class) throw std::logic_error("a counter by document has no counts by class");
  state_->check_columns(columns);
  if (n_classes < 0) throw std::invalid_argument("n_classes must not be negative, got " + std::to_string(n_classes));
  ClassId last = -1;
  for (const LabelSet& set : state_->sets)
    for (const ClassId c : set.classes) last = std::max(last, c);
  if (last >= n_classes)
    throw std::invalid_argument("some documents have class " + std::to_string(last) + ", expected below " +
                                std::to_string(n_classes));
  const RowsWithColumns<ClassEntry> rows(state_->classes, state_->sorted(), columns);
  return class_counts(rows.by_thread(), state_->sets, state_->n_columns(columns), n_classes, binary, threads);
}

}  // namespace termsift
