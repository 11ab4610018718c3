#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "scoring/kernels.hpp"
#include "termsift/runtime.hpp"

namespace termsift {
namespace {

struct Target {
  const char* name;
  SimdTarget target;
  const Kernels* kernels;
};

std::vector<Target> usable_targets() {
  std::vector<Target> targets;
#ifdef TERMSIFT_X86_TARGETS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    targets.push_back({"avx512", SimdTarget::avx512, &simd::avx512::kernels});
  if (avx2) targets.push_back({"avx2", SimdTarget::avx2, &simd::avx2::kernels});
#endif
  targets.push_back({"baseline", SimdTarget::baseline, &simd::baseline::kernels});
  return targets;
}

const std::vector<Target>& targets() {
  // Never destroyed: threads may still count while the process exits.
  static const auto* const list = new std::vector<Target>(usable_targets());
  return *list;
}

std::atomic<const Target*>& target_in_use() {
  static std::atomic<const Target*> target{&targets().front()};
  return target;
}

}  // namespace

SimdTarget simd_target_in_use() { return target_in_use().load()->target; }
const Kernels& kernels_in_use() { return *target_in_use().load()->kernels; }

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const Target& target : targets()) names.emplace_back(target.name);
  return names;
}

std::string simd_target() { return target_in_use().load()->name; }

void use_simd_target(const std::string& name) {
  for (const Target& target : targets())
    if (name == target.name) {
      target_in_use().store(&target);
      return;
    }
  throw std::invalid_argument("no SIMD target '" + name + "' here");
}

}  // namespace termsift
