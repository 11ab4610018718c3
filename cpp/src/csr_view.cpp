#include "termsift/csr_view.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "class_streams.hpp"
#include "values.hpp"

namespace termsift {
namespace {

template <class Value>
bool acceptable(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return value >= 0 && value <= std::numeric_limits<Value>::max();
  else if constexpr (std::is_same_v<Value, std::uint64_t>)
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  else if constexpr (std::is_signed_v<Value>)
    return value >= 0;
  else
    return true;
}

template <class Value>
bool is_whole(Value value) {
  if constexpr (std::is_floating_point_v<Value>) {
    // Adding 2^52 leaves no room for a fraction. True of all beyond.
    const auto wide = static_cast<double>(value);
    return !(wide < 0x1p52) || (wide + 0x1p52) - 0x1p52 == wide;
  }
  return true;
}

template <class Index, class Value>
[[noreturn]] void refuse_entry(const CsrView<Index, Value>& x, std::int64_t row, std::int64_t entry,
                               const MatrixName& matrix) {
  const std::int64_t column = x.indices[entry];
  const std::string line = (matrix.transposed ? "column " : "row ") + std::to_string(row);
  const std::string across = matrix.transposed ? "row " : "column ";
  if (column < 0 || column >= x.n_columns)
    throw std::invalid_argument(matrix.name + " has the index " + std::to_string(column) + " in " + line +
                                ", expected a " + across + "in [0, " + std::to_string(x.n_columns) + ")");
  const std::string crossing = across + std::to_string(column);
  const std::string entry_text = matrix.name + " has " + text(x.data[entry]) + " at " +
                                 (matrix.transposed ? crossing + ", " + line : line + ", " + crossing);
  if constexpr (std::is_same_v<Value, std::uint64_t>) throw CountOverflow(entry_text + ", expected a count below 2^63");
  throw std::invalid_argument(entry_text + ", expected a finite count that is not negative");
}

template <class Index, class Value>
void check_indptr(const CsrView<Index, Value>& x, const MatrixName& matrix) {
  const std::string line = matrix.transposed ? " at column " : " at row ";
  if (x.indptr[0] != 0)
    throw std::invalid_argument(matrix.name + ".indptr starts at " + std::to_string(x.indptr[0]) + ", expected 0");
  for (std::int64_t row = 0; row < x.n_rows; ++row) {
    const std::int64_t begin = x.indptr[row], end = x.indptr[row + 1];
    if (end < begin)
      throw std::invalid_argument(matrix.name + ".indptr decreases from " + std::to_string(begin) + " to " +
                                  std::to_string(end) + line + std::to_string(row));
    if (end > x.n_stored)
      throw std::invalid_argument(matrix.name + ".indptr reaches " + std::to_string(end) + line + std::to_string(row) +
                                  ", but " + std::to_string(x.n_stored) + " entries are stored");
  }
}

}  // namespace

template <class Index, class Value>
CsrFacts check_csr(const CsrView<Index, Value>& x, const MatrixName& name, const Threads& requested) {
  check_indptr(x, name);

  constexpr std::int64_t rows_per_block = 4096;
  const std::int64_t n_blocks = (x.n_rows + rows_per_block - 1) / rows_per_block;
  struct Found {
    bool refused = false;
    CsrFacts facts;
  };
  const PackedEntry packed(x.n_columns);
  std::vector<Found> found(static_cast<std::size_t>(n_blocks));
  for_each_block(n_blocks, worth(requested, x.indptr[x.n_rows]), [&](std::int64_t block, Worker&) {
    const std::int64_t first = block * rows_per_block, last = std::min(first + rows_per_block, x.n_rows);
    const std::int64_t begin = x.indptr[first], end = x.indptr[last];
    // Over all entries of the rows at once, so that the loops vectorise; a row's first entry may lie below its
    // predecessor's last, and those descents are taken back afterwards.
    bool refused = false;
    std::int64_t descents = 0, zeros = 0, unpackable = 0, fractions = 0;
    Value largest{};
    for (std::int64_t e = begin; e < end; ++e) {
      const Value value = x.data[e];
      refused |= x.indices[e] < 0 || x.indices[e] >= x.n_columns || !acceptable(value);
      largest = value > largest ? value : largest;
      zeros += value == Value{};
      unpackable += !packed.holds(value);
      fractions += !is_whole(value);
    }
    for (std::int64_t e = begin + 1; e < end; ++e) descents += x.indices[e] <= x.indices[e - 1];
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t e = x.indptr[row];
      if (e > begin && e < x.indptr[row + 1]) descents -= x.indices[e] <= x.indices[e - 1];
    }
    found[static_cast<std::size_t>(block)] = {refused, {descents == 0, as_count<double>(largest), zeros, unpackable, fractions}};
  });

  CsrFacts facts;
  for (std::size_t block = 0; block < found.size(); ++block) {
    if (found[block].refused) {
      const std::int64_t first = static_cast<std::int64_t>(block) * rows_per_block;
      for (std::int64_t row = first; row < std::min(first + rows_per_block, x.n_rows); ++row)
        for (std::int64_t e = x.indptr[row]; e < x.indptr[row + 1]; ++e)
          if (x.indices[e] < 0 || x.indices[e] >= x.n_columns || !acceptable(x.data[e]))
            refuse_entry(x, row, e, name);
    }
    const CsrFacts& more = found[block].facts;
    facts.distinct = facts.distinct && more.distinct;
    facts.largest_value = std::max(facts.largest_value, more.largest_value);
    facts.n_zeros += more.n_zeros;
    facts.n_unpackable += more.n_unpackable;
    facts.n_fractions += more.n_fractions;
  }
  return facts;
}

#define TERMSIFT_INSTANTIATE(Value)                                                                    \
  template CsrFacts check_csr(const CsrView<std::int32_t, Value>&, const MatrixName&, const Threads&); \
  template CsrFacts check_csr(const CsrView<std::int64_t, Value>&, const MatrixName&, const Threads&);
TERMSIFT_FOR_EACH_INTEGER_VALUE(TERMSIFT_INSTANTIATE)
TERMSIFT_FOR_EACH_FLOAT_VALUE(TERMSIFT_INSTANTIATE)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
