#include "termsift/ranking.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"

using namespace termsift;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> best(const std::vector<double>& scores, std::size_t k) {
  std::vector<std::int64_t> indices(k, -1);
  top_k(scores.data(), static_cast<std::int64_t>(scores.size()), static_cast<std::int64_t>(k), indices.data());
  return indices;
}

std::vector<std::int64_t> best_by_stable_sort(const std::vector<double>& scores, std::size_t k) {
  std::vector<std::int64_t> indices(scores.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::stable_sort(indices.begin(), indices.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  indices.resize(k);
  return indices;
}

}  // namespace

TEST(agrees_with_a_stable_sort) {
  // Catches ties at the k-th place in any order, as a plain partial selection leaves them.
  std::mt19937_64 random(1);
  const double values[] = {-infinity, -1, 0, 0.25, 0.5, 1, infinity};
  for (std::size_t n : {1u, 2u, 3u, 10u, 100u, 3000u}) {
    std::vector<double> scores(n);
    for (double& score : scores) score = values[random() % 7];
    for (std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n / 2, n - 1, n})
      CHECK_EQ(best(scores, k), best_by_stable_sort(scores, k));
  }
}

TEST(equal_scores_keep_their_order) {
  // Guards against a heap or quickselect that returns equal scores in its own order.
  const std::vector<double> scores(1000, infinity);
  CHECK_EQ(best(scores, 500), best_by_stable_sort(scores, 500));
}

TEST(distinct_scores_are_sorted_in_descending_order) {
  std::mt19937_64 random(2);
  std::vector<double> scores(5000);
  std::iota(scores.begin(), scores.end(), -2500.0);
  std::shuffle(scores.begin(), scores.end(), random);
  for (std::size_t k : {1u, 17u, 4999u, 5000u}) CHECK_EQ(best(scores, k), best_by_stable_sort(scores, k));
}

TEST(both_zeros_are_equal) {
  // Guards against a comparison of bits, which puts -0 below 0.
  CHECK_EQ(best({-0.0, 0.0, -0.0}, 3), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(k_may_be_zero) {
  // Guards against reading or writing the first of no elements.
  CHECK_EQ(best({}, 0), std::vector<std::int64_t>{});
  const double score = 1;
  top_k(&score, 1, 0, nullptr);
}
