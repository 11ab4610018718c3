// Plain loops over entries and counters, which the compiler vectorises for one SIMD target. The loops may use functions of
// other files only if these functions are always inlined (simd/targets.hpp).
//
// In loops over values, accumulators are as wide as the values, so that the loops vectorise even without AVX.
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <limits>
#include <type_traits>

#include "counting/entry_kernels.hpp"
#include "termsift/portability.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// Converts each value to an integer and subtracts 1. A usual value is a small whole number of at least 1. 64-bit values
// give 64-bit integers, and narrower values give 32-bit integers. A value that is too large or below 1 sets high bits.
template <class Value>
class UsualValues {
 public:
  using Bits = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;

  TERMSIFT_INLINE Bits less_one(Value value) {
    Bits less;
    if constexpr (std::is_same_v<Value, Bool>) {
      less = static_cast<Bits>(value != Bool{0}) - 1;
    } else if constexpr (std::is_floating_point_v<Value>) {
      // `shift` is 2^p, where p is the number of stored bits of a significand. The low bits of shift + value are the
      // value, rounded to an integer. Negative numbers, numbers of at least 2^p, and NaN change the exponent of this sum.
      constexpr Value shift = Value{1} / std::numeric_limits<Value>::epsilon();
      const Value shifted = value + shift;
      less = bit_cast<Bits>(shifted) - bit_cast<Bits>(shift) - 1;
      rounded_ |= bit_cast<Bits>(shifted - shift) ^ bit_cast<Bits>(value);
    } else {
      less = static_cast<Bits>(value) - 1;
    }
    any_ |= less;
    return less;
  }

  // If all values so far are usual, returns an upper bound of the values that is less than twice the largest value. Returns
  // 0 if any value is not usual.
  TERMSIFT_INLINE std::uint32_t bound(PackedEntry packed) const {
    return rounded_ == 0 && packed.holds_less_one(any_) ? static_cast<std::uint32_t>(any_) + 1 : 0;
  }

 private:
  Bits any_ = 0, rounded_ = 0;
};

template <class Index>
bool within(const Index* indices, std::int64_t n, std::int64_t n_columns) {
  Index any = 0, largest = 0;
  for (std::int64_t e = 0; e < n; ++e) {
    any = any | indices[e];  // a bitwise or is negative if any index is negative
    largest = indices[e] > largest ? indices[e] : largest;
  }
  return any >= 0 && largest < n_columns;
}

template <class Index>
std::int64_t descents(const Index* indices, std::int64_t n) {
  Index count = 0;
  for (std::int64_t e = 0; e < n; ++e) count = count + (indices[e] <= indices[e - 1]);
  return count;
}

// Calls f(first, count) for ranges that cover [0, n). The ranges may overlap. If n >= 16, each range is a whole number of
// vectors. For n = 100, a scalar loop over the last four entries would take as long as all vectors together.
template <class F>
TERMSIFT_INLINE void in_whole_vectors(std::int64_t n, const F& f) {
  if (n < 16) return f(0, n);
  f(0, n & -16);
  f(n - 16, 16);
}

template <class Index, class Value>
std::uint32_t pack_usual(const Index* indices, const Value* data, std::int64_t n, std::int64_t n_columns, bool in_order,
                         bool as_ones, PackedEntry packed, std::uint32_t* out) {
  if (n == 0) return 1;
  const std::uint32_t kept = as_ones ? 0 : ~std::uint32_t{0};  // a mask for the bits of (value - 1)
  UsualValues<Value> usual;
  in_whole_vectors(n, [&](std::int64_t first, std::int64_t count) {
    const Index* const from = indices + first;
    const Value* const values_from = data + first;
    std::uint32_t* const to = out + first;
    for (std::int64_t e = 0; e < count; ++e)
      to[e] = packed.pack_less_one(static_cast<std::uint32_t>(from[e]),
                                   static_cast<std::uint32_t>(usual.less_one(values_from[e])) & kept);
  });
  if (!in_order) return within(indices, n, n_columns) ? usual.bound(packed) : 0;
  Index descending = 0;
  in_whole_vectors(n - 1, [&](std::int64_t first, std::int64_t count) {
    const Index* const from = indices + first;
    for (std::int64_t e = 0; e < count; ++e) descending = descending | (from[e + 1] <= from[e]);
  });
  // If the columns of a row increase, all of them are between its first and its last column.
  const bool sound = indices[0] >= 0 && indices[n - 1] < n_columns && descending == 0;
  return sound ? usual.bound(packed) : 0;
}

template <class Value>
void values(const Value* data, std::int64_t n, PackedEntry packed, CsrScan& facts) {
  UsualValues<Value> usual;
  for (std::int64_t e = 0; e < n; ++e) usual.less_one(data[e]);
  if (const std::uint32_t usual_bound = usual.bound(packed); usual_bound != 0) {
    facts.value_bound = usual_bound > facts.value_bound ? usual_bound : facts.value_bound;
    return;
  }
  bool all_packable;
  if constexpr (std::is_floating_point_v<Value>) {
    // NaN is refused, because comparisons with NaN are false. Adding `shift` rounds a value to an integer (see less_one).
    constexpr Value limit = std::numeric_limits<Value>::max();
    constexpr Value shift = Value{1} / std::numeric_limits<Value>::epsilon();
    using Bits = typename UsualValues<Value>::Bits;
    // Nonnegative floats have the same order as their bits read as integers.
    using Ordered = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;
    Ordered most_bits = 0;
    Bits unsound = 0, zero = 0, fraction = 0;
    for (std::int64_t e = 0; e < n; ++e) {
      const Value value = data[e];
      unsound |= static_cast<Bits>(!((value >= 0) & (value <= limit)));
      zero |= static_cast<Bits>(value == 0);
      fraction |= static_cast<Bits>((value < shift) & ((value + shift) - shift != value));
      const auto bits = bit_cast<Ordered>(value);  // compilers do not vectorise a maximum of floats
      most_bits = bits > most_bits ? bits : most_bits;
    }
    facts.refused |= unsound != 0;
    facts.has_zeros |= zero != 0;
    facts.has_fractions |= fraction != 0;
    const auto largest = bit_cast<Value>(most_bits);
    const auto bound = static_cast<double>(largest);
    facts.value_bound = bound > facts.value_bound ? bound : facts.value_bound;
    all_packable = fraction != 0 || packed.holds(largest);  // if any value is a fraction, no value is packed
  } else {
    using Bits = std::make_unsigned_t<std::conditional_t<std::is_same_v<Value, Bool>, std::uint8_t, Value>>;
    Bits any = 0, zero = 0;
    for (std::int64_t e = 0; e < n; ++e) {
      const auto value = static_cast<Bits>(data[e]);
      any = static_cast<Bits>(any | value);
      zero = static_cast<Bits>(zero | (value == 0));
    }
    // `any` is negative if any value is negative, and at least 2^63 if any value is at least 2^63.
    if constexpr (!std::is_same_v<Value, Bool>)
      facts.refused |=
          static_cast<Value>(any) < 0 || static_cast<std::uint64_t>(any) > std::numeric_limits<std::int64_t>::max();
    facts.has_zeros |= zero != 0;
    const double bound = as_count<double>(static_cast<Value>(any));
    facts.value_bound = bound > facts.value_bound ? bound : facts.value_bound;
    all_packable = packed.holds(static_cast<Value>(any));
  }
  if (!all_packable && !facts.refused)
    for (std::int64_t e = 0; e < n; ++e) facts.n_unpackable += !packed.holds(data[e]);
}

// Adds the entries to their counters. Calls note(cell) for each entry.
template <class Note>
TERMSIFT_INLINE void add_entries(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, PackedCounters counters,
                                 bool bounded, const Note& note) {
  const auto add_each = [&](const auto& add_one) {
    const auto add_entry = [&](std::uint32_t entry) {
      const std::uint32_t cell = packed.cell(entry);
      add_one(cell, packed.value(entry));
      note(cell);
    };
    std::int64_t e = 0;
    for (; e + 4 <= n; e += 4) {  // reads 4 entries first, because the compiler must assume that additions change `entries`
      const std::uint32_t a = entries[e], b = entries[e + 1], c = entries[e + 2], d = entries[e + 3];
      add_entry(a), add_entry(b), add_entry(c), add_entry(d);
    }
    for (; e < n; ++e) add_entry(entries[e]);
  };
  if (bounded) add_each([=](std::uint32_t cell, std::uint32_t value) { counters.add_bounded(cell, value); });
  else add_each([=](std::uint32_t cell, std::uint32_t value) { counters.add(cell, value); });
}

void add(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters, bool bounded) {
  add_entries(entries, n, packed, counters, bounded, [](std::uint32_t) {});
}

void add_and_note(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
                  bool bounded, std::uint8_t* lines) {
  add_entries(entries, n, packed, counters, bounded, [=](std::uint32_t cell) { lines[cell / line_cells] = 1; });
}

// Returns an integer whose bit i is bytes[i], for 64 bytes that are 0 or 1.
TERMSIFT_INLINE std::uint64_t bits_of(const std::uint8_t* bytes) {
#ifdef __AVX512BW__
  const __m512i all = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(all, all);
#else
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) bits |= std::uint64_t{bytes[i]} << i;
  return bits;
#endif
}

// Zero counters are skipped without a branch, because a branch would be unpredictable.
std::int64_t take(std::uint32_t* counters, std::uint8_t* lines, std::int64_t n_lines, std::int32_t first,
                  std::int32_t* terms) {
  std::int64_t n = 0;
  const auto take_line = [&](std::int64_t line) {
    std::uint32_t* const from = counters + line * line_cells;
    const std::int32_t term = first + static_cast<std::int32_t>(line * line_cells);
#ifdef __AVX512F__
    // Whole vectors are stored, because a masked store takes several times as long as a whole one.
    const __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i all = _mm512_loadu_si512(from), all_terms = _mm512_add_epi32(_mm512_set1_epi32(term), numbers);
    const __mmask16 used = _mm512_test_epi32_mask(all, all);
    _mm512_storeu_si512(from, _mm512_setzero_si512());
    _mm512_storeu_si512(counters + n, _mm512_maskz_compress_epi32(used, all));
    _mm512_storeu_si512(terms + n, _mm512_maskz_compress_epi32(used, all_terms));
    n += count_set(used);
#else
    for (int i = 0; i < line_cells; ++i) {
      const std::uint32_t counter = from[i];
      from[i] = 0;
      counters[n] = counter;
      terms[n] = term + i;
      n += counter != 0;
    }
#endif
  };
  if (lines == nullptr) {
    for (std::int64_t line = 0; line < n_lines; ++line) take_line(line);
    return n;
  }
  for (std::int64_t begin = 0; begin < n_lines; begin += 64) {
    std::uint64_t left = bits_of(lines + begin);
    for (int i = 0; i < 64; ++i) lines[begin + i] = 0;
    for (; left != 0; left &= left - 1) take_line(begin + lowest_set(left));
  }
  return n;
}

constexpr CounterKernels counter_kernels{add, add_and_note, take};

template <class Index, class Value>
constexpr RowKernels<Index, Value> row_kernels{pack_usual<Index, Value>, within<Index>, descents<Index>, values<Value>};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

namespace termsift {

const CounterKernels CounterKernels::TERMSIFT_TARGET = simd::TERMSIFT_TARGET::counter_kernels;

template <class Index, class Value>
const RowKernels<Index, Value> RowKernels<Index, Value>::TERMSIFT_TARGET =
    simd::TERMSIFT_TARGET::row_kernels<Index, Value>;

#define TERMSIFT_INSTANTIATE(Index, Value) template const RowKernels<Index, Value> RowKernels<Index, Value>::TERMSIFT_TARGET;
TERMSIFT_FOR_EACH_MATRIX(TERMSIFT_INSTANTIATE)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
