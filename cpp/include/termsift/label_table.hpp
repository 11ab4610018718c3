// A hash table that numbers keys. The keys stay in the caller's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "termsift/portability.hpp"

namespace termsift {

namespace label_hash {

inline constexpr std::uint64_t seeds[4] = {0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93};

template <class Word>
std::uint64_t load(const unsigned char* bytes) {
  Word value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline std::uint64_t of_word(std::uint64_t word) { return fold(word ^ seeds[0], seeds[1]); }

// The last words may overlap earlier ones, so no byte behind the key is read.
inline std::uint64_t of_bytes(const void* data, std::size_t size) {
  const auto* const bytes = static_cast<const unsigned char*>(data);
  const auto* const end = bytes + size;
  std::uint64_t one = size ^ seeds[2], other = seeds[3];
  if (size < 8) {
    if (size >= 4) return fold(load<std::uint32_t>(bytes) ^ one, load<std::uint32_t>(end - 4) ^ other);
    if (size == 0) return fold(one, other);
    return fold((std::uint64_t{bytes[0]} | bytes[size / 2] << 8 | bytes[size - 1] << 16) ^ one, other);
  }
  // Two independent chains of multiplications hide each other's latency.
  const auto* at = bytes;
  for (; end - at > 32; at += 32) {
    one = fold(load<std::uint64_t>(at) ^ one, load<std::uint64_t>(at + 8) ^ seeds[0]);
    other = fold(load<std::uint64_t>(at + 16) ^ other, load<std::uint64_t>(at + 24) ^ seeds[1]);
  }
  if (end - at > 16) one = fold(load<std::uint64_t>(at) ^ one, load<std::uint64_t>(at + 8) ^ seeds[0]);
  const auto* const last = size >= 16 ? end - 16 : bytes;
  return fold(load<std::uint64_t>(last) ^ one, load<std::uint64_t>(end - 8) ^ other);
}

}  // namespace label_hash

// Open addressing with linear search. At most half of the slots are taken.
class LabelTable {
 public:
  // Returns the number for which same(number) holds. If there is none, numbers the key `next`, a number not yet taken.
  // Expected time O(1).
  template <class Same>
  std::int32_t find_or_add(std::uint64_t hash, std::int32_t next, const Same& same) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t i = home(tag);
    for (; slots_[i].number >= 0; i = (i + 1) & mask_)
      if (slots_[i].tag == tag && same(slots_[i].number)) return slots_[i].number;
    slots_[i] = {tag, next};
    if (2 * ++n_taken_ > slots_.size()) grow();
    return next;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::int32_t number = -1;
  };
  std::size_t home(std::uint32_t tag) const { return tag >> shift_; }
  void grow() {
    const std::vector<Slot> held = std::exchange(slots_, std::vector<Slot>(4 * slots_.size()));
    mask_ = slots_.size() - 1;
    shift_ -= 2;
    for (const Slot& slot : held) {
      if (slot.number < 0) continue;
      std::size_t i = home(slot.tag);
      while (slots_[i].number >= 0) i = (i + 1) & mask_;
      slots_[i] = slot;
    }
  }

  static constexpr int first_bits = 10;
  std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << first_bits);
  std::size_t mask_ = (std::size_t{1} << first_bits) - 1, n_taken_ = 0;
  int shift_ = 32 - first_bits;
};

}  // namespace termsift
