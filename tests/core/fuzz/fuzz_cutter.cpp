// Takes any bytes as rules and two texts in some encoding. The texts must be split as by a plain loop over characters, or be
// refused at the first byte that is not UTF-8.
#define CHECK_WITHOUT_MAIN
#include <algorithm>

#include "../plain_cutter.hpp"
#include "fuzz.hpp"

using namespace plain_cutter;

namespace {

std::string listed(std::vector<std::string> tokens) {
  std::sort(tokens.begin(), tokens.end());
  return check::show(tokens);
}

// Returns the characters of valid UTF-8.
std::u32string characters(const std::string& text) {
  std::u32string found;
  for (const char unit : text) {
    const auto byte = static_cast<std::uint8_t>(unit);
    if ((byte & 0xc0) == 0x80) found.back() = found.back() << 6 | (byte & 0x3f);
    else found += byte < 0x80 ? byte : byte < 0xe0 ? byte & 0x1f : byte < 0xf0 ? byte & 0xf : byte & 7;
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  use_plain_characters();
  fuzz::Bytes bytes(data, size);
  TextRules rules;
  rules.analyzer = static_cast<Analyzer>(bytes.below(3));
  rules.lowercase = !bytes.flag();
  const int forms = bytes.below(9);
  rules.strip_accents = static_cast<StripAccents>(forms % 3);
  rules.normalize = static_cast<NormalForm>(forms / 3);
  rules.min_n = 1 + bytes.below(4);
  rules.max_n = rules.min_n + bytes.below(4);
  const auto encoding = static_cast<TextEncoding>(bytes.below(4));  // of characters, so never token lists
  const std::int64_t piece = bytes.flag() ? 64 : 1 << 16;
  const auto n_first = static_cast<std::size_t>(bytes.below(256));

  std::vector<std::string> utf8(2);  // or Latin-1
  std::vector<std::u32string> texts(2);
  for (std::size_t n = 0; bytes.left() > 0; ++n) {
    const std::size_t document = n < n_first ? 0 : 1;
    switch (encoding) {
      case TextEncoding::utf8: utf8[document] += static_cast<char>(bytes.take<std::uint8_t>()); break;
      case TextEncoding::latin1: texts[document] += bytes.take<std::uint8_t>(); break;
      case TextEncoding::ucs2: texts[document] += bytes.take<std::uint16_t>(); break;
      case TextEncoding::ucs4: texts[document] += bytes.take<std::uint32_t>() % n_code_points; break;
      case TextEncoding::tokens: break;
    }
  }
  Encoded encoded;
  std::string wrong;
  for (std::size_t i = 0; i < 2; ++i) {
    if (encoding != TextEncoding::utf8) {
      encoded.add(texts[i], encoding);
      continue;
    }
    encoded.hold(utf8[i], encoding);
    const std::int64_t byte = first_wrong_byte(utf8[i]);
    if (byte < 0) texts[i] = characters(utf8[i]);
    else if (wrong.empty()) wrong = "document " + std::to_string(i) + ", byte " + std::to_string(byte) + ":";
  }
  try {
    const Cut found = cut(encoded.texts(), rules, piece);
    fuzz::require(wrong.empty(), "accepts " + wrong);
    for (std::size_t i = 0; i < 2; ++i)
      fuzz::require_equal(listed(found[i]), listed(tokens_of(texts[i], rules)), "document " + std::to_string(i));
  } catch (const BadText& bad) {
    const std::string message = bad.what();
    fuzz::require(!wrong.empty() && message.starts_with(wrong), message + " instead of " + wrong);
  }
  return 0;
}
