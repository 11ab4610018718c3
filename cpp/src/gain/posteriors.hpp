// The class probabilities of each document, given the terms that have been chosen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "gain/collection.hpp"
#include "gain/lifts.hpp"
#include "gain/posterior_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/conditional_gain.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {

// F_dc and P_dc of the classes in play, for each document that has a chosen term.
class Posteriors {
 public:
  Posteriors(const Collection& collection, const ConditionalGain& options)
      : all_(collection), options_(options), width_(std::min<std::int64_t>(all_.n_classes, options.classes_in_play)),
        stride_(padded(width_)), n_chosen_(all_.class_of.size(), 0), sums_(zeroed<double>()), rows_(zeroed<float>()) {
    if (width_ < all_.n_classes) in_play_ = zeroed<std::int32_t>();
  }

  // (documents,) The number of chosen terms in each document. If this number is 0, P_dc is the prior, but the row holds
  // zeros.
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

  // Finds the most probable classes of a document that has this chosen term and no other chosen term. O(classes), or
  // O(documents) if there is no such document.
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

  // Restricts the update to the document's classes in play, which are chosen when m = 1. `values` has room for 2 rows.
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

}  // namespace termsift
