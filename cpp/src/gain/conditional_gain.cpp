#include "termsift/conditional_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/values.hpp"
#include "gain/collection.hpp"
#include "gain/lifts.hpp"
#include "gain/posterior_kernels.hpp"
#include "simd/logarithms.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"

namespace termsift {
namespace {

// ---- the guide of guided gain ------------------------------------------------------------------------------------------

// A summary of a term's weights in all machines.
struct TermWeights {
  std::int64_t sum = 0;  // the sum in units of 2^-32; an integer sum does not depend on the order of its summands
  float largest = 0;     // the largest |w_tc|
};

constexpr double unit = 0x1p-32;

// Takes O(pairs * n_classes / 16) time in addition to training the machines.
Guide make_guide(const AnyCsr& x, const CsrFacts& facts, const Collection& all, const Postings& postings,
                 const LinearMachines& machines, const Threads& threads) {
  Guide guide;
  if (machines.cost == 0) return guide;
  const std::int64_t n_terms = postings.n_terms();
  std::vector<TermWeights> of_term(at(n_terms));
  std::vector<float> of_run(at(postings.n_runs()));  // w_tc
  const MachineInput input{x, facts.distinct, all.rows, all.class_of, static_cast<std::int32_t>(all.n_classes), all.weights};
  const double mean_entry = train_linear_machines(
      input, machines, threads, [&](const MachineBlock& block) {
        for (std::size_t row = 0; row < block.terms.size(); ++row) {
          const std::int64_t term = block.terms[row];
          const float* const weights = block.weights + row * machine_lanes;
          TermWeights& own = of_term[at(term)];
          for (std::int64_t j = 0; j < block.n; ++j) {
            own.sum += static_cast<std::int64_t>(std::nearbyint(static_cast<double>(weights[j]) / unit));
            own.largest = std::max(own.largest, std::fabs(weights[j]));
          }
          const TermDocuments documents = postings[term];
          for (std::size_t run = 0; run < documents.runs.size(); ++run)
            if (const std::int64_t j = documents.runs[run].of_class - block.first; j >= 0 && j < block.n)
              of_run[at(documents.first_run) + run] = weights[j];
        }
      });

  float largest = 0;
  for (const TermWeights& term : of_term) largest = std::max(largest, term.largest);
  guide.usefulness.assign(at(padded(postings.n_runs())), 1.0);
  guide.log_lift.assign(at(padded(postings.n_runs())), 0.0);
  for (std::int64_t term = 0; term < n_terms && largest > 0; ++term) {
    const TermDocuments documents = postings[term];
    const auto n_runs = static_cast<double>(documents.runs.size()), n_classes = static_cast<double>(all.n_classes);
    const double sum = static_cast<double>(of_term[at(term)].sum) * unit;
    double present = 0;
    for (std::size_t run = 0; run < documents.runs.size(); ++run)
      present += static_cast<double>(of_run[at(documents.first_run) + run]);
    // `elsewhere` is the mean weight in classes without the term. If every class has the term, any number is valid, because
    // only differences between classes matter.
    const double elsewhere = n_runs < n_classes ? (sum - present) / (n_classes - n_runs) : sum / n_classes;
    for (std::size_t run = 0; run < documents.runs.size(); ++run) {
      const std::size_t i = at(documents.first_run) + run;
      const double weight = static_cast<double>(of_run[i]), most = static_cast<double>(of_term[at(term)].largest);
      const double value = (std::fabs(weight) + most) / (2 * static_cast<double>(largest));
      guide.usefulness[i] = std::max(value, 0.1);
      guide.log_lift[i] = 0.5 * mean_entry * (weight - elsewhere);
    }
  }
  const PosteriorKernels& kernels = kernels_in_use<PosteriorKernels>();
  const std::int64_t n = std::ssize(guide.usefulness);
  kernels.logarithms(guide.usefulness.data(), n);
  for (double& value : guide.usefulness) value *= 0.75;
  kernels.exponentials(guide.usefulness.data(), n);
  return guide;
}

// ---- the class probabilities of each document, given the terms that have been chosen -----------------------------------

// The sums F_dc and the probabilities P_dc of the classes in play, for each document that has a chosen term.
class Posteriors {
 public:
  Posteriors(const Collection& collection, const ConditionalGain& options)
      : all_(collection), options_(options), width_(std::min<std::int64_t>(all_.n_classes, options.classes_in_play)),
        stride_(padded(width_)), n_chosen_(all_.class_of.size(), 0), sums_(zeroed<double>()), rows_(zeroed<float>()) {
    if (width_ < all_.n_classes) in_play_ = zeroed<std::int32_t>();
  }

  // (documents,) The number of chosen terms in each document. If a document has no chosen term, P_dc is the prior, but the
  // document's row holds zeros.
  const std::int32_t* n_chosen() const { return n_chosen_.data(); }
  // (n_docs, stride), as in MixtureBatch
  const float* rows() const { return rows_.get(); }
  const std::int32_t* in_play() const { return in_play_.get(); }
  std::int64_t stride() const { return stride_; }

  // Adds a chosen term.
  void choose(std::span<const std::int32_t> documents, const Lifts& lifts, const Threads& threads) {
    // To hide latency, one call computes the exponentials of several documents.
    constexpr std::int64_t docs_in_block = 256, docs_at_once = 16;
    const std::int64_t n = std::ssize(documents);
    const Threads worthwhile = worth(threads, n * stride_, 1 << 16);
    if (in_play() != nullptr) find_likeliest(documents, lifts);
    PerThread<std::vector<double>> scratch(worthwhile);
    for_each_range(n, docs_in_block, worthwhile, [&](std::int64_t first, std::int64_t end, Worker& worker) {
      worker.check();
      double* const values = scratch.own(worker, at((docs_at_once + 2) * stride_ + all_.stride)).data();
      double* const narrowed = values + docs_at_once * stride_;
      double* const log_lift = narrowed + 2 * stride_;  // the log lifts for documents of class y
      std::int32_t y = -1;
      for (std::int64_t begin = first; begin < end; begin += docs_at_once) {
        const std::int64_t n_docs = std::min(docs_at_once, end - begin);
        for (std::int64_t i = 0; i < n_docs; ++i) {
          const std::int64_t d = documents[at(begin + i)];
          if (all_.class_of[at(d)] != y) {
            y = all_.class_of[at(d)];
            std::copy_n(lifts.logs(), all_.stride, log_lift);
            log_lift[y] = lifts.own_logs()[y];
          }
          const std::int32_t m = ++n_chosen_[at(d)];
          const double* const next = begin + i + 8 < n ? sums_.get() + documents[at(begin + i + 8)] * stride_ : nullptr;
          EvidenceUpdate update{stride_, sums_.get() + d * stride_, next, log_lift, 1 / (1 + options_.temper * (m - 1)),
                                all_.log_prior.data(), values + i * stride_};
          if (in_play() != nullptr) narrow(d, y, m, narrowed, update);
          kernels_.add_evidence(update);
        }
        kernels_.short_exponentials(values, n_docs * stride_);
        for (std::int64_t i = 0; i < n_docs; ++i)
          kernels_.normalise(values + i * stride_, stride_, rows_.get() + documents[at(begin + i)] * stride_);
      }
    });
  }

 private:
  template <class T>
  LargeArray<T> zeroed() const {
    return LargeArray<T>::zeroed(static_cast<std::int64_t>(all_.class_of.size()) * stride_);
  }

  // Finds the most probable classes of a document whose only chosen term is this one. O(classes), or O(documents) if every
  // document has other chosen terms.
  void find_likeliest(std::span<const std::int32_t> documents, const Lifts& lifts) {
    if (std::all_of(documents.begin(), documents.end(), [&](std::int32_t d) { return n_chosen_[at(d)] > 0; })) return;
    std::vector<double> units(at(all_.n_classes));  // whole units, so that ties are not broken by rounding errors
    for (std::size_t c = 0; c < units.size(); ++c) units[c] = std::nearbyint(0x1p30 * (all_.log_prior[c] + lifts.logs()[c]));
    likeliest_.resize(units.size());
    std::iota(likeliest_.begin(), likeliest_.end(), 0);
    const auto first = [&](std::int32_t a, std::int32_t b) {
      return units[at(a)] != units[at(b)] ? units[at(a)] > units[at(b)] : a < b;
    };
    std::partial_sort(likeliest_.begin(), likeliest_.begin() + static_cast<std::ptrdiff_t>(width_), likeliest_.end(), first);
  }

  // Restricts the update to the document's classes in play, which are chosen with the document's first term (m = 1).
  // `values` has room for 2 rows.
  void narrow(std::int64_t d, std::int32_t y, std::int32_t m, double* values, EvidenceUpdate& update) {
    std::int32_t* const classes = in_play_.get() + d * stride_;
    if (m == 1) {
      classes[0] = y;
      for (std::int64_t slot = 1, i = 0; slot < width_; ++i)
        if (likeliest_[at(i)] != y) classes[slot++] = likeliest_[at(i)];
    }
    double* const log_prior = values + stride_;
    for (std::int64_t slot = 0; slot < width_; ++slot) {
      values[slot] = update.log_lift[classes[slot]];
      log_prior[slot] = update.log_prior[classes[slot]];
    }
    std::fill(values + width_, values + stride_, 0.0);
    std::fill(log_prior + width_, log_prior + stride_, -std::numeric_limits<double>::infinity());
    update.log_lift = values;
    update.log_prior = log_prior;
  }

  const Collection& all_;
  const ConditionalGain& options_;
  const PosteriorKernels kernels_ = kernels_in_use<PosteriorKernels>();
  std::int64_t width_, stride_;         // the number of classes in play for a document, and its padded length
  std::vector<std::int32_t> n_chosen_;  // (documents,) the number of chosen terms in each document
  LargeArray<double> sums_;             // (n_docs, stride); rows that are never touched use no memory
  LargeArray<float> rows_;
  LargeArray<std::int32_t> in_play_;     // empty if all classes are in play
  std::vector<std::int32_t> likeliest_;  // all classes; only the first `width_` are in order
};

// ---- gains -------------------------------------------------------------------------------------------------------------

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

  // Sets values_ to the mixtures (see MixtureBatch) of the term's documents.
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
    if (worthwhile.count == 1 && n * posteriors_.stride() < 1 << 24) return run(0, n);  // too short to be interrupted
    for_each_range(n, docs_in_block, worthwhile, [&](std::int64_t first, std::int64_t last, Worker& worker) {
      worker.check();
      run(first, last);
    });
  }

  // Sets values_ to one sum for each run of documents: the sum of the logarithms of the run's values.
  void add_logarithms(std::span<const ClassRun> runs) {
    const std::int64_t n_runs = std::ssize(runs);
    scratch_.resize(std::max(scratch_.size(), at(padded(n_runs))));
    kernels_.logs_of_products(values_.data(), runs.data(), n_runs, values_.data(), scratch_.data());
  }

  // Sums weighted logarithms for each run. Weights may differ by orders of magnitude, so sums are double-doubles.
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

void check_step(const ConditionalGain& options, double n) {
  const auto limit_step = [&](double logarithm, double most, const char* of) {
    if (options.step * logarithm <= most) return;
    throw WrongArgument("step", "step is too large for this shape: step times the logarithm of " + std::string(of) +
                                " must be at most " + text(most) + ", got " + text(options.step * logarithm) +
                                " with step " + text(options.step) + ", shape " + text(options.shape) + " and " + text(n) +
                                " documents");
  };
  // |W| is at most the logarithm of 1 + n/a, and W - W' is at most the logarithm of 1 + 1/a. If W - W' were large, a gain
  // would lose digits.
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
  Pacer pacer(threads, progress);
  for (std::int64_t step = 0; step < options.k;) {
    const TermId term = known.front().term;
    const TermDocuments term_documents = postings[term];
    const bool has_documents = !term_documents.documents.empty();
    if (std::ssize(term_documents.documents) * posteriors.stride() < 1 << 16) pacer.tick(step);
    else pacer.tick_now(step);
    std::pop_heap(known.begin(), known.end());
    if (step_of[at(term)] < step && has_documents) {
      gain_of[at(term)] = evaluator.gain(term_documents, threads);
      known.back() = Known(term, gain_of[at(term)], all.n);
      std::push_heap(known.begin(), known.end());
      step_of[at(term)] = step;
      ++ranking.evaluations;
      continue;
    }
    known.pop_back();
    ranking.indices[step] = term;
    ranking.gains[step] = gain_of[at(term)] + 0.0;
    if (has_documents) {
      evaluator.lifts.find(term_documents);
      posteriors.choose(term_documents.documents, evaluator.lifts, threads);
    }
    ++step;
  }
  return ranking;
}

}  // namespace

GainRanking conditional_gain(const AnyCsr& x, std::span<const std::int32_t> classes, std::span<const double> weights,
                             const ConditionalGain& options, const Threads& threads, const Progress& progress) {
  if (x.n_rows > std::numeric_limits<std::int32_t>::max()) throw WrongArgument("X", "X has more than 2^31 - 1 documents");
  const CsrFacts facts = check_csr(x, {}, threads);
  const Collection all = make_collection(classes, weights);
  if (all.n_classes < 2)
    throw WrongArgument("y", "scores need at least two classes with documents, got " + std::to_string(all.n_classes));
  check_step(options, all.n);
  const Postings postings = Postings::of(x, facts, all, threads);
  const Guide guide = make_guide(x, facts, all, postings, options.machines, threads);
  return choose(postings, all, guide, options, threads, progress);
}

}  // namespace termsift
