// The loops over text, over the marks of words and over the weights of terms. The loops are compiled once for each SIMD
// target, so every function of this header is inlined.
#pragma once

#include <atomic>
#include <cstdint>

#include "simd/weighted_row.hpp"
#include "termsift/portability.hpp"
#include "termsift/utf8.hpp"

namespace termsift {

// The replacement of one character (see Mapped). A thread may set an entry while other threads read the entry.
using MappedEntry = std::atomic<std::uint64_t>;

// What a normal form does with one character (see FormTable).
using FormEntry = std::atomic<std::uint16_t>;

// Reads an entry in a kernel. Standard libraries always inline load(), so no SIMD target emits its own copy of load().
template <class Entry>
TERMSIFT_INLINE auto read_entry(const Entry* entry) {
  return entry->load(std::memory_order_relaxed);
}

// Bytes with one mark bit for each byte. In the last word of marks, all bits after the bit of the last byte are zero.
struct MarkedBytes {
  std::uint8_t* bytes = nullptr;
  std::uint64_t* marks = nullptr;
  std::int64_t size = 0;
  bool ascii = true;  // whether all characters read so far are ASCII
  // One bit for each code unit of the last block read that is a capital sigma (of UTF-8, its first byte), if the rules ask
  // for it (see ScanRules::sigmas). The block begins at sigmas_from in the text, and at sigmas_to in `bytes`.
  std::uint64_t sigmas = 0;
  std::int64_t sigmas_from = 0, sigmas_to = 0;

  // Adds the `n` <= 64 bytes that were written after the last byte, with their marks. In new_marks, bits from n on must be
  // 0.
  TERMSIFT_INLINE void append(std::int64_t n, std::uint64_t new_marks) {
    std::uint64_t* const word = marks + size / 64;
    const std::int64_t bit = size % 64;
    word[0] |= new_marks << bit;
    word[1] = new_marks >> 1 >> (63 - bit);  // two shifts, because a shift by 64 is undefined
    size += n;
  }
};

// How characters are replaced and marked.
struct ScanRules {
  const MappedEntry* entries;  // CharacterMap::entries
  std::uint8_t case_bit;       // 0x20 makes capital letters lowercase, 0 keeps them
  bool spaces;                 // true if white space is marked, false if word characters are marked
  bool sigmas;                 // whether a kernel stops after a block with a capital sigma, which may have to become final
};

template <class Unit>
using ReadUnits = std::int64_t (*)(const Unit* text, std::int64_t at, std::int64_t limit, std::int64_t end,
                                   const ScanRules& rules, MarkedBytes& out);

// A term of a document: its id or its column, and its count.
struct DocumentEntry {
  std::uint32_t id, count;
};

// What a scanner finds (see PatternScanner). A block is 64 symbols.
struct ScannedBlocks {
  std::uint64_t* begins = nullptr;  // one word for each block, in which a set bit says that a token begins there
  std::uint64_t* ends = nullptr;    // the same for the ends of tokens; an end is the place after the last symbol
  std::uint64_t rare = 0;           // the places of rare transitions in the last block
  // The state before the last block, which the caller sets for the first block, and the state after each of its symbols. A
  // state of scan_few has flags, too. If no transition is rare, states[0] is the state after all blocks. Vectors of 16
  // states are written.
  std::uint8_t states[1 + 64 + 15] = {};
};

struct TextKernels {
  // Appends the text from `at` on to `out`, in blocks of up to 64 code units. The text ends at `end`. Stops before the first
  // block that begins at `limit` or later, or that has a character without a simple entry (Mapped::simple). read_utf8 also
  // stops before a block that is invalid, or in which a replacement changes the number of bytes. Also stops after a block
  // with a capital sigma, if rules.sigmas is true, and sets out.sigmas. Returns the position at which reading stopped.
  // `out` must have room for four bytes per code unit and 256 more. For read_utf8, 67 bytes from the start of each block
  // must be readable.
  ReadUnits<std::uint8_t> read_utf8;
  ReadUnits<std::uint8_t> read_latin1;
  ReadUnits<std::uint16_t> read_ucs2;
  ReadUnits<std::uint32_t> read_ucs4;
  // Writes the start and the end of each run of two or more set bits, as `first` plus the index of the bit. Returns the
  // number of values written. No run may begin before the first bit, and the last bit must not be set. `bounds` needs room
  // for 64 values more than are written.
  std::int64_t (*cut)(const std::uint64_t* marks, std::int64_t n_words, std::uint32_t first, std::uint32_t* bounds);
  // Returns the offset of the first block of 64 bytes in [at, end) that has a character whose entry, apart from the bits
  // that `ignored` sets, is not `settled`, or `end`. Characters whose first byte is below `first_byte`, and ASCII, are
  // settled. 67 bytes from the start of each block must be readable. Invalid bytes are ignored.
  std::int64_t (*skip_settled)(const std::uint8_t* text, std::int64_t at, std::int64_t end, std::uint8_t first_byte,
                               const FormEntry* entries, std::uint16_t settled, std::uint16_t ignored);
  // Writes the symbol of each byte (see PatternSymbol) of n bytes of valid UTF-8, which may encode surrogates. `class_of`
  // has the class of each code point. n is a multiple of 64.
  void (*write_symbols)(const std::uint8_t* text, std::int64_t n, const std::uint8_t* class_of, std::uint8_t* symbols);
  // Runs a scanner over blocks, up to and including the first block with a rare transition. Returns the number of blocks.
  // scan_few takes PatternScanner::few(), and scan_many takes many().
  std::int64_t (*scan_few)(const std::uint8_t* few, const std::uint8_t* symbols, std::int64_t n_blocks,
                           ScannedBlocks& found);
  std::int64_t (*scan_many)(const std::uint16_t* many, const std::uint8_t* symbols, std::int64_t n_blocks,
                            ScannedBlocks& found);
  // Writes the start and the end of each token, as `first` plus the index of the bit, and returns the number of tokens. A
  // token begins at the last start before its end. `bounds` needs room for 130 values more than are written.
  std::int64_t (*pair)(const std::uint64_t* begins, const std::uint64_t* ends, std::int64_t n_words, std::uint32_t first,
                       std::uint32_t* bounds);
  void (*add_weights)(const WeightedRow<DocumentEntry>& row);

  static const TextKernels baseline, avx2, avx512;
};

}  // namespace termsift
