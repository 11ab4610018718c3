// Digests of the results for seeded inputs. Counts, scores, rankings and predicted classes must have the same bits on every
// platform, compiler and SIMD target, so that a ranking can be repeated anywhere.
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "score_cases.hpp"
#include "termsift/conditional_gain.hpp"
#include "termsift/contingency.hpp"
#include "termsift/greedy.hpp"
#include "termsift/naive_bayes.hpp"
#include "termsift/ranking.hpp"
#include "termsift/runtime.hpp"

using namespace termsift;
using namespace score_cases;

namespace {

// The FNV-1a hash of the bytes of numbers, beginning with the lowest byte.
class Digest {
 public:
  template <class T>
  void add(T value) {
    if constexpr (std::is_same_v<T, double>) add(std::bit_cast<std::uint64_t>(value));
    else
      for (std::size_t byte = 0; byte < sizeof value; ++byte) {
        digest_ ^= static_cast<std::uint64_t>(value) >> 8 * byte & 0xff;
        digest_ *= 0x100000001b3;
      }
  }
  template <class T>
  void add(const T* values, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) add(values[i]);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.data(), std::ssize(values));
  }
  std::string text() const {
    std::ostringstream out;
    out << std::hex << digest_;
    return out.str();
  }

 private:
  std::uint64_t digest_ = 0xcbf29ce484222325;
};

template <CountType Count>
void add_counts(Digest& digest, const ClassCounts<Count>& counts) {
  for (const auto& row : counts.rows) {
    digest.add(row->n_docs);
    digest.add(row->n_tokens);
    for (std::int64_t i = 0; i < row->size; ++i) {
      digest.add(row->terms[i]);
      digest.add(row->term_frequency[i]);
      digest.add(row->document_frequency[i]);
    }
  }
}

template <class Value>
struct Input {
  Matrix<std::int32_t, Value> x;
  Labels labels;
  std::vector<double> weights;
};

// Returns documents of a few entries, with rare and frequent terms. Some floating-point values are fractions.
template <class Value>
Input<Value> input(std::int64_t n_classes, std::int64_t n_docs, std::int64_t n_terms) {
  Random random(20160901);
  Input<Value> in;
  in.x.n_columns = n_terms;
  in.labels.n_classes = n_classes;
  for (std::int64_t d = 0; d < n_docs; ++d) {
    const std::int64_t c = below(random, 1 + below(random, n_classes));  // classes of unequal sizes
    std::vector<std::pair<std::int64_t, Value>> entries;
    for (std::int64_t e = 2 + below(random, 30); e > 0; --e) {
      const std::int64_t term = below(random, 1 + below(random, n_terms));
      const auto value = static_cast<Value>(1 + below(random, 4) + (term % n_classes == c ? 5 : 0));
      entries.push_back({term, std::is_floating_point_v<Value> && term % 4 == 0 ? value / 8 : value});
    }
    in.x.add_row(entries);
    in.labels.add({static_cast<ClassId>(c)});
    in.weights.push_back(static_cast<double>(1 + below(random, 3)));
  }
  return in;
}

// Calls f on every SIMD target of the machine, with one thread and with three. Each result must have the expected digest.
template <class F>
void check_digest(const std::string& expected, const F& f) {
  for (const std::string& target : simd_targets()) {
    use_simd_target(target);
    for (const int n_threads : check::thread_counts({1, 3})) {
      Digest digest;
      f(digest, n_threads);
      CHECK_EQ(digest.text(), expected);
    }
  }
  use_simd_target(simd_targets().front());
}

TEST(counts_of_whole_numbers) {
  for (const auto& [n_classes, expected] :
       {std::pair{2, "cdc08545453f14af"}, {20, "1d8b1013d01338ea"}, {300, "1f88f9f984578a90"}}) {
    const auto in = input<std::int64_t>(n_classes, 4000, 3000);
    check_digest(expected, [&](Digest& digest, int n_threads) {
      add_counts(digest, count(no_counts<std::int64_t>(in.labels.n_classes), in.x, in.labels, {}, n_threads));
    });
  }
}

TEST(counts_of_fractions_and_weights) {
  const auto in = input<double>(20, 4000, 3000);
  check_digest("cf134f4c562a4501", [&](Digest& digest, int n_threads) {
    add_counts(digest, count(no_counts<double>(in.labels.n_classes), in.x, in.labels, in.weights, n_threads));
  });
}

TEST(divergences) {
  for (const auto& [n_classes, expected] : {std::pair{2, "d4c40e97294dceb8"}, {20, "4b814808b84392f7"}}) {
    const auto in = input<std::int64_t>(n_classes, 2000, 1500);
    const auto counts = count(no_counts<std::int64_t>(n_classes), in.x, in.labels, {});
    check_digest(expected, [&](Digest& digest, int n_threads) {
      for (const Divergence measure : measures) {
        for (const Aggregate aggregate : aggregates)
          digest.add(scores_of(counts, {1, 1500}, measure, aggregate, n_threads));
        digest.add(class_scores_of(counts, {1, 1500}, measure, n_threads));
        const PairScores of_pairs = pair_scores_of(counts, {1, 1500}, measure, n_threads);
        digest.add(of_pairs.scores);
        digest.add(of_pairs.directions);
      }
    });
  }
}

TEST(divergences_of_many_classes) {
  // With many classes and terms, what the classes without a term add to a sum is interpolated.
  const auto in = input<std::int64_t>(300, 4000, 3000);
  const auto counts = count(no_counts<std::int64_t>(300), in.x, in.labels, {});
  check_digest("76c8ecdfe96bd771", [&](Digest& digest, int n_threads) {
    for (const Divergence measure : measures) digest.add(scores_of(counts, {1, 3000}, measure, Aggregate::sum, n_threads));
  });
}

TEST(divergences_of_tiny_counts) {
  // Without smoothing, tiny counts are scaled, so that no product of double-doubles underflows. Rates are not scaled.
  for (const auto& [scale, is_rate, expected] :
       {std::tuple{0x1.8p-965, false, "d9543457bf30df63"}, {0x1.8p-665, true, "ba6ffa769f46773b"}}) {
    auto in = input<double>(20, 1000, 400);
    for (double& value : in.x.data) value *= scale;
    const auto counts = count(no_counts<double>(20), in.x, in.labels, {});
    check_digest(expected, [&, is_rate = is_rate](Digest& digest, int n_threads) {
      for (const Divergence measure : measures)
        if ((measure.model == EventModel::poisson) == is_rate)
          digest.add(scores_of(counts, {0, 0}, measure, Aggregate::sum, n_threads));
    });
  }
}

// The methods of later articles have digests of their own, so that those of the others stay what they were.
constexpr int first_later_method = static_cast<int>(ContingencyMeasure::dfs);

void check_contingency_scores(int n_classes, const std::string& expected, int first_method, int last_method) {
  const auto in = input<std::int64_t>(n_classes, 2000, 1500);
  const auto counts = count(no_counts<std::int64_t>(n_classes), in.x, in.labels, {});
  check_digest(expected, [&](Digest& digest, int n_threads) {
    std::vector<double> scores(at(counts.n_terms));
    for (int method = first_method; method < last_method; ++method)
      for (const Aggregate aggregate : aggregates) {
        score(counts, {0.5, 750}, static_cast<ContingencyMeasure>(method), aggregate, {n_threads, {}}, scores.data());
        digest.add(scores);
      }
  });
}

TEST(contingency_scores) {
  check_contingency_scores(2, "2db519092cb27a4a", 0, first_later_method);
  check_contingency_scores(20, "82517fc720b372d9", 0, first_later_method);
}

TEST(contingency_scores_of_later_articles) {
  check_contingency_scores(2, "fea4d4bdb077ac8b", first_later_method, n_contingency_methods);
  check_contingency_scores(20, "6bf5d52481939e52", first_later_method, n_contingency_methods);
}

// Adds the results of every seventh pair of a class and a term, and the first terms of the classes in turn.
template <class AnyMeasure>
void add_pairs_and_turns(Digest& digest, const ClassCounts<std::int64_t>& counts, const Estimation& estimation,
                         AnyMeasure measure, int n_threads) {
  std::vector<std::int64_t> starts{0};
  std::vector<TermId> terms;
  for (std::int64_t c = 0; c < std::ssize(counts.rows); ++c) {
    for (std::int64_t t = c % 7; t < counts.n_terms; t += 7) terms.push_back(static_cast<TermId>(t));
    starts.push_back(std::ssize(terms));
  }
  std::vector<double> scores(terms.size());
  std::vector<std::int8_t> directions(terms.size());
  score_pairs(counts, estimation, measure, {n_threads, {}}, {starts.data(), terms.data()}, scores.data(), directions.data());
  digest.add(scores);
  digest.add(directions);
  std::vector<std::int64_t> indices(200), classes(200);
  scores.resize(200);
  round_robin(counts, estimation, measure, 200, {n_threads, {}}, indices.data(), scores.data(), classes.data());
  digest.add(indices);
  digest.add(scores);
  digest.add(classes);
}

// A list of few classes is made from all values. With many classes, only terms that may be among the best are evaluated, and
// for contingency tables one term for each column total.
TEST(pairs_and_turns) {
  for (const auto& [n_classes, expected] :
       {std::pair{2, "a36fdf8e177de3a4"}, {20, "99c10d297d0c20c7"}, {300, "a18aa61681c3d5fd"}}) {
    const auto in = input<std::int64_t>(n_classes, 2000, 2000);
    const auto counts = count(no_counts<std::int64_t>(n_classes), in.x, in.labels, {});
    check_digest(expected, [&](Digest& digest, int n_threads) {
      for (const Divergence& measure : measures)
        for (const double b1 : {1.0, 0.0})
          add_pairs_and_turns(digest, with_model(counts, measure.model), {b1, 2000 * b1}, measure.measure, n_threads);
      for (int method = 0; method < first_later_method; ++method)
        add_pairs_and_turns(digest, counts, {0.5, 1000}, static_cast<ContingencyMeasure>(method), n_threads);
    });
  }
}

TEST(pairs_and_turns_of_later_articles) {
  for (const auto& [n_classes, expected] :
       {std::pair{2, "3182cba3d1ee3c2e"}, {20, "5b8680de6db07f7e"}, {300, "2f40e38812db67f7"}}) {
    const auto in = input<std::int64_t>(n_classes, 2000, 2000);
    const auto counts = count(no_counts<std::int64_t>(n_classes), in.x, in.labels, {});
    check_digest(expected, [&](Digest& digest, int n_threads) {
      for (int method = first_later_method; method < n_contingency_methods; ++method)
        add_pairs_and_turns(digest, counts, {0.5, 1000}, static_cast<ContingencyMeasure>(method), n_threads);
    });
  }
}

TEST(largest_values_of_many_classes) {
  const auto in = input<std::int64_t>(300, 2000, 2000);
  const auto counts = count(no_counts<std::int64_t>(300), in.x, in.labels, {});
  check_digest("ee7c001357df50b3", [&](Digest& digest, int n_threads) {
    for (const Divergence measure : measures) digest.add(scores_of(counts, {1, 2000}, measure, Aggregate::max, n_threads));
    std::vector<double> scores(at(counts.n_terms));
    std::vector<std::int64_t> classes(scores.size());
    std::vector<std::int8_t> signs(scores.size());
    for (const auto measure : {ContingencyMeasure::chi2, ContingencyMeasure::g2, ContingencyMeasure::chi2_counts,
                               ContingencyMeasure::g2_counts}) {
      strongest_class(counts, measure, {n_threads, {}}, scores.data(), classes.data(), signs.data());
      digest.add(scores);
      digest.add(classes);
      digest.add(signs);
    }
  });
}

TEST(greedy_selection) {
  for (const auto& [n_classes, expected] : {std::pair{2, "79ef56c5b363c540"}, {6, "ce981941b582746b"}}) {
    const auto in = input<std::int64_t>(n_classes, 1000, 400);
    const auto counts = count(no_counts<std::int64_t>(n_classes), in.x, in.labels, {});
    check_digest(expected, [&](Digest& digest, int n_threads) {
      const GreedyRanking ranking = greedy(counts, {1, 400}, 100, false, {n_threads, {}});
      digest.add(ranking.indices.get(), 100);
      digest.add(ranking.divergences.get(), 100);
    });
  }
}

TEST(gains_and_guided_gains) {
  for (const auto& [cost, expected] : {std::pair{0.0, "b34a5cb1f9a083bd"}, {0.3, "498d2172237c6c3c"}}) {
    const auto in = input<std::int64_t>(12, 2000, 1500);
    ConditionalGain options;
    options.k = 200;
    options.machines.cost = cost;
    check_digest(expected, [&](Digest& digest, int n_threads) {
      const GainRanking ranking = conditional_gain(in.x.view(), in.labels.codes, {}, options, {n_threads, {}});
      digest.add(ranking.indices.get(), options.k);
      digest.add(ranking.gains.get(), options.k);
    });
  }
}

TEST(verdicts_of_naive_bayes) {
  const auto in = input<std::int64_t>(12, 2000, 1500);
  const auto counts = count(no_counts<std::int64_t>(12), in.x, in.labels, {});
  std::vector<std::int64_t> ranking(1500);
  std::iota(ranking.begin(), ranking.end(), 0);
  const std::vector<std::int64_t> ks{1, 10, 100, 1000};
  check_digest("ad0cf360367f9d7c", [&](Digest& digest, int n_threads) {
    for (const EventModel model :
         {EventModel::multinomial, EventModel::binary, EventModel::bernoulli, EventModel::poisson}) {
      std::vector<std::int64_t> hits(ks.size() * 12), predicted(hits);
      classify_by_prefixes(counts, {model, 1, ranking, ks}, LabelledDocuments{in.x.view(), in.labels.codes, TermWeight::raw},
                           {n_threads, {}}, hits.data(), predicted.data());
      digest.add(hits);
      digest.add(predicted);
    }
  });
}

}  // namespace
