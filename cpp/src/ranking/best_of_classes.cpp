#include "ranking/best_of_classes.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include "base/bucket_sort.hpp"
#include "simd/targets.hpp"

namespace termsift {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Covers the relative errors of class_scores() and of PairKernels::values, which are up to 1e-14.
constexpr double margin = 1e-9;

}  // namespace

template <CountType Count>
bool BestOfClasses<Count>::pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure) {
  if (measure == Measure::direction) return false;
  std::int64_t n_classes = 0, n_pairs = 0;
  for (const auto& row : counts.rows)
    if (row->is_present()) ++n_classes, n_pairs += row->size;
  return n_classes > 1 && 8 * (n_pairs + counts.n_terms) < n_classes * counts.n_terms &&
         fits_pair_values(counts, estimation);
}

template <CountType Count>
BestOfClasses<Count>::BestOfClasses(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                                    const Threads& threads)
    : model_(make_class_model(counts, estimation)),
      pairs_(make_pair_model(model_, estimation.b1, measure, Aggregate::sum)),
      task_{counts, model_, measure, Aggregate::sum, nullptr, nullptr},
      threads_(worth(threads, std::ssize(model_.classes) * counts.n_terms / 8)),
      sums_(sum_mixtures(task_, pairs_, threads_)) {
  for (std::int64_t t = 0; t < counts.n_terms; ++t)
    (sums_.n_classes_of[static_cast<std::size_t>(t)] > 0 ? seen_ : unseen_).push_back(static_cast<TermId>(t));
  sort_in_parts(seen_.begin(), seen_.end(), threads_, [&](TermId a, TermId b) {
    const double U_a = sums_.U_hi[static_cast<std::size_t>(a)], U_b = sums_.U_hi[static_cast<std::size_t>(b)];
    return U_a != U_b ? U_a > U_b : a < b;
  });
}

// One thread's search for the best terms of classes, one class after another.
template <CountType Count>
class BestOfClasses<Count>::Search {
 public:
  Search(const BestOfClasses& of, std::int64_t length)
      : of_(of), task_(of.task_), length_(static_cast<std::size_t>(length)), has_(of.sums_.U_hi.size()),
        chosen_(has_.size()) {}

  void choose(std::size_t k) {
    k_ = k;
    least_.clear();
    candidates_.clear();
    const ClassRow<Count>& row = task_.row(k);
    std::array<std::size_t, 64> n_alone{};
    for (std::int64_t i = 0; i < row.size; ++i) {
      const TermId term = row.terms[i];
      has_[static_cast<std::size_t>(term)] = 1;
      const auto l = static_cast<double>(row.term_frequency[i]);
      // Terms that occur only in this class and equally often have equal values, so only length_ of them are needed.
      const auto whole = l < static_cast<double>(n_alone.size()) ? static_cast<std::size_t>(l) : 0;
      const bool is_alone = of_.sums_.n_classes_of[static_cast<std::size_t>(term)] == 1 && static_cast<double>(whole) == l;
      if (!is_alone || ++n_alone[whole] <= length_) add(term, l);
    }
    for (std::size_t i = 0; i < std::min(length_, of_.unseen_.size()); ++i) add(of_.unseen_[i], 0);
    evaluate();
    const auto n = std::ssize(of_.seen_);
    const std::int64_t from_first = walk(0, n, 1);
    walk(n - 1, from_first - 1, -1);
    for (const auto& [most, term] : candidates_)
      if (most >= limit()) chosen_[static_cast<std::size_t>(term)] = 1;
    for (std::int64_t i = 0; i < row.size; ++i) has_[static_cast<std::size_t>(row.terms[i])] = 0;
  }

  bool has_chosen(std::size_t term) const { return chosen_[term] != 0; }

 private:
  struct Candidate {
    double most;  // an upper bound of the term's value
    TermId term;
  };

  // Adds terms that are absent from the class, in the order seen_[begin], seen_[begin + step], and so on. Stops at `end`, or
  // when further terms cannot be among the best. Returns the position at which the loop stopped.
  std::int64_t walk(std::int64_t begin, std::int64_t end, std::int64_t step) {
    std::int64_t i = begin;
    for (last_ = infinity; i != end && last_ >= limit(); i += step) {
      const TermId term = of_.seen_[static_cast<std::size_t>(i)];
      if (has_[static_cast<std::size_t>(term)] == 0) add(term, 0);
    }
    evaluate();
    return i;
  }

  void add(TermId term, double l) {
    terms_[n_] = term, l_[n_] = l;
    U_hi_[n_] = of_.sums_.U_hi[static_cast<std::size_t>(term)], U_lo_[n_] = of_.sums_.U_lo[static_cast<std::size_t>(term)];
    if (++n_ == block_terms) evaluate();
  }

  // Computes the values of the added terms. Terms that may be among the best become candidates.
  void evaluate() {
    const int n = std::exchange(n_, 0);
    if (n == 0) return;
    for (int j = n; j % 8 != 0; ++j) l_[j] = l_[0], U_hi_[j] = U_hi_[0], U_lo_[j] = U_lo_[0];
    kernels_.values({(n + 7) / 8 * 8, &of_.pairs_.classes[k_], &of_.pairs_.totals, of_.pairs_.measure, of_.pairs_.variable,
                     of_.model_.lost, l_, U_hi_, U_lo_, values_, doubtful_});
    for (int j = 0; j < n; ++j) {
      const bool sure = doubtful_[j] == 0;
      last_ = sure ? values_[j] * (1 + margin) : infinity;
      if (sure) raise_limit(values_[j] * (1 - margin));
      if (last_ >= limit()) candidates_.push_back({last_, terms_[j]});
    }
  }

  // Returns a lower bound of the values of the best terms.
  double limit() const { return least_.size() < length_ ? -infinity : least_.front(); }

  void raise_limit(double value) {
    if (least_.size() == length_) {
      if (value <= least_.front()) return;
      std::pop_heap(least_.begin(), least_.end(), std::greater());
      least_.pop_back();
    }
    least_.push_back(value);
    std::push_heap(least_.begin(), least_.end(), std::greater());
  }

  const BestOfClasses& of_;
  const ScoreTask<Count>& task_;
  const PairKernels& kernels_ = kernels_in_use<PairKernels>();
  const std::size_t length_;
  std::vector<unsigned char> has_;     // (n_terms,) 1 if the class has the term
  std::vector<unsigned char> chosen_;  // (n_terms,) 1 if the term may be among the best of a class
  std::size_t k_ = 0;                  // the current class
  std::vector<double> least_;          // a heap of the length_ largest lower bounds of values
  std::vector<Candidate> candidates_;
  int n_ = 0;  // the number of added terms
  double last_ = infinity;  // an upper bound of the value of the last evaluated term
  TermId terms_[block_terms];
  double l_[block_terms], U_hi_[block_terms], U_lo_[block_terms], values_[block_terms];
  unsigned char doubtful_[block_terms];
};

template <CountType Count>
std::vector<std::int64_t> BestOfClasses<Count>::terms(std::int64_t length) const {
  std::vector<std::unique_ptr<Search>> searches(static_cast<std::size_t>(threads_.count));
  for_each_block(static_cast<std::int64_t>(task_.n_classes()), threads_, [&](std::int64_t k, Worker& worker) {
    auto& search = searches[static_cast<std::size_t>(worker.thread())];
    if (!search) search = std::make_unique<Search>(*this, length);
    search->choose(static_cast<std::size_t>(k));
  });
  std::vector<bool> chosen(sums_.U_hi.size());
  for (const auto& search : searches)
    for (std::size_t t = 0; search && t < chosen.size(); ++t) chosen[t] = chosen[t] || search->has_chosen(t);
  std::vector<std::int64_t> result;
  for (std::size_t t = 0; t < chosen.size(); ++t)
    if (chosen[t]) result.push_back(static_cast<std::int64_t>(t));
  return result;
}

template class BestOfClasses<std::int64_t>;
template class BestOfClasses<double>;

}  // namespace termsift
