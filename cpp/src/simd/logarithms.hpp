// Computes logarithms, exponentials, and the terms p log(p/q) - p + q of a divergence. Kernels use the functions of this
// file instead of the C library. The functions have no branches, so loops that call them vectorise.
//
// Precision: p, q and p - q are given with about 106 bits. Let
//     t(p, q) = p log(p/q) - p + q = q h((p-q)/q),  h(x) = (1+x) log(1+x) - x,  t >= 0,
// so that KL = t(p, q) + t(1-p, 1-q). With s = (p-q)/(p+q), log(p/q) = 2 atanh(s) = 2 (s + s^3 R(s^2)). t has two formulas:
//     if p/q is in [1/2, 2]:  t = (p-q) s [1 + (1+s) s R(s^2)], a product of accurate factors;
//     otherwise:              t = p log(p/q) - (p-q) in double-double, because the difference magnifies rounding errors up
//                             to 10 times.
// The error of t is little more than one rounding with either formula.
#pragma once

#include <limits>

#include "termsift/double_double.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// least_probability replaces smaller divisors and smaller arguments of logarithms. The exponent arithmetic of nearest_power
// needs normal numbers p and q with 2^-1023 < p/q < 2^1023. With divisors of at least 2^-900, p and q may be up to 2^123. A
// limit of 2^123 suffices for probabilities, rates (up to 2^64), and products of two whole counts (up to 2^100) or masses
// (up to 2^106). Smoothed probabilities are never below 2^-450 (class_model.cpp refuses smaller ones). If unsmoothed float
// counts differ by factors of 2^900, the result may become 0 or infinite, but never NaN.
constexpr double least_probability = 0x1p-900;

TERMSIFT_INLINE unsigned long long bits(double x) { return bit_cast<unsigned long long>(x); }
TERMSIFT_INLINE double from_bits(unsigned long long u) { return bit_cast<double>(u); }
TERMSIFT_INLINE double sign(double x) { return (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0); }
TERMSIFT_INLINE double larger(double a, double b) { return a > b ? a : b; }
TERMSIFT_INLINE double smaller(double a, double b) { return a < b ? a : b; }

// log 2 = ln2_hi + ln2_lo. ln2_hi has 42 bits, so its product with an exponent k is exact.
constexpr double ln2_hi = 0x1.62e42fefa3800p-1, ln2_lo = 0x1.ef35793c76730p-45;

// Returns R(z) = (atanh(s)/s - 1)/z for z = s^2 in [0, 1/9], by the Chebyshev interpolant of degree 10 (error 1.2e-18, from
// mpmath.chebyfit at 60 digits). Estrin's scheme keeps the chain of dependent operations short. Horner's scheme would have
// a chain of twenty operations, which would dominate the time.
TERMSIFT_INLINE double atanh_rest(double z) {
  const double z2 = z * z, z4 = z2 * z2;
  const double r0 = 0.3333333333333333 + 0.19999999999999762 * z;
  const double r2 = 0.1428571428580005 + 0.11111111099118386 * z;
  const double r4 = 0.09090909948981357 + 0.07692271982430275 * z;
  const double r6 = 0.06667589315724629 + 0.05867139530651599 * z;
  const double r8 = 0.05422589197440007 + (0.03746071897775383 + 0.07815288900461426 * z) * z;
  return (r0 + r2 * z2) + z4 * ((r4 + r6 * z2) + r8 * z4);
}

// k is an integer near log2(x/y), computed from the exponents and leading bits of the normal numbers x and y. down = 2^-k,
// and x 2^-k is within a factor 1.5 of y.
struct Power {
  double k;
  double down;
};

TERMSIFT_INLINE Power nearest_power(double x, double y) {
  const unsigned long long biased = (bits(x) - bits(y) + (1ull << 51) + (1024ull << 52)) >> 52;  // k + 1024
  return {from_bits(biased | 0x4330000000000000ull) - (0x1p52 + 1024.0), from_bits((2047ull - biased) << 52)};
}

// Returns log(2^k (1+s)/(1-s)) as one double, given z_sR = s^3 R(s^2).
TERMSIFT_INLINE double log_of(double k, double s, double z_sR) { return k * ln2_hi + (2.0 * (s + z_sR) + k * ln2_lo); }

// Returns log(2^k) + r as one double.
TERMSIFT_INLINE double log_of_power_plus(double k, double r) { return k * ln2_hi + (k * ln2_lo + r); }

// Returns a / b for b >= least_probability, with one division and a relative error of about 2^-100.
TERMSIFT_INLINE DoubleDouble quotient(DoubleDouble a, DoubleDouble b) {
  const double inverse = 1.0 / b.hi;
  const double q = a.hi * inverse;
  const DoubleDouble product = two_product(q, b.hi);
  return {q, (((a.hi - product.hi) - product.lo) + (a.lo - q * b.lo)) * inverse};
}

// Returns a * b * (1 + g) with little more than one rounding, for |g| below about 1/4. A relative error e in g causes a
// relative error of only about g e in the result.
TERMSIFT_INLINE double product(DoubleDouble a, DoubleDouble b, double g) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return p.hi + (p.hi * g + (p.lo + (a.hi * b.lo + a.lo * b.hi)));
}

// Returns whether |p - q| is at most a third of p + q, that is, whether p/q is in [1/2, 2], given d = p - q.
TERMSIFT_INLINE bool are_near(double p, double q, double d) { return 3 * magnitude(d) <= p + q; }

// The numbers s and k give log(p/q). If p and q are near (see are_near), log(p/q) = 2 atanh(s) with |s| <= 1/3. If p and q
// are not near, log(p/q) = log(2^k) + 2 atanh(s) with |s| <= 1/5.
template <class Number>
struct RatioOf {
  Number s;
  double k;
};

// Returns s = (p - q) / (p + q) if `near`, otherwise (a - q) / (a + q) with a = 2^-k p, for 0 <= p, q <= 2^123.
TERMSIFT_INLINE RatioOf<DoubleDouble> careful_ratio(DoubleDouble p, DoubleDouble q, DoubleDouble d, bool near) {
  DoubleDouble sum = two_sum(p.hi, q.hi);
  sum.lo += p.lo + q.lo;
  const double p_log = larger(p.hi, least_probability), q_log = larger(q.hi, least_probability);
  const auto [k, down] = nearest_power(p_log, q_log);
  const double a = p_log * down;
  const DoubleDouble numerator{near ? d.hi : (a - q_log) + (p.lo * down - q.lo), near ? d.lo : 0.0};
  const DoubleDouble denominator{near ? larger(sum.hi, least_probability) : a + q_log, near ? sum.lo : 0.0};
  return {quotient(numerator, denominator), k};
}

// Returns the ratio of careful_ratio(), computed in plain doubles.
TERMSIFT_INLINE RatioOf<double> plain_ratio(double p, double q, double d) {
  const bool near = are_near(p, q, d);
  const double p_log = larger(p, least_probability), q_log = larger(q, least_probability);
  const auto [k, down] = nearest_power(p_log, q_log);
  const double a = p_log * down;
  return {(near ? d : a - q_log) / (near ? larger(p + q, least_probability) : a + q_log), k};
}

// Returns t(p, q) = p log(p/q) - p + q, given d = p - q, for 0 <= p, q <= 2^123. 0 log 0 = 0, and t(p > 0, 0) is infinite.
TERMSIFT_INLINE double divergence_term(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
  const bool near = are_near(p.hi, q.hi, d.hi);
  const auto [s_both, k] = careful_ratio(p, q, d, near);
  const double s = s_both.hi;
  const double z = s * s;
  const double R = atanh_rest(z);

  const double t_near = product(d, s_both, (1.0 + s) * s * R);

  DoubleDouble log_ratio = two_sum(k * ln2_hi, 2.0 * s + 2.0 * s * z * R);
  log_ratio.lo += k * ln2_lo;
  const DoubleDouble p_log_ratio = two_product(p.hi, log_ratio.hi);
  const DoubleDouble t = two_sum(p_log_ratio.hi, -d.hi);
  const double t_far = t.hi + (t.lo + p_log_ratio.lo + (p.hi * log_ratio.lo + p.lo * log_ratio.hi - d.lo));

  const double finite = near ? t_near : t_far;
  const double result = q.hi > 0 ? finite : infinity;
  return d.hi == 0 ? 0.0 : result;
}

// Returns t(1-p, 1-q) for p, q <= 2^-6, given d = p - q. For p, q <= 2^-6, |s| = |q-p|/(2-p-q) <= 2^-6.9, so three terms of
// R suffice. The relative error is 2^-52 at p = 2^-6 and q = 0. For larger p or q, the error grows with their 7th power.
TERMSIFT_INLINE double complement_term(double p, double q, double d) {
  const double s = -d / (2.0 - p - q);
  const double z = s * s;
  const double R = 1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7));
  return -d * s * (1.0 + (1.0 + s) * s * R);
}

// Returns t(1-p, 1-q) for p, q <= 2^-6 without a division, with a relative error of 2^-48. An error of 2^-48 is small
// enough, because the result is added to t(p, q), which is at least 2^6 times larger. For larger p and q, the error grows
// with the 8th power of (p+q)/2, for example to 7e-7 at p = 1/3 and q = 0.
TERMSIFT_INLINE double ordinary_complement(double p_plus_q, double d) {
  const double m = 0.5 * p_plus_q, m2 = m * m;
  const double s = -0.5 * d * ((1.0 + m) * (1.0 + m2) * (1.0 + m2 * m2));  // the product approximates 1 / (1 - m)
  const double z = s * s;
  const double R = 1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7));
  return -d * s * (1.0 + (s + z) * R);
}

// The functions ordinary_*() below need d = p - q, p in [0, 2^123], and q in [least_probability, 2^123] with q >= 2^-60 p.
// If with_low is false, the low parts of p, q and d must be 0.
using Ratio = RatioOf<double>;

template <bool with_low = true>
TERMSIFT_INLINE Ratio ordinary_ratio(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
  const bool near = are_near(p.hi, q.hi, d.hi);
  const double p_log = larger(p.hi, least_probability);
  const auto [k, down] = nearest_power(p_log, q.hi);
  const double a = p_log * down;
  const double a_q = with_low ? (a - q.hi) + (p.lo * down - q.lo) : a - q.hi;
  return {(near ? d.hi : a_q) / (near ? p.hi + q.hi : a + q.hi), k};
}

// Returns t(p, q), given sR = s R(s^2).
template <bool with_low = true>
TERMSIFT_INLINE double ordinary_term(DoubleDouble p, DoubleDouble q, DoubleDouble d, Ratio ratio, double sR) {
  const auto [s, k] = ratio;
  // t = d s [1 + (1+s) s R]; d.lo counts twice, because both d and s contain it
  const double rest = d.hi * (sR + s * sR);
  const double t_near = d.hi * s + s * (with_low ? rest + 2.0 * d.lo : rest);

  const double r = 2.0 * s;
  const DoubleDouble log_ratio = quick_two_sum(k * ln2_hi, r + r * (s * sR));
  const DoubleDouble p_log_ratio = two_product(p.hi, log_ratio.hi);
  const double p_log_lo = p.hi * (log_ratio.lo + k * ln2_lo);
  const double t_far = (p_log_ratio.hi - d.hi) +
                       (p_log_ratio.lo + (with_low ? p_log_lo + (p.lo * log_ratio.hi - d.lo) : p_log_lo));
  return are_near(p.hi, q.hi, d.hi) ? t_near : t_far;
}

template <bool with_low = true>
TERMSIFT_INLINE double ordinary_term(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
  const Ratio ratio = ordinary_ratio<with_low>(p, q, d);
  return ordinary_term<with_low>(p, q, d, ratio, ratio.s * atanh_rest(ratio.s * ratio.s));
}

// Returns log(p/q) with an error of about two ulp, given d = p - q. The result is 0 if d = 0, so log(0/0) = 0. The result is
// infinite if only one of p and q is 0. Precondition: p and q are in [0, 2^123], or they are in [least_probability, 2^1002]
// and differ by less than a factor 2^1022.
TERMSIFT_INLINE double log_ratio(DoubleDouble p, DoubleDouble q, double d) {
  const auto [s, k] = plain_ratio(p.hi, q.hi, d);
  const double z_sR = s * (s * s * atanh_rest(s * s));
  const double log = are_near(p.hi, q.hi, d) ? 2.0 * (s + z_sR) : log_of(k, s, z_sR);
  return d == 0 ? 0.0 : q.hi == 0 ? infinity : p.hi == 0 ? -infinity : log;
}

// Returns log2(p/q) with an error of about 1.5 ulp, given d = p - q. The result is exact if p/q is a power of two. In plain
// doubles, the rounding errors of p + q, of s and of the factor 2 / log 2 would add up to 4 ulp.
TERMSIFT_INLINE double binary_log_ratio(DoubleDouble p, DoubleDouble q, DoubleDouble d) {
  constexpr double factor = 0x1.71547652b82fep+1, factor_lo = 0x1.777d0ffda0d24p-55;
  const bool near = 3 * magnitude(d.hi) < p.hi + q.hi;  // p/q = 2 and p/q = 1/2 are not near, so their logarithms are exact
  const auto [s, k] = careful_ratio(p, q, d, near);
  const double z_sR = s.hi * (s.hi * s.hi * atanh_rest(s.hi * s.hi));
  const double log = (near ? 0.0 : k) + (factor * s.hi + (factor_lo * s.hi + factor * (s.lo + z_sR)));
  return d.hi == 0 ? 0.0 : q.hi == 0 ? infinity : p.hi == 0 ? -infinity : log;
}

// Returns R(z) like atanh_rest, but from a polynomial of degree 7 (error 1.4e-17), for z in [0, 0.0404]. If p/q is in
// [2/3, 3/2], then |s| <= 0.2, and z = s^2 is in [0, 0.0404].
TERMSIFT_INLINE double short_atanh_rest(double z) {
  const double z2 = z * z;
  const double r0 = 0.3333333333333333 + 0.20000000000004187 * z;
  const double r2 = 0.14285714283540604 + 0.11111111540325071 * z;
  const double r4 = 0.09090867550691496 + 0.07694484136448797 * z;
  const double r6 = 0.06603870001699784 + 0.06812043634691961 * z;
  return (r0 + r2 * z2) + (z2 * z2) * (r4 + r6 * z2);
}

// Returns t(p, q), given p + q and d = p - q. Precondition: p/q in [2/3, 3/2], that is 5 |p - q| <= p + q, or p = q = 0.
TERMSIFT_INLINE double close_term(double sum, DoubleDouble d) {
  const double s = d.hi / larger(sum, least_probability);
  const double sR = s * short_atanh_rest(s * s);
  return d.hi * s + s * (d.hi * (sR + s * sR) + 2.0 * d.lo);
}

// Returns close_term(sum, d) + close_term(other_sum, -d), with one division. `sum` and `other_sum` must be below 2^500.
TERMSIFT_INLINE double close_terms(double sum, double other_sum, DoubleDouble d) {
  const double quotient = d.hi / larger(sum * other_sum, least_probability);
  const double s = quotient * other_sum, u = quotient * sum;
  const double sR = s * short_atanh_rest(s * s), uR = u * short_atanh_rest(u * u);
  return d.hi * (s + u) + (d.hi * (s * (sR + s * sR) - u * (uR - u * uR)) + 2.0 * d.lo * (s + u));
}

// log(1 + (2i + 1)/64) for i in [0, 32) as double-doubles, computed with mpmath at 60 digits.
constexpr double log_table[32][2] = {
    {0.015504186535965254, -3.278321022892429e-19}, {0.0458095360312942, 1.902959866474257e-18},
    {0.07522342123758753, -5.930604196293241e-18}, {0.10379679368164356, 5.47772415726659e-18},
    {0.13157635778871926, 1.1123000879729588e-17}, {0.15860503017663857, 1.1257003872182592e-17},
    {0.184922338494012, 3.0236614153574064e-18}, {0.21056476910734964, -4.249405314729895e-18},
    {0.2355660713127669, -2.3943371495187355e-18}, {0.25995752443692605, 2.069806938978935e-17},
    {0.2837681731306446, -2.032665581126656e-17}, {0.3070250352949119, -1.2319916200101964e-17},
    {0.329753286372468, 2.122020616196946e-18}, {0.3519764231571782, -1.2953893030191963e-17},
    {0.37371640979358406, 2.1836211281198184e-17}, {0.394993808240869, -1.5113724418336168e-17},
    {0.415827895143711, -2.48753990369597e-17}, {0.43623676677491807, -1.8379648230620457e-18},
    {0.4562374334815876, 2.122222784062318e-17}, {0.4758459048699639, -6.181952722542219e-18},
    {0.4950772667978515, -8.307950959627356e-18}, {0.5139457511022343, 3.397548559332142e-17},
    {0.5324647988694718, -9.149239241180804e-19}, {0.5506471179526623, -2.239429485856908e-17},
    {0.5685047353526688, -5.4267346029482773e-17}, {0.5860490450035782, -3.058363205263577e-17},
    {0.6032908514380843, 9.9400563470175e-18}, {0.6202404097518576, -3.989161064307651e-17},
    {0.6369074622370692, 5.422955873465247e-17}, {0.6533012720127457, -4.306892322029408e-17},
    {0.6694306539426292, 2.823733943928343e-17}, {0.6853040030989194, 4.893484946270261e-17},
};

// Returns log(x.hi + x.lo) = k log 2 + log c + 2 atanh(s), s = (m - c) / (m + c), where x = 2^k m and 1 <= m < 2. log_table
// holds log c for the numbers c = 1 + (2i + 1)/64. The number c that is nearest to m is used, so |s| <= 2^-7. The absolute
// error is at most 2^-68 for x in [2^-900, 2^900].
TERMSIFT_INLINE DoubleDouble logarithm(DoubleDouble x) {
  const unsigned long long u = bits(x.hi);
  const double k = from_bits((u >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
  const double down = from_bits((2046ull << 52) - (u & (2047ull << 52)));  // 2^-k
  const double m = x.hi * down, m_lo = x.lo * down;
  const unsigned long long i = (u >> 47) & 31;
  const double c = from_bits((u & 0x000f800000000000ull) | 0x3ff0400000000000ull);
  DoubleDouble denominator = two_sum(m, c);
  denominator.lo += m_lo;
  const DoubleDouble s = quotient({m - c, m_lo}, denominator);
  const double z = s.hi * s.hi;
  const double R = 1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9)));
  const DoubleDouble whole = two_sum(k * ln2_hi, log_table[i][0]);
  const DoubleDouble sum = two_sum(whole.hi, 2.0 * s.hi);
  return quick_two_sum(sum.hi, sum.lo + (whole.lo + (k * ln2_lo + (log_table[i][1] + (2.0 * s.lo + 2.0 * s.hi * z * R)))));
}

// Returns log(1 + x) for finite x >= 0, with an error of at most 0.65 ulp. For x <= 1, the result is computed as
// 2 atanh(x / (2 + x)). For x < 2^-54, log(1 + x) rounds to x.
TERMSIFT_INLINE double log_plus_one(double x) {
  const DoubleDouble s = quotient({smaller(x, 1.0), 0.0}, two_sum(2.0, smaller(x, 1.0)));
  const double z = s.hi * s.hi;
  const double low = 2.0 * s.hi + (2.0 * s.lo + 2.0 * s.hi * (z * atanh_rest(z)));
  // logarithm() does not accept the largest exponents, so a huge x is scaled by 2^-200.
  const bool huge = x > 0x1p900;
  const DoubleDouble y = logarithm(two_sum(1.0, larger(x, 1.0) * (huge ? 0x1p-200 : 1.0)));
  const DoubleDouble sum = two_sum(huge ? 200 * ln2_hi : 0.0, y.hi);
  const double high = sum.hi + (sum.lo + (y.lo + (huge ? 200 * ln2_lo : 0.0)));
  return x < 0x1p-54 ? x : x <= 1 ? low : high;
}

// Returns log(x) for normal x > 0. The error is at most the larger of 1 ulp and 2^-53.
TERMSIFT_INLINE double natural_logarithm(double x) {
  const auto [k, down] = nearest_power(x, 1.0);
  const double a = x * down;  // in [2/3, 3/2]
  const double s = (a - 1.0) / (a + 1.0);
  const double z = s * s;
  return log_of(k, s, s * (z * short_atanh_rest(z)));
}

// x = k log 2 + r with |r| <= log(2)/2, if x is in [-708, 709].
struct ReducedExponent {
  double r;
  double power;  // 2^k
};

TERMSIFT_INLINE ReducedExponent reduced(double x) {
  constexpr double log2_e = 0x1.71547652b82fep+0, to_integer = 0x1.8p52;
  const double in_range = larger(x, -708.0);
  const double shifted = in_range * log2_e + to_integer;
  const double k = shifted - to_integer;
  return {(in_range - k * ln2_hi) - k * ln2_lo, from_bits((bits(shifted) + 1023) << 52)};
}

// Returns exp(x) for x <= 709, with an error of at most 1 ulp, but 0 for x < -708. The series to r^13 has an error of 2^-57.
TERMSIFT_INLINE double exponential(double x) {
  const auto [r, power] = reduced(x);
  const double r2 = r * r, r4 = r2 * r2;
  const double high = (1.0 / 40320 + 1.0 / 362880 * r) + r2 * (1.0 / 3628800 + 1.0 / 39916800 * r) +
                      r4 * (1.0 / 479001600 + 1.0 / 6227020800 * r);
  const double middle = (1.0 / 24 + 1.0 / 120 * r) + r2 * (1.0 / 720 + 1.0 / 5040 * r);
  const double series = r2 * (0.5 + 1.0 / 6 * r) + r4 * (middle + r4 * high);
  return x < -708.0 ? 0.0 : power + power * (r + series);
}

// Returns exp(x) for x <= 0, with a relative error of at most 2^-46, but 0 for x < -708. Rounding the result to single
// precision gives a wrong last bit only once in millions of calls. The series to r^11 has an error of 2^-47.
TERMSIFT_INLINE double short_exponential(double x) {
  const auto [r, power] = reduced(x);
  const double r2 = r * r, r4 = r2 * r2;
  const double high = (1.0 / 40320 + 1.0 / 362880 * r) + r2 * (1.0 / 3628800 + 1.0 / 39916800 * r);
  const double middle = (1.0 / 24 + 1.0 / 120 * r) + r2 * (1.0 / 720 + 1.0 / 5040 * r);
  const double series = (1.0 + r) + r2 * (0.5 + 1.0 / 6 * r) + r4 * (middle + r4 * high);
  return x < -708.0 ? 0.0 : power * series;
}

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET
