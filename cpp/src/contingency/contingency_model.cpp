#include "contingency/column_totals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "termsift/double_double.hpp"
#include "base/values.hpp"
#include "contingency/formulas_impl.hpp"
#include "scoring/class_model.hpp"

namespace termsift {
namespace {

// The bounds of b2 / g for log_odds. The lower bound also limits b1 / g for log_ratio. Within these bounds, no product in
// the two kernels leaves the range of a double (formulas_impl.hpp).
constexpr double least_prior = 0x1p-450, most_prior = 0x1p450;

MeasureFacts facts_of(ContingencyMeasure measure) {
  return simd::baseline::with_formula(measure, [](auto formula) { return formula.facts; });
}

template <CountType Count>
DoubleDouble tokens(const ClassRow<Count>& row) {
  return add(exact_double(row.n_tokens), exact_double(row.n_tokens_rest));
}

template <CountType Count>
double class_weight(const ClassCounts<Count>& counts, const Estimation& estimation, std::size_t c) {
  return estimation.prior_weights.empty() ? static_cast<double>(counts.rows[c]->n_docs) : estimation.prior_weights[c];
}

// Returns the largest weight of a nonempty class, or 1 if no weight is positive.
template <CountType Count>
double check(const ClassCounts<Count>& counts, const Estimation& estimation, const MeasureFacts& facts) {
  check_class_prior(estimation.prior_weights, counts.rows.size());
  double largest = 0;
  std::size_t n_classes = 0;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->is_present()) ++n_classes, largest = std::max(largest, class_weight(counts, estimation, c));
  if (n_classes < 2 && facts.compares_classes)
    throw std::invalid_argument("scores need at least two classes with documents, got " + std::to_string(n_classes));
  if (n_classes > 0 && largest == 0 && !estimation.prior_weights.empty())
    throw std::invalid_argument("class_prior is 0 for every class with documents");
  return largest > 0 ? largest : 1;  // all weights are 0 if n_docs is unknown, but only a mean uses weights
}

// `share` is b2 / g. If there are no tokens, any prior is accepted, because every score is 0.
void check_prior_mass(double prior_mass, DoubleDouble tokens, double share) {
  if (prior_mass == 0 || tokens.hi == 0 || (share >= least_prior && share <= most_prior)) return;
  throw std::invalid_argument("smoothing b2 = " + text(prior_mass) + " is too " + (share < 1 ? "small" : "large") +
                              " compared with the " + text(tokens.hi) + " tokens of the collection; log_odds needs b2 / "
                              "tokens between 2^-450 and 2^450, or b2 = 0 for no smoothing");
}

// Throws if products with b1 could underflow, because values would then be infinite, as they are without smoothing.
void check_least_smoothing(double b1, DoubleDouble tokens, const char* measure) {
  if (b1 == 0 || tokens.hi == 0 || b1 / tokens.hi >= least_prior) return;
  throw std::invalid_argument("smoothing b1 = " + text(b1) + " is too small compared with the " + text(tokens.hi) +
                              " tokens of the collection; " + measure + " needs b1 / tokens of at least 2^-450, or b1 = 0 "
                              "for no smoothing");
}

}  // namespace

const char* name_of(ContingencyMeasure measure) { return facts_of(measure).name; }

template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const Estimation& estimation,
                                        ContingencyMeasure measure, Aggregate aggregate) {
  ContingencyModel model;
  model.facts = facts_of(measure);
  if (model.facts.reads_b1 && estimation.b1 == 0) model.facts.absent = Absent::minus_infinity;
  const double largest = check(counts, estimation, model.facts);

  // Unless documents have several classes, g is computed as the sum of the rows. counts.n_docs may be a sum of fractions
  // added in another order, so rounding could violate r <= g or t <= g.
  const auto total_of = [&](const ClassRow<Count>& row) {
    return model.facts.row_totals_are_tokens ? tokens(row) : exact_double(row.n_docs);
  };
  DoubleDouble total, all_tokens;
  if (counts.collection) {
    all_tokens = tokens(*counts.collection);
    total = model.facts.row_totals_are_tokens ? all_tokens : exact_double(counts.n_docs);
  } else {
    for (const auto& row : counts.rows) total = add(total, total_of(*row)), all_tokens = add(all_tokens, tokens(*row));
  }
  model.whole = std::is_integral_v<Count> && total.hi <= 0x1p50 && all_tokens.hi <= 0x1p50;
  const bool of_tokens = model.facts.cells_are_tokens || model.facts.column_totals_are_tokens;
  const bool small = model.whole && total.hi <= 0x1p26 && (!of_tokens || all_tokens.hi <= 0x1p26);
  // Fractions and counts above 2^50 are scaled by a power of two, so that products of counts near 1e300 do not overflow. The
  // exponent is even, because log_odds takes the square root of the power.
  if (!model.whole && total.hi > 0) model.unit = std::ldexp(1.0, std::clamp(-std::ilogb(total.hi) / 2 * 2, -1000, 1000));
  const DoubleDouble g = scale(total, model.unit);

  DoubleDouble weights;
  double n_classes = 0;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->is_present())
      ++n_classes, weights = add(weights, {class_weight(counts, estimation, c) / largest, 0});
  const DoubleDouble b2 = scale({estimation.b2, estimation.b2_rest}, model.unit);
  const DoubleDouble prior = g.hi > 0 ? divide(b2, g) : DoubleDouble{};
  if (model.facts.b2_is_prior_mass) check_prior_mass(estimation.b2, total, prior.hi);
  if (model.facts.reads_b1) check_least_smoothing(estimation.b1, total, model.facts.name);
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    const ClassRow<Count>& row = *counts.rows[c];
    if (!row.is_present()) continue;
    const DoubleDouble r = scale(total_of(row), model.unit), rest = subtract(g, r);
    ContingencyClass entry{static_cast<std::int64_t>(c), 1, 0, {}};
    if (aggregate == Aggregate::mean) entry.weight = class_weight(counts, estimation, c) / largest / weights.hi;
    ContingencyConstants& k = entry.constants;
    k.r_hi = r.hi, k.r_lo = r.lo, k.g_hi = g.hi, k.g_lo = g.lo;
    k.rest_hi = std::max(rest.hi, 0.0), k.rest_lo = rest.hi > 0 ? rest.lo : 0;
    // Replaces infinity by the largest double, whose product with 0 is 0. Infinity occurs if the class has less than 2^-1023
    // of the collection.
    const auto finite = [](double x) { return std::min(std::numeric_limits<double>::max(), x); };
    k.spread = finite(divide(g, multiply(r, {k.rest_hi > 0 ? k.rest_hi : 1, k.rest_lo})).hi);
    k.two_over_r = finite(2 / r.hi), k.two_over_rest = finite(2 / k.rest_hi);
    k.b1 = finite(estimation.b1 * model.unit), k.b2_hi = finite(b2.hi), k.b2_lo = std::isfinite(b2.hi) ? b2.lo : 0;
    k.prior_hi = prior.hi, k.prior_lo = prior.lo, k.gain = 1 + 2 * prior.hi;
    k.mean_r = std::floor(all_tokens.hi / n_classes) * model.unit, k.unit = model.unit;
    k.small = small;
    k.value_unit = std::pow(1 / model.unit, model.facts.degree);
    if (model.facts.absent == Absent::product && k.rest_hi > 0) entry.product = model.facts.h(k);
    model.classes.push_back(entry);
  }
  std::stable_sort(model.classes.begin(), model.classes.end(), [&](const ContingencyClass& x, const ContingencyClass& y) {
    const DoubleDouble difference = subtract({x.constants.r_hi, x.constants.r_lo}, {y.constants.r_hi, y.constants.r_lo});
    return model.facts.grows_with_r ? difference.hi > 0 : difference.hi < 0;
  });
  return model;
}

template ContingencyModel make_contingency_model(const ClassCounts<std::int64_t>&, const Estimation&, ContingencyMeasure,
                                                 Aggregate);
template ContingencyModel make_contingency_model(const ClassCounts<double>&, const Estimation&, ContingencyMeasure,
                                                 Aggregate);

}  // namespace termsift
