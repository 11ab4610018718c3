#include <algorithm>
#include <numeric>

#include "greedy/greedy_search.hpp"

namespace termsift {

void search_plainly(Selection& selection, GainEvaluator& evaluator, Pacer& pacer) {
  std::vector<GroupId> live(static_cast<std::size_t>(selection.groups.n_groups()));
  std::iota(live.begin(), live.end(), 0);
  std::vector<double> gains(live.size());
  while (!selection.complete()) {
    pacer.tick_now(selection.selected());
    evaluator.gains(live.data(), std::ssize(live), selection.pool.view(), gains.data());
    Best best;
    for (std::size_t i = 0; i < live.size(); ++i) best.consider(live[i], gains[i], selection);
    best.settle(selection);
    if (best.gain == 0) return;
    selection.select(best.group, 1);
    if (selection.copies_left(best.group) > 0) continue;
    *std::find(live.begin(), live.end(), best.group) = live.back();
    live.pop_back();
  }
}

}  // namespace termsift
