#include "termsift/round_robin.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "ranking/best_of_classes.hpp"

namespace termsift {
namespace {

constexpr std::int64_t value_bytes = std::int64_t{32} << 20, list_bytes = std::int64_t{128} << 20;

struct Listed {
  double value;
  std::int64_t term;
};
bool before(const Listed& a, const Listed& b) { return a.value != b.value ? a.value > b.value : a.term < b.term; }

// A part of one class's list: the best `length` terms after the previous part.
class Stretch {
 public:
  void begin(std::int64_t length) {
    if (!terms_.empty()) previous_ = terms_.back();
    terms_.clear();
    length_ = static_cast<std::size_t>(length);
    worst_ = last_of_all;
  }

  void add(double value, std::int64_t term) {
    const Listed listed{value, term};
    if (!before(listed, worst_) || !before(previous_, listed)) return;
    terms_.push_back(listed);
    if (terms_.size() >= 2 * length_) shrink();
  }

  void finish() {
    shrink();
    std::sort(terms_.begin(), terms_.end(), before);
  }

  const std::vector<Listed>& terms() const { return terms_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr Listed first_of_all{infinity, -1}, last_of_all{-infinity, std::numeric_limits<std::int64_t>::max()};

  void shrink() {
    if (terms_.size() <= length_) return;
    std::nth_element(terms_.begin(), terms_.begin() + static_cast<std::ptrdiff_t>(length_ - 1), terms_.end(), before);
    terms_.resize(length_);
    worst_ = terms_.back();
  }

  std::size_t length_ = 0;
  std::vector<Listed> terms_;
  Listed previous_ = first_of_all;  // the last term of the previous part
  Listed worst_ = last_of_all;      // no term after this is among the best
};

}  // namespace

template <CountType Count, class AnyMeasure>
void round_robin(const ClassCounts<Count>& counts, const Estimation& estimation, AnyMeasure measure, std::int64_t k,
                 const Threads& threads, std::int64_t* indices, double* scores, std::int64_t* classes) {
  std::vector<std::size_t> present;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->is_present()) present.push_back(c);
  const std::int64_t n_classes = std::ssize(present), n_terms = counts.n_terms;
  if (n_classes == 0 || n_terms == 0 || k == 0) {
    double none = 0;
    class_scores(counts, estimation, measure, threads, &none, {0, 0});  // checks the arguments
    std::iota(indices, indices + k, 0);
    std::fill_n(scores, k, 0.0);
    std::fill_n(classes, k, std::int64_t{0});
    return;
  }
  std::optional<BestOfClasses<Count>> best;
  if constexpr (std::is_same_v<AnyMeasure, Measure>)
    if (BestOfClasses<Count>::pays(counts, estimation, measure)) best.emplace(counts, estimation, measure, threads);

  const std::int64_t n_rows = std::ssize(counts.rows);
  const std::int64_t longest =
      std::min(n_terms, std::max<std::int64_t>(64, list_bytes / static_cast<std::int64_t>(2 * sizeof(Listed)) / n_classes));
  std::vector<Stretch> lists(present.size());
  std::vector<bool> taken(static_cast<std::size_t>(n_terms));
  struct Turn {
    Listed listed;
    std::size_t list;
  };
  std::vector<Turn> turn;  // the terms of one place
  std::int64_t n_taken = 0, n_places = 0, length = 0;
  while (n_taken < k) {
    // The candidates for these parts of the lists. Empty if most terms would be candidates.
    std::vector<std::int64_t> terms;
    const std::int64_t share = (k - n_taken) / n_classes + 1;
    if (const std::int64_t next = std::min(longest, std::max(share, 2 * length));
        best && 4 * (n_places + next) * n_classes <= n_terms) {
      length = next;
      terms = best->terms(n_places + length);
      if (2 * std::ssize(terms) > n_terms) terms.clear();
    }
    if (terms.empty()) {
      best.reset();
      // Lists share their best terms, so four times as many terms as needed are usually enough.
      length = k - n_taken > n_terms / 4 ? longest : std::min(longest, std::max(4 * share + 12, 2 * length));
    }
    const bool few = !terms.empty();
    const ClassCounts<Count> counts_of_few = few ? of_terms(counts, terms, threads) : ClassCounts<Count>{};
    const ClassCounts<Count>& source = few ? counts_of_few : counts;
    // Even the counts of few terms take memory.
    const std::int64_t width =
        std::min(source.n_terms, std::max<std::int64_t>(1024, value_bytes / 8 / n_rows) / (few ? 2 : 1));
    std::vector<double> values(static_cast<std::size_t>(n_rows * width));
    for (Stretch& list : lists) list.begin(length);
    for (std::int64_t first = 0; first < source.n_terms; first += width) {
      const std::int64_t n = std::min(width, source.n_terms - first);
      class_scores(source, estimation, measure, threads, values.data(), {first, first + n});
      for_each_block(n_classes, worth(threads, n * n_classes), [&](std::int64_t i, Worker&) {
        const double* const row = values.data() + static_cast<std::int64_t>(present[static_cast<std::size_t>(i)]) * n;
        Stretch& list = lists[static_cast<std::size_t>(i)];
        for (std::int64_t t = 0; t < n; ++t)
          list.add(row[t], few ? terms[static_cast<std::size_t>(first + t)] : first + t);
        if (first + n == source.n_terms) list.finish();
      });
    }
    for (std::size_t place = 0; place < static_cast<std::size_t>(length) && n_taken < k; ++place) {
      turn.clear();
      for (std::size_t i = 0; i < lists.size(); ++i) {
        if (place >= lists[i].terms().size()) continue;
        const Listed& listed = lists[i].terms()[place];
        if (taken[static_cast<std::size_t>(listed.term)]) continue;
        taken[static_cast<std::size_t>(listed.term)] = true;
        turn.push_back({listed, i});
      }
      std::sort(turn.begin(), turn.end(), [](const Turn& a, const Turn& b) { return a.listed.term < b.listed.term; });
      for (std::size_t i = 0; i < turn.size() && n_taken < k; ++i, ++n_taken) {
        indices[n_taken] = turn[i].listed.term, scores[n_taken] = turn[i].listed.value;
        classes[n_taken] = static_cast<std::int64_t>(present[turn[i].list]);
      }
    }
    n_places += length;
  }
}

#define TERMSIFT_INSTANTIATE(Count, AnyMeasure)                                                                            \
  template void round_robin(const ClassCounts<Count>&, const Estimation&, AnyMeasure, std::int64_t, const Threads&,        \
                            std::int64_t*, double*, std::int64_t*);
TERMSIFT_INSTANTIATE(std::int64_t, Measure)
TERMSIFT_INSTANTIATE(std::int64_t, ContingencyMeasure)
TERMSIFT_INSTANTIATE(double, Measure)
TERMSIFT_INSTANTIATE(double, ContingencyMeasure)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
