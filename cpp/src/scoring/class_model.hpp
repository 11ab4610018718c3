// Computes the constants of each class that are needed to score terms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/double_double.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// For p and q up to ordinary_p, a short series replaces the logarithms of 1-p and 1-q (simd/logarithms.hpp). 1-p and 1-q are
// close to 1, so they need not be summed separately over the classes.
inline constexpr double ordinary_p = 0x1p-6;

// The kind of the numbers p_ic that describe term i in class c. Kernels have separate code for each Variable.
enum class Variable : std::uint8_t {
  small_probability,  // usually at most ordinary_p, like a share of occurrences; score_block_carefully() handles larger p
  probability,        // a probability of any size, such as a share of documents
  rate                // a rate of events, which has no complement 1-p
};
inline constexpr Variable variable_of(EventModel model) {
  return model == EventModel::poisson     ? Variable::rate
         : model == EventModel::bernoulli ? Variable::probability
                                          : Variable::small_probability;
}
inline constexpr bool has_complement(Variable variable) { return variable != Variable::rate; }

// The largest rate p_ic that is accepted.
inline constexpr double most_rate = 0x1p64;

// The constants of one nonempty class. The counts of a class with the total L_c are scaled by a power of two s, so that
// 1 <= s L_c < 2 (or nearly, if L_c is near the limits of a double). Scaling changes no bit of a quotient. Scaling prevents
// overflow, even if float counts are near 1e300.
struct ClassConstants {
  double scale;               // s
  double absent_x;            // s b1, the numerator of p_ic for a count l_ic of 0
  std::int64_t exact_below;   // a double holds l + b1 exactly for every whole number l below this limit
  DoubleDouble total;         // s L_c = s (l_c + b2); if L_c = 0, the total 1 makes p_ic = 0
  DoubleDouble inverse;       // 1 / (s L_c)
  DoubleDouble difference;    // `inverse` of this class times `inverse` of the reference class
  DoubleDouble prior;         // pi_c
  DoubleDouble weight;        // w_c = pi_c / (s L_c)
  DoubleDouble rest_inverse;  // 1 / (1 - pi_c)
};

struct ClassModel {
  Variable variable = Variable::small_probability;
  std::vector<std::int64_t> classes;      // the nonempty rows, increasing
  std::vector<ClassConstants> constants;  // (classes.size(),)
  // The class with the largest prior pi, for which 1 - pi may be tiny. score_block_carefully() subtracts the p of the
  // reference class from the p of every class. With differences from the reference class, p - q loses digits only if p and q
  // are nearly equal.
  int reference = 0;
  // If |p - T| is below `lost` times p, p - T may lack digits that a score needs. The mixture T is a sum over n classes, and
  // one double holds the sum of its rounding errors. T therefore has a relative error of up to n^2 2^-106. The relative
  // error of p - T must be at most 2^-57.
  double lost = 0;
};

// Checks that `weights` is empty or has one finite weight of at least 0 for each class. Throws std::invalid_argument.
void check_class_prior(std::span<const double> weights, std::size_t n_classes);

// O(n_classes), or O(pairs) if rates of float counts must be checked. Throws std::invalid_argument (termsift/scores.hpp).
template <CountType Count>
ClassModel make_class_model(const ClassCounts<Count>& counts, const Estimation& estimation);

}  // namespace termsift
