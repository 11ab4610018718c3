// Counts -> counts as a model of documents counts them: the stage before probabilities, which knows nothing of it.
#pragma once

#include <cstdint>

#include "termsift/class_counts.hpp"

namespace termsift {

// What is counted, and by what it is divided: p_ic = (x_ic + b1) / (X_c + b2) with
enum class EventModel : std::uint8_t {
  multinomial,  // x = l_ic, X = l_c                 the terms drawn one after the other
  binary,       // x = d_ic, X = sum_i d_ic          the same of documents that have each of their terms once
  bernoulli,    // x = d_ic, X = n_c                 a coin for each term and document
  poisson       // x = l_ic, X = n_c                 a rate: occurrences a document
};

// Counts whose term_frequency is x and whose n_tokens is X; they share their memory with these. So of the stages before,
// only this one knows what a token is, and of those after, only the choice of a measure (rates have their own).
//
// In float counts of bernoulli X is the largest d_ic, should that exceed n_c: each is rounded on its own. O(pairs) at most.
template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads);

}  // namespace termsift
