// Documents -> ranking: each term chosen for what it adds about the class of each document, given those chosen before.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// With D_tc the documents of class c that have term t, d_t of all classes, n_c and n those of the class and of all,
//     W_tc  = log (D_tc + a) - log (n_c d_t / n + a),                                   the log lift, shrunk to 0,
//     W'_tc = log (D_tc - 1 + a) - log ((n_c - 1)(d_t - 1) / (n - 1) + a),              that without one document of c,
// no number below 0 and 0/0 = 0. A document d of class y that has m of the chosen terms is of class c with the probability
//     P_dc proportional to n_c exp(F_dc / (1 + rho (m - 1))),   F_dc the sum of W_tc over these, for c = y of W'_tc,
// kept in single precision. The gain of a term is what a step of it takes off the documents' losses -log P_dy:
//     gain_t = sum over the documents d that have t of -log( sum_{c != y} P_dc e^{b (W_tc - W'_ty)} + P_dy ).
// Of many classes some are in play for a document from its first chosen term t on: its own, and of the others those of the
// largest log(n_c / n) + W_tc, compared in whole units of 2^-30, equals by index. Of the rest it is not: P_dc = 0.
struct ConditionalGain {
  double shape = 1;      // a: how much evidence a lift needs
  double temper = 0.15;  // rho: how much terms of a document repeat each other
  double step = 0.5;     // b
  std::int64_t k = 0;
  std::int32_t classes_in_play = 64;
};

struct GainRanking {
  LargeArray<std::int64_t> indices;  // (k,)
  LargeArray<double> gains;          // (k,), each when it was chosen
  std::int64_t evaluations = 0;      // of gains, the first of each term among them
};

// Terms are kept by their last known gains. The first of them is worked out again if it is not of this step; if it is, it is
// chosen. Gains are compared in whole units of 2^-40 n, n the number of documents, and equals by index: rounding does not
// decide a tie. A gain may grow when other terms are chosen, so that the chosen one need not be the largest of all; to know
// all of them at every step takes twelve times as many, and chooses no better (docs/methods.md).
//
// classes: of each document, below n_classes. weights: of each document, or empty; a document of weight w counts as w
// documents, of which one is left out. x as for counting: entries in any order, repeated or 0.
//
// Any number of threads and any SIMD target give the same bits. Memory: 4 bytes for each entry of x, 40 for each term (8
// more for each thread from the fifth on), 16 for each document, and for a document that has a chosen term 12 for each
// class (rounded up to a multiple of 8), 16 for each in play if those are fewer: 1 KiB.
//
// Throws std::invalid_argument as check_csr does, unless 0 <= k <= n_columns, shape and step are positive and temper is not
// negative, and where e^{b W} could leave the range of a double or e^{b (W - W')} take half of its digits.
GainRanking conditional_gain(const AnyCsr& x, std::span<const std::int32_t> classes, std::int32_t n_classes,
                             std::span<const double> weights, const ConditionalGain& options, const Threads& threads,
                             const Progress& progress = {});

}  // namespace termsift
