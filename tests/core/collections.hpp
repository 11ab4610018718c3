// Small collections for tests: matrices that own their arrays, counts made from dense tables, and a plain counting loop.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "termsift/counting.hpp"

namespace collections {

using namespace termsift;
using Random = std::mt19937_64;

// Returns a random integer in [0, n), which is the same on every platform.
inline std::int64_t below(Random& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

template <class T>
std::size_t at(T i) {
  return static_cast<std::size_t>(i);
}

// ---- matrices ----------------------------------------------------------------------------------------------------------

template <class Index, class Value>
struct Matrix {
  std::int64_t n_columns = 0;
  std::vector<Index> indptr{0};
  std::vector<Index> indices;
  std::vector<Value> data;

  std::int64_t n_rows() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
  void add_row(const std::vector<std::pair<std::int64_t, Value>>& entries) {
    for (const auto& [column, value] : entries) {
      indices.push_back(static_cast<Index>(column));
      data.push_back(value);
    }
    indptr.push_back(static_cast<Index>(indices.size()));
  }
  CsrView<Index, Value> view() const {
    return {n_rows(), n_columns, static_cast<std::int64_t>(data.size()), indptr.data(), indices.data(), data.data()};
  }
  // Returns the rows [begin, end).
  Matrix rows(std::int64_t begin, std::int64_t end) const {
    Matrix part;
    part.n_columns = n_columns;
    for (std::int64_t row = begin; row < end; ++row) {
      for (auto e = at(indptr[at(row)]); e < at(indptr[at(row + 1)]); ++e) {
        part.indices.push_back(indices[e]);
        part.data.push_back(data[e]);
      }
      part.indptr.push_back(static_cast<Index>(part.indices.size()));
    }
    return part;
  }
};

template <class Value>
Value small_value(Random& random) {
  const std::int64_t i = below(random, 6);  // the value 0 makes a stored zero
  if constexpr (std::is_floating_point_v<Value>)
    return static_cast<Value>(static_cast<double>(i) / 10);  // sums of these values are rounded
  else if constexpr (std::is_same_v<Value, Bool>)
    return Bool{static_cast<std::uint8_t>(i == 5 ? 255 : i)};  // any byte except 0 is true
  else
    return static_cast<Value>(i);
}

// Returns rows of up to max_entries entries. If `sorted` is false, entries are in any order and columns may repeat.
template <class Index, class Value>
Matrix<Index, Value> random_matrix(Random& random, std::int64_t n_rows, std::int64_t n_columns, std::int64_t max_entries,
                                   bool sorted = false) {
  Matrix<Index, Value> x;
  x.n_columns = n_columns;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    std::vector<std::pair<std::int64_t, Value>> entries;
    const std::int64_t n = below(random, max_entries + 1);
    std::int64_t column = -1;
    for (std::int64_t i = 0; i < n; ++i) {
      column = sorted ? column + 1 + below(random, n_columns / max_entries) : below(random, n_columns);
      entries.push_back({column, small_value<Value>(random)});
    }
    x.add_row(entries);
  }
  return x;
}

// ---- labels ------------------------------------------------------------------------------------------------------------

struct Labels {
  std::int64_t n_classes = 0;
  bool several = false;  // whether documents may have any number of classes
  std::vector<std::int64_t> indptr{0};
  std::vector<ClassId> codes;

  LabelView view() const {
    return {n_classes, static_cast<std::int64_t>(codes.size()), several ? indptr.data() : nullptr, codes.data()};
  }
  void add(const std::vector<ClassId>& classes) {
    codes.insert(codes.end(), classes.begin(), classes.end());
    indptr.push_back(static_cast<std::int64_t>(codes.size()));
  }
  std::vector<ClassId> of(std::int64_t d) const {
    return {codes.begin() + indptr[at(d)], codes.begin() + indptr[at(d + 1)]};
  }
  // Returns the labels of the documents [begin, end).
  Labels documents(std::int64_t begin, std::int64_t end) const {
    Labels part{n_classes, several, {0}, {}};
    for (std::int64_t d = begin; d < end; ++d) part.add(of(d));
    return part;
  }
};

inline Labels random_labels(Random& random, std::int64_t n_docs, std::int64_t n_classes, bool several) {
  Labels labels{n_classes, several, {0}, {}};
  for (std::int64_t d = 0; d < n_docs; ++d) {
    std::vector<ClassId> classes;
    if (several) {
      for (ClassId c = 0; c < n_classes; ++c)
        if (below(random, n_classes) == 0) classes.push_back(c);  // a document has one class on average, and often none
    } else {
      classes.push_back(static_cast<ClassId>(below(random, n_classes)));
    }
    labels.add(classes);
  }
  return labels;
}

// ---- counts ------------------------------------------------------------------------------------------------------------

template <CountType Count>
ClassCounts<Count> no_counts(std::int64_t n_classes) {
  ClassCounts<Count> counts;
  for (std::int64_t c = 0; c < n_classes; ++c)
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(ClassRow<Count>::with_capacity(0)));
  return counts;
}

template <CountType Count>
ClassRow<Count> make_row(Count n_docs, const std::vector<Count>& tf, const std::vector<Count>& df) {
  auto row = ClassRow<Count>::with_capacity(static_cast<std::int64_t>(tf.size()));
  row.n_docs = n_docs;
  for (std::size_t term = 0; term < tf.size(); ++term) {
    if (df[term] == 0) continue;
    row.terms[at(row.size)] = static_cast<TermId>(term);
    row.term_frequency.set(row.size, tf[term]);
    row.document_frequency.set(row.size, df[term]);
    ++row.size;
  }
  row.sum_tokens();
  return row;
}

// Returns counts with the term frequencies tf[class][term]. The document frequency is 1 where a term occurs.
template <CountType Count>
ClassCounts<Count> make_counts(const std::vector<Count>& n_docs, const std::vector<std::vector<Count>>& tf) {
  ClassCounts<Count> counts;
  for (std::size_t c = 0; c < tf.size(); ++c) {
    std::vector<Count> df;
    for (const Count count : tf[c]) df.push_back(count > 0 ? 1 : 0);
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(make_row(n_docs[c], tf[c], df)));
    counts.n_terms = static_cast<std::int64_t>(tf[c].size());
    counts.n_docs += n_docs[c];
  }
  return counts;
}

template <class Index, class Value, CountType Count>
ClassCounts<Count> count(const ClassCounts<Count>& before, const Matrix<Index, Value>& x, const Labels& labels,
                         const std::vector<Count>& weights, const CountingOptions& options) {
  check_labels(labels.view(), x.n_rows());
  return count_documents(before, x.view(), labels.view(), weights.empty() ? nullptr : weights.data(), options).counts;
}

template <class Index, class Value, CountType Count>
ClassCounts<Count> count(const ClassCounts<Count>& before, const Matrix<Index, Value>& x, const Labels& labels,
                         const std::vector<Count>& weights, int n_threads = 1) {
  return count(before, x, labels, weights, CountingOptions{{n_threads, {}}});
}

// A counting path, a window size and a number of threads: as text, and as options. Counting starts at most one thread per
// 65,536 entries.
struct Way {
  std::string text;
  CountingOptions options;
};

inline std::vector<Way> ways(const std::vector<std::int64_t>& windows, const std::vector<int>& threads = {1}) {
  std::vector<Way> all;
  for (const CountingPath path : counting_paths)
    for (const std::int64_t window_bytes : windows)
      for (const int n_threads : threads)
        all.push_back({std::string(name(path)) + ", windows of " + std::to_string(window_bytes) + " bytes, " +
                           std::to_string(n_threads) + " threads: ",
                       {{n_threads, {}}, window_bytes, path}});
  return all;
}

// Counts what count_documents counts, but into dense tables and one document after another. The last row of each table
// holds the counts of the collection.
template <CountType Count, class Index, class Value>
ClassCounts<Count> count_plainly(const Matrix<Index, Value>& x, const Labels& labels, const std::vector<Count>& weights) {
  const auto n_rows = at(labels.n_classes + 1);
  std::vector<Count> n_docs(n_rows, 0);
  std::vector<std::vector<Count>> tf(n_rows, std::vector<Count>(at(x.n_columns), 0)), df(tf);
  bool keeps_collection = false;
  for (std::int64_t d = 0; d < x.n_rows(); ++d) {
    const Count weight = weights.empty() ? Count{1} : weights[at(d)];
    std::vector<ClassId> rows = labels.of(d);
    keeps_collection |= rows.size() != 1;
    rows.push_back(static_cast<ClassId>(labels.n_classes));
    for (const ClassId row : rows) {
      n_docs[at(row)] += weight;
      std::vector<bool> seen(at(x.n_columns), false);
      for (auto e = at(x.indptr[at(d)]); e < at(x.indptr[at(d + 1)]); ++e) {
        Count value;
        if constexpr (std::is_same_v<Value, Bool>)
          value = x.data[e] != Bool{0} ? 1 : 0;
        else
          value = static_cast<Count>(x.data[e]);
        const std::size_t term = at(x.indices[e]);
        tf[at(row)][term] += value * weight;
        if (value > 0 && weight > 0 && !seen[term]) {
          seen[term] = true;
          df[at(row)][term] += weight;
        }
      }
    }
  }
  ClassCounts<Count> counts{x.n_columns, n_docs.back(), {}, nullptr};
  for (std::size_t row = 0; row < n_rows; ++row)
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(make_row(n_docs[row], tf[row], df[row])));
  if (keeps_collection) counts.collection = counts.rows.back();
  counts.rows.pop_back();
  return counts;
}

// ---- comparison: as text, to the last bit ------------------------------------------------------------------------------

inline std::string describe(std::int64_t count) { return std::to_string(count); }
inline std::string describe(double count) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%a", count);
  return buffer;
}

template <CountType Count>
std::string describe(const ClassRow<Count>& row) {
  std::string out = describe(row.n_docs) + " docs, " + describe(row.n_tokens) + " tokens:";
  for (std::size_t i = 0; i < at(row.size); ++i)
    out.append(" ").append(std::to_string(row.terms[i]))
        .append(":").append(describe(row.term_frequency[static_cast<std::int64_t>(i)]))
        .append("/").append(describe(row.document_frequency[static_cast<std::int64_t>(i)]));
  return out + "\n";
}

// Describes counts without the row of the collection, because only some ways of counting the same documents keep this row.
template <CountType Count>
std::string describe_rows(const ClassCounts<Count>& counts) {
  std::string out = std::to_string(counts.n_terms) + " terms, " + describe(counts.n_docs) + " docs\n";
  for (const auto& row : counts.rows) out += describe(*row);
  return out;
}

template <CountType Count>
std::string describe(const ClassCounts<Count>& counts) {
  const std::string collection = counts.collection ? describe(*counts.collection) : "the sum of the classes";
  return describe_rows(counts) + "collection: " + collection;
}

}  // namespace collections
