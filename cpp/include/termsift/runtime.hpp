// What this build is and which instructions it uses.
#pragma once

#include <string>
#include <vector>

namespace termsift {

std::string version();
std::string compiler();        // e.g. "GCC 12.2.0"
std::string openmp_version();  // e.g. "201511", or "none"


// The SIMD targets compiled in that this machine can run, best first; always ends with "baseline".
std::vector<std::string> simd_targets();
std::string simd_target();
// Makes `name`, one of simd_targets(), the target in use. Throws std::invalid_argument.
void use_simd_target(const std::string& name);

}  // namespace termsift
