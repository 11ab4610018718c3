#include "text/pattern_scanner.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace termsift {
namespace {

// A state of the scanner. If no attempt runs, only `context` counts.
struct State {
  bool runs = false;       // whether an attempt runs
  bool has_match = false;  // whether the attempt has found a match, which may become longer
  bool knows_rest = true;  // whether `rest` holds all characters to read again
  int attempt = 0;         // the state of the attempt in PatternMatcher
  int context = 0;         // the context before `rest`, or before the next character if no attempt runs
  std::vector<std::uint8_t> rest;  // the classes since the last match, or since the character that began the attempt

  std::vector<std::int32_t> key() const {
    std::vector<std::int32_t> key{runs, has_match, knows_rest, attempt, context};
    key.insert(key.end(), rest.begin(), rest.end());
    return key;
  }
};

// Reads a class, and makes all attempts that this allows. Knows up to most_rest characters.
State step(const PatternProgram& program, PatternMatcher& matcher, State state, int of_class, int most_rest,
           PatternScanner::Transition& found) {
  std::vector<std::uint8_t> queue{static_cast<std::uint8_t>(of_class)};  // the classes to read
  bool is_new = false;     // whether the running attempt began in this step
  std::size_t began_at = 0;  // the number of characters between the start of that attempt and of_class
  for (std::size_t i = 0; i < queue.size();) {
    const int next_class = queue[i];
    const std::size_t delay = queue.size() - 1 - i;
    if (!state.runs) {
      const int before = state.context;
      state = {};
      state.context = program.context_after[static_cast<std::size_t>(next_class)];
      ++i;
      if (next_class == program.end_of_text()) continue;  // the next text begins
      const int attempt = matcher.step(matcher.start(before), next_class).state;
      if (attempt == PatternMatcher::dead) continue;
      state.runs = is_new = true;
      state.attempt = attempt;
      began_at = delay;
      continue;
    }
    const PatternMatcher::Next next = matcher.step(state.attempt, next_class);
    if (next.ends_match) {
      state.has_match = state.knows_rest = true;
      state.rest.clear();
      state.context = matcher.context(state.attempt);
    }
    if (next.state != PatternMatcher::dead) {
      state.attempt = next.state;
      if (state.knows_rest) {
        state.rest.push_back(static_cast<std::uint8_t>(next_class));
        if (std::ssize(state.rest) > most_rest) {
          state.knows_rest = false;
          state.rest.clear();
          state.context = 0;  // so that equal states have equal keys
        }
      }
      ++i;
      continue;
    }
    if (!state.knows_rest) {
      found.is_hard = true;
      return state;
    }
    if (state.has_match) {
      if (is_new) found.events.push_back({false, static_cast<std::uint8_t>(began_at)});
      found.events.push_back({true, static_cast<std::uint8_t>(delay + state.rest.size())});
    }
    // The attempt is over. The search goes on after its match, or after the character that began it.
    is_new = false;
    std::vector<std::uint8_t> again = std::move(state.rest);
    again.insert(again.end(), queue.begin() + static_cast<std::ptrdiff_t>(i), queue.end());
    queue = std::move(again);
    i = 0;
    const int context = state.context;
    state = {};
    state.context = context;
  }
  if (state.runs && is_new) found.events.push_back({false, static_cast<std::uint8_t>(began_at)});
  return state;
}

}  // namespace

// All states that can be reached, with their transitions. State 0 follows a hard transition, and is left by no transition.
struct PatternScanner::Automaton {
  int n_states = 0;
  std::vector<std::vector<int>> next, transition;  // for each state and class
  std::vector<Transition> transitions{{}};         // transition 0 finds nothing
  std::vector<bool> runs;
  std::vector<int> between;

  // Returns nullopt if there are too many states.
  static std::optional<Automaton> of(const PatternProgram& program, PatternMatcher& matcher, int most_rest) {
    constexpr std::int64_t most_before_union = 1500, most_of_matcher = 3000, most_tried = 2'000'000;  // half a second
    Automaton made;
    std::vector<State> states;
    std::map<std::vector<std::int32_t>, int> numbers, transition_numbers{{{0}, 0}};
    const auto number_of = [&](const State& state) {
      const auto [found, is_new] = numbers.try_emplace(state.key(), static_cast<int>(states.size()));
      if (is_new) states.push_back(state);
      return found->second;
    };
    State after_hard;
    after_hard.context = -1;
    number_of(after_hard);
    for (int context = 0; context < program.n_contexts; ++context) {
      State state;
      state.context = context;
      made.between.push_back(number_of(state));
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (std::ssize(states) > most_before_union || matcher.n_states() > most_of_matcher) return std::nullopt;
      auto& next = made.next.emplace_back(static_cast<std::size_t>(program.width()));
      auto& transition = made.transition.emplace_back(static_cast<std::size_t>(program.width()));
      if (i == 0) continue;
      for (int c = 0; c < program.width(); ++c) {
        if (matcher.n_tried() > most_tried) throw std::invalid_argument("the pattern needs too many steps");
        Transition found;
        const State to = step(program, matcher, states[i], c, most_rest, found);
        next[static_cast<std::size_t>(c)] = found.is_hard ? 0 : number_of(to);
        std::vector<std::int32_t> key{found.is_hard};
        for (const Event& event : found.events) key.push_back(event.is_end + 2 * event.delay);
        const auto [at, is_new] = transition_numbers.try_emplace(key, static_cast<int>(made.transitions.size()));
        if (is_new) made.transitions.push_back(found);
        transition[static_cast<std::size_t>(c)] = at->second;
      }
    }
    for (const State& state : states) made.runs.push_back(state.runs);
    made.n_states = static_cast<int>(states.size());
    made.unite_equal_states();
    return made.n_states <= most_states ? std::optional(std::move(made)) : std::nullopt;
  }

  // Unites states that find the same in all texts (Moore's algorithm: parts are refined until they are stable).
  void unite_equal_states() {
    std::vector<int> part(static_cast<std::size_t>(n_states), 0);
    for (std::size_t n_parts = 1;;) {
      std::map<std::vector<int>, int> numbers;
      std::vector<int> refined;
      for (std::size_t i = 0; i < part.size(); ++i) {
        std::vector<int> key{part[i]};
        for (std::size_t c = 0; c < next[i].size(); ++c) {
          key.push_back(transition[i][c]);
          key.push_back(part[static_cast<std::size_t>(next[i][c])]);
        }
        refined.push_back(numbers.try_emplace(std::move(key), static_cast<int>(numbers.size())).first->second);
      }
      part = std::move(refined);
      if (std::exchange(n_parts, numbers.size()) == numbers.size()) break;
    }
    Automaton united;
    united.n_states = 1 + *std::max_element(part.begin(), part.end());
    const auto n = static_cast<std::size_t>(united.n_states);
    united.next.resize(n);
    united.transition.resize(n);
    united.runs.resize(n);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto to = static_cast<std::size_t>(part[i]);
      united.transition[to] = transition[i];
      united.next[to].clear();
      for (const int state : next[i]) united.next[to].push_back(part[static_cast<std::size_t>(state)]);
      united.runs[to] = united.runs[to] || runs[i];
    }
    for (const int state : between) united.between.push_back(part[static_cast<std::size_t>(state)]);
    united.transitions = std::move(transitions);
    *this = std::move(united);
  }
};

PatternScanner::PatternScanner(const PatternProgram& program, PatternMatcher& matcher) : width_(program.width()) {
  set_classes(program);
  // To know more characters makes hard transitions rarer, but needs more states. With few states, the scanner is four times
  // as fast, which is worth more than knowing six characters instead of two.
  std::optional<Automaton> best;
  for (const int most_rest : {6, 4, 3, 2, 1, 0}) {
    std::optional<Automaton> made = Automaton::of(program, matcher, most_rest);
    if (!made) continue;
    const bool is_fast = made->n_states <= few_scan_states && most_rest >= 2;
    if (!best || is_fast) best = std::move(made);
    if (is_fast) break;
  }
  if (!best) throw std::invalid_argument("the pattern needs a scanner of more than 256 states");
  set_tables(*best);
}

void PatternScanner::set_classes(const PatternProgram& program) {
  for (int symbol = 0; symbol < 256; ++symbol) {
    const int of_class = symbol - PatternSymbol::first_of_classes;
    if (of_class < 0) class_of_symbol_[symbol] = program.class_of[static_cast<std::size_t>(symbol)];
    else if (of_class < program.n_classes) class_of_symbol_[symbol] = static_cast<std::uint8_t>(of_class);
  }
  class_of_symbol_[PatternSymbol::last_newline] = static_cast<std::uint8_t>(program.last_newline());
  class_of_symbol_[PatternSymbol::end_of_text] = static_cast<std::uint8_t>(program.end_of_text());
}

void PatternScanner::set_tables(const Automaton& automaton) {
  n_states_ = automaton.n_states;
  transitions_ = automaton.transitions;
  std::vector<std::uint8_t> flags;
  for (const Transition& found : transitions_) {
    const std::vector<Event>& events = found.events;
    const bool is_here = std::ranges::all_of(events, [](const Event& event) { return event.delay == 0; });
    if (found.is_hard || !is_here || events.size() > 2 || (events.size() == 2 && !(events[0].is_end && !events[1].is_end)))
      flags.push_back(ScanFlag::rare);
    else
      flags.push_back(static_cast<std::uint8_t>((!events.empty() && !events.back().is_end ? ScanFlag::begins : 0) |
                                                (!events.empty() && events.front().is_end ? ScanFlag::ends : 0)));
  }
  many_.resize(static_cast<std::size_t>(n_states_) * 256);
  if (has_few_states()) few_.resize(256 * few_scan_states);
  for (int state = 0; state < n_states_; ++state) {
    const auto& next = automaton.next[static_cast<std::size_t>(state)];
    const auto& transition = automaton.transition[static_cast<std::size_t>(state)];
    for (const int of_transition : transition) transition_of_.push_back(static_cast<std::uint16_t>(of_transition));
    runs_.push_back(automaton.runs[static_cast<std::size_t>(state)]);
    for (int symbol = 0; symbol < 256; ++symbol) {
      int to = state, flag = 0;
      if (symbol != PatternSymbol::nothing) {
        const std::size_t of_class = class_of_symbol_[symbol];
        to = next[of_class];
        flag = flags[static_cast<std::size_t>(transition[of_class])];
      }
      many_[static_cast<std::size_t>(state * 256 + symbol)] = static_cast<std::uint16_t>(to << 8 | flag);
      if (has_few_states())
        few_[static_cast<std::size_t>(symbol * few_scan_states + state)] = static_cast<std::uint8_t>(to | flag);
    }
  }
  for (const int state : automaton.between) between_.push_back(static_cast<std::uint8_t>(state));
}

}  // namespace termsift
