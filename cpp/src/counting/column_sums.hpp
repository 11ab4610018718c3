// The columns of documents whose entries may be in any order and may repeat a column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/values.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {

// Adds up the entries of one document after another in each of its columns. The columns must be in [0, n_columns).
class ColumnSums {
 public:
  explicit ColumnSums(std::int64_t n_columns) : n_columns_(n_columns) {}

  // Returns whether the n columns of a document are distinct.
  template <class Index>
  bool are_distinct(const Index* columns, std::int64_t n) {
    std::int64_t rising = 1;
    while (rising < n && columns[rising] > columns[rising - 1]) ++rising;
    if (rising >= n) return true;
    const std::uint16_t document = start_document();
    std::uint16_t* const last = last_document_.get();
    unsigned repeats = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto column = static_cast<std::int64_t>(columns[i]);
      repeats |= last[column] == document;
      last[column] = document;
    }
    return repeats == 0;
  }

  // Makes the sums of a document of n entries, without zeros. The values must be whole numbers with a sum below 2^63, unless
  // `as_ones`, which adds 1 for each value. No branch depends on repeated columns, because it would be unpredictable.
  template <class Index, class Value>
  void add_up(const Index* columns, const Value* values, std::int64_t n, bool as_ones) {
    const auto value = [&](std::int64_t i) { return as_ones ? 1 : as_count<std::int64_t>(values[i]); };
    if (std::ssize(columns_) <= n) columns_.resize(static_cast<std::size_t>(2 * n + 1)), sums_.resize(columns_.size());
    bool never_falls = true;
    for (std::int64_t i = 1; i < n; ++i) never_falls &= columns[i] >= columns[i - 1];
    std::uint32_t* const found = columns_.data();
    std::int64_t* const sums = sums_.data();
    size_ = 0;
    if (never_falls) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (values[i] == Value{0}) continue;
        const auto column = static_cast<std::uint32_t>(columns[i]);
        const bool repeats = size_ > 0 && found[size_ - 1] == column;
        const std::int64_t at = size_ - repeats;
        found[at] = column;
        sums[at] = (repeats ? sums[at] : 0) + value(i);
        size_ = at + 1;
      }
      return;
    }
    const std::uint16_t document = start_document();
    if (place_.get() == nullptr) place_ = LargeArray<std::uint32_t>::zeroed(n_columns_);
    for (std::int64_t i = 0; i < n; ++i) {
      if (values[i] == Value{0}) continue;
      const auto column = static_cast<std::uint32_t>(columns[i]);
      const bool repeats = last_document_[column] == document;
      const std::int64_t at = repeats ? place_[column] : size_;
      last_document_[column] = document;
      place_[column] = static_cast<std::uint32_t>(at);
      found[at] = column;
      sums[at] = (repeats ? sums[at] : 0) + value(i);
      size_ += !repeats;
    }
  }
  std::int64_t size() const { return size_; }
  std::uint32_t column(std::int64_t i) const { return columns_[static_cast<std::size_t>(i)]; }
  std::int64_t sum(std::int64_t i) const { return sums_[static_cast<std::size_t>(i)]; }

 private:
  // Returns a number for a new document in last_document_.
  std::uint16_t start_document() {
    if (last_document_.get() == nullptr) last_document_ = LargeArray<std::uint16_t>::zeroed(n_columns_);
    if (document_ == std::numeric_limits<std::uint16_t>::max()) {
      std::fill_n(last_document_.get(), n_columns_, std::uint16_t{0});
      document_ = 0;
    }
    return ++document_;
  }

  std::int64_t n_columns_;
  // For each column, the number of the last numbered document that has it. Only documents in disorder are numbered.
  LargeArray<std::uint16_t> last_document_;
  LargeArray<std::uint32_t> place_;  // for each column of such a document with repeated columns, its index in columns_
  std::uint16_t document_ = 0;
  std::int64_t size_ = 0;
  std::vector<std::uint32_t> columns_;  // (size_,)
  std::vector<std::int64_t> sums_;      // (size_,) above 0
};

}  // namespace termsift
