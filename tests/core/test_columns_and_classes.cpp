#include "termsift/columns_and_classes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "termsift/name_union.hpp"

// The algebra of columns and classes, against plain loops over dense tables.

using namespace termsift;
using namespace collections;

namespace {

using std::invalid_argument;

// Returns rows of random pairs. Some rows are empty, some have unlisted tokens, and some have unknown documents.
template <CountType Count>
ClassCounts<Count> random_counts(Random& random, std::int64_t n_classes, std::int64_t n_terms, std::int64_t share,
                                 bool wide, bool with_unknown) {
  ClassCounts<Count> counts{n_terms, 0, {}, nullptr};
  for (std::int64_t c = 0; c < n_classes; ++c) {
    auto row = ClassRow<Count>::with_capacity(n_terms, !wide && std::is_integral_v<Count>);
    const bool unknown = with_unknown && below(random, 4) == 0, empty = below(random, 5) == 0;
    if (!unknown && !empty) row.n_docs = static_cast<Count>(20 + below(random, 5)) / (std::is_integral_v<Count> ? 1 : 10);
    if (below(random, 4) == 0 && !empty) row.n_unlisted = 3;
    for (std::int64_t term = 0; term < n_terms && !empty; ++term) {
      if (below(random, share) != 0) continue;
      const auto df = static_cast<Count>(1 + below(random, 3)) / (std::is_integral_v<Count> ? 1 : 10);
      const auto more = static_cast<Count>(below(random, 9) * (wide ? std::int64_t{1} << 33 : 1));
      row.set_pair(row.size++, static_cast<TermId>(term), df + more, unknown ? 0 : df);
    }
    row.sum_tokens();
    counts.n_docs += row.n_docs;
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(std::move(row)));
  }
  return counts;
}

// Calls f for exact and float counts of many shapes.
template <class F>
void for_each_shape(const F& f) {
  Random random(7);
  const auto each = [&]<CountType Count>(Count) {
    for (const std::int64_t n_classes : {0, 1, 2, 3, 8, 33})
      for (const std::int64_t n_terms : {0, 1, 2, 65, 900})
        for (const std::int64_t share : {1, 3, 40})
          for (const bool wide : {false, true})
            f(random, random_counts<Count>(random, n_classes, n_terms, share, wide, share == 3));
  };
  each(std::int64_t{});
  each(double{});
}

template <CountType Count>
std::string described(const ClassRow<Count>& row) {
  return describe(row) + describe(row.n_unlisted) + " unlisted, rest " + describe(row.n_tokens_rest) + "\n";
}

// Moves the pairs of a row to a dense table, one by one.
template <CountType Count>
ClassRow<Count> moved_plainly(const ClassRow<Count>& row, const std::vector<std::int64_t>& new_column,
                              std::int64_t n_terms) {
  std::vector<std::int64_t> pair_of(at(n_terms), -1);
  for (std::int64_t i = 0; i < row.size; ++i)
    if (const auto column = new_column[at(row.terms[i])]; column >= 0) pair_of[at(column)] = i;
  auto moved = ClassRow<Count>::with_capacity(n_terms);
  moved.n_docs = row.n_docs;
  moved.n_unlisted = row.n_unlisted;
  for (std::int64_t column = 0; column < n_terms; ++column)
    if (const auto i = pair_of[at(column)]; i >= 0)
      moved.set_pair(moved.size++, static_cast<TermId>(column), row.term_frequency[i], row.document_frequency[i]);
  moved.sum_tokens();
  return moved;
}

std::vector<std::int64_t> random_columns(Random& random, std::int64_t n_before, std::int64_t n_terms, bool increase) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < n_terms; ++i) all.push_back(i);
  for (std::int64_t i = n_terms - 1; i > 0; --i) std::swap(all[at(i)], all[at(below(random, i + 1))]);
  all.resize(at(n_before));
  if (increase) std::sort(all.begin(), all.end());
  for (std::int64_t& column : all)
    if (below(random, 3) == 0) column = -1;
  return all;
}

// Adds rows in pairs, then the sums in pairs, as float counts must be added.
template <CountType Count>
ClassRow<Count> summed_plainly(std::vector<ClassRow<Count>> rows) {
  if (rows.empty()) return ClassRow<Count>::with_capacity(0);
  while (rows.size() > 1) {
    std::vector<ClassRow<Count>> sums;
    for (std::size_t i = 0; i < rows.size(); i += 2)
      sums.push_back(i + 1 < rows.size() ? merge_rows(rows[i], rows[i + 1]) : rows[i]);
    rows = std::move(sums);
  }
  return rows[0];
}

Text text(const std::string& name) {
  return {name.data(), static_cast<std::int64_t>(name.size()), TextEncoding::latin1};
}

std::vector<Text> texts(const std::vector<std::string>& names) {
  std::vector<Text> all;
  for (const std::string& name : names) all.push_back(text(name));
  return all;
}

}  // namespace

// ---- columns -----------------------------------------------------------------------------------------------------------

TEST(terms_move_to_new_columns) {
  for_each_shape([](Random& random, const auto& counts) {
    for (const bool increase : {false, true}) {
      const std::int64_t n_terms = counts.n_terms + below(random, 3);
      const auto new_column = random_columns(random, counts.n_terms, n_terms, increase);
      auto with = counts;
      with.collection = collection_row(counts);
      for (const int n_threads : {1, 3}) {
        const auto moved = in_columns(with, new_column, n_terms, {n_threads, {}});
        CHECK_EQ(moved.n_terms, n_terms);
        CHECK_EQ(moved.n_docs, with.n_docs);
        for (std::size_t c = 0; c < with.rows.size(); ++c)
          CHECK_EQ(described(*moved.rows[c]), described(moved_plainly(*with.rows[c], new_column, n_terms)));
        CHECK_EQ(described(*moved.collection), described(moved_plainly(*with.collection, new_column, n_terms)));
      }
    }
  });
}

TEST(long_rows_are_sorted_by_digits) {
  Random random(3);
  const auto counts = random_counts<std::int64_t>(random, 3, 60'000, 2, false, false);
  const auto new_column = random_columns(random, 60'000, 5'000'000, false);
  const auto moved = in_columns(counts, new_column, 5'000'000, {2, {}});
  for (std::size_t c = 0; c < 3; ++c)
    CHECK_EQ(describe(*moved.rows[c]), describe(moved_plainly(*counts.rows[c], new_column, 5'000'000)));
}

TEST(impossible_columns_are_named) {
  const auto counts = make_counts<std::int64_t>({1}, {{1, 1, 1}});
  const auto move = [&](const std::vector<std::int64_t>& columns, std::int64_t n_terms) {
    return in_columns(counts, columns, n_terms, {});
  };
  CHECK_THROWS(move({0, 1}, 3), invalid_argument, "new_column has 2 columns for 3 terms");
  CHECK_THROWS(move({0, 1, 3}, 3), invalid_argument, "new_column[2] is 3, expected -1 or a column below 3");
  CHECK_THROWS(move({-2, 0, 1}, 3), invalid_argument, "new_column[0] is -2, expected -1 or a column below 3");
  CHECK_THROWS(move({0, 1, 1}, 3), invalid_argument, "new_column[2] is 1, which is also new_column[1]");
  CHECK_THROWS(move({1, 0, 1}, 3), invalid_argument, "new_column[2] is 1, which is also new_column[0]");
  CHECK_THROWS(move({0, 1, 0}, 3), invalid_argument, "new_column[2] is 0, which is also new_column[0]");
  CHECK_THROWS(move({-1, -1, -1}, max_terms + 1), invalid_argument, "cannot have 2147483648 terms");
  CHECK_EQ(move({-1, -1, -1}, 0).rows[0]->size, 0);
  CHECK_EQ(move({max_terms - 1, -1, -1}, max_terms).rows[0]->terms[0], max_terms - 1);
}

TEST(a_row_becomes_narrow_when_its_large_counts_leave) {
  Random random(1);
  const auto wide = random_counts<std::int64_t>(random, 1, 1, 1, true, false);
  CHECK(!wide.rows[0]->is_narrow());
  const std::vector<std::int64_t> none{-1};
  CHECK(in_columns(wide, none, 1, {}).rows[0]->is_narrow());
}

// ---- classes -----------------------------------------------------------------------------------------------------------

TEST(groups_of_classes_are_sums) {
  for_each_shape([]<CountType Count>(Random& random, const ClassCounts<Count>& counts) {
    std::vector<std::vector<std::int64_t>> groups(at(1 + below(random, 5)));
    bool every_document = true;  // is in a group
    for (std::int64_t c = std::ssize(counts.rows) - 1; c >= 0; --c)
      if (below(random, 6) != 0) groups[at(below(random, std::ssize(groups)))].push_back(c);
      else every_document &= counts.rows[at(c)]->n_docs == 0;
    for (const int n_threads : {1, 3}) {
      const auto united = of_classes<Count>(counts, groups, {n_threads, {}});
      Count n_docs = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<ClassRow<Count>> rows;
        for (const std::int64_t c : groups[g]) {
          rows.push_back(*counts.rows[at(c)]);
          every_document &= groups[g].size() == 1 || !rows.back().has_unknown_documents();
        }
        const auto sum = summed_plainly(rows);
        CHECK_EQ(described(*united.rows[g]), described(sum));
        CHECK_EQ(united.rows[g]->is_narrow(), sum.is_narrow());
        n_docs += sum.n_docs;
      }
      // The weight of all documents stays as it is. Fewer than eight other numbers are added in their order.
      CHECK_EQ(united.n_docs, every_document ? counts.n_docs : n_docs);
      CHECK(united.collection == nullptr);
    }
  });
}

TEST(many_classes_become_one) {
  Random random(9);
  const auto counts = random_counts<std::int64_t>(random, 100'000, 12, 3, false, false);
  std::vector<std::vector<std::int64_t>> groups(1);
  std::vector<ClassRow<std::int64_t>> rows;
  for (std::int64_t c = 0; c < 100'000; ++c) groups[0].push_back(c), rows.push_back(*counts.rows[at(c)]);
  const std::string sum = described(summed_plainly(rows));
  CHECK_EQ(described(*of_classes<std::int64_t>(counts, groups, {2, {}}).rows[0]), sum);
  CHECK_EQ(described(*collection_row(counts)), sum);
}

TEST(sums_that_overflow_are_errors) {
  constexpr std::int64_t half = std::int64_t{1} << 62;
  ClassCounts<std::int64_t> counts = make_counts<std::int64_t>({1, 1}, {{half}, {half}});
  for (int i = 0; i < 4; ++i) counts.rows.push_back(counts.rows[0]);
  for (const std::vector<std::int64_t>& group : {std::vector<std::int64_t>{0, 1}, {0, 1, 2, 3, 4}}) {
    const std::vector<std::vector<std::int64_t>> groups{group};
    CHECK_THROWS(of_classes<std::int64_t>(counts, groups, {}), CountOverflow, "tokens exceeds 2^63 - 1");
  }
  std::vector<std::int64_t> totals(1);
  CHECK_THROWS(collection_totals(counts, &ClassRow<std::int64_t>::term_frequency, totals.data(), {}), CountOverflow,
               "term 0 occurs more than 2^63 - 1 times");
  counts.collection = counts.rows[0];
  CHECK_THROWS(of_classes<std::int64_t>(counts, {}, {}), invalid_argument, "which documents two classes share");
}

// ---- totals and equality -----------------------------------------------------------------------------------------------

TEST(totals_add_up_the_classes) {
  for_each_shape([]<CountType Count>(Random&, ClassCounts<Count> counts) {
    for (const bool with_collection : {false, true}) {
      if (with_collection) counts.collection = collection_row(counts);
      for (const auto frequency : {&ClassRow<Count>::term_frequency, &ClassRow<Count>::document_frequency}) {
        std::vector<Count> expected(at(counts.n_terms), 0);
        const auto add = [&](const ClassRow<Count>& row) {
          for (std::int64_t i = 0; i < row.size; ++i) expected[at(row.terms[i])] += (row.*frequency)[i];
        };
        if (with_collection || std::is_floating_point_v<Count>)
          add(*collection_row(counts));
        else
          for (const auto& row : counts.rows) add(*row);
        for (const int n_threads : {1, 3}) {
          std::vector<Count> totals(at(counts.n_terms), 5);
          collection_totals(counts, frequency, totals.data(), {n_threads, {}});
          CHECK_EQ(totals, expected);
        }
      }
    }
  });
}

TEST(equal_counts_have_equal_numbers) {
  for_each_shape([]<CountType Count>(Random& random, const ClassCounts<Count>& counts) {
    std::vector<std::int64_t> same(at(counts.n_terms));
    for (std::int64_t i = 0; i < counts.n_terms; ++i) same[at(i)] = i;
    auto copy = in_columns(counts, same, counts.n_terms, {});  // shares no row with `counts`
    CHECK(equal(counts, copy, {3, {}}));
    copy.collection = collection_row(counts);
    CHECK(equal(counts, copy, {}) && equal(copy, counts, {}));
    auto other = copy;
    other.n_terms += 1;
    CHECK(!equal(copy, other, {}));
    other = copy;
    other.n_docs += 1;
    CHECK(!equal(copy, other, {}));
    for (std::size_t c = 0; c <= counts.rows.size(); ++c) {
      if (copy.row_or_collection(c)->size == 0) continue;
      auto changed = moved_plainly(*copy.row_or_collection(c), same, counts.n_terms);
      const std::int64_t i = below(random, changed.size);
      const bool of_documents = below(random, 2) == 0;
      auto& frequency = of_documents ? changed.document_frequency : changed.term_frequency;
      frequency.set(i, frequency[i] + 1);
      other = copy;
      other.row_or_collection(c) = std::make_shared<const ClassRow<Count>>(changed);
      CHECK(!equal(copy, other, {}));
    }
  });
}

// ---- names -------------------------------------------------------------------------------------------------------------

TEST(names_are_united) {
  const auto united = [](const std::vector<std::string>& first, const std::vector<std::string>& second) {
    return unite_names(texts(first), texts(second), {2, {}});
  };
  using Places = std::vector<std::int64_t>;
  auto all = united({"a", "c"}, {"b", "c", "d"});
  CHECK_EQ(all.order, (Places{0, 2, 1, 4}));
  CHECK_EQ(all.column_of_first, (Places{0, 2}));
  CHECK_EQ(all.column_of_second, (Places{1, 2, 3}));
  all = united({"c", "a"}, {"b", "c", "d"});
  CHECK_EQ(all.order, (Places{0, 1, 2, 4}));
  CHECK_EQ(all.column_of_second, (Places{2, 0, 3}));
  CHECK_EQ(united({}, {}).order, Places{});
  all = united({"a"}, {"b", "a", "b", "a", "c", "a"});
  CHECK_EQ(all.repeated, 2);
  CHECK_EQ(all.n_repeated, 3);
  all = united({"x", "b", "b"}, {"a", "a", "a"});
  CHECK_EQ(all.repeated, 1);
  CHECK_EQ(all.n_repeated, 2);
  // The same bytes in other encodings are other names.
  const std::uint16_t wide[] = {0x4141, 0x42};
  const std::string three = "AAB", two = "AA";
  const std::vector<Text> mine{text(three), {wide, 2, TextEncoding::ucs2}};
  const std::vector<Text> theirs{{wide, 1, TextEncoding::ucs2}, text(two)};
  const auto mixed = unite_names(mine, theirs, {});
  CHECK_EQ(mixed.order, (Places{0, 1, 2, 3}));
}

// ---- interruption ------------------------------------------------------------------------------------------------------

TEST(every_call_can_be_interrupted) {
  Random random(2);
  const auto exact = random_counts<std::int64_t>(random, 9, 40'000, 2, false, false);
  const auto floats = random_counts<double>(random, 9, 40'000, 2, false, false);
  const auto stopped = [](const auto& call) {
    std::this_thread::sleep_for(poll_interval);  // so that the first check asks
    CHECK_THROWS(call(Threads{1, [] { return true; }}), Interrupted, "interrupted");
  };
  std::vector<std::int64_t> backwards(40'000);
  for (std::int64_t i = 0; i < 40'000; ++i) backwards[at(i)] = 39'999 - i;
  std::vector<std::string> names;
  for (int i = 0; i < 40'000; ++i) names.push_back(std::to_string(i));
  const auto some = texts(names);
  const auto each = [&]<CountType Count>(const ClassCounts<Count>& counts) {
    const std::vector<std::vector<std::int64_t>> groups{{0, 1}, {2, 3, 4, 5, 6}};
    std::vector<Count> totals(40'000);
    const auto other = in_columns(in_columns(counts, backwards, 40'000, {}), backwards, 40'000, {});
    stopped([&](const Threads& threads) { return in_columns(counts, backwards, 40'000, threads); });
    stopped([&](const Threads& threads) { return of_classes<Count>(counts, groups, threads); });
    stopped([&](const Threads& threads) { return collection_row(counts, threads); });
    stopped([&](const Threads& threads) { return equal(counts, other, threads); });
    stopped([&](const Threads& threads) { return merge(counts, other, threads); });
    stopped([&](const Threads& threads) { return subtract(counts, other, threads); });
    stopped([&](const Threads& threads) {
      collection_totals(counts, &ClassRow<Count>::term_frequency, totals.data(), threads);
      return 0;
    });
  };
  each(exact);
  each(floats);
  stopped([&](const Threads& threads) { return unite_names(some, some, threads); });
}
