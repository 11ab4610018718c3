#include "termsift/counting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "counting_cases.hpp"
#include "counting/entry_kernels.hpp"
#include "counting/packed_entry.hpp"

using namespace termsift;
using namespace collections;
using namespace counting_cases;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

template <class Value, CountType Count>
void paths_agree_with_the_plain_loop(Random& random) {
  for (const std::int64_t n_columns : {30, 1000, 70000})
    for (const bool several : {false, true}) {
      const auto x = streamable_matrix<Value>(random, 300, n_columns);
      const Labels labels = random_labels(random, 300, 5, several);
      CsrScan scan;
      scan.rows(x.view(), 0, x.n_rows(), PackedEntry(n_columns));
      CHECK(!scan.refused && scan.distinct && !scan.has_zeros && !scan.has_fractions && scan.n_unpackable > 0);
      const auto expected = describe(count_plainly<Count>(x, labels, {}));
      for (const std::int64_t window_bytes : {std::int64_t{1}, std::int64_t{1000}, default_window_bytes})
        for (const CountingPath path : counting_paths) {
          const CountingOptions options{{}, window_bytes, path};
          const auto counted = count_documents<Count>(no_counts<Count>(5), x.view(), labels.view(), nullptr, options);
          CHECK(counted.path == path);
          CHECK_EQ(describe(counted.counts), expected);
        }
    }
}

template <class Value>
void binary_counts_are_those_of_ones(Random& random) {
  for (const std::int64_t n_columns : {30, 1000, 70000})
    for (const bool several : {false, true}) {
      auto x = random_matrix<std::int32_t, Value>(random, 300, n_columns, 25, true);
      for (Value& value : x.data) value = static_cast<Value>(std::ldexp(1.0, static_cast<int>(below(random, 31))) / 1.25);
      for (Value& value : x.data) value = value > 0 ? value : Value{1};
      Matrix<std::int32_t, std::int8_t> ones;
      ones.n_columns = x.n_columns, ones.indptr = x.indptr, ones.indices = x.indices;
      ones.data.assign(x.data.size(), 1);
      const Labels labels = random_labels(random, 300, 5, several);
      const auto expected = describe(count_plainly<std::int64_t>(ones, labels, {}));
      for (const std::int64_t window_bytes : {std::int64_t{1}, std::int64_t{1000}, default_window_bytes})
        for (const CountingPath path : counting_paths) {
          const CountingOptions options{{}, window_bytes, path, TermWeight::binary};
          const std::int64_t* const no_weights = nullptr;
          const auto counted = count_documents(no_counts<std::int64_t>(5), x.view(), labels.view(), no_weights, options);
          CHECK(counted.path == path);
          CHECK_EQ(describe(counted.counts), expected);
        }
    }
}

}  // namespace

TEST(every_path_agrees_with_the_plain_loop) {
  // Catches an escape (a value too large for a packed entry) that is added to the wrong entry, a segment that is counted for
  // the wrong thread, and mistakes at the ends of windows and blocks.
  Random random(17);
  paths_agree_with_the_plain_loop<std::int64_t, std::int64_t>(random);
  paths_agree_with_the_plain_loop<std::uint16_t, std::int64_t>(random);
  paths_agree_with_the_plain_loop<double, double>(random);
  paths_agree_with_the_plain_loop<float, double>(random);
}

TEST(every_path_counts_ones) {
  // Catches binary counts that add a value instead of 1, and fractions or large values that the streams refuse.
  Random random(18);
  binary_counts_are_those_of_ones<double>(random);
  binary_counts_are_those_of_ones<std::uint32_t>(random);
}

TEST(values_about_what_an_entry_packs) {
  // An escape marks a value too large for a packed entry. The largest packed value must not be read as an escape. The rest
  // of a marked value must be counted in the right class and block of terms.
  for (const std::int64_t n_columns : {1, 65, 65535, 65536, 131072, 131073, 300000}) {
    const std::int64_t escape = PackedEntry(n_columns).value(~std::uint32_t{0});
    for (const std::int64_t value :
         {escape / 2, escape / 2 + 1, escape - 1, escape, escape + 1, std::int64_t{65535}, std::int64_t{65536}}) {
      const std::string what = std::to_string(n_columns) + " terms, " + std::to_string(value) + ": ";
      const std::vector<std::int64_t> windows{1, default_window_bytes};
      every_way_agrees(matrix_with(value, 16, n_columns), labels_in_turn(16, 3), what, windows);
      every_way_agrees(matrix_with(value, 16, n_columns), labels_in_turn(16, 1), what, windows);
      if (n_columns < 70000)
        every_way_agrees<double>(matrix_with(static_cast<float>(value), 16, n_columns), labels_in_turn(16, 2), what,
                                 windows);
    }
  }
}

TEST(documents_of_one_entry) {
  // Runs of such documents have a loop of their own, which must leave out the classes of other windows.
  Random random(19);
  for (const std::int64_t n_columns : {1, 60, 70000})
    for (const int n_classes : {1, 2, 7, 100}) {
      Matrix<std::int32_t, std::int32_t> x;
      x.n_columns = n_columns;
      for (int d = 0; d < 500; ++d)
        x.add_row(Entries<std::int32_t>{{below(random, n_columns), static_cast<std::int32_t>(1 + d % 3)}});
      const std::string what = std::to_string(n_columns) + " terms, " + std::to_string(n_classes) + " classes: ";
      every_way_agrees(x, labels_in_turn(500, n_classes), what, {1, 1000, 30000, default_window_bytes});
    }
}

TEST(an_odd_entry_anywhere_in_a_row) {
  // Each row is checked in vectors. Even at the ends of vectors and of the row, the check must find a column that does not
  // exceed the column before it, and a value that is too large.
  for (std::int64_t length = 2; length <= 50; ++length)
    for (std::int64_t place = 1; place < length; ++place)
      for (const bool repeats : {false, true}) {
        Matrix<std::int32_t, std::int32_t> x;
        x.n_columns = 60;
        Entries<std::int32_t> entries;
        for (std::int64_t i = 0; i < length; ++i) {
          const bool odd = i == place;
          entries.push_back({odd && repeats ? i - 1 : i, odd && !repeats ? 20000 : static_cast<std::int32_t>(1 + i % 3)});
        }
        x.add_row(entries);
        const Labels labels = labels_in_turn(1, 1);
        const auto counted = count_documents<std::int64_t>(no_counts<std::int64_t>(1), x.view(), labels.view(), nullptr,
                                                           {{}, default_window_bytes, CountingPath::class_streams});
        CHECK(counted.path == CountingPath::class_streams);
        CHECK_EQ(describe(counted.counts), describe(count_plainly<std::int64_t>(x, labels, {})));
      }
}

TEST(repeated_columns_are_counted_by_streams) {
  // Catches sums that are packed although they do not fit, documents that are counted once for each entry, and a column that
  // is taken for one of the document before. Columns repeat one after the other, or after a whole pass over the columns.
  for (const std::int64_t times : {2, 3, 30})
    for (const bool apart : {false, true})
      for (const std::int32_t value : {0, 1, 700, 20000}) {
        Matrix<std::int32_t, std::int32_t> x;
        x.n_columns = 40;
        for (std::int64_t d = 0; d < 12; ++d) {
          Entries<std::int32_t> entries;
          for (std::int64_t i = 0; i < 8 * times; ++i)
            entries.push_back({(apart ? i % 8 : i / times) * 4 + d % 3, i == 5 ? value : 1});
          x.add_row(entries);
        }
        const std::string what = std::to_string(times) + " times " + std::to_string(value) + ": ";
        const Labels labels = labels_in_turn(12, 2);
        every_way_agrees(x, labels, what, all_windows, false);
        CHECK(path_taken<std::int64_t>(x, labels, {{}, default_window_bytes, CountingPath::class_streams}) ==
              CountingPath::class_streams);
      }
}

template <class Value>
void fractions_are_kept(std::initializer_list<double> values) {
  for (const double value : values) {
    const auto fraction = static_cast<Value>(value);
    CHECK(std::floor(fraction) != fraction);
    for (const std::size_t place : {0, 44, 99, 199}) {
      auto x = matrix_with(Value{2}, 20, 30);
      x.data[place] = fraction;
      every_way_agrees<double>(x, labels_in_turn(20, 3), std::to_string(value) + ": ", all_windows, false);
      for (const CountingPath path : counting_paths)
        CHECK(path_taken<double>(x, labels_in_turn(20, 3), {{}, 400, path}) == CountingPath::rows);
    }
  }
}

TEST(fractions_close_to_whole_numbers) {
  // A fraction must not be counted as the nearest whole number, even if the two differ only in the last bit.
  const double ulp = 0x1p-52;
  fractions_are_kept<double>({1 + ulp, 1 + 2 * ulp, 1 + 100 * ulp, 1 + 16000 * ulp, 1 - ulp / 2, 2 - ulp, 3 + 2 * ulp,
                              0.1 * 3 * 10, 8191 + 0x1p-39, 0x1p51 + 0.5, 1e-300, 5e-324});
  fractions_are_kept<float>({1.0005, 2.002, 3.001, 1 + 0x1p-23, 1 - 0x1p-24, 0x1p22 + 0.5, 1e-30});
}

TEST(values_about_what_a_counter_holds) {
  // In a counter, occurrences must not carry into the bits that count documents. Streams must count all values below the
  // limit.
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  struct Case {
    std::int64_t value, n_rows;
    bool streamed;
  };
  for (const Case& c : {Case{limit - 1, 1, true}, {limit, 1, false}, {limit / 2 - 1, 2, true}, {limit / 2, 2, false},
                        {limit - 1, 2, false}, {limit / 8 - 1, 8, true}, {limit / 8, 8, false}, {most / 16, 8, false}}) {
    const std::string what = std::to_string(c.n_rows) + " times " + std::to_string(c.value) + ": ";
    Matrix<std::int32_t, std::int64_t> x = matrix_with(c.value, c.n_rows, 20);  // always the same column
    const Labels labels = labels_in_turn(c.n_rows, 1);
    every_way_agrees(x, labels, what, all_windows, c.streamed);
    for (const CountingPath path : counting_paths) {
      const CountingPath taken = path_taken<std::int64_t>(x, labels, {{}, default_window_bytes, path});
      CHECK_EQ(what + name(taken), what + name(c.streamed ? path : CountingPath::rows));
    }
  }
}

TEST(counters_that_need_more_than_four_bytes) {
  // A counter that is full moves to the large counters. It must move in time, only once, and without loss. Some
  // counters move in the last addition, and some have neighbours that do not move. No counter may keep its value for the
  // next class.
  const auto collection = [](std::int64_t n_rows, auto value_of) {
    Matrix<std::int32_t, std::int64_t> x;
    x.n_columns = 40;
    for (std::int64_t row = 0; row < n_rows; ++row) {
      Entries<std::int64_t> entries{{3, value_of(row)}};
      if (row % 3 == 0) entries.push_back({17, 1});
      entries.push_back({18, 2});
      for (std::int64_t column = 20; column < 27; ++column) entries.push_back({column, 1});  // escapes must be few
      if (row % 1000 == 0) entries.push_back({39, 5});
      x.add_row(entries);
    }
    return x;
  };
  const std::int64_t escape = PackedEntry(40).value(~std::uint32_t{0});
  for (const std::int64_t value : {std::int64_t{1} << 14, escape - 1, escape, escape + 1})  // occurrences
    for (const std::int64_t n_rows : {1, 2, 3, 4, 9})
      every_way_agrees(collection(n_rows, [&](std::int64_t row) { return row % 8 < 7 ? value : 1; }),
                       labels_in_turn(n_rows, 2), std::to_string(value) + ": ", {default_window_bytes});
  for (const std::int64_t n_rows : {(1 << 14) - 1, 1 << 14, (1 << 14) + 1, 1 << 15, 50000})  // documents
    for (const std::int64_t n_classes : {1, 3})
      every_way_agrees(collection(n_rows, [](std::int64_t) { return 1; }), labels_in_turn(n_rows, n_classes),
                       std::to_string(n_rows) + " documents: ", {default_window_bytes});
}

TEST(untidy_rows_are_counted_in_streams) {
  // A stored zero must not count as a document, and a repeated entry must count as one document. No row may be changed by
  // another window or by another row of the same thread.
  for (const std::int64_t row : {0, 7, 19, 20}) {  // 20 stands for every other row
    const auto altered = [&](const auto& alter) {
      auto x = matrix_with(2.0, 20, 30);
      for (std::int64_t r = 0; r < 20; ++r)
        if (r == row || (row == 20 && r % 2 == 0)) alter(x, at(10 * r + 4));
      every_way_agrees<double>(x, labels_in_turn(20, 3), std::to_string(row) + ": ", all_windows, false);
      for (const CountingPath path : {CountingPath::class_streams, CountingPath::term_blocks})
        CHECK(path_taken<double>(x, labels_in_turn(20, 3), {{}, 400, path}) == path);
    };
    altered([](auto& x, std::size_t e) { x.data[e] = 0; });
    altered([](auto& x, std::size_t e) { x.indices[e] = x.indices[e - 1]; });
    altered([](auto& x, std::size_t e) { x.indices[e] = x.indices[e - 4]; });
    altered([](auto& x, std::size_t e) { x.indices[e] = x.indices[e - 1], x.data[e] = 40000; });
    altered([](auto& x, std::size_t e) { std::swap(x.indices[e], x.indices[e - 1]); });
    altered([](auto& x, std::size_t e) { std::swap(x.indices[e], x.indices[e - 1]), x.data[e] = 40000; });
  }
}

TEST(what_streams_cannot_count_goes_by_rows) {
  // Catches a fraction that is truncated to an integer, and code that only checks the first window.
  for (const std::int64_t row : {0, 7, 19}) {
    const auto altered = [&](const auto& alter) {
      auto x = matrix_with(2.0, 20, 30);
      alter(x, at(10 * row + 4));
      every_way_agrees<double>(x, labels_in_turn(20, 3), std::to_string(row) + ": ", all_windows, false);
      for (const CountingPath path : counting_paths)
        CHECK(path_taken<double>(x, labels_in_turn(20, 3), {{}, 40, path}) == CountingPath::rows);
    };
    altered([](auto& x, std::size_t e) { x.data[e] = 0.5; });
    altered([](auto& x, std::size_t e) { x.data[e] = 65534.5; });
    altered([](auto& x, std::size_t e) { x.data[e] = 5e-324; });
  }
  auto x = matrix_with<std::int64_t>(70000, 20, 30);
  for (const std::size_t n : {25, 26}) {  // large values: an eighth of 200 entries, or one more
    for (std::size_t e = 0; e < x.data.size(); ++e) x.data[e] = e < n ? 70000 : 1;
    every_way_agrees(x, labels_in_turn(20, 3), "escapes: ", all_windows, false);
    for (const CountingPath path : counting_paths)
      CHECK(path_taken<std::int64_t>(x, labels_in_turn(20, 3), {{}, 400, path}) == (n == 25 ? path : CountingPath::rows));
  }
}

TEST(vocabularies_about_every_boundary) {
  // Seen terms are marked by bits in words, and words are marked by bits in groups. Catches mistakes in the last word, the
  // last group and the last block of terms, at the first and last term of a block, and a counter that keeps its value for
  // the next class. Blocks have 2^17 terms.
  for (const std::int64_t middle : {2, 64, 128, 4096, 8192, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 3 << 15, 1 << 18})
    for (const std::int64_t n_columns : {middle - 1, middle, middle + 1}) {
      std::vector<std::int64_t> columns;
      for (const std::int64_t edge : {std::int64_t{0}, std::int64_t{64}, std::int64_t{4096}, std::int64_t{1} << 14, middle})
        for (std::int64_t column = edge - 2; column <= edge + 2; ++column)
          if (column >= 0 && column < n_columns) columns.push_back(column);
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      Matrix<std::int32_t, std::int32_t> x;
      x.n_columns = n_columns;
      for (std::int64_t row = 0; row < 7; ++row) {
        Entries<std::int32_t> entries;
        for (std::size_t i = at(row % 4); i < columns.size(); i += at(row % 3 + 1))
          entries.push_back({columns[i], static_cast<std::int32_t>(row + 1)});
        x.add_row(entries);
      }
      for (const std::int64_t n_classes : {1, 5})
        every_way_agrees(x, labels_in_turn(7, n_classes), std::to_string(n_columns) + " terms: ", {1, default_window_bytes});
    }
}

TEST(streams_of_several_chunks_and_blocks) {
  // A stream is sorted into blocks of 2^17 terms within chunks of 2^16 entries. Catches an entry that is lost or counted
  // twice at the end of a chunk or of a range of documents, and a large value that is added in another block.
  Random random(20);
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 700000;
  for (int d = 0; d < 3600; ++d) {
    std::vector<std::int64_t> columns;
    for (int i = 0; i < 60; ++i) columns.push_back(below(random, x.n_columns));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (d % 7 == 0) std::swap(columns.front(), columns.back());
    Entries<std::int32_t> entries;
    for (const std::int64_t column : columns)
      entries.push_back({column, below(random, 20) == 0 ? 100000 : static_cast<std::int32_t>(1 + below(random, 5))});
    x.add_row(entries);
  }
  for (const std::int64_t n_classes : {1, 2}) {
    const Labels labels = random_labels(random, 3600, n_classes, false);
    const auto expected = describe(count_plainly<std::int64_t>(x, labels, {}));
    for (const int n_threads : {1, 3})
      for (const std::int64_t window_bytes : {std::int64_t{1} << 19, default_window_bytes}) {
        const CountingOptions options{{n_threads, {}}, window_bytes, CountingPath::term_blocks};
        const std::int64_t* const no_weights = nullptr;
        const auto before = no_counts<std::int64_t>(n_classes);
        const auto counted = count_documents(before, x.view(), labels.view(), no_weights, options);
        CHECK(counted.path == CountingPath::term_blocks);
        CHECK(describe(counted.counts) == expected);
      }
  }
}

TEST(the_path_of_a_shape) {
  // Catches blocks for a vocabulary whose counters fit into the cache, and parts of rows that take more memory than entries.
  CHECK(choose_counting_path(2, std::int64_t{1} << 24, 15'000'000, 64) == CountingPath::term_blocks);
  CHECK(choose_counting_path(2, (std::int64_t{1} << 22) - 1, 15'000'000, 1) == CountingPath::class_streams);
  CHECK(choose_counting_path(1800, std::int64_t{1} << 24, 15'000'000, 8) == CountingPath::term_blocks);
  CHECK(choose_counting_path(1800, std::int64_t{1} << 24, 15'000'000, 16) == CountingPath::class_streams);
  CHECK(choose_counting_path(1900, std::int64_t{1} << 24, 15'000'000, 1) == CountingPath::class_streams);
  CHECK(choose_counting_path(0, 0, 0, 1) == CountingPath::class_streams);
}

TEST(dense_rows_of_terms) {
  // Catches writes of four or 64 terms at a time past the end of the row.
  for (const std::int64_t n_columns : {1, 3, 4, 5, 63, 64, 65, 127, 130, 4097, 9000})
    for (const int gap : {1, 2, 7, 63, 64, 65}) {
      Matrix<std::int32_t, std::uint8_t> x;
      x.n_columns = n_columns;
      for (int row = 0; row < 6; ++row) {
        Entries<std::uint8_t> entries;
        for (std::int64_t column = row; column < n_columns; column += gap)
          entries.push_back({column, static_cast<std::uint8_t>(row + 1)});
        x.add_row(entries);
      }
      every_way_agrees(x, labels_in_turn(6, 4), std::to_string(n_columns) + " terms: ",
                       {1, 4 * n_columns, default_window_bytes});
    }
}

TEST(collections_of_every_shape) {
  // Catches mistakes with empty rows at either end or in the middle, and with classes that have no documents or no entries.
  // Catches mistakes with a document larger than the window, with a class or a collection of several windows, and with a
  // window of some classes and the collection.
  struct Shape {
    const char* what;
    std::vector<std::int64_t> lengths;  // of the rows
    std::int64_t n_classes;
    bool several;
    std::vector<std::vector<ClassId>> classes;
  };
  using Classes = std::vector<ClassId>;
  const std::vector<Classes> in_turn{{0}, {1}, {2}, {0}, {1}, {2}, {0}}, mixed{{2}, {}, {0, 1}, {1}, {}, {0, 2}, {0}};
  const std::vector<Classes> first(7, Classes{0}), last(7, Classes{4}), nowhere(7, Classes{}), all(7, Classes{0, 1, 2});
  const std::vector<std::int64_t> even{3, 4, 3, 4, 3, 4, 3}, holes{0, 0, 5, 0, 9, 0, 0}, one{0, 0, 0, 20, 0, 0, 0},
      ends{7, 0, 0, 0, 0, 0, 7}, none(7, 0), growing{0, 1, 2, 4, 8, 16, 20};
  std::vector<Shape> shapes{{"no documents", {}, 3, false, {}}, {"no lists", {}, 3, true, {}},
                            {"no classes", {}, 0, false, {}}};
  for (const auto* lengths : {&even, &holes, &one, &ends, &none, &growing}) {
    shapes.push_back({"in turn", *lengths, 3, false, in_turn});
    shapes.push_back({"the last class of five", *lengths, 5, false, last});
    shapes.push_back({"the first class of two", *lengths, 2, false, first});
    shapes.push_back({"no class", *lengths, 2, true, nowhere});
    shapes.push_back({"all classes", *lengths, 3, true, all});
    shapes.push_back({"some classes", *lengths, 3, true, mixed});
  }
  for (const Shape& shape : shapes) {
    Matrix<std::int32_t, std::int32_t> x;
    x.n_columns = 20;
    std::int32_t next = 0;
    for (const std::int64_t length : shape.lengths) {
      Entries<std::int32_t> entries;
      for (std::int64_t i = 0; i < length; ++i) entries.push_back({20 - length + i, ++next});
      x.add_row(entries);
    }
    const Labels labels = labels_of(shape.n_classes, shape.several, shape.classes);
    std::vector<std::int64_t> windows{default_window_bytes};
    for (std::int64_t entries = 1; entries < 64; ++entries) windows.push_back(4 * entries);
    every_way_agrees(x, labels, std::string(shape.what) + ": ", windows);
    // Float counts store the row of the collection if labels are lists, so only the rows of the classes are compared.
    const std::string expected = describe_rows(count_plainly<double>(x, labels, {}));
    for (const Way& way : ways({1, 40, 100})) {
      const auto counts = count(no_counts<double>(shape.n_classes), x, labels, {}, way.options);
      CHECK_EQ(way.text + shape.what + describe_rows(counts), way.text + shape.what + expected);
    }
  }
  const auto no_terms = matrix<std::int32_t>(0, {{}, {}});
  for (const Way& way : ways({1, 100}))
    CHECK_EQ(way.text + describe_rows(count(no_counts<std::int64_t>(2), no_terms, labels_in_turn(2, 2), {}, way.options)),
             way.text + "0 terms, 2 docs\n1 docs, 0 tokens:\n1 docs, 0 tokens:\n");
}

TEST(updates_by_every_path_equal_one_call) {
  // Catches new counts that replace earlier counts, sums that are too large for 4 bytes, and mistakes with a class whose
  // documents are all empty.
  Random random(19);
  auto x = streamable_matrix<std::int64_t>(random, 60, 500);
  for (std::size_t e = 0; e < x.data.size(); e += 40) x.data[e] = std::int64_t{1} << 31;  // the sum of two exceeds 4 bytes
  x.add_row({});
  for (const bool several : {false, true}) {
    const Labels labels = random_labels(random, 61, 4, several);
    const auto expected = describe(count_plainly<std::int64_t>(x, labels, {}));
    for (const Way& first : ways({400}))
      for (const Way& second : ways({1, default_window_bytes})) {
        auto counts = count(no_counts<std::int64_t>(4), x.rows(0, 25), labels.documents(0, 25), {}, first.options);
        const std::string before = describe(counts);
        const auto more = count(counts, x.rows(25, 61), labels.documents(25, 61), {}, second.options);
        CHECK_EQ(describe(more), expected);
        CHECK_EQ(describe(counts), before);
      }
  }
}

TEST(sums_that_outgrow_four_bytes) {
  // A sum of 2^32 or more must not be stored in 4 bytes, whether it comes from one window, two windows or two calls.
  constexpr std::int64_t half = std::int64_t{1} << 31;
  for (const std::int64_t value : {half - 1, half, 2 * half - 1, 2 * half, 2 * half + 1})
    for (const std::int64_t n_rows : {1, 2, 3, 30})
      for (const std::int64_t n_classes : {1, 2}) {
        const std::string what = std::to_string(n_rows) + " times " + std::to_string(value) + ": ";
        every_way_agrees(matrix_with(value, n_rows, 20), labels_in_turn(n_rows, n_classes), what);
        const auto floats = matrix_with(static_cast<double>(value), n_rows, 20);
        every_way_agrees<double>(floats, labels_in_turn(n_rows, n_classes), what);
      }
}

TEST(sums_at_the_bound_of_untested_additions) {
  // In a counter of 4 bytes, occurrences must not overflow into the bits for documents, and documents must not overflow into
  // the flag. Without a test, entries may be added only below a bound. The counts lie at this bound, and far above it.
  for (const std::int64_t value : {4, 5, 100, 128, 8192, 8193, 20000, 40000})
    for (const std::int64_t sum : {std::int64_t{1} << 15, std::int64_t{1} << 16, std::int64_t{1} << 18})
      for (const std::int64_t more : {-1, 0, 1}) {
        const std::int64_t n_rows = sum / value + more;
        if (n_rows < 1) continue;
        const std::string what = std::to_string(n_rows) + " times " + std::to_string(value) + ": ";
        every_way_agrees(matrix_with(value, n_rows, 20), labels_in_turn(n_rows, 1), what, {default_window_bytes});
      }
  for (const std::int64_t n_rows : {32767, 32768, 32769, 65537}) {
    Matrix<std::int32_t, std::int32_t> x;
    x.n_columns = 20;
    for (std::int64_t d = 0; d < n_rows; ++d) x.add_row({{7, 1}});
    every_way_agrees(x, labels_in_turn(n_rows, 1), std::to_string(n_rows) + " rows: ", {default_window_bytes});
  }
}

TEST(more_documents_than_a_counter_holds) {
  // A term occurs in more than 2^24 documents of one window, for which a small counter would wrap around. As many empty
  // documents, or documents of other classes, come first.
  constexpr std::int64_t n = (std::int64_t{1} << 24) + 5;
  std::vector<std::int32_t> indptr(at(2 * n + 1), 0), zeros(at(2 * n), 0);
  for (std::int64_t i = 0; i <= n; ++i) indptr[at(n + i)] = static_cast<std::int32_t>(i);
  const std::vector<std::uint8_t> ones(at(n), 1);
  const CsrView<std::int32_t, std::uint8_t> x{2 * n, 1, n, indptr.data(), zeros.data(), ones.data()};
  const LabelView labels{1, 2 * n, nullptr, zeros.data()};
  const std::int64_t* const no_weights = nullptr;
  for (const CountingPath path : counting_paths) {
    const CountingOptions options{{}, default_window_bytes, path};
    const auto counts = count_documents(no_counts<std::int64_t>(1), x, labels, no_weights, options).counts;
    CHECK_EQ(name(path) + (": " + describe(*counts.rows[0])),
             name(path) + std::string(": 33554442 docs, 16777221 tokens: 0:16777221/16777221\n"));
  }
}
