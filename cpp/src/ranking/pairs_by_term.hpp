// Arranges pairs of a term and a class by term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

template <CountType Count>
struct PairsByTerm {
  struct Pair {
    ClassId k;  // the position of the pair's row in `classes`
    Count l;    // the number of occurrences of the term in the class
    bool operator==(const Pair&) const = default;
  };
  std::vector<Pair> pairs;
  std::vector<std::int64_t> starts;  // (n_places + 1,) the pairs of place p are [starts[p], starts[p + 1])

  std::span<const Pair> operator[](std::int64_t place) const {
    return {pairs.data() + starts[at(place)], pairs.data() + starts[at(place) + 1]};
  }
};

// Sorts the pairs (term, row in `classes`) by place_of(term), and pairs with the same place by the position of the row.
// place_of(term) must be in [0, n_places), or negative to leave the term out. O(pairs + n_places) on one thread.
template <CountType Count, class PlaceOf>
PairsByTerm<Count> arrange_pairs_by_term(const ClassCounts<Count>& counts, std::span<const std::int64_t> classes,
                                         std::int64_t n_places, const Threads& threads, const PlaceOf& place_of) {
  const auto for_each_pair = [&](const auto& body) {
    for_each_block(std::ssize(classes), {1, threads.poll}, [&](std::int64_t k, Worker&) {
      const ClassRow<Count>& row = *counts.rows[at(classes[at(k)])];
      for (std::int64_t i = 0; i < row.size; ++i)
        if (const std::int64_t place = place_of(row.terms[i]); place >= 0) body(at(place), k, row, i);
    });
  };
  PairsByTerm<Count> result;
  // While pairs are written, starts[p + 1] is the index of the next pair of place p; afterwards, it is the end of place p.
  std::vector<std::int64_t>& starts = result.starts;
  starts.resize(at(n_places) + 2);
  for_each_pair([&](std::size_t place, std::int64_t, const ClassRow<Count>&, std::int64_t) { ++starts[place + 2]; });
  for (std::size_t p = 2; p < starts.size(); ++p) starts[p] += starts[p - 1];
  result.pairs.resize(at(starts.back()));
  starts.pop_back();
  for_each_pair([&](std::size_t place, std::int64_t k, const ClassRow<Count>& row, std::int64_t i) {
    result.pairs[at(starts[place + 1]++)] = {static_cast<ClassId>(k), row.term_frequency[i]};
  });
  return result;
}

}  // namespace termsift
