// A grid for each class: it makes smoothed counts whole numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/double_double.hpp"
#include "termsift/scores.hpp"

namespace termsift {

// b1, and the excess of b2 over b1 n_terms, read as simple fractions: 0.1 is 1/10.
struct Smoothing {
  DoubleDouble b1;
  DoubleDouble leftover;  // >= 0; 0 where b2 is within 2^-45 of b1 n_terms
};

// Maps a count l to the whole number nearest to (l denominator + numerator) unit.
struct Grid {
  double denominator = 1;
  double numerator = 0;       // b1 denominator
  double unit = 1;            // a power of two
  double leftover = 0;        // whole
  std::int64_t coarsest = 0;  // the class whose total sets the unit

  double scaled(double l) const { return (l * denominator + numerator) * unit; }
};

struct Grids {
  std::vector<Grid> of_class;  // (classes,)
  Smoothing smoothing;
};

// Makes the grids of `classes`, rows of the counts. Totals are below 2^52, the largest at least 2^51. All classes share a
// unit, so rounding changes a count alike in each class, and equal shares of the pool stay equal. Only if counts must be
// rounded, a class with less than 2^-10 of the largest class's tokens has its own unit. Otherwise a grid of whole counts
// rounds at most b1 and the leftover. Throws std::invalid_argument for b2 < b1 n_terms, and if a total is out of range.
template <CountType Count>
Grids make_grids(const ClassCounts<Count>& counts, const std::vector<std::int64_t>& classes, const Estimation& estimation);

}  // namespace termsift
