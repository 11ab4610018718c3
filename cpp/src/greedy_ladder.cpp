#include "greedy_search.hpp"

namespace termsift {

void search_by_ladder(Selection& selection, GainEvaluator& evaluator, Pacer& pacer) {
  search_plainly(selection, evaluator, pacer);
}

}  // namespace termsift
