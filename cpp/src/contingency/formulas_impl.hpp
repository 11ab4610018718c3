// The measures of contingency.hpp. The source file of each SIMD target includes this header (see cells_impl.hpp), and
// contingency_task.cpp includes it for the MeasureFacts. No formula has a branch, so loops over terms vectorise.
#pragma once

#include "contingency/cells_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

using Constants = ContingencyConstants;

// Functions for MeasureFacts::h.
constexpr double row_total(const Constants& c) { return c.r.hi; }
constexpr double scaled_odds(const Constants& c) { return c.g.hi * (c.r.hi / c.rest.hi); }

template <>
struct Formula<ContingencyMeasure::df> {
  static constexpr MeasureFacts facts{.name = "df", .compares_classes = false, .degree = 1};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) { return x.a.hi; }
};

template <>
struct Formula<ContingencyMeasure::tfidf> {
  static constexpr MeasureFacts facts{.name = "tfidf", .cells_are_tokens = true, .compares_classes = false, .degree = 1};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    return x.a.hi * log_ratio(x.g, {larger(x.t.hi, least_probability), x.t.lo}, x.others().hi);
  }
};

template <>
struct Formula<ContingencyMeasure::mi> {
  static constexpr MeasureFacts facts{.name = "mi", .absent = Absent::minus_infinity};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) { return log_ratio(x.P, x.Q, x.det.hi); }
};

template <>
struct Formula<ContingencyMeasure::cet> {
  static constexpr MeasureFacts facts{.name = "cet"};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double value = x.a.hi / x.g.hi * log_ratio(x.P, x.Q, x.det.hi);
    return x.a.hi == 0 ? 0.0 : value;
  }
};

template <>
struct Formula<ContingencyMeasure::ig> {
  static constexpr MeasureFacts facts{.name = "ig", .absent = Absent::product, .h = row_total};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    return (x.class_with() + x.class_without()) / (x.g.hi * x.g.hi);
  }
  static TERMSIFT_INLINE double usual_value(const auto& x, const Constants&) {
    return (x.class_with() + close_term(x.class_without_sum(), negate(x.det))) / (x.g.hi * x.g.hi);
  }
};

// Dunning's log-likelihood ratio for counts of documents or of tokens.
struct LogLikelihoodRatio {
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    return 2.0 * ((x.class_with() + x.rest_with()) + (x.class_without() + x.rest_without())) / x.g.hi;
  }
  static TERMSIFT_INLINE double usual_value(const auto& x, const Constants&) {
    const double without = close_terms(x.rest_without_sum(), x.class_without_sum(), x.det);
    return 2.0 * ((x.class_with() + x.rest_with()) + without) / x.g.hi;
  }
};

template <>
struct Formula<ContingencyMeasure::g2> : LogLikelihoodRatio {
  static constexpr MeasureFacts facts{.name = "g2", .absent = Absent::each, .degree = 1};
};

template <>
struct Formula<ContingencyMeasure::g2_counts> : LogLikelihoodRatio {
  static constexpr MeasureFacts facts{.name = "g2_counts", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .row_totals_are_tokens = true, .absent = Absent::each, .degree = 1};
};

template <>
struct Formula<ContingencyMeasure::chi2> {
  static constexpr MeasureFacts facts{.name = "chi2", .absent = Absent::product, .degree = 1, .h = scaled_odds};
  static TERMSIFT_INLINE double value(const auto& x, const Constants& c) {
    const double others = x.others().hi;  // may be 0 although det is not 0, because fractions were rounded
    const double value = (x.det.hi * c.spread) * (x.det.hi / (x.t.hi * others));
    return x.det.hi == 0 || !(others > 0) || !(x.rest.hi > 0) ? 0.0 : value;
  }
};

template <>
struct Formula<ContingencyMeasure::ngl> {
  static constexpr MeasureFacts facts{.name = "ngl", .absent = Absent::product, .grows_with_r = false, .degree = 0.5,
                                      .h = [](const Constants& c) { return square_root(scaled_odds(c)); }};
  static TERMSIFT_INLINE double value(const auto& x, const Constants& c) {
    const double others = x.others().hi;
    const double value = x.det.hi * square_root(c.spread / (x.t.hi * others));
    return x.det.hi == 0 || !(others > 0) || !(x.rest.hi > 0) ? 0.0 : value;
  }
};

template <>
struct Formula<ContingencyMeasure::chi2_printed> {
  static constexpr MeasureFacts facts{.name = "chi2_printed", .absent = Absent::infinity};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double cells = (x.a.hi * x.B().hi) * (x.C().hi * x.D().hi);
    const double value = cells > 0 ? x.det.hi * x.det.hi / cells : infinity;
    return x.det.hi == 0 ? 0.0 : value;
  }
};

template <>
struct Formula<ContingencyMeasure::gss> {
  static constexpr MeasureFacts facts{.name = "gss", .absent = Absent::product, .grows_with_r = false, .h = row_total};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) { return x.det.hi / (x.g.hi * x.g.hi); }
};

template <>
struct Formula<ContingencyMeasure::odds_ratio> {
  static constexpr MeasureFacts facts{.name = "odds_ratio"};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double AD = x.a.hi * x.D().hi, BC = x.B().hi * x.C().hi;
    const double value = BC > 0 ? AD / BC : infinity;
    return AD == 0 ? 0.0 : value;
  }
};

template <>
struct Formula<ContingencyMeasure::relevancy> {
  static constexpr MeasureFacts facts{.name = "relevancy", .absent = Absent::each, .grows_with_r = false};
  template <Numbers numbers>
  static TERMSIFT_INLINE double value(const Cells<numbers>& x, const Constants&) {
    using Of = Arithmetic<numbers>;
    // (A/r + 1/6) / (B/(g-r) + 1/6) = (6A + r) (g-r) / ((6B + g-r) r). P and Q differ by 6 det.
    const DoubleDouble P = Of::times(Of::weighted_sum(6.0, x.a, x.r), x.rest);
    const DoubleDouble Q = Of::times(Of::weighted_sum(6.0, x.B(), x.rest), x.r);
    const double value = log_ratio(P, Q, 6.0 * x.det.hi);
    return x.rest.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::log_odds> {
  static constexpr MeasureFacts facts{.name = "log_odds", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .row_totals_are_tokens = true, .absent = Absent::each, .grows_with_r = false,
                                      .degree = 0.5, .b2_is_prior_mass = true};
  template <Numbers numbers>
  static TERMSIFT_INLINE double value(const Cells<numbers>& y, const Constants& c) {
    using Of = Arithmetic<numbers>;
    // A term's odds are x / (R - x) in the class and u / (S - u) in the other classes. The sums R - x = C + (b2 - a_i) and
    // S - u = D + (b2 - a_i) lose no digits, because the prior b2 - a_i of all other terms is at least 0.
    const DoubleDouble prior = multiply(y.t, c.prior), rest_of_prior = multiply(y.others(), c.prior);
    const DoubleDouble x = Of::plus(prior, y.a), u = Of::plus(prior, y.B());
    const DoubleDouble R_x = Of::plus(rest_of_prior, y.C()), S_u = Of::plus(rest_of_prior, y.D());
    // The products x (S-u) and u (R-x) are in the range of a double. If there is a prior, contingency_task.cpp requires
    // 2^-450 <= s <= 2^450 for s = b2 / g. For whole numbers up to 2^50, x and u are in [s t, (1 + s) t], and R - x and
    // S - u are in [s (g-t), (1 + s) (g-t)]. Both products are therefore in [2^-900, 2^1002], and differ by a factor of at
    // most 2^902. Fractions are first scaled so that x + u and R - x + S - u are in [1, 2). Without scaling, the products
    // of a rare term could be less than least_probability. Without a prior, products of cells that differ by a factor above
    // 2^450 may underflow, which makes the value wrong or infinite.
    const double near_t = Of::near_one(x.hi + u.hi), near_others = Of::near_one(R_x.hi + S_u.hi);
    const DoubleDouble odds = multiply(scale(x, near_t), scale(S_u, near_others));
    const DoubleDouble other_odds = multiply(scale(u, near_t), scale(R_x, near_others));
    // x (S-u) - u (R-x) = x S - u R = det (1 + 2 b2/g)
    const double log = log_ratio(odds, other_odds, y.det.hi * near_t * near_others * c.gain);
    const double root = square_root(x.hi * (u.hi / (x.hi + u.hi)));
    return root > 0 && y.rest.hi > 0 ? log * root : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::jlh> {
  static constexpr MeasureFacts facts{.name = "jlh"};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double value = (x.det.hi / (x.r.hi * x.t.hi)) * (x.a.hi / x.r.hi);
    return x.det.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::chi2_counts> {
  static constexpr MeasureFacts facts{.name = "chi2_counts", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .absent = Absent::product, .degree = 1, .h = row_total};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double value = (x.det.hi / (x.g.hi * x.r.hi)) * (x.det.hi / x.t.hi);
    return x.det.hi == 0 ? 0.0 : value;
  }
};

template <>
struct Formula<ContingencyMeasure::log_ratio> {
  static constexpr MeasureFacts facts{.name = "log_ratio", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .row_totals_are_tokens = true, .absent = Absent::each,
                                      .reads_b1 = true, .grows_with_r = false, .direction_is_sign = true};
  template <Numbers numbers>
  static TERMSIFT_INLINE double value(const Cells<numbers>& x, const Constants& c) {
    using Of = Arithmetic<numbers>;
    // The term's counts and the classes' totals are scaled to at most 4, so that no smoothing parameter causes an overflow.
    const double near_t = power_near_one(0.5 * (x.t.hi + c.b1)), near_g = power_near_one(0.5 * (x.g.hi + c.b2.hi));
    const DoubleDouble b1{c.b1, 0.0}, b2 = c.b2, B = x.B();
    const DoubleDouble P = multiply(scale(Of::plus(b1, x.a), near_t), scale(Of::plus(b2, x.rest), near_g));
    const DoubleDouble Q = multiply(scale(Of::plus(b1, B), near_t), scale(Of::plus(b2, x.r), near_g));
    // P - Q = det + b2 (a - B) + b1 (rest - r). The product b1 b2, possibly the largest part of P and Q, cancels in P - Q.
    const DoubleDouble of_term = multiply(scale(b2, near_g), scale(subtract(x.a, B), near_t));
    const DoubleDouble of_class = multiply(scale(b1, near_t), scale(subtract(x.rest, x.r), near_g));
    const DoubleDouble difference = add(scale(scale(x.det, near_t), near_g), add(of_term, of_class));
    return binary_log_ratio(P, Q, difference);
  }
};

// BERTopic's class-based tf-idf.
template <bool bm25, bool root>
struct ClassTfidf {
  static constexpr MeasureFacts facts_of(const char* name) {
    return {.name = name, .cells_are_tokens = true, .column_totals_are_tokens = true, .row_totals_are_tokens = true};
  }
  template <Numbers numbers>
  static TERMSIFT_INLINE double value(const Cells<numbers>& x, const Constants& c) {
    using Of = Arithmetic<numbers>;
    // P / Q is (m + 1) / (t + 1/2) with BM25, otherwise (m + t) / t. P and Q are scaled, because c.unit is huge if counts
    // are tiny fractions.
    const DoubleDouble P = bm25 ? two_sum(c.mean_r, c.unit) : Of::plus({c.mean_r, 0.0}, x.t);
    const DoubleDouble Q = bm25 ? Of::plus({0.5 * c.unit, 0.0}, x.t) : x.t;
    const double difference = bm25 ? subtract(two_sum(c.mean_r, 0.5 * c.unit), x.t).hi : c.mean_r;
    const double near = bm25 ? Of::near_one(Q.hi) : 1.0;
    const double idf = log_ratio(scale(P, near), scale(Q, near), difference * near), share = x.a.hi / x.r.hi;
    return x.a.hi == 0 ? 0.0 : (root ? square_root(share) : share) * idf;
  }
};

template <>
struct Formula<ContingencyMeasure::c_tfidf> : ClassTfidf<false, false> {
  static constexpr MeasureFacts facts = facts_of("c_tfidf");
};

template <>
struct Formula<ContingencyMeasure::c_tfidf_sqrt> : ClassTfidf<false, true> {
  static constexpr MeasureFacts facts = facts_of("c_tfidf_sqrt");
};

template <>
struct Formula<ContingencyMeasure::c_tfidf_bm25> : ClassTfidf<true, false> {
  static constexpr MeasureFacts facts = facts_of("c_tfidf_bm25");
};

template <>
struct Formula<ContingencyMeasure::c_tfidf_bm25_sqrt> : ClassTfidf<true, true> {
  static constexpr MeasureFacts facts = facts_of("c_tfidf_bm25_sqrt");
};

// ---- measures of the shares of documents, tpr = A/r and fpr = B/(g-r) ------------------------------------------------
//
// tpr - fpr = det / (r (g-r)), and the sum of the shares C/r + B/(g-r) is 1 - (tpr - fpr), so no measure subtracts shares.
// A class that holds all documents has no fpr, and its values are 0.

constexpr double inverse_of_rest(const Constants& c) { return 1.0 / c.rest.hi; }

TERMSIFT_INLINE double difference_of_shares(const auto& x) { return x.det.hi / (x.r.hi * x.rest.hi); }

template <>
struct Formula<ContingencyMeasure::dfs> {
  static constexpr MeasureFacts facts{.name = "dfs"};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double value = x.a.hi / x.t.hi / (2.0 - difference_of_shares(x));
    return x.rest.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::efs> {
  static constexpr MeasureFacts facts{.name = "efs"};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    // A/t - C/(g-t) = det / (t (g-t)), as tpr - fpr. If all documents have the term, C/(g-t) is 0/0, which is 0.
    const double others = x.others().hi, given = x.a.hi / x.t.hi, difference = x.det.hi / (x.t.hi * others);
    const double dividend = (x.a.hi / x.r.hi) * given;
    const double value = dividend / ((2.0 - difference_of_shares(x)) * (2.0 - (others > 0 ? difference : given)));
    return x.rest.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::gini> {
  static constexpr MeasureFacts facts{.name = "gini"};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double root = (x.a.hi / x.r.hi) * (x.a.hi / x.t.hi);
    return x.rest.hi > 0 ? root * root : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::acc2> {
  static constexpr MeasureFacts facts{.name = "acc2", .absent = Absent::product, .h = inverse_of_rest};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) {
    const double value = magnitude(difference_of_shares(x));
    return x.rest.hi > 0 ? value : 0.0;
  }
};

// The share that stands for a share of 0 in ndm, mmr and wllr. It is less than the share of one document in any collection
// of fewer than 10^10 documents, so every other share is larger.
constexpr double least_share = 1e-10;

// The smaller one of tpr and fpr, times r (g-r). If A or B is 0, it counts as one document, or its share as least_share.
template <bool one_document>
TERMSIFT_INLINE double smaller_share(const auto& x, const Constants& c) {
  const double in_class = x.a.hi * x.rest.hi, in_rest = x.B().hi * x.r.hi;
  const double document = c.unit * (in_class > 0 ? x.r.hi : x.rest.hi), least = least_share * (x.r.hi * x.rest.hi);
  const double share = smaller(in_class, in_rest);
  return share > 0 ? share : one_document ? document : least;
}

template <bool one_document>
struct NormalizedDifference {
  static TERMSIFT_INLINE double value(const auto& x, const Constants& c) {
    const double value = magnitude(x.det.hi) / smaller_share<one_document>(x, c);
    return x.rest.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::ndm> : NormalizedDifference<false> {
  static constexpr MeasureFacts facts{.name = "ndm", .absent = Absent::product, .h = inverse_of_rest};
};

template <>
struct Formula<ContingencyMeasure::ndm_document> : NormalizedDifference<true> {
  static constexpr MeasureFacts facts{.name = "ndm_document", .absent = Absent::product,
                                      .h = [](const Constants& c) { return c.r.hi / c.rest.hi; }};
};

template <bool one_document>
struct MaxMinRatio {
  static TERMSIFT_INLINE double value(const auto& x, const Constants& c) {
    const double larger_share = larger(x.a.hi * x.rest.hi, x.B().hi * x.r.hi);
    const double value = larger_share / smaller_share<one_document>(x, c) * magnitude(difference_of_shares(x));
    return x.rest.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::mmr> : MaxMinRatio<false> {
  static constexpr MeasureFacts facts{.name = "mmr", .absent = Absent::product,
                                      .h = [](const Constants& c) { return 1.0 / c.rest.hi / c.rest.hi; }};
};

template <>
struct Formula<ContingencyMeasure::mmr_document> : MaxMinRatio<true> {
  static constexpr MeasureFacts facts{.name = "mmr_document", .absent = Absent::product,
                                      .h = [](const Constants& c) { return c.r.hi / c.rest.hi / c.rest.hi; }};
};

template <bool one_document>
struct WeightedLogRatio {
  template <Numbers numbers>
  static TERMSIFT_INLINE double value(const Cells<numbers>& x, const Constants& c) {
    using Of = Arithmetic<numbers>;
    // P = A (g-r) and Q = B r, so that P - Q is det. If B is 0, Q and P - Q are those of the share that stands for 0.
    const DoubleDouble B = x.B(), P = Of::times(x.a, x.rest);
    const double stands_for_B = one_document ? c.unit : least_share * x.rest.hi;
    const bool none = B.hi == 0;
    const DoubleDouble other = multiply({stands_for_B, 0.0}, x.r), seen = Of::times(B, x.r);
    const DoubleDouble Q{none ? other.hi : seen.hi, none ? other.lo : seen.lo};
    const double difference = none ? subtract(P, other).hi : x.det.hi;
    // Where documents weigh 2^900, the share of one document would be less than least_probability.
    const double in_range = none ? 0x1p+450 : 1.0;
    const double log = log_ratio(scale(P, in_range), scale(Q, in_range), difference * in_range);
    const double value = x.a.hi / x.r.hi * log;
    return x.a.hi > 0 && x.rest.hi > 0 ? value : 0.0;
  }
};

template <>
struct Formula<ContingencyMeasure::wllr> : WeightedLogRatio<true> {
  static constexpr MeasureFacts facts{.name = "wllr"};
};

template <>
struct Formula<ContingencyMeasure::wllr_epsilon> : WeightedLogRatio<false> {
  static constexpr MeasureFacts facts{.name = "wllr_epsilon"};
};

constexpr double inverse_of_smoothed_total(const Constants& c) {
  const double total = c.r.hi + c.b2.hi;
  return total > 0 ? 1.0 / total : 0.0;
}

template <>
struct Formula<ContingencyMeasure::cmfs> {
  static constexpr MeasureFacts facts{.name = "cmfs", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .row_totals_are_tokens = true, .absent = Absent::product, .grows_with_r = false,
                                      .h = inverse_of_smoothed_total};
  static TERMSIFT_INLINE double value(const auto& x, const Constants& c) {
    const double a = x.a.hi + c.b1;
    const double value = (a / (x.t.hi + c.n_classes * c.b1)) * (a / (x.r.hi + c.b2.hi));
    return a > 0 ? value : 0.0;
  }
};

// Pearson's statistic of the four cells, where each document has the term with the same probability p = 1 - e^-rate of a
// Poisson variable. With delta = t/g - p and A - r p = det/g + r delta, B - (g-r) p = -det/g + (g-r) delta, the statistic is
//     (det^2 / (g r (g-r)) + g delta^2) / (p (1-p)),
// a sum of two parts that are not negative.
template <>
struct Formula<ContingencyMeasure::poisson_deviation> {
  static constexpr MeasureFacts facts{.name = "poisson_deviation", .reads_tokens = true, .absent = Absent::each,
                                      .degree = 1};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&, double tokens) {
    const double rate = tokens / x.g.hi, without = exponential(-rate), bend = bend_of_exponential(rate);
    const bool rare = rate < 1.0;  // then t/g and p are both near the rate, otherwise 1 - t/g and 1 - p are both near 0
    const double with = rare ? rate - bend : 1.0 - without;
    const double delta = rare ? bend - (tokens - x.t.hi) / x.g.hi : without - x.others().hi / x.g.hi;
    const double of_class = (x.det.hi / (x.g.hi * x.r.hi)) * (x.det.hi / x.rest.hi);
    const double of_term = x.g.hi * (delta / with) * (delta / without);  // delta^2 might underflow
    const double value = (of_class > 0 ? of_class / with / without : 0.0) + (delta == 0 ? 0.0 : of_term);
    return x.rest.hi > 0 ? value : 0.0;
  }

 private:
  // Returns e^-x - 1 + x for 0 <= x < 1 from its Taylor series, whose first omitted term is below 2^-55 of the sum.
  static TERMSIFT_INLINE double bend_of_exponential(double x) {
    double sum = 0;
    for (int k = 18; k >= 3; --k) sum = (1.0 - sum) * (x * (1.0 / k));
    return 0.5 * x * x * (1.0 - sum);
  }
};

template <>
struct Formula<ContingencyMeasure::direction> {
  static constexpr MeasureFacts facts{.name = "direction", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .row_totals_are_tokens = true, .compares_classes = false};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) { return sign(x.det.hi); }
};

// ---- bi-normal separation: |F(A/r) - F(B/(g-r))|, F is the normal quantile --------------------------------------------

constexpr double least_rate = 0.0005;  // rates are clipped to [least_rate, 1 - least_rate], as in Forman's paper

// Returns the normal quantile of the rate x / (x + y), clipped to [0.0005, 0.9995], given |x - y| and 2 / (x + y). The
// quantile of a rate p is (2p - 1) G(w) with w = -log(4 p (1-p)). The function G is smooth, so one polynomial covers all
// rates: the Chebyshev interpolant of degree 23 in v = 2w / 6.2154 - 1 (error 2e-17), computed with 60 digits.
TERMSIFT_INLINE double quantile_of_rate(double x, double y, double distance, double two_over_sum) {
  constexpr double clipped_product = 4.0 * least_rate * (1.0 - least_rate);
  const double twice = smaller(x, y) * two_over_sum, other = larger(x, y) * two_over_sum;
  // `away` = |2p - 1| is more accurate as a difference if p is small, and more accurate as a product if p is near 1/2.
  const double away = twice < 0.5 ? 1.0 - larger(twice, 2.0 * least_rate) : 0.5 * distance * two_over_sum;
  const double v = -0.32178138172925314 * natural_logarithm(larger(twice * other, clipped_product)) - 1.0;
  const double v2 = v * v, v4 = v2 * v2, v8 = v4 * v4;
  const double f2 = v2 * (-0.08187938340404688 + -0.031989772716198135 * v);
  const double f4 =
      (0.02478932951610805 + -0.005631676113558025 * v) + v2 * (-0.001805167973201143 + 0.0016923151488971208 * v);
  const double f8 =
      (-0.0003496134814124741 + -0.00016423672505746158 * v) + v2 * (0.0001261038539485202 + -1.8975684809074655e-05 * v);
  const double f12 =
      (-1.5573520568551066e-05 + 9.446368648356979e-06 * v) + v2 * (-7.818016156364461e-07 + -1.4403411183630304e-06 * v);
  const double f16 =
      (7.063603947785799e-07 + -5.048188529734489e-10 * v) + v2 * (-1.3952888597736984e-07 + 4.9305395410121416e-08 * v);
  const double f20 =
      (1.2637977992233532e-08 + -1.1094234777617264e-08 * v) + v2 * (-2.106564825488567e-10 + 1.0172478110343533e-09 * v);
  // The smallest terms of the polynomial are added first, because the last addition has the largest rounding error.
  const double rest = (f2 + v4 * f4) + v8 * ((f8 + v4 * f12) + v8 * (f16 + v4 * f20));
  const double quantile = away * (2.3327424768770726 + (1.0563981333492207 * v + rest));
  return x < y ? -quantile : quantile;
}

// Returns the normal quantile of A/r, the term's rate in the class.
TERMSIFT_INLINE double quantile_in_class(DoubleDouble a, DoubleDouble C, const ContingencyConstants& c) {
  return quantile_of_rate(a.hi, C.hi, magnitude((a.hi - C.hi) + (a.lo - C.lo)), c.two_over_r);
}
// Returns the normal quantile of B/(g-r), the term's rate in the other classes.
TERMSIFT_INLINE double quantile_in_rest(const auto& cells, const ContingencyConstants& c) {
  const DoubleDouble B = cells.B(), D = cells.D();
  return quantile_of_rate(B.hi, D.hi, magnitude((B.hi - D.hi) + (B.lo - D.lo)), c.two_over_rest);
}

// If two quantiles differ by less than 1/8, near_bns computes the difference. Subtracting quantiles has an error of up to
// 2^-50, which is 7e-15 times 1/8.
constexpr double near_quantiles = 0.125;

// Returns a positive number if near_bns must compute the difference of quantiles. Returns 0 if both rates are clipped.
TERMSIFT_INLINE double bns_excess(const auto& cells, const ContingencyConstants& c, double difference) {
  constexpr double clipped = 2.0 * least_rate * (1.0 - 0x1p-49);
  const double twice_in_class = smaller(cells.a.hi, cells.C().hi) * c.two_over_r;
  const double twice_in_rest = smaller(cells.B().hi, cells.D().hi) * c.two_over_rest;
  return larger(twice_in_class, twice_in_rest) > clipped ? near_quantiles - difference : 0.0;
}

// Returns |p - q| of the clipped rates p = A/r and q = B/(g-r), with an error of a few ulp. The distance of a rate
// x/n from the lower bound is (2000 x - n) 0.0005 / n.
TERMSIFT_INLINE double gap_of_rates(const auto& cells, const ContingencyConstants& c) {
  const auto above = [](DoubleDouble x, DoubleDouble n) { return subtract(multiply(x, {1.0 / least_rate, 0.0}), n).hi; };
  const double p_low = above(cells.a, cells.r), p_high = above(cells.C(), cells.r);  // scaled distances of p from the bounds
  const double q_low = above(cells.B(), cells.rest), q_high = above(cells.D(), cells.rest);
  const double in_class = 0.5 * least_rate * c.two_over_r, in_rest = 0.5 * least_rate * c.two_over_rest;
  const double free = 0.25 * magnitude(cells.det.hi) * c.two_over_r * c.two_over_rest;
  const double q_clipped = q_low < 0 ? p_low * in_class : q_high < 0 ? p_high * in_class : free;
  return p_low < 0 ? larger(q_low, 0.0) * in_rest : p_high < 0 ? larger(q_high, 0.0) * in_rest : q_clipped;
}

// Returns the difference of the quantiles of p and q, given gap = |p - q|, the mean z of the quantiles, and an approximation
// d of the result with an error of up to 2^-49. The gap is the integral of the normal density between the quantiles:
//     phi(z) d [1 + sum over k = 1, 2, ... of He_2k(z) d^2k / (4^k (2k+1)!)] with Hermite's polynomials He_2k.
// For |z| <= 3.3 and d <= 1/8 (near_quantiles), the terms of this series from k = 5 on add up to less than 4e-16. Errors of
// z and d add at most 3.3 times the error of z and 1/4 of the error of d to the relative error of the result.
TERMSIFT_INLINE double near_bns(double gap, double z, double d) {
  constexpr double root_of_2_pi = 2.5066282746310002;
  const double x = z * z, y = d * d;
  const double he4 = 3.0 + x * (-6.0 + x), he6 = -15.0 + x * (45.0 + x * (-15.0 + x));
  const double he8 = 105.0 + x * (-420.0 + x * (210.0 + x * (-28.0 + x)));
  const double series = y * ((x - 1.0) / 24 + y * (he4 / 1920 + y * (he6 / 322560 + y * (he8 / 92897280))));
  return gap * root_of_2_pi * exponential(0.5 * x) / (1.0 + series);
}

template <>
struct Formula<ContingencyMeasure::bns> {
  static constexpr MeasureFacts facts{.name = "bns", .absent = Absent::each};

  // The few terms with nearly equal quantiles are copied to packed arrays, and near_bns recomputes the differences.
  template <Numbers numbers>
  static void run(const ContingencyBatch& batch) {
    constexpr bool with_low = numbers == Numbers::any;
    double middle[longest_contingency_batch], excess[longest_contingency_batch];
    run_far<numbers>(batch, middle, excess);
    int near[longest_contingency_batch], n = 0;
    for (int j = 0; j < batch.n; ++j) {
      near[n] = j;
      n += excess[j] > 0;
    }
    if (n == 0) return;
    double a_hi[longest_contingency_batch], a_lo[longest_contingency_batch], t_hi[longest_contingency_batch],
        t_lo[longest_contingency_batch], z[longest_contingency_batch], d[longest_contingency_batch];
    const ContingencyBatch packed{(n + 7) / 8 * 8, nullptr, a_hi, a_lo, t_hi, t_lo, d};
    for (int i = 0; i < packed.n; ++i) {
      const int j = near[i < n ? i : 0];
      a_hi[i] = batch.a_hi[j], t_hi[i] = batch.t_hi[j], z[i] = middle[j], d[i] = batch.values[j];
      if constexpr (with_low) a_lo[i] = batch.a_lo[j], t_lo[i] = batch.t_lo[j];
    }
    const ContingencyConstants c = *batch.constants;
    for (int i = 0; i < packed.n; ++i) d[i] = near_bns(gap_of_rates(Cells<numbers>(packed, i, c), c), z[i], d[i]);
    for (int i = 0; i < n; ++i) batch.values[near[i]] = d[i];
  }

 private:
  // Sets the batch's values to the difference of each term's two quantiles, which is accurate if the quantiles are far
  // apart. Sets middle[j] to the mean of the term's two quantiles, and excess[j] to a positive number if near_bns must
  // compute the difference.
  template <Numbers numbers>
  static void run_far(const ContingencyBatch& batch, double* __restrict middle, double* __restrict excess) {
    const ContingencyConstants c = *batch.constants;
    double* __restrict values = batch.values;
    for (int j = 0; j < batch.n; ++j) {
      const Cells<numbers> cells(batch, j, c);
      const double in_class = quantile_in_class(cells.a, cells.C(), c), in_rest = quantile_in_rest(cells, c);
      const double difference = magnitude(in_class - in_rest), more = bns_excess(cells, c, difference);
      const bool is_zero = (cells.t.hi == 0) | (cells.det.hi == 0) | !(cells.rest.hi > 0);
      values[j] = is_zero ? 0.0 : difference;
      middle[j] = 0.5 * (in_class + in_rest);
      excess[j] = is_zero ? 0.0 : more;
    }
  }
};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET
