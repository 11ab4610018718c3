#include "termsift/conditional_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/pacer.hpp"
#include "base/per_thread.hpp"
#include "base/values.hpp"
#include "gain/collection.hpp"
#include "gain/lifts.hpp"
#include "gain/posterior_kernels.hpp"
#include "gain/posteriors.hpp"
#include "gain/postings.hpp"
#include "simd/logarithm_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

// Computes gains. Each thread has its own.
class Evaluator {
 public:
  Evaluator(const Collection& collection, const Posteriors& posteriors, const ConditionalGain& options)
      : lifts(collection, options), all_(collection), posteriors_(posteriors), options_(options) {}

  // Computes the lifts of the term that these documents have.
  void look_at(std::span<const std::int32_t> documents) {
    if (all_.weights.empty()) divide<false>(documents);
    else divide<true>(documents);
    lifts.find(present_);
  }

  double gain(std::span<const std::int32_t> documents, const Threads& threads) {
    look_at(documents);
    mixtures_.resize(at(padded(n_touched_ + std::ssize(present_.classes))));
    mix(threads);
    // Documents of a class without chosen terms are all alike.
    std::int64_t end = n_touched_;
    for (const std::int32_t c : present_.classes) {
      const double more = lifts.own_lifts()[c] - lifts.lifts()[c];
      mixtures_[at(end++)] = lifts.prior_mixture() + static_cast<double>(all_.prior[at(c)]) * more;
    }
    for (std::int64_t i = end; i < padded(end); ++i) mixtures_[at(i)] = 1;
    kernels_.logarithms(mixtures_.data(), padded(end));

    // The sum has twice the digits of a double, so that no gain depends on the order of the documents.
    DoubleDouble gain;
    const auto add_losses = [&](double weight, std::int32_t own, double log_mixture) {
      const DoubleDouble sum = two_sum(gain.hi, weight * (options_.step * lifts.own_logs()[own] - log_mixture));
      gain = {sum.hi, gain.lo + sum.lo};
    };
    for (std::int64_t i = 0; i < n_touched_; ++i) {
      const std::size_t d = at(touched_[at(i)]);
      add_losses(all_.weights.empty() ? 1.0 : all_.weights[d], all_.class_of[d], mixtures_[at(i)]);
    }
    for (std::size_t i = 0; i < untouched_.size(); ++i)
      add_losses(untouched_[i], present_.classes[i], mixtures_[at(n_touched_) + i]);
    return gain.hi + gain.lo;
  }

  Lifts lifts;  // of the last term

 private:
  // Separates the documents with chosen terms from those without, and counts both by class. There is no unpredictable
  // branch.
  template <bool weighted>
  void divide(std::span<const std::int32_t> documents) {
    if (touched_.size() < documents.size()) touched_.resize(2 * documents.size());
    std::int32_t* const touched = touched_.data();
    std::int64_t n_touched = 0;
    present_.classes.clear();
    present_.docs.clear();
    untouched_.clear();
    for (std::size_t i = 0; i < documents.size();) {
      const std::int32_t c = all_.class_of[at(documents[i])];
      const std::int64_t end = all_.end_of[at(c)];
      const std::size_t first = i;
      const std::int64_t first_touched = n_touched;
      double docs = 0, untouched = 0;
      do {
        const std::int32_t d = documents[i];
        const bool is_touched = posteriors_.touched(d);
        touched[n_touched] = d;
        n_touched += is_touched;
        if constexpr (weighted) {
          docs += all_.weights[at(d)];
          untouched += is_touched ? 0 : all_.weights[at(d)];
        }
        ++i;
      } while (i < documents.size() && documents[i] < end);
      if constexpr (!weighted) {
        docs = static_cast<double>(i - first);
        untouched = docs - static_cast<double>(n_touched - first_touched);
      }
      present_.classes.push_back(c);
      present_.docs.push_back(docs);
      untouched_.push_back(untouched);
    }
    n_touched_ = n_touched;
  }

  void mix(const Threads& threads) {
    constexpr std::int64_t docs_in_block = 512;
    const std::int64_t n = n_touched_;
    const auto run = [&](std::int64_t first, std::int64_t last) {
      kernels_.mixtures({last - first, touched_.data() + first, all_.class_of.data(), posteriors_.rows(),
                         posteriors_.in_play(), posteriors_.stride(), lifts.lifts(), lifts.own_lifts(),
                         mixtures_.data() + first});
    };
    const Threads worthwhile = worth(threads, n * posteriors_.stride(), 1 << 18);
    if (worthwhile.count == 1 && n * posteriors_.stride() < 1 << 24) return run(0, n);  // no check for interruptions needed
    for_each_block((n + docs_in_block - 1) / docs_in_block, worthwhile, [&](std::int64_t block, Worker& worker) {
      worker.check();
      run(block * docs_in_block, std::min(n, (block + 1) * docs_in_block));
    });
  }

  const Collection& all_;
  const Posteriors& posteriors_;
  const ConditionalGain& options_;
  const PosteriorKernels kernels_ = kernels_in_use<PosteriorKernels>();
  ClassDocs present_;
  std::vector<double> untouched_;      // for each class present, its documents without chosen terms
  std::vector<std::int32_t> touched_;  // the first n_touched_ are the documents with chosen terms
  std::int64_t n_touched_ = 0;
  std::vector<double> mixtures_;  // the mixtures, later their logarithms
};

// A term and its last known gain.
struct Known {
  double gain;
  double units;  // of 2^-40 n
  TermId term;

  Known() = default;
  Known(TermId of, double value, double n)
      : gain(value), units(value == 0 ? 0 : std::nearbyint(value / n * 0x1p40)), term(of) {}
  // Whether the other term comes first.
  bool operator<(const Known& other) const { return units != other.units ? units < other.units : term > other.term; }
};

void check(const ConditionalGain& options, double n, std::int64_t n_terms) {
  const auto refuse = [](const char* what, double value) {
    throw std::invalid_argument(std::string(what) + ", got " + text(value));
  };
  if (!(options.shape > 0 && options.shape < HUGE_VAL)) refuse("shape must be positive and finite", options.shape);
  if (!(options.step > 0 && options.step < HUGE_VAL)) refuse("step must be positive and finite", options.step);
  if (!(options.temper >= 0 && options.temper < HUGE_VAL)) refuse("temper must be finite and not negative", options.temper);
  if (options.classes_in_play < 1) refuse("classes_in_play must be positive", options.classes_in_play);
  if (options.k < 0 || options.k > n_terms)
    throw std::invalid_argument("k must be in [0, number of terms = " + std::to_string(n_terms) + "], got " +
                                std::to_string(options.k));
  const auto limit_step = [&](double logarithm, double most, const char* of) {
    if (options.step * logarithm <= most) return;
    throw std::invalid_argument("step is too large beside shape, expected at most " + text(most) +
                                " of step * the logarithm of " + of + ", got " + text(options.step * logarithm) +
                                " of step " + text(options.step) + ", shape " + text(options.shape) + " and " + text(n) +
                                " documents");
  };
  // No |W| exceeds the logarithm of 1 + n/a. No W - W', which costs a mixture digits, exceeds the logarithm of 1 + 1/a.
  double most[gain_lanes] = {n / options.shape, 1 / options.shape};
  if (std::isfinite(most[0]) && std::isfinite(most[1])) kernels_in_use<LogarithmKernels>().log_plus_one(most, gain_lanes);
  limit_step(most[0], 300, "1 + documents / shape");
  limit_step(most[1], 12, "1 + 1 / shape");
}

GainRanking choose(const Postings& postings, const Collection& all, const ConditionalGain& options, const Threads& threads,
                   const Progress& progress) {
  const std::int64_t n_terms = postings.n_terms();
  GainRanking ranking{LargeArray<std::int64_t>::uninitialised(options.k), LargeArray<double>::uninitialised(options.k)};
  Posteriors posteriors(all, options);
  std::vector<Known> known(at(n_terms));
  const Threads for_all = worth(threads, postings.n_entries() + n_terms * all.stride);
  {
    // Terms with most documents come first, because they take longest. Terms with equally many documents share their lifts
    // for the classes from which they are absent. In a hashed vocabulary most terms have no document.
    std::vector<TermId> order;
    for (TermId term = 0; term < n_terms; ++term) {
      known[at(term)] = Known(term, 0, all.n);
      if (!postings[term].empty()) order.push_back(term);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](TermId a, TermId b) { return postings[a].size() > postings[b].size(); });
    const std::int64_t n = std::ssize(order);
    ranking.evaluations = n;
    PerThread<Evaluator> evaluators(for_all);
    constexpr std::int64_t terms_in_block = 256;
    for_each_block((n + terms_in_block - 1) / terms_in_block, for_all, [&](std::int64_t block, Worker& worker) {
      Evaluator& own = evaluators.own(worker, all, posteriors, options);
      for (std::int64_t i = block * terms_in_block; i < std::min(n, (block + 1) * terms_in_block); ++i) {
        worker.check();
        const TermId term = order[at(i)];
        known[at(term)] = Known(term, own.gain(postings[term], {}), all.n);
      }
    });
  }
  std::make_heap(known.begin(), known.end());
  std::vector<std::int64_t> step_of(at(n_terms), 0);  // at which the gain was computed
  Evaluator evaluator(all, posteriors, options);
  TermId evaluated = -1;  // the term whose lifts the evaluator holds
  Pacer pacer(threads, progress);
  for (std::int64_t step = 0; step < options.k;) {
    std::pop_heap(known.begin(), known.end());
    const TermId term = known.back().term;
    const auto documents = postings[term];
    if (static_cast<std::int64_t>(documents.size()) * posteriors.stride() < 1 << 16) pacer.tick(step);
    else pacer.tick_now(step);
    if (step_of[at(term)] < step && !documents.empty()) {
      known.back() = Known(term, evaluator.gain(documents, threads), all.n);
      evaluated = term;
      step_of[at(term)] = step;
      ++ranking.evaluations;
      std::push_heap(known.begin(), known.end());
      continue;
    }
    ranking.indices[step] = term;
    ranking.gains[step] = known.back().gain + 0.0;
    known.pop_back();
    if (!documents.empty()) {
      if (evaluated != term) evaluator.look_at(documents);
      posteriors.choose(documents, evaluator.lifts, threads);
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

  const Postings postings = Postings::of(x, facts, all.rows, threads);
  return choose(postings, all, options, threads, progress);
}

}  // namespace termsift
