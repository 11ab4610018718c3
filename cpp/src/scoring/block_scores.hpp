// Scores of terms from every (term, class) pair, a block of terms at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "scoring/class_model.hpp"
#include "base/exact_double.hpp"
#include "scoring/kernels.hpp"

namespace termsift {

// What is asked of all terms alike.
template <CountType Count>
struct ScoreTask {
  const ClassCounts<Count>& counts;
  const ClassModel& model;
  const Kernels& kernels;
  Measure measure;
  Aggregate aggregate;
  // Where the results go; all but one are null.
  double* scores;                     // (n_terms,)
  double* class_scores;               // (n_classes, terms of the range)
  std::int8_t* directions = nullptr;  // the same, of Measure::direction
  TermRange range = TermRange{}.within(counts.n_terms);

  std::size_t n_classes() const { return model.classes.size(); }  // that take part
  const ClassRow<Count>& row(std::size_t k) const { return *counts.rows[static_cast<std::size_t>(model.classes[k])]; }
};

// The first of the entries [begin, end) of a row whose term is not below `term`.
template <CountType Count>
std::int64_t find_term(const ClassRow<Count>& row, std::int64_t begin, std::int64_t end, std::int64_t term) {
  return std::lower_bound(row.terms + begin, row.terms + end, term) - row.terms;
}

// Whether a count is a double: an int64 may be none.
template <CountType Count>
bool is_double(Count count) {
  return std::is_floating_point_v<Count> || count <= static_cast<Count>(std::int64_t{1} << 53);
}

// x_ic = s (l_ic + b1)
template <CountType Count>
DoubleDouble numerator(Count count, const ClassConstants& c) {
  if (is_double(count)) return two_sum(static_cast<double>(count) * c.scale, c.empty);
  const DoubleDouble l = scale(exact_double(count), c.scale);
  const DoubleDouble sum = two_sum(l.hi, c.empty);
  return quick_two_sum(sum.hi, sum.lo + l.lo);
}

// Asks for the memory of array[i], which need not exist.
template <class T>
void prefetch([[maybe_unused]] const T* array, [[maybe_unused]] std::int64_t i) {
#ifdef __GNUC__
  const auto address = reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(i) * sizeof(T);
  __builtin_prefetch(reinterpret_cast<const void*>(address));
#endif
}

// Of the first entries [begin, end) of a class. With thousands of classes each has a hundred in a chunk of terms, at a place
// that the machine does not foresee: ask some classes ahead.
template <class T>
void prefetch_entries(const T* array, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < std::min(end, begin + 256); i += 16) prefetch(array, i);
}

// The entries of a chunk of terms in each class's list.
struct ChunkEntries {
  explicit ChunkEntries(std::size_t n_classes) : begin(n_classes), end(n_classes) {}
  std::vector<std::int64_t> begin, end;  // (n_classes,)

  // A task has row(k), the row of the k-th class that takes part.
  template <class Task>
  void find_begin(const Task& task, std::int64_t first) {
    for (std::size_t k = 0; k < begin.size(); ++k) begin[k] = find_term(task.row(k), 0, task.row(k).size, first);
  }

  // In steps from the begin that double, since the end is mostly near.
  template <class Task>
  void find_end(const Task& task, std::int64_t last) {
    for (std::size_t k = 0; k < begin.size(); ++k) {
      if (k + 8 < begin.size()) prefetch(task.row(k + 8).terms, begin[k + 8] + 64);
      const auto& row = task.row(k);
      std::int64_t low = begin[k], step = 64;
      while (low + step < row.size && row.terms[low + step] < last) low += step, step *= 2;
      end[k] = find_term(row, low, std::min(low + step, row.size), last);
    }
  }

  // Those of the terms [first, last). Returns how many there are. O(n_classes log(n_terms)).
  template <class Task>
  std::int64_t find(const Task& task, std::int64_t first, std::int64_t last) {
    find_begin(task, first);
    find_end(task, last);
    return size();
  }

  std::int64_t size() const {
    std::int64_t n = 0;
    for (std::size_t k = 0; k < begin.size(); ++k) n += end[k] - begin[k];
    return n;
  }
};

// Some columns of the table of x_ic, and their results.
struct Columns {
  Columns(std::size_t n_classes, bool with_values)
      : x_hi(new_rows(n_classes)), x_lo(new_rows(n_classes)), values(with_values ? new_rows(n_classes) : nullptr) {}
  static std::unique_ptr<double[]> new_rows(std::size_t n_classes) {
    return std::make_unique_for_overwrite<double[]>(n_classes * block_terms);
  }
  int lanes() const { return (n + 7) / 8 * 8; }

  int n = 0;
  std::int64_t terms[block_terms];
  double scores[block_terms];
  std::unique_ptr<double[]> x_hi, x_lo, values;  // (n_classes, block)
};

// Scores terms a block at a time. One thread's: 16 bytes of scratch for each class and term of a block, 56 once a term
// needs care.
template <CountType Count>
class BlockScorer {
 public:
  explicit BlockScorer(const ScoreTask<Count>& task)
      : task_(task), cursor_(task.n_classes()), block_(task.n_classes(), task.scores == nullptr) {}

  // Scores the terms first + t of a chunk for which chosen[t] is 1, not 0 (all of them if it is null), and stores the
  // results of each by store(term, scores (1,) or values (n_classes,) in steps of block_terms). `entries` are the chunk's.
  // O(entries + n_classes * chosen terms).
  template <class Store>
  void score(std::int64_t first, std::int64_t last, const unsigned char* chosen, const ChunkEntries& entries,
             Worker& worker, const Store& store) {
    cursor_ = entries.begin;
    if (chosen == nullptr) {
      for (std::int64_t begin = first; begin < last; begin += block_terms) {
        worker.check();
        block_.n = static_cast<int>(std::min<std::int64_t>(block_terms, last - begin));
        for (int j = 0; j < block_.n; ++j) block_.terms[j] = begin + j;
        score_block(load(entries, every_entry([begin](std::int64_t term) { return term - begin; })), store);
      }
      if (careful_) score_careful_terms(store);
      return;
    }
    const auto n_terms = static_cast<std::size_t>(last - first);
    slots_.resize(n_terms);
    chosen_.resize(n_terms + 1);
    std::int32_t n_chosen = 0;
    const auto note = [&](std::size_t t) {  // no branch: in a hashed vocabulary none could be foretold
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
    // Looking for a term takes a class as long as reading some four entries of it.
    const bool few = 4 * n_chosen * static_cast<std::int64_t>(task_.n_classes()) < entries.size();
    for (std::int32_t begin = 0; begin < n_chosen; begin += block_terms) {
      worker.check();
      block_.n = std::min(block_terms, n_chosen - begin);
      for (int j = 0; j < block_.n; ++j) block_.terms[j] = first + chosen_[static_cast<std::size_t>(begin + j)];
      const auto place = [&](std::int64_t term) {
        // Mostly few are chosen, and the smaller array says so.
        return chosen[term - first] == 0 ? -1 : slots_[static_cast<std::size_t>(term - first)] - begin;
      };
      score_block(few ? load(entries, entries_of_terms()) : load(entries, every_entry(place)), store);
    }
    if (careful_) score_careful_terms(store);
  }

  // The results of a term that no class has.
  template <class Store>
  void score_unseen(const Store& store) {
    block_.n = 1;
    block_.terms[0] = 0;
    ChunkEntries none(task_.n_classes());
    cursor_ = none.begin;
    score_block(load(none, entries_of_terms()), store);
    if (careful_) score_careful_terms(store);
  }

 private:
  // Two ways to visit a class's entries [i, end) of the terms block_.terms: use(entry, its term's place in the block).
  // Returns the entry where the next block's begin.
  //
  // place(term) says where in the block a term stands, negative for none. O(entries).
  template <class Place>
  auto every_entry(Place place) const {
    return [place, last_term = block_.terms[block_.n - 1]](const TermId* terms, std::int64_t i, std::int64_t end,
                                                           const auto& use) {
      for (; i < end && terms[i] <= last_term; ++i)
        if (const std::int64_t j = place(terms[i]); j >= 0) use(i, j);
      return i;
    };
  }
  // O(terms + entries / 16).
  auto entries_of_terms() const {
    return [this](const TermId* terms, std::int64_t i, std::int64_t end, const auto& use) {
      for (int j = 0; j < block_.n; ++j) {
        const auto term = static_cast<TermId>(block_.terms[j]);
        while (end - i >= 16 && terms[i + 15] < term) i += 16;
        if (end - i >= 16) {  // no branch on each, which could not be foretold
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

  // x_ic of the terms block_.terms, whose entries are visited as above. Returns whether some have a low part.
  template <class Visit>
  bool load(const ChunkEntries& entries, const Visit& visit) {
    bool with_low = false;
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k + 4 < task_.n_classes()) prefetch_entries(task_.row(k + 4).terms, cursor_[k + 4], entries.end[k + 4]);
      const ClassConstants& c = task_.model.constants[k];
      const ClassRow<Count>& row = task_.row(k);
      double* const x = block_.x_hi.get() + k * block_terms;
      if (row.is_narrow() && c.exact_below > std::int64_t{1} << 32) {
        // All counts first and then all sums, in whole vectors.
        std::uint32_t l[block_terms];
        std::fill_n(l, block_.lanes(), 0);
        cursor_[k] = visit(row.terms, cursor_[k], entries.end[k],
                           [&](std::int64_t i, std::int64_t j) { l[j] = row.term_frequency.narrow()[i]; });
        task_.kernels.numerators(l, block_.lanes(), c.scale, c.empty, x);
        continue;
      }
      std::fill_n(x, block_.lanes(), c.empty);
      cursor_[k] = visit(row.terms, cursor_[k], entries.end[k], [&](std::int64_t i, std::int64_t j) {
        const DoubleDouble sum = numerator(row.term_frequency[i], c);
        x[j] = sum.hi;
        if (sum.lo == 0) return;
        if (!with_low) std::fill_n(block_.x_lo.get(), task_.n_classes() * block_terms, 0.0);
        with_low = true;
        block_.x_lo[k * block_terms + static_cast<std::size_t>(j)] = sum.lo;
      });
    }
    return with_low;
  }

  Block view(Columns& columns) {
    Block block;
    block.n = columns.lanes();
    block.n_classes = static_cast<int>(task_.n_classes());
    block.constants = task_.model.constants.data();
    block.variable = task_.model.variable;
    block.measure = task_.measure;
    block.aggregate = task_.aggregate;
    block.lost = task_.model.lost;
    block.x_hi = columns.x_hi.get();
    block.x_lo = columns.x_lo.get();
    block.class_scores = columns.values.get();
    block.scores = task_.scores != nullptr ? columns.scores : nullptr;
    block.doubtful = doubtful_;
    return block;
  }

  template <class Store>
  void store_column(const Columns& columns, int j, const Store& store) {
    if (task_.scores != nullptr) store(columns.terms[j], columns.scores + j);
    else store(columns.terms[j], columns.values.get() + j);
  }

  template <class Store>
  void score_block(bool with_low, const Store& store) {
    Block block = view(block_);
    if (!with_low) block.x_lo = nullptr;
    task_.kernels.score_block(block);
    for (int j = 0; j < block_.n; ++j) {
      if (doubtful_[j] == 0) {
        store_column(block_, j, store);
        continue;
      }
      if (!careful_) careful_ = std::make_unique<Careful>(task_.n_classes());
      Columns& columns = careful_->columns;
      const auto from = static_cast<std::size_t>(j), to = static_cast<std::size_t>(columns.n);
      for (std::size_t row = 0; row < task_.n_classes() * block_terms; row += block_terms) {
        columns.x_hi[row + to] = block_.x_hi[row + from];
        columns.x_lo[row + to] = with_low ? block_.x_lo[row + from] : 0.0;
      }
      columns.terms[columns.n++] = block_.terms[j];
      if (columns.n == block_terms) score_careful_terms(store);
    }
  }

  template <class Store>
  void score_careful_terms(const Store& store) {
    Columns& columns = careful_->columns;
    // Lanes without a term hold a copy of one: any counts will do, but not what memory held before.
    for (std::size_t k = 0; k < task_.n_classes() && columns.n > 0; ++k)
      for (int j = columns.n; j < columns.lanes(); ++j) {
        columns.x_hi[k * block_terms + static_cast<std::size_t>(j)] = columns.x_hi[k * block_terms];
        columns.x_lo[k * block_terms + static_cast<std::size_t>(j)] = columns.x_lo[k * block_terms];
      }
    CarefulBlock block;
    static_cast<Block&>(block) = view(columns);
    block.reference = task_.model.reference;
    block.e_hi = careful_->e_hi.get();
    block.e_lo = careful_->e_lo.get();
    task_.kernels.score_block_carefully(block);
    for (int j = 0; j < columns.n; ++j) store_column(columns, j, store);
    columns.n = 0;
  }

  struct Careful {
    explicit Careful(std::size_t n_classes)
        : columns(n_classes, true), e_hi(Columns::new_rows(n_classes)), e_lo(Columns::new_rows(n_classes)) {}
    Columns columns;
    std::unique_ptr<double[]> e_hi, e_lo;  // (n_classes, block)
  };

  const ScoreTask<Count>& task_;
  std::vector<std::int64_t> cursor_;  // (n_classes,)
  std::vector<std::int32_t> slots_;   // (terms of the chunk,) a term's place among those chosen, if it is
  std::vector<std::int32_t> chosen_;  // and the other way round
  Columns block_;
  unsigned char doubtful_[block_terms];
  std::unique_ptr<Careful> careful_;
};

}  // namespace termsift
