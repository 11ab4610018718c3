// Matrix -> the documents of each term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {

// The documents that have a term, increasing, each once.
class Postings {
 public:
  // Document d is row rows[d] of the matrix, which has been checked. O(entries) time; memory: 4 bytes for each entry, and 8
  // for each term and thread.
  static Postings of(const AnyCsr& x, const CsrFacts& facts, std::span<const std::int64_t> rows, const Threads& requested);

  std::int64_t n_terms() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  std::int64_t n_entries() const { return first_.back(); }
  std::span<const std::int32_t> operator[](std::int64_t term) const {
    const std::int64_t begin = first_[static_cast<std::size_t>(term)], end = first_[static_cast<std::size_t>(term) + 1];
    return {documents_.get() + begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  std::vector<std::int64_t> first_;  // (n_terms + 1,)
  LargeArray<std::int32_t> documents_;
};

}  // namespace termsift
