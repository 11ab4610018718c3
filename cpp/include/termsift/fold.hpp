// The step of the hash functions of labels and of terms.
#pragma once

#include <cstdint>

#include "termsift/portability.hpp"

namespace termsift {

// Multiplies to 128 bits and folds them: a strong mixing in one multiplication.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) { return folded_product(a, b); }

}  // namespace termsift
