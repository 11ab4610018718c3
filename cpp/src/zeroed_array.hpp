// Zeros that cost nothing until touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace termsift {

// The system hands out fresh pages as they are written, and most terms of a huge vocabulary never occur in a class.
template <class T>
class ZeroedArray {
 public:
  explicit ZeroedArray(std::int64_t size)
      : data_(std::calloc(static_cast<std::size_t>(std::max<std::int64_t>(size, 1)), sizeof(T))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  T* get() { return static_cast<T*>(data_.get()); }
  T& operator[](std::int64_t i) { return get()[i]; }

 private:
  struct Free {
    void operator()(void* data) const { std::free(data); }
  };
  std::unique_ptr<void, Free> data_;
};

}  // namespace termsift
