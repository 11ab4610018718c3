#include "termsift/matrix_market.hpp"

#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "plain_matrix_market.hpp"
#include "termsift/types.hpp"

using namespace termsift;
using namespace plain_matrix_market;

namespace {

std::string banner(const std::string& words) { return "%%MatrixMarket matrix " + words + "\n"; }

const std::string integer = banner("coordinate integer general");

const std::vector<std::string> samples = {
    integer + "% a comment\n\n 2\t3 2 \r\n1 1 5\r\n\n2 3 -9223372036854775808",
    "%MATRIXMARKET Matrix Coordinate REAL Symmetric and more\n3 3 4\n1 1 .5\n2 1 1e3\n3 1 +7\n3 1 1e-400\n",
    banner("array double skew-symmetric") + "3 3\n1\n0\n-2.5\n",
    banner("array unsigned-integer general") + "2 3\n1\n0\n3\n\n4\n5\n6\n",
    banner("coordinate pattern general") + "2 2 2\n2 2\n1 2\n",
    integer + "2 2 0",
};

void check_against_plain(const std::string& text) {
  const std::string want = plainly(text);
  CHECK_EQ(parsed(text) + " of\n" + text, want + " of\n" + text);  // the text tells what failed
}

// A text of many pieces; each blank line makes a gap.
std::string large(Random& random, std::size_t n, const char* field) {
  std::string text = banner(std::string("coordinate ") + field + " general") + "100000 100000 " + std::to_string(n) + "\n";
  for (std::size_t i = 0; i < n; ++i) {
    text += std::to_string(1 + below(random, 100000)) + " " + std::to_string(1 + below(random, 100000)) + " " +
            std::to_string(below(random, 300)) + (field[0] == 'r' && below(random, 5) == 0 ? ".25\n" : "\n");
    if (below(random, 100) == 0) text += "\n";
  }
  return text;
}

}  // namespace

TEST(cut_at_every_byte) {
  for (const std::string& sample : samples)
    for (std::size_t n = 0; n <= sample.size(); ++n) check_against_plain(sample.substr(0, n));
}

TEST(any_number_of_threads) {
  Random random(2);
  for (const char* field : {"integer", "real"}) {
    const std::string text = large(random, 60000, field);
    CHECK(text.size() > 3 << 18);
    const std::string want = plainly(text);
    for (const int n_threads : {1, 2, 5}) CHECK(parsed(text, n_threads) == want);
  }
}

TEST(the_first_wrong_line_whatever_the_threads) {
  Random random(3);
  const std::string good = large(random, 60000, "integer");
  const std::size_t body = good.find('\n', integer.size()) + 1;
  for (int round = 0; round < 20; ++round) {
    std::string text = good;
    for (int n = 0; n < 4; ++n) text.insert(body + below(random, text.size() - body), 1, round % 2 == 0 ? '!' : '\n');
    const std::string want = plainly(text);
    for (const int n_threads : {1, 3}) CHECK_EQ(parsed(text, n_threads), want);
  }
}

TEST(a_call_stops_when_asked_to) {
  Random random(4);
  const std::string text = large(random, 60000, "integer");
  const Threads threads{2, [] { return true; }};
  check_interrupted([&] { parse_matrix_market(text, threads); });
}
