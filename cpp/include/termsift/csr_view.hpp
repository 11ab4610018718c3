// Non-owning views of the caller's arrays, and a check that the views are safe to read.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// A compressed sparse matrix of shape (n_rows, n_columns): row r holds the entries [indptr[r], indptr[r + 1]) of `indices`
// (columns) and `data` (values). The entries of a row may be in any order. Values of a row in the same column add up, and
// zeros may be stored. A CSC matrix is passed as the CSR view of its transpose.
template <class Index, class Value>
struct CsrView {
  std::int64_t n_rows = 0;
  std::int64_t n_columns = 0;
  std::int64_t n_stored = 0;       // length of `indices` and of `data`; at least indptr[n_rows]
  const Index* indptr = nullptr;   // (n_rows + 1,)
  const Index* indices = nullptr;  // (n_stored,)
  const Value* data = nullptr;     // (n_stored,)
};

// The offsets of the rows of a matrix (indptr), as int32 or int64.
class Offsets {
 public:
  explicit Offsets(const std::int32_t* offsets) : narrow_(offsets) {}
  explicit Offsets(const std::int64_t* offsets) : wide_(offsets) {}
  std::int64_t operator[](std::int64_t row) const { return narrow_ != nullptr ? narrow_[row] : wide_[row]; }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

// A CsrView of any of the 22 pairs of an index type and a value type. A function that takes an AnyCsr is compiled once, and
// only the loops that it passes to `visit` are compiled for each pair of types.
class AnyCsr {
 public:
  template <class Index, class Value>
  AnyCsr(const CsrView<Index, Value>& x)
      : n_rows(x.n_rows), n_columns(x.n_columns), n_stored(x.n_stored), indptr(x.indptr),
        holds_floats(std::is_floating_point_v<Value>), view_(x) {}

  std::int64_t n_rows, n_columns, n_stored;
  Offsets indptr;
  bool holds_floats;

  // Returns f(view) for the CsrView `view`. A call of visit() is indirect, so f should process several rows.
  template <class F>
  decltype(auto) visit(const F& f) const {
    return std::visit(f, view_);
  }

 private:
  template <class, class... Views>
  struct AnyOf {
    using type = std::variant<Views...>;
  };
#define TERMSIFT_AND_VIEW_(Index, Value) , CsrView<Index, Value>
  AnyOf<void TERMSIFT_FOR_EACH_MATRIX(TERMSIFT_AND_VIEW_)>::type view_;
#undef TERMSIFT_AND_VIEW_
};

// The name of a matrix in messages. If `transposed` is true, the matrix is the CSR view of a CSC matrix, and messages swap
// the words row and column.
struct MatrixName {
  std::string name = "X";
  bool transposed = false;
};

struct CsrFacts {
  bool distinct = true;    // whether columns strictly increase in every row, which excludes repeated columns
  bool has_zeros = false;  // whether zeros are stored
  double value_bound = 0;  // an upper bound of the values, less than twice the largest value
};

// Checks that the view is safe to read and that its values are counts. indptr must start at 0, never decrease and stay
// within n_stored. Every column must be in [0, n_columns), and every value finite and not negative. Throws
// std::invalid_argument, or CountOverflow for an integer of 2^63 or more. The message names the first wrong row, and also
// the column and the value of a wrong entry. Reads the arrays once, in parallel.
CsrFacts check_csr(const AnyCsr& x, const MatrixName& name, const Threads& threads);

}  // namespace termsift
