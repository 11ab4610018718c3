#include "termsift/portability.hpp"

#include <charconv>
#include <cstdlib>
#include <system_error>

#include "base/stack_size.hpp"

#ifndef __cpp_lib_to_chars
#include <cmath>
#include <locale>
#include <sstream>
#endif

#if defined(_WIN32)
#include <filesystem>
#define WIN32_LEAN_AND_MEAN
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <pthread.h>
#endif
#ifdef __linux__
#include <sched.h>
#include <sys/mman.h>
#endif
#ifdef __x86_64__
#define TERMSIFT_X86
#include <immintrin.h>
#endif

namespace termsift {

// ---- numbers -----------------------------------------------------------------------------------------------------------

std::optional<double> nearest_double(std::string_view text) {
  double nearest = 0;
#ifdef __cpp_lib_to_chars
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nearest);
  if (end != text.data() + text.size() || error != std::errc()) return std::nullopt;
#else  // libc++ before version 20 reads no floating-point numbers
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  in >> nearest;
  // libc++ reports a failure for numbers below 2^-1022, although it stores the nearest double.
  const bool is_read = in.eof() && (!in.fail() || (nearest > 0 && nearest < 1));
  const bool is_zero = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == text.npos;
  if (!is_read || std::isinf(nearest) || (nearest == 0 && !is_zero)) return std::nullopt;
#endif
  return nearest;
}

// ---- features of the processor -----------------------------------------------------------------------------------------

#ifdef TERMSIFT_X86

namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers processor_id(unsigned leaf) {
  Registers r;
  __asm__("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "a"(leaf), "c"(0));
  return r;
}

// Returns a mask of the registers that the system saves when it switches threads.
__attribute__((target("xsave"))) std::uint64_t saved_registers() {
  return static_cast<std::uint64_t>(_xgetbv(0));
}

}  // namespace

// x86_features() uses cpuid, because Clang's __builtin_cpu_supports needs a library that programs for MSVC do not link.
X86Features x86_features() {
  constexpr unsigned fma = 1u << 12, xsave = 1u << 27;                              // FMA, XSAVE: register c of leaf 1
  constexpr unsigned avx2 = 1u << 3 | 1u << 5 | 1u << 8;                            // BMI, AVX2, BMI2: register b of leaf 7
  constexpr unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;            // F, DQ, BW, VL: register b of leaf 7
  constexpr std::uint64_t vectors = 0x6, wide_vectors = vectors | 0xe0;
  if (processor_id(0).a < 7) return {};
  const unsigned first = processor_id(1).c, extended = processor_id(7).b;
  if ((first & xsave) == 0 || (first & fma) == 0) return {};
  const std::uint64_t saved = saved_registers();
  const bool has_avx2 = (saved & vectors) == vectors && (extended & avx2) == avx2;
  return {has_avx2, has_avx2 && (saved & wide_vectors) == wide_vectors && (extended & avx512) == avx512};
}

#else

X86Features x86_features() { return {}; }

#endif

// ---- memory ------------------------------------------------------------------------------------------------------------

#ifdef __linux__

void* allocate_at_huge_page(std::size_t bytes) {
  return std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
}

namespace {

// Gives the system advice on the huge pages that lie entirely within the memory. Failure is harmless.
void advise(void* memory, std::size_t bytes, int advice) {
  if (bytes < 2 * huge_page) return;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
  madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

void advise_huge_pages(void* memory, std::size_t bytes) { advise(memory, bytes, MADV_HUGEPAGE); }

void offer_pages(void* memory, std::size_t bytes) { advise(memory, bytes, MADV_FREE); }

#else

void* allocate_at_huge_page(std::size_t bytes) { return std::malloc(bytes); }

void advise_huge_pages(void*, std::size_t) {}

void offer_pages(void*, std::size_t) {}

#endif

// ---- processors and processes ------------------------------------------------------------------------------------------

#if defined(__linux__)

std::optional<int> allowed_processors() {
  cpu_set_t allowed;  // cpu_set_t has 1,024 bits, so sched_getaffinity fails on machines with more processors
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return std::nullopt;
  return CPU_COUNT(&allowed);
}

#else

std::optional<int> allowed_processors() {
#ifdef _WIN32
  DWORD_PTR process = 0, system = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system) != 0 && process != 0) {
    int n = 0;
    for (; process != 0; process &= process - 1) ++n;
    // The masks cover only one group of 64 processors, but a process may use the processors of all groups.
    if (GetActiveProcessorGroupCount() == 1) return n;
  }
#endif
  return std::nullopt;
}

#endif

#ifdef __linux__

void raise_stack_size() {
  constexpr std::size_t least = std::size_t{1} << 20;
  pthread_attr_t usual;
  std::size_t size = 0;
  if (pthread_getattr_default_np(&usual) != 0) return;
  if (pthread_attr_getstacksize(&usual, &size) == 0 && size < least && pthread_attr_setstacksize(&usual, least) == 0)
    pthread_setattr_default_np(&usual);
  pthread_attr_destroy(&usual);
}

#else

void raise_stack_size() {}

#endif

#ifdef _WIN32

bool call_in_forked_children(void (*)()) { return false; }

#else

bool call_in_forked_children(void (*f)()) { return pthread_atfork(nullptr, nullptr, f) == 0; }

#endif

// ---- files -------------------------------------------------------------------------------------------------------------

std::FILE* open_for_reading(const std::string& path) {
#ifdef _WIN32
  return _wfopen(std::filesystem::path(std::u8string(path.begin(), path.end())).c_str(), L"rb");
#else
  return std::fopen(path.c_str(), "rbe");
#endif
}

}  // namespace termsift
