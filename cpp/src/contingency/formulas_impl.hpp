// The measures of contingency.hpp. The source file of each SIMD target includes this header (see cells_impl.hpp), and
// contingency_model.cpp includes it for the MeasureFacts. No formula has a branch, so that loops over terms vectorise.
#pragma once

#include "contingency/bns_impl.hpp"
#include "contingency/cells_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

using Constants = ContingencyConstants;

// Functions for MeasureFacts::h.
constexpr double row_total(const Constants& c) { return c.r_hi; }
constexpr double scaled_odds(const Constants& c) { return c.g_hi * (c.r_hi / c.rest_hi); }

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
    const double others = x.others().hi;  // if fractions were rounded, this may be 0 even though det > 0
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
    // (A/r + 1/6) / (B/(g-r) + 1/6) = (6A + r) (g-r) / ((6B + g-r) r). Numerator and denominator differ by 6 det.
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
    // R - x = C + b2 - a_i and S - u = D + b2 - a_i. No digits cancel in these sums, because b2 - a_i >= 0 is the prior of
    // all other terms.
    const DoubleDouble share{c.prior_hi, c.prior_lo};
    const DoubleDouble prior = multiply(y.t, share), rest_of_prior = multiply(y.others(), share);
    const DoubleDouble x = Of::plus(prior, y.a), u = Of::plus(prior, y.B());
    const DoubleDouble R_x = Of::plus(rest_of_prior, y.C()), S_u = Of::plus(rest_of_prior, y.D());
    // Both products are in range. If there is a prior, contingency_model.cpp requires 2^-450 <= s <= 2^450 for s = b2 / g.
    // For whole numbers up to 2^50, x and u are in [s t, (1 + s) t], and R - x and S - u are in [s (g-t), (1 + s) (g-t)].
    // The products are therefore in [2^-900, 2^1002], within a factor 2^902 of each other. Fractions are first scaled so
    // that x + u and R - x + S - u are in [1, 2). Without scaling, the products of a rare term could be less than
    // least_probability. If there is no prior, the products of cells that differ by a factor above 2^450 may underflow, and
    // the value may be finite or infinite.
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
    const double near_t = power_near_one(0.5 * (x.t.hi + c.b1)), near_g = power_near_one(0.5 * (x.g.hi + c.b2_hi));
    const DoubleDouble b1{c.b1, 0.0}, b2{c.b2_hi, c.b2_lo}, B = x.B();
    const DoubleDouble P = multiply(scale(Of::plus(b1, x.a), near_t), scale(Of::plus(b2, x.rest), near_g));
    const DoubleDouble Q = multiply(scale(Of::plus(b1, B), near_t), scale(Of::plus(b2, x.r), near_g));
    // P - Q = det + b2 (a - B) + b1 (rest - r). This sum does not contain b1 b2, which may be the largest part of P and of
    // Q.
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

template <>
struct Formula<ContingencyMeasure::direction> {
  static constexpr MeasureFacts facts{.name = "direction", .cells_are_tokens = true, .column_totals_are_tokens = true,
                                      .row_totals_are_tokens = true, .compares_classes = false};
  static TERMSIFT_INLINE double value(const auto& x, const Constants&) { return sign(x.det.hi); }
};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET
