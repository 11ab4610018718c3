// The caller's class priors.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "base/values.hpp"

namespace termsift {

// Checks that weights are empty or one per class, and that each is finite and not negative. Throws std::invalid_argument.
inline void check_class_prior(std::span<const double> weights, std::size_t n_classes) {
  if (weights.empty()) return;
  if (weights.size() != n_classes)
    throw std::invalid_argument("class_prior has " + std::to_string(weights.size()) + " values for " +
                                std::to_string(n_classes) + " classes");
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (!(weights[c] >= 0 && std::isfinite(weights[c])))
      throw std::invalid_argument("class_prior must be finite and not negative, got " + text(weights[c]) + " for class " +
                                  std::to_string(c));
}

}  // namespace termsift
