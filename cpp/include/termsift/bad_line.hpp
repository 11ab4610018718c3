// What is wrong with a line of a text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace termsift {

struct BadLine {
  std::int64_t line = 0;
  std::string expected;
  std::string found;  // the first bytes of the token at fault; empty where the line or the text ends
  bool cut = false;   // whether the token goes on
};

struct LineError : std::invalid_argument {
  explicit LineError(BadLine line) : std::invalid_argument(line.expected), bad(std::move(line)) {}
  BadLine bad;
};

}  // namespace termsift
