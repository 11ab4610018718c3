// Checks, for any small counts, smoothing and priors, that the fast search finds the plain search's order and divergences.
#include <cmath>
#include <stdexcept>

#include "../collections.hpp"
#include "fuzz.hpp"
#include "termsift/greedy.hpp"

using namespace termsift;
using namespace collections;

namespace {

template <class Count>
void run(fuzz::Bytes& bytes) {
  const int n_classes = 2 + bytes.below(5), n_terms = 1 + bytes.below(40);
  const double smoothing[] = {1, 0.5, 0.1, 3, 1.0 / 3};
  const double b1 = smoothing[bytes.below(5)];
  std::vector<double> prior;
  if (bytes.below(3) == 0)
    for (int c = 0; c < n_classes; ++c) prior.push_back(bytes.below(8) / 4.0);
  Estimation estimation{b1, b1 * n_terms + (bytes.below(4) == 0 ? 1 : 0), prior};
  std::vector<Count> n_docs;
  std::vector<std::vector<Count>> tf;
  for (int c = 0; c < n_classes; ++c) {
    n_docs.push_back(static_cast<Count>(bytes.below(5)));
    tf.emplace_back();
    for (int t = 0; t < n_terms; ++t) {
      const int kind = bytes.below(16);
      Count x = static_cast<Count>(kind < 12 ? kind / 3 : 0);
      if (kind == 15) x = static_cast<Count>(bytes.take<std::uint32_t>());
      if (!std::is_integral_v<Count>) x = x * static_cast<Count>(0.375);
      tf.back().push_back(x);
    }
  }
  const ClassCounts<Count> counts = make_counts(n_docs, tf);
  GreedyRanking plain, fast;
  try {
    plain = greedy(counts, estimation, n_terms, true, {});
  } catch (const std::invalid_argument&) {
    try {
      greedy(counts, estimation, n_terms, false, {});
    } catch (const std::invalid_argument&) {
      return;
    }
    fuzz::require(false, "the fast search accepts what the plain one refuses");
  }
  fast = greedy(counts, estimation, n_terms, false, {2, {}});
  std::string want = std::to_string(plain.informative), got = std::to_string(fast.informative);
  for (int i = 0; i < n_terms; ++i) {
    want += " " + std::to_string(plain.indices[i]) + ":" + describe(plain.divergences[i]);
    got += " " + std::to_string(fast.indices[i]) + ":" + describe(fast.divergences[i]);
    fuzz::require(std::isfinite(fast.divergences[i]), "a divergence is not finite");
    fuzz::require(i == 0 || fast.divergences[i] >= fast.divergences[i - 1], "a divergence falls");
  }
  fuzz::require_equal(got, want, "the fast search's order");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  if (bytes.below(4) != 0) run<std::int64_t>(bytes);
  else run<double>(bytes);
  return 0;
}
