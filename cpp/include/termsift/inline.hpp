// A mark for functions that kernels of several SIMD targets share.
#pragma once

// Such functions must always be inlined: otherwise the linker could keep their AVX-512 version for the whole program.
#if defined(__GNUC__)
#define TERMSIFT_INLINE inline __attribute__((always_inline))
#else
#define TERMSIFT_INLINE inline
#endif
