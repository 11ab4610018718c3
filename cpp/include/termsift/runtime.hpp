// The SIMD target that the library uses.
#pragma once

#include <string>
#include <vector>

namespace termsift {

// Returns the compiled SIMD targets that this machine can run, best first; the last is "baseline".
std::vector<std::string> simd_targets();
// Returns the target in use. The default is the best target.
std::string simd_target();
// Switches to the target `name`, which must be one of simd_targets(). Throws std::invalid_argument for any other name.
void use_simd_target(const std::string& name);

}  // namespace termsift
