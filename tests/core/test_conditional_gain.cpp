#include "termsift/conditional_gain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "gain/collection.hpp"
#include "gain/posterior_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/runtime.hpp"

using namespace termsift;
using namespace collections;

namespace {

using Real = long double;
using Int = std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Index = std::int32_t, class Value = std::int32_t>
struct Documents {
  Matrix<Index, Value> x;
  std::vector<std::int32_t> classes;
  std::vector<double> weights;

};

struct Chosen {
  std::vector<Int> indices;
  std::vector<double> gains;
};

template <class Index, class Value>
Chosen choose(const Documents<Index, Value>& docs, const ConditionalGain& options, const Threads& threads = {}) {
  const GainRanking r = conditional_gain(docs.x.view(), docs.classes, docs.weights, options, threads);
  return {{r.indices.get(), r.indices.get() + options.k}, {r.gains.get(), r.gains.get() + options.k}};
}

void check_same(const Chosen& got, const Chosen& want) {
  CHECK_EQ(got.indices, want.indices);
  CHECK_EQ(got.gains, want.gains);
}

// Returns random documents. Of each four consecutive terms, the first is in every document and the second is in none.
Documents<> make_documents(std::int32_t n_classes, Int n_docs, Int n_terms, Random& random) {
  Documents<> docs;
  docs.x.n_columns = n_terms;
  for (Int d = 0; d < n_docs; ++d) {
    docs.classes.push_back(static_cast<std::int32_t>(below(random, n_classes)));
    std::vector<std::pair<Int, std::int32_t>> row;
    for (Int t = 0; t < n_terms; ++t)
      if (t % 4 < 2 ? t % 4 == 0 : below(random, 4) == 0)
        row.push_back({t, 1 + static_cast<std::int32_t>(below(random, 3))});
    docs.x.add_row(row);
    docs.weights.push_back(0.1 * static_cast<double>(below(random, 5)));
  }
  return docs;
}

}  // namespace

TEST(threads_and_targets_give_the_same_bits) {
  // There are enough documents for each loop to use several threads. The order of the sums must not depend on the threads.
  Random random(3);
  for (const std::int32_t n_classes : {2, 30, 70}) {
    const auto docs = make_documents(n_classes, 24000, 40, random);
    const ConditionalGain options{1, 0.15, 0.5, 12};
    const std::string target = simd_target();
    const Chosen first = choose(docs, options);
    for (const std::string& name : simd_targets()) {
      use_simd_target(name);
      for (const int n_threads : check::thread_counts({1, 2, 3, 7}))
        check_same(choose(docs, options, {n_threads, {}}), first);
    }
    use_simd_target(target);
  }
}

// ---- parts -------------------------------------------------------------------------------------------------------------

TEST(exponentials_and_logarithms_are_accurate_on_every_target) {
  // Catches an overflow of 2^k, NaN from (-inf) - (-inf), and k log 2 that is rounded and so loses digits for large |x|.
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

TEST(the_largest_logarithm_of_a_document_becomes_0) {
  // Exponentials of larger numbers overflow, so each of the lanes must be able to hold the largest.
  const std::string target = simd_target();
  for (const std::string& name : simd_targets()) {
    use_simd_target(name);
    const PosteriorKernels kernels = kernels_in_use<PosteriorKernels>();
    for (std::size_t largest = 0; largest < 16; ++largest) {
      std::vector<double> sums(16, -1), log_lift(16, 0), log_prior(16, -2), logs(16);
      log_lift[largest] = 2000;
      kernels.add_evidence({16, sums.data(), nullptr, log_lift.data(), 0.5, log_prior.data(), logs.data()});
      std::vector<double> want(16, -1000);
      want[largest] = 0;
      CHECK_EQ(logs, want);
    }
  }
  use_simd_target(target);
}

template <class Index, class Value>
void check_postings(const Matrix<Index, Value>& x, int n_threads) {
  std::vector<Int> rows;  // four of five rows of the matrix, in reverse order
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
  // Repeated entries must count as one presence, and stored zeros as none. Threads must not change the order of documents.
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
