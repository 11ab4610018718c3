#include "termsift/counting.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "class_streams.hpp"
#include "values.hpp"
#include "zeroed_array.hpp"

namespace termsift {
namespace {

bool some_document_has_not_one_class(const LabelView& labels, std::int64_t n_docs) {
  if (labels.indptr == nullptr) return false;
  for (std::int64_t d = 0; d < n_docs; ++d)
    if (labels.indptr[d + 1] - labels.indptr[d] != 1) return true;
  return false;
}

// ---- overflow ----------------------------------------------------------------------------------------------------------

// Whether a * b + c leaves int64; a, b, c >= 0.
bool overflows(std::int64_t a, std::int64_t b, std::int64_t c) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return (b != 0 && a > most / b) || a * b > most - c;
}

// Exact counts stay in int64 if each class's tokens and documents do. A bound from the largest value answers for nearly
// every input at once; only where it does not are the documents added up one by one.
template <class Index, class Value>
void check_overflow(const ClassCounts<std::int64_t>& counts, const CsrView<Index, Value>& x, const CsrFacts& facts,
                    const LabelView& labels, const std::int64_t* weights) {
  double most_tokens = static_cast<double>(counts.n_docs);
  if (counts.collection) most_tokens += static_cast<double>(counts.collection->n_tokens);
  for (const auto& row : counts.rows) most_tokens += static_cast<double>(row->n_tokens) + static_cast<double>(row->n_docs);
  const double largest_weight =
      weights == nullptr || x.n_rows == 0 ? 1 : static_cast<double>(*std::max_element(weights, weights + x.n_rows));
  const double entries = static_cast<double>(x.indptr[x.n_rows]) + static_cast<double>(x.n_rows);
  if (most_tokens + entries * std::max(facts.value_bound, 1.0) * largest_weight < 0x1p62) return;

  const auto n_classes = static_cast<std::size_t>(labels.n_classes);
  // One more for the collection, whose tokens count only if its row is kept.
  std::vector<std::int64_t> tokens(n_classes + 1), docs(n_classes + 1);
  for (std::size_t c = 0; c < n_classes; ++c) tokens[c] = counts.rows[c]->n_tokens, docs[c] = counts.rows[c]->n_docs;
  const bool keeps_collection = counts.collection || some_document_has_not_one_class(labels, x.n_rows);
  if (keeps_collection) tokens[n_classes] = collection_row(counts)->n_tokens;
  docs[n_classes] = counts.n_docs;
  for (std::int64_t d = 0; d < x.n_rows; ++d) {
    const std::int64_t weight = weights == nullptr ? 1 : weights[d];
    const auto add = [&](std::size_t c) {
      if (overflows(weight, 1, docs[c]))
        throw CountOverflow("with document " + std::to_string(d) + " of weight " + std::to_string(weight) +
                            " the number of documents exceeds 2^63 - 1");
      docs[c] += weight;
      if (c == n_classes && !keeps_collection) return;
      for (std::int64_t e = x.indptr[d]; e < x.indptr[d + 1]; ++e) {
        const auto value = as_count<std::int64_t>(x.data[e]);
        if (overflows(value, weight, tokens[c]))
          throw CountOverflow("with " + std::to_string(value) + " at row " + std::to_string(d) + ", column " +
                              std::to_string(x.indices[e]) + " the tokens of " +
                              (c < n_classes ? "class " + std::to_string(c) : std::string("the collection")) +
                              " exceed 2^63 - 1");
        tokens[c] += value * weight;
      }
    };
    for_each_class(labels, d, add);
    add(n_classes);
  }
}

// An int64 above 2^53 may be no double.
template <class Index, class Value>
void check_exact_doubles(const CsrView<Index, Value>& x, const CsrFacts& facts) {
  if constexpr (std::is_integral_v<Value> && sizeof(Value) == 8) {
    if (facts.value_bound < 0x1p53) return;  // 2^53 + 1 rounds to 2^53
    for (std::int64_t d = 0; d < x.n_rows; ++d)
      for (std::int64_t e = x.indptr[d]; e < x.indptr[d + 1]; ++e)
        // Below 2^63, so that the conversion back is defined.
        if (const auto value = static_cast<double>(x.data[e]); value >= 0x1p63 || static_cast<Value>(value) != x.data[e])
          throw std::invalid_argument("X has " + text(x.data[e]) + " at row " + std::to_string(d) + ", column " +
                                      std::to_string(x.indices[e]) + ", which float counts cannot hold exactly");
  }
}

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
      : term_frequency(n_terms), document_frequency(n_terms), last_document(distinct ? 0 : n_terms) {}
  ZeroedArray<Count> term_frequency;
  ZeroedArray<Count> document_frequency;
  ZeroedArray<std::int64_t> last_document;  // one more than the last document that had the term; unless entries are distinct
  std::vector<TermId> touched;  // the terms whose counters are not zero
};

// Adds the documents to the counters in the given order.
template <bool distinct, class Index, class Value, CountType Count>
void add_documents(const CsrView<Index, Value>& x, std::span<const std::int64_t> documents, const Count* weights,
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

// The counters as a row; leaves them zero.
template <CountType Count>
ClassRow<Count> drain(Counters<Count>& counters, std::int64_t n_terms, bool distinct) {
  auto& touched = counters.touched;
  const auto size = static_cast<std::int64_t>(touched.size());
  auto row = ClassRow<Count>::with_capacity(size);
  row.size = size;
  // Terms must be in order. Sorting the touched ones costs about 16 steps of a scan over all.
  if (size > n_terms / 16) {
    std::int64_t n = 0;
    for (std::int64_t term = 0; term < n_terms; ++term)
      if (counters.document_frequency[term] != 0) touched[static_cast<std::size_t>(n++)] = static_cast<TermId>(term);
  } else {
    std::sort(touched.begin(), touched.end());
  }
  for (std::int64_t i = 0; i < size; ++i) {
    const TermId term = touched[static_cast<std::size_t>(i)];
    row.terms[i] = term;
    row.term_frequency[i] = std::exchange(counters.term_frequency[term], 0);
    row.document_frequency[i] = std::exchange(counters.document_frequency[term], 0);
    if (!distinct) counters.last_document[term] = 0;
  }
  touched.clear();
  row.sum_tokens();
  return row;
}

// ---- the two ways --------------------------------------------------------------------------------------------------------

// A counter of a stream holds fewer documents than this.
constexpr std::int64_t most_streamed_documents = (std::int64_t{1} << 24) - 1;

// The row of class c; of the collection for c beyond the last (null if it is not kept).
template <CountType Count>
ClassRowPtr<Count>& row_of(ClassCounts<Count>& counts, std::size_t c) {
  return c < counts.rows.size() ? counts.rows[c] : counts.collection;
}

template <CountType Count>
void replace_row(ClassRowPtr<Count>& row, ClassRow<Count>&& with, Count n_docs) {
  with.n_docs = n_docs;
  check_finite(with);
  row = std::make_shared<const ClassRow<Count>>(std::move(with));
}

// The documents of each class, and last of the collection, after those of the labels have joined; summed in their order.
template <CountType Count>
std::vector<Count> documents_with(const ClassCounts<Count>& counts, const LabelView& labels, const Count* weights,
                                  std::int64_t n_docs) {
  std::vector<Count> docs;
  for (const auto& row : counts.rows) docs.push_back(row->n_docs);
  docs.push_back(counts.n_docs);
  for (std::int64_t d = 0; d < n_docs; ++d) {
    const Count weight = weights == nullptr ? 1 : weights[d];
    docs.back() += weight;
    for_each_class(labels, d, [&](std::size_t c) { docs[c] += weight; });
  }
  check_finite(docs.back(), "the weights of the documents");
  return docs;
}

// Whether class streams can count the documents: they know neither weights, zeros nor repeated entries, hold small integers,
// and add to float counts only from nothing, where sums of integers are exact in any order.
template <class Index, class Value, CountType Count>
bool can_stream(const ClassCounts<Count>& counts, const CsrView<Index, Value>& x, const CsrFacts& facts,
                const Count* weights) {
  const bool few_escapes = facts.n_unpackable <= x.indptr[x.n_rows] / 8;
  const bool fits = facts.value_bound * static_cast<double>(std::min(x.n_rows, most_streamed_documents)) < 0x1p40;
  const auto is_empty = [](const auto& row) { return row == nullptr || row->size == 0; };
  const bool any_order = std::is_integral_v<Count> || (std::all_of(counts.rows.begin(), counts.rows.end(), is_empty) &&
                                                       is_empty(counts.collection));
  return weights == nullptr && facts.distinct && !facts.has_zeros && !facts.has_fractions && few_escapes && fits && any_order;
}

// Copies windows of documents into the streams of their classes and counts those.
template <class Index, class Value, CountType Count>
void add_by_streams(ClassCounts<Count>& counts, const CsrView<Index, Value>& x, const LabelView& labels,
                    const std::vector<Count>& docs, std::int64_t window_bytes, const Threads& threads) {
  const bool with_collection = counts.collection != nullptr;
  std::vector<ClassRow<Count>> added(docs.size());
  for (std::int64_t first = 0; first < x.n_rows;) {
    // A window: as many documents as the memory allows, but at least one.
    std::int64_t last = first, bytes = 0;
    while (last < x.n_rows && last - first < most_streamed_documents) {
      const std::int64_t copies = with_collection + (labels.indptr == nullptr ? 1 : labels.indptr[last + 1] - labels.indptr[last]);
      bytes += 4 * copies * (x.indptr[last + 1] - x.indptr[last]);
      if (bytes > window_bytes && last > first) break;
      ++last;
    }
    const ClassStreams<Count> streams(x, labels, with_collection, first, last, threads);
    std::vector<ClassRow<Count>> rows = streams.count(x.n_columns, threads);
    for_each_block(static_cast<std::int64_t>(rows.size()), threads, [&](std::int64_t block, Worker&) {
      const auto c = static_cast<std::size_t>(block);
      if (rows[c].size > 0) added[c] = added[c].size == 0 ? std::move(rows[c]) : merge_rows(added[c], rows[c]);
    });
    first = last;
  }
  for_each_block(static_cast<std::int64_t>(docs.size()), threads, [&](std::int64_t block, Worker&) {
    const auto c = static_cast<std::size_t>(block);
    ClassRowPtr<Count>& row = row_of(counts, c);
    if (row == nullptr || (added[c].size == 0 && row->n_docs == docs[c])) return;
    replace_row(row, row->size == 0 ? std::move(added[c]) : merge_rows(*row, added[c]), docs[c]);
  });
}

// Gathers each class's rows from the matrix: any values and weights, in document order.
template <class Index, class Value, CountType Count>
void add_by_rows(ClassCounts<Count>& counts, const CsrView<Index, Value>& x, const CsrFacts& facts,
                 const LabelView& labels, const Count* weights, const std::vector<Count>& docs,
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
    if (!slot) slot = std::make_unique<Counters<Count>>(counts.n_terms, facts.distinct);
    Counters<Count>& counters = *slot;
    for (std::int64_t i = 0; i < row->size; ++i) {
      counters.touched.push_back(row->terms[i]);
      counters.term_frequency[row->terms[i]] = row->term_frequency[i];
      counters.document_frequency[row->terms[i]] = row->document_frequency[i];
    }
    if (facts.distinct)
      add_documents<true>(x, documents_of(c), weights, counters, worker);
    else
      add_documents<false>(x, documents_of(c), weights, counters, worker);
    replace_row(row, drain(counters, counts.n_terms, facts.distinct), docs[static_cast<std::size_t>(c)]);
  });
}

}  // namespace

void check_labels(const LabelView& labels, std::int64_t n_docs) {
  if (labels.indptr == nullptr) {
    if (labels.n_codes != n_docs)
      throw std::invalid_argument("y has " + std::to_string(labels.n_codes) + " labels for " + std::to_string(n_docs) + " documents");
  } else {
    if (labels.indptr[0] != 0 || labels.indptr[n_docs] != labels.n_codes)
      throw std::invalid_argument("the label offsets do not span the labels");
    for (std::int64_t d = 0; d < n_docs; ++d)
      if (labels.indptr[d + 1] < labels.indptr[d] || labels.indptr[d + 1] > labels.n_codes)
        throw std::invalid_argument("the label offsets of document " + std::to_string(d) + " are unsound");
  }
  for (std::int64_t i = 0; i < labels.n_codes; ++i)
    if (labels.codes[i] < 0 || labels.codes[i] >= labels.n_classes)
      throw std::invalid_argument("label " + std::to_string(i) + " has the class code " + std::to_string(labels.codes[i]) +
                                  ", expected one in [0, " + std::to_string(labels.n_classes) + ")");
}

template <class Index, class Value, CountType Count>
ClassCounts<Count> count_documents(const ClassCounts<Count>& counts, const CsrView<Index, Value>& x,
                                   const CsrFacts& facts, const LabelView& labels, const Count* weights,
                                   const Threads& requested, std::int64_t window_bytes) {
  if constexpr (std::is_integral_v<Count>)
    check_overflow(counts, x, facts, labels, weights);
  else
    check_exact_doubles(x, facts);

  ClassCounts<Count> result = counts;
  result.n_terms = std::max(counts.n_terms, x.n_columns);
  // As long as every document has exactly one class, the collection is the sum of the classes: exactly in exact counts, in
  // another order of summation in float ones.
  const bool is_sum = std::is_integral_v<Count> ? !some_document_has_not_one_class(labels, x.n_rows) : labels.indptr == nullptr;
  if (!is_sum && !result.collection) result.collection = collection_row(counts);

  const std::vector<Count> docs = documents_with(counts, labels, weights, x.n_rows);
  const Threads threads = worth(requested, x.indptr[x.n_rows]);
  if (can_stream(counts, x, facts, weights))
    add_by_streams(result, x, labels, docs, window_bytes, threads);
  else
    add_by_rows(result, x, facts, labels, weights, docs, threads);
  result.n_docs = docs.back();
  return result;
}

#define TERMSIFT_INSTANTIATE_COUNT(Index, Value, Count)                                                             \
  template ClassCounts<Count> count_documents(const ClassCounts<Count>&, const CsrView<Index, Value>&,              \
                                              const CsrFacts&, const LabelView&, const Count*, const Threads&,  \
                                              std::int64_t);
#define TERMSIFT_INSTANTIATE_INTEGER(Value)                               \
  TERMSIFT_INSTANTIATE_COUNT(std::int32_t, Value, std::int64_t)           \
  TERMSIFT_INSTANTIATE_COUNT(std::int64_t, Value, std::int64_t)           \
  TERMSIFT_INSTANTIATE_COUNT(std::int32_t, Value, double)                 \
  TERMSIFT_INSTANTIATE_COUNT(std::int64_t, Value, double)
#define TERMSIFT_INSTANTIATE_FLOAT(Value)                 \
  TERMSIFT_INSTANTIATE_COUNT(std::int32_t, Value, double) \
  TERMSIFT_INSTANTIATE_COUNT(std::int64_t, Value, double)
TERMSIFT_FOR_EACH_INTEGER_VALUE(TERMSIFT_INSTANTIATE_INTEGER)
TERMSIFT_FOR_EACH_FLOAT_VALUE(TERMSIFT_INSTANTIATE_FLOAT)

}  // namespace termsift
