// What a scanner reads and writes (see PatternScanner). Kernels include this file.
#pragma once

#include <cstdint>

namespace termsift {

// One symbol stands for each byte of a text. Every ASCII character is its own symbol. Another character has the symbol
// first_of_classes plus its class at its first byte, and `nothing` at its other bytes.
struct PatternSymbol {
  static constexpr std::uint8_t first_of_classes = 128;
  static constexpr std::uint8_t last_newline = 248;  // a newline that ends the text
  static constexpr std::uint8_t end_of_text = 249;
  static constexpr std::uint8_t nothing = 250;       // a byte that changes nothing
};

// Flags of a transition. A usual transition begins a token before the symbol, ends a token there, or does both. Of a rare
// transition, PatternScanner::transition() knows more. Bit 7 must stay free (see scan_few in text_kernels.cpp).
struct ScanFlag {
  static constexpr std::uint8_t begins = 16, ends = 32, rare = 64;
};

// A scanner with so few states runs by shuffles of vectors.
inline constexpr int few_scan_states = 16;

}  // namespace termsift
