#include "termsift/contingency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "termsift/round_robin.hpp"

using namespace termsift;
using namespace collections;

namespace {

constexpr Estimation smoothed{0.5, 3};
constexpr Estimation prior_alone{0, 3};  // b2 is the prior mass of log_odds; log_ratio has both infinities
constexpr Estimation unsmoothed{0, 0};

// Returns counts of random documents. Most terms are absent from most classes.
template <CountType Count>
ClassCounts<Count> random_counts(std::uint64_t seed, std::size_t n_classes, std::int64_t n_terms, Count unit,
                                 bool with_empty_class) {
  Random random(seed);
  ClassCounts<Count> counts;
  counts.n_terms = n_terms;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const bool empty = with_empty_class && c == 1;
    std::vector<TermId> terms;
    for (std::int64_t t = 0; t < n_terms; ++t)
      if (!empty && random() % 3 == 0) terms.push_back(static_cast<TermId>(t));
    auto row = ClassRow<Count>::with_capacity(static_cast<std::int64_t>(terms.size()));
    row.size = static_cast<std::int64_t>(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto df = static_cast<Count>(1 + random() % 90) * unit;
      row.terms[i] = terms[i];
      row.document_frequency.set(static_cast<std::int64_t>(i), df);
      row.term_frequency.set(static_cast<std::int64_t>(i), df * static_cast<Count>(1 + random() % 3));
    }
    row.sum_tokens();
    row.n_docs = empty ? Count{0} : static_cast<Count>(100) * unit;
    counts.n_docs += row.n_docs;
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(std::move(row)));
  }
  return counts;
}

// Checks that scores, strongest classes and their signs follow from the class scores, on any number of threads.
template <CountType Count>
void check_against_class_scores(const ClassCounts<Count>& counts, const Estimation& estimation) {
  const auto n_terms = static_cast<std::size_t>(counts.n_terms), n_classes = counts.rows.size();
  for (std::uint8_t m = 0; m < n_contingency_methods; ++m) {
    const ContingencyMeasure measure{m};
    std::vector<double> values(n_terms * n_classes), scores(n_terms);
    std::vector<std::int8_t> signs(n_terms * n_classes);
    class_scores(counts, estimation, measure, {2, {}}, values.data());
    class_directions(counts, estimation, measure, {2, {}}, signs.data());
    for (const Aggregate aggregate : {Aggregate::sum, Aggregate::max})
      for (const int n_threads : {1, 3}) {
        score(counts, estimation, measure, aggregate, {n_threads, {}}, scores.data());
        for (std::size_t t = 0; t < n_terms; ++t) {
          long double sum = 0, magnitude = 0;
          double largest = -std::numeric_limits<double>::infinity();
          for (std::size_t c = 0; c < n_classes; ++c) {
            if (!(counts.rows[c]->n_docs > 0)) continue;
            const double value = values[c * n_terms + t];
            CHECK(!std::isnan(value));
            sum += value, magnitude += std::fabs(value), largest = std::max(largest, value);
          }
          const auto expected = std::isnan(sum) ? 0 : static_cast<double>(sum);  // inf - inf counts as 0
          if (aggregate == Aggregate::max) {
            CHECK_EQ(scores[t], largest);
          } else if (std::isfinite(expected)) {
            CHECK(std::fabs(scores[t] - expected) <= 1e-14L * magnitude);
          } else {
            CHECK_EQ(scores[t], expected);
          }
        }
      }
    std::vector<std::int64_t> classes(n_terms);
    std::vector<std::int8_t> strongest_signs(n_terms);
    strongest_class(counts, measure, {2, {}}, scores.data(), classes.data(), strongest_signs.data());
    for (std::size_t t = 0; t < n_terms; ++t) {
      if (measure == ContingencyMeasure::log_odds || measure == ContingencyMeasure::log_ratio)
        continue;  // strongest_class takes no smoothing
      const std::size_t place = static_cast<std::size_t>(classes[t]) * n_terms + t;
      CHECK_EQ(scores[t], values[place]);
      if (measure == ContingencyMeasure::tfidf) continue;  // its direction reads other cells
      CHECK_EQ(static_cast<int>(strongest_signs[t]), static_cast<int>(signs[place]));
    }
  }
}

}  // namespace

TEST(scores_follow_from_class_scores) {
  // Guards against faults in sums over looked-up parts, and in chunks after the first.
  for (const Estimation& estimation : {smoothed, prior_alone}) {
    check_against_class_scores(random_counts<std::int64_t>(1, 2, 20000, 1, false), estimation);
    check_against_class_scores(random_counts<std::int64_t>(2, 7, 9000, 1, true), estimation);
    check_against_class_scores(random_counts<std::int64_t>(3, 3, 50, std::int64_t{1} << 44, false), estimation);
    check_against_class_scores(random_counts<double>(4, 4, 9000, 0.25, true), estimation);
    check_against_class_scores(random_counts<std::int64_t>(6, 3, 9000, std::int64_t{1} << 20, true), estimation);
  }
}

TEST(counts_without_classes_and_without_terms) {
  // Guards against reading the first of no classes.
  for (const std::int64_t n_terms : {0, 3}) {
    ClassCounts<std::int64_t> counts;
    counts.n_terms = n_terms;
    const auto n = static_cast<std::size_t>(n_terms);
    std::vector<double> scores(n, -1);
    for (const Aggregate aggregate : {Aggregate::sum, Aggregate::mean, Aggregate::max})
      score(counts, unsmoothed, ContingencyMeasure::df, aggregate, {1, {}}, scores.data());
    collection_scores(counts, ContingencyMeasure::tfidf, {1, {}}, scores.data());
    CHECK_EQ(scores, std::vector<double>(n, 0));
    std::vector<std::int64_t> indices(n, -1), classes(n, -1);
    round_robin(counts, unsmoothed, ContingencyMeasure::df, n_terms, {1, {}}, indices.data(), scores.data(),
                classes.data());
    for (std::size_t t = 0; t < n; ++t) CHECK_EQ(indices[t], static_cast<std::int64_t>(t));
    CHECK_EQ(classes, std::vector<std::int64_t>(n, 0));
    const Threads one{1, {}};
    CHECK_THROWS(score(counts, unsmoothed, ContingencyMeasure::ig, Aggregate::sum, one, scores.data()),
                 std::invalid_argument, "at least two");
  }
}

TEST(round_robin_gives_each_term_once_at_its_best_place) {
  const auto counts = random_counts<std::int64_t>(5, 6, 5000, 1, true);
  const auto n = static_cast<std::size_t>(counts.n_terms);
  std::vector<double> values(n * counts.rows.size());
  class_scores(counts, unsmoothed, ContingencyMeasure::chi2, {1, {}}, values.data());
  std::vector<std::size_t> best(n, n);
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    if (!(counts.rows[c]->n_docs > 0)) continue;
    std::vector<std::size_t> list(n);
    for (std::size_t t = 0; t < n; ++t) list[t] = t;
    std::stable_sort(list.begin(), list.end(),
                     [&](std::size_t s, std::size_t t) { return values[c * n + s] > values[c * n + t]; });
    for (std::size_t place = 0; place < n; ++place) best[list[place]] = std::min(best[list[place]], place);
  }
  std::vector<std::int64_t> expected(n);
  for (std::size_t t = 0; t < n; ++t) expected[t] = static_cast<std::int64_t>(t);
  std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t s, std::int64_t t) {
    return best[static_cast<std::size_t>(s)] < best[static_cast<std::size_t>(t)];
  });
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{37}, n}) {
    std::vector<std::int64_t> indices(k, -1), classes(k, -1);
    std::vector<double> earned(k, -1);
    round_robin(counts, unsmoothed, ContingencyMeasure::chi2, static_cast<std::int64_t>(k), {2, {}},
                indices.data(), earned.data(), classes.data());
    for (std::size_t i = 0; i < k; ++i)
      CHECK_EQ(earned[i], values[static_cast<std::size_t>(classes[i]) * n + static_cast<std::size_t>(indices[i])]);
    CHECK_EQ(indices, std::vector<std::int64_t>(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(k)));
  }
  for (const Measure measure : {Measure::kl, Measure::nu_j, Measure::nu_pearson})
    round_robin(counts, Estimation{}, measure, 0, {1, {}}, nullptr, nullptr, nullptr);
}
