// Memory that is reused from call to call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace termsift {

// Returns at least `bytes` of uninitialised memory, aligned for any type. When its last owner drops it, it is kept for a
// later call that needs about as much, up to 32 MiB in all: for a small collection, the page faults of fresh memory took
// a fifth of the time of counting.
std::shared_ptr<std::byte> reusable_memory(std::int64_t bytes);

// Memory for the rows that one thread creates in one call. Thousands of small rows share a few pieces, because each piece
// costs page faults. A piece is released with the last of its rows.
class RowMemory {
 public:
  static constexpr std::int64_t smallest_piece = std::int64_t{1} << 16, largest_piece = std::int64_t{16} << 20;

  // The first piece has this size, each further one twice the size of the one before, up to largest_piece. A row that needs
  // more gets a piece of its own size.
  explicit RowMemory(std::int64_t first_piece = smallest_piece) : next_size_(first_piece) {}
  std::shared_ptr<std::byte> take(std::int64_t bytes);

 private:
  std::shared_ptr<std::byte> piece_;
  std::int64_t used_ = 0, size_ = 0;
  std::int64_t next_size_;
};

}  // namespace termsift
