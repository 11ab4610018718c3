// Measures how useful each term is to linear machines.
#pragma once

#include <vector>

#include "gain/collection.hpp"
#include "gain/postings.hpp"
#include "termsift/conditional_gain.hpp"
#include "termsift/csr_view.hpp"

namespace termsift {

// The arrays have one value for each pair of a term and a class that has it, in the order of the postings' runs. They are
// empty if no machines are trained.
struct Guide {
  std::vector<double> usefulness;  // u_tc
  std::vector<double> log_lift;    // the number added to W_tc and W'_tc
};

// O(pairs * n_classes / 16) in addition to the cost of training the machines.
Guide make_guide(const AnyCsr& x, const CsrFacts& facts, const Collection& all, const Postings& postings,
                 const GuideOptions& options, const Threads& threads);

}  // namespace termsift
