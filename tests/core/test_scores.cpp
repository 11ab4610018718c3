#include "termsift/scores.hpp"
#include "termsift/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "scoring/score_ways.hpp"
#include "scoring/small_patterns.hpp"

using namespace termsift;
using namespace collections;

namespace {

using std::invalid_argument;
using Real = long double;
using Table = std::vector<std::vector<double>>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A measure of counts as a model counts them.
struct Divergence {
  constexpr Divergence(Measure m, EventModel e = EventModel::multinomial) : measure(m), model(e) {}
  Measure measure;
  EventModel model;
};
constexpr Divergence measures[] = {
    {Measure::kl},         {Measure::kl, EventModel::bernoulli},         {Measure::kl, EventModel::poisson},
    {Measure::nu_j},       {Measure::nu_j, EventModel::bernoulli},       {Measure::nu_j, EventModel::poisson},
    {Measure::nu_pearson}, {Measure::nu_pearson, EventModel::bernoulli}, {Measure::nu_pearson, EventModel::poisson}};
constexpr Aggregate aggregates[] = {Aggregate::sum, Aggregate::mean, Aggregate::max};

// The same rows, scored as if `model` had counted them.
template <CountType Count>
ClassCounts<Count> with_model(ClassCounts<Count> counts, EventModel model) {
  counts.model = model;
  return counts;
}

template <CountType Count>
std::vector<double> scores_of(const ClassCounts<Count>& counts, const Estimation& estimation, Divergence measure,
                              Aggregate aggregate = Aggregate::sum, int n_threads = 1) {
  std::vector<double> scores(at(counts.n_terms), -1);
  score(with_model(counts, measure.model), estimation, measure.measure, aggregate, {n_threads, {}}, scores.data());
  return scores;
}

template <CountType Count>
std::vector<double> class_scores_of(const ClassCounts<Count>& counts, const Estimation& estimation, Divergence measure,
                                    int n_threads = 1) {
  std::vector<double> values(counts.rows.size() * at(counts.n_terms), -1);
  class_scores(with_model(counts, measure.model), estimation, measure.measure, {n_threads, {}}, values.data());
  return values;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> result(values.size());
  if (!values.empty()) std::memcpy(result.data(), values.data(), values.size() * sizeof(double));
  return result;
}

template <CountType Count>
ClassCounts<Count> random_counts(Random& random, std::size_t n_classes, std::size_t n_terms, std::int64_t largest,
                                 double rare = 0.3) {
  std::vector<std::vector<Count>> tf(n_classes, std::vector<Count>(n_terms, 0));
  std::vector<Count> n_docs;
  for (auto& row : tf) {
    n_docs.push_back(static_cast<Count>(1 + below(random, 50)));
    for (Count& count : row)
      if (static_cast<double>(below(random, 1000)) >= 1000 * rare) count = static_cast<Count>(below(random, largest + 1));
  }
  return make_counts(n_docs, tf);
}

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

// The witness itself cancels: it is good to a few units of its own last place of p <= 1.
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
  // Got wrong: a term of the complement's mixture, the smoothing, or an aggregate. Many rare terms; few common ones.
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
  // Got wrong: weights taken as they are, or a class of weight 0 dropped from the list though its own value counts.
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
  // Got wrong: the factor 1/2 of nu_J. Summed over two classes, Pearson's terms are 2 nu_J.
  Random random(3);
  const auto counts = random_counts<std::int64_t>(random, 2, 200, 30);
  const auto j = scores_of(counts, {1, 200, {}}, Measure::nu_j);
  const auto pearson = scores_of(counts, {1, 200, {}}, Measure::nu_pearson);
  for (std::size_t term = 0; term < 200; ++term) CHECK_NEAR(j[term], pearson[term], 1e-15 * j[term]);
}

TEST(counts_near_the_limits_score) {
  // Got wrong: totals near 2^63 rounded, or products of float counts leave the range of double. The unit of counting
  // changes no bit.
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
  // Got wrong: contraction or a reordered sum on one of them.
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
  CHECK_THROWS(use_simd_target("mmx"), invalid_argument, "no SIMD target 'mmx' here");
  CHECK_EQ(simd_target(), best);
}

TEST(threads_change_no_bit) {
  // Got wrong: a chunk that starts at the wrong place of a class's list. Enough cells for 7 threads.
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
  // Got wrong: the way a term is scored chosen by its block's other terms, or by its lane. Rare, unseen and common terms.
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

// ---- the table of small columns ------------------------------------------------------------------------------------------

namespace {

// Counts below `limit`, but in one term of `rare` a class with that many or up to twice as many. Most of the later half of
// the terms have none.
ClassCounts<std::int64_t> small_counts(Random& random, std::size_t n_classes, std::int64_t n_terms, std::int64_t limit,
                                       std::int64_t rare) {
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(at(n_terms), 0));
  for (std::int64_t term = 0; term < n_terms; ++term) {
    if (term > n_terms / 2 && below(random, 4) > 0) continue;
    const std::int64_t more = below(random, rare) == 0 ? limit : 0;
    const auto only = at(below(random, static_cast<std::int64_t>(n_classes)));
    for (std::size_t c = 0; c < n_classes; ++c) tf[c][at(term)] = (c == only ? more : 0) + below(random, limit);
  }
  std::vector<std::int64_t> n_docs;
  for (std::size_t c = 0; c < n_classes; ++c) n_docs.push_back(1 + below(random, 50));
  return make_counts(n_docs, tf);
}

// The same in 8 bytes a count, of which there is no table.
ClassCounts<std::int64_t> wide(const ClassCounts<std::int64_t>& counts) {
  ClassCounts<std::int64_t> result = counts;
  for (auto& row : result.rows) {
    auto copy = ClassRow<std::int64_t>::with_capacity(row->size);
    copy.n_docs = row->n_docs, copy.n_tokens = row->n_tokens, copy.size = row->size;
    for (std::int64_t i = 0; i < row->size; ++i) {
      copy.terms[i] = row->terms[i];
      copy.term_frequency.set(i, row->term_frequency[i]);
    }
    row = std::make_shared<const ClassRow<std::int64_t>>(std::move(copy));
  }
  return result;
}

// The same in 4 bytes a count.
template <CountType Count>
ClassCounts<Count> narrow(const ClassCounts<std::int64_t>& counts) {
  ClassCounts<Count> result{counts.n_terms, static_cast<Count>(counts.n_docs), {}, nullptr};
  for (const auto& row : counts.rows) {
    auto copy = ClassRow<Count>::with_capacity(row->size, true);
    copy.n_docs = static_cast<Count>(row->n_docs), copy.n_tokens = static_cast<Count>(row->n_tokens);
    copy.size = row->size;
    for (std::int64_t i = 0; i < row->size; ++i) {
      copy.terms[i] = row->terms[i];
      copy.term_frequency.set(i, static_cast<Count>(row->term_frequency[i]));
    }
    result.rows.push_back(std::make_shared<const ClassRow<Count>>(std::move(copy)));
  }
  return result;
}

}  // namespace

TEST(a_table_covers_what_pays) {
  // Got wrong: a table that overflows its numbers or takes longer than what it spares; a column under a number not its own.
  Random random(12);
  for (const auto& [n_classes, side] : {std::pair{2u, 64}, {3u, 16}, {5u, 5}, {12u, 2}}) {
    const auto counts = narrow<std::int64_t>(small_counts(random, n_classes, 140001, side, 50));
    const ClassModel model = make_class_model(counts, {1, 140001, {}});
    const SmallPatterns small(counts, model);
    std::int64_t size = 1;
    for (unsigned c = 0; c < n_classes; ++c) size *= side;
    CHECK(small.pay());
    CHECK_EQ(small.size(), size);
    CHECK(!SmallPatterns(wide(counts), model).pay());

    const auto patterns = small.counts<std::int64_t>(model, n_classes);
    const ScoreTask<std::int64_t> task{patterns, model, Measure::kl, Aggregate::sum, nullptr, nullptr};
    ChunkEntries entries(n_classes);
    entries.find(task, 0, size);
    CHECK(entries.size() > 0);
    std::vector<std::uint16_t> numbers(at(size), 0);
    small.number(task, entries, 0, numbers.data());
    for (std::int64_t number = 0; number < size; ++number) CHECK_EQ(std::int64_t{numbers[at(number)]}, number);
  }
  const auto large = narrow<std::int64_t>(small_counts(random, 2, 140001, 70, 50));
  CHECK(SmallPatterns(large, make_class_model(large, {1, 140001, {}})).pay());
  const auto larger = narrow<std::int64_t>(small_counts(random, 2, 140001, 200, 50));
  CHECK(!SmallPatterns(larger, make_class_model(larger, {1, 140001, {}})).pay());
  const auto few = narrow<std::int64_t>(small_counts(random, 2, 31, 5, 5));
  CHECK(!SmallPatterns(few, make_class_model(few, {1, 31, {}})).pay());
  const auto many = narrow<std::int64_t>(small_counts(random, 13, 140001, 2, 5));
  CHECK(!SmallPatterns(many, make_class_model(many, {1, 140001, {}})).pay());
}

TEST(a_table_changes_no_bit) {
  // Got wrong: a count at the limit taken for a small one, the made-up counts' constants for the collection's, a
  // class without documents in the table, a term of p > 1/64, terms that score 0 or infinity, the ends of chunks.
  Random random(13);
  const std::string best = simd_target();
  for (const auto& [n_classes, side] : {std::pair{2u, 64}, {3u, 16}, {5u, 5}, {12u, 2}}) {
    const std::int64_t n_terms = 8 * (1 << 14) + 5;
    const auto m = static_cast<double>(n_terms);
    for (const std::int64_t rare : {5, 500}) {
      const auto table = narrow<std::int64_t>(small_counts(random, n_classes, n_terms, side, rare));
      const auto plain = wide(table);
      CHECK(SmallPatterns(table, make_class_model(table, {1, m, {}})).pay());
      std::vector<std::int64_t> map{-1};
      for (unsigned c = 0; c < n_classes; ++c) map.push_back(c);
      const auto wider = with_classes(table, map);
      for (const Divergence measure : measures)
        for (const Aggregate aggregate : aggregates)
          for (const Estimation& estimation : {Estimation{1, m, {}}, Estimation{0, 0, {}}}) {
            if (estimation.b1 == 0 && (aggregate != Aggregate::sum || rare == 5)) continue;  // takes its time
            const auto want = bits(scores_of(plain, estimation, measure, aggregate));
            CHECK(bits(scores_of(table, estimation, measure, aggregate, 2)) == want);
            CHECK(bits(scores_of(narrow<double>(table), estimation, measure, aggregate)) == want);
            CHECK(bits(scores_of(wider, estimation, measure, aggregate)) == want);
          }
      const auto want = bits(scores_of(plain, {0.1, 0.1 * m, {}}, Measure::kl));
      for (const std::string& target : simd_targets()) {
        use_simd_target(target);
        for (const int n_threads : {1, 2, 3, 7})
          CHECK(bits(scores_of(table, {0.1, 0.1 * m, {}}, Measure::kl, Aggregate::sum, n_threads)) == want);
      }
      use_simd_target(best);
    }
  }
}

// ---- the two ways ------------------------------------------------------------------------------------------------------

namespace {

// Many classes of sizes 1 to 1,000 or so, rare terms and a few frequent ones; unseen terms at the end.
ClassCounts<std::int64_t> many_classes(Random& random, std::size_t n_classes, std::size_t n_terms) {
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
  std::vector<std::int64_t> n_docs;
  for (std::size_t c = 0; c < n_classes; ++c) {
    n_docs.push_back(1 + below(random, 50));
    const std::int64_t n_tokens = std::int64_t{1} << below(random, 11);
    for (std::int64_t i = 0; i < n_tokens; ++i) {
      const auto seen = static_cast<std::int64_t>(n_terms) - 100;
      ++tf[c][at(below(random, 1 + below(random, 1 + below(random, seen))))];  // most in the first terms
    }
  }
  return make_counts(n_docs, tf);
}

using Score = void (*)(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate, const Threads&, double*);

std::vector<double> scores_by(Score way, const ClassCounts<std::int64_t>& counts, const Estimation& estimation,
                              Divergence measure, Aggregate aggregate, int n_threads = 1) {
  std::vector<double> scores(at(counts.n_terms), -1);
  way(with_model(counts, measure.model), estimation, measure.measure, aggregate, {n_threads, {}}, scores.data());
  return scores;
}

constexpr Score dense = score_dense<std::int64_t>, sparse = score_sparse<std::int64_t>;

}  // namespace

TEST(both_ways_agree) {
  // Got wrong: V(U) in the wrong piece or beyond the table, a class without prior mass, counts that are no doubles, a
  // dominant class.
  Random random(9);
  for (const std::size_t n_classes : {2u, 10u, 300u}) {
    const std::size_t n_terms = 3000;
    auto counts = many_classes(random, n_classes, n_terms);
    std::vector<double> uniform(n_classes, 1), dominant(n_classes, 1e-6), faint(n_classes, 1);
    dominant[0] = 1e6;
    if (n_classes > 2) faint[0] = 0, faint[1] = 1e-12;
    const auto m = static_cast<double>(n_terms);
    for (const std::span<const double> prior : {std::span<const double>{}, {uniform}, {dominant}, {faint}})
      for (const double b1 : {1.0, 0.1, 1e-9})
        for (const Divergence measure : measures)
          for (const Aggregate aggregate : {Aggregate::sum, Aggregate::mean}) {
            const Estimation estimation{b1, b1 * m, prior};
            const auto want = scores_by(dense, counts, estimation, measure, aggregate);
            const auto got = scores_by(sparse, counts, estimation, measure, aggregate);
            for (std::size_t term = 0; term < n_terms; ++term)
              CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
            CHECK_EQ(got.back(), want.back());
          }
  }
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  const auto large = make_counts<std::int64_t>({3, 4, 5}, {{big, 5, 0, 1}, {3, big, 2, 0}, {big / 3, 1, 0, 9}});
  for (const Divergence measure : measures) {
    const auto want = scores_by(dense, large, {1, 4, {}}, measure, Aggregate::sum);
    const auto got = scores_by(sparse, large, {1, 4, {}}, measure, Aggregate::sum);
    for (std::size_t term = 0; term < 4; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
  }
}

TEST(both_ways_agree_on_weighted_counts) {
  // Got wrong: counts that are no index into the table of small ones, negative logarithms, totals near the limits.
  Random random(19);
  for (const double unit : {1.0, 0x1p-280, 0x1p+280}) {
    std::vector<std::vector<double>> tf(60, std::vector<double>(500, 0.0));
    for (auto& row : tf)
      for (double& l : row)
        if (below(random, 8) == 0) {
          const auto whole = static_cast<double>(below(random, 400));
          l = unit * (below(random, 3) == 0 ? whole : 0.37 * whole);
        }
    const auto counts = make_counts<double>(std::vector<double>(60, 3), tf);
    const Estimation estimation{0.25 * unit, 125 * unit, {}};
    for (const Divergence measure : measures) {
      std::vector<double> want(500), got(500);
      const auto counted = with_model(counts, measure.model);
      score_dense(counted, estimation, measure.measure, Aggregate::sum, {1, {}}, want.data());
      score_sparse(counted, estimation, measure.measure, Aggregate::sum, {1, {}}, got.data());
      for (std::size_t term = 0; term < 500; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
    }
  }
}

TEST(few_pairs_of_short_classes_agree) {
  // Got wrong: where smoothing is most of every class, a rare term's logarithms cancel, and it is summed once more with
  // those like it, few or many of a chunk, searched for or met; what the first sum left must not count.
  Random random(20);
  constexpr std::size_t n_classes = 200, n_terms = 3000;
  for (const std::int64_t most_tokens : {2, 30, 400}) {
    std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
    for (auto& row : tf) {
      for (std::int64_t i = below(random, most_tokens); i >= 0; --i) ++row[at(below(random, n_terms))];
      for (std::size_t term = 0; term < 50; ++term) row[term] += 1 + below(random, 3);
    }
    for (const bool narrow : {true, false}) {
      if (!narrow) tf[3][7] = std::int64_t{1} << 40;
      const auto counts = make_counts(std::vector<std::int64_t>(n_classes, 2), tf);
      for (const Divergence measure : measures)
        for (const double m : {1.0, 200.0}) {
          const auto want = scores_by(dense, counts, {1, m * n_terms, {}}, measure, Aggregate::sum);
          const auto got = scores_by(sparse, counts, {1, m * n_terms, {}}, measure, Aggregate::sum);
          for (std::size_t term = 0; term < n_terms; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
        }
    }
  }
}

TEST(both_ways_give_the_same_bits_everywhere) {
  // Got wrong: sums in another order on other threads, or in a chunk that does not follow its thread's last. Enough pairs
  // for seven threads, and as many chunks.
  Random random(10);
  constexpr std::int64_t n_terms = 110000, n_classes = 12, n_tokens = 60000;
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
  for (auto& row : tf)
    for (std::int64_t i = 0; i < n_tokens; ++i) ++row[at(std::min(below(random, n_terms), below(random, 10 * n_terms)))];
  const auto counts = make_counts(std::vector<std::int64_t>(n_classes, 9), tf);
  const std::string best = simd_target();
  for (const Score way : {dense, sparse})
    for (const Divergence measure : measures) {
      const auto expected = bits(scores_by(way, counts, {1, n_terms, {}}, measure, Aggregate::sum));
      for (const int n_threads : {2, 3, 7})
        CHECK(bits(scores_by(way, counts, {1, n_terms, {}}, measure, Aggregate::sum, n_threads)) == expected);
      for (const std::string& target : simd_targets()) {
        use_simd_target(target);
        CHECK(bits(scores_by(way, counts, {1, n_terms, {}}, measure, Aggregate::sum)) == expected);
      }
      use_simd_target(best);
    }
}

TEST(the_way_is_chosen_by_the_counts) {
  // Got wrong: the table of a few terms costs more than the terms; without smoothing or for a maximum there is none.
  Random random(11);
  const auto many = many_classes(random, 300, 40000), few = many_classes(random, 2, 3000);
  for (const Divergence measure : measures)
    for (const Aggregate aggregate : {Aggregate::sum, Aggregate::mean})
      CHECK(sparse_pays(with_model(many, measure.model), {1, 40000, {}}, measure.measure, aggregate));
  CHECK(!sparse_pays(many, {1, 40000, {}}, Measure::kl, Aggregate::max));
  CHECK(!sparse_pays(many, {0, 40000, {}}, Measure::kl, Aggregate::sum));
  CHECK(!sparse_pays(many, {1e92, 1e92, {}}, Measure::kl, Aggregate::sum));  // a total beyond most_pair_total
  CHECK(!sparse_pays(few, {1, 3000, {}}, Measure::kl, Aggregate::sum));
  for (const Divergence measure : measures)
    CHECK(bits(scores_of(many, {1, 40000, {}}, measure)) ==
          bits(scores_by(sparse, many, {1, 40000, {}}, measure, Aggregate::sum)));
}

TEST(terms_that_need_care_get_it_in_any_block) {
  // Got wrong: terms set aside from several blocks, or more of them than one block holds, stored in each other's places.
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
  // Got wrong: p - q as rounding noise of 1e-17, which a ranking then sorts. Rows are multiples of one another.
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
  // Smoothed, classes of one size: a term that occurs alike in all scores 0, its neighbours do not.
  const auto alike = make_counts<std::int64_t>({3, 4, 5}, {{5, 9, 1}, {5, 1, 9}, {5, 4, 6}});
  for (const Divergence measure : measures) {
    const auto scores = scores_of(alike, {1, 3, {}}, measure);
    CHECK(scores[0] == 0 && scores[1] > 0 && scores[2] > 0);
  }
}

TEST(a_class_at_the_mean_of_the_others_scores_exactly_zero) {
  // Got wrong: p = q up to the rounding of priors like 3/11. Classes of 997 tokens; q of the first is (p2 + 2 p3) / 3.
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
  // Got wrong: 0 log 0, 0/0, inf - inf or 0 * inf. Terms of one class, of all but one, of none; a class that is one term.
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
  // A mean takes no part of a class without weight, infinite as its value may be.
  CHECK(std::isfinite(scores_of(counts, {0, 0, without_first}, Measure::kl, Aggregate::mean)[0]));
}

TEST(classes_without_documents_take_no_part) {
  // Got wrong: an empty class smoothed to p = b1/b2 and mixed into q; its row of class scores left unwritten.
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
  // Got wrong: an empty vocabulary writes a block.
  const auto counts = make_counts<std::int64_t>({1, 1}, {{}, {}});
  CHECK(scores_of(counts, {1, 1, {}}, Measure::kl).empty());
}

TEST(what_cannot_be_scored_is_refused) {
  // Got wrong: NaN or a division by zero in place of a message.
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
