#include "termsift/token_pattern.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "termsift/utf8.hpp"
#include "text/pattern_matcher.hpp"
#include "text/pattern_scanner.hpp"

namespace termsift {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("malformed pattern: ") + what);
}

}  // namespace

void PatternProgram::check() const {
  require(n_classes >= 1 && n_classes <= most_classes && n_sets >= 0 && n_tests >= 0 && n_contexts >= 1, "the sizes");
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  require(n_contexts <= width(), "the number of contexts");
  require(class_of.size() == n_code_points, "the classes of characters");
  require(sets.size() == size(std::int64_t{n_sets} * width()), "the sets");
  require(tests.size() == size(std::int64_t{n_tests} * n_contexts * width()), "the tests");
  require(context_after.size() == size(width()), "the contexts");
  require(std::ranges::all_of(class_of, [&](int c) { return c < n_classes; }), "a class");
  require(std::ranges::all_of(context_after, [&](int c) { return c < n_contexts; }), "a context");
  constexpr int most_skipped = 1000;
  require(skip_before >= 0 && skip_after >= 0 && skip_before <= most_skipped && skip_after <= most_skipped,
          "the characters around the token");
  constexpr std::size_t most_steps = 1 << 16;
  require(!steps.empty() && steps.size() <= most_steps && steps.back().kind == PatternStep::match, "the number of steps");
  const auto is_place = [&](std::int32_t place) { return place >= 0 && place < std::ssize(steps); };
  for (const PatternStep& step : steps) {
    switch (step.kind) {
      case PatternStep::read: require(step.a >= 0 && step.a < n_sets, "a set"); break;
      case PatternStep::test: require(step.a >= 0 && step.a < n_tests, "a test"); break;
      case PatternStep::split: require(is_place(step.a) && is_place(step.b), "a split"); break;
      case PatternStep::jump: require(is_place(step.a), "a jump"); break;
      case PatternStep::enter: require(step.a >= 0 && step.a < most_loops, "a loop"); break;
      case PatternStep::greedy:
      case PatternStep::lazy:
        require(is_place(step.a) && is_place(step.b) && step.c >= 0 && step.c < most_loops, "a loop");
        break;
      case PatternStep::match: break;
      default: require(false, "a kind of step");
    }
  }
  for (std::int32_t place = 0; place < std::ssize(steps); ++place) {
    std::size_t n_jumps = 0;
    for (std::int32_t at = place; steps[size(at)].kind == PatternStep::jump; at = steps[size(at)].a)
      require(++n_jumps <= steps.size(), "jumps in a circle");
  }
}

TokenPattern::TokenPattern(PatternProgram program) : program_(std::move(program)) {
  program_.check();
  PatternMatcher matcher(program_);
  scanner_ = std::make_unique<PatternScanner>(program_, matcher);
}

TokenPattern::~TokenPattern() = default;

}  // namespace termsift
