// The readers of matrices compared with plain readers: every cut of a text, any blocks, pieces and threads, and the first
// bad line. The fuzz target `matrices` makes the same comparison for arbitrary bytes.
#include <bit>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "read_matrices.hpp"
#include "reading/number_text.hpp"

using namespace termsift;
using namespace read_matrices;

namespace {

const std::string svmlight =
    "\xef\xbb\xbf"
    "1 1:2 3:4\n"
    "+1.5,spam\tqid:7 2:3 10:0.25 # 7:7, a comment\r\n"
    "\n"
    "  # nothing\n"
    "-1e0 0:0 2147483647:9007199254740991\n"
    "1048576,1048575,01\n"
    "4:1 5:.5\n"
    "\xc3\xa9 00000000000000000000001:1 2:00000000000000000000012.50\n"
    "2 1:1e400 7:1e-400\n"
    "-0 1:-0 2:123456789 3:12345678";

const std::string repository =
    "5 4 3\r\n"
    "0,2 0:1 3:2.5\n"
    " 1:1\n"
    "1\n"
    "\n"
    "1:1 2:7 # c\n"
    "\n \n";

std::string banner(const std::string& words) { return "%%MatrixMarket matrix " + words + "\n"; }

const std::string integer = banner("coordinate integer general");

const std::vector<std::string> markets = {
    integer + "% a comment\n\n 2\t3 4 \r\n1 1 5\r\n\n1  1 7\n\t1 3 123456789\n2 3 9223372036854775807",
    integer + "3 3 4\n3 1 1\n1 1 2\n2 2 3\n3 3 4",
    "%%MATRIXMARKET Matrix Coordinate REAL Symmetric\n3 3 4\n1 1 .5\n2 1 1e3\n3 1 +7\n3 1 1e-400\n",
    banner("array double general") + "3 2\n1\n0\n2.5\n\n-0\n7\n8.\n",
    banner("array unsigned-integer symmetric") + "3 3\n1\n0\n3\n4\n5\n6\n",
    banner("coordinate pattern general") + "2 2 2\n2 2\n1 2\n",
    integer + "2 2 2\n0000000000000000000000001 02 5\n2 0000000000000000000000002 7\n",
    integer + "2 2 1\n0000000000000000000000003 2 5\n",
    integer + "2 2 0",
    integer + "0 0 0\n",
    integer + "2 2 2\n1 1 9223372036854775807\n1 1 1\n",
};

std::string random_svmlight(Random& random, std::size_t n_lines) {
  static const std::vector<std::string> counts = {"1", "2", "17", "1", "3", "1.0", "250", "12345678"};
  std::string text;
  for (std::size_t line = 0; line < n_lines; ++line) {
    text += below(random, 4) == 0 ? "word" + std::to_string(below(random, 9)) : std::to_string(below(random, 20));
    for (std::size_t n = below(random, 9), index = 0; n > 0; --n)
      text.append(" ").append(std::to_string(index += 1 + below(random, 100000)))
          .append(":").append(counts[below(random, counts.size())]);
    if (below(random, 50) == 0) text += " # a comment: 1:1";
    text += '\n';
  }
  return text;
}

// Returns entries that are sorted by row. Each blank line makes a gap.
std::string random_market(Random& random, std::size_t n, const char* field) {
  std::string text = banner(std::string("coordinate ") + field + " general") + "900 900 " + std::to_string(n) + "\n";
  for (std::size_t i = 0; i < n; ++i) {
    text += std::to_string(1 + 900 * i / n) + " " + std::to_string(1 + below(random, 900)) + " " +
            std::to_string(below(random, 300)) + (field[0] == 'r' && below(random, 5) == 0 ? ".25\n" : "\n");
    if (below(random, 100) == 0) text += "\n";
  }
  return text;
}

const std::vector<Sizes> threads = {
    {1 << 20, 1 << 10, 1 << 20, 1}, {1 << 14, 1 << 10, 1 << 20, 2}, {1 << 16, 1 << 9, 999, 5}};

}  // namespace

TEST(texts_cut_at_every_byte) {
  // ThreadSanitizer takes a hundred times as long to start a thread.
  constexpr std::size_t step = check::has_thread_sanitizer ? 29 : 1;
  for (const std::string& sample : {svmlight, repository})
    for (std::size_t n = 0; n <= sample.size(); n += step) {
      check_svmlight(sample.substr(0, n), 1);
      check_svmlight(sample.substr(n), 0, 11);
    }
  for (const std::string& sample : markets)
    for (std::size_t n = 0; n <= sample.size(); n += step) check_market(sample.substr(0, n));
}

TEST(documents_beyond_the_declared_ones) {
  for (const char* const text :
       {"1 3 4\n0 1:1\n\n1 1:1\n", "1 3 4\n0 9:1\n\n\n#\n", "0 3 4\n\n \n1", "2 3 4\n 1:1\n\n\n\t\n"})
    check_svmlight(text);
}

TEST(any_number_of_threads) {
  Random random(3);
  check_svmlight(random_svmlight(random, 2000), 1, max_terms, threads);
  for (const char* field : {"integer", "real"}) check_market(random_market(random, 6000, field), threads);
}

TEST(the_first_bad_line_whatever_the_threads) {
  Random random(5);
  const std::string rows = random_svmlight(random, 1000), entries = random_market(random, 3000, "integer");
  const std::size_t body = entries.find('\n', integer.size()) + 1;
  for (int round = 0; round < 10; ++round) {
    std::string text = rows, market = entries;
    for (int n = 0; n < 6; ++n) text.insert(below(random, text.size()), 1, '!');
    for (int n = 0; n < 4; ++n)
      market.insert(body + below(random, market.size() - body), 1, round % 2 == 0 ? '!' : '\n');
    check_svmlight(text, 1, max_terms, threads);
    check_market(market, threads);
  }
}

TEST(messages_name_what_was_expected) {
  const auto market = [](const std::string& text) {
    bool sorted = true;
    return read_market(text, Way::whole, {}, sorted).fault;
  };
  CHECK_EQ(market(integer + "2 3 1\n3 1 1"), "expected a row from 1 to 2, found '3'");
  const std::string zeros(25, '0'), nines(25, '9');
  CHECK_EQ(market(integer + "2 3 1\n" + zeros + " 1 1"), "expected a row from 1 to 2, found '" + zeros + "'");
  CHECK_EQ(market(integer + "2 3 1\n" + nines + " 1 1"), "expected a row from 1 to 2, found '" + nines + "'");
  CHECK_EQ(market(integer + "2 3 1\n:1 1 1"), "expected a row from 1 to 2, found ':1'");
  CHECK_EQ(market(integer + "2 0 1\n1 1 1"), "expected no entry, because there are no columns, found '1'");
  CHECK_EQ(market(integer + "2 3 1\n1 1 1\n\n 2 2 7"),
           "expected no more than the 1 entries that line 2 declares, found ' 2 2 7'");
  CHECK_EQ(market(integer + "2 3 2\n1 1 1\n"),
           "expected entry 2 of the 2 entries that line 2 declares, found the end of the file");
  CHECK_EQ(market(banner("coordinate complex general")),
           "expected '%%MatrixMarket matrix coordinate integer general' or the like, with integer, real or pattern as "
           "word 4, found 'complex'");
  const auto rows = [](const std::string& text) { return read_svmlight(text, 1, max_terms, false, {}).fault; };
  CHECK_EQ(rows("1 7:1 7:1"), "expected an index above 7, because indices rise within a line, found '7:1'");
  CHECK_EQ(rows("2 3 4\n0 3:1\n1 1:1"),
           "expected an index from 0 to 2 before the colon, found '3:1', because line 1 declares the terms");
  CHECK_EQ(rows("1 3 4\n4 1:1"),
           "expected labels from 0 to 3 with commas between them, as line 1 says, or a blank before the first index:count, "
           "found '4'");
  CHECK_EQ(rows("1 3 4\n1 1:1\n2 1:1"), "expected no more than the 1 documents that line 1 declares, found '2 1:1'");
  CHECK_EQ(rows("3 3 4\n1 1:1\n2 1:1"), "expected the 3 documents that line 1 declares, found 2");
}

TEST(a_row_or_column_of_many_blocks) {
  std::string by_row = integer + "3 900 902\n1 7 1\n", by_column = integer + "900 3 902\n7 1 1\n";
  for (int i = 1; i <= 900; ++i) {
    by_row += "2 " + std::to_string(i) + " 3\n";
    by_column += std::to_string(i) + " 2 3\n";
  }
  for (const std::string& text : {by_row + "3 1 1\n", by_column + "1 3 1\n"}) check_market(text, all_sizes);
}

TEST(entries_in_any_order_are_sorted_in_ranges_of_rows) {
  // More rows than fit into 512 ranges of two, large counts and fractions in some blocks, and entries on both sides.
  Random random(7);
  for (const char* words : {"integer general", "real general", "integer symmetric", "real symmetric"})
    for (const std::int64_t n_rows : {1, 2, 5, 1024, 1025, 5000}) {
      const std::string n = std::to_string(n_rows);
      std::string text = banner(std::string("coordinate ") + words) + n + " " + n + " 700\n";
      for (int i = 0; i < 700; ++i) {
        std::int64_t row = 1 + static_cast<std::int64_t>(below(random, static_cast<std::size_t>(n_rows)));
        std::int64_t column = 1 + static_cast<std::int64_t>(below(random, static_cast<std::size_t>(n_rows)));
        text += std::to_string(std::max(row, column)) + " " + std::to_string(std::min(row, column)) + " ";
        text += i % 300 == 299 ? "4611686018427\n" : std::to_string(below(random, 9)) + "\n";
      }
      check_market(text, {{64, 16, 1 << 14, 1}, {64, 16, 1 << 14, 3}, {1 << 14, 1 << 14, 1 << 14, 2}});
    }
}

TEST(numbers_are_the_nearest_doubles) {
  Random random(8);
  const auto check = [](const std::string& text) {
    const std::string padded = text + "\n" + std::string(16, ' ');
    double number = -1;
    const char* const end = read_decimal(padded.data(), number);
    const double nearest = std::strtod(text.c_str(), nullptr);
    CHECK(end == padded.data() + text.size());
    CHECK_EQ(std::bit_cast<std::uint64_t>(number), std::bit_cast<std::uint64_t>(nearest));
    std::int64_t whole = 0;
    const char* const point = read_digits(padded.data(), whole);
    if (point == padded.data() || *point != '.') return false;
    const char* const stop = read_fraction(point + 1, static_cast<std::uint64_t>(whole), number);
    if (stop == nullptr) return false;
    CHECK(stop == end);
    CHECK_EQ(std::bit_cast<std::uint64_t>(number), std::bit_cast<std::uint64_t>(nearest));
    return true;
  };
  int n_fast = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string digits;
    for (std::size_t n = 1 + below(random, 22); n > 0; --n) digits += static_cast<char>('0' + below(random, 10));
    if (below(random, 4) != 0) digits.insert(below(random, std::min<std::size_t>(digits.size(), 4) + 1), ".");
    if (digits == ".") continue;
    if (below(random, 3) == 0)
      digits += (below(random, 2) == 0 ? "e" : "E") + std::to_string(static_cast<int>(below(random, 150)) - 75);
    n_fast += check(digits);
  }
  CHECK(n_fast > 50'000);
  // The middle between two doubles, and one more or less in the last digit.
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t middle = 2 * ((random() >> 11) | std::uint64_t{1} << 52) + 1;
    const std::uint64_t scaled = middle << below(random, 10);
    for (const std::uint64_t near : {scaled - 1, scaled, scaled + 1}) {
      check(std::to_string(near));
      check(std::to_string(near) + ".0");
      check(std::to_string(near) + "e-1");
    }
  }
  for (const char* text : {"0", "0.0", "0.1", "0.5e-400", "1e400", "1e-400", "5e-324", "1e64", "1e65", "1e-64", "1e-65",
                           "9007199254740993", "9007199254740993.00000", "0.000000000000000000000000000001", "1.e5",
                           "1.5e0000", ".5", "1.",
                           "18446744073709551615e-20", "99999999999999999999.9", "1.7976931348623157e308"})
    check(text);
}

TEST(errors_of_reading_come_after_those_of_the_lines_before) {
  // With several threads, the bytes after a block are read while the block is parsed.
  for (const bool has_bad_line : {false, true}) {
    std::string lines;
    for (int i = 0; i < 2000; ++i) lines += has_bad_line && i == 1999 ? "1 x:1\n" : "1 7:1\n";
    int n_calls = 0;
    SvmlightReader::Options options;
    options.block_bytes = static_cast<std::int64_t>(lines.size());
    options.piece_bytes = 100;
    SvmlightReader reader([&](std::uint8_t* to, std::int64_t) {
      if (++n_calls > 2) throw std::runtime_error("the disk is gone");
      const auto n = n_calls == 1 ? 3 : static_cast<std::int64_t>(lines.size()) - 3;  // a mark would have three bytes
      std::copy_n(lines.data() + (n_calls == 1 ? 0 : 3), n, to);
      return n;
    }, options);
    MatrixBlock block;
    const Threads two{2, {}};
    if (has_bad_line) CHECK_THROWS(reader.next(block, two), RowError, "found 'x:1'");
    else {
      CHECK(reader.next(block, two));
      CHECK_EQ(block.size, 2000);
      CHECK_THROWS(reader.next(block, two), std::runtime_error, "the disk is gone");
    }
    CHECK(!reader.next(block, two));
  }
}

TEST(forged_sizes_take_no_memory) {
  MarketReader reader(read_tables::reads(integer + "2147483647 2147483647 9000000000000000000\n1 1 1\n9 9 9\n"), {});
  CHECK_EQ(reader.header().n_rows, 2147483647);
  MatrixBlock block;
  CHECK(reader.next(block, false, {}));
  CHECK_EQ(block.size, 8);
  CHECK_THROWS(reader.next(block, false, {}), RowError, "entry 3 of the 9000000000000000000 entries");
}

TEST(reading_stops_when_asked_to) {
  Random random(6);
  const std::string text = random_svmlight(random, 200000);
  const Threads stopping{2, [] { return true; }};
  MatrixBlock block;
  const auto forever = [&] {  // it polls after poll_interval at the earliest
    for (;;) {
      SvmlightReader reader(read_tables::reads(text), {});
      while (reader.next(block, stopping)) {
      }
    }
  };
  CHECK_THROWS((forever(), 0), Interrupted, "interrupted");
}
