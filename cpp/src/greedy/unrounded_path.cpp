#include "greedy/unrounded_path.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "scoring/class_model.hpp"
#include "base/exact_double.hpp"
#include "greedy/gain_kernels.hpp"
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

// The counts of the terms in their order, as those of columns.
template <CountType Count>
struct Columns {
  struct Cell {
    ClassId class_;
    Count l;
  };
  std::vector<std::int64_t> starts;  // (n + 1,)
  std::vector<Cell> cells;           // of term k: [starts[k], starts[k + 1])

  Columns(const ClassCounts<Count>& counts, const std::vector<std::int64_t>& classes, const std::int64_t* terms,
          std::int64_t n)
      : starts(static_cast<std::size_t>(n) + 2, 0) {
    constexpr TermId none = -1;
    std::vector<TermId> place(static_cast<std::size_t>(counts.n_terms), none);
    for (std::int64_t k = 0; k < n; ++k) place[static_cast<std::size_t>(terms[k])] = static_cast<TermId>(k);
    const auto for_each_cell = [&](const auto& body) {
      for (std::size_t c = 0; c < classes.size(); ++c) {
        const ClassRow<Count>& row = *counts.rows[static_cast<std::size_t>(classes[c])];
        for (std::int64_t i = 0; i < row.size; ++i)
          if (const TermId k = place[static_cast<std::size_t>(row.terms[i])]; k != none)
            body(static_cast<std::size_t>(k), Cell{static_cast<ClassId>(c), row.term_frequency[i]});
      }
    };
    // starts[k + 1] goes from the start of the term's cells to their end while they are written.
    for_each_cell([&](std::size_t k, const Cell&) { ++starts[k + 2]; });
    for (std::size_t k = 2; k < starts.size(); ++k) starts[k] += starts[k - 1];
    cells.resize(static_cast<std::size_t>(starts.back()));
    starts.pop_back();
    for_each_cell([&](std::size_t k, const Cell& cell) { cells[static_cast<std::size_t>(starts[k + 1]++)] = cell; });
  }
};

}  // namespace

template <CountType Count>
void unrounded_divergences(const ClassCounts<Count>& counts, const Estimation& estimation, const Smoothing& smoothing,
                           const std::int64_t* terms, std::int64_t n, double* divergences,
                           const std::function<void(std::int64_t)>& tick) {
  const ClassModel model = make_class_model(counts, estimation);
  const Columns<Count> columns(counts, model.classes, terms, n);
  const std::size_t n_classes = model.classes.size();

  // Numerators x = l + b1 and the totals n_c are scaled by a power of two, so that no product leaves the range of double.
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
    // Of two classes each is the mixture outside the other, whatever the priors.
    const ClassConstants& constants = model.constants[c];
    prior.push_back(n_classes == 2 ? DoubleDouble{0.5, 0} : DoubleDouble{constants.prior_hi, constants.prior_lo});
    others_inverse.push_back(n_classes == 2 ? DoubleDouble{2, 0}
                                            : DoubleDouble{constants.rest_inverse_hi, constants.rest_inverse_lo});
  }
  const MixtureView mixture{prior.hi.data(), prior.lo.data(), others_inverse.hi.data(), others_inverse.lo.data()};
  const auto kernel = kernels_in_use<GainKernels>().precise_cells;

  const std::int64_t block = n_classes <= 4 ? longest_gain_block : 16;
  DoubleDoubles p, pools, before;
  std::vector<double> values(static_cast<std::size_t>(block)), pool_values(static_cast<std::size_t>(block));
  for (DoubleDoubles* array : {&p, &pools, &before}) array->resize(n_classes * static_cast<std::size_t>(block));
  DoubleDouble sum;  // of the terms' own cells
  double divergence = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const auto width = static_cast<std::size_t>(std::min(block, n - begin));
    for (std::size_t j = 0; j < width; ++j) {
      const auto k = static_cast<std::size_t>(begin) + j;
      const auto* cell = columns.cells.data() + columns.starts[k];
      const auto* const end = columns.cells.data() + columns.starts[k + 1];
      const bool is_empty = begin + static_cast<std::int64_t>(j) + 1 == counts.n_terms && smoothing.leftover.hi == 0;
      for (std::size_t c = 0; c < n_classes; ++c) {
        DoubleDouble x = smoothing.b1;
        if (cell != end && static_cast<std::size_t>(cell->class_) == c) x = add(x, exact_double((cell++)->l));
        x = scale(x, scales[c]);
        DoubleDouble left = subtract(rest[c], x);
        if (is_empty || left.hi < 0) left = {};  // what rounding left over
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
