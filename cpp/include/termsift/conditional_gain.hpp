// Ranks terms. Each step chooses a term that adds much information about the class to the terms chosen earlier.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/linear_machines.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

// Let D_tc be the number of documents of class c that contain term t, and d_t the sum of D_tc over the classes. Let n_c be
// the number of documents of class c, and n the sum of n_c:
//     W_tc  = log (D_tc + a) - log (n_c d_t / n + a),                                   the log lift, shrunk towards 0,
//     W'_tc = log (D_tc - 1 + a) - log ((n_c - 1)(d_t - 1) / (n - 1) + a),              the same without one document of c,
// where negative numbers are replaced by 0, and 0/0 = 0. Let document d of class y contain m chosen terms, and let F_dc be
// the sum of W_tc (W'_tc if c = y) over these terms. The probability P_dc that the document has class c is computed in
// single precision:
//     P_dc proportional to n_c exp(F_dc / (1 + rho (m - 1))).
// The loss of a document is -log P_dy. The gain of term t is the total reduction of losses by a step of length b with t:
//     gain_t = sum over the documents d that have t of -log( sum_{c != y} P_dc e^{b (W_tc - W'_ty)} + P_dy ).
// If there are more than `classes_in_play` classes, each document keeps only `classes_in_play` of them: its own class, and
// the classes with the largest sums log(n_c / n) + W_tc for the document's first chosen term t. The sums are rounded to
// multiples of 2^-30 before comparison, and ties go to the lower index. P_dc is 0 for the classes that d does not keep.
//
// Guided gain: linear machines (linear_machines.hpp) estimate how a trained classifier would use a term. Let w_tc be the
// weights of the machines, u_tc = max(0.1, (|w_tc| + max_k |w_tk|) / (2 max |w|))^0.75, z the mean entry of the document
// vectors, and w_t* the mean weight of t over the classes where t does not occur. In the gain of term t, the loss of a
// document of class y is multiplied by u_ty. For each class c where t occurs, z (w_tc - w_t*) / 2 is added to W_tc and
// W'_tc.
struct ConditionalGain {
  double shape = 1;      // a: a larger a shrinks the lifts more strongly towards 0
  double temper = 0.15;  // rho: the assumed redundancy of the terms of a document
  double step = 0.5;     // b: the length of the step in the definition of the gain
  std::int64_t k = 0;
  std::int32_t classes_in_play = 64;
  // Each document's loss has a weight proportional to n_c^-balance, where n_c is the number of documents of its class. The
  // weights are scaled to a mean of 1. With balance = 1, all classes count equally.
  double balance = 0;
  LinearMachines machines{0, 3};  // if the cost is 0, no linear machines guide the gain
};

struct GainRanking {
  LargeArray<std::int64_t> indices;  // (k,)
  LargeArray<double> gains;          // (k,), the gain of each chosen term in the step that chose the term
  std::int64_t evaluations = 0;      // number of gains computed, including the first gain of each term
};

// A heap orders the terms by their last computed gains. If the gain of the first term was computed in the current step, the
// term is chosen. If the gain of the first term is older, it is computed again. Rounding must not decide a tie, so gains are
// compared in whole units of 2^-40 n, where n is the number of documents. Equal gains are ordered by index. A gain may grow
// when other terms are chosen, so the chosen term need not have the largest gain. Computing all gains at every step would
// need twelve times as many evaluations and would choose no better terms (docs/methods.md).
//
// `classes` are (n_rows,). `weights` are (n_rows,) or empty, and must be finite and not negative. A document of weight w
// counts as w equal documents, of which W' leaves out only one. The entries of x may be in any order, repeated or 0.
//
// Any number of threads and any SIMD target give the same bits. Memory: 4 bytes for each entry of x, 8 for each pair of a
// class and a term of the class, and 16 for each document. Each term takes 48 bytes, and 8 more for each thread beyond the
// first four. In addition, each document with a chosen term takes 12 bytes for each class (with the number of classes
// rounded up to a multiple of 8). If there are more than `classes_in_play` classes, a document takes 16 bytes for each class
// that it keeps (by default 1 KiB), instead of 12 for each class.
//
// The options must satisfy 0 <= k <= n_columns, shape > 0, step > 0, temper >= 0, 0 <= balance <= 1 and classes_in_play > 0.
// Throws as check_csr does. Also throws std::invalid_argument if e^{b W} could leave the range of a
// double, or e^{b (W - W')} could lose half of its digits.
GainRanking conditional_gain(const AnyCsr& x, std::span<const std::int32_t> classes, std::span<const double> weights,
                             const ConditionalGain& options, const Threads& threads, const Progress& progress = {});

}  // namespace termsift
