// Takes any small counts, smoothing, priors, model and measure. Scores by the dense and the sparse algorithm must be
// aggregates of the class scores, and the scores of pairs must be the class scores.
//
// The inputs lie outside the usual ranges of the sparse algorithm's series: some classes have one document and others a
// million, and smoothing is between 2^-40 and far above every count.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../score_cases.hpp"
#include "fuzz.hpp"
#include "scoring/score_ways.hpp"
#include "termsift/double_double.hpp"
#include "termsift/class_counts.hpp"

using namespace termsift;
using namespace score_cases;

namespace {

constexpr double tolerance = 1e-14;  // the README promises this relative error

// Sums w_c x_c over classes c to about twice the digits of a double; infinite if an x_c of positive weight is infinite.
struct ExactSum {
  double hi = 0, lo = 0;
  bool endless = false;
  void add(double weight, double x) {
    if (weight == 0) return;
    if (std::isinf(x)) endless = true;
    const DoubleDouble product = two_product(weight, endless ? 0 : x), sum = two_sum(hi, product.hi);
    hi = sum.hi;
    lo += sum.lo + product.lo;
  }
  double value() const { return endless ? HUGE_VAL : hi + lo; }
};

void require_close(double got, double want, const std::string& what) {
  if (got == want) return;
  fuzz::require(std::isfinite(got) && std::isfinite(want) && std::fabs(got - want) <= tolerance * std::fabs(want),
                what + ": " + describe(got) + " in place of " + describe(want));
}

template <class Count>
Count number(fuzz::Bytes& bytes) {
  const int kind = bytes.below(32);
  std::int64_t x = 1 + kind / 8;
  if (kind >= 24) {
    const auto largest = std::int64_t{1} << bytes.below(40);
    x = 1 + static_cast<std::int64_t>(bytes.take<std::uint64_t>() >> 1) % largest;
  }
  if constexpr (std::is_integral_v<Count>) return x;
  else return static_cast<double>(x) * 0.375;
}

template <class Count>
void run(fuzz::Bytes& bytes) {
  constexpr EventModel models[] = {EventModel::multinomial, EventModel::binary, EventModel::bernoulli, EventModel::poisson};
  constexpr Measure measures[] = {Measure::kl, Measure::nu_j, Measure::nu_pearson};
  const EventModel model = models[bytes.below(4)];
  const Measure measure = measures[bytes.below(3)];
  const bool any_size = bytes.flag();  // if true, use the kernels for probabilities of any size with every model
  const int n_classes = 2 + bytes.below(30), n_terms = 1 + bytes.below(60);
  const double smoothing[] = {1, 0.5, 0.1, 3, 1.0 / 3, 0x1p-20, 0x1p-40, 50};
  const double factors[] = {1, 1 + 0x1p-20, 2, 30, 65, 1000, static_cast<double>(n_terms), 0};
  const double b1 = smoothing[bytes.below(8)];
  const double factor = factors[bytes.below(8)];
  std::vector<double> prior;
  const int priors = bytes.below(4);
  for (int c = 0; c < n_classes && priors > 1; ++c)
    prior.push_back(priors == 2 ? bytes.below(8) / 4.0 : std::ldexp(1.0, -bytes.below(60)));
  const Estimation estimation{b1, factor == 0 && model != EventModel::poisson ? b1 : b1 * factor, prior};

  ClassCounts<Count> counts;
  counts.n_terms = n_terms;
  for (int c = 0; c < n_classes; ++c) {
    std::vector<Count> tf, df;
    Count most = 0;
    const int dense = bytes.below(4);
    for (int t = 0; t < n_terms; ++t) {
      const bool has = dense == 3 ? bytes.below(8) != 0 : bytes.below(32) <= dense;
      const Count x = has ? number<Count>(bytes) : Count{0};
      tf.push_back(x);
      df.push_back(x > 2 ? x / 2 : x);
      most = std::max(most, df.back());
    }
    const Count n_docs = most + (bytes.flag() ? number<Count>(bytes) : Count(most == 0 ? 1 : 0));
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(make_row(n_docs, tf, df)));
    counts.n_docs += n_docs;
  }
  auto counted = as_counted_by(model, counts, {});
  if (any_size && model != EventModel::poisson) counted.model = EventModel::bernoulli;

  std::vector<double> values(at(n_classes * n_terms)), scores(at(n_terms));
  try {
    class_results(counted, estimation, measure, {}, values.data());
  } catch (const std::invalid_argument&) {
    return;
  }
  double total = 0;
  std::vector<double> weights;
  for (int c = 0; c < n_classes; ++c) {
    weights.push_back(prior.empty() ? static_cast<double>(counts.rows[at(c)]->n_docs) : prior[at(c)]);
    if (counts.rows[at(c)]->n_docs == 0) weights.back() = 0;
    total += weights.back();
  }
  const auto compare = [&](Aggregate aggregate, const std::string& way) {
    for (int t = 0; t < n_terms; ++t) {
      ExactSum sum;
      double largest = 0;
      for (int c = 0; c < n_classes; ++c) {
        const double x = values[at(c * n_terms + t)];
        sum.add(aggregate == Aggregate::mean ? weights[at(c)] / total : 1, x);
        largest = std::max(largest, x);
      }
      const std::string what = way + ", term " + std::to_string(t) + " of " + std::to_string(n_classes) + " classes";
      if (aggregate == Aggregate::max) require_close(scores[at(t)], largest, what);
      else require_close(scores[at(t)], sum.value(), what);
    }
  };
  std::vector<std::int8_t> directions(values.size());
  class_results(counted, estimation, measure, {}, directions.data());
  const PairScores of_pairs = pair_scores_of(counted, estimation, {measure, counted.model});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string what = "pair " + std::to_string(i);
    require_close(of_pairs.scores[i], values[i], what);
    fuzz::require(of_pairs.directions[i] == directions[i], what + ": wrong direction");
  }
  for (const Aggregate aggregate : {Aggregate::sum, Aggregate::mean, Aggregate::max}) {
    score_dense(counted, estimation, measure, aggregate, {}, scores.data());
    compare(aggregate, "the dense way");
  }
  for (const Aggregate aggregate : {Aggregate::sum, Aggregate::mean, Aggregate::max}) {
    score_sparse(counted, estimation, measure, aggregate, {}, scores.data());
    compare(aggregate, "the sparse way");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  if (bytes.below(4) != 0) run<std::int64_t>(bytes);
  else run<double>(bytes);
  return 0;
}
