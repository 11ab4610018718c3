// Brings texts to a normal form of Unicode: NFC, or NFKC.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/text_rules.hpp"
#include "text/text_kernels.hpp"

namespace termsift {

// What a normal form does with each character. A thread adds each new character that it meets.
class FormTable {
 public:
  // One 16-bit word for each character. The word is zero until the character is looked up. The upper byte is the canonical
  // combining class. A word that is `known`, apart from the bit `decomposes`, belongs to a settled character: it stays as it
  // is, joins no character before it, and keeps its place.
  static constexpr std::uint32_t known = 1, changes = 2, decomposes = 4, all_but_decomposes = 0xff03;

  static const FormTable& of(NormalForm form);

  // Preconditions of all functions: characters are below n_code_points.
  const FormEntry* entries() const { return entries_.get(); }
  std::uint32_t find(char32_t c) const {
    const std::uint32_t entry = entries_[c].load(std::memory_order_relaxed);
    return entry != 0 ? entry : look_up(c);
  }
  bool is_settled(char32_t c) const { return (find(c) & all_but_decomposes) == known; }
  // Precondition: find(c) has the bit `decomposes`.
  const std::u32string& decomposition(char32_t c) const;
  // Returns the character that replaces two characters, or 0.
  char32_t composed(char32_t first, char32_t second) const;

 private:
  struct Compositions {
    std::unordered_map<std::uint64_t, char32_t> whole;  // by the pair of characters
    std::unordered_set<char32_t> second;                // the characters that may join the character before them
  };

  explicit FormTable(bool compatibly);
  template <bool compatibly>
  static const FormTable& only();
  std::uint32_t look_up(char32_t c) const;
  static const Compositions& compositions();

  bool compatibly_;
  LargeArray<FormEntry> entries_;  // for every code point; only code points that occur take memory
  LargeArray<std::atomic<const std::u32string*>> decompositions_;
};

// Each thread has its own Composer, which reuses its buffers.
class Composer {
 public:
  explicit Composer(NormalForm form) : table_(FormTable::of(form)), first_changed_(form == NormalForm::nfc ? 0x300 : 0x80) {}

  bool is_settled(char32_t c) const { return table_.is_settled(c); }
  // Returns whether a text is in the normal form. May return false for a text that is, and true for invalid UTF-8.
  template <class Encoding>
  bool is_normal(const typename Encoding::Unit* text, std::int64_t length) const;
  // Normalises a text. Returns the position of its first invalid character, or -1 if all characters are valid.
  template <class Encoding>
  std::int64_t normalise(const typename Encoding::Unit* text, std::int64_t length);
  // The text that was normalised last, in UCS-4.
  const std::vector<std::uint32_t>& normal() const { return normal_; }

 private:
  struct Part {
    char32_t c;
    std::uint8_t combining_class;
  };

  bool utf8_is_normal(const std::uint8_t* text, std::int64_t length) const;
  template <class Unit>
  bool units_are_normal(const Unit* text, std::int64_t length) const;
  void end_run();
  void decompose_run();
  void compose_run();

  const FormTable& table_;
  const char32_t first_changed_;  // all characters below it are settled
  std::vector<std::uint32_t> normal_;
  std::vector<char32_t> run_;  // the last settled character, if there is one, and the characters after it
  std::vector<Part> parts_;    // the decomposition of a run, in canonical order
};

}  // namespace termsift
