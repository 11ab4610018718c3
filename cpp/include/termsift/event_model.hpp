// Counts -> counts as a model of documents counts them: the stage before probabilities, which knows nothing of it.
#pragma once

#include "termsift/class_counts.hpp"

namespace termsift {

// Counts whose term_frequency is x and whose n_tokens is X; they share their memory with these. `model` is noted in
// the result, so that scores know whether p are probabilities or rates.
//
// In float counts of bernoulli X is the largest d_ic, should that exceed n_c: each is rounded on its own. O(pairs) at most.
template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads);

}  // namespace termsift
