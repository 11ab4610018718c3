// Small matrices and labels for the tests of counting, and the comparison of every path with the plain loop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"

namespace counting_cases {

using namespace termsift;
using namespace collections;

template <class Value>
using Entries = std::vector<std::pair<std::int64_t, Value>>;

template <class Value>
Matrix<std::int32_t, Value> matrix(std::int64_t n_columns, const std::vector<Entries<Value>>& rows) {
  Matrix<std::int32_t, Value> x;
  x.n_columns = n_columns;
  for (const auto& row : rows) x.add_row(row);
  return x;
}

inline Labels labels_of(std::int64_t n_classes, bool several, const std::vector<std::vector<ClassId>>& classes) {
  Labels labels{n_classes, several, {0}, {}};
  for (const auto& of_document : classes) labels.add(of_document);
  return labels;
}

inline Labels labels_in_turn(std::int64_t n_docs, std::int64_t n_classes) {
  Labels labels{n_classes, false, {0}, {}};
  for (std::int64_t d = 0; d < n_docs; ++d) labels.add({static_cast<ClassId>(d % n_classes)});
  return labels;
}

// Returns a matrix that class streams can count, because its entries are distinct and not zero. Most counts are small, but
// about one in 50 is too large for a packed entry.
template <class Value>
Matrix<std::int32_t, Value> streamable_matrix(Random& random, std::int64_t n_rows, std::int64_t n_columns) {
  auto x = random_matrix<std::int32_t, Value>(random, n_rows, n_columns, 25, true);
  for (Value& value : x.data) value = static_cast<Value>(below(random, 50) == 0 ? 65535 : 1 + below(random, 9));
  return x;
}

inline const std::vector<std::int64_t> all_windows{1, 40, 400, default_window_bytes};

template <CountType Count, class Value>
CountingPath path_taken(const Matrix<std::int32_t, Value>& x, const Labels& labels, const CountingOptions& options) {
  const Count* const no_weights = nullptr;
  return count_documents(no_counts<Count>(labels.n_classes), x.view(), labels.view(), no_weights, options).path;
}

// Counts on every path with several window sizes, and compares the counts with those of the plain loop. If `taken` is true,
// this function also checks that counting really used the requested path.
template <CountType Count = std::int64_t, class Value>
void every_way_agrees(const Matrix<std::int32_t, Value>& x, const Labels& labels, const std::string& what,
                      const std::vector<std::int64_t>& windows = all_windows, bool taken = true) {
  const std::string expected = describe(count_plainly<Count>(x, labels, {}));
  check_labels(labels.view(), x.n_rows());
  const Count* const no_weights = nullptr;
  for (const Way& way : ways(windows)) {
    const auto none = no_counts<Count>(labels.n_classes);
    const auto counted = count_documents(none, x.view(), labels.view(), no_weights, way.options);
    CHECK_EQ(way.text + what + describe(counted.counts), way.text + what + expected);
    if (taken) CHECK_EQ(way.text + what + name(counted.path), way.text + what + name(*way.options.path));
  }
}

// Returns a matrix with ten entries per row (fewer if n_columns < 10), spread over the columns. Every tenth is `special`.
template <class Value>
Matrix<std::int32_t, Value> matrix_with(Value special, std::int64_t n_rows, std::int64_t n_columns) {
  Matrix<std::int32_t, Value> x;
  x.n_columns = n_columns;
  const std::int64_t n = std::min<std::int64_t>(10, n_columns);
  std::int64_t entry = 0;
  for (std::int64_t row = 0; row < n_rows; ++row) {
    Entries<Value> entries;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t column = n == 1 ? 0 : i * (n_columns - 1) / (n - 1);
      entries.push_back({column, ++entry % 10 == 5 ? special : static_cast<Value>(entry % 3 + 1)});
    }
    x.add_row(entries);
  }
  return x;
}

}  // namespace counting_cases
