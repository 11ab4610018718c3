#include "termsift/counting.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "counting_cases.hpp"

using namespace termsift;
using namespace collections;
using namespace counting_cases;

namespace {

using std::invalid_argument;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

template <CountType Count>
std::vector<Count> random_weights(Random& random, std::int64_t n_docs) {
  std::vector<Count> weights(at(n_docs));
  for (Count& weight : weights) {
    weight = static_cast<Count>(below(random, 4));  // 0: not at all
    if constexpr (std::is_floating_point_v<Count>) weight /= 7;
  }
  return weights;
}

template <CountType Count, class Index, class Value>
ClassCounts<Count> count_in_chunks(const Matrix<Index, Value>& x, const Labels& labels, const std::vector<Count>& weights,
                                   std::int64_t rows_per_chunk) {
  auto counts = no_counts<Count>(labels.n_classes);
  for (std::int64_t begin = 0; begin < x.n_rows(); begin += rows_per_chunk) {
    const std::int64_t end = std::min(begin + rows_per_chunk, x.n_rows());
    counts = count(counts, x.rows(begin, end), labels.documents(begin, end),
                   weights.empty() ? weights : std::vector<Count>(weights.begin() + begin, weights.begin() + end));
  }
  return counts;
}

}  // namespace

TEST(integers_after_fractions_keep_the_order_of_documents) {
  // Catches integers that are added up before they join fractions, here in the collection of unlabelled documents.
  Matrix<std::int32_t, double> x;
  x.n_columns = 1;
  for (const double value : {0x1.6p-51, 1.0, 1.0}) x.add_row({{0, value}});  // (f + 1) + 1 is not f + 2
  Labels none{1, true, {0}, {}};
  for (int d = 0; d < 3; ++d) none.add({});
  const auto whole = count<std::int32_t, double, double>(no_counts<double>(1), x, none, {});
  const auto fraction = count<std::int32_t, double, double>(no_counts<double>(1), x.rows(0, 1), none.documents(0, 1), {});
  CHECK_EQ(describe(count(fraction, x.rows(1, 3), none.documents(1, 3), {})), describe(whole));
}

TEST(offsets_of_one_label_each_keep_no_collection) {
  // Catches a row of the collection, as large as all the others, that is kept although it is their sum.
  const auto x = matrix<std::int32_t>(1, {{{0, 1}}, {{0, 1}}});
  CHECK(count(no_counts<std::int64_t>(2), x, labels_of(2, true, {{1}, {0}}), {}).collection == nullptr);
}

TEST(float_chunks_equal_one_call_bit_for_bit) {
  // Catches a chunk that is summed by itself and then added.
  Random random(4);
  const auto x = random_matrix<std::int64_t, double>(random, 200, 10, 12);
  const Labels labels = random_labels(random, 200, 2, false);
  const auto whole = count(no_counts<double>(2), x, labels, {});
  for (const std::int64_t rows : {1, 7, 64})
    CHECK_EQ(describe(count_in_chunks<double>(x, labels, {}, rows)), describe(whole));
}

TEST(float_weights_in_chunks_equal_one_call_bit_for_bit) {
  // Catches an n_docs whose weights are summed by chunks.
  Random random(5);
  const auto x = random_matrix<std::int32_t, float>(random, 200, 10, 12);
  const Labels labels = random_labels(random, 200, 2, false);
  const auto weights = random_weights<double>(random, 200);
  const auto whole = count(no_counts<double>(2), x, labels, weights);
  for (const std::int64_t rows : {1, 7, 64})
    CHECK_EQ(describe(count_in_chunks(x, labels, weights, rows)), describe(whole));
}

TEST(float_collection_in_chunks_equals_one_call_bit_for_bit) {
  // Catches a collection that sums documents class by class before the first document of several labels, and in document
  // order after it.
  Random random(6);
  const auto x = random_matrix<std::int32_t, double>(random, 200, 10, 12);
  Labels labels = random_labels(random, 200, 3, false);
  labels.several = true;
  labels = labels.documents(0, 150);
  for (int d = 150; d < 200; ++d) labels.add({0, 2});
  const auto whole = count(no_counts<double>(3), x, labels, {});
  for (const std::int64_t rows : {1, 7, 64})
    CHECK_EQ(describe(count_in_chunks<double>(x, labels, {}, rows)), describe(whole));
}

TEST(threads_change_no_bit) {
  // Catches counters that threads share, or partial sums of threads that are added. There are enough entries for 7 threads.
  Random random(7);
  const auto x = random_matrix<std::int32_t, double>(random, 24000, 100, 41);
  CHECK(x.data.size() > 7 * (1 << 16));
  const Labels labels = random_labels(random, x.n_rows(), 12, true);
  const auto weights = random_weights<double>(random, x.n_rows());
  const std::string alone = describe(count(no_counts<double>(12), x, labels, weights, 1));
  for (const int n_threads : {2, 3, 7})
    CHECK_EQ(describe(count(no_counts<double>(12), x, labels, weights, n_threads)), alone);
}

TEST(the_argument_stays_as_it_is) {
  // Catches an update that writes into shared rows, or copies a class without new documents.
  const auto x = matrix<std::int32_t>(2, {{{0, 3}}});
  const auto before = count(no_counts<std::int64_t>(2), x, labels_of(2, false, {{0}}), {});
  const std::string text = describe(before);
  const auto after = count(before, x, labels_of(2, false, {{1}}), {});
  CHECK_EQ(describe(before), text);
  CHECK(after.rows[0] == before.rows[0]);
  CHECK(after.rows[1] != before.rows[1]);
}

// ---- overflow ----------------------------------------------------------------------------------------------------------

TEST(documents_without_a_class_overflow_too) {
  // Catches a quick bound that reads only the classes: these documents are only in the collection.
  const auto x = matrix<std::int64_t>(1, {{{0, 1}}});
  const Labels none = labels_of(1, true, {{}});
  const auto docs = count(no_counts<std::int64_t>(1), x, none, {most - 10});
  CHECK_THROWS(count(docs, x, none, {100}), CountOverflow, "document 0 of weight 100");
  const auto tokens = count(no_counts<std::int64_t>(1), matrix<std::int64_t>(1, {{{0, most - 10}}}), none, {});
  CHECK_THROWS(count(tokens, x, none, {100}), CountOverflow, "the tokens of the collection");
}

TEST(the_collection_overflows_before_its_classes) {
  // Catches an overflow of the kept collection where the sum of each class fits.
  const auto x = matrix<std::int64_t>(1, {{{0, most / 2 + 1}}, {{0, most / 2 + 1}}, {}});
  CHECK_THROWS(count(no_counts<std::int64_t>(2), x, labels_of(2, true, {{0}, {1}, {}}), {}), CountOverflow,
               "row 1, column 0 the tokens of the collection");
}

TEST(float_counts_refuse_what_they_cannot_hold) {
  // Catches an odd integer above 2^53 that is rounded, or a sum that becomes infinite.
  const auto odd = matrix<std::int64_t>(2, {{}, {{1, (std::int64_t{1} << 53) + 1}}});
  const Labels labels = labels_of(1, false, {{0}, {0}});
  CHECK_THROWS(count(no_counts<double>(1), odd, labels, {}), invalid_argument, "9007199254740993 at row 1, column 1");
  const auto largest = matrix<std::uint64_t>(1, {{{0, std::uint64_t{most}}}, {}});
  CHECK_THROWS(count(no_counts<double>(1), largest, labels, {}), invalid_argument, "9223372036854775807 at row 0");
  const auto even = matrix<std::uint64_t>(1, {{{0, std::uint64_t{1} << 62}}, {}});
  CHECK_EQ(count(no_counts<double>(1), even, labels, {}).rows[0]->n_tokens, 0x1p62);
  const auto huge = matrix<double>(1, {{{0, 1e308}}, {{0, 1e308}}});
  CHECK_THROWS(count(no_counts<double>(1), huge, labels, {}), invalid_argument, "infinity");
}

TEST(float_weights_that_add_up_to_infinity_are_refused) {
  // Catches an infinite n_docs and an infinite document frequency where the tokens are finite.
  const auto x = matrix<double>(1, {{{0, 1e-10}}, {{0, 1e-10}}});
  const Labels labels = labels_of(1, false, {{0}, {0}});
  CHECK_THROWS(count(no_counts<double>(1), x, labels, {1e308, 1e308}), invalid_argument, "inf");
}
