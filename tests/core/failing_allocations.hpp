// Repeats a call, and lets another allocation fail each time. The linker redirects the core's malloc, calloc and
// aligned_alloc to the functions below (CMakeLists.txt). One source file of a program includes this file.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <string_view>

#include "check.hpp"
#include "collections.hpp"

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t n, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
void __real_free(void* memory);
}

namespace failing_allocations {

inline std::atomic<long> until_failure{-1};  // number of allocations before one fails; if negative, none fails
inline std::atomic<long> n_live{0}, n_bytes{0};
inline long n_calls = 0, n_failures = 0;  // of fail_everywhere()
inline bool every = std::getenv("EVERY_ALLOCATION") != nullptr;  // whether fail_everywhere() leaves none out

inline bool fails() { return until_failure.load() >= 0 && until_failure.fetch_sub(1) == 0; }

inline void* counted(void* memory) {
  n_live += memory != nullptr;
  return memory;
}

}  // namespace failing_allocations

extern "C" {
void* __wrap_malloc(std::size_t size) {
  using namespace failing_allocations;
  n_bytes += static_cast<long>(size);
  return fails() ? nullptr : counted(__real_malloc(size));
}
void* __wrap_calloc(std::size_t n, std::size_t size) {
  using namespace failing_allocations;
  return fails() ? nullptr : counted(__real_calloc(n, size));
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  using namespace failing_allocations;
  return fails() ? nullptr : counted(__real_aligned_alloc(alignment, size));
}
void __wrap_free(void* memory) {
  failing_allocations::n_live -= memory != nullptr;
  __real_free(memory);
}
}

void* operator new(std::size_t size) {
  void* const memory = __wrap_malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { __wrap_free(memory); }
void operator delete(void* memory, std::size_t) noexcept { __wrap_free(memory); }

namespace failing_allocations {

// While a Sure exists, no allocation fails, because the test itself allocates.
class Sure {
 public:
  Sure() : before_(until_failure.exchange(-1)) {}
  ~Sure() { until_failure = before_; }

 private:
  const long before_;
};

// Describes the bits of numbers. No stream is used, because streams treat a failed allocation as the end of their output.
template <class T>
std::string listed(const T* values, std::int64_t n) {
  const Sure sure;
  const std::string_view bytes(reinterpret_cast<const char*>(values), static_cast<std::size_t>(n) * sizeof(T));
  return std::to_string(n) + " with the hash " + std::to_string(std::hash<std::string_view>()(bytes)) + "; ";
}

// Calls `run` with each allocation failing in turn, and returns the number of allocations. `run` describes its result. The
// call must throw std::bad_alloc, or succeed without the memory. Nothing may leak, and the next call must succeed. With
// several threads, the order of their allocations varies, so the failure can happen in any thread. Of a call with more than
// fifteen allocations, some of the later ones are left out, unless `every` is set.
inline long fail_everywhere(const std::function<std::string()>& run) {
  const std::string want = run();
  CHECK_EQ(run(), want);  // allocates the memory that later calls use again
  ++n_calls;
  for (long i = 0;; i += every ? 1 : 1 + i / 15) {
    const long live = n_live;
    bool thrown = false, same = true;
    until_failure = i;
    try {
      same = run() == want;
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    const bool reached = until_failure < 0;
    until_failure = -1;
    n_failures += reached;
    CHECK(same);
    CHECK(reached || !thrown);
    CHECK_EQ(run(), want);
    CHECK_EQ(n_live.load(), live);
    if (!reached) return i;
  }
}

}  // namespace failing_allocations
