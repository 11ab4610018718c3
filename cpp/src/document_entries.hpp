// What is counted of one document: its terms, each once, damped.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simd/kernels.hpp"
#include "termsift/counting.hpp"
#include "values.hpp"

namespace termsift {

// One thread's. 12 bytes for each entry of the longest document read, 28 if its terms are not distinct.
class DocumentEntries {
 public:
  explicit DocumentEntries(Damping damping) : damping_(damping) {}

  // Repeated entries are added up, zeros left out. `distinct`: the terms of every document strictly increase.
  template <class Index, class Value>
  void read(const CsrView<Index, Value>& x, std::int64_t document, bool distinct) {
    const std::int64_t begin = x.indptr[document], n = x.indptr[document + 1] - begin;
    if (const auto room = static_cast<std::size_t>((n + 7) / 8 * 8); values_.size() < room) {
      values_.resize(2 * room);
      terms_.resize(2 * room);
    }
    if (distinct) read_distinct(x.indices + begin, x.data + begin, n);
    else read_any(x.indices + begin, x.data + begin, n, document);
    if (damping_ == Damping::binary) {
      std::fill_n(values_.begin(), size_, 1.0);
    } else if (damping_ == Damping::log) {
      std::int64_t end = size_;
      while (end % 8 != 0) values_[static_cast<std::size_t>(end++)] = 0;
      kernels_.log_plus_one(values_.data(), end);
    }
  }

  std::int64_t size() const { return size_; }
  const TermId* terms() const { return terms_.data(); }
  const double* values() const { return values_.data(); }

 private:
  template <class Index, class Value>
  void read_distinct(const Index* indices, const Value* data, std::int64_t n) {
    TermId* const terms = terms_.data();
    double* const values = values_.data();
    std::int64_t size = 0;
    for (std::int64_t e = 0; e < n; ++e) {  // no branch: where zeros are stored cannot be foretold
      terms[size] = static_cast<TermId>(indices[e]);
      values[size] = as_count<double>(data[e]);
      size += values[size] != 0;
    }
    size_ = size;
  }

  template <class Index, class Value>
  void read_any(const Index* indices, const Value* data, std::int64_t n, std::int64_t document) {
    sorted_.clear();
    for (std::int64_t e = 0; e < n; ++e) sorted_.emplace_back(static_cast<TermId>(indices[e]), as_count<double>(data[e]));
    std::stable_sort(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    size_ = 0;
    for (auto entry = sorted_.begin(); entry != sorted_.end();) {
      const TermId term = entry->first;
      double sum = 0;
      for (; entry != sorted_.end() && entry->first == term; ++entry) sum += entry->second;
      if (damping_ == Damping::log && !std::isfinite(sum))
        throw std::invalid_argument("the entries of X at row " + std::to_string(document) + ", column " +
                                    std::to_string(term) + " add up to infinity");
      if (sum == 0) continue;
      terms_[static_cast<std::size_t>(size_)] = term;
      values_[static_cast<std::size_t>(size_++)] = sum;
    }
  }

  const Damping damping_;
  const Kernels& kernels_ = kernels_in_use();
  std::int64_t size_ = 0;
  std::vector<TermId> terms_;
  std::vector<double> values_;
  std::vector<std::pair<TermId, double>> sorted_;
};

}  // namespace termsift
