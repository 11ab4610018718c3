// Large arrays in huge pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace termsift {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// Asks for pages of 2 MiB where the memory is large enough for them, as numpy does for its arrays. Faulting in pages of 4
// KiB took 40% of the time of counting 10^8 entries.
inline void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < 2 * huge_page) return;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // may fail, which changes nothing
#endif
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// An array of trivial elements. `zeroed` memory costs nothing until it is touched, and most terms of a huge vocabulary never
// occur in a class.
template <class T>
class LargeArray {
 public:
  LargeArray() = default;
  static LargeArray uninitialised(std::int64_t size) { return LargeArray(size, false); }
  static LargeArray zeroed(std::int64_t size) { return LargeArray(size, true); }
  // Uses small pages, for an array in which few elements, far apart, will be touched.
  static LargeArray zeroed_for_few(std::int64_t size) { return LargeArray(size, true, false); }

  T* get() const { return static_cast<T*>(memory_.get()); }
  T& operator[](std::int64_t i) const { return get()[i]; }
  T* release() { return static_cast<T*>(memory_.release()); }

 private:
  LargeArray(std::int64_t size, bool zero, bool huge_pages = true) {
    const auto n = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
    if (n > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = n * sizeof(T);
    // A smaller array may come from memory that the allocator kept, whose pages have been touched.
    const bool large = bytes >= std::size_t{32} << 20;
    memory_.reset(zero    ? std::calloc(n, sizeof(T))
                  : large ? std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page)
                          : std::malloc(bytes));
    if (memory_ == nullptr) throw std::bad_alloc();
    if (huge_pages) advise_huge_pages(memory_.get(), bytes);
  }
  std::unique_ptr<void, FreeMemory> memory_;
};

}  // namespace termsift
