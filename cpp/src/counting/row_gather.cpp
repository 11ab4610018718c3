#include "counting/streams.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/values.hpp"
#include "counting/entry_kernels.hpp"
#include "counting/document_entries.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {
namespace {

// ---- documents by class ------------------------------------------------------------------------------------------------

// The documents of each class in increasing order. Class c has documents[begin[c] .. begin[c + 1]).
struct DocumentsByClass {
  std::vector<std::int64_t> begin;
  std::unique_ptr<std::int64_t[]> documents;
};

DocumentsByClass documents_by_class(const LabelView& labels, std::int64_t n_docs) {
  DocumentsByClass by_class;
  by_class.begin.assign(static_cast<std::size_t>(labels.n_classes) + 1, 0);
  for (std::int64_t i = 0; i < labels.n_codes; ++i) ++by_class.begin[static_cast<std::size_t>(labels.codes[i]) + 1];
  std::partial_sum(by_class.begin.begin(), by_class.begin.end(), by_class.begin.begin());
  by_class.documents = std::make_unique_for_overwrite<std::int64_t[]>(static_cast<std::size_t>(labels.n_codes));
  std::vector<std::int64_t> next(by_class.begin);
  for (std::int64_t d = 0; d < n_docs; ++d)
    for_each_class(labels, d, [&](std::size_t c) { by_class.documents[next[c]++] = d; });
  return by_class;
}

// ---- one class at a time -----------------------------------------------------------------------------------------------

// The counts of one term in one class.
template <CountType Count>
struct TermCount {
  Count occurrences, documents;
};

// The counters of all terms for the current class. Between classes, all counters are zero.
template <CountType Count>
struct TermCounters {
  TermCounters(std::int64_t n_terms, bool distinct_)
      : distinct(distinct_),
        counts(LargeArray<TermCount<Count>>::zeroed(n_terms)),
        last_document(LargeArray<std::int64_t>::zeroed(distinct ? 0 : n_terms)),
        touched(LargeArray<TermId>::uninitialised(n_terms + 1)) {}

  bool distinct;  // true if documents never repeat a term
  // If lists_touched is false, `touched` is empty, and drain() searches all terms. A search is faster for a class that has
  // more entries than the matrix has terms, because such a class touches most terms.
  bool lists_touched = true;
  LargeArray<TermCount<Count>> counts;
  LargeArray<std::int64_t> last_document;  // for each term, 1 + the last document with the term; empty if `distinct`
  LargeArray<TermId> touched;              // (n_touched,) the terms whose counters are not zero
  std::int64_t n_touched = 0;
};

// Adds document d.
template <bool distinct, bool lists_touched, class Index, class Value, CountType Count>
void add_document(std::int64_t d, const Index* terms, const Value* values, std::int64_t n, Count weight,
                  TermCounters<Count>& counters) {
  // Without these local copies, the compiler would reload the members for each entry, because additions might change them.
  TermCount<Count>* const counts = counters.counts.get();
  std::int64_t* const last_document = counters.last_document.get();
  TermId* const touched = counters.touched.get();
  std::int64_t n_touched = counters.n_touched;
  for (std::int64_t i = 0; i < n; ++i) {
    const Count value = as_count<Count>(values[i]) * weight;
    if (value == 0) continue;
    const std::int64_t term = terms[i];
    TermCount<Count> count = counts[term];
    if constexpr (lists_touched) {
      touched[n_touched] = static_cast<TermId>(term);  // no branch, which would be unpredictable
      n_touched += count.documents == 0;
    }
    count.occurrences += value;
    if (distinct || last_document[term] != d + 1) count.documents += weight;
    counts[term] = count;
    if (!distinct) last_document[term] = d + 1;
  }
  counters.n_touched = n_touched;
}

// Calls add(document, weight, next) for each document of positive weight. `next` is a later document, which `add` can
// prefetch. Calls worker.check() from time to time.
template <CountType Count, class F>
void for_each_weighted(const AnyCsr& x, std::span<const std::int64_t> documents, const Count* weights, Worker& worker,
                       const F& add) {
  constexpr std::int64_t steps = 1 << 16;
  std::int64_t until_check = steps;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::int64_t d = documents[i];
    const Count weight = weights == nullptr ? 1 : weights[d];
    if (weight == 0) continue;
    add(d, weight, documents[std::min(i + 2, documents.size() - 1)]);
    until_check -= x.indptr[d + 1] - x.indptr[d] + 1;
    if (until_check < 0) worker.check(), until_check = steps;
  }
}

// Moves the counters to a row and clears them.
template <CountType Count>
ClassRow<Count> drain(TermCounters<Count>& counters, std::int64_t n_terms) {
  TermId* const touched = counters.touched.get();
  std::int64_t size = std::exchange(counters.n_touched, 0);
  // The terms of a row must be in order. Sorting takes about as long for one touched term as scanning 16 terms.
  if (!counters.lists_touched || size > n_terms / 16) {
    size = 0;
    for (std::int64_t term = 0; term < n_terms; ++term) {
      touched[size] = static_cast<TermId>(term);
      size += counters.counts[term].documents != 0;
    }
  } else {
    std::sort(touched, touched + size);
  }
  Count largest = 0;
  for (std::int64_t i = 0; i < size; ++i) largest = std::max(largest, counters.counts[touched[i]].occurrences);
  const bool narrow = std::is_integral_v<Count> && largest < static_cast<Count>(std::int64_t{1} << 32);
  auto row = ClassRow<Count>::with_capacity(size, narrow);
  for (std::int64_t i = 0; i < size; ++i) {
    const auto [occurrences, documents] = std::exchange(counters.counts[touched[i]], {});
    row.set_pair(row.size++, touched[i], occurrences, documents);
    if (!counters.distinct) counters.last_document[touched[i]] = 0;
  }
  row.sum_tokens();
  return row;
}

// Calls f(), which reads the documents of several classes at once. If f() throws a BadDocument, the BadDocument of the first
// such document is thrown instead, since the one of the largest class was found first.
template <CountType Count, class F>
void name_first_bad_document(const AnyCsr& x, const CsrFacts& facts, const LabelView& labels, const Count* weights,
                             bool with_collection, TermWeight term_weight, const Threads& threads, const F& f) {
  std::int64_t found = 0;
  try {
    return f();
  } catch (const BadDocument& bad) {
    found = bad.document;
  }
  DocumentEntries entries(term_weight);
  for_each_range(found + 1, 1 << 10, {1, threads.poll}, [&](std::int64_t begin, std::int64_t end, Worker&) {
    for (std::int64_t d = begin; d < end; ++d) {
      bool is_counted = with_collection;
      for_each_class(labels, d, [&](std::size_t) { is_counted = true; });
      if (is_counted && (weights == nullptr || weights[d] != 0)) entries.read(x, d, facts.distinct);
    }
  });
  throw std::logic_error("X changed while it was counted");
}

}  // namespace

template <CountType Count>
void add_by_rows(ClassCounts<Count>& counts, const AnyCsr& x, const CsrFacts& facts,
                 const LabelView& labels, const Count* weights, TermWeight term_weight, const std::vector<Count>& docs,
                 const Threads& threads) {
  const DocumentsByClass by_class = documents_by_class(labels, x.n_rows);
  std::vector<std::int64_t> all_documents;
  const auto documents_of = [&](std::int64_t c) -> std::span<const std::int64_t> {
    if (c == labels.n_classes) return all_documents;
    const std::int64_t begin = by_class.begin[static_cast<std::size_t>(c)];
    const std::int64_t end = by_class.begin[static_cast<std::size_t>(c) + 1];
    return {by_class.documents.get() + begin, static_cast<std::size_t>(end - begin)};
  };
  if (counts.collection) {
    all_documents.resize(static_cast<std::size_t>(x.n_rows));
    std::iota(all_documents.begin(), all_documents.end(), 0);
  }

  // Threads count the largest classes first. The last class may keep a single thread busy, so it should be small.
  std::vector<std::int64_t> entries(static_cast<std::size_t>(labels.n_classes) + 1, 0), order;
  for (std::int64_t c = 0; c <= labels.n_classes; ++c) {
    for (const std::int64_t d : documents_of(c)) entries[static_cast<std::size_t>(c)] += x.indptr[d + 1] - x.indptr[d];
    if (!documents_of(c).empty()) order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return entries[static_cast<std::size_t>(a)] > entries[static_cast<std::size_t>(b)];
  });

  const bool weighted = term_weight != TermWeight::raw;  // if true, DocumentEntries merges repeated terms
  PerThread<TermCounters<Count>> counters_of_thread(threads);
  const auto count_class = [&](std::int64_t block, Worker& worker) {
    const std::int64_t c = order[static_cast<std::size_t>(block)];
    ClassRowPtr<Count>& row = counts.row_or_collection(static_cast<std::size_t>(c));
    TermCounters<Count>& counters = counters_of_thread.own(worker, counts.n_terms, facts.distinct || weighted);
    counters.lists_touched = weighted || !facts.distinct || entries[static_cast<std::size_t>(c)] <= counts.n_terms;
    for (std::int64_t i = 0; i < row->size; ++i) {
      counters.touched[counters.n_touched++] = row->terms[i];
      counters.counts[row->terms[i]] = {row->term_frequency[i], row->document_frequency[i]};
    }
    if (weighted) {
      DocumentEntries entries_of(term_weight);
      for_each_weighted(x, documents_of(c), weights, worker, [&](std::int64_t d, Count weight, std::int64_t) {
        entries_of.read(x, d, facts.distinct);
        add_document<true, true>(d, entries_of.terms(), entries_of.values(), entries_of.size(), weight, counters);
      });
    } else {
      x.visit([&]<class Index, class Value>(const CsrView<Index, Value>& view) {
        const auto add = !facts.distinct          ? add_document<false, true, Index, Value, Count>
                         : counters.lists_touched ? add_document<true, true, Index, Value, Count>
                                                  : add_document<true, false, Index, Value, Count>;
        for_each_weighted(x, documents_of(c), weights, worker, [&](std::int64_t d, Count weight, std::int64_t soon) {
          prefetch_row(view, soon);
          const std::int64_t begin = view.indptr[d], n = view.indptr[d + 1] - begin;
          add(d, view.indices + begin, view.data + begin, n, weight, counters);
        });
      });
    }
    replace_row(row, drain(counters, counts.n_terms), docs[static_cast<std::size_t>(c)]);
  };
  name_first_bad_document(x, facts, labels, weights, counts.collection != nullptr, term_weight, threads,
                          [&] { for_each_block(static_cast<std::int64_t>(order.size()), threads, count_class); });
}

template void add_by_rows(ClassCounts<std::int64_t>&, const AnyCsr&, const CsrFacts&, const LabelView&,
                          const std::int64_t*, TermWeight, const std::vector<std::int64_t>&, const Threads&);
template void add_by_rows(ClassCounts<double>&, const AnyCsr&, const CsrFacts&, const LabelView&, const double*,
                          TermWeight, const std::vector<double>&, const Threads&);

}  // namespace termsift
