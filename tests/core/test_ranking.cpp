#include "termsift/ranking.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "ranking/best_of_classes.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/runtime.hpp"

using namespace termsift;
using namespace collections;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> best(const std::vector<double>& scores, std::size_t k) {
  std::vector<std::int64_t> indices(k, -1);
  top_k(scores.data(), static_cast<std::int64_t>(scores.size()), static_cast<std::int64_t>(k), {3, {}}, indices.data());
  return indices;
}

std::vector<std::int64_t> best_by_stable_sort(const std::vector<double>& scores, std::size_t k) {
  std::vector<std::int64_t> indices(scores.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  indices.resize(k);
  return indices;
}

}  // namespace

TEST(both_zeros_are_equal) {
  // The scores -0 and 0 must tie. A comparison of bits would rank -0 below 0.
  CHECK_EQ(best({-0.0, 0.0, -0.0}, 3), (std::vector<std::int64_t>{0, 1, 2}));
}

// ---- round robin -------------------------------------------------------------------------------------------------------

namespace {

struct Turns {
  std::vector<std::int64_t> indices;
  std::vector<double> scores;
  std::vector<std::int64_t> classes;  // indices of the classes' rows in the counts
};

// Returns the expected result of round robin, computed from the complete ranking of every class.
template <CountType Count>
Turns turns_of_whole_lists(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure) {
  const auto n = at(counts.n_terms);
  std::vector<double> values(counts.rows.size() * n);
  class_results(counts, estimation, measure, {1, {}}, values.data());
  std::vector<std::pair<std::size_t, std::size_t>> earned(n, {n, 0});  // a term's best rank in any class, and this class
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    if (counts.rows[c]->n_docs == 0) continue;
    const std::vector<double> row(values.begin() + std::ptrdiff_t(c * n), values.begin() + std::ptrdiff_t((c + 1) * n));
    const std::vector<std::int64_t> list = best_by_stable_sort(row, n);
    for (std::size_t place = 0; place < n; ++place)
      if (place < earned[at(list[place])].first) earned[at(list[place])] = {place, c};
  }
  Turns turns;
  turns.indices.resize(n);
  std::iota(turns.indices.begin(), turns.indices.end(), 0);
  std::stable_sort(turns.indices.begin(), turns.indices.end(),
                   [&](auto a, auto b) { return earned[at(a)].first < earned[at(b)].first; });
  for (const std::int64_t term : turns.indices) {
    const std::size_t c = earned[at(term)].second;
    turns.scores.push_back(values[c * n + at(term)]);
    turns.classes.push_back(static_cast<std::int64_t>(c));
  }
  return turns;
}

enum class Kind { text, alike, large_class, large_term, nearly_empty, weighted };

// Returns counts of many classes with few terms each. Some classes have no documents, and some terms occur in no class.
template <CountType Count>
ClassCounts<Count> counts_of_many_classes(Kind kind, std::int64_t n_classes, std::int64_t n_terms, Random& random) {
  std::vector<Count> n_docs;
  std::vector<std::vector<Count>> tf;
  for (std::int64_t c = 0; c < n_classes; ++c) {
    n_docs.push_back(static_cast<Count>(c % 9 == 4 ? 0 : kind == Kind::alike ? 4 : 1 + below(random, 9)));
    std::vector<Count> row(at(n_terms), Count{0});
    const std::int64_t n_pairs = n_docs.back() == 0 ? 0 : kind == Kind::nearly_empty ? c % 3 : below(random, n_terms / 15);
    for (std::int64_t i = 0; i < n_pairs; ++i) {
      const auto term = at(below(random, 1 + below(random, n_terms - 20)));  // frequent terms come first
      row[term] = static_cast<Count>(kind == Kind::alike ? 1 : 1 + below(random, 4));
      if (kind == Kind::weighted) row[term] = static_cast<Count>(0.3 * static_cast<double>(row[term]));
    }
    if (kind == Kind::large_class && c == 0) {
      n_docs[0] = static_cast<Count>(100000);
      for (std::int64_t t = 0; t < n_terms; t += 2) row[at(t)] = static_cast<Count>(below(random, 100000));
    }
    if (kind == Kind::large_class && c == 1)  // classes without terms rank the rare terms first
      for (std::int64_t t = 1; t < n_terms; t += 2) row[at(t)] = static_cast<Count>(1 + t * 5 % 7);
    if (kind == Kind::large_term && c % 5 == 0 && n_docs.back() > 0)
      row[at(n_terms / 2)] = static_cast<Count>(1000);
    tf.push_back(std::move(row));
  }
  return make_counts(n_docs, tf);
}

template <CountType Count>
Turns round_robin_of(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, std::int64_t k,
                     int n_threads = 1) {
  Turns turns{std::vector<std::int64_t>(at(k)), std::vector<double>(at(k)), std::vector<std::int64_t>(at(k))};
  round_robin(counts, estimation, measure, k, {n_threads, {}}, turns.indices.data(), turns.scores.data(),
              turns.classes.data());
  return turns;
}

template <CountType Count>
void check_round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure) {
  const Turns want = turns_of_whole_lists(counts, estimation, measure);
  CHECK(BestOfClasses<Count>::pays(counts, estimation, measure));
  const auto check = [&](std::int64_t k, int n_threads) {
    const Turns got = round_robin_of(counts, estimation, measure, k, n_threads);
    for (std::size_t i = 0; i < at(k); ++i) {
      CHECK_EQ(got.indices[i], want.indices[i]);
      CHECK_EQ(got.scores[i], want.scores[i]);
      CHECK_EQ(got.classes[i], want.classes[i]);
    }
  };
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{20}, counts.n_terms / 8, counts.n_terms}) check(k, 1);
  check(20, 3);
}

}  // namespace

TEST(classes_take_turns_as_by_their_whole_lists) {
  Random random(3);
  for (const Kind kind : {Kind::text, Kind::alike, Kind::large_class, Kind::large_term, Kind::nearly_empty, Kind::weighted})
    for (const EventModel model : {EventModel::multinomial, EventModel::bernoulli, EventModel::poisson})
      for (const Measure measure : {Measure::kl, Measure::nu_j, Measure::nu_pearson})
        for (const double b1 : {1.0, 0.01}) {
          const auto check = [&]<CountType Count>(const ClassCounts<Count>& drawn) {
            const auto counts = as_counted_by(model, drawn, {});
            const double b2 = model == EventModel::multinomial ? b1 * static_cast<double>(counts.n_terms) : 2 * b1;
            check_round_robin(counts, {b1, b2, {}, 0}, measure);
          };
          if (kind == Kind::weighted) check(counts_of_many_classes<double>(kind, 60, 700, random));
          else check(counts_of_many_classes<std::int64_t>(kind, 60, 700, random));
        }
}

TEST(turns_are_the_same_on_every_target_and_with_any_prior) {
  Random random(4);
  const auto counts = counts_of_many_classes<std::int64_t>(Kind::text, 80, 900, random);
  std::vector<double> prior;
  for (std::size_t c = 0; c < 80; ++c) prior.push_back(c % 4 == 0 ? 0 : c == 7 ? 100 : 1);
  const Estimation estimation{0.5, 450, prior, 0};
  const std::string target = simd_target();
  const Turns first = round_robin_of(counts, estimation, Measure::kl, 50);
  for (const std::string& name : simd_targets()) {
    use_simd_target(name);
    check_round_robin(counts, estimation, Measure::kl);
    CHECK_EQ(round_robin_of(counts, estimation, Measure::kl, 50).scores, first.scores);
  }
  use_simd_target(target);
}

TEST(the_best_of_classes_are_few_terms) {
  Random random(5);
  const auto counts = counts_of_many_classes<std::int64_t>(Kind::text, 100, 6000, random);
  const BestOfClasses<std::int64_t> best(counts, {1, 6000, {}, 0}, Measure::kl, {1, {}});
  CHECK(best.terms(1).size() <= 110);
  CHECK(best.terms(3).size() <= 330);
}

TEST(counts_that_are_no_doubles_are_ranked_by_whole_lists) {
  Random random(7);
  std::vector<std::vector<std::int64_t>> tf(60, std::vector<std::int64_t>(700, 0));
  for (auto& row : tf) row[at(below(random, 700))] = (std::int64_t{1} << 54) + below(random, 9);
  const auto counts = make_counts(std::vector<std::int64_t>(60, 1), tf);
  const Estimation estimation{1, 700, {}, 0};
  CHECK(!BestOfClasses<std::int64_t>::pays(counts, estimation, Measure::kl));
  CHECK_EQ(round_robin_of(counts, estimation, Measure::kl, 700).indices,
           turns_of_whole_lists(counts, estimation, Measure::kl).indices);
}

TEST(turns_can_be_interrupted_and_refuse_what_scores_refuse) {
  Random random(6);
  const auto counts = counts_of_many_classes<std::int64_t>(Kind::text, 60, 700, random);
  std::array<std::int64_t, 5> indices{};
  std::array<double, 5> scores{};
  std::array<std::int64_t, 5> classes{};
  const auto run = [&](const Estimation& estimation, const Threads& threads) {
    round_robin(counts, estimation, Measure::kl, 5, threads, indices.data(), scores.data(), classes.data());
  };
  CHECK_THROWS(run({1, 700, {}, 0}, {1, [] { return true; }}), Interrupted, "interrupted");
  CHECK_THROWS(run({2, 1, {}, 0}, {1, {}}), std::invalid_argument, "0 <= b1 <= b2");
}
