#include "termsift/svmlight.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "termsift/types.hpp"

using namespace termsift;

namespace {

using Random = std::mt19937_64;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::size_t below(Random& random, std::size_t n) { return static_cast<std::size_t>(random() % n); }

SvmlightOptions options(bool multilabel = false, bool skip = false, int n_threads = 1) {
  SvmlightOptions o;
  o.multilabel = multilabel;
  o.skip = skip;
  o.threads.count = n_threads;
  return o;
}

// Parses a copy that ends where its memory ends: a look beyond is one that the sanitizer sees.
SvmlightBlock parse(const std::string& text, const SvmlightOptions& o) {
  const std::unique_ptr<char[]> exact(new char[text.size()]);
  std::copy(text.begin(), text.end(), exact.get());
  return parse_svmlight({exact.get(), text.size()}, o);
}

template <class T>
std::string listed(const LargeArray<T>& array, std::int64_t n) {
  return check::show(std::vector<T>(array.get(), array.get() + n));
}

std::string told(const BadLine& bad) {
  return std::to_string(bad.line) + ": " + bad.expected + "; " + bad.found + (bad.cut ? "..." : "");
}

// All that a block holds, or the error.
std::string describe(const SvmlightBlock& block) {
  std::string all = listed(block.indptr, block.n_docs + 1) + listed(block.indices, block.n_entries);
  if (block.exact) {
    all += listed(block.data, block.n_entries);
  } else {
    std::vector<double> counts;
    for (std::int64_t i = 0; i < block.n_entries; ++i) counts.push_back(std::bit_cast<double>(block.data[i]));
    all += " as doubles " + check::show(counts);
  }
  all += listed(block.labels, block.n_labels);
  if (block.label_indptr.get() != nullptr) all += listed(block.label_indptr, block.n_docs + 1);
  all += " lines " + std::to_string(block.n_lines) + " skipped " + std::to_string(block.n_skipped);
  for (const BadLine& bad : block.skipped) all += " " + told(bad);
  return all + (block.unlabelled ? " unlabelled " + told(*block.unlabelled) : "");
}

std::string parsed(const std::string& text, const SvmlightOptions& o) {
  try {
    return describe(parse(text, o));
  } catch (const SvmlightError& error) {
    return told(error.bad);
  }
}

// ---- the same, written plainly: strings, strtod and long double ------------------------------------------------------------

struct Plain {
  std::vector<std::int64_t> indptr{0}, indices, label_indptr{0};
  std::vector<std::string> counts;
  std::vector<double> labels;
  std::vector<std::int64_t> bad;  // lines
};

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts{""};
  for (const char c : text)
    if (at.find(c) != std::string::npos)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

bool all_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Whether it is a number as people write them, without hexadecimals and words, which strtod takes too.
bool is_number(std::string text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.erase(0, 1);
  if (const auto e = text.find_first_of("eE"); e != std::string::npos) {
    std::string power = text.substr(e + 1);
    if (!power.empty() && (power[0] == '+' || power[0] == '-')) power.erase(0, 1);
    if (!all_digits(power)) return false;
    text.resize(e);
  }
  if (const auto point = text.find('.'); point != std::string::npos) text.erase(point, 1);
  return all_digits(text);
}

bool is_index(std::string text) {
  if (!text.empty() && text[0] == '+') text.erase(0, 1);
  if (!all_digits(text)) return false;
  text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
  const std::string limit = std::to_string(most);
  return text.size() < limit.size() || (text.size() == limit.size() && text <= limit);
}

bool plain_line(const std::string& line, bool multilabel, Plain& out) {
  std::vector<std::string> tokens;
  for (const std::string& token : split(line, " \t\r\v\f"))
    if (!token.empty()) tokens.push_back(token);
  const bool labelled = tokens[0].find(':') == std::string::npos;
  if (!labelled && !multilabel) return false;
  if (labelled) {
    const auto labels = split(tokens[0], ",");
    if (labels.size() > 1 && !multilabel) return false;
    for (const std::string& label : labels) {
      if (!is_number(label)) return false;
      out.labels.push_back(std::strtod(label.c_str(), nullptr));
      if (!(std::abs(out.labels.back()) < 9007199254740992.0)) return false;
    }
    tokens.erase(tokens.begin());
  }
  for (const std::string& token : tokens) {
    const auto colon = token.find(':');
    if (colon == std::string::npos) return false;
    const std::string index = token.substr(0, colon), count = token.substr(colon + 1);
    if (index == "qid") {
      if (!is_index(count)) return false;
      continue;
    }
    if (!is_index(index) || !is_number(count)) return false;
    const double value = std::strtod(count.c_str(), nullptr);
    if (value < 0 || std::isinf(value)) return false;
    out.indices.push_back(std::strtoll(index.c_str(), nullptr, 10));
    out.counts.push_back(count);
  }
  out.indptr.push_back(static_cast<std::int64_t>(out.indices.size()));
  out.label_indptr.push_back(static_cast<std::int64_t>(out.labels.size()));
  return true;
}

Plain plainly(const std::string& text, bool multilabel) {
  Plain all;
  std::int64_t number = 0;
  for (const std::string& line : split(text, "\n")) {
    ++number;
    const std::string content = line.substr(0, line.find('#'));
    if (content.find_first_not_of(" \t\r\v\f") == std::string::npos) continue;
    Plain longer = all;
    if (plain_line(content, multilabel, longer))
      all = std::move(longer);
    else
      all.bad.push_back(number);
  }
  return all;
}

// Skipping gives what the plain parser gives, and not skipping either the same or the first bad line.
void check_against_plain(const std::string& text) {
  for (const bool multilabel : {false, true}) {
    const Plain plain = plainly(text, multilabel);
    const SvmlightBlock block = parse(text, options(multilabel, true));
    const auto n_docs = std::ssize(plain.indptr) - 1;
    CHECK_EQ(block.n_docs, n_docs);
    CHECK_EQ(listed(block.indptr, n_docs + 1), check::show(plain.indptr));
    CHECK_EQ(listed(block.indices, block.n_entries), check::show(plain.indices));
    CHECK_EQ(listed(block.labels, block.n_labels), check::show(plain.labels));
    if (multilabel) CHECK_EQ(listed(block.label_indptr, n_docs + 1), check::show(plain.label_indptr));
    for (std::int64_t i = 0; i < block.n_entries; ++i) {
      const std::string& count = plain.counts[static_cast<std::size_t>(i)];
      if (block.exact)  // 64 bits of mantissa
        CHECK_EQ(static_cast<long double>(block.data[i]), std::strtold(count.c_str(), nullptr));
      else
        CHECK_EQ(std::bit_cast<double>(block.data[i]), std::strtod(count.c_str(), nullptr));
    }
    CHECK_EQ(block.n_skipped, std::ssize(plain.bad));
    CHECK_EQ(block.n_lines, std::count(text.begin(), text.end(), '\n'));
    for (std::size_t i = 0; i < block.skipped.size(); ++i) CHECK_EQ(block.skipped[i].line, plain.bad[i]);
    const std::string strict = parsed(text, options(multilabel));
    if (plain.bad.empty())
      CHECK_EQ(strict, describe(block));
    else
      CHECK_EQ(strict, told(block.skipped.front()));
  }
}

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

std::string random_token(Random& random) {
  static const std::vector<std::string> tokens = {
      "1:1",     "12:3",   "0:0",     "5:1.5",  "7:1e2",  "3:-1", "4:nan",    "x",        "-1:2",  "+2:+3", "qid:4",
      "qid:x",   "1",      "1,2",     ":",      "::",     "1:",   ":1",       "3:1e400",  "#",     "# 1:1", "2:1e-400",
      "9:.5",    "9:5.",   "9:.",     "9:1e",   "9:1e+",  "1:0x1", "1:1_0",   "1:1:1",    ",",     "1,",    "-7",
      "1e3:1",   "2:1E+2", "2:1.0e0", "3:inf",  "\r",     "\t",   "\n",      std::string("\0", 1), "\xff", "1e308", "1e309",
      "3:9007199254740993", "3:9007199254740993.0", "3:9223372036854775808", "3:9223372036854775807e0",
      "3:0.000001e6", "3:123456789012345678901234567890e-29", "99999999999999999999:1", "3:1e99999999999999999999"};
  return tokens[below(random, tokens.size())];
}

std::string random_text(Random& random, std::size_t n_lines) {
  static const std::vector<std::string> counts = {"1", "2", "17", "1", "3", "1.0", "250"};
  std::string text;
  for (std::size_t line = 0; line < n_lines; ++line) {
    text += std::to_string(below(random, 20));
    for (std::size_t n = below(random, 30); n > 0; --n)
      text += " " + std::to_string(below(random, 1000000)) + ":" + counts[below(random, counts.size())];
    if (below(random, 50) == 0) text += " # a comment: 1:1";
    text += '\n';
  }
  return text;
}

}  // namespace

TEST(an_example) {
  const SvmlightBlock block = parse("1 1:2 3:4\n\n-1 7:1 # c\n", options());
  CHECK_EQ(describe(block), "[0, 2, 3][1, 3, 7][2, 4, 1][1, -1] lines 3 skipped 0");
}

TEST(nothing_but_a_label) {
  CHECK_EQ(parsed("", options()), "[0][][][] lines 0 skipped 0");
  CHECK_EQ(parsed("1", options()), "[0, 0][][][1] lines 0 skipped 0");
  CHECK_EQ(parsed("\n\r\n #", options()), "[0][][][] lines 2 skipped 0");
}

TEST(whole_counts_are_exact_to_the_last_that_int64_holds) {
  CHECK_EQ(parsed("1 1:9223372036854775807 2:9007199254740993 3:9007199254740993.0 4:1e18", options()),
           "[0, 4][1, 2, 3, 4][9223372036854775807, 9007199254740993, 9007199254740993, 1000000000000000000][1] lines 0 skipped 0");
  CHECK_EQ(parsed("1 1:9223372036854775808 2:1", options()),
           "[0, 2][1, 2] as doubles [9.2233720368547758e+18, 1][1] lines 0 skipped 0");
}

TEST(a_fraction_in_a_line_that_is_skipped_changes_nothing) {
  CHECK_EQ(parsed("1 1:9007199254740993\n1 2:7 2:0.5 x\n2 3:4\n", options(false, true)),
           "[0, 1, 2][1, 3][9007199254740993, 4][1, 2] lines 3 skipped 1 2: index:count; x");
}

TEST(a_fraction_makes_all_counts_doubles) {
  CHECK_EQ(parsed("1 1:3\n1 2:7 2:0.5 3:2\n2 3:4\n", options()),
           "[0, 1, 4, 5][1, 2, 2, 3, 3] as doubles [3, 7, 0.5, 2, 4][1, 1, 2] lines 3 skipped 0");
}

TEST(the_largest_index_is_the_callers) {
  SvmlightOptions o = options();
  o.max_index = 12;
  CHECK_EQ(parse("1 12:1", o).n_entries, 1);
  CHECK_THROWS(parse("1 13:1", o), SvmlightError, "an index from 0 to 12 before the colon");
}

TEST(cut_at_every_byte) {
  for (std::size_t n = 0; n <= sample.size(); ++n) {
    check_against_plain(sample.substr(0, n));
    check_against_plain(sample.substr(n));
  }
}

TEST(any_tokens) {
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::size_t n = below(random, 12); n > 0; --n) text += random_token(random) + (below(random, 8) == 0 ? "" : " ");
    check_against_plain(text);
  }
}

TEST(any_bytes_changed) {
  Random random(2);
  const std::string bytes = "0123456789:. \t\r\n#,+-eEqidx" + std::string("\0\xff", 2);
  for (int i = 0; i < 4000; ++i) {
    std::string text = sample;
    for (std::size_t n = 1 + below(random, 4); n > 0; --n) {
      const std::size_t at = below(random, text.size());
      switch (below(random, 3)) {
        case 0: text[at] = bytes[below(random, bytes.size())]; break;
        case 1: text.insert(at, 1, bytes[below(random, bytes.size())]); break;
        default: text.erase(at, 1);
      }
    }
    check_against_plain(text);
  }
}

TEST(any_number_of_threads) {
  Random random(3);
  const std::string text = random_text(random, 20000);  // some ten pieces
  CHECK(text.size() > 7 << 18);
  for (const bool multilabel : {false, true}) {
    const std::string expected = parsed(text, options(multilabel));
    for (const int n_threads : {2, 3, 7}) CHECK_EQ(parsed(text, options(multilabel, false, n_threads)) == expected, true);
  }
  // A fraction in one piece reaches all.
  std::string with_fraction = text;
  with_fraction.insert(with_fraction.rfind('\n'), " 1:0.5");
  const std::string expected = parsed(with_fraction, options());
  CHECK(expected.find("as doubles") != std::string::npos);
  for (const int n_threads : {2, 3, 7}) CHECK(parsed(with_fraction, options(false, false, n_threads)) == expected);
}

TEST(large_texts_are_parsed_as_small_ones) {
  Random random(4);
  const std::string text = random_text(random, 20000);
  std::string one_by_one;
  const SvmlightBlock whole = parse(text, options(true));
  std::int64_t doc = 0, entry = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const SvmlightBlock line = parse(text.substr(begin, end - begin), options(true));
    CHECK_EQ(line.n_docs, 1);
    CHECK(std::equal(line.indices.get(), line.indices.get() + line.n_entries, whole.indices.get() + entry));
    CHECK(std::equal(line.data.get(), line.data.get() + line.n_entries, whole.data.get() + entry));
    entry += line.n_entries;
    CHECK_EQ(whole.indptr[++doc], entry);
    CHECK_EQ(whole.labels[doc - 1], line.labels[0]);
    begin = end;
  }
  CHECK_EQ(whole.n_docs, doc);
  CHECK_EQ(whole.n_entries, entry);
}

TEST(the_first_bad_line_whatever_the_threads) {
  Random random(5);
  const std::string good = random_text(random, 20000);
  for (int round = 0; round < 20; ++round) {
    std::string text = good;
    for (int n = 0; n < 6; ++n) text.insert(below(random, text.size()), "!");
    const std::string expected = parsed(text, options()), skipping = parsed(text, options(false, true));
    CHECK(expected.find("[") == std::string::npos);
    for (const int n_threads : {2, 3, 7}) {
      CHECK_EQ(parsed(text, options(false, false, n_threads)), expected);
      CHECK(parsed(text, options(false, true, n_threads)) == skipping);
    }
  }
}

TEST(lines_longer_than_a_piece) {
  for (const int n_threads : {1, 3}) {
    std::string text = "1";
    for (int i = 0; i < 300000; ++i) text += " 7:1";
    text += "\n2 1:1";
    const SvmlightBlock block = parse(text, options(false, false, n_threads));
    CHECK_EQ(block.n_docs, 2);
    CHECK_EQ(block.indptr[1], 300000);
    CHECK_EQ(block.n_entries, 300001);
    CHECK_THROWS(parse("1 " + std::string(3 << 20, '7'), options(false, false, n_threads)), SvmlightError, "index:count");
  }
}

TEST(only_the_first_skipped_lines_are_told) {
  std::string text;
  for (int i = 0; i < 500000; ++i) text += "x\n";
  for (const int n_threads : {1, 3}) {
    const SvmlightBlock block = parse(text, options(false, true, n_threads));
    CHECK_EQ(block.n_skipped, 500000);
    CHECK_EQ(block.skipped.size(), SvmlightBlock::most_told);
    CHECK_EQ(block.skipped.back().line, 100);
  }
}

TEST(a_call_stops_when_asked_to) {
  Random random(6);
  std::string text = random_text(random, 20000);
  SvmlightOptions o = options(false, false, 2);
  o.threads.poll = [] { return true; };
  // Asked at the earliest after poll_interval: as many texts as it takes.
  const auto forever = [&] {
    for (;;) parse(text, o);
  };
  CHECK_THROWS((forever(), 0), Interrupted, "interrupted");
}
