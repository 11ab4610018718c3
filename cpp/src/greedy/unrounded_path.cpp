#include "greedy/greedy_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "termsift/double_double.hpp"
#include "greedy/gain_kernels.hpp"
#include "ranking/pairs_by_term.hpp"
#include "scoring/class_model.hpp"
#include "simd/targets.hpp"

namespace termsift {
namespace {

struct DoubleDoubles {
  std::vector<double> hi, lo;

  DoubleDouble operator[](std::size_t i) const { return {hi[i], lo[i]}; }
  void set(std::size_t i, DoubleDouble x) { hi[i] = x.hi, lo[i] = x.lo; }
  void resize(std::size_t n) { hi.resize(n), lo.resize(n); }
  void push_back(DoubleDouble x) { hi.push_back(x.hi), lo.push_back(x.lo); }
};

}  // namespace

template <CountType Count>
void unrounded_divergences(const ClassCounts<Count>& counts, const Estimation& estimation, const Smoothing& smoothing,
                           const std::int64_t* terms, std::int64_t n, double* divergences,
                           const std::function<void(std::int64_t)>& tick) {
  const ClassModel model = make_class_model(counts, estimation);
  const std::size_t n_classes = model.classes.size();

  // The counts of all pairs, in the order of `terms`.
  struct Pair {
    std::size_t k;  // the class
    Count l;
  };
  std::vector<Pair> pairs;
  std::vector<TermId> place(static_cast<std::size_t>(counts.n_terms), -1);
  for (std::int64_t i = 0; i < n; ++i) place[static_cast<std::size_t>(terms[i])] = static_cast<TermId>(i);
  const std::vector<std::int64_t> starts = arrange_pairs_by_term(
      counts, model.classes, n, Threads{1, {}}, [&](TermId term) { return place[static_cast<std::size_t>(term)]; },
      [&](std::size_t n_pairs) { pairs.resize(n_pairs); },
      [&](std::size_t k, const ClassRow<Count>& row, const auto& slot) {
        for (std::int64_t i = 0; i < row.size; ++i)
          if (const std::int64_t pair = slot(row.terms[i]); pair >= 0)
            pairs[static_cast<std::size_t>(pair)] = {k, row.term_frequency[i]};
      });

  // The numerators x = l + b1 and the totals n_c are scaled by powers of two, so that no product overflows or underflows.
  const DoubleDouble b2 =
      add(multiply(smoothing.b1, {static_cast<double>(counts.n_terms), 0}), smoothing.leftover);
  std::vector<double> scales;
  DoubleDoubles rest, inverse_total, prior, others_inverse;
  for (std::size_t c = 0; c < n_classes; ++c) {
    const ClassRow<Count>& row = *counts.rows[static_cast<std::size_t>(model.classes[c])];
    DoubleDouble total = add(add(exact_double(row.n_tokens), exact_double(row.n_tokens_rest)), b2);
    scales.push_back(std::ldexp(1.0, -std::ilogb(total.hi)));
    total = scale(total, scales.back());
    rest.push_back(total);
    inverse_total.push_back(divide({1, 0}, total));
    // With two classes, each class is the complement of the other, regardless of the priors.
    const ClassConstants& constants = model.constants[c];
    prior.push_back(n_classes == 2 ? DoubleDouble{0.5, 0} : constants.prior);
    others_inverse.push_back(n_classes == 2 ? DoubleDouble{2, 0} : constants.rest_inverse);
  }
  const MixtureView mixture{prior.hi.data(), prior.lo.data(), others_inverse.hi.data(), others_inverse.lo.data()};
  const auto kernel = kernels_in_use<GainKernels>().cells;

  const std::int64_t block = n_classes <= 4 ? longest_gain_block : 16;
  DoubleDoubles p, pools, before;
  std::vector<double> values(static_cast<std::size_t>(block)), pool_values(static_cast<std::size_t>(block));
  for (DoubleDoubles* array : {&p, &pools, &before}) array->resize(n_classes * static_cast<std::size_t>(block));
  DoubleDouble sum;  // the sum over the cells of the terms so far
  double divergence = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const auto width = static_cast<std::size_t>(std::min(block, n - begin));
    for (std::size_t j = 0; j < width; ++j) {
      const std::size_t step = static_cast<std::size_t>(begin) + j;
      const Pair* pair = pairs.data() + starts[step];
      const Pair* const end = pairs.data() + starts[step + 1];
      const bool is_last = static_cast<std::int64_t>(step) + 1 == counts.n_terms && smoothing.leftover.hi == 0;
      for (std::size_t c = 0; c < n_classes; ++c) {
        DoubleDouble x = smoothing.b1;
        if (pair != end && pair->k == c) x = add(x, exact_double((pair++)->l));
        x = scale(x, scales[c]);
        DoubleDouble left = subtract(rest[c], x);
        if (is_last || left.hi < 0) left = {};  // the remainder is only a rounding error
        rest.set(c, left);
        p.set(c * width + j, multiply(x, inverse_total[c]));
        pools.set(c * width + j, multiply(left, inverse_total[c]));
      }
    }
    const auto cells_of = [&](const DoubleDoubles& of, double remainder_of, double* out) {
      kernel({static_cast<int>(width), static_cast<int>(n_classes), remainder_of, of.hi.data(), of.lo.data(),
              before.hi.data(), before.lo.data(), out},
             mixture);
    };
    cells_of(p, 0, values.data());
    cells_of(pools, 1, pool_values.data());
    for (std::size_t j = 0; j < width; ++j) {
      sum = add(sum, {values[j], 0});
      divergence = std::max(divergence, add(sum, {pool_values[j], 0}).hi);
      divergences[static_cast<std::size_t>(begin) + j] = divergence;
    }
    tick(begin);
  }
}

template void unrounded_divergences(const ClassCounts<std::int64_t>&, const Estimation&, const Smoothing&,
                                    const std::int64_t*, std::int64_t, double*,
                                    const std::function<void(std::int64_t)>&);
template void unrounded_divergences(const ClassCounts<double>&, const Estimation&, const Smoothing&, const std::int64_t*,
                                    std::int64_t, double*, const std::function<void(std::int64_t)>&);

}  // namespace termsift
