#include "text/tuning.hpp"

#include <random>

namespace termsift {

TextTuning& text_tuning() {
  static TextTuning tuning = [] {
    std::random_device random;
    TextTuning drawn{};
    for (std::uint64_t& seed : drawn.seed) seed = (static_cast<std::uint64_t>(random()) << 32) | random();
    return drawn;
  }();
  return tuning;
}

}  // namespace termsift
