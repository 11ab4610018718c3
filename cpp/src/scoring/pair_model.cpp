#include "scoring/pair_model.hpp"

#include <cmath>
#include <cstddef>

#include "simd/logarithms.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

using simd::baseline::logarithm;  // gives the same bits with every C library

DoubleDouble multiply(DoubleDouble a, double b) { return multiply(a, DoubleDouble{b, 0}); }

}  // namespace

PairModel make_pair_model(const ClassModel& model, double b1, Measure measure, Aggregate aggregate) {
  const Variable variable = has_complement(model.variable) ? Variable::small_probability : Variable::rate;
  PairModel pairs{measure, variable, {}, {}};
  DoubleDouble T_0, P_0, A_0, R;
  double omegas = 0;
  const DoubleDouble log_b1 = logarithm({b1, 0});
  for (const ClassConstants& c : model.constants) {
    const double omega = aggregate == Aggregate::mean ? c.prior_hi : 1.0;
    const DoubleDouble w = scale({c.weight_hi, c.weight_lo}, c.scale),
                       inverse = scale({c.inverse_hi, c.inverse_lo}, c.scale);
    const DoubleDouble r{c.rest_inverse_hi, c.rest_inverse_lo}, rw = multiply(r, w);
    const DoubleDouble kappa = subtract(logarithm(inverse), logarithm(r));
    const DoubleDouble p = multiply(inverse, omega), absent_p = multiply(p, b1);
    const DoubleDouble linear = multiply(add(inverse, rw), omega);
    const DoubleDouble absent_A = multiply(absent_p, add(log_b1, kappa)), absent_w = multiply(w, b1);

    PairConstants constants{};
    constants.omega = omega;
    constants.w_hi = w.hi, constants.w_lo = w.lo;
    constants.r = r.hi;
    constants.inverse = inverse.hi;
    constants.absent_p = multiply(inverse, b1).hi;
    constants.absent_w = absent_w.hi;
    constants.b1 = b1;
    constants.kappa_hi = kappa.hi, constants.kappa_lo = kappa.lo;
    constants.p_hi = p.hi, constants.p_lo = p.lo;
    constants.absent_p_hi = absent_p.hi, constants.absent_p_lo = absent_p.lo;
    constants.linear_hi = linear.hi, constants.linear_lo = linear.lo;
    constants.absent_A_hi = absent_A.hi, constants.absent_A_lo = absent_A.lo;
    constants.base = &c;
    if (constants.absent_p > ordinary_p && has_complement(variable)) pairs.variable = Variable::probability;
    pairs.classes.push_back(constants);
    T_0 = add(T_0, absent_w);
    P_0 = add(P_0, absent_p);
    A_0 = add(A_0, subtract(absent_A, multiply(linear, b1)));
    R = add(R, multiply(r, omega));
    omegas += omega;
  }
  const double most_V = has_complement(variable) ? std::ldexp(8.0, std::ilogb(omegas)) : 0.0;
  pairs.totals = {T_0.hi, T_0.lo, P_0.hi, P_0.lo, A_0.hi, A_0.lo, R.hi, R.lo, most_V, {}, {}};
  for (int l = 0; l < PairTotals::n_logs; ++l) {
    const DoubleDouble log_x = logarithm(two_sum(l, b1));
    pairs.totals.log_x_hi[l] = log_x.hi, pairs.totals.log_x_lo[l] = log_x.lo;
  }
  // rest[k] is T_0 without the part of class k. It is the sum before k plus the sum after k, because a difference would lose
  // its digits if class k had nearly all of T_0.
  const std::size_t n = pairs.classes.size();
  std::vector<DoubleDouble> rest(n);
  DoubleDouble before, after;
  const auto absent_w = [&](std::size_t k) { return multiply({pairs.classes[k].w_hi, pairs.classes[k].w_lo}, b1); };
  for (std::size_t k = 0; k < n; ++k) rest[k] = before, before = add(before, absent_w(k));
  for (std::size_t k = n; k-- > 0;) rest[k] = add(rest[k], after), after = add(after, absent_w(k));
  for (std::size_t k = 0; k < n; ++k) pairs.classes[k].T_0_rest = rest[k].hi;
  return pairs;
}

}  // namespace termsift
