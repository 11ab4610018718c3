#include "termsift/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bayes/verdict_kernels.hpp"
#include "counting/document_entries.hpp"
#include "ranking/pairs_by_term.hpp"
#include "simd/logarithm_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/double_double.hpp"
#include "termsift/types.hpp"

namespace termsift {
namespace {

constexpr std::int64_t docs_in_block = 128;

// ---- the model ---------------------------------------------------------------------------------------------------------

// With the first k terms, the log posterior of class c is v_c plus a number that does not depend on c:
//
//   v_c = log n_c + sum_r x_r gain_rc - absent_c sum_r x_r - w loss_c(k)
//
// The count of the term of rank r < k is x_r in the document and l in class c. The other symbols depend on the model:
//
//   model                gain_rc, l = l_rc or d_rc      absent_c   loss_c(k)                             w
//   multinomial, binary  L(l/b1)                        0          L(sum_{r<k} l / (b1 k))               sum_r x_r
//   bernoulli            L(l/b1) + L(l/(X_c - l + b1))  L(X_c/b1)  sum_{r<k} L(p_rc/(1 - p_rc))          1
//   poisson              L(l/b1)                        L(X_c/b1)  sum_{r<k} p_rc = (l + b1)/(X_c + b1)  1
//
// In the table, L(x) is the logarithm of 1 + x, and X_c is the model's total (EventModel). gain_rc is 0 for a class without
// the term, so a term has pairs only with the classes that contain it. In the formula, only v_c can be negative.
struct PrefixModel {
  std::vector<std::int64_t> classes;      // (n,) the rows of the counts that have documents, increasing
  std::int64_t stride = 0;                // n, rounded up to a multiple of verdict_lanes
  std::vector<double> log_docs;           // (stride,) log n_c, minus the log of the least n_c
  std::vector<double> absent;             // (stride,)
  bool weighs_tokens = false;             // true if w is sum_r x_r, false if w is 1
  std::vector<std::int32_t> rank_of;      // (n_terms,) the rank of each term, or -1 if the rank is not below ks.back()
  std::vector<std::int32_t> step_of;      // (ranks,) for each rank, the index of the smallest k above the rank
  std::vector<std::int64_t> first_pair;   // (ranks + 1,) the index of the first pair of each rank
  std::vector<std::int32_t> pair_class;   // for each pair, the position of its class in `classes`, increasing within a rank
  std::vector<double> pair_gain;
  std::vector<double> loss;               // (ks.size(), stride)
  // (ks.size(),) From one k to a later k, no class's loss falls by more than `rise` grows. If all losses grow, `rise` falls.
  // `rise` includes margins for rounding and for `tolerance_growth`.
  std::vector<double> rise;
};

// If the loss of class c changes by x, twice the error of v_c changes by less than tolerance_growth w |x| (see
// Sweep::judge()). The constant is valid for documents with at most 2^20 ranked terms.
constexpr double tolerance_growth = 0x1p-31;

// Replaces every x by L(x). The kernel processes eight values at a time.
void log_plus_one(std::vector<double>& values) {
  const std::size_t n = values.size();
  values.resize((n + 7) / 8 * 8);
  kernels_in_use<LogarithmKernels>().log_plus_one(values.data(), std::ssize(values));
  values.resize(n);
}

// Returns x, which belongs to class c. Throws WrongArgument if x is infinite or NaN.
double finite(double x, std::int64_t c) {
  if (!std::isfinite(x)) throw WrongArgument("alpha", "alpha is too small for the counts of class " + std::to_string(c));
  return x;
}

void set_ranks(PrefixModel& m, const NaiveBayes& bayes, std::int64_t n_terms) {
  const std::int64_t n_ranks = bayes.ks.empty() ? 0 : bayes.ks.back();
  m.rank_of.assign(at(n_terms), -1);
  m.step_of.resize(at(n_ranks));
  std::int32_t step = 0;
  for (std::int64_t rank = 0; rank < n_ranks; ++rank) {
    m.rank_of[at(bayes.ranking[at(rank)])] = static_cast<std::int32_t>(rank);
    if (rank == bayes.ks[at(step)]) ++step;
    m.step_of[at(rank)] = step;
  }
}

// Sets the pairs of the ranked terms. Sets pair_gain to the counts l, from which the gains are computed later.
template <CountType Count>
void set_pairs(PrefixModel& m, const ClassCounts<Count>& counts) {
  auto [pairs, starts] = arrange_pairs_by_term(counts, m.classes, std::ssize(m.step_of), Threads{1, {}},
                                               [&](TermId term) { return m.rank_of[at(term)]; });
  m.first_pair = std::move(starts);
  m.pair_class.reserve(pairs.size());
  m.pair_gain.reserve(pairs.size());
  for (const auto& [c, l] : pairs) {
    m.pair_class.push_back(c);
    m.pair_gain.push_back(static_cast<double>(l));
  }
}

// Sets loss_c(k) to final_loss(c, k, sum), where `sum` is the sum of pair_loss over pairs of class c with a rank below k.
template <class FinalLoss>
void set_losses(PrefixModel& m, std::span<const std::int64_t> ks, const std::vector<double>& pair_loss,
                const FinalLoss& final_loss) {
  std::vector<DoubleDouble> sums(m.classes.size());
  m.loss.reserve(ks.size() * at(m.stride));
  std::size_t pair = 0;
  for (const std::int64_t k : ks) {
    for (; pair < at(m.first_pair[at(k)]); ++pair) {
      DoubleDouble& sum = sums[at(m.pair_class[pair])];
      const DoubleDouble next = two_sum(sum.hi, pair_loss[pair]);
      sum = {next.hi, sum.lo + next.lo};
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      m.loss.push_back(finite(final_loss(c, static_cast<double>(k), sums[c].hi + sums[c].lo), m.classes[c]));
    m.loss.resize((m.loss.size() + verdict_lanes - 1) / verdict_lanes * verdict_lanes, 0.0);
  }
}

void set_rise(PrefixModel& m, std::size_t n_steps) {
  m.rise.resize(n_steps);
  for (std::size_t step = 1; step < n_steps; ++step) {
    const double *before = &m.loss[(step - 1) * at(m.stride)], *after = before + m.stride;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < m.classes.size(); ++c) most = std::max(most, before[c] - after[c]);
    const double rise = m.rise[step - 1] + (most + tolerance_growth * std::fabs(most));
    m.rise[step] = rise + 0x1p-50 * std::fabs(rise);  // a margin, because differences of rises must be upper bounds
  }
}

// `counts` must come from as_counted_by(). Takes O(pairs + n_terms + ks * classes) time.
template <CountType Count>
PrefixModel make_prefix_model(const ClassCounts<Count>& counts, const NaiveBayes& bayes) {
  PrefixModel m;
  std::vector<double> total;  // X_c
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    const ClassRow<Count>& row = *counts.rows[c];
    if (row.n_docs == 0) continue;
    m.classes.push_back(static_cast<std::int64_t>(c));
    m.log_docs.push_back(static_cast<double>(row.n_docs));
    total.push_back(static_cast<double>(row.n_tokens));
    finite(total.back() / bayes.b1, m.classes.back());
  }
  if (m.classes.empty()) throw WrongArgument("counts", "naive Bayes needs a class with documents");
  const std::size_t n = m.classes.size();
  const double least = *std::min_element(m.log_docs.begin(), m.log_docs.end());
  for (double& docs : m.log_docs) docs = (docs - least) / least;  // docs / least - 1 would lose digits if docs is near least
  log_plus_one(m.log_docs);
  m.stride = (std::ssize(m.log_docs) + verdict_lanes - 1) / verdict_lanes * verdict_lanes;
  m.log_docs.resize(at(m.stride), no_class);

  set_ranks(m, bayes, counts.n_terms);
  set_pairs(m, counts);
  const double b1 = bayes.b1;
  const std::vector<double> l = m.pair_gain;
  for (std::size_t pair = 0; pair < l.size(); ++pair)
    m.pair_gain[pair] = finite(l[pair] / b1, m.classes[at(m.pair_class[pair])]);
  log_plus_one(m.pair_gain);

  m.weighs_tokens = bayes.model == EventModel::multinomial || bayes.model == EventModel::binary;
  m.absent.resize(at(m.stride));
  for (std::size_t c = 0; c < n && !m.weighs_tokens; ++c) m.absent[c] = total[c] / b1;
  log_plus_one(m.absent);
  if (m.weighs_tokens) {
    set_losses(m, bayes.ks, l, [&](std::size_t, double k, double sum) { return sum / (b1 * k); });
    log_plus_one(m.loss);
  } else if (bayes.model == EventModel::bernoulli) {
    // The logarithm of 1/(1 - p) = (X + 2 b1)/(X - l + b1) is L(b1/(X + b1)) + L(l/(X - l + b1)).
    std::vector<double> present(l.size()), absent(n);
    for (std::size_t pair = 0; pair < l.size(); ++pair)
      present[pair] = l[pair] / (total[at(m.pair_class[pair])] - l[pair] + b1);
    for (std::size_t c = 0; c < n; ++c) absent[c] = b1 / (total[c] + b1);
    log_plus_one(present);
    log_plus_one(absent);
    for (std::size_t pair = 0; pair < l.size(); ++pair) m.pair_gain[pair] += present[pair];
    set_losses(m, bayes.ks, present, [&](std::size_t c, double k, double sum) { return sum + k * absent[c]; });
  } else {
    set_losses(m, bayes.ks, l, [&](std::size_t c, double k, double sum) {
      const double docs = total[c] + b1;
      return sum / docs + k * (b1 / docs);
    });
  }
  set_rise(m, bayes.ks.size());
  return m;
}

// ---- the documents -----------------------------------------------------------------------------------------------------

// Classifies documents one by one. Each thread has its own Sweep.
class Sweep {
 public:
  Sweep(const PrefixModel& model, TermWeight term_weight)
      : m_(model), entries_(term_weight), sums_(at(m_.stride)), values_(sums_.size()), errors_(sums_.size()),
        posteriors_{m_.stride, m_.log_docs.data(), sums_.data(), m_.absent.data(), nullptr, 0, 0, 0, values_.data(),
                    errors_.data()} {}
  Sweep(const Sweep&) = delete;  // posteriors_ of a copy would point to members of the original
  Sweep& operator=(const Sweep&) = delete;

  // Calls emit(begin, end, position of the class) for every range [begin, end) of `ks` with the same predicted class.
  template <class Emit>
  void classify(const AnyCsr& x, std::int64_t document, bool distinct, const Emit& emit) {
    read(x, document, distinct);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    tokens_ = n_added_ = 0;
    const std::size_t n_steps = m_.rise.size();
    std::size_t step = 0, begun = 0;
    std::int64_t now = 0;
    for (auto entry = ranked_.begin(); step < n_steps;) {
      for (; entry != ranked_.end() && at(m_.step_of[at(entry->rank)]) == step; ++entry) add(*entry);
      // Before the step `end`, the ranked prefixes contain no further term of the document.
      const std::size_t end = entry == ranked_.end() ? n_steps : at(m_.step_of[at(entry->rank)]);
      while (step < end) {
        const Verdict verdict = judge(step);
        if (step == 0) now = verdict.winner;
        if (verdict.winner != now) {
          emit(begun, step, at(now));
          begun = step;
          now = verdict.winner;
        }
        step = end_of(verdict, step, end);
      }
    }
    if (n_steps > 0) emit(begun, n_steps, at(now));
  }

 private:
  struct Entry {
    std::int32_t rank;
    double x;
  };

  void read(const AnyCsr& x, std::int64_t document, bool distinct) {
    entries_.read(x, document, distinct);
    ranked_.clear();
    for (std::int64_t i = 0; i < entries_.size(); ++i)
      if (const std::int32_t rank = m_.rank_of[at(entries_.terms()[i])]; rank >= 0)
        ranked_.push_back({rank, entries_.values()[i]});
    std::sort(ranked_.begin(), ranked_.end(), [](const Entry& a, const Entry& b) { return a.rank < b.rank; });
  }

  void add(const Entry& entry) {
    tokens_ += entry.x;
    ++n_added_;
    for (auto pair = at(m_.first_pair[at(entry.rank)]); pair < at(m_.first_pair[at(entry.rank) + 1]); ++pair)
      sums_[at(m_.pair_class[pair])] += entry.x * m_.pair_gain[pair];
  }

  double weight() const { return m_.weighs_tokens ? tokens_ : 1.0; }

  // Let s be the sum of the magnitudes of all summands of v_c. Each of the n_added_ additions has an error of at most 2^-53
  // times s. All other operations together have an error of at most 2^-45 times s.
  Verdict judge(std::size_t step) {
    posteriors_.loss = &m_.loss[step * at(m_.stride)];
    posteriors_.tokens = tokens_;
    posteriors_.weight = weight();
    posteriors_.error = 0x1p-45 + 0x1p-53 * n_added_;
    return kernels_.judge(posteriors_);
  }

  // Returns the first step at which the predicted class may change, or `end`. The document must have no further term before
  // `end`. Before the returned step, the winner's loss plus `rise` grows by less than lead / weight().
  std::size_t end_of(const Verdict& verdict, std::size_t step, std::size_t end) const {
    if (weight() == 0) return end;  // without ranked terms, the prediction depends only on the prior
    const double* const loss = m_.loss.data() + verdict.winner;
    const double lead = verdict.lead / weight(), lost = loss[step * at(m_.stride)];
    std::size_t next = step + 1;
    for (; next < end; ++next) {
      const double more = loss[next * at(m_.stride)] - lost;
      if (!(more + tolerance_growth * std::fabs(more) + (m_.rise[next] - m_.rise[step]) < lead)) break;
    }
    return next;
  }

  const PrefixModel& m_;
  const VerdictKernels kernels_ = kernels_in_use<VerdictKernels>();
  DocumentEntries entries_;
  std::vector<Entry> ranked_;                   // the document's entries, by rank
  std::vector<double> sums_, values_, errors_;  // (stride,) each: sum_r x_r gain_rc, and two scratch arrays of the kernel
  ClassPosteriors posteriors_;                  // the kernel's arguments for the document at one step
  double tokens_ = 0, n_added_ = 0;             // sum_r x_r, and the number of its summands
};

// In the steps [begin, end), the class `predicted` is predicted for a document of class `label`.
struct Prediction {
  std::size_t begin, end;
  std::int64_t predicted;
  ClassId label;
};

}  // namespace

template <CountType Count>
void classify_by_prefixes(const ClassCounts<Count>& counts, const NaiveBayes& bayes, const LabelledDocuments& documents,
                          const Threads& threads, std::int64_t* hits, std::int64_t* predicted) {
  const AnyCsr& x = documents.x;
  const CsrFacts facts = check_csr(x, {}, threads);
  if (facts.value_bound >= 0x1p900)
    throw WrongArgument("X", "the documents hold values above 2^900, too large for sums of logarithms");
  const PrefixModel model = make_prefix_model(as_counted_by(bayes.model, counts, threads), bayes);
  const bool of_presence = bayes.model == EventModel::binary || bayes.model == EventModel::bernoulli;
  const TermWeight term_weight = of_presence ? TermWeight::binary : documents.term_weight;

  const std::size_t n_classes = counts.rows.size(), n_steps = bayes.ks.size();
  std::fill_n(hits, n_steps * n_classes, std::int64_t{0});
  std::fill_n(predicted, n_steps * n_classes, std::int64_t{0});
  // While documents are classified, the results hold only changes from one k to the next, so a document needs additions only
  // where its predicted class changes. At the end, the changes are summed over k. Sums of integers do not depend on the
  // order of the summands.
  std::mutex results;
  const auto count = [&](const Prediction& p, std::int64_t* result) {
    ++result[p.begin * n_classes + at(p.predicted)];
    if (p.end < n_steps) --result[p.end * n_classes + at(p.predicted)];
  };
  struct Scratch {
    Sweep sweep;
    std::vector<Prediction> predictions;
    Scratch(const PrefixModel& m, const TermWeight& w) : sweep(m, w) {}
  };
  PerThread<Scratch> scratch(threads);
  const std::int64_t work = x.n_rows + x.indptr[x.n_rows] * static_cast<std::int64_t>(model.classes.size());
  for_each_range(x.n_rows, docs_in_block, worth(threads, work), [&](std::int64_t first, std::int64_t last, Worker& worker) {
    Scratch& own = scratch.own(worker, model, term_weight);
    own.predictions.clear();
    for (std::int64_t d = first; d < last; ++d) {
      worker.check();
      own.sweep.classify(x, d, facts.distinct, [&](std::size_t begin, std::size_t end, std::size_t c) {
        own.predictions.push_back({begin, end, model.classes[c], documents.labels[at(d)]});
      });
    }
    const std::lock_guard lock(results);
    for (const Prediction& p : own.predictions) {
      count(p, predicted);
      if (p.label == p.predicted) count(p, hits);
    }
  });
  for (std::size_t i = n_classes; i < n_steps * n_classes; ++i) {
    hits[i] += hits[i - n_classes];
    predicted[i] += predicted[i - n_classes];
  }
}

template void classify_by_prefixes(const ClassCounts<std::int64_t>&, const NaiveBayes&, const LabelledDocuments&,
                                   const Threads&, std::int64_t*, std::int64_t*);
template void classify_by_prefixes(const ClassCounts<double>&, const NaiveBayes&, const LabelledDocuments&, const Threads&,
                                   std::int64_t*, std::int64_t*);

}  // namespace termsift
