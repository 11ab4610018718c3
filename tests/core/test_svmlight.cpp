#include "termsift/svmlight.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "plain_svmlight.hpp"
#include "termsift/types.hpp"

using namespace termsift;
using namespace plain_svmlight;

namespace {

const std::string sample =
    "1 1:2 3:4\n"
    "+1.5,2\tqid:7 10:0.25 2:1e3 2:3 # 7:7, a comment\r\n"
    "\n"
    "  # nothing\n"
    "-1e0 0:0 9223372036854775807:9223372036854775807\n"
    "3\n"
    "4:1 5:.5\n"
    "x 1:1\n"
    "2 1:18446744073709551616 7:00000000000000000000012.50";

std::string random_text(Random& random, std::size_t n_lines) {
  static const std::vector<std::string> counts = {"1", "2", "17", "1", "3", "1.0", "250"};
  std::string text;
  for (std::size_t line = 0; line < n_lines; ++line) {
    text += std::to_string(below(random, 20));
    for (std::size_t n = below(random, 30); n > 0; --n)
      text.append(" ").append(std::to_string(below(random, 1000000)))
          .append(":").append(counts[below(random, counts.size())]);
    if (below(random, 50) == 0) text += " # a comment: 1:1";
    text += '\n';
  }
  return text;
}

}  // namespace

TEST(cut_at_every_byte) {
  for (std::size_t n = 0; n <= sample.size(); ++n) {
    check_against_plain(sample.substr(0, n));
    check_against_plain(sample.substr(n));
  }
}

TEST(any_number_of_threads) {
  Random random(3);
  const std::string text = random_text(random, 20000);  // some ten pieces
  CHECK(text.size() > 7 << 18);
  const std::string whole = parsed(text, options());
  for (const int n_threads : {2, 3, 7}) CHECK_EQ(parsed(text, options(false, n_threads)) == whole, true);
  // A fraction in one piece reaches all.
  std::string with_fraction = text;
  with_fraction.insert(with_fraction.rfind('\n'), " 1:0.5");
  const std::string expected = parsed(with_fraction, options());
  CHECK(expected.find("as doubles") != std::string::npos);
  for (const int n_threads : {2, 3, 7}) CHECK(parsed(with_fraction, options(false, n_threads)) == expected);
}

TEST(the_first_bad_line_whatever_the_threads) {
  Random random(5);
  const std::string good = random_text(random, 20000);
  for (int round = 0; round < 20; ++round) {
    std::string text = good;
    for (int n = 0; n < 6; ++n) text.insert(below(random, text.size()), 1, '!');
    const std::string expected = parsed(text, options()), skipping = parsed(text, options(true));
    CHECK(expected.find("[") == std::string::npos);
    for (const int n_threads : {2, 3, 7}) {
      CHECK_EQ(parsed(text, options(false, n_threads)), expected);
      CHECK(parsed(text, options(true, n_threads)) == skipping);
    }
  }
}

TEST(lines_longer_than_a_piece) {
  for (const int n_threads : {1, 3}) {
    std::string text = "1";
    for (int i = 0; i < 300000; ++i) text += " 7:1";
    text += "\n2 1:1";
    const SvmlightBlock block = parse(text, options(false, n_threads));
    CHECK_EQ(block.n_docs, 2);
    CHECK_EQ(block.indptr[1], 300000);
    CHECK_EQ(block.n_entries, 300001);
    CHECK_THROWS(parse("1 " + std::string(3 << 20, '7'), options(false, n_threads)), LineError, "index:count");
  }
}

TEST(a_call_stops_when_asked_to) {
  Random random(6);
  std::string text = random_text(random, 20000);
  SvmlightOptions o = options(false, 2);
  o.threads.poll = [] { return true; };
  const auto forever = [&] {  // it polls after poll_interval at the earliest
    for (;;) parse(text, o);
  };
  CHECK_THROWS((forever(), 0), Interrupted, "interrupted");
}
