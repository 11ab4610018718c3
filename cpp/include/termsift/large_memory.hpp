// Large arrays in huge pages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "termsift/portability.hpp"

namespace termsift {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// An array whose elements have a trivial type. The pages of a zeroed() array take no memory until they are touched. Many
// pages of counters are never touched, because most terms of a huge vocabulary never occur in a class.
template <class T>
class LargeArray {
 public:
  // An uninitialised array of less than least_bytes comes from malloc, which may reuse pages that were already touched.
  static constexpr std::int64_t least_bytes = std::int64_t{32} << 20;

  LargeArray() = default;
  static LargeArray uninitialised(std::int64_t size) { return LargeArray(size, false); }
  static LargeArray zeroed(std::int64_t size) { return LargeArray(size, true); }
  // Returns a zeroed array in small pages, which are better if only a few scattered elements will be touched.
  static LargeArray zeroed_for_few(std::int64_t size) { return LargeArray(size, true, false); }

  T* get() const { return static_cast<T*>(memory_.get()); }
  T& operator[](std::int64_t i) const { return get()[i]; }
  T* release() { return static_cast<T*>(memory_.release()); }

 private:
  LargeArray(std::int64_t size, bool zero, bool huge_pages = true) {
    const auto n = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
    if (n > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = n * sizeof(T);
    const bool large = static_cast<std::int64_t>(bytes) >= least_bytes;
    memory_.reset(zero    ? std::calloc(n, sizeof(T))
                  : large ? allocate_at_huge_page(bytes)
                          : std::malloc(bytes));
    if (memory_ == nullptr) throw std::bad_alloc();
    if (huge_pages) advise_huge_pages(memory_.get(), bytes);
  }
  std::unique_ptr<void, FreeMemory> memory_;
};

}  // namespace termsift
