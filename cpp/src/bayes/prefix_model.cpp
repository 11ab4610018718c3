#include "bayes/prefix_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "bayes/verdict_kernels.hpp"
#include "ranking/pairs_by_term.hpp"
#include "simd/logarithm_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"
#include "termsift/types.hpp"

namespace termsift {
namespace {

// Replaces every x by L(x) (prefix_model.hpp). The kernel processes eight values at a time.
void log_plus_one(std::vector<double>& values) {
  const std::size_t n = values.size();
  values.resize((n + 7) / 8 * 8);
  kernels_in_use<LogarithmKernels>().log_plus_one(values.data(), std::ssize(values));
  values.resize(n);
}

// Returns x, a number of class c. Throws std::invalid_argument if x is infinite or NaN.
double finite(double x, std::int64_t c) {
  if (!std::isfinite(x)) throw std::invalid_argument("alpha is too small for the counts of class " + std::to_string(c));
  return x;
}

void check(const NaiveBayes& bayes, std::int64_t n_terms) {
  if (!(bayes.b1 > 0 && bayes.b1 < std::numeric_limits<double>::infinity()))
    throw std::invalid_argument("naive Bayes needs a smoothing alpha that is positive and finite, got " +
                                std::to_string(bayes.b1));
  std::int64_t before = 0;
  for (const std::int64_t k : bayes.ks) {
    if (k <= before || k > static_cast<std::int64_t>(bayes.ranking.size()))
      throw std::invalid_argument("ks must increase and lie in [1, " + std::to_string(bayes.ranking.size()) + "], got " +
                                  std::to_string(k) + " after " + std::to_string(before));
    before = k;
  }
  for (const std::int64_t term : bayes.ranking)
    if (term < 0 || term >= n_terms)
      throw std::invalid_argument("the ranking has term " + std::to_string(term) + ", expected one in [0, " +
                                  std::to_string(n_terms) + ")");
}

void set_ranks(PrefixModel& m, const NaiveBayes& bayes, std::int64_t n_terms) {
  const std::int64_t n_ranks = bayes.ks.empty() ? 0 : bayes.ks.back();
  m.rank_of.assign(at(n_terms), -1);
  m.step_of.resize(at(n_ranks));
  std::int32_t step = 0;
  for (std::int64_t rank = 0; rank < n_ranks; ++rank) {
    const std::int64_t term = bayes.ranking[at(rank)];
    if (m.rank_of[at(term)] >= 0) throw std::invalid_argument("the ranking has term " + std::to_string(term) + " twice");
    m.rank_of[at(term)] = static_cast<std::int32_t>(rank);
    if (rank == bayes.ks[at(step)]) ++step;
    m.step_of[at(rank)] = step;
  }
}

// Sets the pairs of the ranked terms. Sets pair_gain to the counts l, from which the gains are computed later.
template <CountType Count>
void set_pairs(PrefixModel& m, const ClassCounts<Count>& counts) {
  m.first_pair = arrange_pairs_by_term(
      counts, m.classes, std::ssize(m.step_of), Threads{1, {}}, [&](TermId term) { return m.rank_of[at(term)]; },
      [&](std::size_t n_pairs) { m.pair_class.resize(n_pairs), m.pair_gain.resize(n_pairs); },
      [&](std::size_t c, const ClassRow<Count>& row, const auto& slot) {
        for (std::int64_t i = 0; i < row.size; ++i)
          if (const std::int64_t pair = slot(row.terms[i]); pair >= 0) {
            m.pair_class[at(pair)] = static_cast<std::int32_t>(c);
            m.pair_gain[at(pair)] = static_cast<double>(row.term_frequency[i]);
          }
      });
}

// Sets loss_c(k) to final_loss(c, k, sum), where `sum` is the sum of pair_loss over the pairs of class c with a rank below
// k.
template <class FinalLoss>
void set_losses(PrefixModel& m, std::span<const std::int64_t> ks, const std::vector<double>& pair_loss,
                const FinalLoss& final_loss) {
  std::vector<DoubleDouble> sums(m.classes.size());
  m.loss.reserve(ks.size() * at(m.stride));
  std::size_t pair = 0;
  for (const std::int64_t k : ks) {
    for (; pair < at(m.first_pair[at(k)]); ++pair) {
      DoubleDouble& sum = sums[at(m.pair_class[pair])];
      const DoubleDouble next = two_sum(sum.hi, pair_loss[pair]);
      sum = {next.hi, sum.lo + next.lo};
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      m.loss.push_back(finite(final_loss(c, static_cast<double>(k), sums[c].hi + sums[c].lo), m.classes[c]));
    m.loss.resize((m.loss.size() + verdict_lanes - 1) / verdict_lanes * verdict_lanes, 0.0);
  }
}

void set_rise(PrefixModel& m, std::size_t n_steps) {
  m.rise.resize(n_steps);
  for (std::size_t step = 1; step < n_steps; ++step) {
    const double *before = &m.loss[(step - 1) * at(m.stride)], *after = before + m.stride;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < m.classes.size(); ++c) most = std::max(most, before[c] - after[c]);
    const double rise = m.rise[step - 1] + (most + tolerance_growth * std::fabs(most));
    m.rise[step] = rise + 0x1p-50 * std::fabs(rise);  // differences of rises are upper bounds despite rounding
  }
}

}  // namespace

template <CountType Count>
PrefixModel make_prefix_model(const ClassCounts<Count>& counts, const NaiveBayes& bayes) {
  check(bayes, counts.n_terms);
  PrefixModel m;
  std::vector<double> total;  // X_c
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    const ClassRow<Count>& row = *counts.rows[c];
    if (row.n_docs == 0) continue;
    m.classes.push_back(static_cast<std::int64_t>(c));
    m.log_docs.push_back(static_cast<double>(row.n_docs));
    total.push_back(static_cast<double>(row.n_tokens));
    finite(total.back() / bayes.b1, m.classes.back());
  }
  if (m.classes.empty()) throw std::invalid_argument("naive Bayes needs a class with documents");
  const std::size_t n = m.classes.size();
  const double least = *std::min_element(m.log_docs.begin(), m.log_docs.end());
  for (double& docs : m.log_docs) docs = (docs - least) / least;  // docs / least - 1 would lose digits if docs is near least
  log_plus_one(m.log_docs);
  m.stride = (std::ssize(m.log_docs) + verdict_lanes - 1) / verdict_lanes * verdict_lanes;
  m.log_docs.resize(at(m.stride), no_class);

  set_ranks(m, bayes, counts.n_terms);
  set_pairs(m, counts);
  const double b1 = bayes.b1;
  const std::vector<double> l = m.pair_gain;
  for (std::size_t pair = 0; pair < l.size(); ++pair)
    m.pair_gain[pair] = finite(l[pair] / b1, m.classes[at(m.pair_class[pair])]);
  log_plus_one(m.pair_gain);

  m.weighs_tokens = bayes.model == EventModel::multinomial || bayes.model == EventModel::binary;
  m.absent.assign(at(m.stride), 0.0);
  if (!m.weighs_tokens) {
    for (std::size_t c = 0; c < n; ++c) m.absent[c] = total[c] / b1;
    log_plus_one(m.absent);
  }
  if (m.weighs_tokens) {
    set_losses(m, bayes.ks, l, [&](std::size_t, double k, double sum) { return sum / (b1 * k); });
    log_plus_one(m.loss);
  } else if (bayes.model == EventModel::bernoulli) {
    // The logarithm of 1/(1 - p) = (X + 2 b1)/(X - l + b1) is L(b1/(X + b1)) + L(l/(X - l + b1)).
    std::vector<double> present(l.size()), absent(n);
    for (std::size_t pair = 0; pair < l.size(); ++pair)
      present[pair] = l[pair] / (total[at(m.pair_class[pair])] - l[pair] + b1);
    for (std::size_t c = 0; c < n; ++c) absent[c] = b1 / (total[c] + b1);
    log_plus_one(present);
    log_plus_one(absent);
    for (std::size_t pair = 0; pair < l.size(); ++pair) m.pair_gain[pair] += present[pair];
    set_losses(m, bayes.ks, present, [&](std::size_t c, double k, double sum) { return sum + k * absent[c]; });
  } else {
    set_losses(m, bayes.ks, l, [&](std::size_t c, double k, double sum) {
      const double docs = total[c] + b1;
      return sum / docs + k * (b1 / docs);
    });
  }
  set_rise(m, bayes.ks.size());
  return m;
}

template PrefixModel make_prefix_model(const ClassCounts<std::int64_t>&, const NaiveBayes&);
template PrefixModel make_prefix_model(const ClassCounts<double>&, const NaiveBayes&);

}  // namespace termsift
