#include "text/normaliser.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "simd/targets.hpp"
#include "termsift/portability.hpp"
#include "termsift/utf8.hpp"
#include "text/characters.hpp"
#include "text/encodings.hpp"

namespace termsift {
namespace {

// Characters are looked up in groups, because the characters of a script have neighbouring code points.
constexpr char32_t group = 64;

std::uint64_t ones(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

}  // namespace

CharacterMap::CharacterMap(bool lowercase, StripAccents strip_accents)
    : lowercase_(lowercase),
      strip_accents_(strip_accents),
      mapped_(LargeArray<MappedEntry>::zeroed_for_few(n_code_points)),
      expansions_(LargeArray<std::atomic<const Expansion*>>::zeroed_for_few(n_code_points)) {}

template <bool lowercase, StripAccents strip_accents>
const CharacterMap& CharacterMap::only() {
  // The map is never destroyed, because another thread may be cutting texts while the process exits.
  static const auto& map = *new CharacterMap(lowercase, strip_accents);
  return map;
}

const CharacterMap& CharacterMap::of(bool lowercase, StripAccents strip_accents) {
  using enum StripAccents;
  switch (strip_accents) {
    case none: return lowercase ? only<true, none>() : only<false, none>();
    case ascii: return lowercase ? only<true, ascii>() : only<false, ascii>();
    default: return lowercase ? only<true, unicode>() : only<false, unicode>();
  }
}

std::u32string CharacterMap::written(char32_t c) const {
  std::u32string lower(1, c);
  // U+0130, a capital I with a dot, is the only character whose lowercase form has two characters.
  if (lowercase_) lower = c == 0x130 ? std::u32string{U'i', 0x307} : std::u32string(1, character(c).lower);
  if (strip_accents_ == StripAccents::none || c < 0x80) return lower;
  std::u32string stripped;
  for (const char32_t l : lower)
    for (const char32_t part : without_accents(l))
      if (strip_accents_ == StripAccents::unicode || part < 0x80) stripped += part;
  return stripped;
}

Mapped CharacterMap::find(char32_t c) const {
  if (const Mapped known = (*this)[c]; known.bits != 0) return known;
  const char32_t first = c / group * group;
  for (char32_t each = first; each < first + group; ++each) {
    constexpr std::uint64_t simple = std::uint64_t{1} << 56, several = std::uint64_t{1} << 48;
    const std::u32string text = written(each);
    std::uint64_t bits = simple;
    if (text.size() > 1) {
      bits = several;
    } else if (text.size() == 1) {
      std::uint8_t before[4], after[4];
      const int length = write_utf8(text[0], after);
      for (int i = 0; i < length; ++i) bits |= std::uint64_t{after[i]} << 8 * i;
      bits |= static_cast<std::uint64_t>(length) << 32;
      const bool surrogate = each >= 0xd800 && each < 0xe000;
      if (write_utf8(each, before) == length && !surrogate) bits |= static_cast<std::uint64_t>(length) << 40;
      const Character facts = character(text[0]);
      if (facts.word) bits |= ones(length) << 48;
      if (facts.space) bits |= ones(length) << 52;
    }
    mapped_[each].store(bits, std::memory_order_relaxed);
  }
  return (*this)[c];
}

const CharacterMap::Expansion& CharacterMap::expansion(char32_t c) const {
  if (const Expansion* known = expansions_[c].load(std::memory_order_acquire)) return *known;
  auto made = std::make_unique<Expansion>();
  for (const char32_t part : written(c)) {
    if (made->length + 4 > 64) throw std::length_error("a character decomposes into more than 60 bytes");
    const int length = write_utf8(part, made->bytes + made->length);
    const Character facts = character(part);
    if (facts.word) made->words |= ones(length) << made->length;
    if (facts.space) made->spaces |= ones(length) << made->length;
    made->length = static_cast<std::uint8_t>(made->length + length);
  }
  // If another thread has already stored this expansion, `made` is freed. Stored expansions are never freed.
  const Expansion* stored = nullptr;
  if (expansions_[c].compare_exchange_strong(stored, made.get(), std::memory_order_acq_rel)) stored = made.release();
  return *stored;
}

void NormalText::reserve(std::int64_t n) {
  const std::int64_t need = size() + n + 128;
  if (need <= room_) return;
  room_ = std::max(need, 2 * room_);
  // The old memory of bytes_ is freed before marks_ grows, because a long word makes the two arrays large.
  auto bytes = LargeArray<std::uint8_t>::uninitialised(room_);
  if (bytes_.get() != nullptr) std::memcpy(bytes.get(), bytes_.get(), static_cast<std::size_t>(size()));
  bytes_ = std::move(bytes);
  all_.bytes = bytes_.get();
  auto marks = LargeArray<std::uint64_t>::uninitialised(room_ / 64 + 2);
  if (marks_.get() != nullptr)
    std::memcpy(marks.get(), marks_.get(), static_cast<std::size_t>(size() / 64 + 1) * sizeof(std::uint64_t));
  marks_ = std::move(marks);
  all_.marks = marks_.get();
}

void NormalText::clear() {
  constexpr std::int64_t most_kept = 1 << 24;
  if (room_ > most_kept) *this = {};
  all_.size = 0;
  reserve(64);
  marks()[0] = 0;
}

void NormalText::align() {
  reserve(64);
  bytes()[size()] = 0;  // so that a word's end at the end of a document can be told from a combining mark
  all_.append(64 - size() % 64, 0);
}

std::int64_t NormalText::keep_marked(std::int64_t begin) {
  const std::int64_t n = size() - begin, unmarked = (64 - n % 64) % 64;
  all_.size = n + unmarked;  // fits, because reserve() leaves room for 128 more bytes
  std::memmove(bytes() + unmarked, bytes() + begin, static_cast<std::size_t>(n));
  std::fill_n(marks(), size() / 64, ~std::uint64_t{0});
  if (size() > 0) marks()[0] <<= unmarked;
  marks()[size() / 64] = 0;
  return unmarked;
}

void NormalText::keep_unmarked(std::int64_t begin, std::int64_t end) {
  all_.size = end - begin;
  std::memmove(bytes(), bytes() + begin, static_cast<std::size_t>(size()));
  marks()[size() / 64] = 0;
}

void Normaliser::open(const Text& text, std::int64_t document) {
  whole_ = text_ = text;
  document_ = document;
  at_ = part_ = 0;
  part_end_ = text.length;
  ascii_ = true;
  if (composer_ && !(form_ == NormalForm::nfc && text.encoding == TextEncoding::latin1)) text_.length = part_end_ = 0;
}

void Normaliser::refuse(std::int64_t at) const {
  at += part_;
  std::string bytes;
  if (whole_.encoding == TextEncoding::utf8) {
    const auto* const text = static_cast<const std::uint8_t*>(whole_.data);
    constexpr char digits[] = "0123456789abcdef";
    for (std::int64_t i = at; i < std::min(at + 4, whole_.length) && (i == at || (text[i] & 0xc0) == 0x80); ++i)
      bytes.append(bytes.empty() ? "" : " ").append({digits[text[i] >> 4], digits[text[i] & 15]});
  }
  throw BadText(document_, at, "document " + std::to_string(document_) + ", byte " + std::to_string(at) +
                                    ": expected UTF-8, found " + (bytes.empty() ? "no character" : bytes) +
                                    " (hexadecimal); decode the text with the encoding in which it was written");
}

void Normaliser::read(std::int64_t n, NormalText& out) {
  if (at_ == text_.length && part_end_ < whole_.length) normalise_part();
  const std::int64_t limit = n < text_.length - at_ ? at_ + n : text_.length;
  const TextKernels& kernels = kernels_in_use<TextKernels>();
  out.all().ascii = ascii_;
  // Text is read in steps, so that the memory for the result is never much larger than the text.
  while (at_ < limit) {
    constexpr std::int64_t step = 1 << 16;
    const std::int64_t end = std::min(limit, at_ + step);
    out.reserve(4 * (end - at_) + 256);
    switch (text_.encoding) {
      case TextEncoding::utf8: read_utf8(end, out); break;
      case TextEncoding::latin1: read_units(kernels.read_latin1, end, out); break;
      case TextEncoding::ucs2: read_units(kernels.read_ucs2, end, out); break;
      case TextEncoding::ucs4: read_units(kernels.read_ucs4, end, out); break;
      case TextEncoding::tokens: throw std::invalid_argument("a list of tokens has no characters");
    }
  }
  ascii_ = out.all().ascii;
}

// Reads one character, even if its entry is not simple (see Mapped::simple).
template <class Encoding>
void Normaliser::read_one(std::int64_t limit, NormalText& out) {
  const auto* const text = static_cast<const typename Encoding::Unit*>(text_.data);
  char32_t c = 0;
  const int length = Encoding::read(text + at_, text + text_.length, c);
  if (length == 0) refuse(at_);
  if (c >= 0x80) out.all().ascii = false;
  if (map_.lowercase() && c == capital_sigma) c = sigma_is_final<Encoding>(at_) ? final_sigma : small_sigma;
  if (const Mapped mapped = map_.find(c); mapped.simple()) {
    const std::uint32_t bytes = low_byte_first(mapped.bytes());
    std::memcpy(out.bytes() + out.size(), &bytes, 4);
    out.all().append(mapped.length(), mapped.marks(rules_.spaces));
  } else {
    const CharacterMap::Expansion& expansion = map_.expansion(c);
    out.reserve(4 * std::max<std::int64_t>(limit - at_, 0) + 256);
    std::memcpy(out.bytes() + out.size(), expansion.bytes, sizeof expansion.bytes);
    out.all().append(expansion.length, rules_.spaces ? expansion.spaces : expansion.words);
  }
  at_ += length;
}

// Returns whether Python's str.lower turns the capital sigma at `where` into a final sigma. The sigma is final if it follows
// a cased letter and no cased letter follows the sigma. Case-ignorable characters next to the sigma are skipped.
template <class Encoding>
bool Normaliser::sigma_is_final(std::int64_t where) const {
  const auto* const begin = static_cast<const typename Encoding::Unit*>(text_.data);
  const auto* const end = begin + text_.length;
  char32_t c = 0;
  const auto* after = begin + where;
  for (after += Encoding::read(after, end, c); after < end;) {  // most sigmas are within a word
    const int length = Encoding::read(after, end, c);
    if (length == 0) break;  // an invalid character, which read() will refuse
    after += length;
    const Casing next = casing(c);
    if (next == Casing::cased) return false;
    if (next != Casing::ignorable) break;
  }
  for (const auto* before = begin + where; before > begin;) {
    before = Encoding::before(begin, before);
    Encoding::read(before, end, c);
    if (const Casing last = casing(c); last != Casing::ignorable) return last == Casing::cased;
  }
  return false;
}

// Replaces the small sigmas that a kernel has written for capital sigmas at the end of a word by final sigmas. Both take two
// bytes, which differ in the last. Returns whether the kernel has read a capital sigma.
template <class Encoding>
bool Normaliser::set_final_sigmas(NormalText& out) const {
  std::uint64_t sigmas = std::exchange(out.all().sigmas, 0);
  if (sigmas == 0) return false;
  const std::int64_t from = out.all().sigmas_from, n_read = at_ - from;
  if (n_read < 64) sigmas &= ones(static_cast<int>(n_read));  // the kernel may have stopped within the block
  constexpr std::uint8_t last_byte = 0x80 | (final_sigma & 0x3f);
  const auto* const text = static_cast<const typename Encoding::Unit*>(text_.data) + from;
  std::uint8_t* to = out.bytes() + out.all().sigmas_to;
  const bool is_any = sigmas != 0;
  for (std::int64_t at = 0; sigmas != 0; sigmas &= sigmas - 1) {
    const int sigma = lowest_set(sigmas);
    if constexpr (std::is_same_v<Encoding, Utf8>) to += sigma - at;  // all characters keep their number of bytes
    else
      for (std::int64_t i = at; i < sigma; ++i) to += map_[text[i]].length();
    at = sigma;
    if (sigma_is_final<Encoding>(from + sigma)) to[1] = last_byte;
  }
  return is_any;
}

// Reads up to `n` code units, character by character.
template <class Encoding>
void Normaliser::read_some(std::int64_t n, std::int64_t limit, NormalText& out) {
  for (const std::int64_t end = std::min(at_ + n, limit); at_ < end;) read_one<Encoding>(limit, out);
}

void Normaliser::read_utf8(std::int64_t limit, NormalText& out) {
  constexpr std::int64_t readable = 67;  // number of bytes that a kernel may read, starting at the first byte of a block
  const auto* const text = static_cast<const std::uint8_t*>(text_.data);
  const auto kernel = kernels_in_use<TextKernels>().read_utf8;
  while (at_ < limit) {
    const std::int64_t left = text_.length - at_;
    if (left >= readable) {
      at_ = kernel(text, at_, std::min(limit, text_.length - readable + 1), text_.length, rules_, out.all());
      if (set_final_sigmas<Utf8>(out) || text_.length - at_ < readable) continue;
    } else {
      std::uint8_t last[2 * readable] = {};
      std::memcpy(last, text + at_, static_cast<std::size_t>(left));
      const std::int64_t n_read = kernel(last, 0, left, left, rules_, out.all());
      out.all().sigmas_from += at_;
      at_ += n_read;
      if (set_final_sigmas<Utf8>(out)) continue;
    }
    read_some<Utf8>(64, limit, out);
  }
}

template <class Unit>
void Normaliser::read_units(ReadUnits<Unit> kernel, std::int64_t limit, NormalText& out) {
  while (at_ < limit) {
    at_ = kernel(static_cast<const Unit*>(text_.data), at_, limit, text_.length, rules_, out.all());
    if (!set_final_sigmas<OneUnit<Unit>>(out)) read_some<OneUnit<Unit>>(16, limit, out);
  }
}

template <class Encoding>
std::int64_t Normaliser::next_separator(std::int64_t at) const {
  const auto* const text = static_cast<const typename Encoding::Unit*>(whole_.data);
  for (char32_t c = 0; at < whole_.length;) {
    if constexpr (std::is_same_v<Encoding, Utf8>)
      if ((text[at] & 0xc0) == 0x80) {
        ++at;
        continue;
      }
    const int length = Encoding::read(text + at, text + whole_.length, c);
    if (length == 0) break;  // the character will be refused
    if (composer_->is_settled(c) && casing(c) == Casing::none) break;
    at += length;
  }
  return std::min(at, whole_.length);
}

template <class Encoding>
void Normaliser::normalise_part() {
  constexpr std::int64_t size = 1 << 16;
  using Unit = typename Encoding::Unit;
  part_ = std::exchange(part_end_, whole_.length);
  if (whole_.length - part_ > size) part_end_ = next_separator<Encoding>(part_ + size);
  const Unit* const text = static_cast<const Unit*>(whole_.data) + part_;
  text_ = {text, part_end_ - part_, whole_.encoding};
  at_ = 0;
  if (composer_->is_normal<Encoding>(text, text_.length)) return;
  const std::int64_t wrong = composer_->normalise<Encoding>(text, text_.length);
  if (wrong >= 0) refuse(wrong);
  text_ = {composer_->normal().data(), std::ssize(composer_->normal()), TextEncoding::ucs4};
}

void Normaliser::normalise_part() {
  switch (whole_.encoding) {
    case TextEncoding::utf8: return normalise_part<Utf8>();
    case TextEncoding::latin1: return normalise_part<OneUnit<std::uint8_t>>();
    case TextEncoding::ucs2: return normalise_part<OneUnit<std::uint16_t>>();
    case TextEncoding::ucs4: return normalise_part<OneUnit<std::uint32_t>>();
    case TextEncoding::tokens: throw std::invalid_argument("a list of tokens has no characters");
  }
}

}  // namespace termsift
