// Allocations that fail in counting, scoring, choosing and reading. test_allocation_faults.cpp tests all other calls.
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "failing_allocations.hpp"
#include "read_tables.hpp"
#include "termsift/conditional_gain.hpp"
#include "termsift/greedy.hpp"
#include "termsift/scores.hpp"

using namespace termsift;
using namespace collections;
using namespace failing_allocations;

// These calls are short, so every allocation fails.
[[maybe_unused]] const bool all_fail = every = true;

// In a stream with ever new classes, a block must not take time for the classes of earlier blocks. Memory tells the work.
TEST(counting_few_of_many_classes) {
  Random random(2);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, 30, 40, 6);
  for (const bool several : {false, true}) {
    const Labels labels = random_labels(random, 30, 5, several);
    const auto bytes_beside = [&](std::int64_t n_classes) {
      Labels last = labels;  // the last five of all classes
      for (ClassId& code : last.codes) code += static_cast<ClassId>(n_classes - 5);
      last.n_classes = n_classes;
      auto counts = no_counts<std::int64_t>(n_classes);
      add_documents<std::int64_t>(counts, x.view(), last.view(), nullptr, {});
      const long before = n_bytes;
      add_documents<std::int64_t>(counts, x.view(), last.view(), nullptr, {});
      return n_bytes - before;
    };
    CHECK_EQ(bytes_beside(100), bytes_beside(100'000));
  }
}

TEST(counting) {
  Random random(1);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, 30, 40, 6);
  const auto sorted = random_matrix<std::int32_t, std::int32_t>(random, 30, 40, 6, true);
  for (const bool several : {false, true}) {
    const Labels labels = random_labels(random, 30, 5, several);
    const auto before = count(no_counts<std::int64_t>(5), x, labels, std::vector<std::int64_t>{});
    const std::string held = describe(before);
    for (const Way& way : ways({256, default_window_bytes}))
      for (const auto* matrix : {&x, &sorted}) {
        const long n = fail_everywhere([&] { return describe(count(before, *matrix, labels, {}, way.options)); });
        CHECK(n > 5);
        CHECK_EQ(describe(before), held);
      }
  }
}

TEST(sums_and_differences) {
  Random random(2);
  const auto x = random_matrix<std::int32_t, double>(random, 30, 40, 6);
  const Labels labels = random_labels(random, 30, 5, false);
  const auto a = count(no_counts<double>(5), x, labels, std::vector<double>{});
  const auto b = merge(a, a, {});
  CHECK(fail_everywhere([&] { return describe(merge(a, b, {})); }) > 5);
  CHECK(fail_everywhere([&] { return describe(subtract(b, a, {})); }) > 5);
  CHECK(fail_everywhere([&] { return describe(*collection_row(a)); }) > 1);
}

TEST(scores_and_choices) {
  Random random(3);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, 40, 30, 6);
  const Labels labels = random_labels(random, 40, 4, false);
  const auto counts = count(no_counts<std::int64_t>(4), x, labels, std::vector<std::int64_t>{});
  const Estimation estimation{1, 30, {}};
  CHECK(fail_everywhere([&] {
          std::vector<double> scores(30);
          score(counts, estimation, Measure::kl, Aggregate::sum, {}, scores.data());
          return listed(scores.data(), 30);
        }) > 3);
  for (const bool exhaustive : {false, true})
    CHECK(fail_everywhere([&] {
            const GreedyRanking ranking = greedy(counts, estimation, 30, exhaustive, {});
            return listed(ranking.indices.get(), 30) + listed(ranking.divergences.get(), 30);
          }) > 5);
  ConditionalGain options;
  options.k = 30;
  for (const std::int32_t in_play : {64, 2}) {
    options.classes_in_play = in_play;
    CHECK(fail_everywhere([&] {
            const GainRanking ranking = conditional_gain(x.view(), labels.codes, {}, options, {});
            return listed(ranking.indices.get(), 30) + listed(ranking.gains.get(), 30);
          }) > 10);
  }
}

TEST(tables) {
  using namespace read_tables;
  const auto rows_of = [](TableReader& reader) {
    std::string all;
    for (const std::string& row : read_all(reader).rows) all += row + " ";
    return all + std::to_string(reader.n_skipped());
  };
  CHECK(fail_everywhere([&] {
          DelimitedReader reader(reads("a,\"b \"\"c\"\"\"\nx\n5\" d,e\n"), options(true, 8), {});
          reader.choose(',', {0, 1}, 1, 2, false);
          return rows_of(reader);
        }) > 5);
  CHECK(fail_everywhere([&] {
          const std::string content = "[{\"text\":\"a\\ud800\",\"label\":1},{},\n{\"text\":\"\\n\",\"label\":\"b\"}]";
          JsonReader reader(reads(content), options(true, 8), {"text"}, "label", true);
          return rows_of(reader);
        }) > 5);
}

TEST(several_threads) {
  // There is enough work for several threads. The order of the threads' allocations varies, so the failure can happen in any
  // thread.
  Random random(4);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, 30000, 200, 12, true);
  const Labels labels = random_labels(random, 30000, 5, false);
  const auto empty = no_counts<std::int64_t>(5);
  const auto run = [&] { return describe(count(empty, x, labels, {}, CountingOptions{{3, {}}})); };
  const std::string want = run();
  int failures = 0;
  for (long i = 0; i < 150; ++i) {
    until_failure = i;
    try {
      CHECK_EQ(run(), want);
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    until_failure = -1;
    CHECK_EQ(run(), want);
  }
  CHECK(failures > 10);
}
