// Sorting by buckets against std::sort.
#include "text/bucket_sort.hpp"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "check.hpp"

using namespace termsift;

namespace {

struct Element {
  std::uint64_t high, low, rest;  // sorted by all three, of which the first two are the prefix

  auto key() const { return std::tuple(high, low, rest); }
  bool operator==(const Element& other) const { return key() == other.key(); }
};

SortPrefix prefix(const Element& element) { return {element.high, element.low}; }
bool before(const Element& a, const Element& b) { return a.key() < b.key(); }

// Returns the elements, of which each part has so many, bucket after bucket.
std::vector<Element> sorted(const std::vector<Element>& elements, std::size_t of_part, const Threads& threads) {
  const std::size_t n_parts = (elements.size() + of_part - 1) / of_part;
  const auto visit = [&](std::int64_t part, std::vector<Element>& found) {
    const std::size_t begin = static_cast<std::size_t>(part) * of_part;
    for (std::size_t i = begin; i < std::min(begin + of_part, elements.size()); ++i) found.push_back(elements[i]);
  };
  const Buckets<Element> buckets(static_cast<std::int64_t>(elements.size()), static_cast<std::int64_t>(n_parts), visit,
                                 prefix, threads);
  BucketSorter<Element> sorter;
  std::vector<Element> all;
  for (std::int64_t b = 0; b < buckets.size(); ++b) {
    sorter.sort(buckets, b, prefix, before);
    buckets.for_each_span(b, [&](std::span<const Element> span) { all.insert(all.end(), span.begin(), span.end()); });
  }
  return all;
}

// Elements that differ only in the bits of `high`, `low` and `rest`.
void check_sorted(std::size_t n, std::uint64_t high, std::uint64_t low, std::uint64_t rest) {
  std::mt19937_64 random(n);
  std::vector<Element> elements;
  for (std::size_t i = 0; i < n; ++i)
    elements.push_back({(random() & high) | 0x6100000000000000, random() & low, random() & rest});
  std::vector<Element> want = elements;
  std::sort(want.begin(), want.end(), before);
  for (const std::size_t of_part : {std::size_t{1000}, n / 2 + 1})
    for (const int count : {1, 3}) CHECK(sorted(elements, of_part, {count}) == want);
}

constexpr std::uint64_t all = ~std::uint64_t{0};

TEST(few_and_many_elements_are_sorted) {
  for (const std::size_t n : {0, 1, 2, 63, 64, 65, 1500, 40'000}) check_sorted(n, all, all, all);
}

TEST(elements_that_begin_with_the_same_bits_are_sorted) {
  for (const std::size_t n : {100, 30'000}) {
    for (int shift = 0; shift < 64; shift += 7) check_sorted(n, all >> shift, all, 0);
    for (int shift = 0; shift < 64; shift += 7) check_sorted(n, 0, all >> shift, 0);
  }
}

TEST(elements_of_few_prefixes_are_sorted_by_the_rest) {
  for (const std::size_t n : {100, 30'000}) {
    check_sorted(n, 0, 0, all);
    check_sorted(n, std::uint64_t{3} << 62, 0, all);
    check_sorted(n, 1, 1, 0xFFFF);
    check_sorted(n, 0xFF, 0, 3);  // many are equal
  }
}

// A sample of the first part alone would put all elements into one bucket, and give the same order.
TEST(a_part_that_is_no_fair_sample_changes_no_order) {
  std::vector<Element> elements;
  for (std::uint64_t i = 0; i < 20'000; ++i) elements.push_back({20'000 - i, 0, 0});
  std::vector<Element> want = elements;
  std::sort(want.begin(), want.end(), before);
  CHECK(sorted(elements, 500, {2}) == want);
}

}  // namespace
