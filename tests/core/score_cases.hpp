// Scores of counts by every measure and event model, for the tests of scores.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "collections.hpp"
#include "termsift/scores.hpp"

namespace score_cases {

using namespace termsift;
using namespace collections;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A measure, and the event model of the counts to which it is applied.
struct Divergence {
  constexpr Divergence(Measure m, EventModel e = EventModel::multinomial) : measure(m), model(e) {}
  Measure measure;
  EventModel model;
};
inline constexpr Divergence measures[] = {
    {Measure::kl},         {Measure::kl, EventModel::bernoulli},         {Measure::kl, EventModel::poisson},
    {Measure::nu_j},       {Measure::nu_j, EventModel::bernoulli},       {Measure::nu_j, EventModel::poisson},
    {Measure::nu_pearson}, {Measure::nu_pearson, EventModel::bernoulli}, {Measure::nu_pearson, EventModel::poisson}};
inline constexpr Aggregate aggregates[] = {Aggregate::sum, Aggregate::mean, Aggregate::max};

// Returns the counts with another event model, so that the rows are scored as if this model had counted them.
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
  class_results(with_model(counts, measure.model), estimation, measure.measure, {n_threads, {}}, values.data());
  return values;
}

struct PairScores {
  std::vector<double> scores;
  std::vector<std::int8_t> directions;
};

// Returns the scores of all pairs of a class and a term, in the order of class_scores_of.
template <CountType Count>
PairScores pair_scores_of(const ClassCounts<Count>& counts, const Estimation& estimation, Divergence measure,
                          int n_threads = 1) {
  std::vector<std::int64_t> starts{0};
  std::vector<TermId> terms;
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    for (std::int64_t t = 0; t < counts.n_terms; ++t) terms.push_back(static_cast<TermId>(t));
    starts.push_back(std::ssize(terms));
  }
  PairScores of{std::vector<double>(terms.size(), -1), std::vector<std::int8_t>(terms.size(), 9)};
  score_pairs(with_model(counts, measure.model), estimation, measure.measure, {n_threads, {}},
              {starts.data(), terms.data()}, of.scores.data(), of.directions.data());
  return of;
}

inline std::vector<std::uint64_t> bits(const std::vector<double>& values) {
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

}  // namespace score_cases
