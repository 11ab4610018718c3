// The vocabulary of the core.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace termsift {

// A term is a column of the matrix. Four bytes, because the pair lists are read from memory at every score; a
// vocabulary of 2^31 - 1 terms is the largest that can be counted (one vector of scores over it takes 16 GiB).
using TermId = std::int32_t;
inline constexpr std::int64_t max_terms = std::numeric_limits<TermId>::max();

// A class is a position in the caller's list of labels.
using ClassId = std::int32_t;

// A count of occurrences or documents is one of two types: int64, exact, when matrix and weights hold integers; double
// otherwise. `Count` is the template parameter that stands for either.
template <class T>
concept CountType = std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>;

// What is counted, and by what it is divided: p_ic = (x_ic + b1) / (X_c + b2) with
enum class EventModel : std::uint8_t {
  multinomial,  // x = l_ic, X = l_c           one draw of a term per token
  binary,       // x = d_ic, X = sum_i d_ic    the same, after repeated terms of a document are dropped
  bernoulli,    // x = d_ic, X = n_c           one coin toss per term and document
  poisson       // x = l_ic, X = n_c           a rate: occurrences per document
};

// Not std::bool: a byte that numpy calls a boolean, of which any value but 0 means true.
enum class Bool : std::uint8_t {};

// The values a matrix may hold: the closed set over which dtypes are dispatched (cpp/bindings/dispatch.hpp) and kernels
// instantiated.
#define TERMSIFT_FOR_EACH_INTEGER_VALUE(apply)                                                                       \
  apply(Bool) apply(std::int8_t) apply(std::int16_t) apply(std::int32_t) apply(std::int64_t) apply(std::uint8_t)     \
      apply(std::uint16_t) apply(std::uint32_t) apply(std::uint64_t)
#define TERMSIFT_FOR_EACH_FLOAT_VALUE(apply) apply(float) apply(double)

// apply(Index, Value) for every kind of matrix.
#define TERMSIFT_FOR_EACH_MATRIX(apply)                                                                        \
  TERMSIFT_FOR_BOTH_INDICES_(apply, Bool) TERMSIFT_FOR_BOTH_INDICES_(apply, std::int8_t)                       \
  TERMSIFT_FOR_BOTH_INDICES_(apply, std::int16_t) TERMSIFT_FOR_BOTH_INDICES_(apply, std::int32_t)              \
  TERMSIFT_FOR_BOTH_INDICES_(apply, std::int64_t) TERMSIFT_FOR_BOTH_INDICES_(apply, std::uint8_t)              \
  TERMSIFT_FOR_BOTH_INDICES_(apply, std::uint16_t) TERMSIFT_FOR_BOTH_INDICES_(apply, std::uint32_t)            \
  TERMSIFT_FOR_BOTH_INDICES_(apply, std::uint64_t) TERMSIFT_FOR_BOTH_INDICES_(apply, float)                    \
  TERMSIFT_FOR_BOTH_INDICES_(apply, double)
#define TERMSIFT_FOR_BOTH_INDICES_(apply, Value) apply(std::int32_t, Value) apply(std::int64_t, Value)

// Thrown when an exact count would leave int64. In Python: CountOverflowError, both an OverflowError and a ValueError.
struct CountOverflow : std::overflow_error {
  using std::overflow_error::overflow_error;
};

// Thrown when the caller's poll asks a long call to stop. Nothing has been changed.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace termsift
