// A test harness in one header, with TEST(name) { ... CHECK(...) ... }. Each source file is one suite.
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

namespace check {

#ifdef __SANITIZE_THREAD__  // GCC
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif

// Returns values to try, or the first alone with ThreadSanitizer, which is slow. Values should change the data, and hardly
// what the threads do.
template <class T>
std::vector<T> few_values(std::vector<T> values) {
  if (has_thread_sanitizer) values.erase(values.begin() + 1, values.end());
  return values;
}

// Returns the numbers of threads to try. ThreadSanitizer is slow, and reports a race of two threads also among seven, so it
// tries the largest number alone.
inline std::vector<int> thread_counts(std::vector<int> counts) {
  if (has_thread_sanitizer) counts = {std::ranges::max(counts)};
  return counts;
}

// A failed check ends the test by throwing this struct. CHECK_THROWS never accepts this struct, because it is no
// std::exception.
struct Failure {
  std::string message;
};

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> list;
  return list;
}

struct Registration {
  Registration(const char* name, void (*run)()) {
    if (run != nullptr) tests().push_back({name, run});
  }
};

template <class T>
std::string show(const T& value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

template <class T>
std::string show(const std::vector<T>& values) {
  std::string out = "[";
  for (const T& value : values) out.append(out.size() > 1 ? ", " : "").append(show(value));
  return out + "]";
}

[[noreturn]] inline void fail(const char* file, int line, const std::string& message) {
  throw Failure{std::string(file) + ":" + std::to_string(line) + ": " + message};
}

template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (!(a == b)) fail(file, line, std::string(text) + "\n    left:  " + show(a) + "\n    right: " + show(b));
}

// Fails unless got == want or |got - want| <= tolerance. NaN always fails.
template <class T>
void close(T got, T want, T tolerance, const char* text, const char* file, int line) {
  const bool near = got == want || (got - want <= tolerance && want - got <= tolerance);
  if (!near)
    fail(file, line, std::string(text) + "\n    got:  " + show(got) + "\n    want: " + show(want) + " within " +
                         show(tolerance));
}

template <class Exception, class F>
void throws(const F& f, const std::string& fragment, const char* text, const char* file, int line) {
  try {
    f();
  } catch (const Exception& e) {
    if (std::string(e.what()).find(fragment) != std::string::npos) return;
    fail(file, line, std::string(text) + "\n    says:    " + e.what() + "\n    lacking: " + fragment);
  } catch (const std::exception& e) {
    fail(file, line, std::string(text) + "\n    throws another exception: " + e.what());
  }
  fail(file, line, std::string(text) + "\n    throws nothing, expected: " + fragment);
}

inline int run_all() {
  int failed = 0;
  for (const Test& test : tests()) {
    std::string message;
    try {
      test.run();
      std::printf("ok      %s\n", test.name);
      std::fflush(stdout);
      continue;
    } catch (const Failure& failure) {
      message = failure.message;
    } catch (const std::exception& e) {
      message = std::string("exception: ") + e.what();
    }
    ++failed;
    std::printf("FAILED  %s\n  %s\n", test.name, message.c_str());
    std::fflush(stdout);
  }
  std::printf("%d of %d failed\n", failed, static_cast<int>(tests().size()));
  return failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                  \
  static void name();                                               \
  static const check::Registration name##_registration(#name, name); \
  static void name()

// A test that starts no threads, of which ThreadSanitizer could report nothing. Without that sanitizer it is as any other.
#define TEST_OF_ONE_THREAD(name)                                                                               \
  [[maybe_unused]] static void name();                                                                         \
  static const check::Registration name##_registration(#name, check::has_thread_sanitizer ? nullptr : &name); \
  static void name()

#define CHECK(condition) \
  do {                   \
    if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_EQ(a, b) check::equal(a, b, #a " == " #b, __FILE__, __LINE__)
#define CHECK_NEAR(got, want, tolerance) check::close(got, want, tolerance, #got " near " #want, __FILE__, __LINE__)
// The message of the thrown exception must contain `fragment`.
#define CHECK_THROWS(expression, Exception, fragment) \
  check::throws<Exception>([&] { static_cast<void>(expression); }, fragment, #expression, __FILE__, __LINE__)

#ifndef CHECK_WITHOUT_MAIN  // fuzz targets define this, because libFuzzer or replay.cpp has the main function
int main() { return check::run_all(); }
#endif
