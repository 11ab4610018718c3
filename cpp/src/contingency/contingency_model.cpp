#include "contingency/contingency_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "scoring/class_prior.hpp"
#include "base/exact_double.hpp"
#include "base/values.hpp"

namespace termsift {
namespace {

// The share a_0 / g of the prior of log_odds beside the tokens, within which no product of its kernel leaves the range
// of a double (contingency_kernels_impl.hpp).
constexpr double least_prior = 0x1p-450, most_prior = 0x1p450;

template <CountType Count>
DoubleDouble tokens(const ClassRow<Count>& row) {
  return add(exact_double(row.n_tokens), exact_double(row.n_tokens_rest));
}

template <CountType Count>
double class_weight(const ClassCounts<Count>& counts, const ContingencyOptions& options, std::size_t c) {
  return options.prior_weights.empty() ? static_cast<double>(counts.rows[c]->n_docs) : options.prior_weights[c];
}

// The largest weight of a class that takes part.
template <CountType Count>
double check(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure) {
  check_class_prior(options.prior_weights, counts.rows.size());
  double largest = 0;
  std::size_t n_classes = 0;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->n_docs > 0) ++n_classes, largest = std::max(largest, class_weight(counts, options, c));
  const bool compares = measure != ContingencyMeasure::df && measure != ContingencyMeasure::tfidf &&
                        measure != ContingencyMeasure::direction;
  if (n_classes < 2 && compares)
    throw std::invalid_argument("scores compare classes: at least two with documents are needed, got " +
                                std::to_string(n_classes));
  if (n_classes > 0 && largest == 0) throw std::invalid_argument("class_prior gives no class with documents any mass");
  return largest;
}

// `share` is a_0 / g; without tokens every score is 0 whatever the prior.
void check_prior_mass(double prior_mass, DoubleDouble tokens, double share) {
  if (prior_mass == 0 || tokens.hi == 0 || (share >= least_prior && share <= most_prior)) return;
  throw std::invalid_argument("smoothing b2 = " + text(prior_mass) + " is too " + (share < 1 ? "small" : "large") +
                              " beside the " + text(tokens.hi) + " tokens of the collection; log_odds needs a quotient "
                              "between 2^-450 and 2^450, or b2 = 0 for no smoothing");
}

// h_c of value(0, t, c) = h_c k(t).
double product_part(ContingencyMeasure measure, const ContingencyConstants& c) {
  if (!(c.rest_hi > 0)) return 0;
  switch (measure) {
    case ContingencyMeasure::chi2: return c.g_hi * (c.r_hi / c.rest_hi);
    case ContingencyMeasure::ngl: return std::sqrt(c.g_hi * (c.r_hi / c.rest_hi));
    default: return c.r_hi;
  }
}

}  // namespace

MeasureFacts facts_of(ContingencyMeasure measure) {
  using enum ContingencyMeasure;
  switch (measure) {
    case df: return {false, false, false, Missing::nothing, true, 1};
    case tfidf: return {true, false, false, Missing::nothing, true, 1};
    case mi: return {false, false, false, Missing::minus_infinity, true, 0};
    case cet: return {false, false, false, Missing::nothing, true, 0};
    case ig: return {false, false, false, Missing::product, true, 0};
    case chi2: return {false, false, false, Missing::product, true, 1};
    case chi2_printed: return {false, false, false, Missing::infinity, true, 0};
    case gss: return {false, false, false, Missing::product, false, 0};
    case odds_ratio: return {false, false, false, Missing::nothing, true, 0};
    case relevancy: return {false, false, false, Missing::each, false, 0};
    case ngl: return {false, false, false, Missing::product, false, 0.5};
    case g2: return {false, false, false, Missing::each, true, 1};
    case bns: return {false, false, false, Missing::each, true, 0};
    case log_odds: return {true, true, true, Missing::each, false, 0.5};
    case jlh: return {false, false, false, Missing::nothing, true, 0};
    case chi2_counts: return {true, true, false, Missing::product, true, 1};
    case direction: return {true, true, true, Missing::each, false, 0};
  }
  return {};
}

template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const ContingencyOptions& options,
                                        ContingencyMeasure measure, Aggregate aggregate) {
  const double largest = check(counts, options, measure);
  ContingencyModel model;
  model.facts = facts_of(measure);

  // g is the sum of the rows unless documents have several classes. Not n_docs, in which fractions were added in another
  // order: r <= g and t <= g hold without rounding.
  const auto total_of = [&](const ClassRow<Count>& row) {
    return model.facts.row_totals_are_tokens ? tokens(row) : exact_double(row.n_docs);
  };
  DoubleDouble g;
  if (counts.collection) g = model.facts.row_totals_are_tokens ? tokens(*counts.collection) : exact_double(counts.n_docs);
  else for (const auto& row : counts.rows) g = add(g, total_of(*row));
  DoubleDouble all_tokens;
  if (counts.collection) all_tokens = tokens(*counts.collection);
  else for (const auto& row : counts.rows) all_tokens = add(all_tokens, tokens(*row));
  model.whole = std::is_integral_v<Count> && g.hi <= 0x1p50 && all_tokens.hi <= 0x1p50;
  const bool of_tokens = model.facts.cells_are_tokens || model.facts.column_totals_are_tokens;
  const bool small = model.whole && g.hi <= 0x1p26 && (!of_tokens || all_tokens.hi <= 0x1p26);
  // By a power of two, lest products of fractions near 1e300 overflow: an even one, of which log_odds takes the root.
  if (!model.whole && g.hi > 0) model.unit = std::ldexp(1.0, std::clamp(-std::ilogb(g.hi) / 2 * 2, -1000, 1000));
  const DoubleDouble tokens_of_all = g;
  g = scale(g, model.unit);
  const double value_unit = std::pow(1 / model.unit, model.facts.degree);

  DoubleDouble weights;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->n_docs > 0) weights = add(weights, {class_weight(counts, options, c) / largest, 0});
  const DoubleDouble a_0 = scale({options.prior_mass, options.prior_mass_rest}, model.unit);
  const DoubleDouble prior = g.hi > 0 ? divide(a_0, g) : DoubleDouble{};
  if (measure == ContingencyMeasure::log_odds) check_prior_mass(options.prior_mass, tokens_of_all, prior.hi);
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    const ClassRow<Count>& row = *counts.rows[c];
    if (!(row.n_docs > 0)) continue;
    const DoubleDouble r = scale(total_of(row), model.unit), rest = subtract(g, r);
    ContingencyClass entry{static_cast<std::int64_t>(c), 1, 0, {}};
    if (aggregate == Aggregate::mean) entry.weight = class_weight(counts, options, c) / largest / weights.hi;
    ContingencyConstants& k = entry.constants;
    k.r_hi = r.hi, k.r_lo = r.lo, k.g_hi = g.hi, k.g_lo = g.lo;
    k.rest_hi = std::max(rest.hi, 0.0), k.rest_lo = rest.hi > 0 ? rest.lo : 0;
    // Finite even for a class of less than 2^-1023 of the collection, so that the product with a count of 0 is 0.
    const auto finite = [](double x) { return std::min(std::numeric_limits<double>::max(), x); };
    k.spread = finite(divide(g, multiply(r, {k.rest_hi > 0 ? k.rest_hi : 1, k.rest_lo})).hi);
    k.two_over_r = finite(2 / r.hi), k.two_over_rest = finite(2 / k.rest_hi);
    k.prior_hi = prior.hi, k.prior_lo = prior.lo, k.gain = 1 + 2 * prior.hi;
    k.small = small;
    k.value_unit = value_unit;
    if (model.facts.missing == Missing::product) entry.product = product_part(measure, k);
    model.classes.push_back(entry);
  }
  std::stable_sort(model.classes.begin(), model.classes.end(), [&](const ContingencyClass& x, const ContingencyClass& y) {
    const DoubleDouble difference = subtract({x.constants.r_hi, x.constants.r_lo}, {y.constants.r_hi, y.constants.r_lo});
    return model.facts.grows_with_r ? difference.hi > 0 : difference.hi < 0;
  });
  return model;
}

template ContingencyModel make_contingency_model(const ClassCounts<std::int64_t>&, const ContingencyOptions&,
                                                 ContingencyMeasure, Aggregate);
template ContingencyModel make_contingency_model(const ClassCounts<double>&, const ContingencyOptions&, ContingencyMeasure,
                                                 Aggregate);

}  // namespace termsift
