// Scores terms from the counts of every class, one block of terms at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "termsift/double_double.hpp"
#include "scoring/chunk_entries.hpp"
#include "scoring/class_model.hpp"
#include "scoring/score_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {

// What a call computes for each term: one score, or one value for each class.
template <CountType Count>
struct ScoreTask {
  const ClassCounts<Count>& counts;
  const ClassModel& model;
  Measure measure;
  std::optional<Aggregate> aggregate = {};  // if empty, a term gets a value for each class instead of a score

  std::size_t n_classes() const { return model.classes.size(); }         // the number of nonempty classes
  std::size_t n_results() const { return aggregate ? 1 : n_classes(); }  // the number of results of a term
  std::int64_t row_index(std::size_t k) const { return model.classes[k]; }
  const ClassRow<Count>& row(std::size_t k) const { return *counts.rows[at(row_index(k))]; }
  const Frequencies<Count>& cells(const ClassRow<Count>& row) const { return row.term_frequency; }
  std::int64_t n_pairs() const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < n_classes(); ++k) n += row(k).size;
    return n;
  }
};

// Returns true only if a double holds the count exactly. An int64 above 2^53 may need more than the 53 bits of a double.
template <CountType Count>
bool is_double(Count count) {
  return std::is_floating_point_v<Count> || count <= static_cast<Count>(std::int64_t{1} << 53);
}

// Returns the smoothed and scaled count x_ic = s (l_ic + b1) of term i in class c.
template <CountType Count>
DoubleDouble numerator(Count count, const ClassConstants& c) {
  if (is_double(count)) return two_sum(static_cast<double>(count) * c.scale, c.absent_x);
  const DoubleDouble l = scale(exact_double(count), c.scale);
  const DoubleDouble sum = two_sum(l.hi, c.absent_x);
  return quick_two_sum(sum.hi, sum.lo + l.lo);
}

// Returns the number of terms in a block. With more than 8,192 classes, the arrays of whole blocks would take hundreds of
// megabytes, and Ctrl-C would wait for a whole block.
inline int terms_in_block(std::size_t n_classes) {
  constexpr std::size_t most_cells = std::size_t{1} << 20;
  return static_cast<int>(std::clamp<std::size_t>(most_cells / std::max<std::size_t>(n_classes, 1) / 8 * 8, 8, block_terms));
}

// The arrays of a ScoreBlock: n terms, their smoothed and scaled counts x_ic, and the results.
struct BlockBuffers {
  BlockBuffers(std::size_t n_classes, bool with_values)
      : stride(terms_in_block(n_classes)), x_hi(new_rows(n_classes)), x_lo(new_rows(n_classes)) {
    if (with_values) values = new_rows(n_classes);
  }
  static LargeArray<double> new_rows(std::size_t n_classes) {
    return LargeArray<double>::uninitialised(static_cast<std::int64_t>(n_classes) * terms_in_block(n_classes));
  }
  int lanes() const { return (n + 7) / 8 * 8; }

  const int stride;  // the number of terms in a block
  int n = 0;
  std::int64_t terms[block_terms];
  double scores[block_terms];
  LargeArray<double> x_hi, x_lo, values;  // (n_classes, block)
};

// Returns a `store` function for BlockScorer::score. The function writes the score of a term to scores[term].
inline auto store_scores(double* scores) {
  return [=](const std::int64_t* terms, int n, const double* results) {
    for (int i = 0; i < n; ++i) scores[terms[i]] = results[i];
  };
}

// Scores terms block by block. Each thread has its own BlockScorer. For each class and each term of a block, a BlockScorer
// takes 16 bytes, 8 bytes more for values of classes, and 40 bytes more once score_block_carefully() is used.
template <CountType Count>
class BlockScorer {
 public:
  explicit BlockScorer(const ScoreTask<Count>& task)
      : task_(task), kernels_(kernels_in_use<ScoreKernels>()), cursor_(task.n_classes()),
        buffers_(task.n_classes(), !task.aggregate) {}

  // Scores the terms first + t of the chunk [first, last) for which chosen[t] = 1, or all terms if `chosen` is null. Each
  // chosen[t] must be 0 or 1. `entries` locates the entries of the chunk. Calls store(terms, n, results) for groups of n
  // terms. results[i + k * terms_in_block(n_classes)] is the k-th result of terms[i]. O(entries + n_classes * chosen terms).
  template <class Store>
  void score(std::int64_t first, std::int64_t last, const unsigned char* chosen, const ChunkEntries& entries,
             Worker& worker, const Store& store) {
    cursor_ = entries.begin;
    const std::int64_t n = chosen == nullptr ? last - first : list_chosen(chosen, at(last - first));
    // In each class, searching for one term takes as long as reading about four entries.
    const bool few = chosen != nullptr && 4 * n * static_cast<std::int64_t>(task_.n_classes()) < entries.size();
    for (std::int64_t begin = 0; begin < n; begin += buffers_.stride) {
      worker.check();
      buffers_.n = static_cast<int>(std::min<std::int64_t>(buffers_.stride, n - begin));
      for (int j = 0; j < buffers_.n; ++j)
        buffers_.terms[j] = first + (chosen == nullptr ? begin + j : chosen_[at(begin + j)]);
      const bool with_low = chosen == nullptr ? load_all(entries)
                            : few             ? load(entries, entries_of_terms())
                                              : load_chosen(first, chosen, begin, entries);
      score_block(with_low, store);
    }
    if (careful_) score_careful_terms(store);
  }

  // Returns the results of a term that occurs in no class. O(n_classes).
  std::vector<double> results_of_unseen() {
    std::vector<double> results(task_.n_results());
    const auto store = [&](const std::int64_t*, int, const double* result) {
      for (std::size_t k = 0; k < results.size(); ++k) results[k] = result[k * stride()];
    };
    buffers_.n = 1;
    buffers_.terms[0] = 0;
    const ChunkEntries none(task_.n_classes());
    cursor_ = none.begin;
    score_block(load(none, entries_of_terms()), store);
    if (careful_) score_careful_terms(store);
    return results;
  }

 private:
  std::size_t stride() const { return static_cast<std::size_t>(buffers_.stride); }

  // Gives slots to the terms t with chosen[t] = 1: chosen_[slot] = t, slots_[t] = slot. Returns the number of slots.
  // O(n_terms).
  std::int64_t list_chosen(const unsigned char* chosen, std::size_t n_terms) {
    slots_.resize(n_terms);
    chosen_.resize(n_terms + 1);
    std::int32_t n_chosen = 0;
    const auto note = [&](std::size_t t) {  // in a hashed vocabulary, an `if` would be an unpredictable branch
      slots_[t] = n_chosen;
      chosen_[static_cast<std::size_t>(n_chosen)] = static_cast<std::int32_t>(t);
      n_chosen += chosen[t];
    };
    std::size_t t = 0;
    for (std::uint64_t eight; t + sizeof eight <= n_terms; t += sizeof eight) {
      std::memcpy(&eight, chosen + t, sizeof eight);
      if (eight == 0) continue;
      for (std::size_t i = 0; i < sizeof eight; ++i) note(t + i);
    }
    for (; t < n_terms; ++t) note(t);
    return n_chosen;
  }

  // every_entry() and entries_of_terms() return visitors. For each entry in [i, end) of a class whose term is in the block,
  // a visitor calls use(entry, slot), where `slot` is the term's position in the block. A visitor returns the first entry
  // after the block.
  //
  // The visitor of every_entry() reads every entry. slot_of(term) must be negative for terms outside the block. O(entries).
  template <class SlotOf>
  auto every_entry(SlotOf slot_of) const {
    return [slot_of, last_term = buffers_.terms[buffers_.n - 1]](const TermId* terms, std::int64_t i, std::int64_t end,
                                                                 const auto& use) {
      for (; i < end && terms[i] <= last_term; ++i)
        if (const std::int64_t j = slot_of(terms[i]); j >= 0) use(i, j);
      return i;
    };
  }
  // The visitor of entries_of_terms() searches for each term of the block. O(terms + entries / 16).
  auto entries_of_terms() const {
    return [this](const TermId* terms, std::int64_t i, std::int64_t end, const auto& use) {
      for (int j = 0; j < buffers_.n; ++j) {
        const auto term = static_cast<TermId>(buffers_.terms[j]);
        while (end - i >= 16 && terms[i + 15] < term) i += 16;
        if (end - i >= 16) {  // one `if` per entry would be an unpredictable branch
          std::int64_t below = 0;
          for (int e = 0; e < 16; ++e) below += terms[i + e] < term;
          i += below;
        } else {
          while (i < end && terms[i] < term) ++i;
        }
        if (i < end && terms[i] == term) use(i, j);
      }
      return i;
    };
  }

  // Sets x_ic of the block's terms in all classes. `visit` is a visitor (see every_entry). Returns true if the low part of
  // any x_ic is not 0.
  template <class Visit>
  bool load(const ChunkEntries& entries, const Visit& visit) {
    bool with_low = false;
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      const std::size_t ahead = k + classes_ahead;
      if (ahead < task_.n_classes()) prefetch_entries(task_.row(ahead).terms, cursor_[ahead], entries.end[ahead]);
      const ClassConstants& c = task_.model.constants[k];
      const ClassRow<Count>& row = task_.row(k);
      double* const x = buffers_.x_hi.get() + k * stride();
      if (row.is_narrow() && c.exact_below > std::int64_t{1} << 32) {
        // A double holds each x_ic of this class, so all low parts are 0. Counts are gathered and then converted as vectors.
        std::uint32_t l[block_terms];
        std::fill_n(l, buffers_.lanes(), 0);
        cursor_[k] = visit(row.terms, cursor_[k], entries.end[k],
                           [&](std::int64_t i, std::int64_t j) { l[j] = row.term_frequency.narrow()[i]; });
        kernels_.numerators(l, buffers_.lanes(), c.scale, c.absent_x, x);
        continue;
      }
      std::fill_n(x, buffers_.lanes(), c.absent_x);
      cursor_[k] = visit(row.terms, cursor_[k], entries.end[k], [&](std::int64_t i, std::int64_t j) {
        const DoubleDouble sum = numerator(row.term_frequency[i], c);
        x[j] = sum.hi;
        if (sum.lo == 0) return;
        if (!with_low) std::fill_n(buffers_.x_lo.get(), task_.n_classes() * stride(), 0.0);
        with_low = true;
        buffers_.x_lo.get()[k * stride() + static_cast<std::size_t>(j)] = sum.lo;
      });
    }
    return with_low;
  }

  // Loads a block of consecutive terms.
  bool load_all(const ChunkEntries& entries) {
    return load(entries, every_entry([first = buffers_.terms[0]](std::int64_t term) { return term - first; }));
  }
  // Loads the block that begins with the chosen term of the slot `begin`. `first` is the first term of the chunk.
  bool load_chosen(std::int64_t first, const unsigned char* chosen, std::int64_t begin, const ChunkEntries& entries) {
    return load(entries, every_entry([=, slots = slots_.data()](std::int64_t term) -> std::int64_t {
      const std::int64_t t = term - first;
      return chosen[t] == 0 ? -1 : slots[t] - begin;  // reads the large array slots_ only for chosen terms
    }));
  }

  ScoreBlock block_of(BlockBuffers& buffers) {
    return {buffers.lanes(), buffers.stride, static_cast<int>(task_.n_classes()), task_.model.constants.data(),
            task_.measure, task_.model.variable, task_.aggregate.value_or(Aggregate::sum), task_.model.lost,
            buffers.x_hi.get(), buffers.x_lo.get(), buffers.values.get(), task_.aggregate ? buffers.scores : nullptr,
            doubtful_};
  }

  // Stores the results of n terms of the block, beginning with its j-th term.
  template <class Store>
  void store_terms(const BlockBuffers& buffers, int j, int n, const Store& store) {
    store(buffers.terms + j, n, (task_.aggregate ? buffers.scores : buffers.values.get()) + j);
  }

  // Stores the results of the block's reliable terms, and moves its doubtful terms to careful_.
  template <class Store>
  void score_block(bool with_low, const Store& store) {
    ScoreBlock block = block_of(buffers_);
    if (!with_low) block.x_lo = nullptr;
    kernels_.score_block(block);
    for (int j = 0, n = 0; j < buffers_.n; j += std::max(n, 1)) {
      for (n = 0; j + n < buffers_.n && doubtful_[j + n] == 0;) ++n;
      if (n > 0) {
        store_terms(buffers_, j, n, store);
        continue;
      }
      if (!careful_) careful_ = std::make_unique<Careful>(task_.n_classes());
      BlockBuffers& careful = careful_->buffers;
      const auto from = static_cast<std::size_t>(j), to = static_cast<std::size_t>(careful.n);
      for (std::size_t row = 0; row < task_.n_classes() * stride(); row += stride()) {
        careful.x_hi.get()[row + to] = buffers_.x_hi.get()[row + from];
        careful.x_lo.get()[row + to] = with_low ? buffers_.x_lo.get()[row + from] : 0.0;
      }
      careful.terms[careful.n++] = buffers_.terms[j];
      if (careful.n == buffers_.stride) score_careful_terms(store);
    }
  }

  template <class Store>
  void score_careful_terms(const Store& store) {
    BlockBuffers& careful = careful_->buffers;
    // Unused lanes repeat the first term, because the kernel must not read uninitialised memory.
    for (std::size_t k = 0; k < task_.n_classes() && careful.n > 0; ++k)
      for (int j = careful.n; j < careful.lanes(); ++j) {
        careful.x_hi.get()[k * stride() + static_cast<std::size_t>(j)] = careful.x_hi.get()[k * stride()];
        careful.x_lo.get()[k * stride() + static_cast<std::size_t>(j)] = careful.x_lo.get()[k * stride()];
      }
    kernels_.score_block_carefully(
        {block_of(careful), task_.model.reference, careful_->e_hi.get(), careful_->e_lo.get()});
    store_terms(careful, 0, careful.n, store);
    careful.n = 0;
  }

  struct Careful {
    explicit Careful(std::size_t n_classes)
        : buffers(n_classes, true), e_hi(BlockBuffers::new_rows(n_classes)), e_lo(BlockBuffers::new_rows(n_classes)) {}
    BlockBuffers buffers;
    LargeArray<double> e_hi, e_lo;  // (n_classes, block)
  };

  const ScoreTask<Count>& task_;
  const ScoreKernels& kernels_;
  std::vector<std::int64_t> cursor_;  // (n_classes,) the next entry of each class to visit
  std::vector<std::int32_t> slots_;   // (terms of the chunk,) for each term, the number of chosen terms before it
  std::vector<std::int32_t> chosen_;  // the chosen terms, as offsets in the chunk
  BlockBuffers buffers_;
  unsigned char doubtful_[block_terms];
  std::unique_ptr<Careful> careful_;
};

}  // namespace termsift
