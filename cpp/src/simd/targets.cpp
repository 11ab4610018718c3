#include "simd/targets.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "termsift/portability.hpp"
#include "termsift/runtime.hpp"

namespace termsift {
namespace {

constexpr const char* names[] = {"baseline", "avx2", "avx512"};  // by SimdTarget; a target includes all earlier targets

SimdTarget best_target() {
#ifdef TERMSIFT_X86_TARGETS
  const X86Features features = x86_features();
  if (features.avx512) return SimdTarget::avx512;
  if (features.avx2) return SimdTarget::avx2;
#endif
  return SimdTarget::baseline;
}

std::atomic<SimdTarget>& target_in_use() {
  static std::atomic<SimdTarget> target{best_target()};
  return target;
}

}  // namespace

SimdTarget simd_target_in_use() { return target_in_use().load(); }

std::vector<std::string> simd_targets() {
  std::vector<std::string> targets;
  for (int target = static_cast<int>(best_target()); target >= 0; --target) targets.emplace_back(names[target]);
  return targets;
}

std::string simd_target() { return names[static_cast<int>(simd_target_in_use())]; }

void use_simd_target(const std::string& name) {
  std::string known;
  for (int target = static_cast<int>(best_target()); target >= 0; --target) {
    if (name == names[target]) return target_in_use().store(static_cast<SimdTarget>(target));
    known += known.empty() ? names[target] : std::string(", ") + names[target];
  }
  throw std::invalid_argument("SIMD target must be one of " + known + " on this machine, got '" + name + "'");
}

}  // namespace termsift
