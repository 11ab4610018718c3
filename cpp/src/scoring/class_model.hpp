// Computes, from the counts, the constants of each class that scores need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/double_double.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// For p and q up to this number, 1-p and 1-q are close to 1. A short series therefore replaces their logarithms
// (simd/logarithms.hpp), and 1-p and 1-q are not summed separately.
inline constexpr double ordinary_p = 0x1p-6;

// The kind of numbers p_ic. Kernels have separate code for each kind.
enum class Variable : std::uint8_t {
  small_probability,  // usually at most ordinary_p, such as a share of occurrences; a larger p is scored carefully
  probability,        // a probability of any size, such as a share of documents
  rate                // a rate, which has no complement
};
inline constexpr Variable variable_of(EventModel model) {
  return model == EventModel::poisson     ? Variable::rate
         : model == EventModel::bernoulli ? Variable::probability
                                          : Variable::small_probability;
}
inline constexpr bool has_complement(Variable variable) { return variable != Variable::rate; }

// The upper limit of rates p_ic.
inline constexpr double most_rate = 0x1p64;

// The constants of one nonempty class. Counts are scaled by a power of two s with 1 <= s L_c < 2 (approximately, if L_c is
// near the limits of a double). Scaling changes no bit of a quotient, and keeps products of totals near 2^63, or of float
// counts near 1e300, in range.
struct ClassConstants {
  double scale;               // s
  double absent_x;            // s b1, the numerator of p_ic if l_ic = 0
  std::int64_t exact_below;   // l + b1 is a double for every whole number l below this limit
  DoubleDouble total;         // s L_c = s (l_c + b2), or 1 if L_c = 0, so that p_ic = 0
  DoubleDouble inverse;       // 1 / (s L_c)
  DoubleDouble difference;    // inverse_c inverse_r, where r is the reference class
  DoubleDouble prior;         // pi_c
  DoubleDouble weight;        // w_c = pi_c / (s L_c)
  DoubleDouble rest_inverse;  // 1 / (1 - pi_c)
};

struct ClassModel {
  Variable variable = Variable::small_probability;
  std::vector<std::int64_t> classes;      // the nonempty rows, increasing
  std::vector<ClassConstants> constants;  // (classes.size(),)
  // The class with the largest prior. Its 1 - pi_c may be tiny, so careful scoring subtracts the p of this class from the p
  // of every class. With these differences, p - q loses digits only if p and q are nearly equal.
  int reference = 0;
  // If |p - T| is below `lost` p, the difference may lack digits that a score needs. T is a sum over n classes, and one
  // double holds the sum of its rounding errors. Hence T has a relative error of up to n^2 2^-106. The relative error of
  // p - T must be at most 2^-57.
  double lost = 0;
};

// Checks that `weights` is empty or has one weight per class, each finite and at least 0. Throws std::invalid_argument.
void check_class_prior(std::span<const double> weights, std::size_t n_classes);

// O(n_classes), or O(pairs) if rates of float counts must be checked. Throws std::invalid_argument (termsift/scores.hpp).
template <CountType Count>
ClassModel make_class_model(const ClassCounts<Count>& counts, const Estimation& estimation);

}  // namespace termsift
