#include "termsift/conditional_gain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/pacer.hpp"
#include "base/per_thread.hpp"
#include "gain/postings.hpp"
#include "gain/posterior_kernels.hpp"
#include "simd/logarithm_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"
#include "base/values.hpp"

namespace termsift {
namespace {

constexpr std::int64_t lanes = 8;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
std::int64_t padded(std::int64_t n) { return (n + lanes - 1) / lanes * lanes; }

// The documents and classes that take part. Documents are numbered class by class, so that those of a term come in runs of
// one class.
struct Collection {
  std::int64_t n_classes = 0, stride = 0;  // rows of class values have a stride of whole vectors
  std::vector<std::int64_t> rows;          // of the matrix, for each document
  std::vector<std::int32_t> class_of;      // of each document, increasing
  std::vector<std::int64_t> end_of;        // of each class, the document after its last
  std::vector<double> weights;             // of each document; empty if all are 1
  double n = 0;                            // documents
  std::vector<double> n_c;                 // (stride,), 0 beyond the classes, and so on
  std::vector<double> log_prior;           // log n_c / n, minus infinity
  std::vector<float> prior;                // n_c / n, 0
};

Collection make_collection(std::span<const std::int32_t> classes, std::int32_t n_classes, std::span<const double> weights) {
  Collection all;
  const auto weight_of = [&](std::size_t row) { return weights.empty() ? 1.0 : weights[row]; };
  std::vector<double> n_c(at(n_classes), 0.0);
  std::vector<std::int64_t> next(at(n_classes) + 1, 0);  // first how many documents, then where the next one goes
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const std::int32_t c = classes[row];
    const double weight = weight_of(row);
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("document " + std::to_string(row) + " has the class " + std::to_string(c) +
                                  ", expected one in [0, " + std::to_string(n_classes) + ")");
    if (!(weight >= 0 && weight < infinity))
      throw std::invalid_argument("document " + std::to_string(row) + " has the weight " + std::to_string(weight));
    n_c[at(c)] += weight;
    next[at(c) + 1] += weight > 0;
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  all.rows.resize(at(next.back()));
  all.class_of.resize(all.rows.size());
  if (!weights.empty()) all.weights.resize(all.rows.size());
  std::vector<std::int32_t> number(at(n_classes), -1);
  for (std::size_t c = 0; c < n_c.size(); ++c) {
    if (n_c[c] == 0) continue;
    number[c] = static_cast<std::int32_t>(all.n_classes++);
    all.end_of.push_back(next[c + 1]);
    all.n_c.push_back(n_c[c]);
    all.n += n_c[c];
  }
  for (std::size_t row = 0; row < classes.size(); ++row) {
    const double weight = weight_of(row);
    if (weight == 0) continue;
    const std::size_t document = at(next[at(classes[row])]++);
    all.rows[document] = static_cast<std::int64_t>(row);
    all.class_of[document] = number[at(classes[row])];
    if (!weights.empty()) all.weights[document] = weight;
  }
  all.stride = padded(all.n_classes);
  all.n_c.resize(at(all.stride));
  for (const double docs : all.n_c) {
    // What is no normal number has no logarithm here.
    all.log_prior.push_back(docs == 0 ? 1 : std::max(docs / all.n, std::numeric_limits<double>::min()));
    all.prior.push_back(static_cast<float>(docs / all.n));
  }
  kernels_in_use<PosteriorKernels>().logarithms(all.log_prior.data(), all.stride);
  std::fill(all.log_prior.begin() + static_cast<std::ptrdiff_t>(all.n_classes), all.log_prior.end(), -infinity);
  return all;
}

// Some classes, increasing, and how many documents of each have a term.
struct ClassDocs {
  std::vector<std::int32_t> classes;
  std::vector<double> docs;
};

// What a term says for each class. One thread's.
//
// Most terms are in few classes, and for a class that lacks it a term says what any other of as many documents would: such
// rows are kept until a term of another d_t comes, and only vectors of classes that hold a class with the term are its own.
class Lifts {
 public:
  Lifts(const Collection& collection, const ConditionalGain& options)
      : all_(collection), options_(options), docs_(at(all_.stride), 0.0), absent_logs_(docs_), absent_lifts_(docs_),
        logs_(docs_), lifts_(docs_), own_logs_(docs_), own_lifts_(docs_) {}

  // O(classes that have the term), and O(classes) for another d_t than the last term's.
  void find(const ClassDocs& present) {
    for (const std::int64_t vector : vectors_) {
      std::fill_n(docs_.begin() + vector, lanes, 0.0);
      std::copy_n(absent_logs_.begin() + vector, lanes, logs_.begin() + vector);
      std::copy_n(absent_lifts_.begin() + vector, lanes, lifts_.begin() + vector);
    }
    vectors_.clear();
    double d_t = 0;
    for (std::size_t i = 0; i < present.classes.size(); ++i) {
      const std::int32_t c = present.classes[i];
      const std::int64_t vector = c / lanes * lanes;
      if (vectors_.empty() || vectors_.back() != vector) vectors_.push_back(vector);
      docs_[at(c)] = present.docs[i];
      d_t += present.docs[i];
    }
    if (d_t != d_t_) set_absent(d_t);
    prior_mixture_ = absent_mixture_;
    for (const std::int64_t vector : vectors_) set_vector(vector);
  }

  // (stride,) W_c and e^{b W_c}.
  const double* logs() const { return logs_.data(); }
  const double* lifts() const { return lifts_.data(); }
  // (stride,) W'_c and e^{b W'_c}, of classes with the term.
  const double* own_logs() const { return own_logs_.data(); }
  const double* own_lifts() const { return own_lifts_.data(); }
  // sum_c prior_c e^{b W_c}
  double prior_mixture() const { return prior_mixture_; }

 private:
  void set_absent(double d_t) {
    d_t_ = d_t;
    const double share = d_t / all_.n / options_.shape;
    for (std::size_t c = 0; c < absent_logs_.size(); ++c) absent_logs_[c] = 1 + all_.n_c[c] * share;
    kernels_.logarithms(absent_logs_.data(), all_.stride);
    for (std::size_t c = 0; c < absent_logs_.size(); ++c) {
      absent_logs_[c] = -absent_logs_[c];
      absent_lifts_[c] = options_.step * absent_logs_[c];
    }
    kernels_.exponentials(absent_lifts_.data(), all_.stride);
    logs_ = absent_logs_;
    lifts_ = absent_lifts_;
    absent_mixture_ = 0;
    for (std::size_t c = 0; c < lifts_.size(); ++c) absent_mixture_ += static_cast<double>(all_.prior[c]) * lifts_[c];
  }

  void set_vector(std::int64_t first) {
    const double rest = d_t_ > 1 && all_.n > 1 ? (d_t_ - 1) / (all_.n - 1) / options_.shape : 0;
    double x[3 * lanes], e[2 * lanes];
    for (std::int64_t j = 0; j < lanes; ++j) {
      const std::size_t c = at(first + j);
      x[j] = 1 + docs_[c] / options_.shape;
      x[lanes + j] = 1 + std::max(docs_[c] - 1, 0.0) / options_.shape;
      x[2 * lanes + j] = 1 + std::max(all_.n_c[c] - 1, 0.0) * rest;
    }
    kernels_.logarithms(x, 3 * lanes);
    for (std::int64_t j = 0; j < lanes; ++j) {
      const std::size_t c = at(first + j);
      logs_[c] = absent_logs_[c] + x[j];
      own_logs_[c] = x[lanes + j] - x[2 * lanes + j];
      e[j] = options_.step * logs_[c];
      e[lanes + j] = options_.step * own_logs_[c];
    }
    kernels_.exponentials(e, 2 * lanes);
    for (std::int64_t j = 0; j < lanes; ++j) {
      const std::size_t c = at(first + j);
      lifts_[c] = e[j];
      own_lifts_[c] = e[lanes + j];
      prior_mixture_ += static_cast<double>(all_.prior[c]) * (lifts_[c] - absent_lifts_[c]);
    }
  }

  const Collection& all_;
  const ConditionalGain& options_;
  const PosteriorKernels kernels_ = kernels_in_use<PosteriorKernels>();
  double d_t_ = -1;
  std::vector<double> docs_;                        // (stride,) D_c
  std::vector<double> absent_logs_, absent_lifts_;  // (stride,) of a term of d_t documents that no class has
  double absent_mixture_ = 0, prior_mixture_ = 0;
  std::vector<double> logs_, lifts_, own_logs_, own_lifts_;
  std::vector<std::int64_t> vectors_;  // the first class of each
};

// Of each document that has a chosen term, F_dc and P_dc of the classes that are in play for it.
class Posteriors {
 public:
  Posteriors(const Collection& collection, const ConditionalGain& options)
      : all_(collection), options_(options), width_(std::min<std::int64_t>(all_.n_classes, options.classes_in_play)),
        stride_(padded(width_)), n_chosen_(all_.class_of.size(), 0), sums_(zeroed<double>()), rows_(zeroed<float>()) {
    if (width_ < all_.n_classes) in_play_ = zeroed<std::int32_t>();
  }

  // Whether the document has a chosen term; if not, P_dc is the prior and has no row here.
  bool touched(std::int64_t d) const { return n_chosen_[at(d)] > 0; }
  // (n_docs, stride), the second as MixtureRun has them
  const float* rows() const { return rows_.get(); }
  const std::int32_t* in_play() const { return in_play_.get(); }
  std::int64_t stride() const { return stride_; }

  // One more term is chosen, which these documents have; `lifts` are of it.
  void choose(std::span<const std::int32_t> documents, const Lifts& lifts, const Threads& threads) {
    constexpr std::int64_t docs_in_block = 256;
    const auto n = static_cast<std::int64_t>(documents.size());
    const Threads worthwhile = worth(threads, n * stride_, 1 << 16);
    if (in_play() != nullptr) find_likeliest(documents, lifts);
    PerThread<std::vector<double>> scratch(worthwhile);
    for_each_block((n + docs_in_block - 1) / docs_in_block, worthwhile, [&](std::int64_t block, Worker& worker) {
      worker.check();
      double* const own_scratch = scratch.own(worker, at(3 * stride_)).data();
      for (std::int64_t i = block * docs_in_block; i < std::min(n, (block + 1) * docs_in_block); ++i) {
        const std::int64_t d = documents[at(i)];
        const std::int32_t y = all_.class_of[at(d)], m = ++n_chosen_[at(d)];
        const double* const next = i + 4 < n ? sums_.get() + documents[at(i + 4)] * stride_ : nullptr;
        PosteriorRun run{stride_, sums_.get() + d * stride_, next, lifts.logs(), y, lifts.own_logs()[y],
                         1 / (1 + options_.temper * (m - 1)), all_.log_prior.data(), own_scratch, rows_.get() + d * stride_};
        if (in_play() != nullptr) take_those_in_play(d, m, own_scratch + stride_, run);
        kernels_.posterior(run);
      }
    });
  }

 private:
  template <class T>
  LargeArray<T> zeroed() const {
    return LargeArray<T>::zeroed(static_cast<std::int64_t>(all_.class_of.size()) * stride_);
  }

  // The classes that a document is most probably of that has this term alone of the chosen ones. O(classes), unless no
  // document is such.
  void find_likeliest(std::span<const std::int32_t> documents, const Lifts& lifts) {
    if (std::all_of(documents.begin(), documents.end(), [&](std::int32_t d) { return touched(d); })) return;
    std::vector<double> units(at(all_.n_classes));  // rounding decides no tie
    for (std::size_t c = 0; c < units.size(); ++c) units[c] = std::nearbyint(0x1p30 * (all_.log_prior[c] + lifts.logs()[c]));
    likeliest_.resize(units.size());
    std::iota(likeliest_.begin(), likeliest_.end(), 0);
    const auto first = [&](std::int32_t a, std::int32_t b) {
      return units[at(a)] != units[at(b)] ? units[at(a)] > units[at(b)] : a < b;
    };
    std::partial_sort(likeliest_.begin(), likeliest_.begin() + static_cast<std::ptrdiff_t>(width_), likeliest_.end(), first);
  }

  // Narrows the run to the classes in play; with the first chosen term they come into play. `values` has 2 strides.
  void take_those_in_play(std::int64_t d, std::int32_t m, double* values, PosteriorRun& run) {
    std::int32_t* const classes = in_play_.get() + d * stride_;
    if (m == 1) {
      classes[0] = run.own;
      for (std::int64_t slot = 1, i = 0; slot < width_; ++i)
        if (likeliest_[at(i)] != run.own) classes[slot++] = likeliest_[at(i)];
    }
    double* const log_prior = values + stride_;
    for (std::int64_t slot = 0; slot < width_; ++slot) {
      values[slot] = run.log_lift[classes[slot]];
      log_prior[slot] = run.log_prior[classes[slot]];
    }
    std::fill(values + width_, values + stride_, 0.0);
    std::fill(log_prior + width_, log_prior + stride_, -infinity);
    run.own = 0;
    run.log_lift = values;
    run.log_prior = log_prior;
  }

  const Collection& all_;
  const ConditionalGain& options_;
  const PosteriorKernels kernels_ = kernels_in_use<PosteriorKernels>();
  std::int64_t width_, stride_;         // how many classes are in play for a document
  std::vector<std::int32_t> n_chosen_;  // of each document
  LargeArray<double> sums_;             // (n_docs, stride); memory that no document touches costs nothing
  LargeArray<float> rows_;
  LargeArray<std::int32_t> in_play_;      // or none, if all are
  std::vector<std::int32_t> likeliest_;  // classes; the first `width_`
};

// Works out gains. One thread's.
class Evaluator {
 public:
  Evaluator(const Collection& collection, const Posteriors& posteriors, const ConditionalGain& options)
      : lifts(collection, options), all_(collection), posteriors_(posteriors), options_(options) {}

  // Finds the lifts of the term that these documents have.
  void look_at(std::span<const std::int32_t> documents) {
    if (all_.weights.empty()) divide<false>(documents);
    else divide<true>(documents);
    lifts.find(present_);
  }

  double gain(std::span<const std::int32_t> documents, const Threads& threads) {
    look_at(documents);
    mixtures_.resize(at(padded(n_touched_ + std::ssize(present_.classes))));
    mix(threads);
    // Documents without chosen terms differ by their classes alone.
    std::int64_t end = n_touched_;
    for (const std::int32_t c : present_.classes) {
      const double more = lifts.own_lifts()[c] - lifts.lifts()[c];
      mixtures_[at(end++)] = lifts.prior_mixture() + static_cast<double>(all_.prior[at(c)]) * more;
    }
    for (std::int64_t i = end; i < padded(end); ++i) mixtures_[at(i)] = 1;
    kernels_.logarithms(mixtures_.data(), padded(end));

    // In twice the digits: the order of the documents shows in no gain.
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
  // Tells the documents with chosen terms from those without, and counts both by class. No branch is hard to foretell.
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
    if (worthwhile.count == 1 && n * posteriors_.stride() < 1 << 24) return run(0, n);  // longer ones are to be interrupted
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
  std::vector<double> untouched_;      // documents of each class present
  std::vector<std::int32_t> touched_;  // documents; the first n_touched_
  std::int64_t n_touched_ = 0;
  std::vector<double> mixtures_;  // and their logarithms
};

// A term and its last known gain.
struct Known {
  double gain;
  double units;  // 2^-40 n
  TermId term;

  Known() = default;
  Known(TermId of, double value, double n)
      : gain(value), units(value == 0 ? 0 : std::nearbyint(value / n * 0x1p40)), term(of) {}
  // Whether the other comes first.
  bool operator<(const Known& other) const { return units != other.units ? units < other.units : term > other.term; }
};

void check(const ConditionalGain& options, double n, std::int64_t n_terms) {
  const auto refuse = [](const char* what, double value) {
    throw std::invalid_argument(std::string(what) + ", got " + text(value));
  };
  if (!(options.shape > 0 && options.shape < infinity)) refuse("shape must be positive and finite", options.shape);
  if (!(options.step > 0 && options.step < infinity)) refuse("step must be positive and finite", options.step);
  if (!(options.temper >= 0 && options.temper < infinity)) refuse("temper must be finite and not negative", options.temper);
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
  // No |W| exceeds the logarithm of 1 + n/a, and no W - W', which costs a mixture digits, that of 1 + 1/a.
  std::vector<double> most(at(lanes), n / options.shape);
  most[1] = 1 / options.shape;
  if (std::isfinite(most[0]) && std::isfinite(most[1])) kernels_in_use<LogarithmKernels>().log_plus_one(most.data(), lanes);
  limit_step(most[0], 300, "1 + documents / shape");
  limit_step(most[1], 12, "1 + 1 / shape");
}

// Once for all kinds of matrices.
GainRanking choose(const Postings& postings, const Collection& all, const ConditionalGain& options, const Threads& threads,
                   const Progress& progress) {
  const std::int64_t n_terms = postings.n_terms();
  GainRanking ranking{LargeArray<std::int64_t>::uninitialised(options.k), LargeArray<double>::uninitialised(options.k)};
  Posteriors posteriors(all, options);
  std::vector<Known> known(at(n_terms));
  const Threads for_all = worth(threads, postings.n_entries() + n_terms * all.stride);
  {
    // By their numbers of documents, since terms of as many have much in common; the longest work first. Of a hashed
    // vocabulary most have none.
    std::vector<TermId> order;
    for (TermId term = 0; term < n_terms; ++term) {
      known[at(term)] = Known(term, 0, all.n);
      if (!postings[term].empty()) order.push_back(term);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](TermId a, TermId b) { return postings[a].size() > postings[b].size(); });
    const auto n = static_cast<std::int64_t>(order.size());
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
  std::vector<std::int64_t> step_of(at(n_terms), 0);  // the step that a gain is of
  Evaluator evaluator(all, posteriors, options);
  TermId evaluated = -1;  // whose lifts the evaluator has
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
