// The types that every part of the core uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace termsift {

// A term is a column of the matrix. A column number takes only four bytes, because every score reads the terms of all pairs
// from memory. A vocabulary therefore has at most 2^31 - 1 terms.
using TermId = std::int32_t;
inline constexpr std::int64_t max_terms = std::numeric_limits<TermId>::max();

// A class is a position in the caller's list of labels.
using ClassId = std::int32_t;

// Converts an index to the index type of standard containers.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Counts are exact (int64) if the matrix and the weights hold integers, and double otherwise. The template parameter `Count`
// is int64 or double.
template <class T>
concept CountType = std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>;

// The event that is counted, which determines x and X in p_ic = (x_ic + b1) / (X_c + b2):
enum class EventModel : std::uint8_t {
  multinomial,  // x = l_ic, X = l_c           one draw of a term per token
  binary,       // x = d_ic, X = sum_i d_ic    one draw of a term per distinct term of a document
  bernoulli,    // x = d_ic, X = n_c           one coin toss per term and document
  poisson       // x = l_ic, X = n_c           a rate: occurrences per document
};

// A numpy boolean is one byte, which means true if it is not 0.
enum class Bool : std::uint8_t {};

// Expands to apply(Index, Value) for every kind of matrix that the core accepts.
#define TERMSIFT_FOR_EACH_MATRIX(apply) \
  TERMSIFT_FOR_EACH_VALUE_(apply, std::int32_t) TERMSIFT_FOR_EACH_VALUE_(apply, std::int64_t)
#define TERMSIFT_FOR_EACH_VALUE_(apply, Index)                                                                        \
  apply(Index, Bool) apply(Index, std::int8_t) apply(Index, std::int16_t) apply(Index, std::int32_t)                  \
      apply(Index, std::int64_t) apply(Index, std::uint8_t) apply(Index, std::uint16_t) apply(Index, std::uint32_t)   \
          apply(Index, std::uint64_t) apply(Index, float) apply(Index, double)

// Thrown when an exact count would exceed int64. In Python, CountOverflow becomes CountOverflowError, a subclass of
// OverflowError and of ValueError.
struct CountOverflow : std::overflow_error {
  using std::overflow_error::overflow_error;
};

// Thrown for the value of an argument that does not suit the counts. In Python, it becomes a ValueError that carries the
// argument's name, and `counts` stands for the counts themselves.
struct WrongArgument : std::invalid_argument {
  WrongArgument(const char* name, const std::string& what) : std::invalid_argument(what), argument(name) {}
  const char* argument;
};

// Thrown when the caller's poll stops a call. A stopped call has changed nothing, except where its comment says so.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace termsift
