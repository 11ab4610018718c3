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

TEST(every_form) {
  CHECK_EQ(parsed(samples[0]), "2 x 3 [0, 1][0, 2][5, -9223372036854775808]");
  CHECK_EQ(parsed(samples[1]),
           "3 x 3 [0, 1, 2, 2, 0, 0, 0][0, 0, 0, 0, 1, 2, 2] as doubles [0.5, 1000, 7, 0, 1000, 7, 0]");
  CHECK_EQ(parsed(samples[2]), "3 x 3 [1, 2, 0, 1][0, 1, 1, 2] as doubles [1, -2.5, -1, 2.5]");
  CHECK_EQ(parsed(samples[3]), "2 x 3 [0, 0, 1, 0, 1][0, 1, 1, 2, 2][1, 3, 4, 5, 6]");
  CHECK_EQ(parsed(samples[4]), "2 x 2 [1, 0][1, 1] as doubles [1, 1]");
  CHECK_EQ(parsed(samples[5]), "2 x 2 [][][]");
}

TEST(what_is_wrong) {
  const std::string whole = "a whole number below 2^63, because line 1 says integer; other numbers need real there; ";
  const std::string after = "the end of the line after an entry; ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "1: %%MatrixMarket, which a Matrix Market file begins with; "},
      {"hello\n", "1: %%MatrixMarket, which a Matrix Market file begins with; hello"},
      {"%%MatrixMarket vector", "1: matrix; vector"},
      {banner("coordinate complex general"), "1: real, integer, unsigned-integer or pattern; complex"},
      {banner("array pattern general"), "1: real, integer or unsigned-integer; pattern"},
      {banner("coordinate real hermitian"), "1: general, symmetric or skew-symmetric; hermitian"},
      {integer, "2: a number of rows from 0 to 2147483647; "},
      {integer + "%\n-1 2 3\n", "3: a number of rows from 0 to 2147483647; -1"},
      {integer + "1 2147483648 1\n", "2: a number of columns from 0 to 2147483647; 2147483648"},
      {integer + "1 1 9223372036854775808\n", "2: a number of entries from 0 to 9223372036854775807; 9223372036854775808"},
      {integer + "1 1 1 1\n", "2: the end of the line, after the size of the matrix; 1"},
      {banner("coordinate real symmetric") + "2 3 1\n",
       "2: as many columns as rows, because line 1 says that the matrix is symmetric; 3"},
      {integer + "2 3 1\n0 1 1\n", "3: a row from 1 to 2; 0"},
      {integer + "2 3 1\n1 4 1\n", "3: a column from 1 to 3; 4"},
      {integer + "2 3 1\n1\n", "3: a column from 1 to 3; "},
      {integer + "2 3 1\n% c\n", "3: a row from 1 to 2; %"},
      {integer + "2 3 1\n1 1 7.0", "3: " + whole + "7.0"},
      {integer + "2 3 1\n1 1", "3: " + whole},
      {integer + "2 3 1\n1 1 9223372036854775808\n", "3: " + whole + "9223372036854775808"},
      {integer + "2 3 1\n1 1 7 seven\n", "3: " + after + "seven"},
      {integer + "2 3 1\n1 1 7\n" + std::string(60, '\0'),
       "4: no more entries than the 1 that line 2 declares; " + std::string(40, '\0') + "..."},
      {banner("coordinate real general") + "2 3 1\n1 1 7,5", "3: a finite number; 7,5"},
      {banner("coordinate real general") + "2 3 1\n1 1 1e400", "3: a finite number; 1e400"},
      {banner("coordinate real general") + "2 3 1\n1 1 nan", "3: a finite number; nan"},
      {integer + "2 3 4611686018427387904\n1 1 1\n\n", "5: entry 2 of the 4611686018427387904 that line 2 declares; "},
      {banner("array integer general") + "2147483647 2147483647\n1\n",
       "4: entry 2 of the 4611686014132420609 that line 2 asks for; "},
      {banner("array integer general") + "2 1\n1 2\n", "3: " + after + "2"},
      {integer + "2 3 1\n1 1 1\n2 2 2\n9 9 9\n", "4: no more entries than the 1 that line 2 declares; 2"},
      {integer + "2 3 1\n1 1 1\n9 9 9\n", "4: no more entries than the 1 that line 2 declares; 9"},
  };
  for (const auto& [text, what] : cases) {
    CHECK_EQ(complaint(text), what);
    check_against_plain(text);
  }
}

TEST(cut_at_every_byte) {
  for (const std::string& sample : samples)
    for (std::size_t n = 0; n <= sample.size(); ++n) check_against_plain(sample.substr(0, n));
}

TEST(any_bytes_changed) {
  Random random(1);
  const std::string bytes = "0123456789. \t\r\n%+-eE" + std::string("\0\xff", 2);
  for (int i = 0; i < 20000; ++i) {
    const std::string& sample = samples[below(random, samples.size())];
    check_against_plain(changed(sample, bytes, 3, random));
  }
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
