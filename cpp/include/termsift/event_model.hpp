// Counts -> the counts of an event model, from which probabilities are estimated.
#pragma once

#include "termsift/class_counts.hpp"

namespace termsift {

// Returns counts whose term_frequency is x and whose n_tokens is X of the model (EventModel). They share the memory of
// `counts`, and carry the model, so that scores know whether p are probabilities or rates.
//
// For float counts of bernoulli, X is the largest d_ic where that exceeds n_c, since both are rounded sums. O(pairs) at
// most.
template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads);

}  // namespace termsift
