#include "termsift/round_robin.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace termsift {
namespace {

constexpr std::int64_t value_bytes = std::int64_t{32} << 20, list_bytes = std::int64_t{128} << 20;

struct Listed {
  double value;
  std::int64_t term;
};
bool before(const Listed& a, const Listed& b) { return a.value != b.value ? a.value > b.value : a.term < b.term; }

// A stretch of one class's list: the best `length` terms that come after all of the stretch before.
class Stretch {
 public:
  void begin(std::int64_t length) {
    if (!terms_.empty()) {
      floor_ = terms_.back();
      started_ = true;
    }
    terms_.clear();
    length_ = static_cast<std::size_t>(length);
    full_ = false;
  }

  void add(double value, std::int64_t term) {
    const Listed listed{value, term};
    if (full_ && !before(listed, worst_)) return;
    if (started_ && !before(floor_, listed)) return;
    terms_.push_back(listed);
    if (terms_.size() >= 2 * length_) shrink();
  }

  void finish() {
    shrink();
    std::sort(terms_.begin(), terms_.end(), before);
  }

  const std::vector<Listed>& terms() const { return terms_; }

 private:
  void shrink() {
    if (terms_.size() <= length_) return;
    std::nth_element(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(length_ - 1), terms_.end(), before);
    terms_.resize(length_);
    worst_ = terms_.back();
    full_ = true;
  }

  std::size_t length_ = 0;
  std::vector<Listed> terms_;
  Listed floor_{}, worst_{};
  bool started_ = false;  // there is a stretch before, which ended with floor_
  bool full_ = false;     // length_ terms are known, none after worst_
};

// values_of(first, n, values): writes the values (n_classes, n) of the terms first .. first + n.
template <CountType Count, class ValuesOf>
void take_turns(const ClassCounts<Count>& counts, std::int64_t k, const Threads& threads, std::int64_t* indices,
                double* scores, const ValuesOf& values_of) {
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->n_docs > 0) classes.push_back(c);
  const auto n_classes = static_cast<std::int64_t>(classes.size()), n_terms = counts.n_terms;
  if (n_classes == 0 || n_terms == 0 || k == 0) {
    double none = 0;
    values_of(0, 0, &none);  // says what is wrong with the arguments
    std::iota(indices, indices + k, 0);
    std::fill_n(scores, k, 0.0);
    return;
  }
  const std::int64_t n_rows = static_cast<std::int64_t>(counts.rows.size());
  const std::int64_t width = std::min(n_terms, std::max<std::int64_t>(1024, value_bytes / 8 / n_rows));
  const std::int64_t longest =
      std::min(n_terms, std::max<std::int64_t>(64, list_bytes / static_cast<std::int64_t>(2 * sizeof(Listed)) / n_classes));
  // Lists share their best terms: those of four times as many are mostly enough.
  std::int64_t length = k > n_terms / 4 ? longest : std::min(longest, 4 * (k / n_classes) + 16);

  std::vector<double> values(static_cast<std::size_t>(n_rows * width));
  std::vector<Stretch> lists(classes.size());
  std::vector<bool> taken(static_cast<std::size_t>(n_terms));
  std::vector<Listed> turn;  // terms of one place
  for (std::int64_t n_taken = 0; n_taken < k; length = std::min(longest, 2 * length)) {
    for (Stretch& list : lists) list.begin(length);
    for (std::int64_t first = 0; first < n_terms; first += width) {
      const std::int64_t n = std::min(width, n_terms - first);
      values_of(first, n, values.data());
      for_each_block(n_classes, worth(threads, n * n_classes), [&](std::int64_t i, Worker&) {
        const double* const row = values.data() + static_cast<std::int64_t>(classes[static_cast<std::size_t>(i)]) * n;
        Stretch& list = lists[static_cast<std::size_t>(i)];
        for (std::int64_t t = 0; t < n; ++t) list.add(row[t], first + t);
        if (first + n == n_terms) list.finish();
      });
    }
    for (std::size_t place = 0; place < static_cast<std::size_t>(length) && n_taken < k; ++place) {
      turn.clear();
      for (const Stretch& list : lists) {
        if (place >= list.terms().size()) continue;
        const Listed& listed = list.terms()[place];
        if (taken[static_cast<std::size_t>(listed.term)]) continue;
        taken[static_cast<std::size_t>(listed.term)] = true;
        turn.push_back(listed);
      }
      std::sort(turn.begin(), turn.end(), [](const Listed& a, const Listed& b) { return a.term < b.term; });
      for (std::size_t i = 0; i < turn.size() && n_taken < k; ++i, ++n_taken)
        indices[n_taken] = turn[i].term, scores[n_taken] = turn[i].value;
    }
  }
}

}  // namespace

template <CountType Count>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores) {
  take_turns(counts, k, threads, indices, scores, [&](std::int64_t first, std::int64_t n, double* values) {
    class_scores(counts, estimation, measure, threads, values, {first, first + n});
  });
}

template <CountType Count>
void round_robin(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
                 std::int64_t k, const Threads& threads, std::int64_t* indices, double* scores) {
  take_turns(counts, k, threads, indices, scores, [&](std::int64_t first, std::int64_t n, double* values) {
    class_scores(counts, options, measure, threads, values, {first, first + n});
  });
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template void round_robin(const ClassCounts<Count>&, const Estimation&, Measure, std::int64_t, const Threads&,           \
                            std::int64_t*, double*);                                                                       \
  template void round_robin(const ClassCounts<Count>&, const ContingencyOptions&, ContingencyMeasure, std::int64_t,        \
                            const Threads&, std::int64_t*, double*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
