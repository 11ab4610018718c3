#include "ranking/best_of_classes.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "ranking/best_terms.hpp"

namespace termsift {
template <CountType Count>
bool BestOfClasses<Count>::pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure) {
  return measure != Measure::direction && pair_values_pay(counts, estimation);
}

template <CountType Count>
BestOfClasses<Count>::BestOfClasses(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                                    const Threads& threads)
    : model_(make_class_model(counts, estimation)),
      pairs_(make_pair_model(model_, estimation.b1, measure, Aggregate::sum)),
      task_{counts, model_, measure},
      threads_(worth(threads, std::ssize(model_.classes) * counts.n_terms / 8)),
      sums_(sum_mixtures(task_, pairs_, threads_)),
      seen_(sums_.seen_terms(threads_)) {
  for (std::size_t t = 0; t < sums_.n_classes_of.size(); ++t)
    if (sums_.n_classes_of[t] == 0) unseen_.push_back(static_cast<TermId>(t));
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
    best_.begin(static_cast<std::int64_t>(length_));
    const ClassRow<Count>& row = task_.row(k);
    std::array<std::size_t, 64> n_alone{};
    for (std::int64_t i = 0; i < row.size; ++i) {
      const TermId term = row.terms[i];
      has_[static_cast<std::size_t>(term)] = 1;
      const auto l = static_cast<double>(row.term_frequency[i]);
      // Terms that occur only in this class, and equally often, have equal values, so only length_ of them are needed.
      const auto whole = l < static_cast<double>(n_alone.size()) ? static_cast<std::size_t>(l) : 0;
      const bool is_alone = of_.sums_.n_classes_of[static_cast<std::size_t>(term)] == 1 && static_cast<double>(whole) == l;
      if (!is_alone || ++n_alone[whole] <= length_) add(term, l);
    }
    for (std::size_t i = 0; i < std::min(length_, of_.unseen_.size()); ++i) add(of_.unseen_[i], 0);
    evaluate();
    const auto n = std::ssize(of_.seen_);
    const std::int64_t from_first = walk(0, n, 1);
    walk(n - 1, from_first - 1, -1);
    best_.drop_worse();
    for (const ListedTerm& listed : best_.terms()) chosen_[at(listed.term)] = 1;
    for (std::int64_t i = 0; i < row.size; ++i) has_[static_cast<std::size_t>(row.terms[i])] = 0;
  }

  bool has_chosen(std::size_t term) const { return chosen_[term] != 0; }

 private:
  // Adds terms that are absent from the class, in the order seen_[begin], seen_[begin + step], and so on. Stops at `end`, or
  // when further terms cannot be among the best. Returns the position at which the loop stopped.
  std::int64_t walk(std::int64_t begin, std::int64_t end, std::int64_t step) {
    std::int64_t i = begin;
    for (may_continue_ = true; i != end && may_continue_; i += step) {
      const TermId term = of_.seen_[static_cast<std::size_t>(i)];
      if (has_[static_cast<std::size_t>(term)] == 0) add(term, 0);
    }
    evaluate();
    return i;
  }

  void add(TermId term, double l) {
    terms_[block_.n] = term;
    block_.add(l, of_.sums_, term);
    if (block_.n == block_terms) evaluate();
  }

  // Computes the values of the added terms. An unreliable value may be among the best values.
  void evaluate() {
    if (block_.n == 0) return;
    block_.evaluate(of_.pairs_, k_, of_.pairs_.measure);
    for (int j = 0; j < block_.n; ++j) {
      const bool doubtful = block_.doubtful[j] != 0;
      may_continue_ = doubtful || best_.add(block_.values[j], terms_[j]);
      if (doubtful) chosen_[at(terms_[j])] = 1;
    }
    block_.n = 0;
  }

  const BestOfClasses& of_;
  const ScoreTask<Count>& task_;
  const std::size_t length_;
  std::vector<unsigned char> has_;     // (n_terms,) 1 if the class has the term
  std::vector<unsigned char> chosen_;  // (n_terms,) 1 if the term may be among the best of a class
  std::size_t k_ = 0;                  // the current class
  BestTerms best_{2 * bound_margin};
  bool may_continue_ = true;  // false if the last evaluated term and all worse terms cannot be among the best
  TermId terms_[block_terms];
  ValueBlock block_;  // the added terms
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
