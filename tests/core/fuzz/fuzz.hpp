// What all fuzz targets need: functions that take values from bytes, and functions that report failures.
//
// A fuzz target is a function of bytes that libFuzzer calls. If clang builds the target, libFuzzer searches for inputs that
// run new code. With other compilers, replay.cpp runs the target on the seeds and on fixed mutations of the seeds.
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
    if (n == 0) return value;  // data_ may be null if no bytes are left
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

// Ends the process if the condition is false, so that the fuzzer saves the bytes that caused the failure.
inline void require(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
  std::abort();
}

inline void require_equal(const std::string& got, const std::string& want, const std::string& what) {
  require(got == want, what + "\n--- got\n" + got + "\n--- want\n" + want);
}

}  // namespace fuzz
