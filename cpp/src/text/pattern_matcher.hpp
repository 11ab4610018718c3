// Matches a program at one place of a text, as `re` does: alternatives in order, greedy and lazy loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "termsift/token_pattern.hpp"

namespace termsift {

// A deterministic automaton that is built while it runs. A state is a list of positions of the program, the preferred
// position first, and the context. A match is seen one character late, because tests ask for the next class.
class PatternMatcher {
 public:
  static constexpr int dead = 0;  // the state in which no match is possible any more

  explicit PatternMatcher(const PatternProgram& program);

  struct Next {
    int state;
    bool ends_match;  // whether a match ends before the character that was read
  };
  // Returns the state in which an attempt begins.
  int start(int context);
  // Reads a character. `state` must not be dead.
  Next step(int state, int of_class) {
    const std::int32_t known = next_[static_cast<std::size_t>(state * program_.width() + of_class)];
    return unpacked(known >= 0 ? known : build(state, of_class));
  }
  // Returns the context before the next character.
  int context(int state) const { return states_[static_cast<std::size_t>(state)].context; }
  std::int64_t n_states() const { return std::ssize(states_); }
  // Returns the number of steps of the program that were tried to build the states.
  std::int64_t n_tried() const { return n_tried_; }
  // Forgets all states but one if there are many, and returns the new number of that one.
  int limit_memory(int state);

 private:
  struct State {
    std::vector<std::int32_t> positions;
    int context;
  };
  struct Hash {
    std::size_t operator()(const std::vector<std::int32_t>& key) const;
  };

  static Next unpacked(std::int32_t packed) { return {packed >> 1, (packed & 1) != 0}; }
  void clear();
  int number_of(const std::vector<std::int32_t>& positions, int context);
  std::int32_t build(int state, int of_class);
  bool find_reads(const State& from, int of_class);

  const PatternProgram& program_;
  std::vector<State> states_;
  std::vector<std::int32_t> next_;  // (n_states, width), 2 * state + ends_match, or -1 if unknown
  std::unordered_map<std::vector<std::int32_t>, int, Hash> numbers_;
  std::vector<int> starts_;         // the state at the start of an attempt in each context, or -1
  std::int64_t n_tried_ = 0;
  std::size_t n_kept_ = 0;          // the size of all states together
  std::vector<std::int32_t> reads_; // the result of find_reads
};

}  // namespace termsift
