#include "counting/document_entries.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/values.hpp"

namespace termsift {

void DocumentEntries::read(const AnyCsr& any, std::int64_t document, bool distinct) {
  any.visit([&](const auto& x) {
    const std::int64_t begin = x.indptr[document], n = x.indptr[document + 1] - begin;
    if (const auto room = static_cast<std::size_t>((n + 7) / 8 * 8); values_.size() < room) {
      values_.resize(2 * room);
      terms_.resize(2 * room);
    }
    if (distinct) return read_distinct(x.indices + begin, x.data + begin, n);
    sorted_.clear();
    for (std::int64_t e = begin; e < begin + n; ++e)
      sorted_.emplace_back(static_cast<TermId>(x.indices[e]), as_count<double>(x.data[e]));
  });
  if (!distinct) add_up_repeated(document);
  if (weight_ == TermWeight::binary) {
    std::fill_n(values_.begin(), size_, 1.0);
  } else if (weight_ == TermWeight::log) {
    std::int64_t end = size_;
    while (end % 8 != 0) values_[static_cast<std::size_t>(end++)] = 0;
    kernels_.log_plus_one(values_.data(), end);
  }
}

template <class Index, class Value>
void DocumentEntries::read_distinct(const Index* indices, const Value* data, std::int64_t n) {
  TermId* const terms = terms_.data();
  double* const values = values_.data();
  std::int64_t size = 0;
  for (std::int64_t e = 0; e < n; ++e) {  // no branch on zeros, because it would be unpredictable
    terms[size] = static_cast<TermId>(indices[e]);
    values[size] = as_count<double>(data[e]);
    size += values[size] != 0;
  }
  size_ = size;
}

void DocumentEntries::add_up_repeated(std::int64_t document) {
  std::stable_sort(sorted_.begin(), sorted_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  size_ = 0;
  for (auto entry = sorted_.begin(); entry != sorted_.end();) {
    const TermId term = entry->first;
    double sum = 0;
    for (; entry != sorted_.end() && entry->first == term; ++entry) sum += entry->second;
    if (weight_ == TermWeight::log && !std::isfinite(sum))
      throw BadDocument(document, "the entries of X at row " + std::to_string(document) + ", column " +
                                      std::to_string(term) + " add up to infinity");
    if (sum == 0) continue;
    terms_[static_cast<std::size_t>(size_)] = term;
    values_[static_cast<std::size_t>(size_++)] = sum;
  }
}

}  // namespace termsift
