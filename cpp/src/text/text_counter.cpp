#include "termsift/text_counter.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "text/chunks.hpp"
#include "text/class_pairs.hpp"
#include "text/class_rows.hpp"
#include "text/document_rows.hpp"
#include "text/row_sorter.hpp"
#include "text/row_store.hpp"
#include "text/shared_terms.hpp"
#include "text/thread_counter.hpp"
#include "text/vocabulary.hpp"

namespace termsift {
namespace {

template <class Rows>
using Counters = std::vector<std::unique_ptr<ThreadCounter<Rows>>>;  // by thread; null if the thread has not counted

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

template <class Rows>
std::vector<TermTables*> tables_of(const Counters<Rows>& counters) {
  std::vector<TermTables*> tables;
  for (const auto& counter : counters) tables.push_back(&counter->tables);
  return tables;
}

// Consecutive documents that one thread has counted.
struct CountedChunk {
  std::int64_t begin, end;  // the documents [begin, end)
  std::size_t thread;
};

// Returns a chunk's rows for n-grams of one fixed n.
std::span<const Row<DocumentEntry>> rows_of(const CountedChunk& chunk, const RowStore<DocumentEntry>& store) {
  const auto begins = [&](std::int64_t document) {
    return std::lower_bound(store.rows().begin(), store.rows().end(), document,
                            [](const Row<DocumentEntry>& row, std::int64_t owner) { return row.owner < owner; });
  };
  return {begins(chunk.begin), begins(chunk.end)};
}

// Documents sorted by class. The counts do not depend on the order, but with this order ClassRows writes down fewer counts.
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

}  // namespace

struct TextCounter::State {
  State(const TextRules& given, bool counts_by_class) : rules(given), by_class(counts_by_class) {}

  const TextRules rules;
  const bool by_class;
  bool failed = false;  // whether a call has failed and left the counter inconsistent
  Counters<DocumentRows> documents;
  Counters<ClassRows> classes;
  SharedTerms shared;                               // the terms that threads have moved out of `classes`
  std::vector<CountedChunk> chunks;                 // the chunks of a counter by document, in order
  std::vector<std::int64_t> class_documents;        // the number of documents of each class, in a counter by class
  std::int64_t n_marked = 0;                        // n_entries() when unite_if_due() last found enough entries
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

  // Counts texts. owner(document) returns the owner of the document's row. done(chunk, begin, end, thread) is called after
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
    counter->count(texts, begin, end, owner, worker);
    if constexpr (std::is_same_v<Rows, ClassRows>)
      if (rules.sketch) shared.take_if_many(counter, rules.sketch->n_bytes(), counters.size(), worker);
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

  // Checks the classes of documents. Returns one more than the largest class.
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
    const auto owner = [&](std::int64_t i) { return std::int64_t{sorted.classes[static_cast<std::size_t>(i)]}; };
    const auto number_of = [&](std::int64_t i) { return sorted.number[static_cast<std::size_t>(i)]; };
    const auto count_all = [&] { count(classes, sorted.texts, threads, owner, [](auto&&...) {}); };
    name_first_bad_text(rules, texts, threads, count_all, number_of);
    for (const ClassId c : of_texts) ++class_documents[static_cast<std::size_t>(c)];
    unite_if_due(threads);
  }

  std::int64_t add_table(TableReader& table, std::int64_t n_bytes, const Threads& threads) {
    const auto n_threads = static_cast<std::size_t>(threads.count);
    if (classes.size() < n_threads) classes.resize(n_threads);
    std::vector<std::vector<std::int64_t>> of_threads(n_threads);  // the number of documents of each class
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
    // Each call also adds entries for pairs of class and term that have entries already. Uniting takes time, so rows are
    // united only when the number of entries has doubled.
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
  // Unites each thread's rows of a class. So memory grows with the number of pairs of class and term, and not with the
  // number of calls.
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
    if constexpr (std::is_same_v<Rows, ClassRows>)
      if (auto of_all = shared.release()) counters.insert(counters.begin(), std::move(of_all));
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

// The column of each id in the threads' tables. It is columns[term] for the sorted term of the id, or the term itself if
// `columns` is empty.
class ColumnsOfIds {
 public:
  template <class Rows>
  ColumnsOfIds(const Counters<Rows>& counters, const Vocabulary& vocabulary, std::span<const std::int32_t> columns) {
    of_.resize(counters.size());
    for (std::size_t t = 0; t < counters.size(); ++t)
      for (std::size_t n = 1; n <= counters[t]->rows.size(); ++n) {
        of_[t].push_back(vocabulary.terms(t, n));
        if (!columns.empty()) map(of_[t].back(), counters[t]->tables.size(n), columns);
      }
  }
  const std::vector<std::vector<const std::int32_t*>>& of() const { return of_; }

 private:
  void map(const std::int32_t*& terms, std::int64_t n_ids, std::span<const std::int32_t> columns) {
    LargeArray<std::int32_t> mapped = LargeArray<std::int32_t>::uninitialised(n_ids);
    for (std::int64_t id = 0; id < n_ids; ++id)
      mapped[id] = terms[id] < 0 ? -1 : columns[static_cast<std::size_t>(terms[id])];
    terms = mapped.get();
    held_.push_back(std::move(mapped));
  }
  std::vector<std::vector<const std::int32_t*>> of_;
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
    return state_->change([&] { state_->add_documents(texts, threads); });
  }
  const std::size_t n_classes = State::checked(texts, classes);
  state_->change([&] { state_->add_classes(texts, classes, n_classes, threads); });
}

std::int64_t TextCounter::add(TableReader& table, std::int64_t n_bytes, const Threads& threads) {
  if (state_->vocabulary) throw std::logic_error("no text can be added after the terms were sorted");
  if (!state_->by_class) throw std::invalid_argument("a counter by document cannot read a table");
  std::int64_t n_docs = 0;
  state_->change([&] { n_docs = state_->add_table(table, n_bytes, threads); });
  return n_docs;
}

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
  const ColumnsOfIds of_ids(state_->documents, state_->sorted(), columns);
  const std::int64_t n_columns = columns.empty() ? n_terms() : *std::max_element(columns.begin(), columns.end()) + 1;
  const bool drops = std::any_of(columns.begin(), columns.end(), [](std::int32_t column) { return column < 0; });
  const std::int64_t n_chunks = std::ssize(state_->chunks);
  // Calls f(row, column of each id) for all rows of a chunk.
  const auto for_each_row = [&](const CountedChunk& chunk, Worker& worker, const auto& f) {
    for (std::size_t n = 0; n < of_ids.of()[chunk.thread].size(); ++n) {
      worker.check();
      const auto& store = state_->documents[chunk.thread]->rows[n].store();
      for (const Row<DocumentEntry>& row : rows_of(chunk, store)) f(row, of_ids.of()[chunk.thread][n]);
    }
  };
  TextMatrix matrix;
  matrix.n_rows = state_->chunks.empty() ? 0 : state_->chunks.back().end;
  matrix.indptr = LargeArray<std::int64_t>::zeroed(matrix.n_rows + 1);
  std::int64_t* const indptr = matrix.indptr.get();
  for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
    const CountedChunk& chunk = state_->chunks[static_cast<std::size_t>(block)];
    for_each_row(chunk, worker, [&](const auto& row, const std::int32_t* column_of) {
      const auto is_kept = [&](const DocumentEntry& entry) { return column_of[entry.id] >= 0; };
      indptr[row.owner + 1] += drops ? std::count_if(row.entries, row.entries + row.size, is_kept) : row.size;
    });
  });
  std::partial_sum(indptr, indptr + matrix.n_rows + 1, indptr);
  matrix.n_entries = indptr[matrix.n_rows];
  matrix.indices = LargeArray<std::int32_t>::uninitialised(matrix.n_entries);
  matrix.data = LargeArray<std::int64_t>::uninitialised(matrix.n_entries);
  PerThread<RowSorter> sorters(worth(threads, n_chunks, 1));
  for_each_block(n_chunks, threads, [&](std::int64_t block, Worker& worker) {
    const CountedChunk& chunk = state_->chunks[static_cast<std::size_t>(block)];
    RowSorter& sorter = sorters.own(worker);
    sorter.start(n_columns);
    // The memory of the rows is prefetched while their entries are sorted.
    constexpr std::int64_t most = 1 << 15;
    const std::int64_t end = std::min(indptr[chunk.end], indptr[chunk.begin] + most);
    for (std::int64_t i = indptr[chunk.begin]; i < end; i += 8) {
      prefetch_for_write(matrix.data.get() + i);
      if (i % 16 < 8) prefetch_for_write(matrix.indices.get() + i);
    }
    for_each_row(chunk, worker, [&](const auto& row, const std::int32_t* column_of) {
      sorter.reserve(row.size);
      for (std::int64_t i = 0; i < row.size; ++i)
        if (const std::int32_t column = column_of[row.entries[i].id]; column >= 0)
          sorter.add(row.owner - chunk.begin, column, false, row.entries[i].count);
    });
    const std::span<const std::int64_t> begins(indptr + chunk.begin, indptr + chunk.end);
    std::vector<std::int64_t> ends(begins.size());
    sorter.write(begins, ends, matrix.indices.get(), matrix.data.get());
  });
  return matrix;
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
      throw std::invalid_argument("a column is " + std::to_string(column) + ", expected below " + std::to_string(n_columns));
  if (columns.empty() && n_columns < n_terms()) throw std::invalid_argument("there are fewer columns than terms");
  const ColumnsOfIds of_ids(state_->classes, state_->sorted(), columns);
  std::vector<CountedRows> counted;
  for (std::size_t t = 0; t < state_->classes.size(); ++t)
    for (std::size_t n = 0; n < of_ids.of()[t].size(); ++n)
      counted.push_back({&state_->classes[t]->rows[n].store(), of_ids.of()[t][n]});
  return class_counts(counted, state_->class_documents, n_columns, n_classes, binary, threads);
}

}  // namespace termsift
