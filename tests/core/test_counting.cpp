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

template <class Index, class Value, CountType Count>
void agrees_with_the_plain_loop(Random& random) {
  for (const bool several : {false, true})
    for (const bool weighted : {false, true})
      for (const bool sorted : {false, true}) {
        const auto x = random_matrix<Index, Value>(random, 40, 30, 12, sorted);
        const Labels labels = random_labels(random, x.n_rows(), 4, several);
        const auto weights = weighted ? random_weights<Count>(random, x.n_rows()) : std::vector<Count>{};
        CHECK_EQ(describe(count(no_counts<Count>(4), x, labels, weights)), describe(count_plainly(x, labels, weights)));
      }
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

TEST(every_value_type_agrees_with_the_plain_loop) {
  // Catches mistakes with repeated entries, stored zeros or weights in one of the instantiations.
  Random random(1);
#define AGREES(Index, Value)                                            \
  if constexpr (!std::is_floating_point_v<Value>)                       \
    agrees_with_the_plain_loop<Index, Value, std::int64_t>(random);     \
  agrees_with_the_plain_loop<Index, Value, double>(random);
  TERMSIFT_FOR_EACH_MATRIX(AGREES)
}

TEST(a_wide_vocabulary_agrees_with_the_plain_loop) {
  // Catches touched terms that are not sorted where they are few, or counters that keep values of the class before.
  Random random(2);
  const auto x = random_matrix<std::int32_t, std::uint16_t>(random, 60, 4000, 20);
  const Labels labels = random_labels(random, 60, 6, true);
  CHECK_EQ(describe(count(no_counts<std::int64_t>(6), x, labels, {})),
           describe(count_plainly<std::int64_t>(x, labels, {})));
}

TEST(exact_counts_are_counts_of_integers) {
  // Catches a fraction or a logarithm that is cast to an integer.
  Matrix<std::int32_t, double> x;
  x.n_columns = 2;
  x.add_row({{0, 1.5}, {1, 2.0}});
  const Labels labels{1, false, {0}, {0}};
  const auto by = [&](TermWeight weight) {
    CountingOptions options;
    options.term_weight = weight;
    return count(no_counts<std::int64_t>(1), x, labels, {}, options);
  };
  CHECK_THROWS(by(TermWeight::raw), std::invalid_argument, "exact counts are counts of integers");
  CHECK_THROWS(by(TermWeight::log), std::invalid_argument, "exact counts are counts of integers");
  CHECK_EQ(by(TermWeight::binary).rows[0]->n_tokens, std::int64_t{2});
}

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

TEST(a_class_of_empty_documents_keeps_its_counts) {
  // Catches documents without entries, or earlier counts of a class, that are forgotten.
  Matrix<std::int32_t, std::int64_t> some, none;
  some.n_columns = none.n_columns = 3;
  some.add_row({{0, 2}, {2, 1}});
  none.add_row({});
  Labels label{2, false, {0}, {}};
  label.add({1});
  const auto both = count(count(no_counts<std::int64_t>(2), some, label, {}), none, label, {});
  CHECK_EQ(both.rows[1]->n_docs, std::int64_t{2});
  CHECK_EQ(both.rows[1]->size, std::int64_t{2});
  CHECK_EQ(both.rows[0]->n_docs, std::int64_t{0});
}

TEST(a_repeated_entry_is_one_document) {
  // Catches a document frequency that grows by one for each entry, or for a stored zero.
  const auto x = matrix<std::int32_t>(3, {{{2, 1}, {0, 0}, {2, 4}}, {{2, 0}, {2, 3}}});
  const auto counts = count(no_counts<std::int64_t>(1), x, labels_of(1, false, {{0}, {0}}), {});
  CHECK_EQ(describe(*counts.rows[0]), "2 docs, 8 tokens: 2:8/2\n");
}

TEST(the_collection_counts_a_document_once) {
  // Catches a document of two classes that the collection counts twice, or one without classes that it leaves out.
  const auto x = matrix<std::int32_t>(2, {{{0, 1}}, {{1, 2}}, {{0, 4}}});
  const auto counts = count(no_counts<std::int64_t>(2), x, labels_of(2, true, {{0, 1}, {}, {1}}), {});
  CHECK_EQ(counts.n_docs, 3);
  CHECK(counts.collection != nullptr);
  CHECK_EQ(describe(*counts.collection), "3 docs, 7 tokens: 0:5/2 1:2/1\n");
  CHECK_EQ(describe(*counts.rows[0]) + describe(*counts.rows[1]), "1 docs, 1 tokens: 0:1/1\n2 docs, 5 tokens: 0:5/2\n");
}

TEST(offsets_of_one_label_each_keep_no_collection) {
  // Catches a row of the collection, as large as all the others, that is kept although it is their sum.
  const auto x = matrix<std::int32_t>(1, {{{0, 1}}, {{0, 1}}});
  CHECK(count(no_counts<std::int64_t>(2), x, labels_of(2, true, {{1}, {0}}), {}).collection == nullptr);
}

TEST(exact_chunks_equal_one_call) {
  // Catches a chunk that forgets the counts that it continues. The vocabulary grows.
  Random random(3);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, 90, 40, 15);
  const Labels labels = random_labels(random, 90, 5, true);
  const auto weights = random_weights<std::int64_t>(random, 90);
  const auto whole = count(no_counts<std::int64_t>(5), x, labels, weights);
  for (const std::int64_t rows : {1, 7, 90})
    CHECK_EQ(describe(count_in_chunks(x, labels, weights, rows)), describe(whole));

  auto first = matrix<std::int32_t>(2, {{{1, 1}}}), second = matrix<std::int32_t>(5, {{{4, 2}, {1, 1}}});
  const Labels one = labels_of(1, false, {{0}});
  auto counts = count(count(no_counts<std::int64_t>(1), first, one, {}), second, one, {});
  CHECK_EQ(describe_rows(counts), "5 terms, 2 docs\n2 docs, 4 tokens: 1:2/2 4:2/1\n");
  counts = count(counts, first, one, {});
  CHECK_EQ(counts.n_terms, 5);
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

TEST(nothing_to_count) {
  // Catches a read past the arrays of an empty matrix or of a matrix without columns.
  CHECK_EQ(describe_rows(count(no_counts<std::int64_t>(2), matrix<std::int8_t>(7, {}), labels_of(2, false, {}), {})),
           "7 terms, 0 docs\n0 docs, 0 tokens:\n0 docs, 0 tokens:\n");
  CHECK_EQ(describe_rows(count(no_counts<double>(1), matrix<double>(0, {{}, {}}), labels_of(1, false, {{0}, {0}}), {})),
           "0 terms, 0x1p+1 docs\n0x1p+1 docs, 0x0p+0 tokens:\n");
}

// ---- overflow ----------------------------------------------------------------------------------------------------------

TEST(counts_up_to_the_limit_are_exact) {
  // Catches a sum that is refused although it fits, or that is computed in doubles.
  const auto x = matrix<std::int64_t>(2, {{{0, most - 5}}, {{1, 5}}});
  const auto counts = count(no_counts<std::int64_t>(1), x, labels_of(1, false, {{0}, {0}}), {});
  CHECK_EQ(counts.rows[0]->n_tokens, most);
  const auto u = matrix<std::uint64_t>(1, {{{0, std::uint64_t{most}}}});
  CHECK_EQ(count(no_counts<std::int64_t>(1), u, labels_of(1, false, {{0}}), {}).rows[0]->term_frequency[0], most);
}

TEST(too_many_tokens_name_the_document) {
  // Catches signed overflow: over several documents, over repeated entries, by weight, and over calls.
  const auto none = no_counts<std::int64_t>(2);
  const auto x = matrix<std::int64_t>(9, {{{0, most - 5}}, {{1, 5}}, {{3, 1}, {8, 1}}});
  CHECK_THROWS(count(none, x, labels_of(2, false, {{1}, {1}, {1}}), {}), CountOverflow,
               "with 1 at row 2, column 3 the tokens of class 1 exceed");
  const auto repeated = matrix<std::int64_t>(9, {{}, {{4, most / 2}, {4, most / 2}, {4, 2}}});
  CHECK_THROWS(count(none, repeated, labels_of(2, false, {{0}, {0}}), {}), CountOverflow, "row 1, column 4");
  const auto weighted = matrix<std::int64_t>(9, {{{2, 1}}, {{5, 3}}});
  CHECK_THROWS(count(none, weighted, labels_of(2, false, {{0}, {0}}), {1, most / 2}), CountOverflow, "row 1, column 5");
  const auto half = matrix<std::int64_t>(9, {{{7, most / 2 + 1}}});
  const auto once = count(none, half, labels_of(2, false, {{0}}), {});
  CHECK_THROWS(count(once, half, labels_of(2, false, {{0}}), {}), CountOverflow, "row 0, column 7");
}

TEST(too_many_documents_name_the_document) {
  // Catches weights whose sum exceeds int64, or the same for the collection where the sum of each class fits.
  const auto x = matrix<std::int8_t>(1, {{}, {}, {}});
  CHECK_THROWS(count(no_counts<std::int64_t>(1), x, labels_of(1, false, {{0}, {0}, {0}}), {1, most, 1}), CountOverflow,
               "with document 1 of weight 9223372036854775807 the number of documents");
  CHECK_THROWS(count(no_counts<std::int64_t>(3), x, labels_of(3, false, {{0}, {1}, {2}}), {1, most - 1, 1}), CountOverflow,
               "document 2");
}

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
