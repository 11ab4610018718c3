// The naive Bayes kernels. The verdict is the same for all SIMD targets, because a maximum does not depend on the order of
// its operands.
#include "simd/logarithms.hpp"
#include "simd/weighted_row_impl.hpp"
#include "bayes/verdict_kernels.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// The kernel has explicit vectors, because compilers do not vectorise its maxima.
constexpr int lanes = verdict_lanes;
using Vector = Lanes<double, lanes>;

TERMSIFT_INLINE void raise(Vector& a, const Vector& to) { choose(to > a, to, a, a); }

TERMSIFT_INLINE double largest(const Vector& v) { return larger(larger(v[0], v[1]), larger(v[2], v[3])); }

// Returns the verdict if several classes may have the largest v_c because of rounding errors.
Verdict judge_ties(const ClassPosteriors& p, double least_of_best) {
  std::int64_t winner = 0;
  while (p.values[winner] + p.errors[winner] < least_of_best) ++winner;
  double second = -infinity;
  for (std::int64_t c = 0; c < p.stride; ++c)
    if (c != winner) second = larger(second, p.values[c] + 2 * p.errors[c]);
  return {winner, p.values[winner] - 2 * p.errors[winner] - second};
}

Verdict judge(const ClassPosteriors& p) {
  const double *log_docs = p.log_docs, *sums = p.sums, *absent = p.absent, *loss = p.loss;
  double *values = p.values, *errors = p.errors;
  const double tokens = p.tokens, weight = p.weight, allowed = p.error;
  const std::int64_t stride = p.stride;
  // In each lane, `least` is the largest lower bound of v_c, `most` the largest upper bound, and `second` the second largest
  // upper bound.
  Vector least = Vector{} - infinity, most = least, second = least;
  Vector number = {0, 1, 2, 3}, best = number;
  for (std::int64_t c = 0; c < stride; c += lanes, number += lanes) {
    Vector log_docs_c, sums_c, absent_c, loss_c;
    load(log_docs + c, log_docs_c), load(sums + c, sums_c), load(absent + c, absent_c), load(loss + c, loss_c);
    const Vector gained = log_docs_c + sums_c, lost = tokens * absent_c + weight * loss_c;
    const Vector value = gained - lost, error = allowed * (gained + lost), reach = value + 2 * error;
    store(value, values + c);
    store(error, errors + c);
    raise(least, value - error);
    Vector less;
    choose(reach < most, reach, most, less);
    raise(second, less);
    choose(reach > most, number, best, best);
    raise(most, reach);
  }
  const double least_of_best = largest(least);
  int lane = 0;
  for (int j = 1; j < lanes; ++j) lane = most[j] > most[lane] ? j : lane;
  double others = largest(second);
  for (int j = 0; j < lanes; ++j) others = larger(others, j == lane ? -infinity : most[j]);
  if (!(others < least_of_best)) return judge_ties(p, least_of_best);
  const auto winner = static_cast<std::int64_t>(best[lane]);
  return {winner, values[winner] - 2 * errors[winner] - others};
}

constexpr VerdictKernels kernels{judge, add_weights<ValuedTerm>};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::VerdictKernels termsift::VerdictKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
