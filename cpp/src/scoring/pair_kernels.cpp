#include "scoring/pair_model.hpp"

#include "scoring/ordinary_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// The terms of a class are scattered in memory, so the sums of a term are prefetched pairs_ahead pairs in advance.
constexpr int pairs_ahead = 32;

// Sets l[j] to the count l_ic of pair begin + j, for j < n.
TERMSIFT_INLINE void load_counts(const ClassPairs& pairs, std::int64_t begin, int n, double* __restrict l) {
  if (pairs.narrow_l != nullptr)
    for (int j = 0; j < n; ++j) l[j] = as_double(pairs.narrow_l[begin + j]);
  else
    for (int j = 0; j < n; ++j) l[j] = pairs.l[begin + j];
}

TERMSIFT_INLINE int size_of_block(const ClassPairs& pairs, std::int64_t begin) {
  return static_cast<int>(pairs.n - begin < block_terms ? pairs.n - begin : block_terms);
}

// ---- first pass: U, P and A ----------------------------------------------------------------------------------------------

// Computes what a class adds to U, P and A (pair_model.hpp) for n counts l, given log(l + b1). n is a multiple of 8, at most
// block_terms.
void class_parts(const PairConstants& class_, const double* __restrict l, const double* __restrict log_hi,
                 const double* __restrict log_lo, int n, TermSums* parts) {
  const PairConstants c = class_;
  double hi[3][block_terms], lo[3][block_terms];
  for (int j = 0; j < n; ++j) {
    const DoubleDouble U = two_product(l[j], c.w.hi);
    const DoubleDouble P = two_product(l[j], c.P.hi);
    const double P_lo = P.lo + l[j] * c.P.lo;
    const DoubleDouble p_sum = two_sum(c.absent_P.hi, P.hi);
    const DoubleDouble p = quick_two_sum(p_sum.hi, p_sum.lo + (P_lo + c.absent_P.lo));
    const DoubleDouble log_x{log_hi[j], log_lo[j]};
    const DoubleDouble A =
        subtract(subtract(multiply(p, add(log_x, c.kappa)), c.absent_A), multiply({l[j], 0.0}, c.linear));
    hi[0][j] = U.hi, lo[0][j] = U.lo + l[j] * c.w.lo;
    hi[1][j] = P.hi, lo[1][j] = P_lo;
    hi[2][j] = A.hi, lo[2][j] = A.lo;
  }
  for (int j = 0; j < n; ++j) parts[j] = {{hi[0][j], hi[1][j], hi[2][j], 1}, {lo[0][j], lo[1][j], lo[2][j], 0}};
}

// add_part() uses explicit vectors, because scalar code takes three times as long and compilers do not vectorise it.
using Four = Lanes<double, 4>;

TERMSIFT_INLINE void add_part(TermSums& sums, const TermSums& part) {
  Four a, b, sums_lo, part_lo;
  load(sums.hi, a);
  load(part.hi, b);
  load(sums.lo, sums_lo);
  load(part.lo, part_lo);
  const Four s = a + b, bb = s - a;  // two_sum
  const Four lo = sums_lo + (((a - (s - bb)) + (b - bb)) + part_lo);
  store(s, sums.hi);
  store(lo, sums.lo);
}

// Adds only to the sum U, because sums of whole values do not use P and A.
void mix_totals(const ClassPairs& pairs) {
  const double w_hi = pairs.constants->w.hi, w_lo = pairs.constants->w.lo;
  double l[block_terms];
  for (std::int64_t begin = 0; begin < pairs.n; begin += block_terms) {
    const int n = size_of_block(pairs, begin);
    load_counts(pairs, begin, n, l);
    for (int j = 0; j < n; ++j) {
      const std::int64_t ahead = begin + j + pairs_ahead;
      if (ahead < pairs.n) prefetch(&pairs.sums[pairs.terms[ahead] - pairs.first]);
      TermSums& sums = pairs.sums[pairs.terms[begin + j] - pairs.first];
      const DoubleDouble part = two_product(l[j], w_hi);
      const DoubleDouble sum = two_sum(sums.hi[TermSums::U], part.hi);
      sums.hi[TermSums::U] = sum.hi;
      sums.lo[TermSums::U] += sum.lo + (part.lo + l[j] * w_lo);
    }
  }
}

// parts[l] is what a pair with the count l adds to a term's sums. Most counts are small integers, so `parts` is computed
// once for the integers below n_parts. Other pairs are collected, and what they add is computed block by block.
struct OtherPairs {
  int n = 0;
  double l[2 * block_terms];
  TermId terms[2 * block_terms];
};

// Adds the collected pairs to the sums.
void add_others(const ClassPairs& pairs, OtherPairs& others) {
  TermSums parts[block_terms];
  double l[block_terms], log_hi[block_terms], log_lo[block_terms];
  for (int begin = 0; begin < others.n; begin += block_terms) {
    const int n = others.n - begin < block_terms ? others.n - begin : block_terms;
    const int lanes = (n + 7) / 8 * 8;
    for (int j = 0; j < lanes; ++j) l[j] = others.l[begin + (j < n ? j : 0)];
    for (int j = 0; j < lanes; ++j) {
      const DoubleDouble log_x = logarithm(two_sum(l[j], pairs.constants->b1));
      log_hi[j] = log_x.hi, log_lo[j] = log_x.lo;
    }
    class_parts(*pairs.constants, l, log_hi, log_lo, lanes, parts);
    for (int j = 0; j < n; ++j) add_part(pairs.sums[others.terms[begin + j] - pairs.first], parts[j]);
  }
  others.n = 0;
}

// Adds parts[l] to the sums of each pair with a whole count l < n_parts. A call in the loop over a block would make the
// compiler keep the loop's variables in memory, so other pairs are only collected there.
template <class Number>
void add_parts(const ClassPairs& pairs, const Number* counts, const TermSums* parts, int n_parts) {
  TermSums* const sums = pairs.sums;
  const std::int64_t first = pairs.first;
  const auto limit = static_cast<Number>(n_parts);
  OtherPairs others;
  for (std::int64_t begin = 0; begin < pairs.n; begin += block_terms) {
    const int n = size_of_block(pairs, begin);
    const Number* const l = counts + begin;
    const TermId* const terms = pairs.terms + begin;
    const std::int64_t n_prefetched = pairs.n - pairs_ahead - begin;
    int n_others = others.n;
    for (int j = 0; j < n; ++j) {
      if (j < n_prefetched) prefetch(&sums[terms[j + pairs_ahead] - first]);
      const int whole = l[j] < limit ? static_cast<int>(l[j]) : n_parts;
      if (whole < n_parts && static_cast<Number>(whole) == l[j]) {
        add_part(sums[terms[j] - first], parts[whole]);
      } else {
        others.l[n_others] = static_cast<double>(l[j]);
        others.terms[n_others++] = terms[j];
      }
    }
    others.n = n_others;
    if (others.n >= block_terms) add_others(pairs, others);
  }
  add_others(pairs, others);
}

void mix(const ClassPairs& pairs) {
  if (pairs.sum == PairSum::whole) return mix_totals(pairs);
  constexpr int most_parts = PairTotals::n_logs;
  const PairTotals& totals = pairs.model->totals;
  TermSums parts[most_parts];
  double l[block_terms];
  const auto n_parts = static_cast<int>(pairs.n / 8 < 8 ? 8 : pairs.n / 8 > most_parts ? most_parts : pairs.n / 64 * 8);
  for (int begin = 0; begin < n_parts; begin += block_terms) {
    const int n = n_parts - begin < block_terms ? n_parts - begin : block_terms;
    for (int j = 0; j < n; ++j) l[j] = begin + j;
    class_parts(*pairs.constants, l, totals.log_x_hi + begin, totals.log_x_lo + begin, n, parts + begin);
  }
  if (pairs.narrow_l != nullptr) add_parts(pairs, pairs.narrow_l, parts, n_parts);
  else add_parts(pairs, pairs.l, parts, n_parts);
}

// ---- second pass: V ------------------------------------------------------------------------------------------------------

// A value with the precision of a double. The value is unreliable if its margin is not positive.
struct Coupling {
  double value;
  double margin;
};

// Computes what a class without the term contributes to V: -p log(1 - w x / T) + t(1-p, 1-q), or only -p log(1 - w x / T)
// for rates. T = T_0 + U. The series are accurate for p, q <= 2^-6 and s <= 0.2.
template <Variable variable>
TERMSIFT_INLINE Coupling absent_coupling(const PairConstants& c, double U, double T) {
  const double Y = c.T_0_rest.hi + U;  // T - w x
  const double s = c.absent_w / (T + Y);
  const double z = s * s;
  const double logarithm_part = 2.0 * c.absent_p * (s + s * (z * short_atanh_rest(z)));
  if constexpr (!has_complement(variable)) return {logarithm_part, 0.2 - s};
  const double q = c.r * Y;
  return {logarithm_part + ordinary_complement(c.absent_p + q, c.absent_p - q),
          smaller(ordinary_p - larger(c.absent_p, q), 0.2 - s)};
}

// Computes what a class with l occurrences of the term contributes to V. The series are accurate for p, q <= 2^-6. Only p is
// checked, because q is a mixture of the p of other classes, and coupling() or absent_coupling() checks every p. V may be as
// large as the score, so log(T / Y) needs all digits of a double. If T and Y were rounded to doubles, the logarithm of a
// ratio near 1.5 would lose three bits, and the score would have an error of up to 7 ulp.
template <Variable variable>
TERMSIFT_INLINE Coupling coupling(const PairConstants& c, double l, DoubleDouble U, DoubleDouble T, double lost) {
  const DoubleDouble wl = two_product(l, c.w.hi);
  const DoubleDouble rest = two_sum(U.hi, -wl.hi);  // may be 0, and then its low part is all of it
  const DoubleDouble other_U = quick_two_sum(rest.hi, rest.lo + (U.lo - (wl.lo + l * c.w.lo)));
  const DoubleDouble sum = two_sum(c.T_0_rest.hi, other_U.hi);
  const double Y = sum.hi, Y_lo = sum.lo + (c.T_0_rest.lo + other_U.lo);  // T - w x
  const auto [k, down] = nearest_power(T.hi, Y);
  const double a = T.hi * down;
  const double x = l + c.b1;
  const double difference = k == 0 ? c.w.hi * x : (a - Y) + (T.lo * down - Y_lo);  // for k = 0, T - Y is computed as w x
  const double s = difference / (a + Y);
  const double z = s * s;
  const double log_ratio = log_of_power_plus(k, 2.0 * s + 2.0 * s * (z * short_atanh_rest(z)));
  const double p = c.inverse * x, q = c.r * Y;
  if constexpr (!has_complement(variable)) return {p * log_ratio, Y - lost * T.hi};
  return {p * log_ratio + ordinary_complement(p + q, p - q), smaller(ordinary_p - p, Y - lost * T.hi)};
}

// Computes the measure's value for a class with l occurrences of the term, given the mixture T.
template <Measure measure, Variable variable>
TERMSIFT_INLINE Coupling whole_value(const ClassConstants& c, double l, DoubleDouble T, double lost) {
  const DoubleDouble x = two_sum(l * c.scale, c.absent_x);
  const Value v = ordinary_value<measure, variable>(probability(x, c), T, c.rest_inverse, lost);
  return {v.value, v.margin};
}

TERMSIFT_INLINE DoubleDouble whole_T(DoubleDouble T_0, double U_hi, double U_lo) {
  const DoubleDouble T = two_sum(T_0.hi, U_hi);
  return quick_two_sum(T.hi, T.lo + (T_0.lo + U_lo));
}

// Calls f.operator()<measure, variable, sum>().
template <class Arguments, class F>
TERMSIFT_INLINE void with_sum(const Arguments& arguments, const F& f) {
  with_measure(arguments.model->measure, arguments.model->variable, [&]<Measure measure, Variable variable>() {
    if constexpr (measure == Measure::kl && variable != Variable::probability)
      if (arguments.sum == PairSum::split) return f.template operator()<measure, variable, PairSum::split>();
    f.template operator()<measure, variable, PairSum::whole>();
  });
}

// Adds on_grid and rest of one pair to V in one instruction. two_sum would need sixteen instructions, with loads and stores.
TERMSIFT_INLINE void add_on_grid(TermValue& value, double on_grid, double rest) {
  using Two = Lanes<double, 2>;
  Two V;
  load(&value.V_hi, V);
  V += Two{on_grid, rest};
  store(V, &value.V_hi);
}

// The comment at Divergents (ordinary_impl.hpp) explains why score() has several short loops.
template <Measure measure, Variable variable, PairSum sum_of>
void score(const ClassPairs& pairs) {
  double U_hi[block_terms], U_lo[block_terms], l[block_terms], hi[block_terms], lo[block_terms], margin[block_terms];
  const PairConstants& c = *pairs.constants;
  const ClassConstants base = *c.base;
  const double lost = pairs.model->lost;
  const DoubleDouble T_0 = pairs.model->totals.T_0;
  TermValue* const values = pairs.values;
  const std::int64_t first = pairs.first;
  for (std::int64_t begin = 0; begin < pairs.n; begin += block_terms) {
    const int n = size_of_block(pairs, begin);
    const int lanes = (n + 7) / 8 * 8;
    const TermId* const terms = pairs.terms + begin;
    const std::int64_t n_prefetched = pairs.n - pairs_ahead - begin;
    load_counts(pairs, begin, n, l);
    for (int j = 0; j < n; ++j) {
      const TermValue& value = values[terms[j] - first];
      if (j < n_prefetched) prefetch(&values[terms[j + pairs_ahead] - first]);
      U_hi[j] = value.U_hi, U_lo[j] = value.U_lo;
    }
    for (int j = n; j < lanes; ++j)  // unused lanes repeat the first pair
      U_hi[j] = U_hi[0], U_lo[j] = U_lo[0], l[j] = l[0];
    if constexpr (sum_of == PairSum::split) {
      for (int j = 0; j < lanes; ++j) {
        const DoubleDouble T = two_sum(T_0.hi, U_hi[j]);
        const Coupling present =
            coupling<variable>(c, l[j], {U_hi[j], U_lo[j]}, {T.hi, T.lo + (T_0.lo + U_lo[j])}, lost);
        hi[j] = present.value, margin[j] = present.margin;
      }
      for (int j = 0; j < lanes; ++j) {
        const Coupling absent = absent_coupling<variable>(c, U_hi[j], T_0.hi + U_hi[j]);
        hi[j] = c.omega.hi * (hi[j] - absent.value), lo[j] = 0;
        margin[j] = smaller(margin[j], absent.margin);
      }
    } else {
      for (int j = 0; j < lanes; ++j) {
        const DoubleDouble T = whole_T(T_0, U_hi[j], U_lo[j]);
        const Coupling present = whole_value<measure, variable>(base, l[j], T, lost);
        const Coupling absent = whole_value<measure, variable>(base, 0.0, T, lost);
        const DoubleDouble gain = subtract(multiply(c.omega, {present.value, 0.0}), multiply(c.omega, {absent.value, 0.0}));
        hi[j] = gain.hi, lo[j] = gain.lo;
        margin[j] = smaller(present.margin, absent.margin);
      }
    }
    long long some_doubtful = 0;
    for (int j = 0; j < lanes; ++j) some_doubtful |= margin[j] > 0 ? 0 : 1;
    if constexpr (sum_of == PairSum::split && has_complement(variable)) {
      // The comment at PairTotals::most_V explains why the sums of on_grid are exact.
      const double to_grid = 0.75 * pairs.model->totals.most_V;
      for (int j = 0; j < lanes; ++j) {
        const double on_grid = (hi[j] + to_grid) - to_grid;
        lo[j] = hi[j] - on_grid, hi[j] = on_grid;
      }
      for (int j = 0; j < n; ++j) add_on_grid(values[terms[j] - first], hi[j], lo[j]);
    } else {
      for (int j = 0; j < n; ++j) {
        TermValue& value = values[terms[j] - first];
        const DoubleDouble sum = two_sum(value.V_hi, hi[j]);
        value.V_hi = sum.hi;
        value.V_lo += sum.lo + lo[j];
      }
    }
    if (some_doubtful != 0)
      for (int j = 0; j < n; ++j)
        if (!(margin[j] > 0)) pairs.doubtful[terms[j] - first] = 1;
  }
}

// A summand of the V of all absent classes, with the margin of a Coupling.
struct AbsentPart {
  DoubleDouble value;
  double margin;
};

// Computes omega_c times the value of absent_coupling(), with an error that is small in a score even if V is three times the
// score. Only the first term of the logarithm is a double-double. The others are at most 1.4% of it, because s <= 0.2. The
// class's t(1-p, 1-q) is a double too, but it is at most 2^-6 of what the class adds to the score.
template <Variable variable>
TERMSIFT_INLINE AbsentPart exact_absent_part(const PairConstants& c, DoubleDouble U, DoubleDouble T) {
  const DoubleDouble Y = add(c.T_0_rest, U);  // T - w x
  const DoubleDouble s = quotient(multiply(c.w, {c.b1, 0.0}), add(T, Y)), first = multiply(c.absent_P, s);
  const double z = s.hi * s.hi;
  double rest = 2.0 * c.absent_p * (s.hi * (z * short_atanh_rest(z))), margin = 0.2 - s.hi;
  if constexpr (has_complement(variable)) {
    const double q = c.r * Y.hi;
    rest += ordinary_complement(c.absent_p + q, c.absent_p - q);
    margin = smaller(ordinary_p - larger(c.absent_p, q), margin);
  }
  const DoubleDouble sum = two_sum(2.0 * first.hi, c.omega.hi * rest);
  return {{sum.hi, sum.lo + 2.0 * first.lo}, margin};
}

// Computes omega_c times the measure's value for a class without the term.
template <Measure measure, Variable variable>
TERMSIFT_INLINE AbsentPart whole_absent_part(const PairConstants& c, DoubleDouble T, double lost) {
  const Coupling v = whole_value<measure, variable>(*c.base, 0.0, T, lost);
  return {multiply(c.omega, {v.value, 0.0}), v.margin};
}

template <Measure measure, Variable variable, PairSum sum_of>
void score_absent(const AbsentBlock& block) {
  double hi[block_terms], lo[block_terms], margin[block_terms], T_hi[block_terms], T_lo[block_terms];
  const DoubleDouble T_0 = block.model->totals.T_0;
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble T = whole_T(T_0, block.U_hi[j], block.U_lo[j]);
    T_hi[j] = T.hi, T_lo[j] = T.lo;
    hi[j] = lo[j] = 0, margin[j] = infinity;
  }
  const double lost = block.model->lost;
  for (int k = 0; k < block.n_classes; ++k) {
    const PairConstants c = block.constants[k];
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble T{T_hi[j], T_lo[j]};
      AbsentPart part;
      if constexpr (sum_of == PairSum::split) part = exact_absent_part<variable>(c, {block.U_hi[j], block.U_lo[j]}, T);
      else part = whole_absent_part<measure, variable>(c, T, lost);
      const DoubleDouble sum = two_sum(hi[j], part.value.hi);
      hi[j] = sum.hi;
      lo[j] += sum.lo + part.value.lo;
      margin[j] = smaller(margin[j], part.margin);
    }
  }
  for (int j = 0; j < block.n; ++j) {
    block.V_hi[j] = hi[j], block.V_lo[j] = lo[j];
    block.doubtful[j] = margin[j] > 0 ? 0 : 1;
  }
}

void score(const ClassPairs& pairs) {
  with_sum(pairs, [&]<Measure measure, Variable variable, PairSum sum>() { score<measure, variable, sum>(pairs); });
}

void score_absent(const AbsentBlock& block) {
  with_sum(block, [&]<Measure measure, Variable variable, PairSum sum>() { score_absent<measure, variable, sum>(block); });
}

// ---- scores from the sums ------------------------------------------------------------------------------------------------

// Computes the V of each term as if no class had the term. AbsentPiece explains the polynomials.
void interpolate(const SummedBlock& block, double* __restrict V_hi, double* __restrict V_lo) {
  double center[block_terms], middle_hi[block_terms], middle_lo[block_terms], t[block_terms];
  double sums[block_terms][4];  // every fourth coefficient belongs to the same sum, a polynomial in t^4
  for (int j = 0; j < block.n; ++j) {
    const AbsentPiece& piece = *block.absent[j];
    center[j] = piece.center, middle_hi[j] = piece.middle.hi, middle_lo[j] = piece.middle.lo;
  }
  for (int j = 0; j < block.n; ++j) {
    const TermValue& value = block.values[j];
    t[j] = ((value.U_hi - center[j]) + value.U_lo) / (value.U_hi + center[j]);
  }
  for (int j = 0; j < block.n; ++j) {
    const double* const slope = block.absent[j]->slope;
    const double t2 = t[j] * t[j], t4 = t2 * t2;
    Four sum, next;
    load(slope + AbsentPiece::n_slopes - 4, sum);
    for (int m = AbsentPiece::n_slopes - 8; m >= 0; m -= 4) {
      load(slope + m, next);
      sum = next + t4 * sum;
    }
    store(sum, sums[j]);
  }
  for (int j = 0; j < block.n; ++j) {
    const double slope = (sums[j][0] + t[j] * sums[j][1]) + t[j] * t[j] * (sums[j][2] + t[j] * sums[j][3]);
    const DoubleDouble V = quick_two_sum(middle_hi[j], middle_lo[j] + t[j] * slope);
    V_hi[j] = V.hi, V_lo[j] = V.lo;
  }
}

void finish(const SummedBlock& block) {
  const TermSums* const sums = block.sums;
  const TermValue* const values = block.values;
  double absent_hi[block_terms], absent_lo[block_terms];
  interpolate(block, absent_hi, absent_lo);
  if (block.sum == PairSum::whole) {
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble sum = two_sum(absent_hi[j], values[j].V_hi);
      block.scores[j] = sum.hi + (sum.lo + (absent_lo[j] + values[j].V_lo));
      // A score below absent_hi may have an error of more than 4 ulp, because it contains the rounding errors of absent_hi.
      block.doubtful[j] = block.scores[j] >= absent_hi[j] ? 0 : 1;
    }
    return;
  }
  const double most_V_of_score = block.model->most_V_of_score, absent_share = block.model->absent_share;
  double U_hi[block_terms], U_lo[block_terms], P_hi[block_terms], P_lo[block_terms], A_hi[block_terms], A_lo[block_terms],
      V[block_terms], errors_of_V[block_terms], n_pairs[block_terms], margin[block_terms];
  for (int j = 0; j < block.n; ++j) {
    n_pairs[j] = sums[j].hi[TermSums::n_pairs];
    U_hi[j] = values[j].U_hi, U_lo[j] = values[j].U_lo;
    P_hi[j] = sums[j].hi[TermSums::P], P_lo[j] = sums[j].lo[TermSums::P];
    A_hi[j] = sums[j].hi[TermSums::A], A_lo[j] = sums[j].lo[TermSums::A];
    V[j] = absent_hi[j] + (values[j].V_hi + (values[j].V_lo + absent_lo[j]));
    errors_of_V[j] = absent_share * absent_hi[j] + magnitude(values[j].V_hi + values[j].V_lo);
  }
  const PairTotals& totals = block.model->totals;
  const DoubleDouble T_0 = totals.T_0, P_0 = totals.P_0, A_0 = totals.A_0, R = totals.R;
  for (int j = 0; j < block.n; ++j) {
    const DoubleDouble T = add(T_0, {U_hi[j], U_lo[j]});
    const DoubleDouble P = add(P_0, quick_two_sum(P_hi[j], P_lo[j]));
    const DoubleDouble A = add(A_0, quick_two_sum(A_hi[j], A_lo[j]));
    const DoubleDouble rest = add(subtract(A, multiply(P, logarithm(T))), multiply(R, T));
    const double score = rest.hi + (rest.lo + V[j]);
    block.scores[j] = score;
    // The comment at most_V_of_score explains how large the parts of V may be. The errors of adding up V and of `rest` must
    // be far smaller than the rounding error of the score.
    const double V_sum = n_pairs[j] * n_pairs[j] * (0x1p-50 * totals.most_V);
    margin[j] = smaller(smaller(score - V_sum, most_V_of_score * score - errors_of_V[j]),
                        score - 0x1p-12 * (P.hi + R.hi * T.hi));
  }
  for (int j = 0; j < block.n; ++j) block.doubtful[j] = margin[j] >= 0 ? 0 : 1;
}

// ---- values of one class -------------------------------------------------------------------------------------------------

void values(const ClassValues& block) {
  const ClassConstants c = *block.constants->base;
  const DoubleDouble T_0 = block.model->totals.T_0;
  const double lost = block.model->lost;
  const double *l = block.l, *U_hi = block.U_hi, *U_lo = block.U_lo;
  double value[block_terms], margin[block_terms];
  with_measure(block.measure, block.model->variable, [&]<Measure measure, Variable variable>() {
    for (int j = 0; j < block.n; ++j) {
      const DoubleDouble x = two_sum(l[j] * c.scale, c.absent_x), T = whole_T(T_0, U_hi[j], U_lo[j]);
      const Value v = ordinary_value<measure, variable>(probability(x, c), T, c.rest_inverse, lost);
      value[j] = v.value;
      margin[j] = smaller(v.margin, v.difference_margin);
      // ordinary_value() checks only p, but the series also needs q <= ordinary_p. An upper limit of q is T / (1 - pi_c).
      if constexpr (variable == Variable::small_probability)
        margin[j] = smaller(margin[j], ordinary_p - T.hi * c.rest_inverse.hi);
    }
  });
  for (int j = 0; j < block.n; ++j) block.values[j] = value[j];
  for (int j = 0; j < block.n; ++j) block.doubtful[j] = margin[j] > 0 ? 0 : 1;
}

constexpr PairKernels kernels{mix, score, score_absent, finish, values};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::PairKernels termsift::PairKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
