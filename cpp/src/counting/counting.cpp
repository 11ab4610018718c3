#include "termsift/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/values.hpp"
#include "counting/entry_kernels.hpp"
#include "counting/document_entries.hpp"
#include "counting/streams.hpp"

namespace termsift {
namespace {

bool has_one_class_each(const LabelView& labels, std::int64_t n_docs) {
  if (labels.indptr == nullptr) return true;
  for (std::int64_t d = 0; d < n_docs; ++d)
    if (labels.indptr[d + 1] - labels.indptr[d] != 1) return false;
  return true;
}

// Returns the number of a class in errors.
std::int64_t number_of(const LabelView& labels, std::size_t c) {
  return labels.numbers == nullptr ? static_cast<std::int64_t>(c) : labels.numbers[c];
}

// ---- overflow ----------------------------------------------------------------------------------------------------------

// Returns true if a * b + c exceeds int64, for a, b, c >= 0.
bool overflows(std::int64_t a, std::int64_t b, std::int64_t c) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return (b != 0 && a > most / b) || a * b > most - c;
}

// Returns an upper bound of the number of tokens and of the number of documents in any row.
template <CountType Count>
double most_counted(const ClassCounts<Count>& counts) {
  double most = static_cast<double>(counts.n_docs);
  if (counts.collection) most += static_cast<double>(counts.collection->n_tokens);
  for (const auto& row : counts.rows) most += static_cast<double>(row->n_tokens) + static_cast<double>(row->n_docs);
  return most;
}

// Checks that the numbers of tokens and documents of each class fit into int64. If these numbers fit, all other counts fit,
// too. For nearly every input, a bound computed from the largest value proves that all counts fit. If the bound is too
// large, the documents are added one by one, to find the document that overflows.
void check_overflow(const ClassCounts<std::int64_t>& counts, const AnyCsr& x, const CsrFacts& facts,
                    const LabelView& labels, const std::int64_t* weights, TermWeight term_weight, const Threads& threads) {
  const double largest_weight =
      weights == nullptr || x.n_rows == 0 ? 1 : static_cast<double>(*std::max_element(weights, weights + x.n_rows));
  const double entries = static_cast<double>(x.indptr[x.n_rows]) + static_cast<double>(x.n_rows);
  if (most_counted(counts) + entries * std::max(facts.value_bound, 1.0) * largest_weight < 0x1p62) return;

  const auto n_classes = static_cast<std::size_t>(labels.n_classes);
  std::vector<std::int64_t> tokens(n_classes + 1), docs(n_classes + 1);  // the last row is the collection
  for (std::size_t c = 0; c < n_classes; ++c) tokens[c] = counts.rows[c]->n_tokens, docs[c] = counts.rows[c]->n_docs;
  const bool keeps_collection = counts.collection || !has_one_class_each(labels, x.n_rows);
  if (keeps_collection) tokens[n_classes] = collection_row(counts, threads)->n_tokens;
  docs[n_classes] = counts.n_docs;
  DocumentEntries present(TermWeight::binary);
  for (std::int64_t d = 0; d < x.n_rows; ++d) {
    const std::int64_t weight = weights == nullptr ? 1 : weights[d];
    const auto add = [&](std::size_t c) {
      if (overflows(weight, 1, docs[c]))
        throw CountOverflow("with document " + std::to_string(d) + " of weight " + std::to_string(weight) +
                            ", the number of documents exceeds 2^63 - 1");
      docs[c] += weight;
      if (c == n_classes && !keeps_collection) return;
      const auto add_value = [&](std::int64_t value, std::int64_t column) {
        if (overflows(value, weight, tokens[c]))
          throw CountOverflow("with " + std::to_string(value) + " at row " + std::to_string(d) + ", column " +
                              std::to_string(column) + ", the tokens of " +
                              (c < n_classes ? "class " + std::to_string(number_of(labels, c)) : "the collection") +
                              " exceed 2^63 - 1");
        tokens[c] += value * weight;
      };
      if (term_weight == TermWeight::binary) {
        present.read(x, d, facts.distinct);
        for (std::int64_t i = 0; i < present.size(); ++i) add_value(1, present.terms()[i]);
      } else {
        x.visit([&](const auto& view) {
          for (std::int64_t e = view.indptr[d]; e < view.indptr[d + 1]; ++e)
            add_value(as_count<std::int64_t>(view.data[e]), view.indices[e]);
        });
      }
    };
    for_each_class(labels, d, add);
    add(n_classes);
  }
}

// Checks that a double holds every value exactly. Only integers above 2^53 can fail this check.
void check_exact_doubles(const AnyCsr& any, const CsrFacts& facts) {
  if (facts.value_bound < 0x1p53) return;  // < and not <=, because a bound of 2^53 + 1 is rounded to 2^53
  any.visit([]<class Index, class Value>(const CsrView<Index, Value>& x) {
    if constexpr (std::is_integral_v<Value> && sizeof(Value) == 8)
      for (std::int64_t d = 0; d < x.n_rows; ++d)
        for (std::int64_t e = x.indptr[d]; e < x.indptr[d + 1]; ++e)
          // Converting `value` back to an integer is defined only below 2^63.
          if (const auto value = static_cast<double>(x.data[e]); value >= 0x1p63 || static_cast<Value>(value) != x.data[e])
            throw std::invalid_argument("X has " + text(x.data[e]) + " at row " + std::to_string(d) + ", column " +
                                        std::to_string(x.indices[e]) + ", which float counts cannot hold exactly");
  });
}

// ---- counting ------------------------------------------------------------------------------------------------------------

// Returns n_docs of each class, followed by n_docs of the collection, after `added` documents of each class and n_docs in
// all are added, or after weighted documents are added in order. Weights need no `added`.
template <CountType Count>
std::vector<Count> documents_after(const ClassCounts<Count>& counts, const LabelView& labels, const Count* weights,
                                   const std::vector<std::int64_t>& added, std::int64_t n_docs) {
  std::vector<Count> docs;
  for (const auto& row : counts.rows) docs.push_back(row->n_docs);
  docs.push_back(counts.n_docs);
  // A sum with a fraction is rounded at every document, so that it does not depend on how documents are split into blocks.
  const auto is_exact = [](Count n) {
    if constexpr (std::is_floating_point_v<Count>) return n == std::floor(n) && n < 0x1p52;
    else return true;
  };
  if (weights == nullptr && std::all_of(docs.begin(), docs.end(), is_exact)) {
    for (std::size_t c = 0; c < counts.rows.size(); ++c) docs[c] += static_cast<Count>(added[c]);
    docs.back() += static_cast<Count>(n_docs);
  } else {
    for (std::int64_t d = 0; d < n_docs; ++d) {
      const Count weight = weights == nullptr ? 1 : weights[d];
      docs.back() += weight;
      for_each_class(labels, d, [&](std::size_t c) { docs[c] += weight; });
    }
  }
  check_finite(docs.back(), "the weights of the documents");
  return docs;
}

// Returns true if the counts have no pairs yet. Streams can be added to float counts only if the float counts have no
// pairs, because a sum of integers and fractions depends on the order of its summands.
template <CountType Count>
bool is_empty(const ClassCounts<Count>& counts) {
  const auto empty = [](const auto& row) { return row == nullptr || row->size == 0; };
  return empty(counts.collection) && std::all_of(counts.rows.begin(), counts.rows.end(), empty);
}

template <CountType Count>
void add_rows(ClassCounts<Count>& counts, std::vector<ClassRow<Count>>& added, const std::vector<Count>& docs,
              const Threads& threads) {
  std::int64_t merged = 0;  // the number of pairs to merge; 0 if the counts had no pairs before
  for (std::size_t c = 0; c < added.size(); ++c)
    if (const auto& row = counts.row_or_collection(c); row->size > 0) merged += row->size + added[c].size;
  for_each_block(static_cast<std::int64_t>(added.size()), worth(threads, merged), [&](std::int64_t block, Worker& worker) {
    const auto c = static_cast<std::size_t>(block);
    ClassRowPtr<Count>& row = counts.row_or_collection(c);
    if (added[c].size == 0 && row->n_docs == docs[c]) return;
    replace_row(row, row->size == 0 ? std::move(added[c]) : merge_rows(*row, added[c], &worker), docs[c]);
  });
}

// Returns whether the collection needs no row, because it is the sum of the classes: every document has exactly one class.
// Float counts with lists of labels always have a row for the collection, because a sum in another order would have other
// bits.
template <CountType Count>
bool is_sum_of_classes(const LabelView& labels, std::int64_t n_docs) {
  return std::is_integral_v<Count> ? has_one_class_each(labels, n_docs) : labels.indptr == nullptr;
}

// Returns the counts with room for n_terms terms and, if it needs one, a row of the collection.
template <CountType Count>
ClassCounts<Count> with_room(const ClassCounts<Count>& counts, std::int64_t n_terms, const LabelView& labels,
                             std::int64_t n_docs, const Threads& threads) {
  ClassCounts<Count> result = counts;
  result.n_terms = std::max(counts.n_terms, n_terms);
  if (!is_sum_of_classes<Count>(labels, n_docs) && !result.collection) result.collection = collection_row(counts, threads);
  return result;
}

// Returns the path that counts the matrix, unless the path is one of streams and streams cannot count the matrix.
template <CountType Count>
CountingPath wanted_path(const ClassCounts<Count>& counts, const StreamSource& source, const Count* weights,
                         const CountingOptions& options, int n_threads) {
  if (weights != nullptr || options.term_weight == TermWeight::log) return CountingPath::rows;
  if (!std::is_integral_v<Count> && !is_empty(counts)) return CountingPath::rows;
  if (options.path) return *options.path;
  const auto n_rows = static_cast<std::int64_t>(source.n_rows());
  return choose_counting_path(n_rows, source.x.n_columns, source.n_entries(), n_threads);
}

}  // namespace

const char* name(CountingPath path) {
  return path == CountingPath::class_streams ? "class_streams" : path == CountingPath::term_blocks ? "term_blocks" : "rows";
}

CountingPath choose_counting_path(std::int64_t n_rows, std::int64_t n_terms, std::int64_t n_entries, int n_threads) {
  const std::int64_t n_parts = n_rows * ((n_terms >> Streams::bits_of_blocks) + 1);
  const bool long_parts = n_entries >= n_parts * std::max(64, 8 * n_threads);
  return n_terms >= std::int64_t{1} << 22 && long_parts ? CountingPath::term_blocks : CountingPath::class_streams;
}

void check_labels(const LabelView& labels, std::int64_t n_docs) {
  if (labels.indptr == nullptr) {
    if (labels.n_codes != n_docs)
      throw std::invalid_argument("y has " + std::to_string(labels.n_codes) + " labels for " + std::to_string(n_docs) +
                                  " documents");
  } else {
    if (labels.indptr[0] != 0 || labels.indptr[n_docs] != labels.n_codes)
      throw std::invalid_argument("the label offsets do not span the labels");
    for (std::int64_t d = 0; d < n_docs; ++d)
      if (labels.indptr[d + 1] < labels.indptr[d] || labels.indptr[d + 1] > labels.n_codes)
        throw std::invalid_argument("the label offsets of document " + std::to_string(d) + " are invalid");
  }
  const auto n_classes = static_cast<std::uint32_t>(std::min(labels.n_classes, std::int64_t{1} << 31));
  bool all_valid = true;  // a vectorised loop, which does not end at the first code that is wrong
  for (std::int64_t i = 0; i < labels.n_codes; ++i)
    all_valid &= static_cast<std::uint32_t>(labels.codes[i]) < n_classes;
  for (std::int64_t i = 0; i < labels.n_codes && !all_valid; ++i)
    if (labels.codes[i] < 0 || labels.codes[i] >= labels.n_classes)
      throw std::invalid_argument("label " + std::to_string(i) + " has the class code " + std::to_string(labels.codes[i]) +
                                  ", expected one in [0, " + std::to_string(labels.n_classes) + ")");
}

template <CountType Count>
Counted<Count> count_documents(const ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels,
                               const Count* weights, const CountingOptions& options) {
  const TermWeight term_weight = options.term_weight;
  const bool binary = term_weight == TermWeight::binary, raw = term_weight == TermWeight::raw;
  if (std::is_integral_v<Count> && !binary && !(raw && !x.holds_floats))
    throw std::invalid_argument("exact counts need integer values");
  check_indptr(x, {});
  const std::int64_t n_entries = x.indptr[x.n_rows];
  const Threads threads = worth(options.threads, n_entries);
  ClassCounts<Count> result = with_room(counts, x.n_columns, labels, x.n_rows, options.threads);
  const StreamSource source{x, binary, labels, result.collection != nullptr};
  RowSizes sizes;
  if (weights == nullptr) sizes = RowSizes(source, 0, x.n_rows, threads);
  const CountingPath wanted = wanted_path(counts, source, weights, options, threads.count);
  const bool by_blocks = wanted == CountingPath::term_blocks;
  std::optional<Streamed<Count>> streamed;
  if (wanted != CountingPath::rows)
    streamed = count_by_class_streams<Count>(source, sizes, by_blocks, options.window_bytes, threads);
  CsrFacts facts = streamed ? streamed->facts : check_csr(x, {}, threads);
  if (binary) facts.value_bound = 1;
  if constexpr (std::is_integral_v<Count>)
    check_overflow(counts, x, facts, labels, weights, term_weight, threads);
  else if (raw)
    check_exact_doubles(x, facts);

  const std::vector<Count> docs = documents_after(counts, labels, weights, sizes.documents, x.n_rows);
  if (streamed)
    add_rows(result, streamed->rows, docs, threads);
  else
    add_by_rows(result, x, facts, labels, weights, term_weight, docs, threads);
  result.n_docs = docs.back();
  return {std::move(result), streamed ? wanted : CountingPath::rows};
}

template <CountType Count>
CountingPath add_documents(ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels, const Count* weights,
                           const CountingOptions& options) {
  if (labels.n_classes <= labels.n_codes) {
    Counted<Count> counted = count_documents(counts, x, labels, weights, options);
    counts = std::move(counted.counts);
    return counted.path;
  }
  // Count the documents with the rows of their own classes only.
  std::vector<ClassId> own(labels.codes, labels.codes + labels.n_codes);
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  std::vector<ClassId> codes(static_cast<std::size_t>(labels.n_codes));
  std::transform(labels.codes, labels.codes + labels.n_codes, codes.begin(), [&](ClassId code) {
    return static_cast<ClassId>(std::lower_bound(own.begin(), own.end(), code) - own.begin());
  });
  const LabelView own_labels{std::ssize(own), labels.n_codes, labels.indptr, codes.data(), own.data()};
  const bool needs_collection = !is_sum_of_classes<Count>(labels, x.n_rows) && !counts.collection;
  ClassCounts<Count> part{counts.n_terms, counts.n_docs, {},
                          needs_collection ? collection_row(counts, options.threads) : counts.collection, counts.model};
  for (const ClassId c : own) part.rows.push_back(counts.rows[static_cast<std::size_t>(c)]);
  Counted<Count> counted = count_documents(part, x, own_labels, weights, options);
  for (std::size_t i = 0; i < own.size(); ++i)
    counts.rows[static_cast<std::size_t>(own[i])] = std::move(counted.counts.rows[i]);
  counts.n_terms = counted.counts.n_terms;
  counts.n_docs = counted.counts.n_docs;
  counts.collection = std::move(counted.counts.collection);
  return counted.path;
}

template <CountType Count>
std::optional<ClassCounts<Count>> count_columns(const ClassCounts<Count>& counts, const AnyCsr& x, const LabelView& labels,
                                                const CountingOptions& options) {
  check_indptr(x, {"X", true});
  const Threads threads = worth(options.threads, x.indptr[x.n_rows]);
  ClassCounts<Count> result = with_room(counts, x.n_rows, labels, x.n_columns, options.threads);
  const StreamSource source{x, options.term_weight == TermWeight::binary, labels, result.collection != nullptr};
  if (options.term_weight == TermWeight::log || !(std::is_integral_v<Count> || is_empty(counts))) return std::nullopt;
  std::optional<Streamed<Count>> streamed = count_by_columns<Count>(source, threads);
  // Each new count of a pair of a class and a term is below 2^40. The sums over the terms of a class must not overflow.
  const double n_entries = static_cast<double>(x.indptr[x.n_rows]);
  const auto fits = [](double n) { return n < 0x1p61; };
  if (!streamed || !fits(most_counted(counts)) || !fits(streamed->facts.value_bound * n_entries)) return std::nullopt;
  std::vector<std::int64_t> added(counts.rows.size());
  for (std::int64_t d = 0; d < x.n_columns; ++d) for_each_class(labels, d, [&](std::size_t c) { ++added[c]; });
  const std::vector<Count> docs = documents_after<Count>(counts, labels, nullptr, added, x.n_columns);
  add_rows(result, streamed->rows, docs, threads);
  result.n_docs = docs.back();
  return result;
}

template std::optional<ClassCounts<std::int64_t>> count_columns(const ClassCounts<std::int64_t>&, const AnyCsr&,
                                                                const LabelView&, const CountingOptions&);
template std::optional<ClassCounts<double>> count_columns(const ClassCounts<double>&, const AnyCsr&, const LabelView&,
                                                          const CountingOptions&);
template Counted<std::int64_t> count_documents(const ClassCounts<std::int64_t>&, const AnyCsr&, const LabelView&,
                                               const std::int64_t*, const CountingOptions&);
template Counted<double> count_documents(const ClassCounts<double>&, const AnyCsr&, const LabelView&, const double*,
                                         const CountingOptions&);

template CountingPath add_documents(ClassCounts<std::int64_t>&, const AnyCsr&, const LabelView&, const std::int64_t*,
                                    const CountingOptions&);
template CountingPath add_documents(ClassCounts<double>&, const AnyCsr&, const LabelView&, const double*,
                                    const CountingOptions&);

}  // namespace termsift
