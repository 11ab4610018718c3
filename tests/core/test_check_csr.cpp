#include "termsift/csr_view.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "counting_cases.hpp"
#include "counting/csr_scan.hpp"

using namespace termsift;
using namespace collections;
using namespace counting_cases;

namespace {

using std::invalid_argument;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Index, class Value>
CsrFacts facts_of(const Matrix<Index, Value>& x, bool transposed = false, int n_threads = 1) {
  return check_csr(x.view(), {"X", transposed}, {n_threads, {}});
}

template <class Index, class Value>
bool has_fractions(const Matrix<Index, Value>& x) {
  CsrScan scan;
  return scan.rows(x.view(), 0, x.n_rows(), PackedEntry(x.n_columns)) && scan.facts.has_fractions;
}

}  // namespace

TEST(facts_are_found) {
  // Catches a missed repeat, or a step from one row's last column to the next row's first that counts as one.
  const auto sound = matrix<std::int32_t>(5, {{{3, 1}, {4, 2}}, {}, {{0, 9}}, {}, {{0, 1}, {1, 0}}});
  CHECK(facts_of(sound).distinct);
  CHECK(facts_of(sound).value_bound >= 9 && facts_of(sound).value_bound < 18);
  CHECK(facts_of(sound).has_zeros);
  CHECK(!has_fractions(sound));
  CHECK(has_fractions(matrix<float>(1, {{{0, 8388607.5f}}})));
  CHECK(!has_fractions(matrix<double>(1, {{{0, 0x1p60}}})));
  CHECK(!facts_of(matrix<std::int32_t>(5, {{{3, 1}}, {{2, 1}, {2, 2}}})).distinct);
  CHECK(!facts_of(matrix<std::int32_t>(5, {{{3, 1}, {1, 1}}, {{2, 1}}})).distinct);
  CHECK_EQ(facts_of(matrix<Bool>(1, {{{0, Bool{255}}}})).value_bound, 1.0);
  CHECK_EQ(facts_of(matrix<double>(1, {{}})).value_bound, 0.0);
  CHECK_EQ(facts_of(matrix<double>(0, {})).value_bound, 0.0);
  for (const std::int64_t row : {0, 4095, 4096, 9999}) {
    Matrix<std::int32_t, std::uint8_t> x;
    x.n_columns = 3;
    for (std::int64_t r = 0; r < 10000; ++r)
      x.add_row(r == row ? Entries<std::uint8_t>{{1, 1}, {1, 7}} : Entries<std::uint8_t>{{0, 1}, {2, 1}});
    CHECK(!facts_of(x, false, 3).distinct);
    CHECK_EQ(facts_of(x, false, 3).value_bound, 7.0);
  }
}

TEST(unsound_indptr_is_refused) {
  // Catches entries that are read before the array's begin or past its end.
  auto x = matrix<std::int32_t>(4, {{{0, 1}}, {{1, 1}, {2, 1}}, {{3, 1}}});
  x.indptr = {1, 1, 3, 4};
  CHECK_THROWS(facts_of(x), invalid_argument, "X.indptr starts at 1, expected 0");
  x.indptr = {-1, 1, 3, 4};
  CHECK_THROWS(facts_of(x), invalid_argument, "X.indptr starts at -1, expected 0");
  x.indptr = {0, 3, 2, 4};
  CHECK_THROWS(facts_of(x), invalid_argument, "X.indptr decreases from 3 to 2 at row 1");
  CHECK_THROWS(facts_of(x, true), invalid_argument, "X.indptr decreases from 3 to 2 at column 1");
  x.indptr = {0, 1, 3, 5};
  CHECK_THROWS(facts_of(x), invalid_argument, "X.indptr reaches 5 at row 2, but 4 entries are stored");
  x.indptr = {0, 99, 3, 4};  // would decrease again
  CHECK_THROWS(facts_of(x), invalid_argument, "X.indptr reaches 99 at row 0");
  x.indptr = {0, 1, 3, 3};
  facts_of(x);  // stores more than it uses: sound
  const auto none = Matrix<std::int64_t, float>{4, {7}, {}, {}};
  CHECK_THROWS(facts_of(none), invalid_argument, "X.indptr starts at 7");
}

TEST(unsound_columns_are_refused) {
  // Catches an index that is compared without its upper half, or an accepted index n_columns.
  auto x = matrix<std::int32_t>(4, {{{0, 1}}, {{1, 1}, {3, 1}}});
  x.indices = {0, 1, 4};
  CHECK_THROWS(facts_of(x), invalid_argument, "X has the index 4 in row 1, expected a column in [0, 4)");
  CHECK_THROWS(facts_of(x, true), invalid_argument, "X has the index 4 in column 1, expected a row in [0, 4)");
  x.indices = {-1, 1, 4};
  CHECK_THROWS(facts_of(x), invalid_argument, "X has the index -1 in row 0");
  Matrix<std::int64_t, double> wide{4, {0, 1}, {(std::int64_t{1} << 32) + 1}, {1.0}};
  CHECK_THROWS(facts_of(wide), invalid_argument, "X has the index 4294967297 in row 0");
}

TEST(the_first_offender_is_named) {
  // Catches an error that names the entry that some thread found first, or a bad value although a bad column comes before
  // it.
  Random random(8);
  const auto sound = random_matrix<std::int32_t, double>(random, 20000, 50, 50);
  CHECK(sound.data.size() > 7 * (1 << 16));
  const auto entry = [&](std::int64_t row) {  // the row's first entry, or that of the next row that has any
    while (sound.indptr[at(row)] == sound.indptr[at(row + 1)]) ++row;
    return std::pair{row, at(sound.indptr[at(row)])};
  };
  const auto first = entry(4097), second = entry(4100), third = entry(12300), last = entry(19990);
  for (const int n_threads : {1, 2, 3, 7}) {
    auto x = sound;
    const auto refuse = [&](const std::string& what, std::int64_t row) {
      CHECK_THROWS(facts_of(x, false, n_threads), invalid_argument, what + std::to_string(row) + ",");
    };
    x.data[last.second] = -1;
    refuse("X has -1 at row ", last.first);
    x.data[third.second] = infinity;
    refuse("X has inf at row ", third.first);
    x.indices[second.second] = 50;
    refuse("X has the index 50 in row ", second.first);
    x.data[first.second] = -2;
    refuse("X has -2 at row ", first.first);
  }
}

TEST(unsound_labels_are_refused) {
  // Guards against a code used as an index before it is checked.
  const auto check = [](const Labels& labels, std::int64_t n_docs) { check_labels(labels.view(), n_docs); };
  CHECK_THROWS(check(labels_of(2, false, {{0}, {1}}), 3), invalid_argument, "y has 2 labels for 3 documents");
  CHECK_THROWS(check(labels_of(2, false, {{0}, {2}}), 2), invalid_argument,
               "label 1 has the class code 2, expected one in [0, 2)");
  CHECK_THROWS(check(labels_of(2, true, {{0}, {1, -1}}), 2), invalid_argument, "label 2 has the class code -1");
  Labels labels = labels_of(2, true, {{0}, {1}, {0, 1}});
  check(labels, 3);
  for (const auto& offsets : {std::vector<std::int64_t>{1, 1, 2, 4}, {0, 2, 1, 4}, {0, 1, 2, 5}, {0, 9, 2, 4}}) {
    labels.indptr = offsets;
    CHECK_THROWS(check(labels, 3), invalid_argument, "label offsets");
  }
}

TEST(labels_of_no_document_are_refused) {
  // Catches codes past the last offset, which counting would assign to documents that do not exist.
  Labels labels = labels_of(2, true, {{0}, {1}, {0, 1}});
  labels.indptr = {0, 1, 2, 3};
  CHECK_THROWS(check_labels(labels.view(), 3), invalid_argument, "label offsets");
  labels.indptr = {0};
  CHECK_THROWS(check_labels(labels.view(), 0), invalid_argument, "label offsets");
}
