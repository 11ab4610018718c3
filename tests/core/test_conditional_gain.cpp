#include "termsift/conditional_gain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "gain/postings.hpp"
#include "gain/posterior_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/runtime.hpp"

using namespace termsift;
using namespace collections;

namespace {

using std::invalid_argument;
using Real = long double;
using Int = std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Index = std::int32_t, class Value = std::int32_t>
struct Documents {
  Matrix<Index, Value> x;
  std::int32_t n_classes = 0;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;

  double weight(std::size_t d) const { return weights.empty() ? 1 : weights[d]; }
};

struct Chosen {
  std::vector<Int> indices;
  std::vector<double> gains;
};

template <class Index, class Value>
Chosen choose(const Documents<Index, Value>& docs, const ConditionalGain& options, const Threads& threads = {},
              const Progress& progress = {}) {
  const GainRanking r =
      conditional_gain(docs.x.view(), docs.classes, docs.n_classes, docs.weights, options, threads, progress);
  return {{r.indices.get(), r.indices.get() + options.k}, {r.gains.get(), r.gains.get() + options.k}};
}

template <class Index, class Value>
bool has_value(const Documents<Index, Value>& docs, std::size_t d, Int term) {
  for (auto e = at(docs.x.indptr[d]); e < at(docs.x.indptr[d + 1]); ++e)
    if (static_cast<Int>(docs.x.indices[e]) == term && docs.x.data[e] != Value{0}) return true;
  return false;
}

// ---- the definition, in long double ------------------------------------------------------------------------------------

template <class Index, class Value>
Chosen choose_plainly(const Documents<Index, Value>& docs, const ConditionalGain& options) {
  const std::size_t n_docs = docs.classes.size(), n_terms = at(docs.x.n_columns), N = at(docs.n_classes);
  const Real a = options.shape;
  Real n = 0;
  std::vector<Real> n_c(N, 0), d_t(n_terms, 0);
  std::vector<std::vector<Real>> D(n_terms, n_c), W(D), own_W(D);
  std::vector<std::vector<std::size_t>> with(n_terms);
  for (std::size_t d = 0; d < n_docs; ++d) {
    const Real weight = docs.weight(d);
    n += weight;
    n_c[at(docs.classes[d])] += weight;
    for (std::size_t t = 0; t < n_terms && weight > 0; ++t) {
      if (!has_value(docs, d, static_cast<Int>(t))) continue;
      with[t].push_back(d);
      d_t[t] += weight;
      D[t][at(docs.classes[d])] += weight;
    }
  }
  const auto less_one = [](Real x) { return std::max(x - 1, Real{0}); };
  for (std::size_t t = 0; t < n_terms && n > 0; ++t)
    for (std::size_t c = 0; c < N; ++c) {
      const Real others = less_one(n_c[c]) * less_one(d_t[t]);
      W[t][c] = std::log((D[t][c] + a) / (n_c[c] * d_t[t] / n + a));
      own_W[t][c] = std::log((less_one(D[t][c]) + a) / ((others > 0 ? others / (n - 1) : 0) + a));
    }

  std::vector<Real> importance(N, 0);
  Real total_importance = 0;
  for (std::size_t c = 0; c < N; ++c)
    if (n_c[c] > 0) {
      importance[c] = std::pow(n_c[c] / n, -static_cast<Real>(options.balance));
      total_importance += n_c[c] / n * importance[c];
    }
  for (Real& value : importance) value /= total_importance;

  std::vector<std::vector<float>> P(n_docs, std::vector<float>(N));
  std::vector<std::vector<Real>> F(n_docs, std::vector<Real>(N, 0));
  std::vector<Int> m(n_docs, 0);
  std::vector<std::vector<bool>> in_play(n_docs, std::vector<bool>(N, false));
  for (auto& row : P)
    for (std::size_t c = 0; c < N && n > 0; ++c) row[c] = static_cast<float>(n_c[c] / n);

  const auto gain = [&](std::size_t t) {
    Real sum = 0;
    for (const std::size_t d : with[t]) {
      const std::size_t y = at(docs.classes[d]);
      Real ratio = P[d][y];
      for (std::size_t c = 0; c < N; ++c)
        if (c != y) ratio += P[d][c] * std::exp(static_cast<Real>(options.step) * (W[t][c] - own_W[t][y]));
      sum -= docs.weight(d) * importance[y] * std::log(ratio);
    }
    return sum;
  };
  const auto bring_into_play = [&](std::size_t d, std::size_t t) {
    std::vector<std::size_t> others;
    for (std::size_t c = 0; c < N; ++c)
      if (static_cast<std::int32_t>(c) != docs.classes[d] && n_c[c] > 0) others.push_back(c);
    const auto merit = [&](std::size_t c) { return std::nearbyint(0x1p30L * (std::log(n_c[c] / n) + W[t][c])); };
    std::stable_sort(others.begin(), others.end(), [&](std::size_t b, std::size_t c) { return merit(b) > merit(c); });
    others.resize(std::min(others.size(), at(options.classes_in_play - 1)));
    others.push_back(at(docs.classes[d]));
    for (const std::size_t c : others) in_play[d][c] = true;
  };
  const auto add = [&](std::size_t t) {
    for (const std::size_t d : with[t]) {
      if (m[d] == 0) bring_into_play(d, t);
      Real top = -std::numeric_limits<Real>::infinity(), total = 0;
      std::vector<Real> x(N);
      ++m[d];
      for (std::size_t c = 0; c < N; ++c) {
        F[d][c] += static_cast<std::int32_t>(c) == docs.classes[d] ? own_W[t][c] : W[t][c];
        x[c] = std::log(n_c[c]) + F[d][c] / (1 + static_cast<Real>(options.temper) * static_cast<Real>(m[d] - 1));
        if (!in_play[d][c]) x[c] = -std::numeric_limits<Real>::infinity();
        top = std::max(top, x[c]);
      }
      for (Real& value : x) total += value = std::exp(value - top);
      for (std::size_t c = 0; c < N; ++c) P[d][c] = static_cast<float>(x[c] / total);
    }
  };

  std::vector<Real> gains(n_terms);
  std::vector<Int> known_at(n_terms, 0);
  std::vector<bool> is_chosen(n_terms, false);
  for (std::size_t t = 0; t < n_terms; ++t) gains[t] = gain(t);
  Chosen chosen;
  while (static_cast<Int>(chosen.indices.size()) < options.k) {
    const auto units = [&](std::size_t t) { return n > 0 ? std::nearbyint(gains[t] / n * 0x1p40L) : 0; };
    std::size_t first = n_terms;
    for (std::size_t t = 0; t < n_terms; ++t)
      if (!is_chosen[t] && (first == n_terms || units(t) > units(first))) first = t;
    if (const auto step = static_cast<Int>(chosen.indices.size()); known_at[first] < step) {
      gains[first] = gain(first);
      known_at[first] = step;
      continue;
    }
    is_chosen[first] = true;
    chosen.indices.push_back(static_cast<Int>(first));
    chosen.gains.push_back(static_cast<double>(gains[first]));
    add(first);
  }
  return chosen;
}

void check_same(const Chosen& got, const Chosen& want) {
  CHECK_EQ(got.indices, want.indices);
  CHECK_EQ(got.gains, want.gains);
}

// ---- collections of many kinds -----------------------------------------------------------------------------------------

enum class Kind { any, separable, rare_class, mirrored, twins, everywhere };
constexpr Kind kinds[] = {Kind::any, Kind::separable, Kind::rare_class, Kind::mirrored, Kind::twins, Kind::everywhere};

template <class Index = std::int32_t, class Value = std::int32_t>
Documents<Index, Value> make_documents(Kind kind, std::int32_t n_classes, Int n_docs, Int n_terms, Random& random) {
  Documents<Index, Value> docs;
  docs.x.n_columns = n_terms;
  docs.n_classes = n_classes;
  for (Int d = 0; d < n_docs; ++d) {
    Int c = below(random, n_classes);
    if (kind == Kind::mirrored) c = d % n_classes;
    if (kind == Kind::rare_class && below(random, 12) != 0) c = n_classes - 1;
    docs.classes.push_back(static_cast<std::int32_t>(c));
    std::vector<std::pair<Int, Value>> row;
    for (Int t = 0; t < n_terms; ++t) {
      bool has = below(random, 4) == 0;
      if (kind == Kind::separable) has = below(random, 20) < (t % n_classes == c ? 15 : 1);
      if (kind == Kind::mirrored && t % 2 == 1) has = d >= n_classes && has_value(docs, at(d - n_classes), t - 1);
      if (kind == Kind::twins && t % 3 != 0) has = !row.empty() && row.back().first == t - 1;
      if (kind == Kind::everywhere && t % 4 < 2) has = t % 4 == 0;  // in every document, or in none
      if (has) row.push_back({t, static_cast<Value>(1 + below(random, 3))});
    }
    docs.x.add_row(row);
  }
  if (const Int w = below(random, 4); w > 1)
    for (Int d = 0; d < n_docs; ++d)
      docs.weights.push_back(static_cast<double>(below(random, 4)) * (w == 2 ? 1 : 0.37));
  return docs;
}

ConditionalGain make_options(Int k, Random& random) {
  const double shapes[] = {1, 0.1, 30, 0.012345, 7.5}, tempers[] = {0.15, 0, 1, 100}, steps[] = {0.5, 1, 0.01, 2};
  const double balances[] = {0, 0, 0.25, 1};
  ConditionalGain options{shapes[below(random, 5)], tempers[below(random, 4)], steps[below(random, 4)], k};
  options.balance = balances[below(random, 4)];
  return options;
}

}  // namespace

TEST(gains_follow_the_definition) {
  // Guards against W' of the wrong class, a weight applied twice, a counted document of weight 0, lifts kept for terms of
  // d_t documents and used for others, the prior in place of a posterior, and ties decided by rounding.
  Random random(1);
  for (const Kind kind : kinds)
    for (const std::int32_t n_classes : {1, 2, 3, 5, 8, 9, 17})
      for (int i = 0; i < 24; ++i) {
        const Int n_docs = 1 + below(random, i < 4 ? 3 : 40), n_terms = 1 + below(random, i < 2 ? 2 : 20);
        const auto docs = make_documents(kind, n_classes, n_docs, n_terms, random);
        ConditionalGain options = make_options(n_terms, random);
        if (i % 2 == 1) options.classes_in_play = 1 + static_cast<std::int32_t>(below(random, n_classes));
        const Chosen got = choose(docs, options), want = choose_plainly(docs, options);
        CHECK_EQ(got.indices, want.indices);
        for (std::size_t j = 0; j < got.gains.size(); ++j)
          CHECK_NEAR(got.gains[j], want.gains[j], 1e-11 * std::fabs(want.gains[j]) + 1e-13 * static_cast<double>(n_docs));
      }
}

TEST(threads_and_targets_give_the_same_bits) {
  // There are enough documents for each loop to use several threads. Guards against sums whose order depends on the threads.
  Random random(3);
  for (const std::int32_t n_classes : {2, 30, 70}) {
    auto docs = make_documents(Kind::everywhere, n_classes, 24000, 40, random);
    docs.weights.clear();
    for (std::size_t d = 0; d < docs.classes.size(); ++d)
      docs.weights.push_back(0.1 * static_cast<double>(below(random, 5)));
    const ConditionalGain options{1, 0.15, 0.5, 12};
    const std::string target = simd_target();
    const Chosen first = choose(docs, options);
    for (const std::string& name : simd_targets()) {
      use_simd_target(name);
      for (const int n_threads : {1, 2, 3, 7}) check_same(choose(docs, options, {n_threads, {}}), first);
    }
    use_simd_target(target);
  }
}

// ---- parts -------------------------------------------------------------------------------------------------------------

TEST(exponentials_and_logarithms_are_accurate_on_every_target) {
  // Catches an inexact k log 2, which loses digits as |x| grows, 2^k beyond the largest exponent, and NaN from -inf - -inf.
  Random random(6);
  const auto fraction = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto power = [&](Int least, Int n) { return std::ldexp(1.0, static_cast<int>(least + below(random, n))); };
  std::vector<double> x{-infinity, -1e300, -800, -708.5, std::nextafter(-708.0, -infinity), -708, -707.9, -1, -0x1p-60,
                        -0.0, 0.0, 0x1p-1074, 0x1p-30, 0.34657359027997264, 0.34657359027997270, 1, 708, 709};
  for (int i = 0; i < 200000; ++i) x.push_back(-708 + 1417 * fraction());
  for (int i = 0; i < 50000; ++i) x.push_back((2 * fraction() - 1) * power(-60, 60));
  while (x.size() % 8 != 0) x.push_back(0);
  std::vector<double> y;
  for (int i = 0; i < 80000; ++i) y.push_back((1 + fraction()) * power(-1020, 2040));
  for (int i = 0; i < 80000; ++i) y.push_back(1 + (fraction() - 0.5) * power(-50, 50));

  const auto ulp = [](Real of) {
    const double value = std::fabs(static_cast<double>(of));
    return static_cast<Real>(std::nextafter(value, infinity) - value);
  };
  const std::string target = simd_target();
  std::vector<double> first_exp, first_log, first_short;
  for (const std::string& name : simd_targets()) {
    use_simd_target(name);
    const PosteriorKernels kernels = kernels_in_use<PosteriorKernels>();
    std::vector<double> e = x, l = y, s = x;
    for (double& value : s) value = std::min(value, 0.0);
    const std::vector<double> not_positive = s;
    kernels.short_exponentials(s.data(), static_cast<Int>(s.size()));
    for (std::size_t i = 0; i < s.size(); ++i) {
      const Real want = not_positive[i] < -708 ? 0 : std::exp(Real{not_positive[i]});
      CHECK_NEAR(Real{s[i]}, want, 0x1p-46L * want);
    }
    kernels.exponentials(e.data(), static_cast<Int>(e.size()));
    kernels.logarithms(l.data(), static_cast<Int>(l.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real want = x[i] < -708 ? 0 : std::exp(Real{x[i]});
      CHECK_NEAR(Real{e[i]}, want, want == 0 ? Real{0} : ulp(want));
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      const Real want = std::log(Real{y[i]});
      CHECK_NEAR(Real{l[i]}, want, std::max(1.5L * ulp(want), 0x1p-53L));
    }
    if (first_exp.empty()) first_exp = e, first_log = l, first_short = s;
    CHECK(first_exp == e && first_log == l && first_short == s);
  }
  use_simd_target(target);
}

template <class Index, class Value>
void check_postings(const Matrix<Index, Value>& x, int n_threads) {
  std::vector<Int> rows;  // some rows of the matrix, in another order
  for (Int row = x.n_rows() - 1; row >= 0; --row)
    if (row % 5 != 2) rows.push_back(row);
  Collection all;
  all.rows = rows;
  for (Int d = 0; d < std::ssize(rows); ++d) {  // three documents of each class
    all.class_of.push_back(static_cast<std::int32_t>(d / 3));
    all.end_of.resize(at(d / 3 + 1), 0);
    all.end_of.back() = d + 1;
  }
  const Threads threads{n_threads, {}};
  const Postings postings = Postings::of(x.view(), check_csr(x.view(), {}, threads), all, threads);
  std::vector<std::vector<std::int32_t>> want(at(x.n_columns));
  for (Int d = 0; d < std::ssize(rows); ++d) {
    const Int row = rows[at(d)];
    std::map<Index, bool> seen;
    for (auto e = at(x.indptr[at(row)]); e < at(x.indptr[at(row + 1)]); ++e)
      if (x.data[e] != Value{0}) seen[x.indices[e]] = true;
    for (const auto& [term, _] : seen) want[at(term)].push_back(static_cast<std::int32_t>(d));
  }
  CHECK_EQ(postings.n_terms(), x.n_columns);
  for (Int term = 0; term < x.n_columns; ++term) {
    const auto documents = postings[term].documents;
    CHECK_EQ(std::vector<std::int32_t>(documents.begin(), documents.end()), want[at(term)]);
    std::size_t i = 0;
    for (const auto [y, end] : postings[term].runs) {
      CHECK(i < at(end) && at(end) <= documents.size());
      for (; i < at(end); ++i) CHECK_EQ(all.class_of[at(documents[i])], y);
      CHECK(i == documents.size() || all.class_of[at(documents[i])] > y);
    }
    CHECK_EQ(i, documents.size());
  }
}

TEST(postings_hold_each_document_once_in_order) {
  // Catches a repeated entry or a stored zero that counts, and documents in the order of the threads.
  Random random(7);
  const auto check_type = [&]<class Index, class Value>(Index, Value) {
    for (const bool sorted : {true, false}) {
      check_postings(random_matrix<Index, Value>(random, 0, 5, 3, sorted), 2);
      check_postings(random_matrix<Index, Value>(random, 40, 30, 10, sorted), 1);
      const auto many = random_matrix<Index, Value>(random, 9000, 500, 60, sorted);
      for (const int n_threads : {2, 7}) check_postings(many, n_threads);
    }
  };
  check_type(std::int32_t{}, std::int32_t{});
  check_type(std::int64_t{}, double{});
  check_type(std::int32_t{}, Bool{});
  check_type(std::int64_t{}, std::uint8_t{});
  auto positive = random_matrix<std::int32_t, std::int32_t>(random, 9000, 500, 60, true);
  for (std::int32_t& value : positive.data) value += 1;
  check_postings(positive, 3);
}

// ---- refusals ----------------------------------------------------------------------------------------------------------

TEST(invalid_arguments_are_refused) {
  Random random(8);
  const auto good = make_documents(Kind::any, 3, 20, 6, random);
  auto docs = good;
  docs.weights.clear();
  ConditionalGain options{1, 0.15, 0.5, 6};
  const auto run = [&] { return choose(docs, options).indices; };
  const auto refuses = [&](double& option, double value, const std::string& message) {
    const double before = option;
    option = value;
    CHECK_THROWS(run(), invalid_argument, message);
    option = before;
  };
  for (const double wrong : {0.0, -1.0, infinity, not_a_number}) {
    refuses(options.shape, wrong, "shape must be positive and finite");
    refuses(options.step, wrong, "step must be positive and finite");
    if (wrong != 0) refuses(options.temper, wrong, "temper must be finite and not negative");
    if (wrong != 0) refuses(options.balance, wrong, "balance must be between 0 and 1");
    if (wrong != 0) refuses(options.guide.cost, wrong, "cost must be positive and finite");
  }
  refuses(options.balance, 1.5, "balance must be between 0 and 1, got 1.5");
  refuses(options.step, 150, "at most 300 of step * the logarithm of 1 + documents / shape, got 456.67836565851");
  refuses(options.step, 20, "at most 12 of step * the logarithm of 1 + 1 / shape, got 13.862943611198906 of step 20");
  refuses(options.shape, 1e-12, "step is too large beside shape, expected at most 12");
  refuses(options.shape, 1e-320, "step is too large beside shape, expected at most 300");
  options.k = 7;
  CHECK_THROWS(run(), invalid_argument, "k must be in [0, number of terms = 6], got 7");
  options.k = -1;
  CHECK_THROWS(run(), invalid_argument, "got -1");
  options.k = 6;
  options.classes_in_play = 0;
  CHECK_THROWS(run(), invalid_argument, "classes_in_play must be positive, got 0");
  options.classes_in_play = 64;

  docs.classes[4] = 3;
  CHECK_THROWS(run(), invalid_argument, "document 4 has the class 3, expected one in [0, 3)");
  docs.classes[4] = -1;
  CHECK_THROWS(run(), invalid_argument, "document 4 has the class -1");
  docs.classes = good.classes;
  for (const double weight : {-1.0, not_a_number, infinity}) {
    docs.weights.assign(20, 1.0);
    docs.weights[7] = weight;
    CHECK_THROWS(run(), invalid_argument, "document 7 has the weight");
  }
  docs.weights.assign(20, 1e308);  // their sum is infinite
  CHECK_THROWS(run(), invalid_argument, "shape 1 and inf documents");
  docs.weights.assign(19, 1.0);
  CHECK_THROWS(run(), invalid_argument, "differ in length");
  docs.weights.clear();
  docs.classes.pop_back();
  CHECK_THROWS(run(), invalid_argument, "differ in length");
  docs.classes = good.classes;
  docs.x.indices.back() = 6;
  CHECK_THROWS(run(), invalid_argument, "column");
  docs.x = good.x;
  docs.x.data.front() = -1;
  CHECK_THROWS(run(), invalid_argument, "negative");
  docs.x = good.x;
  CHECK_EQ(run().size(), std::size_t{6});

  // More documents than an int32 can number are refused before any of them is read.
  const std::int32_t dummy = 0;
  const Int many = Int{1} << 31;
  const CsrView<std::int32_t, std::int32_t> x{many, 1, 0, &dummy, &dummy, &dummy};
  const std::span<const std::int32_t> classes{&dummy, at(many)};
  CHECK_THROWS(conditional_gain(x, classes, 1, {}, options, {}), invalid_argument, "more than 2^31 - 1 documents");
}

TEST(an_interruption_stops_the_search_and_progress_is_reported) {
  Random random(9);
  const auto docs = make_documents(Kind::any, 4, 3000, 60, random);
  const ConditionalGain options{1, 0.15, 0.5, 60};
  for (const int n_threads : {1, 3})
    CHECK_THROWS(choose(docs, options, {n_threads, [] { return true; }}), Interrupted, "interrupted");
  std::vector<Int> reported;
  const Chosen want = choose(docs, options);
  check_same(choose(docs, options, {1, [] { return false; }}, [&](Int done) { reported.push_back(done); }), want);
  CHECK(!reported.empty() && reported.front() == 0 && reported.back() <= 60);
  const Progress broken = [](Int) { throw std::runtime_error("no more paper"); };
  CHECK_THROWS(choose(docs, options, {}, broken), std::runtime_error, "no more paper");
}
