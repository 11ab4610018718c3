// Memory for rows of counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace termsift {

// Memory for the rows that one thread makes in one call. Thousands of small rows share a few pieces, since fresh memory is
// paid for by the page; a piece is freed with the last of its rows, or kept for the next, up to largest_piece in all.
class RowMemory {
 public:
  static constexpr std::int64_t smallest_piece = std::int64_t{1} << 16, largest_piece = std::int64_t{16} << 20;

  // Pieces of this size, or what a row needs, and then twice as much each time, up to largest_piece.
  explicit RowMemory(std::int64_t first_piece = smallest_piece) : next_size_(first_piece) {}
  std::shared_ptr<std::byte> take(std::int64_t bytes);

 private:
  std::shared_ptr<std::byte> piece_;
  std::int64_t used_ = 0, size_ = 0;
  std::int64_t next_size_;
};

}  // namespace termsift
