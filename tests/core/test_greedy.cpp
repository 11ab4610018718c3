#include "termsift/greedy.hpp"
#include "termsift/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "greedy/gain_evaluator.hpp"
#include "greedy/greedy_search.hpp"

using namespace termsift;
using namespace collections;

namespace {

using Int = std::int64_t;

// ---- counts of many kinds ----------------------------------------------------------------------------------------------

template <CountType Count>
struct Case {
  std::vector<Count> n_docs;
  std::vector<std::vector<Count>> tf;  // [class][term]
  Estimation estimation;
  ClassCounts<Count> counts() const { return make_counts(n_docs, tf); }
  std::size_t n_terms() const { return tf[0].size(); }
};

double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform(random);
  return sum;
}

enum class Kind { small, equal, balanced, absent, skewed, spread, ray, geometric, cluster, mirror, rare_class, permuted };
constexpr Kind kinds[] = {Kind::small, Kind::equal, Kind::balanced, Kind::absent, Kind::skewed, Kind::spread, Kind::ray,
                          Kind::geometric, Kind::cluster, Kind::mirror, Kind::rare_class, Kind::permuted};

// Returns a random count l_ic of one term in class c.
double draw(Kind kind, std::size_t c, std::size_t term, std::size_t n_terms, std::size_t n_classes, Random& random) {
  const double rank = static_cast<double>(n_terms) / static_cast<double>(term + 1);
  switch (kind) {
    case Kind::small: return static_cast<double>(below(random, 4));
    case Kind::equal: return static_cast<double>(2 + 3 * c);
    case Kind::balanced: return 1 + static_cast<double>((term * 7919) % 50);
    case Kind::absent: return c == term % n_classes ? 0 : static_cast<double>(below(random, 30));
    case Kind::skewed: return std::floor(rank * std::exp(0.7 * normal(random)));
    case Kind::spread: return static_cast<double>(below(random, 1 << 20));
    case Kind::ray: return static_cast<double>((term + 1) * (1 + (c + term) % 2)) - 1;
    case Kind::geometric: return std::ldexp(std::floor(1024 * uniform(random)), static_cast<int>(below(random, 20)));
    case Kind::cluster: return std::floor(1e7 * static_cast<double>(1 + (c + term) % 2) * (1 + 1e-6 * normal(random)));
    case Kind::mirror: return static_cast<double>((term / 2 * 31 + (c + term) % 2 * 17) % 23);
    case Kind::rare_class: return c == 0 ? static_cast<double>(below(random, 1000)) : below(random, 100) == 0 ? 1 : 0;
    case Kind::permuted: return static_cast<double>((term / n_classes % 3 + 1) * ((c + term) % n_classes));
  }
  return 0;
}

template <CountType Count>
Case<Count> make_case(Kind kind, std::size_t n_classes, std::size_t n_terms, Random& random) {
  Case<Count> result;
  for (std::size_t c = 0; c < n_classes; ++c) {
    result.n_docs.push_back(static_cast<Count>(1 + below(random, 9)));
    std::vector<Count> row;
    for (std::size_t term = 0; term < n_terms; ++term) {
      const double l = draw(kind, c, term, n_terms, n_classes, random);
      // Counts of type double are multiplied by 0.3, so that no small power of two makes most of them whole.
      row.push_back(std::is_same_v<Count, double> ? static_cast<Count>(0.3 * l) : static_cast<Count>(l));
    }
    result.tf.push_back(std::move(row));
  }
  const double b1s[] = {1, 1, 1, 0.1, 0.5, 1.0 / 3, 0.01, 2.718281828};
  const double b1 = b1s[below(random, 8)];
  // In one case of four, b2 is larger than b1 times the number of terms.
  const double more = below(random, 4) == 0 ? static_cast<double>(1 + below(random, 40)) : 0;
  result.estimation = {b1, b1 * static_cast<double>(n_terms) + more, {}, 0};
  return result;
}

template <CountType Count>
GreedyRanking rank(const Case<Count>& c, Int k, bool exhaustive, int n_threads = 1) {
  return greedy(c.counts(), c.estimation, k, exhaustive, {n_threads, {}});
}

std::vector<Int> indices(const GreedyRanking& r, std::size_t k) { return {r.indices.get(), r.indices.get() + k}; }
std::vector<double> divergences(const GreedyRanking& r, std::size_t k) {
  return {r.divergences.get(), r.divergences.get() + k};
}

void check_same(const GreedyRanking& got, const GreedyRanking& want, std::size_t k) {
  CHECK_EQ(indices(got, k), indices(want, k));
  CHECK_EQ(divergences(got, k), divergences(want, k));
  CHECK_EQ(got.informative, std::min(want.informative, static_cast<Int>(k)));
}

}  // namespace

// ---- the order ---------------------------------------------------------------------------------------------------------

template <CountType Count>
void check_case(Kind kind, std::size_t n_classes, std::size_t n_terms, Random& random) {
  Case<Count> c = make_case<Count>(kind, n_classes, n_terms, random);
  std::vector<double> prior(n_classes);
  if (below(random, 3) == 0) {
    for (double& weight : prior) weight = uniform(random) + (below(random, 4) == 0 ? 0 : 0.01);
    c.estimation.prior_weights = prior;
  }
  try {
    const auto all = static_cast<Int>(n_terms);
    const GreedyRanking plain = rank(c, all, true), fast = rank(c, all, false);
    check_same(fast, plain, n_terms);
    const Int k = below(random, all + 1);
    // The limit is twice the number of evaluations by the plain search, and some more for winners that are checked together
    // and for lists of all groups.
    const auto most = [&](Int n) { return n * (2 * all - n + 1) + all / 8 + 64; };
    for (const Int n : {k, std::min<Int>(all, 1), std::min<Int>(all, 2), std::min<Int>(all, 5)}) {
      const GreedyRanking first = rank(c, n, false);
      check_same(first, plain, at(n));
      CHECK(first.evaluations <= (n == 1 ? all : most(n)));
    }
    CHECK(fast.evaluations <= most(all));
  } catch (const check::Failure& failure) {
    throw check::Failure{"kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(n_classes) + " classes, " +
                         std::to_string(n_terms) + " terms: " + failure.message};
  }
}

TEST_OF_ONE_THREAD(the_fast_search_finds_the_plain_order) {
  Random random(4);
  for (const Kind kind : kinds)
    for (const std::size_t n_classes : {2u, 2u, 2u, 3u, 5u, 20u})
      for (std::size_t i = 0; i < 32; ++i) {
        const Int most = n_classes == 2 ? 300 : n_classes == 20 ? 60 : 150;
        const std::size_t n_terms = i < 8 ? i + 1 : at(1 + below(random, most));
        if (i % 4 == 3) check_case<double>(kind, n_classes, n_terms, random);
        else check_case<Int>(kind, n_classes, n_terms, random);
      }
}

TEST_OF_ONE_THREAD(the_fast_search_finds_the_plain_order_of_more_terms) {
  Random random(5);
  for (const Kind kind : kinds) {
    check_case<Int>(kind, 2, 2000, random);
    check_case<Int>(kind, 4, 500, random);
  }
}

// No small power of two makes these counts and smoothings whole. All terms except the first have equal counts in all
// classes, so their gain must be 0.
TEST(rounding_is_the_same_in_all_classes) {
  const std::vector<double> shared{90.3, 1.1, 2.2, 3.3, 0.7, 1e-3};
  std::vector<double> without_first = shared;
  without_first[0] = 0;
  for (const double b2 : {6.0, 10.1, 7 * 0.91234567}) {
    const Case<double> fractions{{1, 1, 1}, {shared, without_first, without_first}, {1, b2, {}, 0}};
    const Case<Int> whole{{1, 1}, {{90000001, 3, 1, 2, 0, 8}, {0, 3, 1, 2, 0, 8}}, {1, b2, {}, 0}};
    for (const bool exhaustive : {false, true}) {
      CHECK_EQ(rank(fractions, 6, exhaustive).informative, Int{1});
      CHECK_EQ(rank(whole, 6, exhaustive).informative, Int{1});
    }
  }
}

TEST(masses_of_thousands_of_classes_are_sparse) {
  // A dense array (n_classes, n_terms) of doubles would take 3 GB.
  constexpr Int n_classes = 2000, n_terms = 200000;
  ClassCounts<Int> counts;
  counts.n_terms = n_terms;
  for (Int c = 0; c < n_classes; ++c) {
    auto row = ClassRow<Int>::with_capacity(20);
    row.n_docs = 1;
    row.size = 20;
    for (Int i = 0; i < 20; ++i) {
      row.terms[at(i)] = static_cast<TermId>(i * (n_terms / 20) + c % 100);
      row.term_frequency.set(i, 1 + c % 3);
      row.document_frequency.set(i, 1);
    }
    row.sum_tokens();
    counts.rows.push_back(std::make_shared<const ClassRow<Int>>(std::move(row)));
    counts.n_docs += 1;
  }
  const Estimation estimation{1, n_terms, {}, 0};
  const GreedyRanking ranking = greedy(counts, estimation, 3, false, {1, {}});
  CHECK_EQ(ranking.informative, Int{3});
  CHECK(ranking.divergences[2] > ranking.divergences[0]);
}

// Kinds of counts with many classes and few terms in each class, for which the search computes bounds from the pairs.
enum class Sparse { text, alike, one_large, without_prior, nearly_all, weighted };
constexpr Sparse sparse_kinds[] = {Sparse::text, Sparse::alike, Sparse::one_large, Sparse::without_prior, Sparse::nearly_all,
                                   Sparse::weighted};

template <CountType Count>
Case<Count> make_sparse_case(Sparse kind, std::size_t n_classes, std::size_t n_terms, std::vector<double>& prior,
                             Random& random) {
  Case<Count> result;
  result.estimation = {below(random, 2) == 0 ? 1.0 : 0.1, 0, {}, 0};
  result.estimation.b2 = result.estimation.b1 * static_cast<double>(n_terms + below(random, 2));
  for (std::size_t c = 0; c < n_classes; ++c) {
    result.n_docs.push_back(static_cast<Count>(c % 7 == 3 ? 0 : 1 + below(random, 9)));
    std::vector<Count> row(n_terms, Count{0});
    const Int n_pairs = result.n_docs[c] == 0 ? 0 : 1 + below(random, static_cast<Int>(n_terms) / 15);
    for (Int i = 0; i < n_pairs; ++i) {
      // Frequent terms come first. In the kind `alike`, each term occurs once in a class, and all classes have one size.
      const auto term = at(below(random, 1 + below(random, static_cast<Int>(n_terms))));
      row[term] = kind == Sparse::alike ? Count{1} : static_cast<Count>(1 + below(random, 5));
      if (kind == Sparse::weighted) row[term] = static_cast<Count>(0.3 * static_cast<double>(row[term]));
      if (kind == Sparse::alike) result.n_docs[c] = 4;
    }
    if (kind == Sparse::one_large && c == 0)
      for (std::size_t term = 0; term < n_terms; term += 2) row[term] = static_cast<Count>(below(random, 100000));
    if (kind == Sparse::nearly_all && c == 0) row[5] = Count{100000000};  // nearly all tokens of class 0 are of term 5
    result.tf.push_back(std::move(row));
    if (kind == Sparse::without_prior) prior.push_back(c % 3 == 0 ? 0 : uniform(random));
    if (kind == Sparse::one_large) prior.push_back(c == 0 ? 1e9 : 1);
  }
  result.estimation.prior_weights = prior;
  return result;
}

TEST(many_classes_have_the_plain_order_on_any_thread_and_target) {
  Random random(15);
  const std::string target = simd_target();
  for (const Sparse kind : sparse_kinds)
    for (const std::size_t n_terms : {600u, 1500u}) {
      std::vector<double> prior;
      const auto check = [&]<CountType Count>(const Case<Count>& c) {
        constexpr Int k = 40;
        const GreedyRanking plain = rank(c, k, true), fast = rank(c, k, false);
        check_same(fast, plain, at(k));
        for (const Int n : {Int{1}, Int{7}}) check_same(rank(c, n, false), plain, at(n));
        check_same(rank(c, k, false, 2), fast, at(k));
        for (const std::string& name : simd_targets()) {
          use_simd_target(name);
          const GreedyRanking other = rank(c, k, false);
          check_same(other, fast, at(k));
          CHECK_EQ(other.evaluations, fast.evaluations);
        }
        use_simd_target(target);
      };
      if (kind == Sparse::weighted) check(make_sparse_case<double>(kind, 60, n_terms, prior, random));
      else check(make_sparse_case<Int>(kind, 60, n_terms, prior, random));
    }
}

// From 512 classes on, chords are computed in parts, and from 1,024 on, blocks of gains are shorter and pools larger.
TEST(a_thousand_classes_have_the_plain_order_on_any_thread) {
  Random random(16);
  for (const Sparse kind : sparse_kinds)
    for (const std::size_t n_classes : check::few_values<std::size_t>({1100, 513, 1024})) {
      std::vector<double> prior;
      const auto c = make_sparse_case<Int>(kind, n_classes, 300, prior, random);
      constexpr Int k = 12;
      const GreedyRanking plain = rank(c, k, true);
      for (const int n_threads : check::thread_counts({1, 2, 3})) check_same(rank(c, k, false, n_threads), plain, at(k));
    }
}

// Returns all groups in the order of their frequency in a mixture of the classes, the abscissa of a chord.
std::vector<GroupId> by_frequency(const TermGroups& groups) {
  std::vector<double> frequency(at(groups.n_groups()));
  for (GroupId g = 0; g < groups.n_groups(); ++g)
    for (const MassColumns::Cell& cell : groups.columns().column(g))
      frequency[at(g)] += groups.prior[at(cell.class_)] / groups.totals[at(cell.class_)] * cell.mass;
  std::vector<GroupId> order(frequency.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](GroupId a, GroupId b) { return frequency[at(a)] < frequency[at(b)]; });
  return order;
}

// A list that would need nearly a chord for each group is refused. Chords of lists below 256 groups are finer.
TEST(bounds_from_the_pairs_are_those_from_all_classes_or_a_little_more) {
  Random random(17);
  int n_short = 0;
  for (const Sparse kind : sparse_kinds)
    for (const double slack : {0.0, 0.01, 0.3}) {
      std::vector<double> prior;
      const auto c = make_sparse_case<Int>(kind, 60, 600, prior, random);
      const TermGroups groups(c.counts(), c.estimation, true, {1, {}});
      CHECK(groups.is_sparse());
      CHECK_EQ(SparseBounds::pay(groups), kind != Sparse::one_large);
      std::vector<WedgeClass> wedge = groups.wedge_classes();
      for (WedgeClass& k : wedge) {
        k.A2 = 1 - slack * uniform(random), k.B1 = 1 - slack * uniform(random);
        k.A1 = k.A2 * (1 - slack * uniform(random)), k.B2 = k.B1 * (1 - slack * uniform(random));
        k.inverse_1 = 1 / k.B1, k.inverse_2 = 1 / k.B2;
      }
      const std::vector<GroupId> all = by_frequency(groups);
      std::vector<double> dense(all.size());
      const Threads threads{1, {}};
      GainEvaluator evaluator(groups, threads);
      for (std::size_t i = 0; i < all.size(); ++i) evaluator.bounds(&all[i], 1, wedge.data(), &dense[i]);
      const double unit = 1e-3 * *std::max_element(dense.begin(), dense.end(), [](double a, double b) {
        return (std::isfinite(a) ? a : 0) < (std::isfinite(b) ? b : 0);
      });
      SparseBounds bounds(groups, threads);
      for (const std::size_t n : {all.size(), std::size_t{100}}) {
        for (std::size_t begin = 0; begin + n <= all.size(); begin += n) {
          std::vector<double> sparse(n, -1);
          if (!bounds.bounds(&all[begin], static_cast<Int>(n), wedge.data(), sparse.data())) {
            CHECK(n < 256 && sparse == std::vector<double>(n, -1));
            continue;
          }
          n_short += n < 256 ? 1 : 0;
          for (std::size_t i = 0; i < n; ++i) {
            const double wanted = dense[begin + i];
            CHECK(sparse[i] >= wanted * (1 - 1e-6));  // the bounds of single classes may be too large by 1e-7
            if (SparseBounds::pay(groups)) CHECK(sparse[i] <= 1.01 * wanted + unit);
          }
        }
      }
    }
  CHECK(n_short > 10);
}

// Returns a wedge that contains the pool, and pools with up to `slack` less mass or other ratios.
std::vector<WedgeClass> wedge_around(const Axes& pool, const TermGroups& groups, double slack, Random& random) {
  std::vector<WedgeClass> wedge = groups.wedge_classes();
  for (std::size_t i = 0; i < pool.A.size(); ++i) {
    WedgeClass& k = wedge[i];
    const double ratio = pool.A[i] / pool.B[i];
    k.A2 = pool.A[i] * (1 - slack * uniform(random)), k.B1 = pool.B[i] * (1 - slack * uniform(random));
    k.A1 = k.B1 * ratio * (1 - slack * uniform(random)), k.B2 = k.A2 / ratio * (1 - slack * uniform(random));
    k.inverse_1 = 1 / k.B1, k.inverse_2 = 1 / k.B2;
  }
  return wedge;
}

TEST(bounds_are_at_least_the_gains_and_are_close_to_them_in_a_small_wedge) {
  Random random(18);
  for (const Kind kind : kinds)
    for (const std::size_t n_classes : {2u, 3u, 20u, 60u}) {
      const auto c = make_case<Int>(kind, n_classes, 70, random);
      const Threads threads{1, {}};
      const TermGroups groups(c.counts(), c.estimation, true, threads);
      GainEvaluator evaluator(groups, threads);
      Selection selection(groups, 70);
      std::vector<GroupId> left(at(groups.n_groups()));
      std::iota(left.begin(), left.end(), 0);
      while (left.size() > 1) {
        std::vector<double> gains(left.size()), bounds(left.size());
        evaluator.gains(left.data(), std::ssize(left), selection.pool.view(), gains.data());
        const double most = *std::max_element(gains.begin(), gains.end()), tiny = 1e-15 * most;
        const Axes pool = selection.pool.axes_less(std::vector<double>(n_classes, 0));
        for (const double slack : {0.0, 1e-3, 0.1, 0.7}) {
          evaluator.bounds(left.data(), std::ssize(left), wedge_around(pool, groups, slack, random).data(), bounds.data());
          for (std::size_t i = 0; i < left.size(); ++i) {
            CHECK(bounds[i] >= gains[i] * (1 - 1e-12) - tiny);
            // Bounds are less close for terms with a large share of the pool.
            if (slack == 0 && kind == Kind::spread && left.size() > 35) CHECK(bounds[i] <= 1.001 * gains[i] + 1e-9 * most);
          }
        }
        const std::size_t i = at(below(random, std::ssize(left)));
        selection.select(left[i], selection.copies_left(left[i]));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
}

TEST_OF_ONE_THREAD(few_gains_are_computed_where_classes_are_many) {
  Random random(16);
  std::vector<double> prior;
  const auto c = make_sparse_case<Int>(Sparse::text, 400, 3000, prior, random);
  const GreedyRanking whole = rank(c, 3000, false), first = rank(c, 1, false);
  check_same(first, whole, 1);
  CHECK_EQ(indices(rank(c, 5, false), 5), indices(rank(c, 5, true), 5));
  std::vector<Int> all = indices(whole, 3000);
  std::sort(all.begin(), all.end());
  for (Int i = 0; i < 3000; ++i) CHECK_EQ(all[at(i)], i);
  CHECK(first.evaluations <= 3000 + 64);
}

// ---- refusals ----------------------------------------------------------------------------------------------------------

TEST(a_class_without_prior_mass_is_in_no_mixture) {
  Random random(12);
  Case<Int> c = make_case<Int>(Kind::skewed, 4, 80, random);
  c.estimation = {1, 80, {}, 0};
  const std::vector<double> prior{0.5, 0, 0.25, 0.25};
  c.estimation.prior_weights = prior;
  check_same(rank(c, 80, false), rank(c, 80, true), 80);
}

TEST(totals_beyond_53_bits_are_rounded_to_the_grid) {
  const Int much = Int{1} << 60;
  const Case<Int> c{{1, 1}, {{much, much / 2, 7}, {much / 4, much, 9}}, {0x1p50, 3 * 0x1p50, {}, 0}};
  check_same(rank(c, 3, false), rank(c, 3, true), 3);
}
