#include "scoring/class_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "termsift/double_double.hpp"
#include "base/values.hpp"

namespace termsift {
namespace {

// The lower limit of a smoothed p, and of 1 - pi for a prior pi. The product of two numbers above 2^-450 is not subnormal.
constexpr double least_share = 0x1p-450;

void check(const Estimation& estimation, std::size_t n_classes, bool rates) {
  const auto [b1, b2, weights, b2_rest] = estimation;
  if (!(b1 >= 0 && b2 >= 0 && (b1 <= b2 || rates) && std::isfinite(b1) && std::isfinite(b2 + b2_rest)))
    throw WrongArgument("alpha", std::string("smoothing must satisfy ") + (rates ? "0 <= b1, b2" : "0 <= b1 <= b2") +
                                 " < inf, got b1 = " + text(b1) + ", b2 = " + text(b2));
  check_class_prior(weights, n_classes);
}

// The rates of float counts are checked one by one. The rates of integer counts cannot exceed 2^63.
template <CountType Count>
void check_rates(const ClassRow<Count>& row, std::int64_t c, double total, double b1) {
  if (!(b1 <= most_rate * total))
    throw WrongArgument("alpha", "smoothing b1 = " + text(b1) + " is too large for class " + std::to_string(c) +
                                 ", whose documents and b2 add up to " + text(total));
  if constexpr (std::is_floating_point_v<Count>)
    for (std::int64_t i = 0; i < row.size; ++i)
      if (!(row.term_frequency[i] + b1 <= most_rate * total))
        throw WrongArgument("X", "term " + std::to_string(row.terms[i]) + " occurs " + text(row.term_frequency[i]) +
                                 " times in class " + std::to_string(c) + ", whose documents and b2 add up to " +
                                 text(total) + "; a rate must be at most 2^64");
}

// Returns a limit: a double holds l + b1 exactly for every whole number l below the limit.
std::int64_t exact_below(double b1) {
  if (b1 >= 0x1p52) return 0;
  int fraction_bits = 0;
  while (fraction_bits < 53 && std::ldexp(b1, fraction_bits) != std::floor(std::ldexp(b1, fraction_bits))) ++fraction_bits;
  return fraction_bits < 53 ? static_cast<std::int64_t>(std::ldexp(1.0, 53 - fraction_bits) - std::ceil(b1)) : 0;
}

}  // namespace

void check_class_prior(std::span<const double> weights, std::size_t n_classes) {
  if (weights.empty()) return;
  if (weights.size() != n_classes)
    throw WrongArgument("class_prior", "class_prior has " + std::to_string(weights.size()) + " values for " +
                                       std::to_string(n_classes) + " classes");
  for (std::size_t c = 0; c < weights.size(); ++c)
    if (!(weights[c] >= 0 && std::isfinite(weights[c])))
      throw WrongArgument("class_prior", "class_prior must be finite and not negative, got " + text(weights[c]) +
                                         " for class " + std::to_string(c));
}

template <CountType Count>
ClassModel make_class_model(const ClassCounts<Count>& counts, const Estimation& estimation) {
  ClassModel model;
  model.variable = variable_of(counts.model);
  const bool rates = model.variable == Variable::rate;
  check(estimation, counts.rows.size(), rates);
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->is_present()) model.classes.push_back(static_cast<std::int64_t>(c));
  const std::size_t n = model.classes.size();
  if (n < 2)
    throw WrongArgument("counts", "scores need at least two classes with documents, got " + std::to_string(n));

  std::vector<DoubleDouble> weight(n);
  double largest_weight = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const auto c = static_cast<std::size_t>(model.classes[k]);
    weight[k] = estimation.prior_weights.empty() ? exact_double(counts.rows[c]->n_docs)
                                                 : DoubleDouble{estimation.prior_weights[c], 0};
    largest_weight = std::max(largest_weight, weight[k].hi);
    if (weight[k].hi > weight[static_cast<std::size_t>(model.reference)].hi) model.reference = static_cast<int>(k);
  }
  if (largest_weight == 0)
    throw WrongArgument("class_prior", "class_prior is 0 for every class with documents");
  // Scaling by a power of two keeps the sum of the weights finite, even for weights near 1e300.
  const int exponent = -std::ilogb(largest_weight);
  for (DoubleDouble& w : weight) w = {std::ldexp(w.hi, exponent), std::ldexp(w.lo, exponent)};
  // rest[k], the weight of all classes except k, is the weight of the classes before k plus that of the classes after k. The
  // difference 1 - pi_k would lose digits if class k had nearly all the weight.
  std::vector<DoubleDouble> rest(n);
  DoubleDouble total;
  for (std::size_t k = 0; k < n; ++k) {
    rest[k] = total;
    total = add(total, weight[k]);
  }
  DoubleDouble after;
  for (std::size_t k = n; k-- > 0;) {
    rest[k] = add(rest[k], after);
    after = add(after, weight[k]);
    const auto refuse = [&](const std::string& share, const char* needed) {
      const bool is_given = !estimation.prior_weights.empty();
      throw WrongArgument(is_given ? "class_prior" : "counts",
                          "class " + std::to_string(model.classes[k]) + " has all the prior mass" + share + "; " +
                              (is_given ? needed : "the prior is each class's share of the documents' weights, so give "
                                                   "weights less far apart, or class_prior='uniform'"));
    };
    if (!(rest[k].hi > 0)) refuse("", "scores need prior mass in other classes too");
    if (rest[k].hi < least_share * total.hi)
      refuse(" except " + text(rest[k].hi / total.hi), "scores need more prior mass in the other classes");
  }

  model.constants.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    ClassConstants& constants = model.constants[k];
    const auto& row = *counts.rows[static_cast<std::size_t>(model.classes[k])];
    const DoubleDouble l = add(exact_double(row.n_tokens), exact_double(row.n_tokens_rest));
    DoubleDouble L = add(l, {estimation.b2, estimation.b2_rest});
    if (!std::isfinite(L.hi))
      throw WrongArgument("alpha", "the tokens of class " + std::to_string(model.classes[k]) +
                                   " and b2 add up to infinity");
    if (L.hi == 0) L = {1, 0};
    if (rates) check_rates(row, model.classes[k], L.hi, estimation.b1);
    if (estimation.b1 > 0 && estimation.b1 / L.hi < least_share)
      throw WrongArgument("alpha", "smoothing b1 = " + text(estimation.b1) + " is too small for class " +
                                   std::to_string(model.classes[k]) + ", whose tokens and b2 add up to " + text(L.hi));
    constants.scale = std::ldexp(1.0, std::clamp(-std::ilogb(L.hi), -1000, 1000));
    L = scale(L, constants.scale);
    constants.exact_below = exact_below(estimation.b1);
    constants.absent_x = estimation.b1 * constants.scale;
    constants.total = L;
    constants.inverse = divide({1, 0}, L);
    constants.prior = divide(weight[k], total);
    constants.weight = multiply(constants.prior, constants.inverse);
    constants.rest_inverse = divide(total, rest[k]);
  }
  const DoubleDouble of_reference = model.constants[static_cast<std::size_t>(model.reference)].inverse;
  for (ClassConstants& constants : model.constants) constants.difference = multiply(constants.inverse, of_reference);
  model.lost = static_cast<double>(n) * static_cast<double>(n) * 0x1p-49;
  return model;
}

template ClassModel make_class_model(const ClassCounts<std::int64_t>&, const Estimation&);
template ClassModel make_class_model(const ClassCounts<double>&, const Estimation&);

}  // namespace termsift
