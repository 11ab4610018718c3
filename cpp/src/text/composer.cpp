#include "text/composer.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "simd/targets.hpp"
#include "text/characters.hpp"
#include "text/encodings.hpp"

namespace termsift {
namespace {

// Hangul syllables and the letters of which they consist. A syllable has a first consonant, a vowel and maybe a last
// consonant.
constexpr char32_t first_syllable = 0xac00, first_consonant = 0x1100, first_vowel = 0x1161, before_last_consonants = 0x11a7;
constexpr char32_t n_consonants = 19, n_vowels = 21, n_last_consonants = 28;  // of 28 last consonants, number 0 is none
constexpr char32_t n_syllables = n_consonants * n_vowels * n_last_consonants;

// Returns whether first <= c < first + n.
constexpr bool is_among(char32_t c, char32_t first, char32_t n) { return c - first < n; }

char32_t composed_hangul(char32_t first, char32_t second) {
  if (is_among(first, first_consonant, n_consonants) && is_among(second, first_vowel, n_vowels))
    return first_syllable + ((first - first_consonant) * n_vowels + second - first_vowel) * n_last_consonants;
  const bool is_open = is_among(first, first_syllable, n_syllables) && (first - first_syllable) % n_last_consonants == 0;
  if (is_open && is_among(second, before_last_consonants + 1, n_last_consonants - 1))
    return first + second - before_last_consonants;
  return 0;
}

bool may_join_in_hangul(char32_t c) {
  return is_among(c, first_vowel, n_vowels) || is_among(c, before_last_consonants + 1, n_last_consonants - 1);
}

constexpr std::uint64_t pair_of(char32_t first, char32_t second) { return std::uint64_t{first} << 32 | second; }

}  // namespace

FormTable::FormTable(bool compatibly)
    : compatibly_(compatibly),
      entries_(LargeArray<FormEntry>::zeroed_for_few(n_code_points)),
      decompositions_(LargeArray<std::atomic<const std::u32string*>>::zeroed_for_few(n_code_points)) {}

template <bool compatibly>
const FormTable& FormTable::only() {
  static const auto& table = *new FormTable(compatibly);  // never destroyed, as CharacterMap
  return table;
}

const FormTable& FormTable::of(NormalForm form) { return form == NormalForm::nfkc ? only<true>() : only<false>(); }

const FormTable::Compositions& FormTable::compositions() {
  // No lock is held while the source is asked, because the source may wait for a thread that waits for the lock.
  static std::atomic<const Compositions*> all = nullptr;
  if (const Compositions* made = all.load(std::memory_order_acquire)) return *made;
  auto made = std::make_unique<Compositions>();
  for (const Composition& one : termsift::compositions()) {
    made->whole.emplace(pair_of(one.first, one.second), one.whole);
    made->second.insert(one.second);
  }
  const Compositions* stored = nullptr;
  if (all.compare_exchange_strong(stored, made.get(), std::memory_order_acq_rel)) stored = made.release();
  return *stored;
}

char32_t FormTable::composed(char32_t first, char32_t second) const {
  if (const char32_t syllable = composed_hangul(first, second)) return syllable;
  const auto& whole = compositions().whole;
  const auto found = whole.find(pair_of(first, second));
  return found == whole.end() ? 0 : found->second;
}

const std::u32string& FormTable::decomposition(char32_t c) const {
  if (const std::u32string* found = decompositions_[c].load(std::memory_order_acquire)) return *found;
  auto made = std::make_unique<const std::u32string>(decomposed(c, compatibly_));
  const std::u32string* stored = nullptr;
  if (decompositions_[c].compare_exchange_strong(stored, made.get(), std::memory_order_acq_rel)) stored = made.release();
  return *stored;
}

std::uint32_t FormTable::look_up(char32_t c) const {
  const Compositions& all = compositions();
  const auto may_join = [&](char32_t one) { return all.second.contains(one) || may_join_in_hangul(one); };
  const char32_t from = c / n_characters_at_once * n_characters_at_once;
  for (char32_t each = from; each < from + n_characters_at_once; ++each) {
    const std::u32string parts = decomposed(each, compatibly_);
    std::uint32_t entry = known | std::uint32_t{combining_class(each)} << 8;
    // A character that composes from its own decomposition stays as it is, unless it joins the character before it.
    char32_t whole = parts.empty() ? 0 : parts[0];
    for (std::size_t i = 1; i < parts.size() && whole != 0; ++i) whole = composed(whole, parts[i]);
    if (whole != each || may_join(each) || may_join(parts[0])) entry |= changes;
    if (parts != std::u32string(1, each)) entry |= decomposes;
    entries_[each].store(static_cast<std::uint16_t>(entry), std::memory_order_relaxed);
  }
  return entries_[c].load(std::memory_order_relaxed);
}

bool Composer::utf8_is_normal(const std::uint8_t* text, std::int64_t length) const {
  // The first byte of U+0300 is 0xcc. A smaller byte begins or continues a character below U+0300, or continues another.
  const std::uint8_t first_byte = first_changed_ == 0x300 ? 0xcc : 0x80;
  constexpr std::int64_t readable = 67;  // the number of bytes that the kernel may read
  const auto kernel = kernels_in_use<TextKernels>().skip_settled;
  std::uint32_t last_class = 0;
  for (std::int64_t at = 0; at < length;) {
    // Whole blocks of settled characters are skipped. The last bytes are read one character at a time.
    if (const std::int64_t last = length - readable; at <= last) {
      const std::int64_t end = at + (last - at + 64) / 64 * 64;
      const std::int64_t skipped =
          kernel(text, at, end, first_byte, table_.entries(), FormTable::known, FormTable::decomposes);
      if (skipped > at) last_class = 0;
      at = skipped;
    }
    for (const std::int64_t end = std::min(length, at + 64); at < end;) {
      const std::uint32_t byte = text[at];
      if (byte < 0xc0) {  // ASCII, or the rest of a character of a block that was skipped
        if (byte < 0x80) last_class = 0;
        ++at;
        continue;
      }
      const int n_bytes = utf8_length(text[at]);
      if (length - at < n_bytes) return false;
      char32_t c = byte & (0x7fu >> n_bytes);
      for (int i = 1; i < n_bytes; ++i) c = c << 6 | (text[at + i] & 0x3fu);
      if (c >= n_code_points) return false;
      const std::uint32_t entry = table_.find(c), own_class = entry >> 8;
      if ((entry & FormTable::changes) != 0 || (own_class != 0 && own_class < last_class)) return false;
      last_class = own_class;
      at += n_bytes;
    }
  }
  return true;
}

template <class Unit>
bool Composer::units_are_normal(const Unit* text, std::int64_t length) const {
  const FormEntry* const entries = table_.entries();
  std::uint32_t last_class = 0;
  for (std::int64_t at = 0; at < length;) {
    const std::int64_t end = std::min(length, at + 64);
    char32_t most = 0;
    for (std::int64_t i = at; i < end; ++i) most = std::max<char32_t>(most, text[i]);
    if (most >= n_code_points) return false;
    if (most >= first_changed_) {
      std::uint32_t differences = 0;
      for (std::int64_t i = at; i < end; ++i)
        differences |= std::uint32_t{entries[text[i]].load(std::memory_order_relaxed)} ^ FormTable::known;
      if ((differences & FormTable::all_but_decomposes) != 0) {
        for (std::int64_t i = at; i < end; ++i) {
          const std::uint32_t entry = table_.find(text[i]), own_class = entry >> 8;
          if ((entry & FormTable::changes) != 0 || (own_class != 0 && own_class < last_class)) return false;
          last_class = own_class;
        }
        at = end;
        continue;
      }
    }
    last_class = 0;
    at = end;
  }
  return true;
}

template <class Encoding>
bool Composer::is_normal(const typename Encoding::Unit* text, std::int64_t length) const {
  if constexpr (std::is_same_v<Encoding, Utf8>) return utf8_is_normal(text, length);
  else return units_are_normal(text, length);
}

template <class Encoding>
std::int64_t Composer::normalise(const typename Encoding::Unit* text, std::int64_t length) {
  normal_.clear();
  run_.clear();
  for (std::int64_t at = 0; at < length;) {
    char32_t c = 0;
    const int n_units = Encoding::read(text + at, text + length, c);
    if (n_units == 0) return at;
    if (table_.is_settled(c)) end_run();
    run_.push_back(c);
    at += n_units;
  }
  end_run();
  return -1;
}

void Composer::end_run() {
  if (run_.size() == 1 && table_.is_settled(run_[0])) {
    normal_.push_back(run_[0]);
  } else if (!run_.empty()) {
    decompose_run();
    compose_run();
  }
  run_.clear();
}

void Composer::decompose_run() {
  parts_.clear();
  for (const char32_t c : run_) {
    if ((table_.find(c) & FormTable::decomposes) == 0) parts_.push_back({c, combining_class(c)});
    else
      for (const char32_t part : table_.decomposition(c)) parts_.push_back({part, combining_class(part)});
  }
  // Marks between two characters of class 0 are sorted by class. Marks of one class keep their order.
  const auto is_first = [](const Part& part) { return part.combining_class == 0; };
  for (auto begin = parts_.begin(); begin != parts_.end();) {
    begin = std::find_if_not(begin, parts_.end(), is_first);
    const auto end = std::find_if(begin, parts_.end(), is_first);
    const auto before = [](const Part& a, const Part& b) { return a.combining_class < b.combining_class; };
    if (!std::is_sorted(begin, end, before)) std::stable_sort(begin, end, before);
    begin = end;
  }
}

void Composer::compose_run() {
  std::size_t base = normal_.size();  // the last character of class 0 of this run
  bool has_base = false;
  int last_class = 0;  // the class of the last character after the base, or -1 if the base is the last character
  for (const auto& [c, own_class] : parts_) {
    // A character between the base and c blocks the composition if its class is not smaller than that of c.
    if (has_base && last_class < int{own_class})
      if (const char32_t whole = table_.composed(normal_[base], c)) {
        normal_[base] = whole;
        continue;
      }
    if (own_class == 0) base = normal_.size(), has_base = true;
    last_class = own_class == 0 ? -1 : int{own_class};
    normal_.push_back(c);
  }
}

template bool Composer::is_normal<Utf8>(const std::uint8_t*, std::int64_t) const;
template bool Composer::is_normal<OneUnit<std::uint8_t>>(const std::uint8_t*, std::int64_t) const;
template bool Composer::is_normal<OneUnit<std::uint16_t>>(const std::uint16_t*, std::int64_t) const;
template bool Composer::is_normal<OneUnit<std::uint32_t>>(const std::uint32_t*, std::int64_t) const;
template std::int64_t Composer::normalise<Utf8>(const std::uint8_t*, std::int64_t);
template std::int64_t Composer::normalise<OneUnit<std::uint8_t>>(const std::uint8_t*, std::int64_t);
template std::int64_t Composer::normalise<OneUnit<std::uint16_t>>(const std::uint16_t*, std::int64_t);
template std::int64_t Composer::normalise<OneUnit<std::uint32_t>>(const std::uint32_t*, std::int64_t);

}  // namespace termsift
