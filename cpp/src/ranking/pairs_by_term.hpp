// Arranges pairs of a term and a class by term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// Sorts the pairs (term, row in `classes`) by place_of(term). Pairs with the same place are in the order of `classes`.
// place_of(term) must be in [0, n_places), or negative to leave the term out. This function first calls allocate(n_pairs)
// and then fill(k, row, slot) for each row classes[k]. `fill` must call slot(term) once for each entry of the row. `slot`
// returns the index of the pair, or -1 if the pair is left out. Returns starts (n_places + 1,): the pairs of place p are
// [starts[p], starts[p + 1]). O(pairs + n_places) on one thread.
template <CountType Count, class PlaceOf, class Allocate, class Fill>
std::vector<std::int64_t> arrange_pairs_by_term(const ClassCounts<Count>& counts, std::span<const std::int64_t> classes,
                                                std::int64_t n_places, const Threads& threads, const PlaceOf& place_of,
                                                const Allocate& allocate, const Fill& fill) {
  const auto for_each_row = [&](const auto& body) {
    for_each_block(std::ssize(classes), {1, threads.poll}, [&](std::int64_t k, Worker&) {
      body(static_cast<std::size_t>(k), *counts.rows[static_cast<std::size_t>(classes[static_cast<std::size_t>(k)])]);
    });
  };
  // While pairs are written, starts[p + 1] is the index of the next pair of place p. Afterwards, it is the end of place p.
  std::vector<std::int64_t> starts(static_cast<std::size_t>(n_places) + 2, 0);
  for_each_row([&](std::size_t, const ClassRow<Count>& row) {
    for (std::int64_t i = 0; i < row.size; ++i)
      if (const std::int64_t p = place_of(row.terms[i]); p >= 0) ++starts[static_cast<std::size_t>(p) + 2];
  });
  for (std::size_t p = 2; p < starts.size(); ++p) starts[p] += starts[p - 1];
  allocate(static_cast<std::size_t>(starts.back()));
  starts.pop_back();
  for_each_row([&](std::size_t k, const ClassRow<Count>& row) {
    fill(k, row, [&](TermId term) -> std::int64_t {
      const std::int64_t p = place_of(term);
      return p >= 0 ? starts[static_cast<std::size_t>(p) + 1]++ : -1;
    });
  });
  return starts;
}

}  // namespace termsift
