// The loops over entries and counters: plain loops that the compiler vectorises for one SIMD target. As in
// logarithms.hpp, nothing here may use a function of another file unless it is always inlined.
//
// The scans have accumulators as wide as the values that they read, so that they vectorise without AVX too.
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <limits>
#include <type_traits>

#include "counting/entry_kernels.hpp"
#include "termsift/portability.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// The usual values, small whole numbers from 1 on, as integers minus 1. They are as wide as the values, so that both share
// vectors. A value that is too large or too small has high bits.
template <class Value>
class UsualValues {
 public:
  using Bits = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;

  TERMSIFT_INLINE Bits less_one(Value value) {
    Bits less;
    if constexpr (std::is_same_v<Value, Bool>) {
      less = static_cast<Bits>(value != Bool{0}) - 1;
    } else if constexpr (std::is_floating_point_v<Value>) {
      // Where p is the bits of a significand, the low bits of 2^p + value are the value. Adding rounds a fraction away; a
      // negative number, one of 2^p or more and NaN get another exponent.
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

  // Returns a bound of the values so far, at least the largest and less than twice as much, if all fit into packed entries;
  // else 0.
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
    any = any | indices[e];  // negative if an index is
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

// Calls f(first, count) for ranges that cover [0, n). They overlap, so that each is a whole number of vectors unless n is
// below 16: the rest of a row of a hundred entries would take as long as its vectors.
template <class F>
TERMSIFT_INLINE void in_whole_vectors(std::int64_t n, const F& f) {
  if (n < 16) return f(0, n);
  f(0, n & -16);
  f(n - 16, 16);
}

template <class Index, class Value>
std::uint32_t pack_usual(const Index* indices, const Value* data, std::int64_t n, std::int64_t n_columns, bool in_order,
                         PackedEntry packed, std::uint32_t* out) {
  if (n == 0) return 1;
  UsualValues<Value> usual;
  in_whole_vectors(n, [&](std::int64_t first, std::int64_t count) {
    const Index* const from = indices + first;
    const Value* const values_from = data + first;
    std::uint32_t* const to = out + first;
    for (std::int64_t e = 0; e < count; ++e)
      to[e] = packed.pack_less_one(static_cast<std::uint32_t>(from[e]),
                                   static_cast<std::uint32_t>(usual.less_one(values_from[e])));
  });
  if (!in_order) return within(indices, n, n_columns) ? usual.bound(packed) : 0;
  Index descending = 0;
  in_whole_vectors(n - 1, [&](std::int64_t first, std::int64_t count) {
    const Index* const from = indices + first;
    for (std::int64_t e = 0; e < count; ++e) descending = descending | (from[e + 1] <= from[e]);
  });
  // Columns that increase lie between the first and the last.
  const bool sound = indices[0] >= 0 && indices[n - 1] < n_columns && descending == 0;
  return sound ? usual.bound(packed) : 0;
}

template <class Index, class Value>
std::int64_t pack(const Index* indices, const Value* data, std::int64_t n, PackedEntry packed, std::uint32_t* out) {
  std::uint32_t escapes = 0;
  for (std::int64_t e = 0; e < n; ++e) {
    escapes += !packed.holds(data[e]);
    out[e] = packed.pack(static_cast<std::uint32_t>(indices[e]), data[e]);
  }
  return escapes;
}

template <class Value>
bool values(const Value* data, std::int64_t n, PackedEntry packed, EntryFacts& facts) {
  UsualValues<Value> usual;
  for (std::int64_t e = 0; e < n; ++e) usual.less_one(data[e]);
  if (const std::uint32_t usual_bound = usual.bound(packed); usual_bound != 0) {
    facts.value_bound = usual_bound > facts.value_bound ? usual_bound : facts.value_bound;
    return true;
  }
  bool all_packable;
  if constexpr (std::is_floating_point_v<Value>) {
    // Comparisons with NaN are false. Adding 2^p, where p is the bits of a significand, rounds a fraction away.
    constexpr Value limit = std::numeric_limits<Value>::max();
    constexpr Value shift = Value{1} / std::numeric_limits<Value>::epsilon();
    using Bits = typename UsualValues<Value>::Bits;
    // Numbers that are not negative have the order of their bits.
    using Ordered = std::conditional_t<sizeof(Value) == 4, std::int32_t, std::int64_t>;
    Ordered most_bits = 0;
    Bits unsound = 0, zero = 0, fraction = 0;
    for (std::int64_t e = 0; e < n; ++e) {
      const Value value = data[e];
      unsound |= static_cast<Bits>(!((value >= 0) & (value <= limit)));
      zero |= static_cast<Bits>(value == 0);
      fraction |= static_cast<Bits>((value < shift) & ((value + shift) - shift != value));
      const auto bits = bit_cast<Ordered>(value);  // a maximum of floats would not be vectorised
      most_bits = bits > most_bits ? bits : most_bits;
    }
    if (unsound != 0) return false;
    facts.has_zeros |= zero != 0;
    facts.has_fractions |= fraction != 0;
    const auto largest = bit_cast<Value>(most_bits);
    const auto bound = static_cast<double>(largest);
    facts.value_bound = bound > facts.value_bound ? bound : facts.value_bound;
    all_packable = fraction != 0 || packed.holds(largest);  // with fractions, nothing is packed
  } else {
    using Bits = std::make_unsigned_t<std::conditional_t<std::is_same_v<Value, Bool>, std::uint8_t, Value>>;
    Bits any = 0, zero = 0;
    for (std::int64_t e = 0; e < n; ++e) {
      const auto value = static_cast<Bits>(data[e]);
      any = static_cast<Bits>(any | value);
      zero = static_cast<Bits>(zero | (value == 0));
    }
    // `any` is negative if some value is negative, and at least 2^63 if some value is.
    if constexpr (!std::is_same_v<Value, Bool>)
      if (static_cast<Value>(any) < 0 || static_cast<std::uint64_t>(any) > std::numeric_limits<std::int64_t>::max())
        return false;
    facts.has_zeros |= zero != 0;
    const double bound = as_count<double>(static_cast<Value>(any));
    facts.value_bound = bound > facts.value_bound ? bound : facts.value_bound;
    all_packable = packed.holds(static_cast<Value>(any));
  }
  if (!all_packable)
    for (std::int64_t e = 0; e < n; ++e) facts.n_unpackable += !packed.holds(data[e]);
  return true;
}

template <class Index, class Value>
std::int64_t deal(const Index* indices, const Value* data, std::int64_t n, PackedEntry packed, int term_bits,
                  std::uint32_t first_cell, std::uint32_t** next) {
  const std::uint32_t mask = (std::uint32_t{1} << term_bits) - 1;
  std::uint32_t escapes = 0;
  for (std::int64_t e = 0; e < n; ++e) {
    const auto column = static_cast<std::uint32_t>(indices[e]);
    escapes += !packed.holds(data[e]);
    *next[column >> term_bits]++ = packed.pack(first_cell + (column & mask), data[e]);
  }
  return escapes;
}

// Adds the entries, and calls note(cell) for each.
template <class Note>
TERMSIFT_INLINE void add_entries(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, PackedCounters counters,
                                 bool bounded, const Note& note) {
  const auto add_each = [&](const auto& add_one) {
    for (std::int64_t e = 0; e < n; ++e) {
      const std::uint32_t cell = packed.cell(entries[e]);
      add_one(cell, packed.value(entries[e]));
      note(cell);
    }
  };
  if (bounded) add_each([=](std::uint32_t cell, std::uint32_t value) { counters.add_bounded(cell, value); });
  else add_each([=](std::uint32_t cell, std::uint32_t value) { counters.add(cell, value); });
}

void add(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters, bool bounded) {
  add_entries(entries, n, packed, counters, bounded, [](std::uint32_t) {});
}

void add_and_note(const std::uint32_t* entries, std::int64_t n, PackedEntry packed, const PackedCounters& counters,
                  bool bounded, std::uint64_t* seen, std::uint8_t* seen_groups) {
  add_entries(entries, n, packed, counters, bounded, [=](std::uint32_t cell) {
    seen[cell / 64] |= std::uint64_t{1} << cell % 64;
    seen_groups[cell / 4096] = 1;
  });
}

std::int64_t count_bits(const std::uint64_t* words, std::int64_t n_words) {
  std::int64_t n = 0;
  for (std::int64_t w = 0; w < n_words; ++w) n += count_set(words[w]);
  return n;
}

// Returns bits, of which bit i says whether numbers[i] is not zero; n <= 64.
template <class Number>
TERMSIFT_INLINE std::uint64_t nonzero(const Number* numbers, int n = 64) {
  std::uint64_t bits = 0;
  int i = 0;
#ifdef __AVX512F__
  constexpr int lanes = 64 / sizeof(Number);
  for (; i + lanes <= n; i += lanes) {
    const __m512i some = _mm512_loadu_si512(numbers + i);
    if constexpr (sizeof(Number) == 4) bits |= std::uint64_t{_mm512_test_epi32_mask(some, some)} << i;
    else bits |= std::uint64_t{_mm512_test_epi64_mask(some, some)} << i;
  }
#endif
  for (; i < n; ++i) bits |= static_cast<std::uint64_t>(numbers[i] != 0) << i;
  return bits;
}

std::int64_t note(const std::uint32_t* counters, std::int64_t n_words, std::uint64_t* words) {
  for (std::int64_t w = 0; w < n_words; ++w) words[w] = nonzero(counters + 64 * w);
  return count_bits(words, n_words);
}

TERMSIFT_INLINE std::int32_t lowest_bit(std::uint64_t bits) { return lowest_set(bits | std::uint64_t{1} << 63); }

// With many classes, half of the words are zero and most others have one or two bits, in no predictable order. To avoid
// branches on that, the words that are not zero are found first, and bits are read four at a time even if there are fewer
// (as in stage 1 of simdjson).
std::int64_t list(std::uint64_t* words, std::int64_t n_words, std::int32_t first, std::int64_t n, std::int32_t* terms) {
  std::int32_t* at = terms;
  for (std::int64_t begin = 0; begin < n_words; begin += 64) {
    const int n_here = n_words - begin < 64 ? static_cast<int>(n_words - begin) : 64;
    for (std::uint64_t left = nonzero(words + begin, n_here); left != 0; left &= left - 1) {
      const std::int64_t w = begin + lowest_bit(left);
      const std::int32_t base = first + static_cast<std::int32_t>(64 * w);
      std::uint64_t bits = words[w];
      words[w] = 0;
      if (terms + n - at < 64) {
        for (; bits != 0; bits &= bits - 1) *at++ = base + lowest_bit(bits);
        continue;
      }
      std::int32_t* const next = at + count_set(bits);
      do {
        for (int i = 0; i < 4; ++i, bits &= bits - 1) *at++ = base + lowest_bit(bits);
      } while (bits != 0);
      at = next;
    }
  }
  return at - terms;
}

std::int64_t drain(const PackedCounters& counters, std::uint64_t* words, std::int64_t n_words, std::int32_t first,
                   std::int64_t n, std::int32_t* terms, std::uint32_t* tf, std::uint32_t* df) {
  const PackedCounters c = counters;
  const std::int64_t size = list(words, n_words, first, n, terms);
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < size; ++i) any |= tf[i] = c.take_small(terms[i] - first);
  if ((any & PackedCounters::moved) == 0) {
    for (std::int64_t i = 0; i < size; ++i) df[i] = PackedCounters::documents(tf[i]);
    for (std::int64_t i = 0; i < size; ++i) tf[i] = PackedCounters::occurrences(tf[i]);
  } else {
    for (std::int64_t i = 0; i < size; ++i) {
      const std::uint64_t both = c.take_large(terms[i] - first, tf[i]);
      tf[i] = static_cast<std::uint32_t>(both);
      df[i] = static_cast<std::uint32_t>(both >> PackedCounters::large_document_shift);
    }
  }
  return size;
}

constexpr CounterKernels counter_kernels{add, add_and_note, note, count_bits, drain, list};

template <class Index, class Value>
constexpr RowKernels<Index, Value> row_kernels{pack_usual<Index, Value>, pack<Index, Value>, within<Index>,
                                               descents<Index>, values<Value>, deal<Index, Value>};

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
