// Regular expressions for words. The package translates a regular expression of Python's `re` into a program over classes of
// characters. Cutter finds the same matches as re.findall, in time that does not depend on the number of alternatives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "termsift/texts.hpp"

namespace termsift {

// A step of a program. Positions are indices of steps.
struct PatternStep {
  enum Kind : std::int32_t {
    read,    // reads a character of set a
    test,    // goes on only if test a holds here
    split,   // tries position a first, then position b
    jump,    // goes on at position a
    enter,   // enters loop a, which is a loop whose body may match the empty text
    greedy,  // tries another round of loop c at position a first, then leaves the loop to position b
    lazy,    // leaves loop c to position b first, then tries another round at position a
    match    // ends the match
  };
  Kind kind;
  std::int32_t a, b, c;
};

// A regular expression without the empty match. The classes part the characters, so that no set and no test tells two
// characters of a class apart. Two more classes stand for places: class n_classes is a newline that ends the text, and class
// n_classes + 1 is the end of the text. A test depends on the next class, and on the context: what precedes the place.
struct PatternProgram {
  static constexpr int most_classes = 120, most_loops = 32;

  std::vector<PatternStep> steps;  // the last step is a match
  int n_classes = 0, n_sets = 0, n_tests = 0, n_contexts = 0;
  std::vector<std::uint8_t> class_of;       // (n_code_points,)
  std::vector<std::uint8_t> sets;           // (n_sets, n_classes + 2), whether a set has a class
  std::vector<std::uint8_t> tests;          // (n_tests, n_contexts, n_classes + 2), whether a test holds
  std::vector<std::uint8_t> context_after;  // (n_classes + 2,), the context after a class, and last at the start of a text
  bool asks_for_last_newline = false;       // whether a newline that ends the text differs from other newlines
  int skip_before = 0, skip_after = 0;      // the characters of a match before and after the token

  int width() const { return n_classes + 2; }
  int last_newline() const { return n_classes; }
  int end_of_text() const { return n_classes + 1; }
  int context_at_start() const { return context_after.back(); }
  bool has(std::int32_t set, int of_class) const { return sets[static_cast<std::size_t>(set * width() + of_class)] != 0; }
  bool holds(std::int32_t test, int context, int next) const {
    return tests[static_cast<std::size_t>((test * n_contexts + context) * width() + next)] != 0;
  }
  // Throws std::invalid_argument unless all indices are valid and the shapes fit.
  void check() const;
};

class PatternScanner;

// A program, and the tables that find its matches. Several threads may use a TokenPattern at once.
class TokenPattern {
 public:
  // Throws std::invalid_argument if the program is malformed, or if its scanner would have too many states.
  explicit TokenPattern(PatternProgram program);
  ~TokenPattern();
  const PatternProgram& program() const { return program_; }
  const PatternScanner& scanner() const { return *scanner_; }

 private:
  PatternProgram program_;
  std::unique_ptr<PatternScanner> scanner_;
};

// Returns the matches in each text, which is read in pieces of about `piece` bytes. A pattern is checked with this function
// before it is trusted.
std::vector<std::vector<std::string>> all_matches(const std::shared_ptr<const TokenPattern>& pattern, Texts texts,
                                                  std::int64_t piece);

}  // namespace termsift
