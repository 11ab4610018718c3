// The error of a line of text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace termsift {

struct BadLine {
  std::int64_t line = 0;
  std::string expected;
  std::string found;  // the first bytes of the wrong token; empty at the end of the line or text
  bool cut = false;   // whether the token has more bytes
};

struct LineError : std::invalid_argument {
  explicit LineError(BadLine line) : std::invalid_argument(line.expected), bad(std::move(line)) {}
  BadLine bad;
};

}  // namespace termsift
