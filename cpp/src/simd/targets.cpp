#include "simd/targets.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "termsift/runtime.hpp"

namespace termsift {
namespace {

constexpr const char* names[] = {"baseline", "avx2", "avx512"};  // by SimdTarget; each implies those before it

SimdTarget best_target() {
#ifdef TERMSIFT_X86_TARGETS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx2) return avx512 ? SimdTarget::avx512 : SimdTarget::avx2;
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
