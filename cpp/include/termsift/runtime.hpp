// What this build is: for show_versions() and bug reports.
#pragma once

#include <string>

namespace termsift {

std::string version();
std::string compiler();        // e.g. "GCC 12.2.0"
std::string openmp_version();  // e.g. "201511", or "none"

}  // namespace termsift
