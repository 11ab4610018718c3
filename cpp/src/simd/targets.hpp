// The SIMD targets, and the choice of the kernels for the target in use.
//
// Structs such as TextKernels hold pointers to kernels, and have the static members baseline, avx2 and avx512. A source file
// *_kernels.cpp defines these members. CMake compiles each *_kernels.cpp once per target, with the target's instruction set,
// and the macro TERMSIFT_TARGET is the name of the target.
//
// Every operation of a kernel is an IEEE operation in a fixed order, so all targets return the same bits.
//
// A kernel may use inline functions and templates from outside the target's namespace only if the compiler always inlines
// them (TERMSIFT_INLINE in termsift/portability.hpp). The linker keeps only one copy of a function that is not inlined, and
// this copy could contain instructions that the machine lacks.
#pragma once

#include <cstdint>

namespace termsift {

enum class SimdTarget : std::uint8_t { baseline, avx2, avx512 };

SimdTarget simd_target_in_use();

template <class Kernels>
const Kernels& kernels_in_use() {
#ifdef TERMSIFT_X86_TARGETS
  switch (simd_target_in_use()) {
    case SimdTarget::avx512: return Kernels::avx512;
    case SimdTarget::avx2: return Kernels::avx2;
    case SimdTarget::baseline: break;
  }
#endif
  return Kernels::baseline;
}

}  // namespace termsift
