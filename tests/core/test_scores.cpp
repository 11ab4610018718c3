#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "score_cases.hpp"
#include "termsift/runtime.hpp"
#include "termsift/scores.hpp"

using namespace score_cases;

namespace {

using std::invalid_argument;
using Real = long double;
using Table = std::vector<std::vector<double>>;

// ---- the formulas as printed, in long double ---------------------------------------------------------------------------

Real x_log_ratio(Real x, Real y) { return x == 0 ? 0 : x * std::log(x / y); }

Real measure_of(Real p, Real q, Divergence of) {
  const bool rates = of.model == EventModel::poisson;
  if (of.measure == Measure::kl) return x_log_ratio(p, q) + (rates ? q - p : x_log_ratio(1 - p, 1 - q));
  const Real d2 = (p - q) * (p - q), of_p = d2 / (rates ? p : p * (1 - p)), of_q = d2 / (rates ? q : q * (1 - q));
  return of.measure == Measure::nu_pearson ? of_q : (of_q + of_p) / 2;
}

// The value of every class for one term; the priors in `pi`.
template <CountType Count>
std::vector<Real> plain_values(const ClassCounts<Count>& counts, const Estimation& estimation, Divergence measure,
                               std::size_t term, std::vector<Real>& pi) {
  const std::size_t n = counts.rows.size();
  std::vector<Real> p(n), values(n);
  pi.assign(n, 0);
  Real mass = 0;
  for (std::size_t c = 0; c < n; ++c) {
    const auto& row = *counts.rows[c];
    const TermId* const begin = row.terms;
    const auto i = std::find(begin, begin + row.size, static_cast<TermId>(term)) - begin;
    const Real l = i == row.size ? Real{0} : static_cast<Real>(row.term_frequency[at(i)]);
    p[c] = (l + estimation.b1) / (static_cast<Real>(row.n_tokens) + estimation.b2);
    pi[c] = estimation.prior_weights.empty() ? static_cast<Real>(row.n_docs) : estimation.prior_weights[c];
    mass += pi[c];
  }
  for (std::size_t c = 0; c < n; ++c) pi[c] /= mass;
  for (std::size_t c = 0; c < n; ++c) {
    Real q = 0, rest = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (k != c) q += pi[k] * p[k], rest += pi[k];
    values[c] = measure_of(p[c], q / rest, measure);
  }
  return values;
}

Real plain_aggregate(const std::vector<Real>& values, const std::vector<Real>& pi, Aggregate aggregate) {
  Real result = 0;
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (aggregate == Aggregate::max) result = std::max(result, values[c]);
    else result += (aggregate == Aggregate::mean ? pi[c] : 1) * values[c];
  }
  return result;
}

// The reference itself cancels: its error is a few units in the last place of p <= 1.
Real tolerance(Real want) { return 1e-12L * want + 16 * std::numeric_limits<Real>::epsilon(); }

template <CountType Count>
void agrees_with_the_formulas(const ClassCounts<Count>& counts, const Estimation& estimation) {
  const auto n_terms = at(counts.n_terms);
  for (const Divergence measure : measures) {
    const auto per_class = class_scores_of(counts, estimation, measure);
    std::vector<std::vector<double>> scores;
    for (const Aggregate aggregate : aggregates) scores.push_back(scores_of(counts, estimation, measure, aggregate));
    for (std::size_t term = 0; term < n_terms; ++term) {
      std::vector<Real> pi;
      const auto want = plain_values(counts, estimation, measure, term, pi);
      for (std::size_t c = 0; c < want.size(); ++c)
        CHECK_NEAR(static_cast<Real>(per_class[c * n_terms + term]), want[c], tolerance(want[c]));
      for (std::size_t a = 0; a < 3; ++a) {
        const Real aggregated = plain_aggregate(want, pi, aggregates[a]);
        CHECK_NEAR(static_cast<Real>(scores[a][term]), aggregated, tolerance(aggregated) * static_cast<Real>(want.size()));
      }
    }
  }
}

}  // namespace

// ---- the formulas ------------------------------------------------------------------------------------------------------

TEST(scores_follow_the_formulas) {
  // Catches a wrong term of q, smoothing or aggregate. There are many rare terms and few common ones.
  Random random(1);
  for (const std::size_t n_classes : {2u, 3u, 7u})
    for (const std::size_t n_terms : {1u, 5u, 300u}) {
      const auto m = static_cast<double>(n_terms);
      const auto exact = random_counts<std::int64_t>(random, n_classes, n_terms, 20);
      agrees_with_the_formulas(exact, {1, m + (n_terms == 1), {}});
      agrees_with_the_formulas(exact, {0.01, 0.01 * m + 1, {}});
      agrees_with_the_formulas(to_float(exact, {}), {0.5, m, {}});
    }
}

TEST(given_priors_are_normalised) {
  // Catches weights that are not normalised, and a class of weight 0 that is dropped although its own value counts.
  Random random(2);
  const auto counts = random_counts<std::int64_t>(random, 4, 100, 9);
  const std::vector<double> uneven{3, 0.5, 0, 7}, equal{1, 1, 1, 1};
  agrees_with_the_formulas(counts, {1, 100, uneven});
  agrees_with_the_formulas(counts, {1, 100, equal});
  for (const double unit : {1e-200, 0x1p-1074, 1e308}) {
    const std::vector<double> weights(4, unit);
    CHECK_EQ(bits(scores_of(counts, {1, 100, weights}, Measure::kl)),
             bits(scores_of(counts, {1, 100, equal}, Measure::kl)));
  }
}

TEST(two_classes_make_pearson_symmetric) {
  // Catches a missing factor 1/2 of nu_J: summed over two classes, Pearson's terms are 2 nu_J.
  Random random(3);
  const auto counts = random_counts<std::int64_t>(random, 2, 200, 30);
  const auto j = scores_of(counts, {1, 200, {}}, Measure::nu_j);
  const auto pearson = scores_of(counts, {1, 200, {}}, Measure::nu_pearson);
  for (std::size_t term = 0; term < 200; ++term) CHECK_NEAR(j[term], pearson[term], 1e-15 * j[term]);
}

TEST(counts_near_the_limits_score) {
  // Catches totals near 2^63 that are rounded, and products of float counts beyond the range of double. The unit of
  // counting must not change a bit.
  const std::int64_t big = std::int64_t{1} << 59;
  agrees_with_the_formulas(make_counts<std::int64_t>({3, 4}, {{big, big + 1, 5}, {big / 3, 2, big * 3}}), {1, 3, {}});
  const auto plain = make_counts<double>({3.0, 4.0}, {{1, 2, 0}, {5, 1, 4}});
  for (const double unit : {0x1p1000, 0x1p-1000, 0x1p-1070}) {
    const auto scaled = make_counts<double>({3.0, 4.0}, {{unit, 2 * unit, 0}, {5 * unit, unit, 4 * unit}});
    for (const Divergence measure : measures)
      CHECK_EQ(bits(scores_of(scaled, {unit / 2, 3 * unit / 2, {}}, measure)),
               bits(scores_of(plain, {0.5, 1.5, {}}, measure)));
  }
}

// ---- bits --------------------------------------------------------------------------------------------------------------

TEST(every_simd_target_gives_the_same_bits) {
  // Catches contraction, or a reordered sum, on one of them.
  Random random(4);
  const std::string best = simd_target();
  CHECK_EQ(simd_targets().front(), best);
  CHECK_EQ(simd_targets().back(), std::string("baseline"));
  for (const std::int64_t largest : {3, 1000000000}) {
    const auto counts = random_counts<std::int64_t>(random, 5, 1000, largest, 0.9);  // with terms of p > 1/64
    for (const Estimation& estimation : {Estimation{1, 1000, {}}, Estimation{0, 0, {}}})
      for (const Divergence measure : measures) {
        std::vector<std::vector<std::uint64_t>> results;
        for (const std::string& target : simd_targets()) {
          use_simd_target(target);
          CHECK_EQ(simd_target(), target);
          auto result = bits(class_scores_of(counts, estimation, measure));
          for (const Aggregate aggregate : aggregates) {
            const auto more = bits(scores_of(counts, estimation, measure, aggregate));
            result.insert(result.end(), more.begin(), more.end());
          }
          results.push_back(result);
        }
        use_simd_target(best);
        for (const auto& result : results) CHECK(result == results.front());
      }
  }
  CHECK_THROWS(use_simd_target("mmx"), invalid_argument, "on this machine, got 'mmx'");
  CHECK_EQ(simd_target(), best);
}

TEST(threads_change_no_bit) {
  // Catches a chunk that starts at the wrong entry of a class. There are enough cells for 7 threads.
  Random random(5);
  const auto counts = random_counts<std::int64_t>(random, 3, 160001, 50, 0.8);
  const auto alone = bits(scores_of(counts, {1, 160001, {}}, Measure::kl));
  const auto each_alone = bits(class_scores_of(counts, {1, 160001, {}}, Measure::nu_j));
  for (const int n_threads : {2, 3, 7}) {
    CHECK(bits(scores_of(counts, {1, 160001, {}}, Measure::kl, Aggregate::sum, n_threads)) == alone);
    CHECK(bits(class_scores_of(counts, {1, 160001, {}}, Measure::nu_j, n_threads)) == each_alone);
  }
}

TEST(equal_columns_have_equal_bits) {
  // A term's lane, or the other terms of its block, must not decide how it is scored. Terms are rare, unseen or common.
  Random random(6);
  const std::size_t n_terms = 2 * 4096 + 70;
  const std::size_t places[] = {0, 31, 63, 64, 4095, 4096, 6000, n_terms - 1};
  for (const std::vector<std::int64_t>& column : {std::vector<std::int64_t>{3, 1, 0}, {0, 0, 0}, {40000, 30000, 1}}) {
    auto tf = std::vector<std::vector<std::int64_t>>(3, std::vector<std::int64_t>(n_terms, 0));
    for (auto& row : tf)
      for (std::int64_t& count : row) count = below(random, 100) < 10 ? below(random, 400) : 0;
    for (std::size_t term = 1024; term < 1024 + 128; ++term)  // blocks that hold nothing else
      for (auto& row : tf) row[term] = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      for (const std::size_t place : places) tf[c][place] = column[c];
      tf[c][1030] = column[c];
    }
    const auto counts = make_counts<std::int64_t>({5, 3, 9}, tf);
    if (column[0] == 40000) CHECK(40000.0 / static_cast<double>(counts.rows[0]->n_tokens + 8262) > 1.0 / 64);
    for (const Divergence measure : measures) {
      const auto scores = bits(scores_of(counts, {1, static_cast<double>(n_terms), {}}, measure));
      for (const std::size_t place : places) CHECK_EQ(scores[place], scores[1030]);
    }
  }
}

TEST(terms_that_need_care_get_it_in_any_block) {
  // Catches mix-ups among terms set aside from several blocks, or more of them than one block holds.
  Random random(12);
  const std::size_t n_terms = 5000;
  auto tf = std::vector<std::vector<std::int64_t>>(3, std::vector<std::int64_t>(n_terms, 0));
  for (std::size_t term = 0; term < n_terms; ++term) {
    const std::int64_t count = below(random, 9);
    for (auto& row : tf) row[term] = count;  // p = q: every term
  }
  const auto alike = make_counts<std::int64_t>({3, 4, 5}, tf);
  for (std::size_t term = 0; term < n_terms; term += 1 + at(below(random, 9))) ++tf[at(below(random, 3))][term];
  std::int64_t sums[3] = {};
  for (std::size_t c = 0; c < 3; ++c)
    for (const std::int64_t count : tf[c]) sums[c] += count;
  const std::int64_t largest = std::max({sums[0], sums[1], sums[2]}) + 1;
  for (std::size_t c = 0; c < 3; ++c) tf[c].push_back(largest - sums[c]);  // classes of one size
  const auto some = make_counts<std::int64_t>({3, 4, 5}, tf);
  for (const Divergence measure : measures) {
    for (const double value : scores_of(alike, {1, 5000, {}}, measure)) CHECK_EQ(value, 0.0);
    const auto scores = scores_of(some, {1, 5001, {}}, measure);
    for (std::size_t term = 0; term < n_terms; ++term)
      CHECK((scores[term] == 0) == (tf[0][term] == tf[1][term] && tf[1][term] == tf[2][term]));
  }
}

// ---- limits ------------------------------------------------------------------------------------------------------------

TEST(equal_probabilities_score_exactly_zero) {
  // Catches a p - q that is rounding noise of 1e-17, by which a ranking would sort. Rows are multiples of one another.
  const std::vector<std::int64_t> base{1, 3, 7, 0, 100, 2, 1};
  auto tf = std::vector<std::vector<std::int64_t>>(4);
  const std::int64_t times[] = {1, 3, 7, 1000003};
  for (std::size_t c = 0; c < 4; ++c)
    for (const std::int64_t count : base) tf[c].push_back(count * times[c]);
  const auto counts = make_counts<std::int64_t>({3, 11, 7, 1}, tf);
  const std::vector<double> uneven{0.1, 0.7, 1e-9, 0.3};
  for (const Divergence measure : measures)
    for (const Aggregate aggregate : aggregates)
      for (const Estimation& estimation : {Estimation{0, 0, {}}, Estimation{0, 0, uneven}})
        for (const double value : scores_of(counts, estimation, measure, aggregate)) CHECK_EQ(value, 0.0);
  // With smoothing and classes of one size, a term with equal counts scores 0, and its neighbours do not.
  const auto alike = make_counts<std::int64_t>({3, 4, 5}, {{5, 9, 1}, {5, 1, 9}, {5, 4, 6}});
  for (const Divergence measure : measures) {
    const auto scores = scores_of(alike, {1, 3, {}}, measure);
    CHECK(scores[0] == 0 && scores[1] > 0 && scores[2] > 0);
  }
}

TEST(a_class_at_the_mean_of_the_others_scores_exactly_zero) {
  // Catches a p - q that is the rounding of priors such as 3/11. Classes have 997 tokens; q of the first is (p2 + 2 p3) / 3.
  Random random(8);
  auto tf = std::vector<std::vector<std::int64_t>>(3);
  std::int64_t left[] = {997, 997, 997};
  for (int term = 0; term < 40; ++term) {
    const std::int64_t middle = 8 + below(random, 15), away = 1 + below(random, 4);
    const std::int64_t counts[] = {middle, middle - 2 * away, middle + away};
    for (std::size_t c = 0; c < 3; ++c) tf[c].push_back(counts[c]), left[c] -= counts[c];
  }
  for (std::size_t c = 0; c < 3; ++c) tf[c].push_back(left[c]);
  for (const Divergence measure : measures) {
    const auto values = class_scores_of(make_counts<std::int64_t>({2, 3, 6}, tf), {1, 41, {}}, measure);
    for (std::size_t term = 0; term < 40; ++term)
      CHECK(values[term] == 0 && values[41 + term] > 0 && values[82 + term] > 0);
  }
}

TEST(no_smoothing_gives_infinity_or_zero_never_nan) {
  // Catches 0 log 0, 0/0, inf - inf and 0 * inf. Terms are in one class, in all but one, or in none; one class has one term.
  const Table tables[] = {
      {{3, 0, 4, 0}, {0, 5, 1, 0}, {0, 2, 2, 0}},
      {{6, 0, 0, 0}, {0, 5, 1, 0}, {0, 2, 2, 0}},
      {{6, 0, 0, 0}, {8, 0, 0, 0}, {0, 0, 0, 0}},  // the last has documents, no tokens
      {{6, 0, 0, 0}, {0, 0, 0, 9}, {0, 0, 0, 0}},
      {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
  };
  const std::vector<double> without_first{0, 1, 1};
  for (const Table& table : tables) {
    const auto counts = make_counts<double>({2.0, 3.0, 4.0}, table);
    for (const Estimation& estimation : {Estimation{0, 0, {}}, Estimation{0, 0, without_first}, Estimation{0, 1, {}},
                                         Estimation{0, 1e-300, {}}, Estimation{0x1p-400, 0x1p-398, {}}})
      for (const Divergence measure : measures) {
        for (const double value : class_scores_of(counts, estimation, measure)) CHECK(value >= 0);
        for (const Aggregate aggregate : aggregates)
          for (const double value : scores_of(counts, estimation, measure, aggregate)) CHECK(value >= 0);
      }
  }
  const auto counts = make_counts<double>({2.0, 3.0, 4.0}, tables[0]);
  for (const Divergence measure : measures)
    for (const Aggregate aggregate : aggregates) {
      const auto scores = scores_of(counts, {0, 0, {}}, measure, aggregate);
      CHECK_EQ(scores[0], infinity);  // the first class alone has it: q = 0
      CHECK(measure.measure == Measure::nu_j ? scores[1] == infinity : std::isfinite(scores[1]) && scores[1] > 0);
      CHECK(std::isfinite(scores[2]));
      CHECK_EQ(scores[3], 0.0);
    }
  // A class without weight does not count in a mean, even if its value is infinite.
  CHECK(std::isfinite(scores_of(counts, {0, 0, without_first}, Measure::kl, Aggregate::mean)[0]));
}

TEST(classes_without_documents_take_no_part) {
  // Catches a class without documents that is smoothed to p = b1/b2 and mixed into q, or whose row of scores is not written.
  Random random(7);
  const auto counts = random_counts<std::int64_t>(random, 3, 150, 12);
  const std::vector<std::int64_t> map{-1, 0, 1, -1, 2};
  const auto wider = with_classes(counts, map);
  const std::vector<double> none, weights{1, 2, 3}, wider_weights{5, 1, 2, 9, 3};
  for (const Divergence measure : measures) {
    for (const bool given : {false, true})
      for (const Aggregate aggregate : aggregates)
        CHECK_EQ(bits(scores_of(wider, {1, 150, given ? wider_weights : none}, measure, aggregate)),
                 bits(scores_of(counts, {1, 150, given ? weights : none}, measure, aggregate)));
    const auto values = class_scores_of(counts, {1, 150, {}}, measure);
    const auto wide = class_scores_of(wider, {1, 150, {}}, measure);
    for (std::size_t c = 0; c < 5; ++c)
      for (std::size_t term = 0; term < 150; ++term)
        CHECK_EQ(wide[c * 150 + term], map[c] < 0 ? 0.0 : values[at(map[c]) * 150 + term]);
  }
}

TEST(no_terms_no_scores) {
  // An empty vocabulary must not write a block.
  const auto counts = make_counts<std::int64_t>({1, 1}, {{}, {}});
  CHECK(scores_of(counts, {1, 1, {}}, Measure::kl).empty());
}

TEST(invalid_arguments_are_refused) {
  // Catches NaN or a division by zero instead of a message.
  const auto counts = make_counts<std::int64_t>({1, 2, 0}, {{1, 2}, {2, 1}, {0, 0}});
  const auto refuse = [&](const Estimation& estimation, const std::string& message) {
    CHECK_THROWS(scores_of(counts, estimation, Measure::kl), invalid_argument, message);
    CHECK_THROWS(class_scores_of(counts, estimation, Measure::nu_j), invalid_argument, message);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [b1, b2] : {std::pair{2.0, 1.0}, {-1.0, 1.0}, {nan, 1.0}, {1.0, nan}, {1.0, infinity}})
    refuse({b1, b2, {}}, "0 <= b1 <= b2 < inf");
  const std::vector<double> second{0, 1, 0}, absent{0, 0, 1}, two{1, 1};
  const std::vector<double> negative{1, -1, 1}, not_a_number{1, nan, 1}, infinite{1, infinity, 1};
  refuse({1, 2, second}, "class 1 has all the prior mass");
  refuse({1, 2, absent}, "any mass");
  refuse({1, 2, two}, "class_prior has 2 values for 3 classes");
  refuse({1, 2, negative}, "for class 1");
  refuse({1, 2, not_a_number}, "for class 1");
  refuse({1, 2, infinite}, "for class 1");
  const auto one = make_counts<std::int64_t>({1, 0}, {{1, 2}, {0, 0}});
  CHECK_THROWS(scores_of(one, {1, 2, {}}, Measure::kl), invalid_argument, "at least two with documents are needed, got 1");
  CHECK_THROWS(scores_of(no_counts<double>(0), {1, 2, {}}, Measure::kl), invalid_argument, "got 0");
}
