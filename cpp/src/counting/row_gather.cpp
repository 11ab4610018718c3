#include "counting/row_gather.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "counting/document_entries.hpp"
#include "termsift/large_memory.hpp"
#include "base/values.hpp"

namespace termsift {
namespace {

// ---- documents by class ------------------------------------------------------------------------------------------------

// The documents of each class, in document order: those of class c are documents[begin[c] .. begin[c + 1]).
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

// One counter a term, all zero between classes.
template <CountType Count>
struct Counters {
  explicit Counters(std::int64_t n_terms, bool distinct)
      : term_frequency(LargeArray<Count>::zeroed(n_terms)),
        document_frequency(LargeArray<Count>::zeroed(n_terms)),
        last_document(LargeArray<std::int64_t>::zeroed(distinct ? 0 : n_terms)) {}
  LargeArray<Count> term_frequency;
  LargeArray<Count> document_frequency;
  LargeArray<std::int64_t> last_document;  // one more than the last document that had the term; unless entries are distinct
  std::vector<TermId> touched;  // the terms whose counters are not zero
};

// Adds the documents to the counters in the given order.
template <bool distinct, class Index, class Value, CountType Count>
void add_documents(const CsrView<Index, Value> x, std::span<const std::int64_t> documents, const Count* weights,
                   Counters<Count>& counters, Worker& worker) {
  std::int64_t until_check = 1 << 16;
  for (const std::int64_t d : documents) {
    const Count weight = weights == nullptr ? 1 : weights[d];
    if (weight == 0) continue;
    for (std::int64_t e = x.indptr[d]; e < x.indptr[d + 1]; ++e) {
      const Count value = as_count<Count>(x.data[e]) * weight;
      if (value == 0) continue;
      const std::int64_t term = x.indices[e];
      Count& df = counters.document_frequency[term];
      if (df == 0) counters.touched.push_back(static_cast<TermId>(term));
      counters.term_frequency[term] += value;
      if (distinct || counters.last_document[term] != d + 1) df += weight;
      if (!distinct) counters.last_document[term] = d + 1;
    }
    until_check -= x.indptr[d + 1] - x.indptr[d] + 1;
    if (until_check < 0) {
      worker.check();
      until_check = 1 << 16;
    }
  }
}

// The same of what is damped, each term of a document once.
template <CountType Count>
void add_damped_documents(const AnyCsr& x, bool distinct, std::span<const std::int64_t> documents,
                          const Count* weights, DocumentEntries& entries, Counters<Count>& counters, Worker& worker) {
  std::int64_t until_check = 1 << 16;
  for (const std::int64_t d : documents) {
    const Count weight = weights == nullptr ? 1 : weights[d];
    if (weight == 0) continue;
    entries.read(x, d, distinct);
    const TermId* const terms = entries.terms();
    const double* const values = entries.values();
    for (std::int64_t i = 0; i < entries.size(); ++i) {
      const Count value = static_cast<Count>(values[i]) * weight;
      if (value == 0) continue;
      Count& df = counters.document_frequency[terms[i]];
      if (df == 0) counters.touched.push_back(terms[i]);
      counters.term_frequency[terms[i]] += value;
      df += weight;
    }
    until_check -= x.indptr[d + 1] - x.indptr[d] + 1;
    if (until_check < 0) {
      worker.check();
      until_check = 1 << 16;
    }
  }
}

// The counters as a row; leaves them zero.
template <CountType Count>
ClassRow<Count> drain(Counters<Count>& counters, std::int64_t n_terms, bool distinct) {
  auto& touched = counters.touched;
  const auto size = static_cast<std::int64_t>(touched.size());
  // Terms must be in order. Sorting the touched ones costs about 16 steps of a scan over all.
  if (size > n_terms / 16) {
    std::int64_t n = 0;
    for (std::int64_t term = 0; term < n_terms; ++term)
      if (counters.document_frequency[term] != 0) touched[static_cast<std::size_t>(n++)] = static_cast<TermId>(term);
  } else {
    std::sort(touched.begin(), touched.end());
  }
  Count largest = 0;
  for (const TermId term : touched) largest = std::max(largest, counters.term_frequency[term]);
  const bool narrow = std::is_integral_v<Count> && largest < static_cast<Count>(std::int64_t{1} << 32);
  auto row = ClassRow<Count>::with_capacity(size, narrow);
  row.size = size;
  for (std::int64_t i = 0; i < size; ++i) {
    const TermId term = touched[static_cast<std::size_t>(i)];
    row.terms[i] = term;
    row.term_frequency.set(i, std::exchange(counters.term_frequency[term], 0));
    row.document_frequency.set(i, std::exchange(counters.document_frequency[term], 0));
    if (!distinct) counters.last_document[term] = 0;
  }
  touched.clear();
  row.sum_tokens();
  return row;
}

}  // namespace

template <CountType Count>
void add_by_rows(ClassCounts<Count>& counts, const AnyCsr& x, const CsrFacts& facts,
                 const LabelView& labels, const Count* weights, Damping damping, const std::vector<Count>& docs,
                 const Threads& threads) {
  const bool once = facts.distinct || damping != Damping::raw;  // each term of a document is added once
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

  // The classes that have documents here, those with most entries first: the last one running alone should be short.
  std::vector<std::int64_t> entries(static_cast<std::size_t>(labels.n_classes) + 1, 0), order;
  for (std::int64_t c = 0; c <= labels.n_classes; ++c) {
    for (const std::int64_t d : documents_of(c)) entries[static_cast<std::size_t>(c)] += x.indptr[d + 1] - x.indptr[d];
    if (!documents_of(c).empty()) order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return entries[static_cast<std::size_t>(a)] > entries[static_cast<std::size_t>(b)];
  });

  std::vector<std::unique_ptr<Counters<Count>>> counters_of_thread(static_cast<std::size_t>(threads.count));
  for_each_block(static_cast<std::int64_t>(order.size()), threads, [&](std::int64_t block, Worker& worker) {
    const std::int64_t c = order[static_cast<std::size_t>(block)];
    ClassRowPtr<Count>& row = row_of(counts, static_cast<std::size_t>(c));
    auto& slot = counters_of_thread[static_cast<std::size_t>(worker.thread())];
    if (!slot) slot = std::make_unique<Counters<Count>>(counts.n_terms, once);
    Counters<Count>& counters = *slot;
    for (std::int64_t i = 0; i < row->size; ++i) {
      counters.touched.push_back(row->terms[i]);
      counters.term_frequency[row->terms[i]] = row->term_frequency[i];
      counters.document_frequency[row->terms[i]] = row->document_frequency[i];
    }
    if (damping != Damping::raw) {
      DocumentEntries document(damping);
      add_damped_documents(x, facts.distinct, documents_of(c), weights, document, counters, worker);
    } else {
      x.visit([&](const auto& view) {
        if (facts.distinct) add_documents<true>(view, documents_of(c), weights, counters, worker);
        else add_documents<false>(view, documents_of(c), weights, counters, worker);
      });
    }
    replace_row(row, drain(counters, counts.n_terms, once), docs[static_cast<std::size_t>(c)]);
  });
}

template void add_by_rows(ClassCounts<std::int64_t>&, const AnyCsr&, const CsrFacts&, const LabelView&,
                          const std::int64_t*, Damping, const std::vector<std::int64_t>&, const Threads&);
template void add_by_rows(ClassCounts<double>&, const AnyCsr&, const CsrFacts&, const LabelView&, const double*, Damping,
                          const std::vector<double>&, const Threads&);

}  // namespace termsift
