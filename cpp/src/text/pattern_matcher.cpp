#include "text/pattern_matcher.hpp"

#include <unordered_set>
#include <utility>

namespace termsift {

PatternMatcher::PatternMatcher(const PatternProgram& program) : program_(program) { clear(); }

std::size_t PatternMatcher::Hash::operator()(const std::vector<std::int32_t>& key) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::int32_t value : key) {
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

void PatternMatcher::clear() {
  states_.assign(1, {{}, 0});
  next_.assign(static_cast<std::size_t>(program_.width()), 2 * dead);
  numbers_.clear();
  starts_.assign(static_cast<std::size_t>(program_.n_contexts), -1);
  n_kept_ = 0;
}

int PatternMatcher::limit_memory(int state) {
  constexpr std::size_t most_states = 4096, most_kept = 1 << 20;
  if (states_.size() < most_states && n_kept_ < most_kept) return state;
  const State kept = states_[static_cast<std::size_t>(state)];
  clear();
  return kept.positions.empty() ? dead : number_of(kept.positions, kept.context);
}

int PatternMatcher::start(int context) {
  int& known = starts_[static_cast<std::size_t>(context)];
  if (known < 0) known = number_of({0}, context);
  return known;
}

int PatternMatcher::number_of(const std::vector<std::int32_t>& positions, int context) {
  std::vector<std::int32_t> key = positions;
  key.push_back(context);
  const auto [found, is_new] = numbers_.try_emplace(std::move(key), static_cast<int>(states_.size()));
  if (is_new) {
    states_.push_back({positions, context});
    next_.resize(next_.size() + static_cast<std::size_t>(program_.width()), -1);
    n_kept_ += positions.size() + static_cast<std::size_t>(program_.width());
  }
  return found->second;
}

std::int32_t PatternMatcher::build(int state, int of_class) {
  const State from = states_[static_cast<std::size_t>(state)];  // a copy, because number_of() moves the states
  const bool ends_match = find_reads(from, of_class);
  std::vector<std::int32_t> positions;
  if (of_class != program_.end_of_text()) {
    std::unordered_set<std::int32_t> listed;
    for (const std::int32_t read : reads_) {
      if (!program_.has(program_.steps[static_cast<std::size_t>(read)].a, of_class)) continue;
      std::int32_t to = read + 1;  // jumps are followed here, so that equal states have equal positions
      while (program_.steps[static_cast<std::size_t>(to)].kind == PatternStep::jump)
        to = program_.steps[static_cast<std::size_t>(to)].a;
      if (listed.insert(to).second) positions.push_back(to);
    }
  }
  const int context = program_.context_after[static_cast<std::size_t>(of_class)];
  const int next = positions.empty() ? dead : number_of(positions, context);
  return next_[static_cast<std::size_t>(state * program_.width() + of_class)] = 2 * next + ends_match;
}

// Lists the steps in reads_ that may read the next character, the preferred step first. Returns whether a match ends here
// before any less preferred step would be tried.
//
// CPython leaves a loop if its last round began at this very place. Bit d of `stuck` is set if loop d has begun a round
// here.
bool PatternMatcher::find_reads(const State& from, int of_class) {
  struct Branch {
    std::int32_t position;
    std::uint32_t stuck;
  };
  reads_.clear();
  std::vector<Branch> branches;
  std::unordered_set<std::uint64_t> visited;
  std::unordered_set<std::int32_t> listed;
  for (std::size_t i = from.positions.size(); i-- > 0;) branches.push_back({from.positions[i], 0});
  while (!branches.empty()) {
    const auto [position, stuck] = branches.back();
    branches.pop_back();
    ++n_tried_;
    if (!visited.insert(std::uint64_t{stuck} << 32 | static_cast<std::uint32_t>(position)).second) continue;
    const PatternStep& step = program_.steps[static_cast<std::size_t>(position)];
    const std::uint32_t loop = std::uint32_t{1} << (step.c & 31);
    switch (step.kind) {
      case PatternStep::read:
        if (listed.insert(position).second) reads_.push_back(position);
        break;
      case PatternStep::test:
        if (program_.holds(step.a, from.context, of_class)) branches.push_back({position + 1, stuck});
        break;
      case PatternStep::split:
        branches.push_back({step.b, stuck});
        branches.push_back({step.a, stuck});
        break;
      case PatternStep::jump:
        branches.push_back({step.a, stuck});
        break;
      case PatternStep::enter:
        branches.push_back({position + 1, stuck & ~(std::uint32_t{1} << step.a)});
        break;
      case PatternStep::greedy:
        branches.push_back({step.b, stuck & ~loop});
        if ((stuck & loop) == 0) branches.push_back({step.a, stuck | loop});
        break;
      case PatternStep::lazy:
        if ((stuck & loop) == 0) branches.push_back({step.a, stuck | loop});
        branches.push_back({step.b, stuck & ~loop});
        break;
      case PatternStep::match:
        return true;
    }
  }
  return false;
}

}  // namespace termsift
