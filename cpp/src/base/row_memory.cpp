#include "termsift/row_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "termsift/large_memory.hpp"

namespace termsift {
namespace {

struct Piece {
  std::byte* memory = nullptr;
  std::int64_t size = 0;
};

// The pieces that were released last. The mutex is only tried, because a child process may be forked while another thread
// holds it. A thread that does not get it allocates or frees memory as usual.
class KeptPieces {
 public:
  // Returns a kept piece of at least `size` bytes, or none. A piece more than a quarter larger would waste memory, so it is
  // not used.
  Piece take(std::int64_t size) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || size < smallest) return {};
    const auto fits = [size](const Piece& piece) { return piece.size >= size && piece.size - size <= size / 4; };
    Piece* const found = std::find_if(pieces_, pieces_ + n_, fits);
    return found == pieces_ + n_ ? Piece{} : remove(found);
  }

  void keep(Piece piece) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || piece.size < smallest || piece.size > largest) return std::free(piece.memory);
    while (n_ == most_pieces || bytes_ + piece.size > most_bytes) std::free(remove(pieces_).memory);
    pieces_[n_++] = piece;
    bytes_ += piece.size;
  }

 private:
  static constexpr std::int64_t smallest = std::int64_t{1} << 16, largest = std::int64_t{16} << 20;
  static constexpr std::int64_t most_bytes = 2 * largest;
  static constexpr std::size_t most_pieces = 64;

  Piece remove(Piece* place) noexcept {
    const Piece piece = *place;
    std::copy(place + 1, pieces_ + n_--, place);
    bytes_ -= piece.size;
    return piece;
  }

  std::mutex mutex_;
  Piece pieces_[most_pieces];  // (n_,) the piece released last is at the end
  std::size_t n_ = 0;
  std::int64_t bytes_ = 0;
};

// Never destroyed, because rows may outlive every static object.
KeptPieces& kept_pieces() {
  static KeptPieces& kept = *new KeptPieces;
  return kept;
}

}  // namespace

std::shared_ptr<std::byte> reusable_memory(std::int64_t bytes) {
  Piece piece = kept_pieces().take(bytes);
  if (piece.memory == nullptr) piece = {LargeArray<std::byte>::uninitialised(bytes).release(), bytes};
  // If there is no memory for the owner's own bookkeeping, shared_ptr calls the deleter and throws.
  return {piece.memory, [piece](std::byte*) { kept_pieces().keep(piece); }};
}

}  // namespace termsift
