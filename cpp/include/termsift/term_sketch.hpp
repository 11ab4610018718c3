// Upper bounds of the document frequencies of all terms, in less memory than the terms take.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/portability.hpp"
#include "termsift/texts.hpp"

namespace termsift {

struct TextRules;

// Counters of document frequency. All terms whose hashes have the same place() share a counter. The counter counts the
// documents that contain any of these terms, up to 255. So no term is in more documents than its counter says, unless the
// counter is 255. The hash is the same in every process, and additions that stop at 255 give the same result in any order.
// Therefore the counters depend neither on the order of the texts nor on the threads.
class TermSketch {
 public:
  explicit TermSketch(std::int64_t n_counters);

  // Cuts documents into terms by the rules, and adds the documents to the counters. If add() throws, some of the documents
  // may have been added.
  void add(const TextRules& rules, Texts texts, const Threads& threads);

  std::span<std::uint8_t> counters() { return {counters_.get(), static_cast<std::size_t>(n_)}; }
  std::int64_t n_bytes() const { return n_; }
  // Returns the index of the counter for terms with this hash.
  std::uint64_t place(std::uint64_t hash) const {
    return high_product(hash, static_cast<std::uint64_t>(n_));
  }
  const std::uint8_t& at(std::uint64_t place) const { return counters_[static_cast<std::int64_t>(place)]; }

 private:
  std::int64_t n_;
  LargeArray<std::uint8_t> counters_;
};

}  // namespace termsift
