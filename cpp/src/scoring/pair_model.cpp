#include "scoring/pair_model.hpp"

#include <cmath>
#include <cstddef>

#include "simd/logarithms.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

using simd::baseline::logarithm;  // unlike std::log, gives the same bits with every C library

DoubleDouble multiply(DoubleDouble a, double b) { return multiply(a, DoubleDouble{b, 0}); }

}  // namespace

PairModel make_pair_model(const ClassModel& model, double b1, Measure measure, Aggregate aggregate, double least_count) {
  const Variable variable = has_complement(model.variable) ? Variable::small_probability : Variable::rate;
  PairModel pairs{measure, variable, model.lost, aggregate == Aggregate::mean ? 0.75 : 1.0,
                  b1 <= least_count ? 1.0 / 3 : 1.0, {}, {}};
  PairTotals& totals = pairs.totals;
  double omegas = 0;
  const DoubleDouble log_b1 = logarithm({b1, 0});
  for (const ClassConstants& c : model.constants) {
    const DoubleDouble omega = aggregate == Aggregate::mean ? c.prior : DoubleDouble{1, 0};
    const DoubleDouble w = scale(c.weight, c.scale), inverse = scale(c.inverse, c.scale), r = c.rest_inverse;
    PairConstants constants{};
    constants.omega = omega;
    constants.w = w;
    constants.r = r.hi;
    constants.inverse = inverse.hi;
    constants.absent_p = multiply(inverse, b1).hi;
    constants.absent_w = multiply(w, b1).hi;
    constants.b1 = b1;
    constants.kappa = subtract(logarithm(inverse), logarithm(r));
    constants.P = multiply(inverse, omega);
    constants.absent_P = multiply(constants.P, b1);
    constants.linear = multiply(add(inverse, multiply(r, w)), omega);
    constants.absent_A = multiply(constants.absent_P, add(log_b1, constants.kappa));
    constants.base = &c;
    if (constants.absent_p > ordinary_p && has_complement(variable)) pairs.variable = Variable::probability;
    pairs.classes.push_back(constants);
    totals.T_0 = add(totals.T_0, multiply(w, b1));
    totals.P_0 = add(totals.P_0, constants.absent_P);
    totals.A_0 = add(totals.A_0, subtract(constants.absent_A, multiply(constants.linear, b1)));
    totals.R = add(totals.R, multiply(r, omega));
    omegas += omega.hi;
  }
  totals.most_V = has_complement(variable) ? std::ldexp(8.0, std::ilogb(omegas)) : 0.0;
  for (int l = 0; l < PairTotals::n_logs; ++l) {
    const DoubleDouble log_x = logarithm(two_sum(l, b1));
    totals.log_x_hi[l] = log_x.hi, totals.log_x_lo[l] = log_x.lo;
  }
  // rest[k], which is T_0 without the summand of class k, is the sum before k plus the sum after k. Subtracting the summand
  // of class k from T_0 would lose digits if class k had nearly all of T_0.
  const std::size_t n = pairs.classes.size();
  std::vector<DoubleDouble> rest(n);
  DoubleDouble before, after;
  const auto absent_w = [&](std::size_t k) { return multiply(pairs.classes[k].w, b1); };
  for (std::size_t k = 0; k < n; ++k) rest[k] = before, before = add(before, absent_w(k));
  for (std::size_t k = n; k-- > 0;) rest[k] = add(rest[k], after), after = add(after, absent_w(k));
  for (std::size_t k = 0; k < n; ++k) pairs.classes[k].T_0_rest = rest[k];
  return pairs;
}

}  // namespace termsift
