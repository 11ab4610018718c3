// Counts -> probabilities: what the scoring kernels need to know of each class.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// What p_ic are. The kernels have code of their own for each.
enum class Variable : std::uint8_t {
  small_probability,  // mostly at most ordinary_p, such as shares of occurrences; larger ones take the careful way
  probability,        // of any size, such as shares of documents
  rate                // without a complement
};
inline constexpr Variable variable_of(EventModel model) {
  return model == EventModel::poisson     ? Variable::rate
         : model == EventModel::bernoulli ? Variable::probability
                                          : Variable::small_probability;
}
inline constexpr bool has_complement(Variable variable) { return variable != Variable::rate; }

// The constants of one class that takes part, for probabilities or rates p_ic. Pairs (hi, lo) are double-double. Counts
// are scaled by a power of two s so that 1 <= s L_c < 2 (or nearly, at the ends of the range of double), which changes no
// bit of any quotient and keeps products of totals near 2^63 (or float counts near 1e300) in range.
struct ClassConstants {
  double scale;                          // s
  double empty;                          // s b1: the numerator of p_ic where l_ic = 0
  std::int64_t exact_below;              // l + b1 is a double for every whole number l below
  double total_hi, total_lo;             // s (l_c + b2), the denominator L_c; 1 if that is 0, since p_ic is then 0
  double inverse_hi, inverse_lo;         // 1 / L_c
  double difference_hi, difference_lo;   // 1 / (L_c L_r), r the reference class
  double prior_hi, prior_lo;             // pi_c
  double weight_hi, weight_lo;           // w_c = pi_c / L_c
  double rest_inverse_hi, rest_inverse_lo;  // 1 / (1 - pi_c)
};

struct ClassModel {
  Variable variable = Variable::small_probability;
  std::vector<std::int64_t> classes;      // which rows take part, increasing
  std::vector<ClassConstants> constants;  // (classes.size(),)
  // The class with the largest prior. Differences are taken from its p, since its own 1 - pi_c may be tiny: then no
  // difference p - q is ever a small remainder of larger numbers unless the probabilities themselves are that close.
  int reference = 0;
  // A difference p - T below this share of p may have lost the digits that a score needs: T, a sum over n classes whose
  // rounding errors are themselves summed in one double, is good to n^2 2^-106, and 2^-57 is wanted of the difference.
  double lost = 0;
};

// Up to this p and q, the complements are so close to 1 that a short series replaces their logarithms
// (simd/logarithms.hpp), and no sums of their own are needed.
inline constexpr double ordinary_p = 0x1p-6;

// Rates p_ic may be as large as this: a double beside the least numbers that are divided by.
inline constexpr double most_rate = 0x1p64;

template <CountType Count>
ClassModel make_class_model(const ClassCounts<Count>& counts, const Estimation& estimation);

}  // namespace termsift
