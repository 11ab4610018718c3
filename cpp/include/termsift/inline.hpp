// Functions that kernels of several SIMD targets share.
#pragma once

// Always inlined: otherwise the linker would keep one copy of an inline function, compiled for any of the targets, and a
// baseline machine could meet AVX-512 instructions.
#if defined(__GNUC__)
#define TERMSIFT_INLINE inline __attribute__((always_inline))
#else
#define TERMSIFT_INLINE inline
#endif
