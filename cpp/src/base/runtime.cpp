#include "termsift/runtime.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace termsift {

std::string version() { return TERMSIFT_VERSION; }

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

std::string openmp_version() {
#ifdef _OPENMP
  return std::to_string(_OPENMP);
#else
  return "none";
#endif
}

}  // namespace termsift
