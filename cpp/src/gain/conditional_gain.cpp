#include "termsift/conditional_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/pacer.hpp"
#include "base/values.hpp"
#include "gain/collection.hpp"
#include "gain/lifts.hpp"
#include "gain/posterior_kernels.hpp"
#include "gain/posteriors.hpp"
#include "simd/logarithms.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

// Computes gains. Each thread has its own Evaluator.
class Evaluator {
 public:
  Evaluator(const Collection& collection, const Guide& guide, const Posteriors& posteriors, const ConditionalGain& options,
            std::span<const double> importance)
      : lifts(collection, guide, options), all_(collection), guide_(guide), posteriors_(posteriors),
        importance_(importance) {}

  // Returns a term's gain before any term is chosen, when all documents of a class have equal posteriors. O(classes
  // with the term).
  double first_gain(const TermDocuments& term) {
    lifts.find(term);
    const std::int64_t n_runs = std::ssize(term.runs);
    resize(n_runs);
    for (std::int64_t run = 0; run < n_runs; ++run) values_[at(run)] = lifts.at_the_start()[term.runs[at(run)].of_class];
    logarithms(n_runs);
    for (std::int64_t run = 0; run < n_runs; ++run) values_[at(run)] *= lifts.docs()[term.runs[at(run)].of_class];
    return -sum_of_runs(term);
  }

  double gain(const TermDocuments& term, const Threads& threads) {
    lifts.find(term);
    mix(term, threads);
    if (all_.weights.empty()) add_logarithms(term.runs);
    else add_weighted_logarithms(term);
    return -sum_of_runs(term);
  }

  Lifts lifts;  // the lifts of the last term

 private:
  void resize(std::int64_t n) { values_.resize(std::max(values_.size(), at(padded(n) + gain_lanes))); }

  void logarithms(std::int64_t n) {
    for (std::int64_t i = n; i < padded(n); ++i) values_[at(i)] = 1;
    kernels_.logarithms(values_.data(), padded(n));
  }

  // Sets values_ to the mixtures (see MixtureBatch) of the documents.
  void mix(const TermDocuments& term, const Threads& threads) {
    constexpr std::int64_t docs_in_block = 512;
    const std::int64_t n = std::ssize(term.documents);
    resize(n);
    const auto run = [&](std::int64_t first, std::int64_t last) {
      kernels_.mixtures({first, last, term.documents.data(), term.runs.data(), posteriors_.n_chosen(), posteriors_.rows(),
                         posteriors_.in_play(), posteriors_.stride(), lifts.lifts(), lifts.own_lifts(), lifts.at_the_start(),
                         values_.data()});
    };
    const Threads worthwhile = worth(threads, n * posteriors_.stride(), 1 << 18);
    if (worthwhile.count == 1 && n * posteriors_.stride() < 1 << 24) return run(0, n);  // too short for interruption checks
    for_each_range(n, docs_in_block, worthwhile, [&](std::int64_t first, std::int64_t last, Worker& worker) {
      worker.check();
      run(first, last);
    });
  }

  // Sums the logarithms of the values of each run of documents. Afterwards, values_ has one sum per run.
  void add_logarithms(std::span<const ClassRun> runs) {
    const std::int64_t n_runs = std::ssize(runs);
    scratch_.resize(std::max(scratch_.size(), at(padded(n_runs))));
    kernels_.logs_of_products(values_.data(), runs.data(), n_runs, values_.data(), scratch_.data());
  }

  // Sums weighted logarithms in the same way. Weights may differ by orders of magnitude, so sums are double-doubles.
  void add_weighted_logarithms(const TermDocuments& term) {
    logarithms(std::ssize(term.documents));
    std::size_t i = 0;
    for (std::size_t run = 0; run < term.runs.size(); ++run) {
      DoubleDouble sum;
      for (; i < at(term.runs[run].end); ++i) {
        const DoubleDouble next = two_sum(sum.hi, all_.weights[at(term.documents[i])] * values_[i]);
        sum = {next.hi, sum.lo + next.lo};
      }
      values_[run] = sum.hi + sum.lo;
    }
  }

  double sum_of_runs(const TermDocuments& term) const {
    double sum = 0;
    for (std::size_t run = 0; run < term.runs.size(); ++run) {
      const double loss = importance_[at(term.runs[run].of_class)] * values_[run];
      sum += guide_.usefulness.empty() ? loss : guide_.usefulness[at(term.first_run) + run] * loss;
    }
    return sum;
  }

  const Collection& all_;
  const Guide& guide_;
  const Posteriors& posteriors_;
  const std::span<const double> importance_;  // (stride,) see importance_of()
  const PosteriorKernels kernels_ = kernels_in_use<PosteriorKernels>();
  std::vector<double> values_, scratch_;
};

// Returns one factor for each class (stride,). The loss of a document is multiplied by the factor of its class.
std::vector<double> importance_of(const Collection& all, double balance) {
  std::vector<double> importance(at(all.stride), 1.0);
  if (balance == 0) return importance;
  const PosteriorKernels& kernels = kernels_in_use<PosteriorKernels>();
  for (std::int64_t c = 0; c < all.n_classes; ++c)
    importance[at(c)] = std::max(all.n_c[at(c)] / all.n, std::numeric_limits<double>::min());
  kernels.logarithms(importance.data(), all.stride);
  for (double& value : importance) value *= -balance;
  kernels.exponentials(importance.data(), all.stride);
  double sum = 0;
  for (std::int64_t c = 0; c < all.n_classes; ++c) sum += all.n_c[at(c)] / all.n * importance[at(c)];
  for (double& value : importance) value /= sum;
  return importance;
}

// The last computed gain of a term, in units of 2^-40 n.
struct Known {
  double units;
  TermId term;

  Known(TermId of, double gain, double n) : units(gain == 0 ? 0 : std::nearbyint(gain / n * 0x1p40)), term(of) {}
  // Returns whether the other term is better.
  bool operator<(const Known& other) const { return units != other.units ? units < other.units : term > other.term; }
};

void check(const ConditionalGain& options, double n, std::int64_t n_terms) {
  const auto refuse = [](const char* what, double value) {
    throw std::invalid_argument(std::string(what) + ", got " + text(value));
  };
  if (!(options.shape > 0 && options.shape < HUGE_VAL)) refuse("shape must be positive and finite", options.shape);
  if (!(options.step > 0 && options.step < HUGE_VAL)) refuse("step must be positive and finite", options.step);
  if (!(options.temper >= 0 && options.temper < HUGE_VAL)) refuse("temper must be finite and not negative", options.temper);
  if (!(options.balance >= 0 && options.balance <= 1)) refuse("balance must be between 0 and 1", options.balance);
  if (options.classes_in_play < 1) refuse("classes_in_play must be positive", options.classes_in_play);
  if (options.k < 0 || options.k > n_terms)
    throw std::invalid_argument("k must be in [0, number of terms = " + std::to_string(n_terms) + "], got " +
                                std::to_string(options.k));
  const auto limit_step = [&](double logarithm, double most, const char* of) {
    if (options.step * logarithm <= most) return;
    throw std::invalid_argument("step is too large for this shape: step times the logarithm of " + std::string(of) +
                                " must be at most " + text(most) + ", got " + text(options.step * logarithm) +
                                " with step " + text(options.step) + ", shape " + text(options.shape) + " and " + text(n) +
                                " documents");
  };
  // |W| is at most the logarithm of 1 + n/a, and W - W' is at most the logarithm of 1 + 1/a. With a large W - W', a
  // gain would lose digits.
  const auto log_of = [](double x) { return std::isfinite(x) ? simd::baseline::log_plus_one(x) : x; };
  limit_step(log_of(n / options.shape), 300, "1 + documents / shape");
  limit_step(log_of(1 / options.shape), 12, "1 + 1 / shape");
}

GainRanking choose(const Postings& postings, const Collection& all, const Guide& guide, const ConditionalGain& options,
                   const Threads& threads, const Progress& progress) {
  const std::int64_t n_terms = postings.n_terms();
  GainRanking ranking{LargeArray<std::int64_t>::uninitialised(options.k), LargeArray<double>::uninitialised(options.k)};
  Posteriors posteriors(all, options);
  const std::vector<double> importance = importance_of(all, options.balance);
  std::vector<Known> known;
  std::vector<double> gain_of(at(n_terms), 0);
  const Threads for_all = worth(threads, postings.n_entries() + n_terms * all.stride);
  {
    // Terms with the most documents take longest and therefore come first. Successive terms with equally many documents
    // share the lifts for classes without the term. Terms without documents are skipped; a hashed vocabulary has many such
    // terms.
    std::vector<TermId> order;
    for (TermId term = 0; term < n_terms; ++term)
      if (!postings[term].documents.empty()) order.push_back(term);
    std::stable_sort(order.begin(), order.end(),
                     [&](TermId a, TermId b) { return postings[a].documents.size() > postings[b].documents.size(); });
    const std::int64_t n = std::ssize(order);
    ranking.evaluations = n;
    PerThread<Evaluator> evaluators(for_all);
    constexpr std::int64_t terms_in_block = 256;
    for_each_range(n, terms_in_block, for_all, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
      Evaluator& own = evaluators.own(worker, all, guide, posteriors, options, std::span<const double>(importance));
      worker.check();
      for (std::int64_t i = begin; i < end; ++i) {
        const TermId term = order[at(i)];
        gain_of[at(term)] = own.first_gain(postings[term]);
      }
    });
  }
  known.reserve(at(n_terms));
  for (TermId term = 0; term < n_terms; ++term) known.emplace_back(term, gain_of[at(term)], all.n);
  std::make_heap(known.begin(), known.end());
  std::vector<std::int64_t> step_of(at(n_terms), 0);  // for each term, the step in which its gain was computed
  Evaluator evaluator(all, guide, posteriors, options, importance);
  TermId evaluated = -1;  // the term whose lifts the evaluator holds
  Pacer pacer(threads, progress);
  for (std::int64_t step = 0; step < options.k;) {
    const TermId term = known.front().term;
    // Prefetch the likely next terms, which are near the top of the heap.
    for (std::size_t i = 1; i < std::min<std::size_t>(3, known.size()); ++i) postings.prefetch_documents(known[i].term);
    for (std::size_t i = 3; i < std::min<std::size_t>(7, known.size()); ++i) postings.prefetch_place(known[i].term);
    const TermDocuments term_documents = postings[term];
    const bool has_documents = !term_documents.documents.empty();
    if (std::ssize(term_documents.documents) * posteriors.stride() < 1 << 16) pacer.tick(step);
    else pacer.tick_now(step);
    std::pop_heap(known.begin(), known.end());
    if (step_of[at(term)] < step && has_documents) {
      gain_of[at(term)] = evaluator.gain(term_documents, threads);
      known.back() = Known(term, gain_of[at(term)], all.n);
      std::push_heap(known.begin(), known.end());
      evaluated = term;
      step_of[at(term)] = step;
      ++ranking.evaluations;
      continue;
    }
    known.pop_back();
    ranking.indices[step] = term;
    ranking.gains[step] = gain_of[at(term)] + 0.0;
    if (has_documents) {
      if (evaluated != term) evaluator.lifts.find(term_documents);
      posteriors.choose(term_documents.documents, evaluator.lifts, threads);
      evaluated = term;
    }
    ++step;
  }
  return ranking;
}

}  // namespace

GainRanking conditional_gain(const AnyCsr& x, std::span<const std::int32_t> classes, std::int32_t n_classes,
                             std::span<const double> weights, const ConditionalGain& options, const Threads& threads,
                             const Progress& progress) {
  if (static_cast<std::int64_t>(classes.size()) != x.n_rows || (!weights.empty() && weights.size() != classes.size()))
    throw std::invalid_argument("classes, weights and documents differ in length");
  if (x.n_rows > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("X has more than 2^31 - 1 documents");
  const CsrFacts facts = check_csr(x, {}, threads);
  const Collection all = make_collection(classes, n_classes, weights);
  check(options, all.n, x.n_columns);

  const Postings postings = Postings::of(x, facts, all, threads);
  const Guide guide = make_guide(x, facts, all, postings, options.guide, threads);
  return choose(postings, all, guide, options, threads, progress);
}

}  // namespace termsift
