// Compiler builtins, vector types and system calls, which only this file and base/portability.cpp use. The builtins are
// those of GCC and Clang (clang-cl on Windows). Kernels include this file, so every function that a kernel may call is
// inlined (see simd/targets.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

// These options would delete the corrections of double-double arithmetic, reorder sums, and ignore NaN. GCC has a macro for
// each of them. Clang has macros only for -ffast-math and -ffinite-math-only.
#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__ || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "termsift needs exact floating-point arithmetic: compile without -ffast-math, its parts, and -Ofast"
#endif

#define TERMSIFT_INLINE inline __attribute__((always_inline))

// Marks the next loop's iterations as independent. Without TERMSIFT_INDEPENDENT, GCC vectorises no loops over many arrays.
#if defined(__clang__)
#define TERMSIFT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TERMSIFT_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace termsift {

// ---- builtins ----------------------------------------------------------------------------------------------------------

// Copies n bytes, as std::memcpy does.
TERMSIFT_INLINE void copy_bytes(void* to, const void* from, std::size_t n) { __builtin_memcpy(to, from, n); }

// Does the same as std::bit_cast.
template <class To, class From>
TERMSIFT_INLINE constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

// Return `value` with its bytes in little-endian order (low_byte_first) or in big-endian order (high_byte_first).
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
TERMSIFT_INLINE std::uint32_t low_byte_first(std::uint32_t value) { return __builtin_bswap32(value); }
TERMSIFT_INLINE std::uint64_t low_byte_first(std::uint64_t value) { return __builtin_bswap64(value); }
TERMSIFT_INLINE std::uint64_t high_byte_first(std::uint64_t value) { return value; }
#else
TERMSIFT_INLINE std::uint32_t low_byte_first(std::uint32_t value) { return value; }
TERMSIFT_INLINE std::uint64_t low_byte_first(std::uint64_t value) { return value; }
TERMSIFT_INLINE std::uint64_t high_byte_first(std::uint64_t value) { return __builtin_bswap64(value); }
#endif

// Returns the index of the lowest bit that is set. The argument must not be 0.
TERMSIFT_INLINE int lowest_set(std::uint64_t bits) { return __builtin_ctzll(bits); }
// Returns the index of the highest bit that is set. The argument must not be 0.
TERMSIFT_INLINE int highest_set(std::uint64_t bits) { return 63 - __builtin_clzll(bits); }
TERMSIFT_INLINE int count_set(std::uint64_t bits) { return __builtin_popcountll(bits); }

TERMSIFT_INLINE double square_root(double x) { return __builtin_sqrt(x); }
TERMSIFT_INLINE double magnitude(double x) { return __builtin_fabs(x); }

TERMSIFT_INLINE bool unlikely(bool condition) { return __builtin_expect(condition, false); }

// Prefetches the cache line of an address. The address need not be valid.
TERMSIFT_INLINE void prefetch(const void* address) { __builtin_prefetch(address); }
TERMSIFT_INLINE void prefetch_for_write(const void* address) { __builtin_prefetch(address, 1); }

// TERMSIFT_FUSED is defined if the target computes a b + c with one rounding.
#if defined(__FMA__) || defined(__aarch64__)
#define TERMSIFT_FUSED
TERMSIFT_INLINE double fused_multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif

// Returns the xor of the two halves of the 128-bit product a b. Hash functions call fold(), because it mixes bits well with
// only one multiplication. Compilers for 32-bit systems lack 128-bit products, so there are no 32-bit wheels.
TERMSIFT_INLINE std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Returns the high half of the 128-bit product a b.
TERMSIFT_INLINE std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
}

// Adds 1 to a counter that other threads may change, unless the counter is 255.
inline void count_up_to_255(std::uint8_t& counter) {
  std::uint8_t now = __atomic_load_n(&counter, __ATOMIC_RELAXED);
  while (now < 255 && !__atomic_compare_exchange_n(&counter, &now, static_cast<std::uint8_t>(now + 1), true,
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// ---- numbers -----------------------------------------------------------------------------------------------------------

// Returns the double that is nearest to a number without a sign, digits [. digits] [e [+-] digits]. Returns nothing if the
// text is no such number, or if the double would be infinite or, unlike the number, zero.
std::optional<double> nearest_double(std::string_view text);

// ---- vectors -----------------------------------------------------------------------------------------------------------

// A vector of n numbers with operators that work lane by lane, for loops that compilers do not vectorise. Functions return
// vectors through arguments, because the calling convention of vector return values depends on the target. A comparison
// yields the integer -1 in each lane where it holds, and 0 in all other lanes.
template <class T, int n>
struct LanesOf {
  typedef T Type __attribute__((vector_size(n * sizeof(T))));
};
template <class T, int n>
using Lanes = typename LanesOf<T, n>::Type;

// out = where ? a : b
template <class Mask, class Vector>
TERMSIFT_INLINE void choose(const Mask& where, const Vector& a, const Vector& b, Vector& out) {
  out = where ? a : b;
}

template <class From, class To>
TERMSIFT_INLINE void convert(const From& from, To& to) {
  to = __builtin_convertvector(from, To);
}

template <class Vector, class T>
TERMSIFT_INLINE void load(const T* from, Vector& vector) {
  copy_bytes(&vector, from, sizeof vector);
}
template <class Vector, class T>
TERMSIFT_INLINE void store(const Vector& vector, T* to) {
  copy_bytes(to, &vector, sizeof vector);
}

// ---- features of the processor -----------------------------------------------------------------------------------------

struct X86Features {
  bool avx2 = false;    // AVX2 together with FMA, BMI and BMI2
  bool avx512 = false;  // the AVX-512 extensions F, BW, DQ and VL
};
X86Features x86_features();

// ---- memory ------------------------------------------------------------------------------------------------------------

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// Returns memory (on Linux, aligned to a huge page) that the caller must free by std::free, or null.
void* allocate_at_huge_page(std::size_t bytes);

// Asks the system for pages of 2 MiB if the memory is large enough, as numpy does for its arrays. With pages of 4 KiB, page
// faults took 40% of the time of counting 10^8 entries.
void advise_huge_pages(void* memory, std::size_t bytes);

// Lets the system take back the pages of `memory` when memory is short. The content becomes undefined.
void offer_pages(void* memory, std::size_t bytes);

// ---- processors and processes ------------------------------------------------------------------------------------------

// Returns the number of processors that this process may use, or nullopt if the number is unknown.
std::optional<int> allowed_processors();

// Registers f to be called in each forked child process. Returns whether f was registered.
bool call_in_forked_children(void (*f)());

// ---- files -------------------------------------------------------------------------------------------------------------

// Opens a file for reading bytes. On Windows, `path` is UTF-8. On failure, returns null and sets errno.
std::FILE* open_for_reading(const std::string& path);

}  // namespace termsift
