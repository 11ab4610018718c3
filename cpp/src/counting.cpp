#include "termsift/counting.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace termsift {
namespace {

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}
std::string text(float value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", static_cast<double>(value));
  return buffer;
}
template <class Value>
std::string text(Value value) {
  return std::to_string(value);
}
std::string text(Bool value) { return text(static_cast<double>(value)); }

template <CountType Count, class Value>
Count as_count(Value value) {
  if constexpr (std::is_same_v<Value, Bool>)
    return static_cast<Count>(value != Bool{0});
  else
    return static_cast<Count>(value);
}

// ---- checking ----------------------------------------------------------------------------------------------------------

template <class Value>
bool acceptable(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return value >= 0 && value <= std::numeric_limits<Value>::max();
  else if constexpr (std::is_same_v<Value, std::uint64_t>)
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  else if constexpr (std::is_signed_v<Value>)
    return value >= 0;
  else
    return true;
}

template <class Index, class Value>
[[noreturn]] void refuse_entry(const CsrView<Index, Value>& x, std::int64_t row, std::int64_t entry,
                               const MatrixName& matrix) {
  const std::int64_t column = x.indices[entry];
  const std::string line = (matrix.transposed ? "column " : "row ") + std::to_string(row);
  const std::string across = matrix.transposed ? "row " : "column ";
  if (column < 0 || column >= x.n_columns)
    throw std::invalid_argument(matrix.name + " has the index " + std::to_string(column) + " in " + line +
                                ", expected a " + across + "in [0, " + std::to_string(x.n_columns) + ")");
  const std::string crossing = across + std::to_string(column);
  const std::string entry_text = matrix.name + " has " + text(x.data[entry]) + " at " +
                                 (matrix.transposed ? crossing + ", " + line : line + ", " + crossing);
  if constexpr (std::is_same_v<Value, std::uint64_t>) throw CountOverflow(entry_text + ", expected a count below 2^63");
  throw std::invalid_argument(entry_text + ", expected a finite count that is not negative");
}

template <class Index, class Value>
void check_indptr(const CsrView<Index, Value>& x, const MatrixName& matrix) {
  const std::string line = matrix.transposed ? " at column " : " at row ";
  if (x.indptr[0] != 0)
    throw std::invalid_argument(matrix.name + ".indptr starts at " + std::to_string(x.indptr[0]) + ", expected 0");
  for (std::int64_t row = 0; row < x.n_rows; ++row) {
    const std::int64_t begin = x.indptr[row], end = x.indptr[row + 1];
    if (end < begin)
      throw std::invalid_argument(matrix.name + ".indptr decreases from " + std::to_string(begin) + " to " +
                                  std::to_string(end) + line + std::to_string(row));
    if (end > x.n_stored)
      throw std::invalid_argument(matrix.name + ".indptr reaches " + std::to_string(end) + line + std::to_string(row) +
                                  ", but " + std::to_string(x.n_stored) + " entries are stored");
  }
}

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
  if (most_tokens + entries * std::max(facts.largest_value, 1.0) * largest_weight < 0x1p62) return;

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
    const std::int64_t begin = labels.indptr == nullptr ? d : labels.indptr[d];
    const std::int64_t end = labels.indptr == nullptr ? d + 1 : labels.indptr[d + 1];
    for (std::int64_t i = begin; i < end; ++i) add(static_cast<std::size_t>(labels.codes[i]));
    add(n_classes);
  }
}

// An int64 above 2^53 may be no double.
template <class Index, class Value>
void check_exact_doubles(const CsrView<Index, Value>& x, const CsrFacts& facts) {
  if constexpr (std::is_integral_v<Value> && sizeof(Value) == 8) {
    if (facts.largest_value < 0x1p53) return;  // 2^53 + 1 rounds to 2^53
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
  for (std::int64_t d = 0; d < n_docs; ++d) {
    const std::int64_t begin = labels.indptr == nullptr ? d : labels.indptr[d];
    const std::int64_t end = labels.indptr == nullptr ? d + 1 : labels.indptr[d + 1];
    for (std::int64_t i = begin; i < end; ++i) by_class.documents[next[static_cast<std::size_t>(labels.codes[i])]++] = d;
  }
  return by_class;
}

// ---- one class at a time -----------------------------------------------------------------------------------------------

// Zeros that cost nothing until touched: the system hands out fresh pages as they are written, and most terms of a huge
// vocabulary never occur in a class.
template <class T>
class ZeroedArray {
 public:
  explicit ZeroedArray(std::int64_t size) : data_(std::calloc(static_cast<std::size_t>(std::max<std::int64_t>(size, 1)), sizeof(T))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  T& operator[](std::int64_t i) { return static_cast<T*>(data_.get())[i]; }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<void, Free> data_;
};

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

// Adds the documents to the counters in the given order; gives n_docs with their weights added.
template <bool distinct, class Index, class Value, CountType Count>
Count add_documents(const CsrView<Index, Value>& x, std::span<const std::int64_t> documents, const Count* weights,
                    Count n_docs, Counters<Count>& counters, Worker& worker) {
  std::int64_t until_check = 1 << 16;
  for (const std::int64_t d : documents) {
    const Count weight = weights == nullptr ? 1 : weights[d];
    if (weight == 0) continue;
    n_docs += weight;
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
  return n_docs;
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

}  // namespace

template <class Index, class Value>
CsrFacts check_csr(const CsrView<Index, Value>& x, const MatrixName& name, const Threads& requested) {
  check_indptr(x, name);

  constexpr std::int64_t rows_per_block = 4096;
  const std::int64_t n_blocks = (x.n_rows + rows_per_block - 1) / rows_per_block;
  struct Found {
    bool refused = false;
    bool distinct = true;
    double largest = 0;
  };
  std::vector<Found> found(static_cast<std::size_t>(n_blocks));
  for_each_block(n_blocks, worth(requested, x.indptr[x.n_rows]), [&](std::int64_t block, Worker&) {
    const std::int64_t first = block * rows_per_block, last = std::min(first + rows_per_block, x.n_rows);
    const std::int64_t begin = x.indptr[first], end = x.indptr[last];
    // Over all entries of the rows at once, so that the loops vectorise; a row's first entry may lie below its
    // predecessor's last, and those descents are taken back afterwards.
    bool refused = false;
    std::int64_t descents = 0;
    Value largest{};
    for (std::int64_t e = begin; e < end; ++e) {
      refused |= x.indices[e] < 0 || x.indices[e] >= x.n_columns || !acceptable(x.data[e]);
      largest = x.data[e] > largest ? x.data[e] : largest;
    }
    for (std::int64_t e = begin + 1; e < end; ++e) descents += x.indices[e] <= x.indices[e - 1];
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t e = x.indptr[row];
      if (e > begin && e < x.indptr[row + 1]) descents -= x.indices[e] <= x.indices[e - 1];
    }
    found[static_cast<std::size_t>(block)] = {refused, descents == 0, as_count<double>(largest)};
  });

  CsrFacts facts;
  for (std::size_t block = 0; block < found.size(); ++block) {
    if (found[block].refused) {
      const std::int64_t first = static_cast<std::int64_t>(block) * rows_per_block;
      for (std::int64_t row = first; row < std::min(first + rows_per_block, x.n_rows); ++row)
        for (std::int64_t e = x.indptr[row]; e < x.indptr[row + 1]; ++e)
          if (x.indices[e] < 0 || x.indices[e] >= x.n_columns || !acceptable(x.data[e]))
            refuse_entry(x, row, e, name);
    }
    facts.distinct = facts.distinct && found[block].distinct;
    facts.largest_value = std::max(facts.largest_value, found[block].largest);
  }
  return facts;
}

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
                                   const Threads& requested) {
  if constexpr (std::is_integral_v<Count>)
    check_overflow(counts, x, facts, labels, weights);
  else
    check_exact_doubles(x, facts);

  ClassCounts<Count> result = counts;
  result.n_terms = std::max(counts.n_terms, x.n_columns);
  for (std::int64_t d = 0; d < x.n_rows; ++d) result.n_docs += weights == nullptr ? Count{1} : weights[d];

  check_finite(result.n_docs, "the weights of the documents");

  const DocumentsByClass by_class = documents_by_class(labels, x.n_rows);
  std::vector<std::int64_t> entries(static_cast<std::size_t>(labels.n_classes), 0);
  const auto documents_of = [&](std::int64_t c) {
    const std::int64_t begin = by_class.begin[static_cast<std::size_t>(c)];
    return std::span(by_class.documents.get() + begin, static_cast<std::size_t>(by_class.begin[static_cast<std::size_t>(c) + 1] - begin));
  };
  // The classes that have documents here, those with most entries first: the last one running alone should be short.
  std::vector<std::int64_t> order;
  for (std::int64_t c = 0; c < labels.n_classes; ++c) {
    for (const std::int64_t d : documents_of(c)) entries[static_cast<std::size_t>(c)] += x.indptr[d + 1] - x.indptr[d];
    if (!documents_of(c).empty()) order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return entries[static_cast<std::size_t>(a)] > entries[static_cast<std::size_t>(b)];
  });

  // As long as every document has exactly one class, the collection is the sum of the classes: exactly in exact counts, in
  // another order of summation in float ones.
  std::vector<std::int64_t> all_documents;
  const bool is_sum = std::is_integral_v<Count> ? !some_document_has_not_one_class(labels, x.n_rows) : labels.indptr == nullptr;
  if (counts.collection || !is_sum) {
    all_documents.resize(static_cast<std::size_t>(x.n_rows));
    std::iota(all_documents.begin(), all_documents.end(), 0);
    result.collection = collection_row(counts);
    order.insert(order.begin(), labels.n_classes);
  }

  const Threads threads = worth(requested, x.indptr[x.n_rows]);
  std::vector<std::unique_ptr<Counters<Count>>> counters_of_thread(static_cast<std::size_t>(threads.count));
  const auto count_class = [&](const ClassRow<Count>& before, std::span<const std::int64_t> documents, Worker& worker) {
    auto& slot = counters_of_thread[static_cast<std::size_t>(worker.thread())];
    if (!slot) slot = std::make_unique<Counters<Count>>(result.n_terms, facts.distinct);
    Counters<Count>& counters = *slot;
    for (std::int64_t i = 0; i < before.size; ++i) {
      counters.touched.push_back(before.terms[i]);
      counters.term_frequency[before.terms[i]] = before.term_frequency[i];
      counters.document_frequency[before.terms[i]] = before.document_frequency[i];
    }
    const Count n_docs = facts.distinct
                             ? add_documents<true>(x, documents, weights, before.n_docs, counters, worker)
                             : add_documents<false>(x, documents, weights, before.n_docs, counters, worker);
    auto row = drain(counters, result.n_terms, facts.distinct);
    row.n_docs = n_docs;
    check_finite(row);
    return std::make_shared<const ClassRow<Count>>(std::move(row));
  };
  for_each_block(static_cast<std::int64_t>(order.size()), threads, [&](std::int64_t block, Worker& worker) {
    const std::int64_t c = order[static_cast<std::size_t>(block)];
    const bool is_class = c < labels.n_classes;
    auto& row = is_class ? result.rows[static_cast<std::size_t>(c)] : result.collection;
    row = count_class(*row, is_class ? documents_of(c) : std::span<const std::int64_t>(all_documents), worker);
  });
  return result;
}

#define TERMSIFT_INSTANTIATE_CHECK(Index, Value) \
  template CsrFacts check_csr(const CsrView<Index, Value>&, const MatrixName&, const Threads&);
#define TERMSIFT_INSTANTIATE_COUNT(Index, Value, Count)                                                             \
  template ClassCounts<Count> count_documents(const ClassCounts<Count>&, const CsrView<Index, Value>&,              \
                                              const CsrFacts&, const LabelView&, const Count*, const Threads&);
#define TERMSIFT_INSTANTIATE_INTEGER(Value)                               \
  TERMSIFT_INSTANTIATE_CHECK(std::int32_t, Value)                         \
  TERMSIFT_INSTANTIATE_CHECK(std::int64_t, Value)                         \
  TERMSIFT_INSTANTIATE_COUNT(std::int32_t, Value, std::int64_t)           \
  TERMSIFT_INSTANTIATE_COUNT(std::int64_t, Value, std::int64_t)           \
  TERMSIFT_INSTANTIATE_COUNT(std::int32_t, Value, double)                 \
  TERMSIFT_INSTANTIATE_COUNT(std::int64_t, Value, double)
#define TERMSIFT_INSTANTIATE_FLOAT(Value)                 \
  TERMSIFT_INSTANTIATE_CHECK(std::int32_t, Value)         \
  TERMSIFT_INSTANTIATE_CHECK(std::int64_t, Value)         \
  TERMSIFT_INSTANTIATE_COUNT(std::int32_t, Value, double) \
  TERMSIFT_INSTANTIATE_COUNT(std::int64_t, Value, double)
TERMSIFT_FOR_EACH_INTEGER_VALUE(TERMSIFT_INSTANTIATE_INTEGER)
TERMSIFT_FOR_EACH_FLOAT_VALUE(TERMSIFT_INSTANTIATE_FLOAT)

}  // namespace termsift
