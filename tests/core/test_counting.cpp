#include "termsift/counting.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
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
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST(integers_after_fractions_keep_the_order_of_documents) {
  // A sum must add integers and fractions in the order of the documents. This test sums unlabelled documents.
  Matrix<std::int32_t, double> x;
  x.n_columns = 1;
  for (const double value : {0x1.6p-51, 1.0, 1.0}) x.add_row({{0, value}});  // the order of these additions changes the sum
  Labels none{1, true, {0}, {}};
  for (int d = 0; d < 3; ++d) none.add({});
  const auto whole = count<std::int32_t, double, double>(no_counts<double>(1), x, none, {});
  const auto fraction = count<std::int32_t, double, double>(no_counts<double>(1), x.rows(0, 1), none.documents(0, 1), {});
  CHECK_EQ(describe(count(fraction, x.rows(1, 3), none.documents(1, 3), {})), describe(whole));
}

TEST(offsets_of_one_label_each_keep_no_collection) {
  // The row of the collection takes as much memory as all classes. If this row is the classes' sum, it must not be stored.
  const auto x = matrix<std::int32_t>(1, {{{0, 1}}, {{0, 1}}});
  CHECK(count(no_counts<std::int64_t>(2), x, labels_of(2, true, {{1}, {0}}), {}).collection == nullptr);
}

TEST(blocks_with_few_of_many_classes_give_the_same_counts) {
  Random random(11);
  const auto x = random_matrix<std::int32_t, double>(random, 60, 40, 6);  // whole numbers
  for (const bool several : {false, true}) {
    Labels labels = random_labels(random, 60, 30, several);
    for (ClassId& code : labels.codes) code = static_cast<ClassId>(7 * code + 3);
    labels.n_classes = 500;
    const auto check = [&]<class Count>(Count) {
      for (const TermWeight term_weight : {TermWeight::binary, TermWeight::raw, TermWeight::log}) {
        if (std::is_integral_v<Count> && term_weight != TermWeight::binary) continue;
        for (Way way : ways({256, default_window_bytes})) {
          way.options.term_weight = term_weight;
          auto grown = no_counts<Count>(500);
          for (std::int64_t d = 0; d < 60; d += 20)
            add_documents<Count>(grown, x.rows(d, d + 20).view(), labels.documents(d, d + 20).view(), nullptr, way.options);
          CHECK_EQ(describe(grown), describe(count(no_counts<Count>(500), x, labels, {}, way.options)));
        }
      }
    };
    check(std::int64_t{});
    check(double{});
  }
}

TEST(an_overflow_in_few_of_many_classes_names_the_class) {
  const auto x = matrix<std::int64_t>(1, {{{0, most - 10}}});
  auto counts = no_counts<std::int64_t>(500);
  const Labels labels = labels_of(500, false, {{321}});
  add_documents<std::int64_t>(counts, x.view(), labels.view(), nullptr, {});
  const std::string before = describe(counts);
  CHECK_THROWS(add_documents<std::int64_t>(counts, x.view(), labels.view(), nullptr, {}), CountOverflow,
               "the tokens of class 321");
  CHECK_EQ(describe(counts), before);
}

TEST(exact_counts_add_no_floats) {
  const auto x = matrix<double>(1, {{{0, 2.0}}});
  const Labels labels = labels_of(1, false, {{0}});
  const std::int64_t* const no_weights = nullptr;
  CHECK_THROWS(count_documents(no_counts<std::int64_t>(1), x.view(), labels.view(), no_weights, {}), invalid_argument,
               "exact counts need integer values");
  CountingOptions binary;
  binary.term_weight = TermWeight::binary;
  const auto counted = count_documents(no_counts<std::int64_t>(1), x.view(), labels.view(), no_weights, binary);
  CHECK_EQ(counted.counts.rows[0]->n_tokens, 1);
}

// ---- overflow ----------------------------------------------------------------------------------------------------------

TEST(documents_without_a_class_overflow_too) {
  // Documents without a class are added only to the collection. The bound that detects overflow must include these.
  const auto x = matrix<std::int64_t>(1, {{{0, 1}}});
  const Labels none = labels_of(1, true, {{}});
  const auto docs = count(no_counts<std::int64_t>(1), x, none, {most - 10});
  CHECK_THROWS(count(docs, x, none, {100}), CountOverflow, "document 0 of weight 100");
  const auto tokens = count(no_counts<std::int64_t>(1), matrix<std::int64_t>(1, {{{0, most - 10}}}), none, {});
  CHECK_THROWS(count(tokens, x, none, {100}), CountOverflow, "the tokens of the collection");
}

TEST(the_collection_overflows_before_its_classes) {
  // The sum of the collection overflows, although each class's sum fits in int64.
  const auto x = matrix<std::int64_t>(1, {{{0, most / 2 + 1}}, {{0, most / 2 + 1}}, {}});
  CHECK_THROWS(count(no_counts<std::int64_t>(2), x, labels_of(2, true, {{0}, {1}, {}}), {}), CountOverflow,
               "row 1, column 0, the tokens of the collection");
}

// ---- threads ----------------------------------------------------------------------------------------------------------

TEST(windows_of_documents_split_between_threads) {
  // Each thread counts a range of documents. Catches entries or documents that are counted in the wrong range, and
  // documents lost between two ranges. There are enough entries for 7 threads. The documents of a class are scattered or
  // adjacent, or all documents belong to the last class.
  Random random(18);
  auto x = streamable_matrix<std::int32_t>(random, 40000, 1000);
  CHECK(x.data.size() > 7 * (1 << 16));
  const std::int64_t n_docs = x.n_rows();
  Labels together{5, false, {0}, {}}, last(together);
  for (std::int64_t d = 0; d < n_docs; ++d) together.add({static_cast<ClassId>(5 * d / n_docs)}), last.add({4});
  const Labels anywhere = random_labels(random, n_docs, 5, false), several = random_labels(random, n_docs, 5, true);
  for (const Labels& labels : check::few_values<Labels>({several, together, last, anywhere})) {
    const std::string expected = describe(count(no_counts<std::int64_t>(5), x, labels, {}, {{}, 1, CountingPath::rows}));
    for (const Way& way : ways({1 << 16, default_window_bytes}, check::thread_counts({2, 7})))
      CHECK_EQ(way.text + describe(count(no_counts<std::int64_t>(5), x, labels, {}, way.options)), way.text + expected);
  }
}

// ---- refusals on every path --------------------------------------------------------------------------------------------

TEST(short_documents_are_counted_together) {
  // Catches entries that are counted in the class of a neighbouring document, and unusual documents that change the counts
  // of their neighbours.
  Random random(5);
  for (const bool several : {false, true})
    for (const std::int64_t usual : {1, 20}) {  // with `usual` 1, every document is unusual
      Matrix<std::int32_t, std::int64_t> x;
      x.n_columns = 12;
      for (std::int64_t row = 0; row < 400; ++row) {
        Entries<std::int64_t> entries;
        if (row % usual != 0) entries = {{below(random, 6), 1}, {6 + below(random, 6), 1}};
        else for (std::int64_t k = below(random, 5); k > 0; --k) entries.push_back({below(random, 12), below(random, 3)});
        x.add_row(entries);
      }
      every_way_agrees(x, random_labels(random, 400, 5, several), std::to_string(usual) + ": ", all_windows, false);
    }
}

TEST(any_number_of_documents_may_repeat_columns) {
  // Counting marks columns with two numbers per document. When these numbers wrap around, old marks must be cleared.
  const std::int64_t n_rows = (1 << 15) + 10;
  Matrix<std::int32_t, std::int64_t> x;
  x.n_columns = 10;
  for (std::int64_t row = 0; row < n_rows; ++row)
    x.add_row({{9, 1}, {8, 1}, {7, 1}, {6, 1}, {5, 1}, {4, 1}, {3, 1}, {2, 1}, {9, 1}, {row % (1 << 15) == 5 ? 0 : 1, 1}});
  every_way_agrees(x, labels_in_turn(n_rows, 1), "", {default_window_bytes}, false);
}

TEST(every_path_refuses_in_the_words_of_check_csr) {
  // A wrong entry in any window must be found before it is counted. The error must name the first wrong entry in row order.
  // There are 40 windows, and enough entries for 7 threads.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Random random(20);
  const auto small = matrix_with(2.0, 40, 30), large = matrix_with(2.0, 46000, 30);
  CHECK(large.data.size() > 7 * (1 << 16));
  const auto check = [&](const Matrix<std::int32_t, double>& x, const std::vector<std::int64_t>& windows, int n_threads) {
    std::string message;
    try {
      check_csr(x.view(), {}, {});
    } catch (const invalid_argument& e) {
      message = e.what();
    }
    CHECK(!message.empty());
    const Labels labels = labels_in_turn(x.n_rows(), 3);
    const auto before = count(no_counts<double>(3), small, labels_in_turn(40, 3), {});
    const std::string text = describe(before);
    for (const Way& way : ways(windows, {n_threads})) {
      CHECK_THROWS(count(no_counts<double>(3), x, labels, {}, way.options), invalid_argument, message);
      CHECK_THROWS(count(before, x, labels, {}, way.options), invalid_argument, message);
      CHECK_EQ(describe(before), text);
    }
  };
  using X = Matrix<std::int32_t, double>;
  const std::vector<void (*)(X&, std::size_t)> mutations{
      [](X& x, std::size_t e) { x.indices[e] = -1; },
      [](X& x, std::size_t e) { x.indices[e] = static_cast<std::int32_t>(x.n_columns); },
      [](X& x, std::size_t e) { x.indices[e] = std::numeric_limits<std::int32_t>::min(); },
      [](X& x, std::size_t e) { x.indices[e] = std::numeric_limits<std::int32_t>::max(); },
      [](X& x, std::size_t e) { x.data[e] = -1; },
      [](X& x, std::size_t e) { x.data[e] = -1e300; },
      [](X& x, std::size_t e) { x.data[e] = infinity; },
      [](X& x, std::size_t e) { x.data[e] = std::numeric_limits<double>::quiet_NaN(); },
      [](X& x, std::size_t e) { x.indptr[e / 10 + 1] = 1 << 30; },
      [](X& x, std::size_t e) { x.indptr[e / 10 + 1] = -5; },
      [](X& x, std::size_t e) { x.indptr[0] = static_cast<std::int32_t>(e % 2) + 1; }};
  for (const auto mutate : mutations) {
    for (const std::int64_t row : {0, 20, 39}) {
      auto x = small;
      mutate(x, at(10 * row + 3));
      check(x, all_windows, 1);
      x.data[at(10 * row + 2)] = 0.5;  // this fraction is counted by rows before the error is found
      check(x, {1, default_window_bytes}, 1);
    }
    auto x = large;
    mutate(x, at(x.data.size() - 2));
    check(x, {1 << 18}, 7);
    if (x.indptr.back() == static_cast<std::int32_t>(x.data.size()) && x.indptr[0] == 0) {
      x.data[at(10 * 20000)] = nan;  // the first
      check(x, {default_window_bytes}, 7);
    }
  }
  auto u = matrix_with<std::uint64_t>(2, 20, 30);
  u.data.back() = std::uint64_t{1} << 63;
  for (const Way& way : ways({1, 400, default_window_bytes}))
    CHECK_THROWS(count(no_counts<std::int64_t>(2), u, labels_in_turn(20, 2), {}, way.options), CountOverflow,
                 "X has 9223372036854775808 at row 19, column 29, expected a count below 2^63");
}

TEST(every_path_names_the_document_that_overflows) {
  // The bound that detects overflow must include earlier counts. The error must name the document by its row, not by its
  // position in a window.
  const auto x = matrix_with<std::int64_t>(70000, 20, 30);
  const auto much = matrix<std::int64_t>(30, {{{4, most - 100}}});
  const auto nearly = count(no_counts<std::int64_t>(2), much, labels_of(2, false, {{1}}), {});
  const std::string before = describe(nearly);
  for (const Way& way : ways({1, 400, default_window_bytes})) {
    CHECK_THROWS(count(nearly, x, labels_in_turn(20, 2), {}, way.options), CountOverflow,
                 "with 70000 at row 1, column 12, the tokens of class 1 exceed");
    CHECK_EQ(describe(nearly), before);
    auto odd = matrix_with<std::int64_t>(2, 20, 30);
    odd.data.back() = (std::int64_t{1} << 53) + 1;
    CHECK_THROWS(count(no_counts<double>(2), odd, labels_in_turn(20, 2), {}, way.options), invalid_argument,
                 "9007199254740993 at row 19, column 29");
  }
}

TEST(every_path_can_be_interrupted) {
  // Every path must poll while it counts and while it copies entries. Each of 1,000 classes has 200,000 entries.
  Random random(21);
  Matrix<std::int32_t, std::int8_t> x;
  x.n_columns = 5000;
  for (int row = 0; row < 400; ++row) {
    Entries<std::int8_t> entries;
    for (int i = 0; i < 500; ++i) entries.push_back({10 * i + row % 10, std::int8_t{1}});
    x.add_row(entries);
  }
  std::vector<ClassId> all;
  for (ClassId c = 0; c < 1000; ++c) all.push_back(c);
  const Labels labels = labels_of(1000, true, std::vector<std::vector<ClassId>>(400, all));
  const auto none = no_counts<std::int64_t>(1000);
  for (const CountingPath path : counting_paths) {
    int asked = 0;
    const Threads threads{1, [&] { return ++asked == 1; }};
    CHECK_THROWS(count(none, x, labels, {}, {threads, std::int64_t{1} << 29, path}), Interrupted, "interrupted");
    CHECK_EQ(asked, 1);
  }
  for (const auto& row : none.rows) CHECK(row->size == 0 && row->n_docs == 0);
}

TEST(documents_before_and_after_the_first_window_are_looked_at) {
  // Only the first window checks documents. The first window must also check documents before the first and after the last
  // of its classes. A bug once counted such documents without a check, and wrote to a column out of range.
  for (const std::int64_t first_of_class_0 : {0, 3, 5})
    for (const std::int64_t bad_row : {0, 1, 4, 7, 9}) {
      Labels labels{2, false, {0}, {}};
      for (std::int64_t d = 0; d < 10; ++d)
        labels.add({static_cast<ClassId>(d < first_of_class_0 || d >= first_of_class_0 + 3)});
      const auto altered = [&](const auto& alter) {
        auto x = matrix_with(1.0, 10, 30);
        alter(x, at(x.indptr[at(bad_row)] + 4));
        return x;
      };
      const std::vector<std::int64_t> windows{1, 40, 80, 120, default_window_bytes};
      const auto refused = [&](const auto& x, const char* what) {
        for (const Way& way : ways(windows))
          CHECK_THROWS(count_documents(no_counts<double>(2), x.view(), labels.view(), static_cast<const double*>(nullptr),
                                       way.options),
                       invalid_argument, what);
      };
      refused(altered([](auto& x, std::size_t e) { x.indices[e] = 30; }), "X has the index 30 in row");
      refused(altered([](auto& x, std::size_t e) { x.indices[e] = -1; }), "X has the index -1 in row");
      refused(altered([](auto& x, std::size_t e) { x.data[e] = -7; }), "X has -7 at row");
      const auto agrees = [&](const auto& x) { every_way_agrees<double>(x, labels, "by rows: ", windows, false); };
      agrees(altered([](auto& x, std::size_t e) { x.data[e] = 0; }));
      agrees(altered([](auto& x, std::size_t e) { x.data[e] = 0.5; }));
      agrees(altered([](auto& x, std::size_t e) { x.indices[e] = x.indices[e - 1]; }));
      agrees(altered([](auto&, std::size_t) {}));
    }
}
