#include "text/normaliser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "simd/targets.hpp"
#include "text/block_impl.hpp"
#include "text/scan_kernels.hpp"

namespace termsift {
namespace {

// How one character is read. Both read(text, end, c), which returns its length in units or 0 if it is wrong, and
// before(begin, at), which returns where the one that ends at `at` begins, follow no unit outside the text.
struct Utf8 {
  using Unit = std::uint8_t;
  static int read(const Unit* at, const Unit* end, char32_t& c) {
    const std::int64_t left = end - at;
    const auto follows = [&](int i) { return left > i && (at[i] & 0xc0) == 0x80; };
    const auto part = [&](int i, int shift) { return static_cast<char32_t>(at[i] & 0x3f) << shift; };
    if (at[0] < 0x80) {
      c = at[0];
      return 1;
    }
    if (at[0] < 0xe0) {
      if (!follows(1)) return 0;
      c = static_cast<char32_t>(at[0] & 0x1f) << 6 | part(1, 0);
      return at[0] >= 0xc2 ? 2 : 0;
    }
    if (at[0] < 0xf0) {
      if (!follows(1) || !follows(2)) return 0;
      c = static_cast<char32_t>(at[0] & 0xf) << 12 | part(1, 6) | part(2, 0);
      return c >= 0x800 && (c < 0xd800 || c >= 0xe000) ? 3 : 0;
    }
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    c = static_cast<char32_t>(at[0] - 0xf0) << 18 | part(1, 12) | part(2, 6) | part(3, 0);
    return c >= 0x10000 && c < n_code_points ? 4 : 0;
  }
  static const Unit* before(const Unit* begin, const Unit* at) {
    do --at;
    while (at > begin && (*at & 0xc0) == 0x80);
    return at;
  }
};

template <class T>
struct OneUnit {
  using Unit = T;
  static int read(const Unit* at, const Unit*, char32_t& c) {
    c = *at;
    return c < n_code_points ? 1 : 0;
  }
  static const Unit* before(const Unit*, const Unit* at) { return at - 1; }
};

std::uint64_t low_bits(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

}  // namespace

// ---- the text ----------------------------------------------------------------------------------------------------

void NormalText::reserve(std::int64_t n) {
  const std::int64_t need = size_ + n + 128;
  if (need <= room_) return;
  room_ = std::max(need, 2 * room_);
  auto bytes = LargeArray<std::uint8_t>::uninitialised(room_);
  auto marks = LargeArray<std::uint64_t>::uninitialised(room_ / 64 + 2);
  if (marks_.get() != nullptr) {
    std::memcpy(bytes.get(), bytes_.get(), static_cast<std::size_t>(size_));
    std::memcpy(marks.get(), marks_.get(), static_cast<std::size_t>(size_ / 64 + 1) * sizeof(std::uint64_t));
  }
  bytes_ = std::move(bytes);
  marks_ = std::move(marks);
}

void NormalText::align() {
  reserve(64);
  append(64 - size_ % 64, 0);
}

std::int64_t NormalText::keep_marked(std::int64_t begin) {
  const std::int64_t n = size_ - begin, unmarked = (64 - n % 64) % 64;
  size_ = n + unmarked;  // <= the size before, or 64
  std::memmove(bytes() + unmarked, bytes() + begin, static_cast<std::size_t>(n));
  std::fill_n(marks(), size_ / 64, ~std::uint64_t{0});
  if (size_ > 0) marks_[0] <<= unmarked;
  marks_[size_ / 64] = 0;
  return unmarked;
}

// ---- reading -----------------------------------------------------------------------------------------------------

void Normaliser::open(const Text& text, std::int64_t document) {
  text_ = text;
  document_ = document;
  at_ = 0;
  ascii_ = true;
}

void Normaliser::refuse() const {
  std::string bytes;
  if (text_.encoding == TextEncoding::utf8) {
    const auto* const text = static_cast<const std::uint8_t*>(text_.data);
    constexpr char digits[] = "0123456789abcdef";
    for (std::int64_t i = at_; i < std::min(at_ + 4, text_.length) && (i == at_ || (text[i] & 0xc0) == 0x80); ++i)
      bytes.append(bytes.empty() ? "" : " ").append({digits[text[i] >> 4], digits[text[i] & 15]});
  }
  throw BadText(document_, at_, "document " + std::to_string(document_) + ", byte " + std::to_string(at_) +
                                    ": expected UTF-8, found " + (bytes.empty() ? "no character" : bytes) +
                                    " (hexadecimal); decode the text by the encoding that it was written in");
}

void Normaliser::read(std::int64_t n, NormalText& out) {
  const std::int64_t limit = n < text_.length - at_ ? at_ + n : text_.length;
  // Steps, so that there is never much more room than text.
  while (at_ < limit) {
    constexpr std::int64_t step = 1 << 16;
    const std::int64_t end = std::min(limit, at_ + step);
    out.reserve(4 * (end - at_) + 256);
    switch (text_.encoding) {
      case TextEncoding::utf8: read_utf8(end, out); break;
      case TextEncoding::latin1: read_units<std::uint8_t>(end, out); break;
      case TextEncoding::ucs2: read_units<std::uint16_t>(end, out); break;
      case TextEncoding::ucs4: read_units<std::uint32_t>(end, out); break;
    }
  }
}

// Reads one character of any kind.
template <class Encoding>
void Normaliser::read_one(std::int64_t limit, NormalText& out) {
  const auto* const text = static_cast<const typename Encoding::Unit*>(text_.data);
  char32_t c = 0;
  const int length = Encoding::read(text + at_, text + text_.length, c);
  if (length == 0) refuse();
  if (c >= 0x80) ascii_ = false;
  if (map_.lowercase() && c == capital_sigma) c = sigma_is_final<Encoding>() ? final_sigma : small_sigma;
  if (const Mapped mapped = map_.find(c); mapped.simple()) {
    const std::uint32_t bytes = mapped.bytes();
    std::memcpy(out.bytes() + out.size(), &bytes, 4);
    out.append(mapped.length(), mapped.marks(marks_spaces_));
  } else {
    const CharacterMap::Expansion& expansion = map_.expansion(c);
    out.reserve(4 * std::max<std::int64_t>(limit - at_, 0) + 256);
    std::memcpy(out.bytes() + out.size(), expansion.bytes, sizeof expansion.bytes);
    out.append(expansion.length, marks_spaces_ ? expansion.spaces : expansion.words);
  }
  at_ += length;
}

// As str.lower: a sigma is final after a cased letter and not before one; what is case-ignorable is skipped.
template <class Encoding>
bool Normaliser::sigma_is_final() const {
  const auto* const begin = static_cast<const typename Encoding::Unit*>(text_.data);
  const auto* const end = begin + text_.length;
  char32_t c = 0;
  Casing before = Casing::none;
  for (const auto* at = begin + at_; at > begin;) {
    at = Encoding::before(begin, at);
    Encoding::read(at, end, c);
    before = casing(c);
    if (before != Casing::ignorable) break;
  }
  if (before != Casing::cased) return false;
  for (const auto* at = begin + at_; at < end;) {
    const bool self = at == begin + at_;
    const int length = Encoding::read(at, end, c);
    if (length == 0) return true;  // wrong, and refused when it is read
    at += length;
    if (self) continue;
    const Casing after = casing(c);
    if (after != Casing::ignorable) return after != Casing::cased;
  }
  return true;
}

void Normaliser::read_ascii(std::int64_t limit, NormalText& out) {
  if (out.size() % 64 != 0) return;
  const std::int64_t n = kernels_in_use<ScanKernels>().read_ascii(
      static_cast<const std::uint8_t*>(text_.data) + at_, limit - at_, case_bit_, marks_spaces_, out.bytes() + out.size(),
      out.marks() + out.size() / 64);
  out.append_blocks(n);
  at_ += n;
}

// Reads 64 bytes at a time. Most characters have as many bytes in lowercase as before, and are changed in place. A character
// that has not, or is wrong, ends its block.
void Normaliser::read_utf8(std::int64_t limit, NormalText& out) {
  const auto* const text = static_cast<const std::uint8_t*>(text_.data);
  const std::atomic<std::uint64_t>* const entries = map_.entries();
  const bool spaces = marks_spaces_;
  read_ascii(limit, out);
  while (at_ < limit) {
    const std::uint8_t* in = text + at_;
    std::uint8_t last[64 + 4] = {};
    int n = 64;
    if (text_.length - at_ < n + 3) {  // a character that begins in the block must not be read beyond the text
      n = static_cast<int>(std::min<std::int64_t>(text_.length - at_, n));
      in = static_cast<const std::uint8_t*>(std::memcpy(last, in, static_cast<std::size_t>(text_.length - at_)));
    }
    std::uint8_t* const to = out.bytes() + out.size();
    BlockMarks block = read_block(in, case_bit_, marks_spaces_, to);
    if (block.high == 0) {
      out.append(n, block.marked);
      at_ += n;
      continue;
    }
    ascii_ = false;
    int done = n;
    bool in_place = true;
    for (std::uint64_t left = block.high & low_bits(n); left != 0;) {
      const int i = std::countr_zero(left);
      const std::uint8_t* const at = in + i;
      char32_t c = 0;
      int length = 2;
      bool valid;
      if (at[0] < 0xe0) {
        c = static_cast<char32_t>(at[0] & 0x1f) << 6 | (at[1] & 0x3f);
        valid = at[0] >= 0xc0 && (at[1] & 0xc0) == 0x80;
      } else if (at[0] < 0xf0) {
        c = static_cast<char32_t>(at[0] & 0xf) << 12 | static_cast<char32_t>(at[1] & 0x3f) << 6 | (at[2] & 0x3f);
        valid = (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80;
        length = 3;
      } else {
        length = Utf8::read(at, at + 4, c);
        valid = length != 0;
      }
      const Mapped mapped = valid ? Mapped(entries[c].load(std::memory_order_relaxed)) : Mapped();
      // Overlong forms and surrogates differ from the length here, as does what is not known yet.
      in_place = valid && mapped.length_in_place() == length;
      if (!in_place || i + length > n) {  // the next block begins with it
        done = i;
        break;
      }
      const std::uint32_t bytes = mapped.bytes();
      std::memcpy(to + i, &bytes, 2);
      left &= left - 1;
      left &= left - 1;
      if (length > 2) {
        to[i + 2] = static_cast<std::uint8_t>(bytes >> 16);
        left &= left - 1;
        if (length == 4) {
          to[i + 3] = static_cast<std::uint8_t>(bytes >> 24);
          left &= left - 1;
        }
      }
      block.marked |= mapped.marks(spaces) << i;
    }
    out.append(done, block.marked & low_bits(done));
    at_ += done;
    if (!in_place) read_one<Utf8>(limit, out);
  }
}

// Reads blocks of ASCII, and other characters one by one until some of ASCII follow each other.
template <class Unit>
void Normaliser::read_units(std::int64_t limit, NormalText& out) {
  constexpr int enough_ascii = sizeof(Unit) == 1 ? 1 : 8;
  const auto* const text = static_cast<const Unit*>(text_.data);
  const std::atomic<std::uint64_t>* const entries = map_.entries();
  const bool spaces = marks_spaces_;
  if (sizeof(Unit) == 1) read_ascii(limit, out);
  while (at_ < limit) {
    const auto n = static_cast<int>(std::min<std::int64_t>(text_.length - at_, 64));
    std::uint8_t narrow[64] = {};
    const std::uint8_t* in = narrow;
    if (sizeof(Unit) == 1 && n == 64) in = reinterpret_cast<const std::uint8_t*>(text + at_);
    else
      for (int i = 0; i < n; ++i) narrow[i] = static_cast<std::uint8_t>(text[at_ + i] < 0x80 ? text[at_ + i] : 0x80);
    const BlockMarks block = read_block(in, case_bit_, marks_spaces_, out.bytes() + out.size());
    const int n_ascii = block.high == 0 ? n : std::countr_zero(block.high);
    out.append(n_ascii, block.marked & low_bits(n_ascii));
    at_ += n_ascii;
    if (n_ascii == n) continue;
    ascii_ = false;
    std::uint8_t* to = out.bytes() + out.size();
    std::uint64_t marks = 0;
    int n_bytes = 0;
    std::int64_t at = at_;
    for (int ascii = 0; at < limit && ascii < enough_ascii; ++at) {
      const char32_t c = text[at];
      const Mapped mapped = c < n_code_points ? Mapped(entries[c].load(std::memory_order_relaxed)) : Mapped();
      if (!mapped.simple()) {
        at_ = at;
        out.append(n_bytes, marks);
        marks = 0;
        n_bytes = 0;
        read_one<OneUnit<Unit>>(limit, out);
        at = at_ - 1;
        to = out.bytes() + out.size();
        continue;
      }
      const std::uint32_t bytes = mapped.bytes();
      std::memcpy(to, &bytes, 4);
      to += mapped.length();
      marks |= mapped.marks(spaces) << n_bytes;
      n_bytes += mapped.length();
      ascii = c < 0x80 ? ascii + 1 : 0;
      if (n_bytes > 60) {
        out.append(n_bytes, marks);
        marks = 0;
        n_bytes = 0;
      }
    }
    out.append(n_bytes, marks);
    at_ = at;
  }
}

}  // namespace termsift
