#include "reading/field_ends.hpp"

#include "reading/byte_marks.hpp"
#include "termsift/portability.hpp"

namespace termsift {
namespace {

// Bit i of the result is the parity of the bits 0 to i: whether a byte is behind an odd number of quotes.
std::uint64_t parities(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

template <bool quoted>
FieldEnds find_ends(const std::uint8_t* text, std::int64_t size, char delimiter, std::vector<std::uint32_t>& ends) {
  FieldEnds found;
  std::uint64_t inside_before = 0, end_before = 1, closing_before = 0, return_before = 0;  // of the last byte
  std::uint64_t irregular = 0, high = 0;
  for (std::int64_t at = 0; at < size; at += 64) {
    const Bytes64 bytes(text + at);
    const std::uint64_t within = size - at < 64 ? (std::uint64_t{1} << (size - at)) - 1 : ~std::uint64_t{0};
    const std::uint64_t line = bytes.equal('\n') & within, divider = bytes.equal(delimiter) & within;
    high |= bytes.high() & within;
    found.n_lines += count_set(line);
    std::uint64_t field_ends = divider | line;
    if constexpr (quoted) {
      const std::uint64_t quote = bytes.equal('"') & within;
      std::uint64_t carriage = bytes.equal('\r') & within;
      if ((quote | inside_before | closing_before) != 0) {
        const std::uint64_t inside = parities(quote) ^ inside_before;
        const std::uint64_t opening = quote & inside, closing = quote & ~inside;
        irregular |= opening & ~((field_ends | quote) << 1 | end_before);
        irregular |= (closing << 1 | closing_before) & within & ~(field_ends | quote | carriage);
        inside_before = std::uint64_t{0} - (inside >> 63);
        closing_before = closing >> 63;
        field_ends &= ~inside;
        carriage &= ~inside;
      }
      end_before = (divider | line | quote) >> 63;
      irregular |= (carriage << 1 | return_before) & within & ~line;
      return_before = carriage >> 63;
    }
    if (ends.size() < static_cast<std::size_t>(found.n) + 64) ends.resize(2 * ends.size() + 1024);
    for (std::uint32_t* to = ends.data() + found.n; field_ends != 0; field_ends &= field_ends - 1) {
      const int i = lowest_set(field_ends);
      *to++ = static_cast<std::uint32_t>((at + i) << 1) | static_cast<std::uint32_t>(line >> i & 1);
      ++found.n;
    }
  }
  found.is_regular = irregular == 0;
  found.is_ascii = high == 0;
  return found;
}

}  // namespace

FieldEnds find_field_ends(const std::uint8_t* text, std::int64_t size, char delimiter, bool quoted,
                          std::vector<std::uint32_t>& ends) {
  return quoted ? find_ends<true>(text, size, delimiter, ends) : find_ends<false>(text, size, delimiter, ends);
}

}  // namespace termsift
