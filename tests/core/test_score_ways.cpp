#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "score_cases.hpp"
#include "scoring/score_ways.hpp"
#include "termsift/runtime.hpp"

using namespace score_cases;

// ---- patterns of small counts ------------------------------------------------------------------------------------------

namespace {

// Returns counts below `limit`, but one in `rare` terms has in one class a count from `limit` to 2 `limit`.
// Most terms of the second half have no counts.
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

// Returns equal counts in rows of 8 bytes per count, for which scoring uses no patterns.
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

// Returns equal counts in rows of 4 bytes per count.
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

TEST(patterns_change_no_bit) {
  // Scores by patterns (combinations of small counts) must equal other scores. The cases include counts at the
  // limit, classes without documents, terms of p > 1/64, scores of 0 or infinity, and the ends of chunks.
  Random random(13);
  const std::string best = simd_target();
  for (const auto& [n_classes, side] : {std::pair{2u, 64}, {3u, 16}, {4u, 8}}) {
    const std::int64_t n_terms = 8 * (1 << 14) + 5;
    const auto m = static_cast<double>(n_terms);
    for (const std::int64_t rare : {5, 500}) {
      const auto table = narrow<std::int64_t>(small_counts(random, n_classes, n_terms, side, rare));
      const auto plain = wide(table);
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
        for (const int n_threads : {1, 7})
          CHECK(bits(scores_of(table, {0.1, 0.1 * m, {}}, Measure::kl, Aggregate::sum, n_threads)) == want);
      }
      use_simd_target(best);
    }
  }
}

// ---- the two ways ------------------------------------------------------------------------------------------------------

namespace {

// Returns counts of many classes with 1 to 1,000 tokens. Many terms are rare, a few are frequent, and the last do not occur.
ClassCounts<std::int64_t> many_classes(Random& random, std::size_t n_classes, std::size_t n_terms) {
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
  std::vector<std::int64_t> n_docs;
  for (std::size_t c = 0; c < n_classes; ++c) {
    n_docs.push_back(1 + below(random, 50));
    const std::int64_t n_tokens = std::int64_t{1} << below(random, 11);
    for (std::int64_t i = 0; i < n_tokens; ++i) {
      const auto seen = static_cast<std::int64_t>(n_terms) - 100;
      ++tf[c][at(below(random, 1 + below(random, 1 + below(random, seen))))];  // the first terms are the most frequent
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
  // Catches V(U) from a wrong interval of the table V, and mistakes with a class of prior 0, with a class that has nearly
  // all of the prior, and with counts that no double equals.
  Random random(9);
  for (const std::size_t n_classes : {2u, 10u, 300u}) {
    const std::size_t n_terms = 3000;
    auto counts = many_classes(random, n_classes, n_terms);
    std::vector<double> uniform(n_classes, 1), dominant(n_classes, 1e-6), faint(n_classes, 1);
    dominant[0] = 1e6;
    if (n_classes > 2) faint[0] = 0, faint[1] = 1e-12;
    const auto m = static_cast<double>(n_terms);
    std::size_t turn = n_classes;  // 2, 10 and 300 differ modulo 3, so all cases below get all b1
    for (const std::span<const double> prior : {std::span<const double>{}, {uniform}, {dominant}, {faint}})
      for (const Divergence measure : measures)
        for (const Aggregate aggregate : aggregates) {
          const double b1 = std::array{1.0, 0.1, 1e-9}[turn++ % 3];
          const Estimation estimation{b1, b1 * m, prior};
          const auto want = scores_by(dense, counts, estimation, measure, aggregate);
          const auto got = scores_by(sparse, counts, estimation, measure, aggregate);
          for (std::size_t term = 0; term < n_terms; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
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

TEST(the_largest_value_may_be_that_of_a_class_without_the_term) {
  // Two classes with nearly all of the prior have the frequent terms equally often, so their values are near 0. In all other
  // classes, the value grows with the frequency of the term.
  constexpr std::size_t n_classes = 60, n_terms = 2000;
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
  for (std::size_t term = 0; term < n_terms; ++term) {
    const auto l = static_cast<std::int64_t>(1 + term * term);
    tf[0][term] = tf[1][term] = l;
    tf[2 + term % (n_classes - 2)][term] = term % 7 == 0 ? 1 : 0;
  }
  const auto counts = make_counts(std::vector<std::int64_t>(n_classes, 2), tf);
  std::vector<double> prior(n_classes, 1e-6);
  prior[0] = prior[1] = 1;
  for (const Divergence measure : measures) {
    const Estimation estimation{1, n_terms, prior};
    const auto want = scores_by(dense, counts, estimation, measure, Aggregate::max);
    const auto got = scores_by(sparse, counts, estimation, measure, Aggregate::max);
    for (std::size_t term = 0; term < n_terms; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
  }
}

TEST(both_ways_agree_on_weighted_counts) {
  // Catches mistakes with fractional counts, negative logarithms and totals near the limits.
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
    for (const Divergence measure : measures)
      for (const Aggregate aggregate : aggregates) {
        std::vector<double> want(500), got(500);
        const auto counted = with_model(counts, measure.model);
        score_dense(counted, estimation, measure.measure, aggregate, {1, {}}, want.data());
        score_sparse(counted, estimation, measure.measure, aggregate, {1, {}}, got.data());
        for (std::size_t term = 0; term < 500; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
      }
  }
}

TEST(few_pairs_of_short_classes_agree) {
  // If classes consist mostly of smoothing, the logarithms of a rare term cancel, and the term is summed again more exactly.
  // In chunks with few or many such terms, the second sum must replace the first sum.
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
        for (const double m : {1.0, 200.0})
          for (const Aggregate aggregate : {Aggregate::sum, Aggregate::max}) {
            const auto want = scores_by(dense, counts, {1, m * n_terms, {}}, measure, aggregate);
            const auto got = scores_by(sparse, counts, {1, m * n_terms, {}}, measure, aggregate);
            for (std::size_t term = 0; term < n_terms; ++term) CHECK_NEAR(got[term], want[term], 3e-15 * want[term]);
          }
    }
  }
}

TEST(both_ways_give_the_same_bits_everywhere) {
  // The order of sums must not depend on the threads, or on the chunk that a thread scored before. There are enough pairs
  // and chunks for seven threads.
  Random random(10);
  constexpr std::int64_t n_terms = 110000, n_classes = 12, n_tokens = 60000;
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
  for (auto& row : tf)
    for (std::int64_t i = 0; i < n_tokens; ++i) ++row[at(std::min(below(random, n_terms), below(random, 10 * n_terms)))];
  const auto counts = make_counts(std::vector<std::int64_t>(n_classes, 9), tf);
  const std::string best = simd_target();
  for (const auto& [way, aggregate] : {std::pair{dense, Aggregate::sum}, {sparse, Aggregate::sum}, {sparse, Aggregate::max}})
    for (const Divergence measure : measures) {
      const auto expected = bits(scores_by(way, counts, {1, n_terms, {}}, measure, aggregate));
      CHECK(bits(scores_by(way, counts, {1, n_terms, {}}, measure, aggregate, 7)) == expected);
      for (const std::string& target : simd_targets()) {
        use_simd_target(target);
        CHECK(bits(scores_by(way, counts, {1, n_terms, {}}, measure, aggregate)) == expected);
      }
      use_simd_target(best);
    }
}

TEST(the_way_is_chosen_by_the_counts) {
  // The sparse algorithm must not be chosen without smoothing, or for few terms, for which its table V would cost too much.
  Random random(11);
  const auto many = many_classes(random, 300, 40000), few = many_classes(random, 2, 3000);
  for (const Divergence measure : measures)
    for (const Aggregate aggregate : aggregates)
      CHECK(sparse_pays(with_model(many, measure.model), {1, 40000, {}}, measure.measure, aggregate));
  CHECK(!sparse_pays(many, {0, 40000, {}}, Measure::kl, Aggregate::sum));
  CHECK(!sparse_pays(many, {1e92, 1e92, {}}, Measure::kl, Aggregate::sum));  // a total beyond most_pair_total
  CHECK(!sparse_pays(few, {1, 3000, {}}, Measure::kl, Aggregate::sum));
  for (const Divergence measure : measures)
    CHECK(bits(scores_of(many, {1, 40000, {}}, measure)) ==
          bits(scores_by(sparse, many, {1, 40000, {}}, measure, Aggregate::sum)));
}

// ---- given pairs -------------------------------------------------------------------------------------------------------

TEST(given_pairs_get_the_results_of_their_classes) {
  // Catches wrong counts where the pairs of a class end, in classes without documents, and in the fallback for pairs that
  // lose digits (term 5 has the same p in all classes) or whose counts no double holds.
  Random random(21);
  constexpr std::size_t n_classes = 40, n_terms = 700;
  std::vector<std::vector<std::int64_t>> tf(n_classes, std::vector<std::int64_t>(n_terms, 0));
  std::vector<std::int64_t> n_docs, starts{0};
  std::vector<TermId> terms;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const bool is_empty = c % 9 == 4;
    n_docs.push_back(is_empty ? 0 : 1 + below(random, 50));
    for (std::int64_t i = is_empty ? 300 : 0; i < 300; ++i) ++tf[c][at(10 + below(random, 690))];
    if (!is_empty) tf[c][5] = 3;
    for (std::int64_t t = c == 7 ? n_terms : 0; t < static_cast<std::int64_t>(n_terms); ++t)
      if (t == 5 || below(random, 5) < 3) terms.push_back(static_cast<TermId>(t));
    starts.push_back(std::ssize(terms));
  }
  auto large = tf;
  large[3][8] = (std::int64_t{1} << 54) + 1;
  const Pairs pairs{starts.data(), terms.data()};
  for (const auto& counted : {make_counts(n_docs, tf), make_counts(n_docs, large)})
    for (const Divergence measure : measures)
      for (const double b1 : {1.0, 0.0}) {
        const auto counts = with_model(counted, measure.model);
        const Estimation estimation{b1, b1 * n_terms, {}};
        std::vector<double> want(n_classes * n_terms), got(terms.size(), -1), by_threads(got);
        std::vector<std::int8_t> directions(want.size()), got_directions(terms.size(), 9);
        std::vector<std::int8_t> directions_by_threads(got_directions);
        class_results(counts, estimation, measure.measure, {1, {}}, want.data());
        class_results(counts, estimation, measure.measure, {1, {}}, directions.data());
        score_pairs(counts, estimation, measure.measure, {1, {}}, pairs, got.data(), got_directions.data());
        score_pairs(counts, estimation, measure.measure, {7, {}}, pairs, by_threads.data(), directions_by_threads.data());
        CHECK(bits(by_threads) == bits(got));
        CHECK_EQ(directions_by_threads, got_directions);
        for (std::size_t c = 0; c < n_classes; ++c)
          for (std::int64_t p = starts[c]; p < starts[c + 1]; ++p) {
            const std::size_t i = c * n_terms + at(terms[at(p)]);
            CHECK_EQ(got_directions[at(p)], directions[i]);
            if (terms[at(p)] == 5 || b1 == 0) CHECK_EQ(got[at(p)], want[i]);
            else CHECK_NEAR(got[at(p)], want[i], 3e-15 * want[i]);
          }
      }
}
