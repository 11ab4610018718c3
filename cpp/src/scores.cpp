#include "termsift/scores.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "class_model.hpp"
#include "exact_double.hpp"
#include "simd/kernels.hpp"

namespace termsift {
namespace {

// ---- blocks of terms ---------------------------------------------------------------------------------------------------

// Terms are handed to threads in chunks of this many; a chunk finds its place in each class's list by one binary search.
constexpr std::int64_t chunk_terms = 64 * block_terms;

// One thread's arrays for a block, and its place in each class's list of terms.
struct Workspace {
  explicit Workspace(std::size_t n_classes)
      : cursor(n_classes), values(std::make_unique_for_overwrite<double[]>(n_arrays * n_classes * block_terms)) {
    for (std::size_t a = 0; a < n_arrays; ++a) array[a] = values.get() + a * n_classes * block_terms;
  }
  static constexpr std::size_t n_arrays = 5;
  std::vector<std::int64_t> cursor;
  std::unique_ptr<double[]> values;
  std::array<double*, n_arrays> array;  // x_hi, x_lo, e_hi, e_lo, class_scores
  double scores[block_terms];
};

// x_ic = s (l_ic + b1) for the terms [begin, begin + block_terms) in every class. Returns whether any of them occurs.
template <CountType Count>
bool load_block(const ClassCounts<Count>& counts, const ClassModel& model, std::int64_t begin, Workspace& work) {
  bool any = false;
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    const ClassConstants& c = model.constants[k];
    const auto& row = *counts.rows[static_cast<std::size_t>(model.classes[k])];
    double* x_hi = work.array[0] + k * block_terms;
    double* x_lo = work.array[1] + k * block_terms;
    std::fill_n(x_hi, block_terms, c.empty_hi);
    std::fill_n(x_lo, block_terms, c.empty_lo);
    std::int64_t& i = work.cursor[k];
    for (; i < row.size && row.terms[i] < begin + block_terms; ++i) {
      const DoubleDouble l = scale(exact_double(row.term_frequency[i]), c.scale);
      const DoubleDouble sum = two_sum(l.hi, c.empty_hi);
      const DoubleDouble x = quick_two_sum(sum.hi, sum.lo + (l.lo + c.empty_lo));
      x_hi[row.terms[i] - begin] = x.hi;
      x_lo[row.terms[i] - begin] = x.lo;
      any = true;
    }
  }
  return any;
}

// Calls store(begin, n, scores (block,), class_scores (n_classes that take part, block)) for every block of n terms.
template <CountType Count, class Store>
void for_each_scored_block(const ClassCounts<Count>& counts, const ClassModel& model, Measure measure,
                           Aggregate aggregate, bool aggregated, const Threads& requested, const Store& store) {
  const std::size_t n_classes = model.classes.size();
  const ScoreBlock score_block = score_block_in_use();
  const auto score = [&](Workspace& work) {
    score_block({static_cast<int>(n_classes), model.constants.data(), model.reference, measure, aggregate,
                 work.array[0], work.array[1], work.array[2], work.array[3], work.array[4],
                 aggregated ? work.scores : nullptr});
  };

  // Terms that never occur have one score: most of a hashed vocabulary.
  Workspace unseen(n_classes);
  std::fill(unseen.cursor.begin(), unseen.cursor.end(), 0);
  load_block(counts, model, -block_terms, unseen);
  score(unseen);

  const Threads threads = worth(requested, counts.n_terms * static_cast<std::int64_t>(n_classes));
  std::vector<std::unique_ptr<Workspace>> workspaces(static_cast<std::size_t>(threads.count));
  const std::int64_t n_chunks = (counts.n_terms + chunk_terms - 1) / chunk_terms;
  for_each_block(n_chunks, threads, [&](std::int64_t chunk, Worker& worker) {
    auto& slot = workspaces[static_cast<std::size_t>(worker.thread())];
    if (!slot) slot = std::make_unique<Workspace>(n_classes);
    Workspace& work = *slot;
    const std::int64_t first = chunk * chunk_terms;
    const std::int64_t last = std::min(first + chunk_terms, counts.n_terms);
    for (std::size_t k = 0; k < n_classes; ++k) {
      const auto& row = *counts.rows[static_cast<std::size_t>(model.classes[k])];
      work.cursor[k] = std::lower_bound(row.terms, row.terms + row.size, first) - row.terms;
    }
    for (std::int64_t begin = first; begin < last; begin += block_terms) {
      worker.check();
      const bool any = load_block(counts, model, begin, work);
      if (any) score(work);
      const Workspace& result = any ? work : unseen;
      store(begin, std::min<std::int64_t>(block_terms, last - begin), result.scores, result.array[4]);
    }
  });
}

}  // namespace

template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  for_each_scored_block(counts, model, measure, aggregate, true, threads,
                        [&](std::int64_t begin, std::int64_t n, const double* block_scores, const double*) {
                          std::copy_n(block_scores, n, scores + begin);
                        });
}

template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                  const Threads& threads, double* class_scores) {
  const ClassModel model = make_class_model(counts, estimation);
  std::fill_n(class_scores, static_cast<std::int64_t>(counts.rows.size()) * counts.n_terms, 0.0);
  for_each_scored_block(counts, model, measure, Aggregate::sum, false, threads,
                        [&](std::int64_t begin, std::int64_t n, const double*, const double* values) {
                          for (std::size_t k = 0; k < model.classes.size(); ++k)
                            std::copy_n(values + k * block_terms, n,
                                        class_scores + model.classes[k] * counts.n_terms + begin);
                        });
}

template void score(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void score(const ClassCounts<double>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void class_scores(const ClassCounts<std::int64_t>&, const Estimation&, Measure, const Threads&, double*);
template void class_scores(const ClassCounts<double>&, const Estimation&, Measure, const Threads&, double*);

}  // namespace termsift
