// Makes a grid for each class. A grid maps smoothed counts to whole numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/double_double.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// b1, and the excess of b2 over b1 n_terms. Both parameters are read as simple fractions: 0.1 means 1/10.
struct Smoothing {
  DoubleDouble b1;
  DoubleDouble leftover;  // at least 0; exactly 0 if b2 differs from b1 n_terms by at most 2^-45 b2
};

// Maps a count l to the whole number nearest to (l denominator + numerator) unit.
struct Grid {
  double denominator = 1;
  double numerator = 0;       // b1 * denominator
  double unit = 1;            // a power of two
  double leftover = 0;        // Smoothing::leftover on this grid, as a whole number
  std::int64_t coarsest = 0;  // the class whose total sets the unit

  double scaled(double l) const { return (l * denominator + numerator) * unit; }
};

struct Grids {
  std::vector<Grid> of_class;  // (classes,)
  Smoothing smoothing;
};

// Makes the grids of `classes`, which are indices of rows of the counts. On the grids, totals are below 2^52, and the
// largest total is at least 2^51. In general, all classes share one unit. A count is therefore rounded equally in all
// classes, and equal shares of the pool stay equal. If counts must be rounded, however, a class with less than 2^-10 of the
// tokens of the largest class has its own unit. If no count must be rounded, only b1 and the leftover may be rounded. Throws
// std::invalid_argument if b2 < b1 n_terms or if a total is out of range.
template <CountType Count>
Grids make_grids(const ClassCounts<Count>& counts, const std::vector<std::int64_t>& classes, const Estimation& estimation);

}  // namespace termsift
