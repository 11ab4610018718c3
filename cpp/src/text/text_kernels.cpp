#include "text/text_kernels.hpp"

#include "base/byte_marks.hpp"
#include "simd/weighted_row_impl.hpp"
#include "termsift/portability.hpp"
#include "text/pattern_symbols.hpp"
#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

struct BlockMarks {
  std::uint64_t marked;  // one bit for each ASCII word character (with `spaces`: for each ASCII white space)
  std::uint64_t high;    // one bit for each byte that is not ASCII
};

// Writes 64 bytes of `text` to `out`, with `case_bit` set in ASCII capital letters.
TERMSIFT_INLINE BlockMarks read_block(const std::uint8_t* text, std::uint8_t case_bit, bool spaces, std::uint8_t* out) {
  const Bytes64 bytes(text);
  bytes.write(case_bit, out);
  if (spaces) return {bytes.within(9, 5) | bytes.within(28, 5), bytes.high()};
  return {bytes.within('a', 26) | bytes.within('A', 26) | bytes.within('0', 10) | bytes.equal('_'), bytes.high()};
}

TERMSIFT_INLINE std::uint64_t low_bits(std::int64_t n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

// Replaces and marks characters of `length` bytes. The set bits of `leads` are their first bytes. The other bytes of each
// character must be continuation bytes. Returns whether every character keeps its length. A surrogate counts as a change of
// length (see Mapped::bits). An overlong form counts as a change, because its code point has a shorter form.
template <int length>
TERMSIFT_INLINE bool change_in_place(const std::uint8_t* in, std::uint64_t leads, const ScanRules& rules, std::uint8_t* to,
                                     std::uint64_t& marked) {
  constexpr std::uint64_t in_place = std::uint64_t{length} << 40;
  const int first_mark = rules.spaces ? 52 : 48;
  const MappedEntry* const entries = rules.entries;
  std::uint64_t differences = 0, marks = 0;
  for (; leads != 0; leads &= leads - 1) {
    const int i = lowest_set(leads);
    const std::uint8_t* const at = in + i;
    // One subtraction removes the fixed high bits of all bytes of the character.
    std::uint32_t c = 0;
    if (length == 2) c = (std::uint32_t{at[0]} << 6) + at[1] - 0x3080;
    if (length == 3) c = (std::uint32_t{at[0]} << 12) + (std::uint32_t{at[1]} << 6) + at[2] - 0xe2080;
    if (length == 4) {
      c = (std::uint32_t{at[0]} << 18) + (std::uint32_t{at[1]} << 12) + (std::uint32_t{at[2]} << 6) + at[3] - 0x3c82080;
      // An invalid code point is replaced by U+0000. The block is then refused, because U+0000 has only one byte.
      if (c >= n_code_points) c = 0;
    }
    const std::uint64_t entry = read_entry(entries + c);
    differences |= entry ^ in_place;
    const std::uint32_t written = low_byte_first(static_cast<std::uint32_t>(entry));
    const std::uint32_t next_two = low_byte_first(static_cast<std::uint32_t>(entry) >> 16);
    copy_bytes(to + i, &written, 2);
    if (length == 3) to[i + 2] = static_cast<std::uint8_t>(entry >> 16);
    if (length == 4) copy_bytes(to + i + 2, &next_two, 2);
    marks |= (entry >> first_mark & 1) << i;
  }
  for (int i = 0; i < length; ++i) marked |= marks << i;
  return (differences >> 40 & 0xff) == 0;
}

std::int64_t read_utf8(const std::uint8_t* text, std::int64_t at, std::int64_t limit, std::int64_t end,
                       const ScanRules& rules, MarkedBytes& result) {
  MarkedBytes out = result;
  while (at < limit) {
    const std::int64_t n = end - at < 64 ? end - at : 64;
    std::uint8_t* const to = out.bytes + out.size;
    BlockMarks block = read_block(text + at, rules.case_bit, rules.spaces, to);
    const std::uint64_t within = low_bits(n);
    std::int64_t done = n;
    if ((block.high & within) != 0) {
      out.ascii = false;
      // `two`, `three` and `four` mark first bytes of characters of 2, 3 and 4 bytes; `following` marks continuation bytes.
      const Bytes64 bytes(text + at);
      std::uint64_t two = bytes.within(0xc0, 0x20), three = bytes.within(0xe0, 0x10), four = bytes.within(0xf0, 8);
      const std::uint64_t following = bytes.within(0x80, 0x40);
      // If the end of this block cuts a character, the next block begins with this character.
      const std::uint64_t split =
          (two & std::uint64_t{1} << 63) | (three & std::uint64_t{3} << 62) | (four & std::uint64_t{7} << 61);
      if (split != 0 && n == 64) done = lowest_set(split);
      const std::uint64_t inside = low_bits(done);
      two &= inside, three &= inside, four &= inside;
      const std::uint64_t of_three = three | four;
      const std::uint64_t follow = (two | of_three) << 1 | of_three << 2 | four << 3;
      if (follow != (following & inside) ||
          (two | of_three | follow) != (block.high & inside) ||
          !change_in_place<2>(text + at, two, rules, to, block.marked) ||
          !change_in_place<3>(text + at, three, rules, to, block.marked) ||
          !change_in_place<4>(text + at, four, rules, to, block.marked))
        break;
      if (rules.sigmas) out.sigmas = two & bytes.equal('\xce') & bytes.equal('\xa3') >> 1;
      if (out.sigmas != 0) {
        out.sigmas_from = at;
        out.sigmas_to = out.size;
        limit = at;  // stops after this block
      }
    }
    out.append(done, block.marked & low_bits(done));
    at += done;
  }
  result = out;
  return at;
}

// Reads 64 characters at once if all 64 are ASCII. Other characters are read 16 at a time, without branches. Most blocks of
// 16 mix another script with ASCII blanks, so branches would be unpredictable.
template <class Unit>
std::int64_t read_units(const Unit* text, std::int64_t at, std::int64_t limit, std::int64_t end,
                        const ScanRules& rules, MarkedBytes& result) {
  MarkedBytes out = result;
  const int first_mark = rules.spaces ? 52 : 48;
  while (at < limit) {
    const std::int64_t n = end - at < 64 ? end - at : 64;
    std::uint8_t narrow[64] = {};
    Unit all = 0;
    Unit has_sigma = 0;  // a Unit, so that the loop becomes vector instructions
    if (n == 64) {
      for (int i = 0; i < 64; ++i) all |= text[at + i], narrow[i] = static_cast<std::uint8_t>(text[at + i]);
      if constexpr (sizeof(Unit) > 1)
        for (int i = 0; i < 64; ++i) has_sigma |= static_cast<Unit>(text[at + i] == 0x3a3);
    } else {
      for (int i = 0; i < n; ++i) all |= text[at + i], narrow[i] = static_cast<std::uint8_t>(text[at + i]);
      if constexpr (sizeof(Unit) > 1)
        for (int i = 0; i < n; ++i) has_sigma |= static_cast<Unit>(text[at + i] == 0x3a3);
    }
    if (all < 0x80) {
      const BlockMarks block = read_block(narrow, rules.case_bit, rules.spaces, out.bytes + out.size);
      out.append(n, block.marked & low_bits(n));
      at += n;
      continue;
    }
    out.ascii = false;
    if (rules.sigmas && has_sigma != 0) {
      for (int i = 0; i < n; ++i) out.sigmas |= std::uint64_t{text[at + i] == 0x3a3} << i;
      out.sigmas_from = at;
      out.sigmas_to = out.size;
      limit = at;  // stops after this block
    }
    for (std::int64_t left = n; left > 0; left -= 16) {
      const int n_here = static_cast<int>(left < 16 ? left : 16);
      std::uint8_t* to = out.bytes + out.size;
      std::uint64_t marks = 0, simple = ~std::uint64_t{0};
      int n_bytes = 0;
      for (int i = 0; i < n_here; ++i) {
        char32_t c = text[at + i];
        if (sizeof(Unit) == 4 && c >= n_code_points) c = 0, simple = 0;
        const std::uint64_t entry = read_entry(rules.entries + c);
        simple &= entry;
        const std::uint32_t written = low_byte_first(static_cast<std::uint32_t>(entry));
        copy_bytes(to + n_bytes, &written, 4);
        marks |= (entry >> first_mark & 0xf) << n_bytes;
        n_bytes += static_cast<int>(entry >> 32 & 7);
      }
      if (simple >> 56 == 0) {
        result = out;
        return at;
      }
      out.append(n_bytes, marks);
      at += n_here;
    }
  }
  result = out;
  return at;
}

std::int64_t skip_settled(const std::uint8_t* text, std::int64_t at, std::int64_t end, std::uint8_t first_byte,
                          const FormEntry* entries, std::uint16_t settled, std::uint16_t ignored) {
  for (; at < end; at += 64) {
    const Bytes64 bytes(text + at);
    if (bytes.within(first_byte, 0x100 - first_byte) == 0) continue;
    std::uint32_t differences = 0;
    const auto compare = [&](char32_t c) {
      differences |= static_cast<std::uint32_t>(read_entry(entries + (c < n_code_points ? c : 0)) ^ settled);
    };
    for (std::uint64_t leads = bytes.within(0xc0, 0x20); leads != 0; leads &= leads - 1) {
      const std::uint8_t* const c = text + at + lowest_set(leads);
      compare((c[0] & 0x1fu) << 6 | (c[1] & 0x3fu));
    }
    for (std::uint64_t leads = bytes.within(0xe0, 0x10); leads != 0; leads &= leads - 1) {
      const std::uint8_t* const c = text + at + lowest_set(leads);
      compare((c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu));
    }
    for (std::uint64_t leads = bytes.within(0xf0, 0x10); leads != 0; leads &= leads - 1) {
      const std::uint8_t* const c = text + at + lowest_set(leads);
      compare((c[0] & 0xfu) << 18 | (c[1] & 0x3fu) << 12 | (c[2] & 0x3fu) << 6 | (c[3] & 0x3fu));
    }
    if ((differences & ~std::uint32_t{ignored}) != 0) return at;
  }
  return end;
}

#ifndef __AVX512F__
TERMSIFT_INLINE std::uint32_t lowest_bit(std::uint64_t bits) {
  return static_cast<std::uint32_t>(lowest_set(bits | std::uint64_t{1} << 63));
}
#endif

// If bits i - 1 and i are set but bit i - 2 is not, a run of at least two bits begins at bit i - 1. If bits i - 2 and i - 1
// are set but bit i is not, a run of at least two bits ends before bit i.
std::int64_t cut(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds) {
  std::uint32_t* at = bounds;
  std::uint64_t before = 0;
  for (std::int64_t w = 0; w < n_words; ++w, first += 64) {
    const std::uint64_t word = marks[w];
    const std::uint64_t one_before = word << 1 | before >> 63, two_before = word << 2 | before >> 62;
    std::uint64_t changes = one_before & (word ^ two_before);
    before = word;
#ifdef __AVX512F__
    __m512i places = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                      _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    for (int i = 0; i < 64; i += 16) {
      const auto here = static_cast<__mmask16>(changes >> i), begins = static_cast<__mmask16>(here & word >> i);
      const __m512i found = _mm512_mask_sub_epi32(places, begins, places, _mm512_set1_epi32(1));
      _mm512_storeu_si512(at, _mm512_maskz_compress_epi32(here, found));
      at += count_set(here);
      places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
    }
#else
    // Starts and ends of runs alternate.
    std::uint32_t* const next = at + count_set(changes);
    const auto at_end = static_cast<std::uint32_t>((at - bounds) & 1);
    const std::uint32_t even = first - (1 - at_end), odd = first - at_end;
    while (at < next) {
      for (int i = 0; i < 8; i += 2) {  // writes eight bounds at a time, even if fewer are left
        at[i] = even + lowest_bit(changes);
        changes &= changes - 1;
        at[i + 1] = odd + lowest_bit(changes);
        changes &= changes - 1;
      }
      at += 8;
    }
    at = next;
#endif
  }
  return at - bounds;
}

// ---- patterns --------------------------------------------------------------------------------------------------------

void write_symbols(const std::uint8_t* text, std::int64_t n, const std::uint8_t* class_of, std::uint8_t* symbols) {
  for (std::int64_t at = 0; at < n; at += 64) {
    const Bytes64 bytes(text + at);
    bytes.write(0, symbols + at);
    if (bytes.high() == 0) continue;
    for (std::uint64_t following = bytes.within(0x80, 0x40); following != 0; following &= following - 1)
      symbols[at + lowest_set(following)] = PatternSymbol::nothing;
    const auto write = [&](int i, char32_t c) {
      symbols[at + i] = static_cast<std::uint8_t>(PatternSymbol::first_of_classes + class_of[c]);
    };
    for (std::uint64_t leads = bytes.within(0xc0, 0x20); leads != 0; leads &= leads - 1) {
      const int i = lowest_set(leads);
      const std::uint8_t* const c = text + at + i;
      write(i, (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu));
    }
    for (std::uint64_t leads = bytes.within(0xe0, 0x10); leads != 0; leads &= leads - 1) {
      const int i = lowest_set(leads);
      const std::uint8_t* const c = text + at + i;
      write(i, (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu));
    }
    for (std::uint64_t leads = bytes.within(0xf0, 0x10); leads != 0; leads &= leads - 1) {
      const int i = lowest_set(leads);
      const std::uint8_t* const c = text + at + i;
      write(i, (c[0] & 7u) << 18 | (c[1] & 0x3fu) << 12 | (c[2] & 0x3fu) << 6 | (c[3] & 0x3fu));
    }
  }
}

// Keeps the marks of a block, and returns whether a transition was rare. `flagged` has the flags of each transition.
TERMSIFT_INLINE bool keep_marks(const std::uint8_t* flagged, std::int64_t block, ScannedBlocks& found) {
  const Bytes64 flags(flagged);
  found.begins[block] = flags.with_bit(ScanFlag::begins);
  found.ends[block] = flags.with_bit(ScanFlag::ends);
  found.rare = flags.with_bit(ScanFlag::rare);
  return found.rare != 0;
}

// A transition is one shuffle: the row of a symbol holds the next state of each state.
std::int64_t scan_few(const std::uint8_t* few, const std::uint8_t* symbols, std::int64_t n_blocks, ScannedBlocks& found) {
  std::uint8_t* const states = found.states;
  std::uint8_t before = states[0];
#if defined(__SSSE3__)
  __m128i state = _mm_set1_epi8(static_cast<char>(before));  // a shuffle reads only the lowest four bits, if bit 7 is 0
#elif defined(__ARM_NEON) && defined(__aarch64__)
  uint8x16_t state = vdupq_n_u8(before);
#else
  std::uint8_t state = before;
#endif
  for (std::int64_t block = 0; block < n_blocks; ++block) {
    const std::uint8_t* const in = symbols + 64 * block;
    states[0] = before;
    for (int i = 0; i < 64; ++i) {
      const std::uint8_t* const row = few + few_scan_states * in[i];
#if defined(__SSSE3__)
      state = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)), state);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(states + 1 + i), state);
#elif defined(__ARM_NEON) && defined(__aarch64__)
      state = vqtbl1q_u8(vld1q_u8(row), vandq_u8(state, vdupq_n_u8(few_scan_states - 1)));
      vst1q_u8(states + 1 + i, state);
#else
      states[1 + i] = state = row[state & (few_scan_states - 1)];
#endif
    }
    before = states[64] & (few_scan_states - 1);
    if (keep_marks(states + 1, block, found)) return block + 1;
  }
  states[0] = before;
  return n_blocks;
}

std::int64_t scan_many(const std::uint16_t* many, const std::uint8_t* symbols, std::int64_t n_blocks, ScannedBlocks& found) {
  std::uint8_t* const states = found.states;
  std::uint8_t flags[64];
  std::uint8_t state = states[0];
  for (std::int64_t block = 0; block < n_blocks; ++block) {
    const std::uint8_t* const in = symbols + 64 * block;
    states[0] = state;
    for (int i = 0; i < 64; ++i) {
      const std::uint16_t entry = many[256 * state + in[i]];
      states[1 + i] = state = static_cast<std::uint8_t>(entry >> 8);
      flags[i] = static_cast<std::uint8_t>(entry);
    }
    if (keep_marks(flags, block, found)) return block + 1;
  }
  states[0] = state;
  return n_blocks;
}

// Writes `first` plus the index of each set bit. Writes up to 16 values more than there are bits. Returns the end of what it
// wrote, without these values.
TERMSIFT_INLINE std::uint32_t* write_places(std::uint64_t bits, std::uint32_t first, std::uint32_t* at) {
#ifdef __AVX512F__
  __m512i places = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)),
                                    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  for (int i = 0; i < 64; i += 16) {
    const auto here = static_cast<__mmask16>(bits >> i);
    _mm512_storeu_si512(at, _mm512_maskz_compress_epi32(here, places));
    at += count_set(here);
    places = _mm512_add_epi32(places, _mm512_set1_epi32(16));
  }
  return at;
#else
  std::uint32_t* const next = at + count_set(bits);
  while (at < next) {
    for (int i = 0; i < 8; ++i) {  // eight at a time, even if fewer are left, so that branches are rare
      at[i] = first + lowest_bit(bits);
      bits &= bits - 1;
    }
    at += 8;
  }
  return next;
#endif
}

// In most words of marks, starts and ends alternate. A start follows another start if an attempt failed, and a token may
// begin where another one ends.
std::int64_t pair(const std::uint64_t* begins, const std::uint64_t* ends, std::int64_t n_words, std::uint32_t first,
                  std::uint32_t* bounds) {
  std::uint32_t* at = bounds;
  for (std::int64_t w = 0; w < n_words; ++w, first += 64) {
    const std::uint64_t begin = begins[w], end = ends[w];
    if ((begin | end) == 0) continue;
    bool is_open = ((at - bounds) & 1) != 0;  // whether the last value written is a start
    if (is_open && begin != 0 && (begin & (0 - begin)) < (end & (0 - end)) - (end == 0)) {
      --at;  // the attempt that began there failed
      is_open = false;
    }
    const int n_open = count_set(begin) + is_open - count_set(end);
    if ((begin & end) == 0 && n_open == (begin > end)) {
      at = write_places(begin | end, first, at);
      continue;
    }
    std::uint32_t open = is_open ? *--at : 0;
    for (std::uint64_t rest = end; rest != 0; rest &= rest - 1) {
      const std::uint64_t lowest = rest & (0 - rest), before = begin & (lowest - 1);
      at[0] = before != 0 ? first + static_cast<std::uint32_t>(highest_set(before)) : open;
      at[1] = first + static_cast<std::uint32_t>(lowest_set(lowest));
      at += 2;
    }
    if (begin != 0 && begin >= (end == 0 ? 0 : std::uint64_t{1} << highest_set(end)))
      *at++ = first + static_cast<std::uint32_t>(highest_set(begin));
  }
  return (at - bounds) / 2;
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

namespace termsift {

const TextKernels TextKernels::TERMSIFT_TARGET{
    simd::TERMSIFT_TARGET::read_utf8,
    simd::TERMSIFT_TARGET::read_units<std::uint8_t>,
    simd::TERMSIFT_TARGET::read_units<std::uint16_t>,
    simd::TERMSIFT_TARGET::read_units<std::uint32_t>,
    simd::TERMSIFT_TARGET::cut,
    simd::TERMSIFT_TARGET::skip_settled,
    simd::TERMSIFT_TARGET::write_symbols,
    simd::TERMSIFT_TARGET::scan_few,
    simd::TERMSIFT_TARGET::scan_many,
    simd::TERMSIFT_TARGET::pair,
    simd::TERMSIFT_TARGET::add_weights<DocumentEntry>};

}  // namespace termsift
