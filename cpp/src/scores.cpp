#include "termsift/scores.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "block_scores.hpp"

namespace termsift {
namespace {

// Terms are handed to threads in chunks of this many.
constexpr std::int64_t chunk_terms = 64 * block_terms;

template <CountType Count>
void run(const ScoreTask<Count>& task, const Threads& requested) {
  const std::int64_t n_terms = task.counts.n_terms;
  const std::size_t n_classes = task.n_classes();
  const auto store = [&](std::int64_t term, const double* result) {
    if (task.scores != nullptr) {
      task.scores[term] = *result;
      return;
    }
    for (std::size_t k = 0; k < n_classes; ++k)
      task.class_scores[task.model.classes[k] * n_terms + term] = result[k * block_terms];
  };
  // Terms that never occur have one score: most of a hashed vocabulary.
  std::vector<double> unseen(task.scores != nullptr ? 1 : n_classes);
  BlockScorer<Count>(task).score_unseen([&](std::int64_t, const double* result) {
    for (std::size_t k = 0; k < unseen.size(); ++k) unseen[k] = result[k * block_terms];
  });
  const auto store_unseen = [&](std::int64_t first, std::int64_t n) {
    if (task.scores != nullptr) {
      std::fill_n(task.scores + first, n, unseen[0]);
      return;
    }
    for (std::size_t k = 0; k < n_classes; ++k)
      std::fill_n(task.class_scores + task.model.classes[k] * n_terms + first, n, unseen[k]);
  };

  struct Workspace {
    explicit Workspace(const ScoreTask<Count>& t) : entries(t.n_classes()), chosen(chunk_terms), scorer(t) {}
    ChunkEntries entries;
    std::vector<unsigned char> chosen;
    BlockScorer<Count> scorer;
  };
  const Threads threads = worth(requested, n_terms * static_cast<std::int64_t>(n_classes));
  std::vector<std::unique_ptr<Workspace>> workspaces(static_cast<std::size_t>(threads.count));
  for_each_block((n_terms + chunk_terms - 1) / chunk_terms, threads, [&](std::int64_t chunk, Worker& worker) {
    auto& slot = workspaces[static_cast<std::size_t>(worker.thread())];
    if (!slot) slot = std::make_unique<Workspace>(task);
    const std::int64_t first = chunk * chunk_terms, last = std::min(first + chunk_terms, n_terms);
    const std::int64_t n_pairs = slot->entries.find(task, first, last);
    // Where there are more pairs than terms most terms occur, and finding out is not worth it.
    const bool all = n_pairs > last - first;
    std::fill(slot->chosen.begin(), slot->chosen.end(), all ? 1 : 0);
    if (!all) {
      for (std::size_t k = 0; k < n_classes; ++k)
        for (std::int64_t i = slot->entries.begin[k]; i < slot->entries.end[k]; ++i)
          slot->chosen[static_cast<std::size_t>(term_at(task.row(k), i) - first)] = 1;
      store_unseen(first, last - first);
    }
    slot->scorer.score(first, last, slot->chosen.data(), slot->entries, worker, store);
  });
}

}  // namespace

template <CountType Count>
void score(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
           const Threads& threads, double* scores) {
  const ClassModel model = make_class_model(counts, estimation);
  run<Count>({counts, model, kernels_in_use(), measure, aggregate, scores, nullptr}, threads);
}

template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure,
                  const Threads& threads, double* class_scores) {
  const ClassModel model = make_class_model(counts, estimation);
  std::fill_n(class_scores, static_cast<std::int64_t>(counts.rows.size()) * counts.n_terms, 0.0);
  run<Count>({counts, model, kernels_in_use(), measure, Aggregate::sum, nullptr, class_scores}, threads);
}

template void score(const ClassCounts<std::int64_t>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void score(const ClassCounts<double>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
template void class_scores(const ClassCounts<std::int64_t>&, const Estimation&, Measure, const Threads&, double*);
template void class_scores(const ClassCounts<double>&, const Estimation&, Measure, const Threads&, double*);

}  // namespace termsift
