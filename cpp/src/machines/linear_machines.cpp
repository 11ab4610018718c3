#include "termsift/linear_machines.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "counting/document_entries.hpp"
#include "machines/machine_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/types.hpp"

namespace termsift {
namespace {

// The vectors z_d without their intercepts, as in MachineProblem. There may be unused elements between vectors. Only terms
// that occur in some document are numbered, because most columns of a hashed vocabulary are empty.
struct Vectors {
  std::vector<std::int32_t> present;  // the terms that occur in a document, increasing
  std::vector<std::int64_t> begin, end;
  LargeArray<std::int32_t> terms;
  LargeArray<float> values;
  std::vector<float> squares;

  double mean_entry() const {
    double sum = 0, n = 0;
    for (std::size_t d = 0; d < begin.size(); ++d) {
      for (std::int64_t e = begin[d]; e < end[d]; ++e) sum += static_cast<double>(values[e]);
      n += static_cast<double>(end[d] - begin[d]);
    }
    return n > 0 ? sum / n : 0;
  }
};

Vectors make_vectors(const MachineInput& input, const Threads& requested) {
  const std::int64_t n = std::ssize(input.rows);
  Vectors vectors;
  vectors.begin.reserve(at(n));
  std::int64_t n_entries = 0;
  for (const std::int64_t row : input.rows) {
    vectors.begin.push_back(n_entries);
    n_entries += input.x.indptr[row + 1] - input.x.indptr[row];
  }
  vectors.end.resize(at(n));
  vectors.squares.resize(at(n));
  vectors.terms = LargeArray<std::int32_t>::uninitialised(n_entries);
  vectors.values = LargeArray<float>::uninitialised(n_entries);

  constexpr std::int64_t docs_in_block = 256;
  const Threads threads = worth(requested, n_entries);
  PerThread<DocumentEntries> entries(threads);
  for_each_range(n, docs_in_block, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    worker.check();
    DocumentEntries& own = entries.own(worker, TermWeight::log);
    for (std::int64_t d = first; d < last; ++d) {
      own.read(input.x, input.rows[at(d)], input.distinct);
      double square = 0;
      for (std::int64_t i = 0; i < own.size(); ++i) square += own.values()[i] * own.values()[i];
      const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
      for (std::int64_t i = 0; i < own.size(); ++i) {
        vectors.terms[vectors.begin[at(d)] + i] = static_cast<std::int32_t>(own.terms()[i]);
        vectors.values[vectors.begin[at(d)] + i] = static_cast<float>(own.values()[i] * scale);
      }
      vectors.end[at(d)] = vectors.begin[at(d)] + own.size();
      vectors.squares[at(d)] = square > 0 ? 2.0f : 1.0f;  // includes the intercept
    }
  });

  std::vector<std::int32_t> place_of(at(input.x.n_columns), -1);
  for (std::int64_t d = 0; d < n; ++d)
    for (std::int64_t e = vectors.begin[at(d)]; e < vectors.end[at(d)]; ++e) place_of[at(vectors.terms[e])] = 0;
  for (std::int64_t term = 0; term < input.x.n_columns; ++term)
    if (place_of[at(term)] == 0) {
      place_of[at(term)] = static_cast<std::int32_t>(vectors.present.size());
      vectors.present.push_back(static_cast<std::int32_t>(term));
    }
  for_each_range(n, docs_in_block, threads, [&](std::int64_t first, std::int64_t last, Worker& worker) {
    worker.check();
    for (std::int64_t d = first; d < last; ++d)
      for (std::int64_t e = vectors.begin[at(d)]; e < vectors.end[at(d)]; ++e)
        vectors.terms[e] = place_of[at(vectors.terms[e])];
  });
  return vectors;
}

// Trains one block of machines after the other. Each thread has its own Trainer.
class Trainer {
 public:
  Trainer(const MachineInput& input, const LinearMachines& options, const Vectors& vectors,
          const std::vector<float>& diagonal)
      : options_(options), vectors_(vectors), weights_((vectors.present.size() + 1) * at(machine_lanes)),
        duals_(vectors.begin.size() * at(machine_lanes)), order_(vectors.begin.size()),
        problem_{std::ssize(vectors.present), vectors.begin.data(), vectors.end.data(), vectors.terms.get(),
                 vectors.values.get(), vectors.squares.data(), diagonal.data(), input.class_of.data(), 0, weights_.data(),
                 duals_.data()} {}
  Trainer(const Trainer&) = delete;  // problem_ of a copy would point to members of the original
  Trainer& operator=(const Trainer&) = delete;

  MachineBlock train(std::int64_t first, std::int64_t n, Worker& worker) {
    std::fill(weights_.begin(), weights_.end(), 0.0f);
    std::fill(duals_.begin(), duals_.end(), 0.0f);
    std::iota(order_.begin(), order_.end(), 0);
    problem_.first_class = static_cast<std::int32_t>(first);
    random_ = 0;
    for (std::int32_t epoch = 0; epoch < options_.epochs; ++epoch) run_epoch(worker);
    return {first, n, vectors_.present, weights_.data()};
  }

 private:
  void run_epoch(Worker& worker) {
    constexpr std::int64_t docs_between_checks = 1024;
    const std::int64_t n = std::ssize(order_);
    for (std::int64_t i = n; i > 1; --i) std::swap(order_[at(i - 1)], order_[at(below(i))]);
    for (std::int64_t i = 0; i < n; i += docs_between_checks) {
      worker.check();
      kernels_.descend(problem_, order_.data() + i, std::min(docs_between_checks, n - i));
    }
  }

  // Returns a random number in [0, n) from the generator SplitMix64.
  std::int64_t below(std::int64_t n) {
    std::uint64_t z = random_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<std::int64_t>((z ^ z >> 31) % static_cast<std::uint64_t>(n));
  }

  const LinearMachines& options_;
  const Vectors& vectors_;
  const MachineKernels& kernels_ = kernels_in_use<MachineKernels>();
  std::vector<float> weights_, duals_;
  std::vector<std::int32_t> order_;
  MachineProblem problem_;
  std::uint64_t random_ = 0;
};

}  // namespace

double train_linear_machines(const MachineInput& input, const LinearMachines& options, const Threads& threads,
                             const std::function<void(const MachineBlock&)>& take) {
  const Vectors vectors = make_vectors(input, threads);
  std::vector<float> diagonal(input.rows.size(), static_cast<float>(0.5 / options.cost));
  for (std::size_t d = 0; d < input.weights.size(); ++d)
    diagonal[d] = static_cast<float>(std::min(0.5 / options.cost / input.weights[d], 0x1p100));

  const std::int64_t n_blocks = (input.n_classes + machine_lanes - 1) / machine_lanes;
  const Threads worthwhile = worth(threads, n_blocks * std::ssize(vectors.begin) * 16);
  PerThread<Trainer> trainers(worthwhile);
  std::mutex taking;
  for_each_block(n_blocks, worthwhile, [&](std::int64_t block, Worker& worker) {
    const std::int64_t first = block * machine_lanes;
    const MachineBlock trained = trainers.own(worker, input, options, vectors, diagonal)
                                     .train(first, std::min(machine_lanes, input.n_classes - first), worker);
    const std::lock_guard lock(taking);
    take(trained);
  });
  return vectors.mean_entry();
}

}  // namespace termsift
