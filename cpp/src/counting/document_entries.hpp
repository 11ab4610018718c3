// What is counted of one document: its terms, each once, damped.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simd/logarithm_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/counting.hpp"

namespace termsift {

// One thread's. 12 bytes for each entry of the longest document read, 28 if its terms are not distinct.
class DocumentEntries {
 public:
  explicit DocumentEntries(Damping damping) : damping_(damping) {}

  // Repeated entries are added up, zeros left out. `distinct`: the terms of every document strictly increase.
  void read(const AnyCsr& x, std::int64_t document, bool distinct);

  std::int64_t size() const { return size_; }
  const TermId* terms() const { return terms_.data(); }
  const double* values() const { return values_.data(); }

 private:
  template <class Index, class Value>
  void read_distinct(const Index* indices, const Value* data, std::int64_t n);
  // Of sorted_, which is in the order of the entries.
  void add_up_repeated(std::int64_t document);

  const Damping damping_;
  const LogarithmKernels& kernels_ = kernels_in_use<LogarithmKernels>();
  std::int64_t size_ = 0;
  std::vector<TermId> terms_;
  std::vector<double> values_;
  std::vector<std::pair<TermId, double>> sorted_;
};

}  // namespace termsift
