#include "termsift/csr_view.hpp"

#include <algorithm>
#include <limits>
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

// The scans below read a few thousand entries at a time, each in loops whose accumulators are as wide as what they read: so
// they vectorise without AVX, and run near the speed of memory.
constexpr std::int64_t scan_entries = 8192;

// Whether all of the n indices are in [0, n_columns).
template <class Index>
bool within(const Index* indices, std::int64_t n, std::int64_t n_columns) {
  Index any = 0, largest = 0;
  for (std::int64_t e = 0; e < n; ++e) {
    any = any | indices[e];  // negative if any of them is
    largest = std::max(largest, indices[e]);
  }
  return any >= 0 && largest < n_columns;
}

// How many of indices[0 .. n) do not exceed their predecessor, indices[-1] included.
template <class Index>
std::int64_t descents(const Index* indices, std::int64_t n) {
  Index count = 0;
  for (std::int64_t e = 0; e < n; ++e) count = count + (indices[e] <= indices[e - 1]);
  return count;
}

// The facts of n values; false if one is not acceptable.
template <class Value>
bool scan_values(const Value* data, std::int64_t n, const PackedEntry& packed, CsrFacts& facts) {
  if constexpr (std::is_floating_point_v<Value>) {
    // Comparisons with NaN are false. Adding 2^p, p the bits of a significand, leaves no room for a fraction.
    constexpr Value limit = std::numeric_limits<Value>::max();
    constexpr Value shift = Value{1} / std::numeric_limits<Value>::epsilon();
    Value largest = 0;
    int acceptable_all = 1, zero = 0, fraction = 0;
    for (std::int64_t e = 0; e < n; ++e) {
      const Value value = data[e];
      acceptable_all &= (value >= 0) & (value <= limit);
      zero |= value == 0;
      fraction |= (value < shift) & ((value + shift) - shift != value);
      largest = value > largest ? value : largest;
    }
    if (!acceptable_all) return false;
    facts.has_zeros |= zero != 0;
    facts.has_fractions |= fraction != 0;
    facts.value_bound = std::max(facts.value_bound, static_cast<double>(largest));
    if (!fraction && packed.holds(largest)) return true;
  } else {
    using Bits = std::make_unsigned_t<std::conditional_t<std::is_same_v<Value, Bool>, std::uint8_t, Value>>;
    Bits any = 0, zero = 0;
    for (std::int64_t e = 0; e < n; ++e) {
      const auto value = static_cast<Bits>(data[e]);
      any = static_cast<Bits>(any | value);
      zero = static_cast<Bits>(zero | (value == 0));
    }
    if (!acceptable(static_cast<Value>(any))) return false;  // negative if any of them is, 2^63 or more if any is
    facts.has_zeros |= zero != 0;
    facts.value_bound = std::max(facts.value_bound, as_count<double>(static_cast<Value>(any)));
    if (packed.holds(static_cast<Value>(any))) return true;
  }
  for (std::int64_t e = 0; e < n; ++e) facts.n_unpackable += !packed.holds(data[e]);
  return true;
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
    Found& here = found[static_cast<std::size_t>(block)];
    // Over all entries of the rows at once; a row's first entry may lie below its predecessor's last, and those descents are
    // taken back afterwards.
    std::int64_t not_increasing = 0;
    for (std::int64_t e = begin; e < end; e += scan_entries) {
      const std::int64_t n = std::min(scan_entries, end - e);
      here.refused |= !within(x.indices + e, n, x.n_columns) || !scan_values(x.data + e, n, packed, here.facts);
      const std::int64_t first_pair = std::max(e, begin + 1);
      not_increasing += descents(x.indices + first_pair, e + n - first_pair);
    }
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t e = x.indptr[row];
      if (e > begin && e < x.indptr[row + 1]) not_increasing -= x.indices[e] <= x.indices[e - 1];
    }
    here.facts.distinct = not_increasing == 0;
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
    facts.has_zeros = facts.has_zeros || more.has_zeros;
    facts.has_fractions = facts.has_fractions || more.has_fractions;
    facts.value_bound = std::max(facts.value_bound, more.value_bound);
    facts.n_unpackable += more.n_unpackable;
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
