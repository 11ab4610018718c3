// The log lift of a term for each class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gain/collection.hpp"
#include "gain/posterior_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/conditional_gain.hpp"

namespace termsift {

// The usefulness of each term to linear machines. The arrays have one value for each pair of a term and a class with
// the term, in the order of the postings' runs. The arrays are empty if no machines are trained.
struct Guide {
  std::vector<double> usefulness;  // u_tc
  std::vector<double> log_lift;    // the number added to W_tc and W'_tc
};

// Each thread has its own Lifts. Most terms occur in few classes. The lift for a class without the term depends only on
// the class and on d_t, so the lifts for such classes are kept until d_t changes. Classes are grouped into vectors of
// eight. For each term, only the vectors in which some class has the term are computed anew.
class Lifts {
 public:
  Lifts(const Collection& collection, const Guide& guide, const ConditionalGain& options)
      : all_(collection), guide_(guide), options_(options), docs_(at(all_.stride), 0.0), guided_(docs_),
        absent_logs_(docs_), absent_lifts_(docs_),
        logs_(docs_), lifts_(docs_), own_logs_(docs_), own_lifts_(docs_), at_the_start_(docs_) {}

  // Computes the lifts of a term. O(classes with the term), plus O(classes) if d_t differs from the d_t of the last
  // term, plus O(d_t) if documents have weights.
  void find(const TermDocuments& term) {
    for (const std::int64_t vector : vectors_) {
      std::fill_n(docs_.begin() + vector, gain_lanes, 0.0);
      std::fill_n(guided_.begin() + vector, gain_lanes, 0.0);
      std::copy_n(absent_logs_.begin() + vector, gain_lanes, logs_.begin() + vector);
      std::copy_n(absent_lifts_.begin() + vector, gain_lanes, lifts_.begin() + vector);
    }
    vectors_.clear();
    double d_t = 0;
    std::int64_t begin = 0;
    for (const auto [c, end] : term.runs) {
      const std::int64_t vector = c / gain_lanes * gain_lanes;
      if (vectors_.empty() || vectors_.back() != vector) vectors_.push_back(vector);
      double docs = static_cast<double>(end - begin);
      if (!all_.weights.empty()) {
        docs = 0;
        for (std::int64_t i = begin; i < end; ++i) docs += all_.weights[at(term.documents[at(i)])];
      }
      docs_[at(c)] = docs;
      d_t += docs;
      begin = end;
    }
    if (!guide_.log_lift.empty())
      for (std::size_t run = 0; run < term.runs.size(); ++run)
        guided_[at(term.runs[run].of_class)] = guide_.log_lift[at(term.first_run) + run];
    if (d_t != d_t_) set_absent(d_t);
    double mixture = absent_mixture_;
    for (const std::int64_t vector : vectors_) mixture += set_vector(vector);
    for (const std::int64_t vector : vectors_)
      for (std::int64_t c = vector; c < vector + gain_lanes; ++c) {
        const double own = own_lifts_[at(c)], prior = static_cast<double>(all_.prior[at(c)]);
        at_the_start_[at(c)] = (mixture + prior * (own - lifts_[at(c)])) / own;
      }
  }

  // Arrays (stride,) of W_c and e^{b W_c}.
  const double* logs() const { return logs_.data(); }
  const double* lifts() const { return lifts_.data(); }
  // Arrays (stride,) of D_c, W'_c, e^{b W'_c}, and the mixture (see MixtureBatch) of a document without chosen terms. Only
  // the elements of classes that have the term are valid.
  const double* docs() const { return docs_.data(); }
  const double* own_logs() const { return own_logs_.data(); }
  const double* own_lifts() const { return own_lifts_.data(); }
  const double* at_the_start() const { return at_the_start_.data(); }

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

  // Sets the lifts of one vector of classes. Returns the sum of prior_c e^{b W_c} over the vector's classes, minus the same
  // sum for a term that no class has.
  double set_vector(std::int64_t first) {
    const double rest = d_t_ > 1 && all_.n > 1 ? (d_t_ - 1) / (all_.n - 1) / options_.shape : 0;
    double x[3 * gain_lanes], e[2 * gain_lanes];
    for (std::int64_t j = 0; j < gain_lanes; ++j) {
      const std::size_t c = at(first + j);
      x[j] = 1 + docs_[c] / options_.shape;
      x[gain_lanes + j] = 1 + std::max(docs_[c] - 1, 0.0) / options_.shape;
      x[2 * gain_lanes + j] = 1 + std::max(all_.n_c[c] - 1, 0.0) * rest;
    }
    kernels_.logarithms(x, 3 * gain_lanes);
    for (std::int64_t j = 0; j < gain_lanes; ++j) {
      const std::size_t c = at(first + j);
      logs_[c] = absent_logs_[c] + x[j] + guided_[c];
      own_logs_[c] = x[gain_lanes + j] - x[2 * gain_lanes + j] + guided_[c];
      e[j] = options_.step * logs_[c];
      e[gain_lanes + j] = options_.step * own_logs_[c];
    }
    kernels_.exponentials(e, 2 * gain_lanes);
    double more = 0;
    for (std::int64_t j = 0; j < gain_lanes; ++j) {
      const std::size_t c = at(first + j);
      lifts_[c] = e[j];
      own_lifts_[c] = e[gain_lanes + j];
      more += static_cast<double>(all_.prior[c]) * (lifts_[c] - absent_lifts_[c]);
    }
    return more;
  }

  const Collection& all_;
  const Guide& guide_;
  const ConditionalGain& options_;
  const PosteriorKernels kernels_ = kernels_in_use<PosteriorKernels>();
  double d_t_ = -1;
  std::vector<double> docs_;                        // (stride,) D_c
  std::vector<double> guided_;                      // (stride,) the number that the machines add to W_c and W'_c
  std::vector<double> absent_logs_, absent_lifts_;  // (stride,) W_c and e^{b W_c} for classes without the term
  double absent_mixture_ = 0;  // sum_c prior_c e^{b W_c} of a term that no class has
  std::vector<double> logs_, lifts_, own_logs_, own_lifts_, at_the_start_;
  std::vector<std::int64_t> vectors_;  // the first class of each vector that contains a class with the term
};

}  // namespace termsift
