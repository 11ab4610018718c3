// Scores single pairs of a class and a term.
#include "scoring/given_pairs.hpp"

#include <algorithm>
#include <vector>

#include "scoring/mixtures.hpp"
#include "termsift/scores.hpp"

namespace termsift {
namespace {

// Scores the given pairs by the mixtures of their terms. Sets doubtful[p] to 1 if the results of pair p are unreliable, and
// to 0 otherwise. O(pairs of the counts + given pairs).
template <CountType Count>
void score_from_mixtures(const ScoreTask<Count>& task, double b1, const Threads& threads, const Pairs& pairs, double* scores,
                         std::int8_t* directions, unsigned char* doubtful) {
  const PairModel model = make_pair_model(task.model, b1, task.measure, Aggregate::sum);
  const Mixtures sums = sum_mixtures(task, model, worth(threads, task.n_pairs()));
  for_each_given_batch(
      task, pairs, block_terms, threads, [&](std::size_t k, std::int64_t begin, int n, RowCursor<Count>& counts) {
        ValueBlock block;
        for (const TermId* term = pairs.terms + begin; block.n < n; ++term)
          block.add(static_cast<double>(counts.count_of(*term)), sums, *term);
        block.evaluate(model, k, task.measure);
        std::copy_n(block.values, n, scores + begin);
        std::copy_n(block.doubtful, n, doubtful + begin);
        block.evaluate(model, k, Measure::direction);
        for (int j = 0; j < n; ++j) directions[begin + j] = static_cast<std::int8_t>(block.values[j]);
      });
}

// Sets the results of the doubtful pairs to those of class_results(). O(given pairs + n_classes * terms of doubtful pairs).
template <CountType Count>
void score_from_all_classes(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                            const Threads& threads, const Pairs& pairs, const std::vector<unsigned char>& doubtful,
                            double* scores, std::int8_t* directions) {
  if (std::count(doubtful.begin(), doubtful.end(), 1) == 0) return;  // faster than std::find, as it is vectorised
  constexpr std::int64_t block_values = 1 << 22;
  const std::int64_t n_rows = std::ssize(counts.rows);
  std::vector<bool> is_doubtful(at(counts.n_terms));
  for (std::int64_t p = 0; p < std::ssize(doubtful); ++p)
    if (doubtful[at(p)] != 0) is_doubtful[at(pairs.terms[p])] = true;
  std::vector<std::int64_t> terms;  // the terms of doubtful pairs
  std::vector<std::int64_t> place(at(counts.n_terms));  // the position of each such term in `terms`
  for (std::int64_t t = 0; t < counts.n_terms; ++t)
    if (is_doubtful[at(t)]) place[at(t)] = std::ssize(terms), terms.push_back(t);
  const ClassCounts<Count> part = of_terms(counts, terms, threads);
  const std::int64_t width = std::clamp<std::int64_t>(block_values / n_rows, 1, part.n_terms);
  std::vector<double> values(at(n_rows * width));
  std::vector<std::int8_t> signs(values.size());
  std::vector<std::int64_t> next(pairs.starts, pairs.starts + n_rows);  // the next pair of each class
  for (std::int64_t first = 0; first < part.n_terms; first += width) {
    const TermRange range{first, std::min(first + width, part.n_terms)};
    class_results(part, estimation, measure, threads, values.data(), range);
    class_results(part, estimation, measure, threads, signs.data(), range);
    for_each_block(n_rows, worth(threads, n_rows * range.size()), [&](std::int64_t c, Worker&) {
      for (std::int64_t& p = next[at(c)]; p < pairs.starts[c + 1]; ++p) {
        if (doubtful[at(p)] == 0) continue;
        const std::int64_t t = place[at(pairs.terms[p])];
        if (t >= range.last) break;
        scores[p] = values[at(c * range.size() + t - first)];
        directions[p] = signs[at(c * range.size() + t - first)];
      }
    });
  }
}

}  // namespace

template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, const Threads& threads,
                 const Pairs& pairs, double* scores, std::int8_t* directions) {
  const ClassModel model = make_class_model(counts, estimation);
  const std::int64_t n_pairs = pairs.starts[counts.rows.size()];
  std::fill_n(scores, n_pairs, 0.0);  // the pairs of empty classes stay 0
  std::fill_n(directions, n_pairs, std::int8_t{0});
  const bool fits = fits_pair_values(counts, estimation);
  std::vector<unsigned char> doubtful(at(n_pairs), fits ? 0 : 1);
  if (fits) {
    const ScoreTask<Count> task{counts, model, measure};
    score_from_mixtures(task, estimation.b1, threads, pairs, scores, directions, doubtful.data());
  }
  score_from_all_classes(counts, estimation, measure, threads, pairs, doubtful, scores, directions);
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                         \
  template void score_pairs(const ClassCounts<Count>&, const Estimation&, Measure, const Threads&, const Pairs&, double*, \
                            std::int8_t*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
