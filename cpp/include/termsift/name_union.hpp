// The vocabulary of two counts together.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/parallel.hpp"
#include "termsift/texts.hpp"

namespace termsift {

struct NameUnion {
  std::vector<std::int64_t> column_of_first, column_of_second;  // the column of each name in the union
  std::vector<std::int64_t> order;  // the place of the name of each column in the first names followed by the second names
  // If a name occurs more than once in a part, the place of the name that occurs most in that part. All other members are
  // then meaningless. A name of the first part is reported first.
  std::int64_t repeated = -1;
  std::int64_t n_repeated = 0;
};

// Returns the union of two lists of names. If both increase by code points, so does the union. If not, the union is the
// first list followed by the new names of the second list. Texts are Python strings: each has the smallest encoding that
// holds its characters. O(n). Extra memory is none if both lists increase, or a hash table of at most 36 bytes for each
// name.
NameUnion unite_names(Texts first, Texts second, const Threads& threads);

}  // namespace termsift
