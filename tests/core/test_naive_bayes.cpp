#include "termsift/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bayes/verdict_kernels.hpp"
#include "check.hpp"
#include "collections.hpp"
#include "simd/targets.hpp"
#include "termsift/runtime.hpp"

using namespace termsift;
using namespace collections;

namespace {

constexpr EventModel models[] = {EventModel::multinomial, EventModel::binary, EventModel::bernoulli, EventModel::poisson};

using Terms = std::vector<std::int64_t>;

struct Results {
  std::vector<std::int64_t> hits, predicted;
  bool operator==(const Results&) const = default;
};

Terms up_to(std::int64_t n) {
  Terms ks(at(n));
  std::iota(ks.begin(), ks.end(), 1);
  return ks;
}

template <class Count, class Index, class Value>
Results classify(const ClassCounts<Count>& counts, EventModel model, double b1, const Terms& ranking, const Terms& ks,
                const Matrix<Index, Value>& x, const std::vector<ClassId>& labels, const Threads& threads = {},
                TermWeight term_weight = TermWeight::raw) {
  // The arrays are filled with -77, a wrong value that reveals elements that are never written.
  const std::size_t size = ks.size() * counts.rows.size();
  Results results{std::vector<std::int64_t>(size, -77), std::vector<std::int64_t>(size, -77)};
  classify_by_prefixes(counts, {model, b1, ranking, ks}, LabelledDocuments{x.view(), labels, term_weight}, threads,
                       results.hits.data(), results.predicted.data());
  return results;
}

// Returns the predicted class of one document at each k.
template <class Count, class Index, class Value>
std::vector<std::size_t> predict(const ClassCounts<Count>& counts, EventModel model, double b1, const Terms& ranking,
                                 const Terms& ks, const Matrix<Index, Value>& x,
                                 TermWeight term_weight = TermWeight::raw) {
  const Results results = classify(counts, model, b1, ranking, ks, x, {-1}, {}, term_weight);
  CHECK(std::ranges::all_of(results.hits, [](auto n) { return n == 0; }));
  std::vector<std::size_t> classes;
  const std::size_t n = counts.rows.size();
  for (std::size_t step = 0; step < ks.size(); ++step) {
    const auto row = std::span(results.predicted).subspan(step * n, n);
    CHECK_EQ(std::accumulate(row.begin(), row.end(), std::int64_t{0}), 1);
    classes.push_back(static_cast<std::size_t>(std::ranges::max_element(row) - row.begin()));
  }
  return classes;
}

// ---- the plain loop ----------------------------------------------------------------------------------------------------

struct Posterior {
  long double value = 0, size = 0;  // log pi_c + sum_i log P(x_i | c), and the sum of the magnitudes of its terms
  void add(long double x) {
    value += x;
    size += std::fabs(x);
  }
};

// A plain implementation of naive Bayes with the first k terms, written from the definition.
struct PlainBayes {
  EventModel model;
  long double b1;
  std::vector<long double> n_docs;
  std::vector<std::vector<long double>> tf, df;

  template <class Count>
  PlainBayes(const ClassCounts<Count>& counts, EventModel m, double b) : model(m), b1(b) {
    for (const auto& row : counts.rows) {
      n_docs.push_back(static_cast<long double>(row->n_docs));
      tf.emplace_back(at(counts.n_terms), 0);
      df.emplace_back(at(counts.n_terms), 0);
      for (std::int64_t i = 0; i < row->size; ++i) {
        tf.back()[at(row->terms[i])] = static_cast<long double>(row->term_frequency[i]);
        df.back()[at(row->terms[i])] = static_cast<long double>(row->document_frequency[i]);
      }
    }
  }

  Posterior posterior(std::size_t c, const Terms& ranking, std::int64_t k, const std::vector<long double>& x) const {
    const bool of_documents = model == EventModel::binary || model == EventModel::bernoulli;
    const auto& l = of_documents ? df[c] : tf[c];
    Posterior p;
    p.add(std::log(n_docs[c]));
    long double total = 0;
    for (std::int64_t r = 0; r < k; ++r) total += l[at(ranking[at(r)])];
    for (std::int64_t r = 0; r < k; ++r) {
      const std::size_t i = at(ranking[at(r)]);
      const long double seen = of_documents ? (x[i] > 0 ? 1 : 0) : x[i];
      p.size += 2 * seen * std::fabs(std::log(b1));  // the core adds up log(1 + l/b1)
      if (model == EventModel::bernoulli) {
        p.add(std::log(seen > 0 ? (l[i] + b1) / (n_docs[c] + 2 * b1) : (n_docs[c] - l[i] + b1) / (n_docs[c] + 2 * b1)));
      } else if (model == EventModel::poisson) {
        const long double rate = (l[i] + b1) / (n_docs[c] + b1);
        if (seen > 0) p.add(seen * std::log(rate));
        p.add(-rate);
      } else if (seen > 0) {
        p.add(seen * std::log(l[i] + b1));
        p.add(-seen * std::log(total + b1 * static_cast<long double>(k)));
      }
    }
    return p;
  }

  // Checks that `found` is the first of the most probable classes. Classes whose sums agree to 2^-58 must count as equal,
  // and classes whose sums agree to 2^-40 may count as equal.
  void check(std::size_t found, const Terms& ranking, std::int64_t k, const std::vector<long double>& x) const {
    CHECK(n_docs[found] > 0);
    std::vector<Posterior> all(n_docs.size());
    long double best = -INFINITY, size = 0;
    for (std::size_t c = 0; c < all.size(); ++c)
      if (n_docs[c] > 0) {
        all[c] = posterior(c, ranking, k, x);
        best = std::max(best, all[c].value);
      }
    for (std::size_t c = 0; c < all.size(); ++c)
      if (n_docs[c] > 0 && all[c].value >= best) size = all[c].size;
    CHECK_NEAR(all[found].value, best, 0x1p-40L * (all[found].size + size));
    for (std::size_t c = 0; c < found; ++c)
      if (n_docs[c] > 0) CHECK(all[c].value < best - 0x1p-58L * (all[c].size + size));
  }
};

template <class Index, class Value>
std::vector<long double> dense(const Matrix<Index, Value>& x, std::int64_t d, TermWeight term_weight) {
  std::vector<long double> row(at(x.n_columns), 0);
  for (auto e = at(x.indptr[at(d)]); e < at(x.indptr[at(d + 1)]); ++e) {
    if constexpr (std::is_same_v<Value, Bool>) row[at(x.indices[e])] += x.data[e] != Bool{0} ? 1 : 0;
    else row[at(x.indices[e])] += static_cast<long double>(x.data[e]);
  }
  for (long double& value : row)
    if (value > 0 && term_weight != TermWeight::raw) value = term_weight == TermWeight::log ? std::log1p(value) : 1;
  return row;
}

Terms shuffled(Random& random, std::int64_t n) {
  Terms terms(at(n));
  std::iota(terms.begin(), terms.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i) std::swap(terms[at(i)], terms[at(below(random, i + 1))]);
  return terms;
}

// Returns all k from 1 to n, or only some of them if `sparse` is true.
Terms random_ks(Random& random, std::int64_t n, bool sparse) {
  Terms ks;
  for (std::int64_t k = 1; k <= n; ++k)
    if (!sparse || below(random, 3) == 0) ks.push_back(k);
  if (ks.empty()) ks.push_back(n);
  return ks;
}

std::int64_t n_checked = 0;

template <class Index, class Value, class Count>
void compare_with_the_plain_loop(Random& random) {
  const std::int64_t n_classes = 1 + below(random, 6), n_terms = 1 + below(random, 14), n_docs = 1 + below(random, 12);
  const double alphas[] = {1e-10, 0.01, 1, 1, 10};
  const double b1 = alphas[below(random, 5)];
  // Some classes have no documents.
  const auto labels = random_labels(random, n_docs, n_classes, false);
  auto grown = labels;
  grown.n_classes = n_classes + below(random, 3);
  const auto train = random_matrix<Index, Value>(random, n_docs, n_terms, 8);
  const auto counts = count_plainly<Count>(train, grown, {});
  const std::int64_t n_ranked = 1 + below(random, n_terms);
  Terms ranking = shuffled(random, n_terms);
  ranking.resize(at(n_ranked));
  const Terms ks = random_ks(random, n_ranked, below(random, 2) == 0);
  const auto test = random_matrix<Index, Value>(random, below(random, 8), n_terms, 1 + below(random, 9));
  std::vector<ClassId> known;
  for (std::int64_t d = 0; d < test.n_rows(); ++d)
    known.push_back(static_cast<ClassId>(below(random, grown.n_classes + 1) - 1));

  const TermWeight term_weight = TermWeight{static_cast<std::uint8_t>(below(random, 3))};
  for (const EventModel model : models) {
    const PlainBayes plain(counts, model, b1);
    const std::size_t n = counts.rows.size();
    Results sum{std::vector<std::int64_t>(ks.size() * n, 0), std::vector<std::int64_t>(ks.size() * n, 0)};
    for (std::int64_t d = 0; d < test.n_rows(); ++d) {
      const auto document = test.rows(d, d + 1);
      const auto found = predict(counts, model, b1, ranking, ks, document, term_weight);
      const auto x = dense(document, 0, term_weight);
      for (std::size_t step = 0; step < ks.size(); ++step) {
        plain.check(found[step], ranking, ks[step], x);
        // No change of the predicted class may be skipped. A call for a single k skips nothing, so both calls must agree.
        CHECK_EQ(predict(counts, model, b1, ranking, {ks[step]}, document, term_weight)[0], found[step]);
        ++sum.predicted[step * n + found[step]];
        if (known[at(d)] >= 0 && found[step] == at(known[at(d)])) ++sum.hits[step * n + found[step]];
        ++n_checked;
      }
    }
    CHECK(classify(counts, model, b1, ranking, ks, test, known, {}, term_weight) == sum);
  }
}

}  // namespace

// ---- against the plain loop --------------------------------------------------------------------------------------------

TEST(every_k_and_document_agrees_with_the_plain_loop) {
  // Catches faults in the losses of the models and in ranks, faults with classes without documents, and faults with repeated
  // entries and stored zeros. TermWeight::log applies to the sum of repeated entries, but not to 0 and 1 in binary models.
  Random random(20161);
  for (int round = 0; round < 200; ++round) {
    compare_with_the_plain_loop<std::int32_t, std::int32_t, std::int64_t>(random);
    compare_with_the_plain_loop<std::int64_t, std::uint8_t, std::int64_t>(random);
    compare_with_the_plain_loop<std::int32_t, Bool, std::int64_t>(random);
    compare_with_the_plain_loop<std::int64_t, double, double>(random);
    compare_with_the_plain_loop<std::int32_t, float, double>(random);
  }
  std::printf("        %lld predictions\n", static_cast<long long>(n_checked));
}

TEST(every_simd_target_judges_as_a_plain_loop) {
  // Every SIMD target must find the best class at each position of a vector, and ties within and between vectors.
  const std::string target = simd_target();
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t n = 1 + round % 13, stride = (n + verdict_lanes - 1) / verdict_lanes * verdict_lanes;
    std::vector<double> rows[4];
    for (auto& row : rows) {
      row.assign(at(stride), 0.0);
      for (std::int64_t c = 0; c < n; ++c) row[at(c)] = static_cast<double>((round * 7 + c * c * (round % 5 + 1)) % 4);
    }
    std::fill(rows[0].begin() + n, rows[0].end(), no_class);
    std::vector<double> values(at(stride)), errors(at(stride)), v(at(stride)), e(at(stride));
    const double error = round % 3 == 0 ? 0x1p-45 : 0.01 * (round % 7);
    double least_of_best = -HUGE_VAL, second = -HUGE_VAL;
    for (std::size_t c = 0; c < v.size(); ++c) {
      const double gained = rows[0][c] + rows[1][c], lost = 3 * rows[2][c] + 0.5 * rows[3][c];
      v[c] = gained - lost;
      e[c] = error * (gained + lost);
      least_of_best = std::max(least_of_best, v[c] - e[c]);
    }
    std::size_t winner = 0;
    while (v[winner] + e[winner] < least_of_best) ++winner;
    for (std::size_t c = 0; c < v.size(); ++c)
      if (c != winner) second = std::max(second, v[c] + 2 * e[c]);
    for (const std::string& name : simd_targets()) {
      use_simd_target(name);
      const Verdict verdict = kernels_in_use<VerdictKernels>().judge({stride, rows[0].data(), rows[1].data(), rows[2].data(),
                                                                      rows[3].data(), 3, 0.5, error, values.data(),
                                                                      errors.data()});
      CHECK_EQ(verdict.winner, static_cast<std::int64_t>(winner));
      CHECK_EQ(verdict.lead, v[winner] - 2 * e[winner] - second);
    }
  }
  use_simd_target(target);
}

// ---- edges -------------------------------------------------------------------------------------------------------------

TEST(documents_ks_and_terms_may_be_missing) {
  // Catches faults if a document has no ranked term, if there are no documents or no k, and if there is one class.
  const auto counts = make_counts<std::int64_t>({3, 0, 5, 5}, {{1, 2, 0}, {0, 0, 0}, {0, 4, 1}, {0, 4, 1}});
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 3;
  const std::vector<std::int64_t> zeros(8, 0);
  CHECK(classify(counts, models[0], 1, {2, 0}, {1, 2}, x, {}) == (Results{zeros, zeros}));
  x.add_row({});
  x.add_row({{1, 9}, {0, 0}});  // no ranked term
  // In a document without ranked terms, the multinomial model reads only the prior and predicts the first of equal classes.
  const Results by_prior{{0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 2, 0, 0, 0, 2, 0}};
  CHECK(classify(counts, models[0], 1, {2, 0}, {1, 2}, x, {2, -1}) == by_prior);
  CHECK(classify(counts, models[0], 1, {2, 0}, {}, x, {2, -1}) == Results{});
  CHECK(classify(counts, models[0], 1, {}, {}, x, {2, -1}) == Results{});
  const auto one = make_counts<std::int64_t>({0, 3}, {{0, 0, 0}, {1, 2, 0}});
  for (const EventModel model : models)
    CHECK(classify(one, model, 1, {2, 0, 1}, {1, 3}, x, {1, 0}) == (Results{{0, 1, 0, 1}, {0, 2, 0, 2}}));
  // The matrix of documents may have fewer columns than the counts have terms.
  Matrix<std::int64_t, double> narrow;
  narrow.n_columns = 1;
  narrow.add_row({{0, 2.5}});
  CHECK_EQ(predict(counts, models[0], 1, {1, 0, 2}, {1, 2, 3}, narrow), (std::vector<std::size_t>{2, 0, 0}));
}

TEST(invalid_arguments_are_refused) {
  const auto counts = make_counts<std::int64_t>({1, 1}, {{1, 2, 0}, {0, 4, 1}});
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 3;
  x.add_row({{0, 1}});
  const auto classify_x = [&] { return classify(counts, models[0], 1, {0}, {1}, x, {0}); };
  const auto empty = make_counts<std::int64_t>({0, 0}, {{0, 0, 0}, {0, 0, 0}});
  CHECK_THROWS(classify(empty, models[0], 1, {0}, {1}, x, {0}), std::invalid_argument, "needs a class with documents");
  x.indices[0] = 3;
  CHECK_THROWS(classify_x(), std::invalid_argument, "the index 3 in row 0");
  x.indices[0] = 0;
  x.data[0] = -1;
  CHECK_THROWS(classify_x(), std::invalid_argument, "-1 at row 0, column 0");
  Matrix<std::int32_t, double> large;
  large.n_columns = 3;
  large.add_row({{0, 0x1p900}});
  CHECK_THROWS(classify(counts, models[0], 1, {0}, {1}, large, {0}), std::invalid_argument, "2^900");
}

// ---- ties and rounding -------------------------------------------------------------------------------------------------

namespace {

// Checks that the first of two equally probable classes is predicted, in both orders of the classes.
template <class Count>
void check_tie(EventModel model, double b1, std::vector<Count> n_docs, std::vector<std::vector<Count>> tf,
         const std::vector<std::pair<std::int64_t, std::int32_t>>& document) {
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = std::ssize(tf[0]);
  x.add_row(document);
  for (int order = 0; order < 2; ++order) {
    Terms ranking = up_to(x.n_columns);
    for (std::int64_t& term : ranking) --term;
    CHECK_EQ(predict(make_counts(n_docs, tf), model, b1, ranking, {x.n_columns}, x)[0], std::size_t{0});
    std::ranges::reverse(n_docs);
    std::ranges::reverse(tf);
  }
}

}  // namespace

TEST(classes_tie_after_thousands_of_terms) {
  // The tolerance must cover the rounding errors of n equal numbers, which may all have the same sign. For example, 5,000
  // times log 4 equals 10,000 times log 2.
  for (const std::size_t n : {std::size_t{1000}, std::size_t{5000}, std::size_t{20000}}) {
    std::vector<std::vector<std::int64_t>> tf(2, std::vector<std::int64_t>(3 * n + 1, 0));
    std::vector<std::pair<std::int64_t, std::int32_t>> document;
    for (std::size_t i = 0; i < 3 * n; ++i) {
      (i < n ? tf[0] : tf[1])[i] = i < n ? 3 : 1;
      document.push_back({static_cast<std::int64_t>(i), 1});
    }
    tf[1].back() = static_cast<std::int64_t>(n);  // the same total
    check_tie<std::int64_t>(EventModel::multinomial, 1, {1, 1}, tf, document);
  }
}

TEST(losses_tie_after_thousands_of_terms) {
  // The tolerance of ties must also cover rounding in sums over 150,000 ranks. For terms that a class lacks, 1 - p is 4/5.
  // In one class, 1 - p is 1/4 of this for n terms. In the other class, 1 - p is 1/2 of this for 2 n terms. The classes tie,
  // because (1/4)^n = (1/2)^(2 n).
  const std::size_t n = 50000;
  std::vector<std::int64_t> fours(3 * n, 0), twos(3 * n, 0);
  for (std::size_t i = 0; i < 3 * n; ++i) (i < n ? fours : twos)[i] = i < n ? 3 : 2;
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 3 * static_cast<std::int64_t>(n);
  x.add_row({});
  Terms ranking = up_to(x.n_columns);
  for (std::int64_t& term : ranking) --term;
  for (int order = 0; order < 2; ++order) {
    ClassCounts<std::int64_t> counts{x.n_columns, 6, {}, nullptr};
    for (const auto* df : {&fours, &twos})
      counts.rows.push_back(std::make_shared<const ClassRow<std::int64_t>>(make_row<std::int64_t>(3, *df, *df)));
    CHECK_EQ(predict(counts, EventModel::bernoulli, 1, ranking, {x.n_columns}, x)[0], std::size_t{0});
    std::swap(fours, twos);
  }
}

TEST(a_prior_may_balance_a_small_gain) {
  // Catches the log of a rounded 10,001/10,000, which has only 12 correct digits. Prior times p is the same in both classes.
  check_tie<std::int64_t>(EventModel::multinomial, 10000, {10000, 10001}, {{1, 0}, {0, 1}}, {{0, 1}});
  check_tie<std::int64_t>(EventModel::multinomial, 100000, {100000, 100001}, {{1, 0}, {0, 1}}, {{0, 1}});
}

TEST(an_unlikely_class_does_not_widen_the_tolerance_of_others) {
  // The tolerance must not depend on the largest sum of any class, which is here the rate of a class of long documents.
  const auto counts = make_counts<std::int64_t>({1, 1, 1}, {{10, 11, 0}, {11, 10, 0}, {0, 0, std::int64_t{1} << 60}});
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 3;
  x.add_row({{0, 10}});
  CHECK_EQ(predict(counts, EventModel::poisson, 1, {0, 1, 2}, {1, 2, 3}, x), (std::vector<std::size_t>{1, 1, 1}));
}

TEST(no_slow_change_is_skipped) {
  // The second term adds 1,024 to the loss of class 2. Each later term adds slightly more to the loss of class 0 than to the
  // loss of class 1. A single difference is a quarter of an ulp of 1,024, but their sum exceeds the lead of class 0.
  const std::int64_t n = 20000;
  const double b1 = 0x1p-43, lead = 0x1p-31;
  std::vector<std::vector<double>> tf(3, std::vector<double>(at(n), 0));
  tf[1][1] = 2 * (std::log(2.0) + lead);
  tf[2][1] = 0x1p30;
  const auto counts = make_counts<double>({1, 2, 0x1p20}, tf);
  Matrix<std::int32_t, double> x;
  x.n_columns = n;
  x.add_row({});
  const Terms ks = up_to(n);
  Terms ranking = ks;
  for (std::int64_t& term : ranking) --term;
  const auto found = predict(counts, EventModel::poisson, b1, ranking, ks, x);
  CHECK_EQ(found[1], std::size_t{0});
  CHECK_EQ(found.back(), std::size_t{1});
  for (std::size_t step = 0; step < ks.size(); step += 97)
    CHECK_EQ(found[step], predict(counts, EventModel::poisson, b1, ranking, {ks[step]}, x)[0]);
}

TEST(extreme_smoothing_gives_numbers) {
  // If b1 k or l/b1 overflows, infinity - infinity must not give NaN.
  const auto counts = make_counts<std::int64_t>({1, 2}, {{5, 0, 1}, {0, 5, 1}});
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 3;
  x.add_row({{1, 1}});
  for (const EventModel model : models)
    for (const double b1 : {0x1p1023, 1e308, 1e300})
      CHECK_EQ(predict(counts, model, b1, {0, 1, 2}, {1, 2, 3}, x), (std::vector<std::size_t>{1, 1, 1}));
  for (const EventModel model : models)
    CHECK_EQ(predict(counts, model, 1e-300, {1, 0, 2}, {1, 2, 3}, x), (std::vector<std::size_t>{1, 1, 1}));
  const auto large = make_counts<double>({1, 1}, {{0x1p1000, 0}, {0, 1}});
  x.n_columns = 2;
  for (const EventModel model : {EventModel::multinomial, EventModel::poisson})
    CHECK_THROWS(classify(large, model, 1e-30, {0, 1}, {1, 2}, x, {0}), std::invalid_argument, "alpha is too small");
}
