// Finds all tokens of a text in one pass, without a branch for a character.
#pragma once

#include <cstdint>
#include <vector>

#include "termsift/token_pattern.hpp"
#include "text/pattern_matcher.hpp"
#include "text/pattern_symbols.hpp"

namespace termsift {

static_assert(PatternSymbol::first_of_classes + PatternProgram::most_classes <= PatternSymbol::last_newline);

// A complete automaton over the symbols of all texts, one text after the other. `re` begins an attempt at each place after
// the last match, and an attempt that fails makes it read characters again. A state of the scanner knows whether an attempt
// runs, the attempt's state in PatternMatcher, and the last characters, which must be read again if the attempt fails, or
// since its last match. So the attempts that follow are made within one transition, and the scanner reads a text only once.
class PatternScanner {
 public:
  // A token begins or ends `delay` characters before the character that was read.
  struct Event {
    bool is_end;
    std::uint8_t delay;
  };
  // What a transition finds. A transition is hard if more characters must be read again than the state knows.
  struct Transition {
    std::vector<Event> events;
    bool is_hard = false;
  };
  static constexpr int most_states = 256;

  // Throws std::invalid_argument if the scanner would need more than most_states.
  PatternScanner(const PatternProgram& program, PatternMatcher& matcher);

  bool has_few_states() const { return n_states_ <= few_scan_states; }
  // (256, 16), the next state | flags for each symbol and state, if has_few_states().
  const std::uint8_t* few() const { return few_.data(); }
  // (n_states, 256), the next state << 8 | flags for each state and symbol.
  const std::uint16_t* many() const { return many_.data(); }
  // Returns the state between two attempts, and at the start of a text.
  int between(int context) const { return between_[static_cast<std::size_t>(context)]; }
  // Returns whether an attempt may be running.
  bool runs(int state) const { return runs_[static_cast<std::size_t>(state)] != 0; }
  const Transition& transition(int state, std::uint8_t symbol) const {
    return transitions_[transition_of_[static_cast<std::size_t>(state * width_ + class_of_symbol_[symbol])]];
  }
  std::uint8_t class_of_symbol(std::uint8_t symbol) const { return class_of_symbol_[symbol]; }

 private:
  struct Automaton;

  void set_classes(const PatternProgram& program);
  void set_tables(const Automaton& automaton);

  int n_states_ = 0, width_ = 0;
  std::vector<std::uint8_t> few_;
  std::vector<std::uint16_t> many_;
  std::vector<std::uint8_t> between_, runs_;
  std::vector<Transition> transitions_;
  std::vector<std::uint16_t> transition_of_;  // (n_states, width), an index of transitions_
  std::uint8_t class_of_symbol_[256] = {};
};

}  // namespace termsift
