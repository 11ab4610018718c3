// The SIMD target that the library uses.
#pragma once

#include <string>
#include <vector>

namespace termsift {

// Returns the compiled SIMD targets that this machine can run, best first; the last is "baseline".
std::vector<std::string> simd_targets();
// Returns the SIMD target in use, by default the best one.
std::string simd_target();
// Switches to the SIMD target `name`. Throws std::invalid_argument if simd_targets() does not contain `name`.
void use_simd_target(const std::string& name);

}  // namespace termsift
