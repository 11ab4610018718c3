// Allocations that fail in each public call of the core that test_allocations.cpp does not test, on one thread and on two.
// A call must throw std::bad_alloc or succeed without the memory, leak nothing, and leave its arguments as they were. What
// holds state must be as its header says. The next call must give the same bits.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "failing_allocations.hpp"
#include "plain_arrow.hpp"
#include "plain_cutter.hpp"
#include "read_tables.hpp"
#include "score_cases.hpp"
#include "termsift/columns_and_classes.hpp"
#include "termsift/conditional_gain.hpp"
#include "termsift/contingency.hpp"
#include "termsift/greedy.hpp"
#include "termsift/linear_machines.hpp"
#include "termsift/matrix_reader.hpp"
#include "termsift/naive_bayes.hpp"
#include "termsift/name_union.hpp"
#include "termsift/posteriors.hpp"
#include "termsift/rank_sums.hpp"
#include "termsift/ranking.hpp"
#include "termsift/runtime.hpp"
#include "termsift/text_counter.hpp"
#include "termsift/token_pattern.hpp"
#include "termsift/whole_files.hpp"
#include "text/tuning.hpp"

using namespace termsift;
using namespace collections;
using namespace failing_allocations;

namespace {

const bool characters_are_known = (plain_cutter::use_plain_characters(), true);

constexpr EventModel models[] = {EventModel::multinomial, EventModel::binary, EventModel::bernoulli, EventModel::poisson};
constexpr int few_threads[] = {1, 2};

template <CountType Count>
std::string told(const ClassRow<Count>& row) {
  const Sure sure;
  std::vector<Count> all{row.n_docs, row.n_tokens, row.n_unlisted, row.n_tokens_rest};
  for (std::int64_t i = 0; i < row.size; ++i)
    all.insert(all.end(), {row.term_frequency[i], row.document_frequency[i]});
  return listed(row.terms, row.size) + listed(all.data(), std::ssize(all)) + "\n";
}

template <CountType Count>
std::string told(const ClassCounts<Count>& counts) {
  const Sure sure;
  std::string all = describe(counts.n_docs) + " of " + std::to_string(counts.n_terms) + "\n";
  for (const auto& row : counts.rows) all += told(*row);
  return all + (counts.collection ? told(*counts.collection) : "");
}

// Counts of documents with one class each or, if `several`, with any number of classes.
template <CountType Count>
ClassCounts<Count> counted(std::uint64_t seed, std::int64_t n_classes, std::int64_t n_terms, bool several,
                           std::int64_t n_docs = 60) {
  Random random(seed);
  const auto x = random_matrix<std::int32_t, std::int32_t>(random, n_docs, n_terms, 8);
  return count(no_counts<Count>(n_classes), x, random_labels(random, n_docs, n_classes, several), std::vector<Count>{});
}

// ---- counts ------------------------------------------------------------------------------------------------------------

template <CountType Count>
void check_algebra(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads, bool small) {
  const auto n_classes = std::ssize(a.rows);
  const std::string before = told(a) + told(b);
  std::vector<std::int64_t> map(at(n_classes), -1), same(at(a.n_terms)), reversed(at(a.n_terms)), some;
  std::iota(map.begin() + 1, map.end(), 0);
  std::iota(same.begin(), same.end(), 0);
  std::copy(same.rbegin(), same.rend(), reversed.begin());
  for (std::int64_t term = 0; term < a.n_terms; term += 2) some.push_back(term);
  const std::vector<std::vector<std::int64_t>> groups{{0, 2}, {1}, {}};
  const ClassCounts<Count> sum = merge(a, b, threads);

  fail_everywhere([&] { return told(merge(a, b, threads)); });
  fail_everywhere([&] { return told(subtract(sum, b, threads)); });
  fail_everywhere([&] { return told(*collection_row(a, threads)); });
  fail_everywhere([&] { return told(with_classes(a, map)); });
  fail_everywhere([&] { return told(of_terms(a, some, threads)); });
  fail_everywhere([&] { return told(in_columns(a, same, a.n_terms, threads)); });
  fail_everywhere([&] { return told(in_columns(a, reversed, a.n_terms + 5, threads)); });
  if (!a.collection) fail_everywhere([&] { return told(of_classes(a, groups, threads)); });
  for (const EventModel model : models) fail_everywhere([&] { return told(as_counted_by(model, a, threads)); });
  for (const auto frequency : {&ClassRow<Count>::term_frequency, &ClassRow<Count>::document_frequency})
    fail_everywhere([&] {
      std::vector<Count> totals(at(a.n_terms));
      collection_totals(a, frequency, totals.data(), threads);
      return listed(totals.data(), a.n_terms);
    });
  fail_everywhere([&] { return std::string(equal(a, b, threads) ? "equal" : "not"); });
  fail_everywhere([&] { return std::string(equal(a, a, threads) ? "equal" : "not"); });
  if constexpr (std::is_same_v<Count, std::int64_t>) fail_everywhere([&] { return told(to_float(a, threads)); });
  if (small) {
    fail_everywhere([&] { return told(merge_rows(*a.rows[0], *b.rows[0])); });
    fail_everywhere([&] { return told(concatenate(a.rows[0].get(), a.rows[0].get() + 1)); });
    fail_everywhere([&] {
      check_row(*a.rows[0], a.n_terms);
      check_finite(*a.rows[0]);
      check_collection(a);
      ClassRow<Count> row = *a.rows[0];
      row.sum_tokens();
      return told(row);
    });
  }
  CHECK_EQ(told(a) + told(b), before);
}

}  // namespace

TEST(algebra_of_counts) {
  for (const bool several : {false, true}) {
    check_algebra(counted<std::int64_t>(1, 4, 40, several), counted<std::int64_t>(2, 4, 40, several), {}, true);
    check_algebra(counted<double>(1, 4, 40, several), counted<double>(2, 4, 40, several), {}, true);
  }
}

TEST(algebra_of_counts_on_two_threads) {
  Random random(3);
  const auto a = score_cases::random_counts<std::int64_t>(random, 4, 38'000, 9, 0.1);
  const auto b = score_cases::random_counts<std::int64_t>(random, 4, 38'000, 9, 0.1);
  check_algebra(a, b, {2, {}}, false);
  check_algebra(to_float(a, {}), to_float(b, {}), {2, {}}, false);
}

TEST(counting_fractions_and_columns) {
  Random random(4);
  const auto x = random_matrix<std::int64_t, double>(random, 30, 40, 6);
  const auto whole = random_matrix<std::int32_t, std::uint16_t>(random, 30, 40, 6, true);
  for (const bool several : {false, true}) {
    const Labels labels = random_labels(random, 30, 5, several);
    const std::vector<double> weights(30, 0.3);
    for (const TermWeight weight : {TermWeight::raw, TermWeight::log, TermWeight::binary}) {
      CountingOptions options;
      options.term_weight = weight;
      fail_everywhere([&] { return told(count(no_counts<double>(5), x, labels, weights, options)); });
    }
    // After an exception, the counts are as before.
    fail_everywhere([&] {
      std::optional<Sure> sure(std::in_place);
      auto counts = count(no_counts<std::int64_t>(5), whole, labels, {});
      const std::string before = describe(counts);
      sure.reset();
      try {
        add_documents<std::int64_t>(counts, whole.view(), labels.view(), nullptr, {});
      } catch (const std::bad_alloc&) {
        CHECK_EQ(describe(counts), before);
        throw;
      }
      return told(counts);
    });
    Matrix<std::int32_t, std::uint16_t> columns;  // a column of few documents is a row of this matrix
    columns.n_columns = 30;
    for (std::int64_t column = 0; column < 40; ++column) columns.add_row({{column % 7, 1}, {10 + column % 20, 2}});
    fail_everywhere([&] {
      const auto counts = count_columns<std::int64_t>(no_counts<std::int64_t>(5), columns.view(), labels.view(), {});
      return counts ? told(*counts) : std::string();
    });
  }
  fail_everywhere([&] {
    const CsrFacts facts = check_csr(x.view(), {}, {});
    return std::string(facts.distinct ? "distinct" : "repeated");
  });
}

TEST(counting_columns_on_two_threads) {
  Random random(5);
  const auto x = random_matrix<std::int32_t, std::int8_t>(random, 500, 2000, 600, true);
  Labels labels = random_labels(random, 2000, 5, false);
  fail_everywhere([&] {
    CountingOptions options;
    options.threads.count = 2;
    const auto counts = count_columns<std::int64_t>(no_counts<std::int64_t>(5), x.view(), labels.view(), options);
    return counts ? told(*counts) : std::string();
  });
  const Labels of_rows = random_labels(random, 500, 5, true);
  for (const Way& way : ways({default_window_bytes}, {2}))
    fail_everywhere([&] { return told(count(no_counts<std::int64_t>(5), x, of_rows, {}, way.options)); });
}

// ---- scores and rankings -----------------------------------------------------------------------------------------------

namespace {

// Fails allocations in each score, class score and direction of a measure, and in the ranking by turns.
template <CountType Count, class AnyMeasure>
void check_measure(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure,
                   const Threads& threads) {
  const auto n_terms = at(counts.n_terms), n_cells = counts.rows.size() * n_terms;
  std::vector<std::int64_t> starts{0};
  std::vector<TermId> terms;
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    for (TermId term = 0; term < counts.n_terms; term += 3) terms.push_back(term);
    starts.push_back(std::ssize(terms));
  }
  std::vector<double> scores(n_cells);
  std::vector<std::int8_t> signs(n_cells);
  std::vector<std::int64_t> indices(n_terms), classes(n_terms);
  for (const Aggregate aggregate : score_cases::aggregates)
    fail_everywhere([&] {
      score(counts, estimation, measure, aggregate, threads, scores.data());
      return listed(scores.data(), counts.n_terms);
    });
  fail_everywhere([&] {
    class_results(counts, estimation, measure, threads, scores.data());
    class_results(counts, estimation, measure, threads, signs.data());
    return listed(scores.data(), std::ssize(scores)) + listed(signs.data(), std::ssize(signs));
  });
  fail_everywhere([&] {
    score_pairs(counts, estimation, measure, threads, {starts.data(), terms.data()}, scores.data(), signs.data());
    return listed(scores.data(), std::ssize(terms)) + listed(signs.data(), std::ssize(terms));
  });
  for (const std::int64_t k : {std::int64_t{3}, counts.n_terms})
    fail_everywhere([&] {
      round_robin(counts, estimation, measure, k, threads, indices.data(), scores.data(), classes.data());
      return listed(indices.data(), k) + listed(scores.data(), k) + listed(classes.data(), k);
    });
}

}  // namespace

TEST(scores_of_probabilities) {
  for (const bool several : {false, true}) {
    const auto counts = counted<std::int64_t>(6, 4, 30, several);
    for (const auto& [measure, model] : score_cases::measures)
      check_measure(as_counted_by(model, counts, {}), {1, 30, {}}, measure, {});
  }
  // Many classes that have few of the terms are scored by their pairs.
  const auto sparse = counted<double>(7, 80, 300, false, 100);
  for (const Measure measure : {Measure::kl, Measure::nu_j, Measure::nu_pearson}) {
    check_measure(sparse, {0.5, 150, {}}, measure, {});
    check_measure(sparse, {0, 0, {}}, measure, {});  // without smoothing
  }
}

TEST(scores_of_tables) {
  const auto counts = counted<std::int64_t>(8, 4, 30, false);
  const auto fractions = counted<double>(9, 4, 30, true);
  for (int i = 0; i < n_contingency_methods; ++i) {
    const auto measure = static_cast<ContingencyMeasure>(i);
    check_measure(counts, {0.5, 15, {}}, measure, {});
    check_measure(fractions, {0.5, 15, {}}, measure, {});
  }
  std::vector<double> scores(30);
  std::vector<std::int64_t> classes(30);
  std::vector<std::int8_t> signs(30);
  for (const auto measure : {ContingencyMeasure::chi2, ContingencyMeasure::g2_counts})
    fail_everywhere([&] {
      strongest_class(counts, measure, {}, scores.data(), classes.data(), signs.data());
      return listed(scores.data(), 30) + listed(classes.data(), 30) + listed(signs.data(), 30);
    });
  for (const auto measure : {ContingencyMeasure::df, ContingencyMeasure::tfidf})
    fail_everywhere([&] {
      collection_scores(counts, measure, {}, scores.data());
      return listed(scores.data(), 30);
    });
}

TEST(scores_on_two_threads) {
  Random random(10);
  const auto counts = score_cases::random_counts<std::int64_t>(random, 30, 6'000, 3, 0.7);
  check_measure(counts, {1, 6'000, {}}, Measure::kl, {2, {}});
  check_measure(counts, {1, 6'000, {}}, ContingencyMeasure::ig, {2, {}});
  check_measure(counts, {1, 6'000, {}}, ContingencyMeasure::c_tfidf, {2, {}});
}

TEST(rankings_of_scores) {
  Random random(11);
  for (const int n_threads : few_threads) {
    const std::int64_t n = n_threads == 1 ? 1'000 : 400'000;
    std::vector<double> scores;
    for (std::int64_t i = 0; i < n; ++i) scores.push_back(static_cast<double>(below(random, 5'000)));
    std::vector<std::int64_t> indices(at(n));
    std::vector<double> sums(at(n));
    for (const std::int64_t k : {std::int64_t{10}, n})
      fail_everywhere([&] {
        top_k(scores.data(), n, k, {n_threads, {}}, indices.data());
        return listed(indices.data(), k);
      });
    fail_everywhere([&] {
      running_sums(scores.data(), n, sums.data());
      return listed(sums.data(), n);
    });
  }
}

TEST(greedy_on_two_threads) {
  Random random(12);
  const auto counts = score_cases::random_counts<std::int64_t>(random, 3, 40'000, 40, 0.2);
  fail_everywhere([&] {
    const GreedyRanking ranking = greedy(counts, {1, 40'000, {}}, 5, false, {2, {}});
    return listed(ranking.indices.get(), 5) + listed(ranking.divergences.get(), 5);
  });
}

TEST(gains_guided_by_machines) {
  Random random(13);
  for (const int n_threads : few_threads) {
    const std::int64_t n = n_threads == 1 ? 40 : 1'000;
    const auto x = random_matrix<std::int32_t, std::int32_t>(random, n, 60, 40);
    const Labels labels = random_labels(random, n, 20, false);  // machines come in blocks of 16 classes
    const std::vector<double> weights(at(n), 1.5);
    ConditionalGain options;
    options.k = 10;
    options.balance = 0.5;
    options.machines.cost = 0.1;
    fail_everywhere([&] {
      const GainRanking ranking = conditional_gain(x.view(), labels.codes, weights, options, {n_threads, {}});
      return listed(ranking.indices.get(), 10) + listed(ranking.gains.get(), 10);
    });
    std::vector<std::int64_t> rows(at(n));
    std::iota(rows.begin(), rows.end(), 0);
    const AnyCsr any = x.view();
    fail_everywhere([&] {
      std::string all[2];
      const double mean = train_linear_machines(
          {any, false, rows, labels.codes, 20, weights}, options.machines, {n_threads, {}}, [&](const MachineBlock& block) {
            const Sure sure;
            all[block.first / machine_lanes] = listed(block.weights, (std::ssize(block.terms) + 1) * machine_lanes);
          });
      const Sure sure;
      return all[0] + all[1] + describe(mean);
    });
  }
}

TEST(tests_of_rank_sums) {
  Random random(14);
  for (const int n_threads : few_threads) {
    const std::int64_t n = n_threads == 1 ? 40 : 8'000;
    const auto x = random_matrix<std::int32_t, std::int32_t>(random, n, 60, 40);
    std::vector<std::int64_t> rows(at(n));
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<double> z(60);
    fail_everywhere([&] {
      rank_sums(x.view(), rows, n / 3, {n_threads, {}}, z.data());
      return listed(z.data(), 60);
    });
  }
}

// ---- classifiers -------------------------------------------------------------------------------------------------------

TEST(naive_bayes) {
  Random random(15);
  for (const int n_threads : few_threads) {
    const std::int64_t n = n_threads == 1 ? 40 : 5'000;
    const auto x = random_matrix<std::int32_t, std::int32_t>(random, n, 60, 40);
    const Labels labels = random_labels(random, n, 5, false);
    const auto counts = count(no_counts<std::int64_t>(5), x, labels, {});
    std::vector<std::int64_t> ranking(60);
    std::iota(ranking.rbegin(), ranking.rend(), 0);
    const std::vector<std::int64_t> ks{1, 5, 20, 60};
    std::vector<std::int64_t> hits(20), predicted(20);
    for (const EventModel model : models)
      fail_everywhere([&] {
        std::fill(hits.begin(), hits.end(), 0);
        std::fill(predicted.begin(), predicted.end(), 0);
        classify_by_prefixes(counts, {model, 0.5, ranking, ks}, LabelledDocuments{x.view(), labels.codes}, {n_threads, {}},
                             hits.data(), predicted.data());
        return listed(hits.data(), 20) + listed(predicted.data(), 20);
      });
  }
}

TEST(posteriors) {
  Random random(16);
  for (const int n_threads : few_threads) {
    const std::int64_t n = n_threads == 1 ? 40 : 8'000;
    const auto x = random_matrix<std::int32_t, float>(random, n, 60, 40);
    const std::vector<double> constant{-1, -2, -3}, weights(180, -0.5), of_term(60, -0.25), of_pairs(60, 0.75);
    std::vector<std::int64_t> first_pair(61);
    std::iota(first_pair.begin(), first_pair.end(), 0);
    const std::vector<std::int32_t> pair_class(60, 1);
    const LinearClasses dense{constant, {}, weights, 3, {}, {}, {}, {}};
    const LinearClasses pairs{constant, {}, of_pairs, 3, constant, of_term, first_pair, pair_class};
    std::vector<double> posteriors(at(3 * n));
    std::vector<ClassId> predicted(at(n));
    for (const LinearClasses& classes : {dense, pairs}) {
      fail_everywhere([&] {
        log_posteriors(classes, x.view(), TermWeight::log, {n_threads, {}}, posteriors.data());
        return listed(posteriors.data(), 3 * n);
      });
      fail_everywhere([&] {
        predict_classes(classes, x.view(), TermWeight::raw, 1e-12, {n_threads, {}}, predicted.data());
        return listed(predicted.data(), n);
      });
    }
  }
}

// ---- texts -------------------------------------------------------------------------------------------------------------

namespace {

struct Documents {
  std::vector<std::string> strings;
  std::vector<ClassId> classes;

  explicit Documents(std::size_t n) {
    Random random(17);
    for (std::size_t i = 0; i < n; ++i) {
      std::string text;
      for (std::int64_t words = below(random, 12); words >= 0; --words) {
        text += "word" + std::to_string(below(random, 50)) + (below(random, 4) == 0 ? ", Caf\xc3\xa9 " : " ");
        if (below(random, 20) == 0) text += "a_word_of_more_than_sixteen_bytes" + std::to_string(below(random, 9)) + " ";
      }
      strings.push_back(text);
      classes.push_back(static_cast<ClassId>(i % 3));
    }
  }
  std::vector<Text> texts(TextEncoding encoding = TextEncoding::utf8) const {
    std::vector<Text> all;
    for (const std::string& each : strings) all.push_back({each.data(), std::ssize(each), encoding});
    return all;
  }
};

// The pattern [a-z0-9_]+ for ASCII texts.
std::shared_ptr<const TokenPattern> word_pattern() {
  PatternProgram program;
  program.steps = {{PatternStep::read, 0, 0, 0}, {PatternStep::split, 0, 2, 0}, {PatternStep::match, 0, 0, 0}};
  program.n_classes = 2;
  program.n_sets = 1;
  program.n_contexts = 1;
  program.class_of.resize(n_code_points);
  for (const char c : std::string("abcdefghijklmnopqrstuvwxyz0123456789_"))
    program.class_of[static_cast<std::uint8_t>(c)] = 1;
  program.sets = {0, 1, 0, 0};
  program.context_after = {0, 0, 0, 0};
  return std::make_shared<const TokenPattern>(std::move(program));
}

std::vector<std::pair<std::string, TextRules>> all_rules() {
  std::vector<std::pair<std::string, TextRules>> all{{"words", {}}};
  const auto add = [&](const char* name) -> TextRules& { return all.emplace_back(name, TextRules{}).second; };
  TextRules& ngrams = add("n-grams");
  ngrams.max_n = 3;
  ngrams.stop_words = {"word1", "caf\xc3\xa9"};
  add("characters").analyzer = Analyzer::chars;
  all.back().second.max_n = 2;
  add("characters of words").analyzer = Analyzer::char_wb;
  all.back().second.min_n = all.back().second.max_n = 3;
  add("without accents").strip_accents = StripAccents::unicode;
  add("ascii").strip_accents = StripAccents::ascii;
  add("composed").normalize = NormalForm::nfkc;
  add("canonical").normalize = NormalForm::nfc;
  add("pattern").pattern = word_pattern();
  all.back().second.max_n = 2;
  return all;
}

std::string told(const TextMatrix& matrix) {
  return listed(matrix.indptr.get(), matrix.n_rows + 1) + listed(matrix.indices.get(), matrix.n_entries) +
         listed(matrix.data.get(), matrix.n_entries);
}

std::string told(const TextCounter& counter, bool by_class, const Threads& threads) {
  std::string terms;
  counter.for_each_term({}, [&](std::int64_t, std::string_view bytes) {
    const Sure sure;
    terms.append(bytes).append(" ");
  });
  const std::int64_t n = counter.n_terms();
  const auto document_frequency = counter.document_frequency(threads), term_frequency = counter.term_frequency(threads);
  std::vector<std::int32_t> columns(at(n), -1);
  for (std::int64_t i = 0; i < n; i += 2) columns[at(i)] = static_cast<std::int32_t>(i / 2);
  std::string counts;
  if (by_class) {
    counts = told(counter.counts({}, 3, false, threads)) + told(counter.counts(columns, 4, true, threads));
  } else {
    counts = told(counter.matrix({}, threads)) + told(counter.matrix(columns, threads));
  }
  const Sure sure;
  return terms + listed(document_frequency.get(), n) + listed(term_frequency.get(), n) + counts;
}

// Sets the sizes of hash tables and chunks so that few texts fill several of them.
struct SmallTables {
  const TextTuning before = text_tuning();
  SmallTables() {
    text_tuning().first_slots = 16;
    text_tuning().small_slots = 64;
    text_tuning().chunk_bytes = 200;
    text_tuning().documents_to_gather = 8;
    text_tuning().entries_to_gather = 32;
    text_tuning().entries_to_unite = 64;
  }
  ~SmallTables() { text_tuning() = before; }
};

// Fails allocations in `change`, which adds documents to a counter by class that has documents. If the change fails, the
// counter must either refuse all calls or be as before, so that a second change gives what a first gives.
void check_counter(const std::function<void(TextCounter&)>& begin, const std::function<void(TextCounter&)>& change,
                   const TextRules& rules) {
  const auto all = [&](TextCounter& counter) {
    counter.sort({});
    return told(counter, true, {});
  };
  TextCounter whole(rules, true);
  begin(whole);
  change(whole);
  const std::string want = all(whole);
  ++n_calls;
  for (long i = 0, left = -1; left < 0; ++i) {
    TextCounter counter(rules, true);
    begin(counter);
    bool failed = false;
    until_failure = i;
    try {
      change(counter);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    left = until_failure.exchange(-1);
    n_failures += left < 0;
    try {
      if (failed) change(counter);
      CHECK_EQ(all(counter), want);
    } catch (const std::logic_error&) {
      CHECK(failed);
      CHECK_THROWS(change(counter), std::logic_error, "start again with a new counter");
      CHECK_THROWS(counter.sort({}), std::logic_error, "start again with a new counter");
    }
  }
}

}  // namespace

TEST(counters_of_texts) {
  const SmallTables small;
  const Documents documents(30);
  const std::vector<Text> texts = documents.texts();
  for (const int n_threads : few_threads)
    for (const auto& [name, rules] : all_rules())
      for (const bool by_class : {false, true})
        fail_everywhere([&, &rules = rules] {
          TextCounter counter(rules, by_class);
          for (const std::size_t at : {std::size_t{0}, std::size_t{15}})
            counter.add(std::span(texts).subspan(at, 15),
                        by_class ? std::span(documents.classes).subspan(at, 15) : std::span<const ClassId>(),
                        {n_threads, {}});
          counter.sort({n_threads, {}});
          return told(counter, by_class, {n_threads, {}});
        });
}

TEST(counters_after_a_failure) {
  const SmallTables small;
  const Documents documents(40);
  const std::vector<Text> texts = documents.texts();
  const std::span<const Text> first(texts.data(), 20), rest(texts.data() + 20, 20);
  const std::vector<ClassId> none(20, 0);  // at first, the counter has one class
  for (const auto& [name, rules] : all_rules()) {
    check_counter([&](TextCounter& counter) { counter.add(first, none, {}); },
                  [&](TextCounter& counter) { counter.add(rest, std::span(documents.classes).subspan(20), {}); }, rules);
    if (name == "pattern") break;
  }
  Random random(18);
  const Labels before = random_labels(random, 20, 3, true), after = random_labels(random, 20, 3, true);
  check_counter([&](TextCounter& counter) { counter.add_labelled(first, before.view(), {}); },
                [&](TextCounter& counter) { counter.add_labelled(rest, after.view(), {}); }, {});
}

TEST(counters_of_tables) {
  const SmallTables small;
  std::string table;
  for (const std::string& text : Documents(30).strings) table += "c" + std::to_string(table.size() % 3) + ";" + text + "\n";
  for (const int n_threads : few_threads)
    fail_everywhere([&] {
      std::optional<Sure> sure(std::in_place);
      DelimitedReader reader(read_tables::reads(table), read_tables::options(true, 64), {});
      sure.reset();
      reader.choose(';', {1}, 0, 2, false);
      TextCounter counter({}, true);
      while (counter.add(reader, 300, {n_threads, {}}) > 0) {
      }
      counter.sort({});
      return told(counter, true, {});
    });
}

TEST(indices_sketches_and_hashes) {
  const SmallTables small;
  const Documents documents(30);
  const std::vector<Text> texts = documents.texts();
  for (const int n_threads : few_threads) {
    const Threads threads{n_threads, {}};
    for (const auto& [name, rules] : all_rules()) {
      std::vector<std::string> terms;
      {
        TextCounter counter(rules, false);
        counter.add(texts, {}, {});
        counter.sort({});
        counter.for_each_term({}, [&](std::int64_t, std::string_view bytes) { terms.emplace_back(bytes); });
      }
      const std::vector<double> weights(2 * terms.size(), 0.5);
      fail_everywhere([&, &rules = rules] {
        const TextIndex index(rules, terms);
        const std::string first = told(index.matrix(texts, threads));
        const auto sums = index.sums(texts, weights, 2, true, threads);
        return first + told(index.matrix(texts, threads)) + listed(sums.get(), 2 * std::ssize(texts));
      });
      // An index gives the right answer after a call that failed.
      const TextIndex index(rules, terms);
      const std::string want = told(index.matrix(texts, threads));
      for (long i = 0, left = -1; left < 0; ++i) {
        until_failure = i;
        try {
          index.matrix(texts, threads);
          index.sums(texts, weights, 2, false, threads);
        } catch (const std::bad_alloc&) {
        }
        left = until_failure.exchange(-1);
        n_failures += left < 0;
        CHECK_EQ(told(index.matrix(texts, threads)), want);
      }
      fail_everywhere([&, &rules = rules] { return told(hashed_matrix(rules, texts, 1000, true, threads)); });
      fail_everywhere([&, &rules = rules] {
        TermSketch sketch(256);
        sketch.add(rules, texts, threads);
        return listed(sketch.counters().data(), 256);
      });
    }
    // Only terms whose counters are at least 2 are counted.
    const auto sketch = std::make_shared<TermSketch>(256);
    sketch->add({}, texts, {});
    TextRules rules;
    rules.sketch = sketch;
    rules.least = 2;
    fail_everywhere([&] {
      TextCounter counter(rules, true);
      counter.add(texts, documents.classes, threads);
      counter.sort(threads);
      return told(counter, true, threads);
    });
  }
}

TEST(stems_tokens_and_patterns) {
  const SmallTables small;
  const Documents documents(30);
  const std::vector<Text> texts = documents.texts();
  const WordStems::Function first_letters = [](const std::vector<std::string>& words) {
    std::vector<std::string> stems;
    for (const std::string& word : words) stems.push_back(word.substr(0, 5));
    return stems;
  };
  for (const int n_threads : few_threads)
    for (const std::int64_t max_n : {1, 2})
      for (const bool by_class : {false, true})
        fail_everywhere([&] {
          TextRules rules;
          rules.max_n = max_n;
          rules.stems = std::make_shared<WordStems>(first_letters);
          TextCounter counter(rules, by_class);
          counter.add(texts, by_class ? std::span(documents.classes) : std::span<const ClassId>(), {n_threads, {}});
          counter.sort({});
          return told(counter, by_class, {});
        });
  // Words whose stems were lost are asked for again.
  WordStems stems(first_letters);
  std::vector<std::string> words;
  for (int i = 0; i < 40; ++i) words.push_back("word" + std::to_string(i) + " of more than sixteen bytes");
  for (long i = 0, left = -1; left < 0; ++i) {
    until_failure = i;
    try {
      stems.of(words);
    } catch (const std::bad_alloc&) {
    }
    left = until_failure.exchange(-1);
    n_failures += left < 0;
  }
  CHECK_EQ(stems.of(words), first_letters(words));

  TextRules tokens;
  tokens.analyzer = Analyzer::tokens;
  std::string list;
  for (const char* const token : {"one", "two", "", "a token of more than sixteen bytes", "one"}) {
    const auto size = static_cast<std::uint32_t>(std::strlen(token));
    char prefix[sizeof size];
    std::memcpy(prefix, &size, sizeof size);
    list.append(prefix, sizeof size).append(token);
  }
  const std::int64_t length = std::ssize(list);
  list.append(64, ' ');
  const std::vector<Text> lists(20, {list.data(), length, TextEncoding::tokens});
  fail_everywhere([&] {
    TextCounter counter(tokens, false);
    counter.add(lists, {}, {});
    counter.sort({});
    return told(counter, false, {});
  });

  fail_everywhere([&] {
    const auto pattern = word_pattern();
    const auto matches = all_matches(pattern, texts, 7);
    const Sure sure;
    return check::show(matches);
  });
}

TEST(unions_of_names) {
  std::vector<std::string> sorted, mixed;
  for (int i = 0; i < 300; ++i) sorted.push_back("name" + std::to_string(1000 + i));
  for (int i = 0; i < 300; ++i) mixed.push_back("name" + std::to_string(1000 + (i * 7) % 400));
  std::sort(mixed.begin(), mixed.begin() + 150);
  const auto texts = [](const std::vector<std::string>& names) {
    std::vector<Text> all;
    for (const std::string& name : names) all.push_back({name.data(), std::ssize(name), TextEncoding::latin1});
    return all;
  };
  const std::vector<Text> a = texts(sorted), b = texts(mixed);
  for (const auto& [first, second] : {std::pair(a, a), std::pair(a, b), std::pair(b, a)})
    for (const int n_threads : few_threads)
      fail_everywhere([&, &first = first, &second = second] {
        const NameUnion all = unite_names(first, second, {n_threads, {}});
        return listed(all.column_of_first.data(), std::ssize(all.column_of_first)) +
               listed(all.column_of_second.data(), std::ssize(all.column_of_second)) +
               listed(all.order.data(), std::ssize(all.order)) + std::to_string(all.repeated);
      });
}

// ---- readers -----------------------------------------------------------------------------------------------------------

namespace {

std::string told(const MatrixBlock& block) {
  const Sure sure;
  return std::to_string(block.first) + ": " + listed(block.indptr.get(), block.size + 1) +
         listed(block.indices.get(), block.n_entries) + listed(block.data.get(), block.n_entries) +
         (block.label_indptr.get() == nullptr
              ? std::string()
              : listed(block.label_indptr.get(), block.size + 1) + listed(block.codes.get(), block.n_labels)) +
         listed(block.skipped.data(), std::ssize(block.skipped)) + "\n";
}

std::string told(const std::vector<BadRow>& rows) {
  const Sure sure;
  std::string all;
  for (const BadRow& row : rows) all += read_tables::told(row) + "\n";
  return all;
}

}  // namespace

TEST(matrices_of_svmlight) {
  std::string text, of_classes = "40 9 5\n";
  for (int i = 0; i < 40; ++i) {
    const std::string entries = " 1:" + std::to_string(i + 1) + " " + std::to_string(3 + i % 5) + ":2.5\n";
    text += (i % 4 == 0 ? "1,word" + std::to_string(i % 3) : i % 9 == 8 ? "a bad line" : std::to_string(i * 1e8)) + entries;
    of_classes += (i % 5 == 0 ? "" : std::to_string(i % 5) + ",0") + entries;
  }
  for (const std::string& content : {text, of_classes})
    for (const int n_threads : few_threads) {
      const auto run = [&](bool refuses_more) {
        std::optional<Sure> sure(std::in_place);
        SvmlightReader::Options options;
        options.block_bytes = 200;
        options.piece_bytes = 50;
        options.skip = true;
        TableReader::Read read = read_tables::reads(content, 90);
        sure.reset();
        SvmlightReader reader(std::move(read), options);
        MatrixBlock block;
        std::string all;
        try {
          while (reader.next(block, {n_threads, {}})) {
            const std::string more = told(block);
            const Sure told_surely;
            all += more;
          }
        } catch (const std::bad_alloc&) {
          const Sure sure_again;
          if (refuses_more) CHECK(!reader.next(block, {n_threads, {}}));
          throw;
        }
        const Sure sure_to_end;
        for (const MatrixLabel& label : reader.labels()) all += label.word + " " + describe(label.number) + " ";
        return all + told(reader.skipped()) + std::to_string(reader.n_skipped());
      };
      fail_everywhere([&] { return run(true); });
    }
}

TEST(matrices_of_the_market) {
  const auto matrix = [](const char* kind, const char* symmetry, bool by_row) {
    std::string entries;
    std::int64_t n = 0;
    for (int i = 1; i <= 12; ++i)
      for (int j = 1; j <= 9; ++j) {
        const int row = by_row ? i : j, column = by_row ? j : i;
        if ((i * j) % 3 == 0 || row > 9 || (*symmetry == 's' && column > row)) continue;
        ++n;
        entries += std::to_string(row) + " " + std::to_string(column);
        if (*kind != 'p') entries += *kind == 'r' ? " 0.5" : " 3";
        entries += "\n";
      }
    return std::string("%%MatrixMarket matrix coordinate ") + kind + " " + symmetry + "\n% a comment\n12 12 " +
           std::to_string(n) + "\n" + entries;
  };
  std::string array = "%%MatrixMarket matrix array integer general\n6 4\n", shuffled = matrix("real", "general", true);
  for (int i = 0; i < 24; ++i) array += std::to_string(i % 5) + "\n";
  shuffled.insert(shuffled.find("\n", shuffled.find("12 12")) + 1, "9 9 1\n");
  shuffled.replace(shuffled.find("12 12"), shuffled.find("\n", shuffled.find("12 12")) - shuffled.find("12 12"),
                   "12 12 " + std::to_string(std::count(shuffled.begin(), shuffled.end(), '\n') - 3));
  enum class Way { whole, rows, columns };
  const std::vector<std::pair<std::string, std::vector<Way>>> files = {
      {matrix("integer", "general", true), {Way::whole, Way::rows}},
      {matrix("real", "general", false), {Way::whole, Way::columns}},
      {matrix("pattern", "symmetric", true), {Way::whole}},
      {array, {Way::whole, Way::columns}},
      {shuffled, {Way::whole}}};
  for (const auto& [content, file_ways] : files)
    for (const Way way : file_ways)
      for (const int n_threads : few_threads)
        fail_everywhere([&, &content = content] {
          std::optional<Sure> sure(std::in_place);
          TableReader::Read read = read_tables::reads(content, 90);
          MatrixOptions options;
          options.block_bytes = 100;
          options.piece_bytes = 30;
          options.range_bits = 1;
          sure.reset();
          MarketReader reader(std::move(read), options);
          reader.order({n_threads, {}});
          if (way == Way::whole) return told(reader.whole({n_threads, {}}));
          MatrixBlock block;
          std::string all;
          while (reader.next(block, way == Way::columns, {n_threads, {}})) {
            const std::string more = told(block);
            const Sure told_surely;
            all += more;
          }
          return all;
        });
}

TEST(tables_of_all_dialects) {
  const auto rows_of = [](TableReader& reader) {
    TableBlock block;
    std::string all;
    try {
      while (reader.next(block)) {
        const auto rows = block.rows();
        const Sure sure;
        for (std::size_t i = 0; i < block.texts.size(); ++i)
          all += reader.labels().at(at(block.classes[i])) + "|" + read_tables::text_of(block.texts[i]) + " ";
        all += listed(rows.data(), std::ssize(rows));
      }
    } catch (const std::bad_alloc&) {
      const Sure sure;
      CHECK(!reader.next(block));
      throw;
    }
    const Sure sure;
    return all + told(reader.skipped());
  };
  const std::string rows =
      "a line\nid,text,label\n1,one \"two\",x\n2,\"th\"\"ree\nfour\",y\n#3,c,z\n4,,\n5,six,x\n6,s\\,x\n";
  DelimitedReader::Dialect plain{std::nullopt, std::nullopt, '#'}, escaped{'"', '\\', std::nullopt};
  for (const DelimitedReader::Dialect& dialect : {DelimitedReader::Dialect{}, plain, escaped})
    for (const std::int64_t block_bytes : {std::int64_t{8}, std::int64_t{1} << 20})
      fail_everywhere([&] {
        std::optional<Sure> sure(std::in_place);
        TableReader::Read read = read_tables::reads(rows, 5);
        TableReader::Options options = read_tables::options(true, block_bytes);
        options.labels = {"y"};
        sure.reset();
        DelimitedReader reader(std::move(read), std::move(options), dialect);
        reader.skip_lines(1);
        const auto first = reader.first_rows(',', 3, true);
        reader.choose(',', {1, 0}, 2, std::ssize(first.at(0).fields), true);
        return rows_of(reader);
      });
  const std::string objects = "{\"t\":\"a\\ud800\",\"l\":1,\"u\":[{},null]}\n{\"t\":2}\n{\"l\":\"\\u00e9\",\"t\":\"b\"}\n";
  fail_everywhere([&] {
    std::optional<Sure> sure(std::in_place);
    TableReader::Read read = read_tables::reads(objects, 5);
    TableReader::Options options = read_tables::options(true, 8);
    std::vector<std::string> texts{"t", "u"};
    sure.reset();
    JsonReader reader(std::move(read), std::move(options), std::move(texts), "l", false);
    return rows_of(reader);
  });
}

TEST(arrow_texts) {
  using namespace plain_arrow;
  const std::vector<Row> rows = {"a", "", std::nullopt, "a text of more than twelve bytes"};
  const auto shown = [](const HeldTexts& held) {
    const Sure sure;
    std::string all;
    for (const Row& row : rows_of(held.texts)) all += row ? "'" + *row + "' " : "null ";
    return all;
  };
  const int live_before = live;
  for (const char* const format : {"u", "U", "vu"}) {
    const Array texts = strings(format, rows), coded = indices("i", {3, -1, 0}, texts);
    for (const Array& array : {texts, coded, table({named(texts, "t")})}) {
      const std::optional<std::string> column = array.children.empty() ? std::nullopt : std::optional<std::string>("t");
      // Each struct is released exactly once, or not at all if the call did not take it over.
      fail_everywhere([&] {
        std::optional<Sure> sure(std::in_place);
        ArrowSchema schema = schema_of(array);
        ArrowArray data = array_of(array);
        sure.reset();
        std::string all;
        try {
          all = shown(texts_of_array(schema, data, column));
        } catch (const std::bad_alloc&) {
          if (schema.release != nullptr) schema.release(&schema);
          if (data.release != nullptr) data.release(&data);
          CHECK_EQ(live, live_before);
          throw;
        }
        CHECK_EQ(live, live_before);
        return all;
      });
      fail_everywhere([&] {
        std::optional<Sure> sure(std::in_place);
        // The arrays of the stream are made while it is read, so they are made without failures.
        ArrowArrayStream source = stream_of({array, {array, array}});
        static int (*const next)(ArrowArrayStream*, ArrowArray*) = source.get_next;
        static int (*const type)(ArrowArrayStream*, ArrowSchema*) = source.get_schema;
        source.get_next = [](ArrowArrayStream* s, ArrowArray* out) {
          const Sure sure_of_array;
          return next(s, out);
        };
        source.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) {
          const Sure sure_of_type;
          return type(s, out);
        };
        sure.reset();
        std::string all;
        try {
          all = shown(texts_of_stream(source, column, {}));
        } catch (const std::bad_alloc&) {
          CHECK(source.release == nullptr);
          CHECK_EQ(live, live_before);
          throw;
        }
        CHECK_EQ(live, live_before);
        return all;
      });
    }
  }
}

TEST(whole_files) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "termsift_allocation_faults";
  std::filesystem::create_directories(folder);
  std::vector<std::string> paths;
  for (int i = 0; i < 5; ++i) {
    paths.push_back((folder / ("a file with a long name " + std::to_string(i))).string());
    std::ofstream(paths.back()) << "the content of file " << i;
  }
  for (const int n_threads : few_threads)
    fail_everywhere([&] {
      const std::vector<WholeFile> files = read_files(paths, {n_threads, {}});
      const Sure sure;
      std::string all;
      for (const WholeFile& file : files) all.append(file.bytes.get(), static_cast<std::size_t>(file.n_bytes)).append("\n");
      return all;
    });
  std::filesystem::remove_all(folder);
}

// ---- threads and targets -----------------------------------------------------------------------------------------------

TEST(loops_and_targets) {
  fail_everywhere([] { return std::to_string(quota_of_control_groups().value_or(0)); });
  fail_everywhere([] { return what_limits_threads() + openmp_version() + std::to_string(effective_n_threads(2)); });
  fail_everywhere([] {
    const std::vector<std::string> targets = simd_targets();
    for (const std::string& target : targets) use_simd_target(target);
    use_simd_target(targets[0]);
    return simd_target();
  });
  for (const int n_threads : {1, 2, 3})
    fail_everywhere([&] {
      PerThread<std::vector<int>> own({n_threads, {}});
      std::vector<int> squares(100);
      for_each_range(100, 7, {n_threads, {}}, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
        own.own(worker).assign(50, 1);
        for (std::int64_t i = begin; i < end; ++i) squares[at(i)] = static_cast<int>(i * i);
      });
      return listed(squares.data(), 100);
    });
}

TEST(totals) {
  std::printf("        %ld calls, %ld failed allocations\n", n_calls, n_failures);
  CHECK(n_calls > 400);
}
