// Non-owning views of the caller's arrays, and the check that makes them safe to read.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// A compressed sparse matrix of shape (n_rows, n_columns): row r holds the entries [indptr[r], indptr[r + 1]) of
// `indices` (columns) and `data` (values). Entries of a row may stand in any order and repeat a column (the values then
// add up); zeros may be stored. A CSC matrix is the CSR view of its transpose.
template <class Index, class Value>
struct CsrView {
  std::int64_t n_rows = 0;
  std::int64_t n_columns = 0;
  std::int64_t n_stored = 0;       // length of `indices` and of `data`; at least indptr[n_rows]
  const Index* indptr = nullptr;   // (n_rows + 1,)
  const Index* indices = nullptr;  // (n_stored,)
  const Value* data = nullptr;     // (n_stored,)
};

// Where the rows of a matrix begin, in 4 or in 8 bytes each.
class Offsets {
 public:
  explicit Offsets(const std::int32_t* offsets) : narrow_(offsets) {}
  explicit Offsets(const std::int64_t* offsets) : wide_(offsets) {}
  std::int64_t operator[](std::int64_t row) const { return narrow_ != nullptr ? narrow_[row] : wide_[row]; }

 private:
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

// A CsrView of any types. Whoever takes this is compiled once, and for each kind of matrix only the loops over entries that
// it hands to `visit`: there are 22 kinds.
class AnyCsr {
 public:
  template <class Index, class Value>
  AnyCsr(const CsrView<Index, Value>& x)
      : n_rows(x.n_rows), n_columns(x.n_columns), n_stored(x.n_stored), indptr(x.indptr),
        holds_floats(std::is_floating_point_v<Value>), view_(x) {}

  std::int64_t n_rows, n_columns, n_stored;
  Offsets indptr;
  bool holds_floats;

  // Returns f(the CsrView). Costs a call, so f should do some rows at a time.
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

// What messages call a matrix. `transposed` swaps the words row and column, for the CSR view of a CSC matrix.
struct MatrixName {
  std::string name = "X";
  bool transposed = false;
};

struct CsrFacts {
  bool distinct = true;           // every row's columns strictly increase: no entry repeats a column
  bool has_zeros = false;         // stored
  bool has_fractions = false;
  double value_bound = 0;         // no value exceeds it, and it is below twice the largest
  std::int64_t n_unpackable = 0;  // values that a PackedEntry of n_columns terms cannot hold (cpp/src/class_streams.hpp)
};

// Checks everything that reading the view relies on and that counting promises to refuse: indptr starts at 0, never
// decreases and stays within n_stored; every column is in [0, n_columns); every value is finite and not negative.
// Throws std::invalid_argument naming the first offending row (and column and value) in row order. One parallel read of
// the arrays.
CsrFacts check_csr(const AnyCsr& x, const MatrixName& name, const Threads& threads);

}  // namespace termsift
