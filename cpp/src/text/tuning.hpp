// Sizes and seeds that tests change. Results do not depend on these sizes and seeds.
#pragma once

#include <cstdint>
#include <random>

namespace termsift {

struct TextTuning {
  // The seed of the hash tables is drawn once per process, so nobody can choose words that collide.
  std::uint64_t seed[3];
  std::int64_t chunk_bytes = 48 << 10;                    // bytes of text in a chunk
  std::int64_t row_tokens = std::int64_t{1} << 31;        // largest number of tokens in a row, so counts fit into 32 bits
  std::uint32_t first_tag = 1;                            // the tag of a table's first document
  std::int64_t first_slots = 1 << 10;                     // number of slots of a new hash table; a power of two
  std::int64_t small_slots = 1 << 18;                     // tables with more slots are filled to 3/4, all others to 1/2
  // The next three numbers are used for counting by class (see ClassRows).
  std::uint32_t documents_to_gather = 1 << 22;            // number of documents after which written counts move to the store
  std::int64_t entries_to_gather = 1 << 20;               // number of written counts at which the counts move to the store
  std::int64_t entries_to_unite = std::int64_t{1} << 20;  // number of entries from which rows are united
};

// The returned numbers may be changed only while no counter or index exists and no text is being counted.
inline TextTuning& text_tuning() {
  static TextTuning tuning = [] {
    std::random_device random;
    TextTuning drawn{};
    for (std::uint64_t& seed : drawn.seed) seed = (static_cast<std::uint64_t>(random()) << 32) | random();
    return drawn;
  }();
  return tuning;
}

}  // namespace termsift
