#include "termsift/row_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "termsift/large_memory.hpp"

namespace termsift {
namespace {

// Pieces of memory whose rows are gone, those freed last, up to largest_piece in all: the allocator would give them back,
// and for a small collection their page faults were a fifth of the time of counting. Any thread may call; one that finds
// another there goes on without, as does the child of a fork that found one there.
class KeptPieces {
 public:
  static constexpr std::int64_t smallest = RowMemory::smallest_piece, most = RowMemory::largest_piece;
  struct Piece {
    std::byte* memory = nullptr;
    std::int64_t size = 0;
  };

  // One of that size, or up to a quarter more, since rows are to take no more memory than they need; null if none is kept.
  Piece take(std::int64_t size) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || size < smallest) return {};
    const auto fits = [size](const Piece& piece) { return piece.size >= size && piece.size - size <= size / 4; };
    Piece* const end = pieces_ + n_;
    Piece* const found = std::find_if(pieces_, end, fits);
    return found == end ? Piece{} : remove(found);
  }

  // Takes the piece over.
  void keep(Piece piece) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || piece.size < smallest || piece.size > most) return std::free(piece.memory);
    while (n_ == most_pieces || bytes_ + piece.size > most) std::free(remove(pieces_).memory);
    pieces_[n_++] = piece;
    bytes_ += piece.size;
  }

 private:
  Piece remove(Piece* place) noexcept {
    const Piece piece = *place;
    std::copy(place + 1, pieces_ + n_--, place);
    bytes_ -= piece.size;
    return piece;
  }

  std::mutex mutex_;
  static constexpr std::size_t most_pieces = 32;
  Piece pieces_[most_pieces];  // (n,) from the one freed first to the one freed last
  std::size_t n_ = 0;
  std::int64_t bytes_ = 0;
};

// Never destroyed: rows may outlive all that is.
KeptPieces& kept_pieces() {
  static KeptPieces& kept = *new KeptPieces;
  return kept;
}

}  // namespace

std::shared_ptr<std::byte> RowMemory::take(std::int64_t bytes) {
  constexpr std::int64_t alignment = 64;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (used_ + bytes > size_) {
    KeptPieces::Piece piece = kept_pieces().take(std::max(bytes, next_size_));
    if (piece.memory == nullptr) {
      piece.size = std::max(bytes, next_size_);
      piece.memory = LargeArray<std::byte>::uninitialised(piece.size).release();
    }
    // Where there is no memory for the owner's own, it calls keep, and nothing here has changed.
    piece_ = std::shared_ptr<std::byte>(piece.memory, [piece](std::byte*) { kept_pieces().keep(piece); });
    size_ = piece.size;
    next_size_ = std::min(2 * next_size_, largest_piece);
    used_ = 0;
  }
  used_ += bytes;
  return {piece_, piece_.get() + used_ - bytes};
}

}  // namespace termsift
