// The kernels of linear machines. Each of the sixteen lanes of a vector belongs to one machine.
#include "machines/machine_kernels.hpp"
#include "termsift/portability.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

constexpr int lanes = machine_lanes;
using Vector = Lanes<float, lanes>;
using Places = Lanes<std::int32_t, lanes>;

TERMSIFT_INLINE void add(const MachineProblem& p, std::int64_t term, const Vector& change) {
  Vector weights;
  load(p.weights + term * lanes, weights);
  weights += change;
  store(weights, p.weights + term * lanes);
}

// Sets `sum` to w_c.z_d for sixteen machines. Two partial sums halve the length of the chain of dependent additions.
TERMSIFT_INLINE void decision(const MachineProblem& p, std::int64_t d, Vector& sum) {
  const std::int64_t end = p.end[d];
  Vector odd{}, weights;
  load(p.weights + p.n_terms * lanes, sum);
  std::int64_t e = p.begin[d];
  for (; e + 1 < end; e += 2) {
    load(p.weights + std::int64_t{p.terms[e]} * lanes, weights);
    sum += p.values[e] * weights;
    load(p.weights + std::int64_t{p.terms[e + 1]} * lanes, weights);
    odd += p.values[e + 1] * weights;
  }
  if (e < end) {
    load(p.weights + std::int64_t{p.terms[e]} * lanes, weights);
    sum += p.values[e] * weights;
  }
  sum += odd;
}

// Prefetches the duals of a document and the weights of its first terms.
TERMSIFT_INLINE void prefetch_document(const MachineProblem& p, std::int64_t d) {
  constexpr std::int64_t most = 64;
  const std::int64_t begin = p.begin[d], end = p.end[d] - begin < most ? p.end[d] : begin + most;
  prefetch(p.duals + d * lanes);
  for (std::int64_t e = begin; e < end; ++e) prefetch(p.weights + std::int64_t{p.terms[e]} * lanes);
}

void descend(const MachineProblem& p, const std::int32_t* order, std::int64_t n) {
  const Vector zeros{}, ones = Vector{} + 1.0f;
  const Places places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (std::int64_t i = 0; i < n; ++i) {
    if (i + 1 < n) prefetch_document(p, order[i + 1]);
    const std::int64_t d = order[i];
    Vector sum, sign, dual;
    decision(p, d, sum);
    choose(places == p.class_of[d] - p.first_class, ones, -ones, sign);  // 1 for the document's class, -1 for all others
    load(p.duals + d * lanes, dual);
    const float step = 1.0f / (p.squares[d] + p.diagonal[d]);
    Vector better = dual - (sign * sum - 1.0f + p.diagonal[d] * dual) * step;
    choose(better > zeros, better, zeros, better);
    const Vector change = (better - dual) * sign;
    bool changed = false;
    for (int j = 0; j < lanes; ++j) changed |= change[j] != 0;
    if (!changed) continue;
    store(better, p.duals + d * lanes);
    for (std::int64_t e = p.begin[d]; e < p.end[d]; ++e) add(p, p.terms[e], p.values[e] * change);
    add(p, p.n_terms, change);
  }
}

constexpr MachineKernels kernels{descend};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::MachineKernels termsift::MachineKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
