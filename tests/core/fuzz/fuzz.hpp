// The parts that fuzz targets share: they take values from bytes, and report failures.
//
// A target is a function of bytes, the entry point of libFuzzer. If clang builds the target, libFuzzer searches for inputs
// that reach new code. Otherwise replay.cpp runs the target on the seeds and on mutations, which are the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

// Takes values from the front of the bytes. After the end of the bytes, all values are 0.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::size_t left() const { return left_; }

  template <class T>
  T take() {
    T value{};
    const std::size_t n = left_ < sizeof value ? left_ : sizeof value;
    if (n == 0) return value;  // an empty input may be at null
    std::memcpy(&value, data_, n);
    data_ += n;
    left_ -= n;
    return value;
  }

  // Returns a number in [0, n) from one byte; n is at most 256.
  int below(int n) { return take<std::uint8_t>() % n; }
  bool flag() { return (take<std::uint8_t>() & 1) != 0; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// Ends the process, so that a fuzzer keeps the bytes that led here.
inline void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::abort();
}

inline void require_equal(const std::string& got, const std::string& want, const std::string& what) {
  require(got == want, what + "\n--- got\n" + got + "\n--- want\n" + want);
}

}  // namespace fuzz
