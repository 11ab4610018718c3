// Large arrays, without the cost of a page fault for every 4 KiB.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace termsift {

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

// Asks for pages of 2 MiB in the part of the memory that can have them. Faulting in 4 KiB pages took 40% of the time of
// counting 10^8 entries. numpy does the same for its arrays.
inline void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < 2 * huge_page) return;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory) + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // refused: nothing changes
#endif
}

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

// An array of trivial elements. `zeroed` memory costs nothing until it is touched: most terms of a huge vocabulary never
// occur in a class.
template <class T>
class LargeArray {
 public:
  LargeArray() = default;
  static LargeArray uninitialised(std::int64_t size) { return LargeArray(size, false); }
  static LargeArray zeroed(std::int64_t size) { return LargeArray(size, true); }
  // Of which few elements, far apart, will be touched: in small pages.
  static LargeArray zeroed_for_few(std::int64_t size) { return LargeArray(size, true, false); }

  T* get() const { return static_cast<T*>(memory_.get()); }
  T& operator[](std::int64_t i) const { return get()[i]; }
  T* release() { return static_cast<T*>(memory_.release()); }

 private:
  LargeArray(std::int64_t size, bool zero, bool huge_pages = true) {
    const auto n = static_cast<std::size_t>(std::max<std::int64_t>(size, 1));
    if (n > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = n * sizeof(T);
    // Smaller arrays may come from memory that the allocator kept, whose pages are there already.
    const bool large = bytes >= std::size_t{32} << 20;
    memory_.reset(zero    ? std::calloc(n, sizeof(T))
                  : large ? std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page)
                          : std::malloc(bytes));
    if (memory_ == nullptr) throw std::bad_alloc();
    if (huge_pages) advise_huge_pages(memory_.get(), bytes);
  }
  std::unique_ptr<void, FreeMemory> memory_;
};

// An uninitialised array for the time of a call. One of up to 16 MiB is kept for the next call: for a small collection its
// page faults would be a fifth of the time of counting.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::int64_t size) {
    if (size <= most_kept) array_.reset(kept().exchange(nullptr));
    if (array_ == nullptr || array_->size < size)
      array_ = std::make_unique<Sized>(LargeArray<T>::uninitialised(size), size);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (array_->size <= most_kept) array_.reset(kept().exchange(array_.release()));
  }
  T* get() const { return array_->array.get(); }

 private:
  static constexpr auto most_kept = static_cast<std::int64_t>((std::size_t{16} << 20) / sizeof(T));
  struct Sized {
    Sized(LargeArray<T> a, std::int64_t n) : array(std::move(a)), size(n) {}
    LargeArray<T> array;
    std::int64_t size;
  };
  static std::atomic<Sized*>& kept() {
    static std::atomic<Sized*> array{nullptr};
    return array;
  }
  std::unique_ptr<Sized> array_;
};

}  // namespace termsift
