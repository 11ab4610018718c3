// Views of documents that the caller holds. No text is copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace termsift {

// The encoding of a text in memory. Python stores a string in the smallest of Latin-1, UCS-2 and UCS-4 that can hold it. A
// Python string may have lone surrogates. Arrow columns and files are UTF-8.
//
// A text of the encoding `tokens` is a list of tokens that the caller has cut. Each token is a 32-bit size, in the byte
// order of the machine, followed by that many bytes of UTF-8, which may encode surrogates. Tokens may be empty. At least
// 64 bytes after the list must be readable. Lists that follow each other in memory are read fastest.
enum class TextEncoding : std::uint8_t { utf8, latin1, ucs2, ucs4, tokens };

// One document. ASCII text may be passed as utf8 or latin1.
struct Text {
  const void* data = nullptr;  // null if the text is missing, but not if the text is empty
  std::int64_t length = 0;     // in bytes for UTF-8 and lists of tokens, and in characters for all other encodings
  TextEncoding encoding = TextEncoding::utf8;
};
using Texts = std::span<const Text>;

// Texts, and the owners of their memory, which is freed with the last copy of its owner.
struct HeldTexts {
  std::vector<Text> texts;
  std::vector<std::shared_ptr<const void>> owners;
};

inline std::int64_t unit_bytes(TextEncoding encoding) {
  return encoding == TextEncoding::ucs4 ? 4 : encoding == TextEncoding::ucs2 ? 2 : 1;
}
inline std::int64_t bytes_of(const Text& text) { return unit_bytes(text.encoding) * text.length; }
// Returns the number of texts without a character. A missing text is not counted.
inline std::int64_t n_empty_of(Texts texts) {
  const auto is_empty = [](const Text& text) { return text.length == 0 && text.data != nullptr; };
  return std::count_if(texts.begin(), texts.end(), is_empty);
}

// Thrown if a text is not valid UTF-8. Lone surrogates and overlong forms are not valid UTF-8.
struct BadText : std::runtime_error {
  BadText(std::int64_t in_document, std::int64_t at_byte, const std::string& message)
      : std::runtime_error(message), document(in_document), byte(at_byte) {}
  std::int64_t document;  // the index of the text among the texts of the call
  std::int64_t byte;      // the offset of the first wrong byte in the text
};

}  // namespace termsift
