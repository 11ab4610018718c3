// Smoothed counts as whole numbers: a grid for each class.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/double_double.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// b1, and what b2 has beyond b1 n_terms, as meant: 0.1 is 1/10.
struct Smoothing {
  DoubleDouble b1;
  DoubleDouble leftover;  // >= 0; 0 where b2 is within 2^-45 of b1 n_terms
};

// l -> the whole number nearest to (l denominator + numerator) unit.
struct Grid {
  double denominator = 1;
  double numerator = 0;       // b1 denominator
  double unit = 1;            // a power of two
  double leftover = 0;        // whole
  std::int64_t coarsest = 0;  // the class whose total allows no finer unit

  double scaled(double l) const { return (l * denominator + numerator) * unit; }
  // Whether the mass of l is l + b1 but for the factor. Of whole l, if it is so of 0 and the unit is at least 1.
  bool holds(double l) const;
};

struct Grids {
  std::vector<Grid> of_class;  // (classes,)
  Smoothing smoothing;
  bool is_exact = true;  // no grid rounds b1, the leftover or a whole count
};

// For `classes` of the counts. Totals are below 2^52, the largest at least 2^51. Unless a class has less than 2^-10 of the
// largest one's tokens and counts are fractions, units are the same in all classes, and so is whatever rounding does to a
// count: what is a share of the pool before is one after. A grid of whole counts rounds b1 and the leftover at most.
// Throws std::invalid_argument for b2 < b1 n_terms, and where a total is out of range.
template <CountType Count>
Grids make_grids(const ClassCounts<Count>& counts, const std::vector<std::int64_t>& classes, const Estimation& estimation);

}  // namespace termsift
