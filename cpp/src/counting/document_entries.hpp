// The entries of one document in the form in which they are counted.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "simd/logarithm_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/counting.hpp"

namespace termsift {

// Thrown for a document that cannot be counted.
struct BadDocument : std::invalid_argument {
  BadDocument(std::int64_t number, const std::string& what) : std::invalid_argument(what), document(number) {}
  std::int64_t document;
};

// The distinct terms of a document with their weighted values. Each thread needs its own DocumentEntries. An object uses 12
// bytes for each entry of the longest document, or 28 bytes if the terms are not distinct.
class DocumentEntries {
 public:
  explicit DocumentEntries(TermWeight weight) : weight_(weight) {}

  // Reads a document, adds up entries of the same term, and drops zeros. If `distinct`, the terms must strictly increase.
  // Throws BadDocument if a logarithm is to be taken of a sum that is infinite.
  void read(const AnyCsr& x, std::int64_t document, bool distinct);

  std::int64_t size() const { return size_; }
  const TermId* terms() const { return terms_.data(); }
  const double* values() const { return values_.data(); }

 private:
  template <class Index, class Value>
  void read_distinct(const Index* indices, const Value* data, std::int64_t n);
  void add_up_repeated(std::int64_t document);  // sums the values of each term in the order of entries

  const TermWeight weight_;
  const LogarithmKernels& kernels_ = kernels_in_use<LogarithmKernels>();
  std::int64_t size_ = 0;
  std::vector<TermId> terms_;
  std::vector<double> values_;
  std::vector<std::pair<TermId, double>> sorted_;
};

}  // namespace termsift
