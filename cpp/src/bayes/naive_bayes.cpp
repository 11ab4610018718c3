#include "termsift/naive_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "bayes/prefix_model.hpp"
#include "bayes/verdict_kernels.hpp"
#include "counting/document_entries.hpp"
#include "simd/targets.hpp"
#include "termsift/types.hpp"

namespace termsift {
namespace {

constexpr std::int64_t docs_in_block = 128;

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
      // No further term of the document has a step before `end`.
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

  // Each of the n_added_ additions has an error of at most 2^-53 times the sum. All other operations together have an error
  // of at most 2^-45 times the sum.
  Verdict judge(std::size_t step) {
    posteriors_.loss = &m_.loss[step * at(m_.stride)];
    posteriors_.tokens = tokens_;
    posteriors_.weight = weight();
    posteriors_.error = 0x1p-45 + 0x1p-53 * n_added_;
    return kernels_.judge(posteriors_);
  }

  // Returns the first step at which the predicted class may change, or `end`. The document must have no further term before
  // `end`. Before the returned step, the growth of the winner's loss plus the rise is less than lead / weight().
  std::size_t end_of(const Verdict& verdict, std::size_t step, std::size_t end) const {
    if (weight() == 0) return end;  // the prediction depends only on the prior
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
  std::vector<double> sums_, values_, errors_;  // (stride,) each: sum_r x_r gain_rc; the other two are scratch of the kernel
  ClassPosteriors posteriors_;                  // the kernel's arguments for the document at one step
  double tokens_ = 0, n_added_ = 0;             // sum_r x_r, and the number of its summands
};

// In the steps [begin, end), the class `predicted` is predicted for a document of class `label`.
struct Prediction {
  std::size_t begin, end;
  std::int64_t predicted, weight;
  ClassId label;
};

void check_weights(std::span<const std::int64_t> weights, std::int64_t n_docs) {
  if (weights.empty()) return;
  if (static_cast<std::int64_t>(weights.size()) != n_docs)
    throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights for " + std::to_string(n_docs) +
                                " documents");
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < weights.size(); ++d) {
    if (weights[d] < 0 || weights[d] > left)
      throw std::invalid_argument("document " + std::to_string(d) + " has the weight " + std::to_string(weights[d]) +
                                  (weights[d] < 0 ? ", which is negative" : ", so the weights sum to more than 2^63 - 1"));
    left -= weights[d];
  }
}

}  // namespace

template <CountType Count>
void classify_by_prefixes(const ClassCounts<Count>& counts, const NaiveBayes& bayes, const LabelledDocuments& documents,
                          const Threads& threads, std::int64_t* hits, std::int64_t* predicted) {
  const AnyCsr& x = documents.x;
  if (static_cast<std::int64_t>(documents.labels.size()) != x.n_rows)
    throw std::invalid_argument("there are " + std::to_string(documents.labels.size()) + " labels for " +
                                std::to_string(x.n_rows) + " documents");
  check_weights(documents.weights, x.n_rows);
  if (x.n_columns > counts.n_terms)
    throw std::invalid_argument("the documents have " + std::to_string(x.n_columns) + " terms, but the counts have " +
                                std::to_string(counts.n_terms));
  const CsrFacts facts = check_csr(x, {}, threads);
  if (facts.value_bound >= 0x1p900)
    throw std::invalid_argument("the documents hold values above 2^900, too large for sums of logarithms");
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
    result[p.begin * n_classes + at(p.predicted)] += p.weight;
    if (p.end < n_steps) result[p.end * n_classes + at(p.predicted)] -= p.weight;
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
      const std::int64_t weight = documents.weights.empty() ? 1 : documents.weights[at(d)];
      own.sweep.classify(x, d, facts.distinct, [&](std::size_t begin, std::size_t end, std::size_t c) {
        own.predictions.push_back({begin, end, model.classes[c], weight, documents.labels[at(d)]});
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
