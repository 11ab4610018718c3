#include "termsift/class_counts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"

using namespace termsift;
using namespace collections;

namespace {

using std::invalid_argument;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
const Threads one_thread{};

// A collection and its two shards. Every float is a multiple of 1/4, so all sums are exact.
template <CountType Count>
struct Shards {
  ClassCounts<Count> a, b, whole;
};

template <CountType Count>
Shards<Count> random_shards(std::uint64_t seed, bool several) {
  Random random(seed);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, 80, 60, 20);
  const Labels labels = random_labels(random, 80, 7, several);
  std::vector<Count> weights(80);
  const Count unit = std::is_integral_v<Count> ? 1 : 4;
  for (Count& weight : weights) weight = static_cast<Count>(below(random, 5)) / unit;
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return count(no_counts<Count>(7), x.rows(begin, end), labels.documents(begin, end),
                 std::vector<Count>(weights.begin() + begin, weights.begin() + end));
  };
  return {part(0, 30), part(30, 80), part(0, 80)};
}

ClassCounts<std::int64_t> one_class(std::int64_t n_docs, const std::vector<std::int64_t>& tf) {
  return make_counts<std::int64_t>({n_docs}, {tf});
}

}  // namespace

// ---- merge and subtract ------------------------------------------------------------------------------------------------

TEST(a_collection_kept_on_one_side_is_kept) {
  // Only one of two shards has a row for the collection. The merged row must include the documents of both shards.
  const auto single = random_shards<std::int64_t>(1, false).whole, several = random_shards<std::int64_t>(2, true).whole;
  CHECK(!single.collection && several.collection);
  for (const auto& sum : {merge(single, several, one_thread), merge(several, single, one_thread)}) {
    CHECK_EQ(sum.collection->n_tokens, collection_row(single)->n_tokens + several.collection->n_tokens);
    CHECK_EQ(describe(*subtract(sum, several, one_thread).collection), describe(*collection_row(single)));
    CHECK_EQ(describe(*subtract(sum, single, one_thread).collection), describe(*several.collection));
  }
}

TEST(float_remainders_within_rounding_are_nothing) {
  // If 0.1, 0.2 and 0.3 are subtracted from their sum, no token may be left. Rounding alone would leave 1e-17 of a token.
  const auto counts = [](const std::vector<double>& tf) { return make_counts<double>({1.0}, {tf}); };
  auto whole = merge(merge(make_counts<double>({2.0}, {{0.1, 1}}), counts({0.2, 0}), one_thread), counts({0.3, 0}),
                     one_thread);
  for (const double tf : {0.3, 0.1, 0.2}) whole = subtract(whole, counts({tf, 0}), one_thread);
  CHECK_EQ(describe(*whole.rows[0]), "0x1p+0 docs, 0x1p+0 tokens: 1:0x1p+0/0x1p+0\n");
  CHECK_THROWS(subtract(counts({1}), counts({1 + 1e-9}), one_thread), invalid_argument,
               "term 0 in class 0 would be negative");
}

// ---- frequency lists ---------------------------------------------------------------------------------------------------

TEST(unknown_documents_and_unlisted_tokens_survive_sums_and_differences) {
  // If a list with an unknown number of documents is merged with texts, the number stays unknown and no token is lost.
  const auto list = [](std::int64_t tf, std::int64_t unlisted) {
    auto row = ClassRow<std::int64_t>::with_capacity(1, true);
    row.set_pair(row.size++, 0, tf, 0);
    row.n_unlisted = unlisted;
    row.sum_tokens();
    check_row(row, 1);
    return ClassCounts<std::int64_t>{1, 0, {std::make_shared<const ClassRow<std::int64_t>>(std::move(row))}, nullptr};
  };
  const auto texts = one_class(3, {5}), both = merge(texts, list(7, 2), one_thread);
  CHECK(both.rows[0]->has_unknown_documents() && both.rows[0]->is_present());
  CHECK_EQ(both.rows[0]->n_tokens, 14);
  CHECK_EQ(both.n_docs, 0);
  for (const auto& part : {texts, list(5, 0)}) {
    const auto rest = subtract(both, part, one_thread);
    CHECK_EQ(describe(*rest.rows[0]), describe(*list(7, 2).rows[0]));
    CHECK_EQ(rest.rows[0]->n_unlisted, 2);
    CHECK(subtract(rest, list(7, 2), one_thread).rows[0]->n_tokens == 0);
  }
  CHECK_EQ(to_float(both, one_thread).rows[0]->n_tokens, 14);
  CHECK_EQ(collection_row(both)->n_tokens, 14);
  CHECK_THROWS(subtract(texts, list(1, 0), one_thread), invalid_argument, "is known only in the whole");
  CHECK_THROWS(subtract(list(7, 2), list(7, 3), one_thread), invalid_argument,
               "the number of unlisted tokens in class 0 would be negative");
}

// ---- frequencies of four bytes and of eight ------------------------------------------------------------------------------

// Returns a row with four bytes for each frequency if all frequencies fit, as in counted rows.
template <CountType Count>
ClassRow<Count> narrow_row(Count n_docs, const std::vector<Count>& tf) {
  auto row = ClassRow<Count>::with_capacity(static_cast<std::int64_t>(tf.size()), true);
  CHECK(row.is_narrow());
  row.n_docs = n_docs;
  row.size = static_cast<std::int64_t>(tf.size());
  for (std::int64_t i = 0; i < row.size; ++i) {
    row.terms[i] = static_cast<TermId>(i);
    row.term_frequency.set(i, tf[at(i)]);
    row.document_frequency.set(i, 1);
  }
  row.sum_tokens();
  return row;
}

template <CountType Count>
ClassCounts<Count> counts_of(ClassRow<Count>&& row) {
  ClassCounts<Count> counts{row.size, row.n_docs, {}, nullptr};
  counts.rows.push_back(std::make_shared<const ClassRow<Count>>(std::move(row)));
  return counts;
}

template <CountType Count>
void widths_show_in_no_value() {
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  for (const std::int64_t a : {std::int64_t{1}, limit / 2, limit - 2, limit - 1})
    for (const std::int64_t b : {std::int64_t{1}, limit / 2, limit - 1}) {
      const std::vector<Count> tf_a{static_cast<Count>(a), 3}, tf_b{static_cast<Count>(b), 1};
      const std::vector<Count> tf_sum{tf_a[0] + tf_b[0], 4};
      const auto wide = [](const std::vector<Count>& tf) { return counts_of(make_row<Count>(2, tf, {1, 1})); };
      const auto narrow = [](const std::vector<Count>& tf) { return counts_of(narrow_row<Count>(2, tf)); };
      const std::string sum = describe(counts_of(make_row<Count>(4, tf_sum, {2, 2})));
      for (const auto& left : {wide(tf_a), narrow(tf_a)})
        for (const auto& right : {wide(tf_b), narrow(tf_b)}) {
          const auto both = merge(left, right, one_thread);
          CHECK_EQ(describe(both), sum);
          CHECK_EQ(describe(subtract(both, right, one_thread)), describe(left));
          CHECK_EQ(describe(subtract(both, left, one_thread)), describe(right));
          CHECK_EQ(subtract(left, left, one_thread).rows[0]->size, 0);
          const ClassRow<Count> parts[]{*left.rows[0], ClassRow<Count>{}, ClassRow<Count>::with_capacity(0, true)};
          CHECK_EQ(describe(concatenate(parts, parts + 3)), describe(make_row<Count>(0, tf_a, {1, 1})));
          const ClassRow<Count> mixed[]{*left.rows[0], *right.rows[0]}, wider[]{*wide(tf_a).rows[0], *wide(tf_b).rows[0]};
          CHECK_EQ(describe(concatenate(mixed, mixed + 2)), describe(concatenate(wider, wider + 2)));
        }
    }
}

TEST(frequencies_outgrow_four_bytes_and_come_back) {
  // Catches a merge that keeps a sum of 2^32 or more in 4 bytes, a wrong difference, or a wrong sum of rows with different
  // widths.
  widths_show_in_no_value<std::int64_t>();
  widths_show_in_no_value<double>();
}

TEST(narrow_rows_become_floats) {
  // Catches a conversion of 4-byte counts that reads 8 bytes, or fractions that are subtracted from 4-byte integers.
  const auto exact = counts_of(narrow_row<std::int64_t>(2, {(std::int64_t{1} << 32) - 1, 7}));
  const auto floats = to_float(exact, one_thread);
  CHECK_EQ(describe(floats), describe(counts_of(make_row<double>(2, {0x1p32 - 1, 7}, {1, 1}))));
  const auto part = counts_of(make_row<double>(1, {0.5, 0.25}, {0.5, 0.5}));
  const auto rest = counts_of(make_row<double>(1, {0x1p32 - 1.5, 6.75}, {0.5, 0.5}));
  CHECK_EQ(describe(subtract(floats, part, one_thread)), describe(rest));
  CHECK_EQ(describe(merge(rest, part, one_thread)), describe(floats));
  CHECK_EQ(describe(merge(part, rest, one_thread)), describe(floats));
}

TEST(tokens_of_narrow_rows_are_summed_beyond_double) {
  // Sums of four-byte integers above 2^53 must have the same rounding error as sums of equal doubles.
  constexpr std::int64_t size = (std::int64_t{1} << 22) + 1;
  auto narrow = ClassRow<double>::with_capacity(size, true), wide = ClassRow<double>::with_capacity(size);
  narrow.size = wide.size = size;
  for (auto* row : {&narrow, &wide}) {
    for (std::int64_t i = 0; i < size; ++i) row->term_frequency.set(i, i == 0 ? 1 : 0x1p32 - 1);
    row->sum_tokens();
  }
  CHECK(narrow.n_tokens == wide.n_tokens && narrow.n_tokens > 0x1p53);
  CHECK(narrow.n_tokens_rest == wide.n_tokens_rest && narrow.n_tokens_rest != 0);
}

// ---- the other operations ----------------------------------------------------------------------------------------------

TEST(the_collection_is_kept_or_summed) {
  // Rows are added in pairs, and the last of an odd number of rows must not be lost. A stored row of the collection must be
  // kept, because the classes may share documents.
  for (std::int64_t n_classes = 0; n_classes < 9; ++n_classes) {
    std::vector<std::vector<std::int64_t>> tf(at(n_classes), {0, 0, 1});
    for (std::size_t c = 0; c < tf.size(); ++c) tf[c][c % 2] = static_cast<std::int64_t>(c) + 1;
    std::int64_t even = 0, odd = 0;
    for (std::int64_t c = 0; c < n_classes; ++c) (c % 2 == 0 ? even : odd) += c + 1;
    const auto row = collection_row(make_counts(std::vector<std::int64_t>(at(n_classes), 2), tf));
    CHECK_EQ(row->n_docs, 2 * n_classes);
    CHECK_EQ(row->n_tokens, even + odd + n_classes);
    CHECK_EQ(row->size, std::min<std::int64_t>(n_classes, 2) + (n_classes > 0));
    if (n_classes < 2) continue;
    CHECK(row->term_frequency[0] == even && row->term_frequency[1] == odd && row->document_frequency[2] == n_classes);
  }
  const auto kept = random_shards<std::int64_t>(2, true).whole;
  CHECK(kept.collection != nullptr && collection_row(kept) == kept.collection);
}

TEST(exact_counts_become_floats_without_loss) {
  // to_float() must refuse a count that a double cannot hold. The count may be a frequency or the number of documents.
  const auto shards = random_shards<std::int64_t>(4, true);
  const auto floats = to_float(shards.whole, {3, {}});
  CHECK_EQ(floats.rows.size(), shards.whole.rows.size());
  const auto same = [](const ClassRow<double>& a, const ClassRow<std::int64_t>& b) {
    CHECK_EQ(a.size, b.size);
    CHECK(a.n_docs == static_cast<double>(b.n_docs) && a.n_tokens == static_cast<double>(b.n_tokens));
    for (std::size_t i = 0; i < at(b.size); ++i)
      CHECK(a.terms[i] == b.terms[i] && a.term_frequency[i] == static_cast<double>(b.term_frequency[i]) &&
            a.document_frequency[i] == static_cast<double>(b.document_frequency[i]));
  };
  for (std::size_t c = 0; c < floats.rows.size(); ++c) same(*floats.rows[c], *shards.whole.rows[c]);
  same(*floats.collection, *shards.whole.collection);
  CHECK(floats.n_docs == static_cast<double>(shards.whole.n_docs) && floats.n_terms == 60);

  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  CHECK_THROWS(to_float(one_class(1, {odd}), one_thread), invalid_argument, "no double equals 9007199254740993");
  CHECK_THROWS(to_float(one_class(odd, {1}), one_thread), invalid_argument, "no double equals 9007199254740993");
  CHECK_EQ(to_float(one_class(1, {odd - 1, 2}), one_thread).rows[0]->n_tokens, 9007199254740994.0);
}

TEST(tokens_are_summed_beyond_double) {
  // A sum of counts must not lose small counts beside a large count, and must be refused if it overflows.
  CHECK_EQ(make_row<double>(1, {1e16, 1, 1}, {1, 1, 1}).n_tokens, 10000000000000002.0);
  CHECK_EQ(make_row<std::int64_t>(1, {most - 1, 1}, {1, 1}).n_tokens, most);
  CHECK_THROWS(make_row<std::int64_t>(1, {most, 1}, {1, 1}), CountOverflow, "tokens");
}
