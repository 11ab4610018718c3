// Tests counters of texts after errors, on several threads, and with the largest counts that their fields can hold.
#include "termsift/text_counter.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "plain_cutter.hpp"
#include "termsift/types.hpp"
#include "text/row_sorter.hpp"
#include "text/tuning.hpp"

using namespace termsift;

namespace {

const bool characters_are_known = (plain_cutter::use_plain_characters(), true);

struct Collection {
  std::vector<std::string> texts;
  std::vector<ClassId> classes;

  std::vector<Text> views() const {
    std::vector<Text> all;
    for (const std::string& text : texts)
      all.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
    return all;
  }
};

TEST(many_large_counts_take_little_memory) {
  RowSorter sorter;
  constexpr std::int32_t n = 60;  // a bug once doubled the memory with every large count
  constexpr std::uint32_t count = 3'000'000;
  sorter.start(n);
  sorter.reserve(n);
  for (std::int32_t column = n; column > 0; --column) sorter.add(0, column - 1, false, count);
  std::int64_t sizes[1] = {0};
  const std::int64_t begins[1] = {0};
  std::int64_t ends[1];
  sorter.add_sizes(sizes);
  CHECK_EQ(sizes[0], std::int64_t{3 * n});
  std::vector<std::int32_t> indices(3 * n);
  std::vector<std::int64_t> data(3 * n);
  sorter.write(begins, ends, indices.data(), data.data());
  CHECK_EQ(ends[0], std::int64_t{n});
  for (std::int32_t column = 0; column < n; ++column) {
    CHECK_EQ(indices[static_cast<std::size_t>(column)], column);
    CHECK_EQ(data[static_cast<std::size_t>(column)], std::int64_t{count});
  }
}

// Short rows are sorted while they are written if column numbers have too many bits for one sorting pass.
TEST(rows_of_any_length_are_sorted) {
  std::mt19937 random(1);
  for (const std::int32_t n_columns : {1, 2, 3000, 1 << 20, std::numeric_limits<std::int32_t>::max()})
    for (const int size : {0, 1, 30, 1000}) {
      constexpr int n_documents = 3;
      std::map<std::int32_t, std::int64_t> rows[n_documents];
      RowSorter sorter;
      sorter.start(n_columns);
      sorter.reserve(n_documents * size);
      for (int i = 0; i < n_documents * size; ++i) {
        // Half of the column numbers are below 200.
        const std::int32_t below = i % 2 == 0 ? n_columns : std::min(n_columns, 200);
        const auto column = static_cast<std::int32_t>(random() % static_cast<unsigned>(below));
        sorter.add(i % n_documents, column, i % 5 == 0, 2);
        rows[i % n_documents][column] += i % 5 == 0 ? -2 : 2;
      }
      const std::int64_t begins[n_documents] = {0, size, 2 * size};
      std::int64_t ends[n_documents];
      std::vector<std::int32_t> indices(static_cast<std::size_t>(n_documents * size) + 1);
      std::vector<std::int64_t> data(indices.size());
      sorter.write(begins, ends, indices.data(), data.data());
      for (int d = 0; d < n_documents; ++d) {
        CHECK_EQ(ends[d] - begins[d], static_cast<std::int64_t>(rows[d].size()));
        auto at = static_cast<std::size_t>(begins[d]);
        for (const auto& [column, value] : rows[d]) {
          CHECK_EQ(indices[at], column);
          CHECK_EQ(data[at++], value);
        }
      }
    }
}

// Returns texts that are mostly invalid, so that each thread finds another invalid text. The first invalid text is long,
// with the fault at its end.
Collection broken_collection() {
  Collection collection{{}, {}};
  for (int i = 0; i < 200; ++i) {
    std::string text = i < 17 ? "aa" : "bb \xFF";
    if (i == 17) text.insert(0, std::string(200'000, ' '));
    collection.texts.push_back(text);
    collection.classes.push_back(static_cast<ClassId>((200 - i) % 3));
  }
  return collection;
}

template <class F>
void check_names_first(const F& count) {
  try {
    count();
  } catch (const BadText& bad) {
    CHECK_EQ(bad.document, 17);
    CHECK_EQ(bad.byte, 200'003);
    CHECK(std::string(bad.what()).find("document 17, byte 200003") != std::string::npos);
    return;
  }
  CHECK(false);
}

TEST(the_first_invalid_text_is_named) {
  const TextTuning before = text_tuning();
  text_tuning().chunk_bytes = 100;
  const Collection collection = broken_collection();
  const std::vector<Text> texts = collection.views();
  for (int round = 0; round < 20; ++round)
    for (const int count : {1, 2, 4}) {
      const Threads threads{count};
      check_names_first([&] { TextCounter({}, false).add(texts, {}, threads); });
      check_names_first([&] { TextCounter({}, true).add(texts, collection.classes, threads); });
      check_names_first([&] { TextIndex({}, {}).matrix(texts, threads); });
      check_names_first([&] { hashed_matrix({}, texts, 10, false, threads); });
    }
  text_tuning() = before;
}

TEST(a_counter_that_failed_refuses_further_calls) {
  const Collection good{{"aa bb", "aa"}, {0, 1}}, bad = broken_collection();
  for (const bool by_class : {false, true}) {
    TextCounter counter({}, by_class);
    const auto of = [&](const Collection& collection) {
      return by_class ? std::span<const ClassId>(collection.classes) : std::span<const ClassId>();
    };
    // Wrong arguments change nothing.
    const std::vector<ClassId> wrong = {0, -1};
    CHECK_THROWS(counter.add(good.views(), wrong, {1}), std::invalid_argument,
                 by_class ? "negative" : "cannot have classes");
    counter.add(good.views(), of(good), {1});
    CHECK_THROWS(counter.add(bad.views(), of(bad), {2}), BadText, "document 17");
    CHECK_THROWS(counter.add(good.views(), of(good), {1}), std::logic_error, "an earlier call of this counter failed");
    CHECK_THROWS(counter.sort({1}), std::logic_error, "failed");
    CHECK_THROWS(counter.n_terms(), std::logic_error, "failed");
    CHECK_THROWS(counter.document_frequency({1}), std::logic_error, "failed");
  }
}

TEST(an_interrupted_counter_refuses_further_calls) {
  const Collection collection{std::vector<std::string>(1000, "aa bb cc"), {}};
  TextCounter counter({}, false);
  counter.add(collection.views(), {}, {1});
  // The first poll stops the call, unless the call ends before it.
  try {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
      counter.add(collection.views(), {}, {1, [] { return true; }});
    CHECK(false);
  } catch (const Interrupted&) {
  }
  CHECK_THROWS(counter.sort({1}), std::logic_error, "failed");
}

}  // namespace
