// Cuts texts into the words that a pattern matches.
#pragma once

#include <cstdint>
#include <memory>

#include "text/cutter.hpp"

namespace termsift {

// Precondition: rules.pattern is set.
std::unique_ptr<Cutter> words_of_pattern(const TextRules& rules, std::int64_t piece);

}  // namespace termsift
