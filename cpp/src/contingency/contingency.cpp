#include "termsift/contingency.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "contingency/contingency_model.hpp"
#include "base/exact_double.hpp"
#include "base/per_thread.hpp"
#include "scoring/chunk_entries.hpp"
#include "simd/targets.hpp"

namespace termsift {
namespace {

// 256 KiB for each array of a chunk; in smaller ones the runs of 5,000 classes are short.
constexpr std::int64_t most_chunk_terms = 1 << 15;
constexpr std::int64_t least_chunk_terms = 1 << 10;  // fewer would not pay for going through the classes

// Terms are handed to threads in chunks of this many: enough chunks that no thread waits long for another's last one.
std::int64_t chunk_terms(std::int64_t n_terms, const Threads& threads) {
  if (threads.count == 1) return most_chunk_terms;
  return std::clamp(n_terms / (8 * threads.count), least_chunk_terms, most_chunk_terms);
}

constexpr int run_terms = longest_contingency_run;
constexpr double infinity = std::numeric_limits<double>::infinity();
bool is_finite(double value) { return value - value == 0; }

template <CountType Count>
struct ContingencyTask {
  const ClassCounts<Count>& counts;
  const ContingencyModel& model;
  ContingencyKernel kernel;
  CellKernel cell_kernel;

  std::size_t n_classes() const { return model.classes.size(); }
  const ClassRow<Count>& row(std::size_t k) const { return *counts.rows[static_cast<std::size_t>(model.classes[k].row)]; }
  const Frequencies<Count>& cells(const ClassRow<Count>& row) const {
    return model.facts.cells_are_tokens ? row.term_frequency : row.document_frequency;
  }
};

// Calls use(values) for what is indexed like the frequencies, so that a loop need not ask each time how wide they are.
template <CountType Count, class Use>
void with_width(const Frequencies<Count>& frequencies, const Use& use) {
  if (const std::uint32_t* narrow = frequencies.narrow()) use(narrow);
  else use(frequencies);
}

// The column totals of a chunk of terms, scaled by the model's unit.
template <CountType Count>
class ColumnTotals {
 public:
  ColumnTotals() : hi_(most_chunk_terms), lo_(most_chunk_terms) {}

  DoubleDouble operator[](std::size_t t) const { return {hi_[t], lo_[t]}; }
  const double* hi() const { return hi_.data(); }
  const double* lo() const { return lo_.data(); }

  // Of the terms [first, last), whose entries are those given. O(entries).
  void find(const ContingencyTask<Count>& task, const ChunkEntries& entries, std::int64_t first, std::int64_t last,
            bool of_tokens) {
    const auto add_entries = [&](const ClassRow<Count>& row, std::int64_t begin, std::int64_t end) {
      with_width(of_tokens ? row.term_frequency : row.document_frequency,
                 [&](const auto& frequency) { add_row(row.terms, frequency, begin, end, first, task.model.whole); });
    };
    const auto n = static_cast<std::size_t>(last - first);
    std::fill_n(hi_.begin(), n, 0.0);
    std::fill_n(lo_.begin(), n, 0.0);
    if (const auto& collection = task.counts.collection) {
      const std::int64_t begin = find_term(*collection, 0, collection->size, first);
      add_entries(*collection, begin, find_term(*collection, begin, collection->size, last));
    } else {
      for (std::size_t k = 0; k < task.n_classes(); ++k) add_entries(task.row(k), entries.begin[k], entries.end[k]);
    }
    if (task.model.whole) return;
    const double unit = task.model.unit;
    for (std::size_t t = 0; t < n; ++t) {
      const DoubleDouble total = quick_two_sum(hi_[t], lo_[t]);
      hi_[t] = total.hi * unit, lo_[t] = total.lo * unit;
    }
  }

 private:
  template <class Frequency>
  void add_row(const TermId* terms, const Frequency& frequency, std::int64_t begin, std::int64_t end, std::int64_t first,
               bool whole) {
    double* const hi = hi_.data();
    double* const lo = lo_.data();
    if (whole) {  // exact
      for (std::int64_t i = begin; i < end; ++i) hi[terms[i] - first] += static_cast<double>(frequency[i]);
      return;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t t = terms[i] - first;
      const DoubleDouble value = exact_double(static_cast<Count>(frequency[i]));
      const DoubleDouble sum = two_sum(hi[t], value.hi);
      hi[t] = sum.hi, lo[t] += sum.lo + value.lo;
    }
  }

  std::vector<double> hi_, lo_;
};

// Many pairs of a class have equal cells: what of their values depends on the cell alone is worked out once for each
// number up to the class's total, which no cell exceeds, where those are far fewer than the pairs.
class CellParts {
 public:
  CellParts(const ContingencyModel& model, CellKernel kernel, std::int64_t n_pairs, const Threads& threads) {
    if (kernel == nullptr || !model.whole) return;
    const auto n_classes = static_cast<std::int64_t>(model.classes.size());
    std::vector<std::int64_t> begin{0};
    for (const ContingencyClass& c : model.classes) {
      if (c.constants.r_hi > static_cast<double>(n_pairs)) return;
      begin.push_back(begin.back() + static_cast<std::int64_t>(c.constants.r_hi) / 8 * 8 + 8);
      if (4 * begin.back() > n_pairs) return;
    }
    parts_.resize(static_cast<std::size_t>(begin.back()));
    for_each_block(n_classes, worth(threads, begin.back()), [&](std::int64_t k, Worker&) {
      double a[run_terms];
      const auto class_ = static_cast<std::size_t>(k);
      for (std::int64_t first = begin[class_]; first < begin[class_ + 1]; first += run_terms) {
        const auto n = static_cast<int>(std::min<std::int64_t>(run_terms, begin[class_ + 1] - first));
        std::iota(a, a + n, static_cast<double>(first - begin[class_]));
        kernel(model.classes[class_].constants, a, n, parts_.data() + first);
      }
    });
    begin_ = std::move(begin);
  }

  // Of class k, at the cell; null if they are not known.
  const double* of_class(std::size_t k) const { return begin_.empty() ? nullptr : parts_.data() + begin_[k]; }

 private:
  std::vector<std::int64_t> begin_;
  std::vector<double> parts_;
};

// Terms of one class on their way through the kernel, a run at a time.
class Run {
 public:
  Run(ContingencyKernel kernel, const ContingencyModel& model) : kernel_(kernel), whole_(model.whole), unit_(model.unit) {}
  void set(int j, DoubleDouble a, DoubleDouble t) {
    a_hi_[j] = a.hi, t_hi_[j] = t.hi;
    if (!whole_) a_lo_[j] = a.lo, t_lo_[j] = t.lo;
  }
  // The values of the entries [begin, begin + n) of a class, n <= run_terms, whose terms count from `first` in the chunk of
  // the totals. `parts` as of CellParts.
  template <CountType Count>
  const double* values_of_entries(const Frequencies<Count>& cells, const TermId* terms, std::int64_t begin, int n,
                                  const ColumnTotals<Count>& totals, std::int64_t first, const double* parts,
                                  const ContingencyConstants& constants) {
    with_width(cells, [&](const auto& values) {
      for (int j = 0; j < n && parts != nullptr; ++j) parts_[j] = parts[static_cast<std::int64_t>(values[begin + j])];
      if (whole_)
        for (int j = 0; j < n; ++j) a_hi_[j] = static_cast<double>(values[begin + j]);
      else
        for (int j = 0; j < n; ++j) set_cell(j, scale(exact_double(static_cast<Count>(values[begin + j])), unit_));
    });
    for (int j = 0; j < n; ++j) t_hi_[j] = totals.hi()[terms[begin + j] - first];
    for (int j = 0; j < n && !whole_; ++j) t_lo_[j] = totals.lo()[terms[begin + j] - first];
    return values(n, constants, parts == nullptr ? nullptr : parts_);
  }
  // The values of the first n <= run_terms terms that were set.
  const double* values(int n, const ContingencyConstants& constants, const double* parts = nullptr) {
    for (int j = n; j % 8 != 0; ++j) set(j, {0, 0}, {0, 0});
    kernel_({(n + 7) / 8 * 8, &constants, a_hi_, whole_ ? nullptr : a_lo_, t_hi_, whole_ ? nullptr : t_lo_, values_, parts});
    return values_;
  }

 private:
  void set_cell(int j, DoubleDouble a) { a_hi_[j] = a.hi, a_lo_[j] = a.lo; }

  const ContingencyKernel kernel_;
  const bool whole_;
  const double unit_;
  double a_hi_[run_terms], a_lo_[run_terms], t_hi_[run_terms], t_lo_[run_terms], parts_[run_terms] = {},
      values_[run_terms];
};

// ---- the classes that lack a term, where there is no closed form ---------------------------------------------------------

// A class of r can lack a term of t only if the others have room for it: elsewhere value(0, t, c) may be infinite, and must
// not be, since what is added to a sum is taken away again.
double if_possible(double value) { return is_finite(value) ? value : 0; }

// sum_c weight_c value(0, t, c) over all classes, for each total t that occurs.
class SumsWithoutTerm {
 public:
  template <CountType Count>
  SumsWithoutTerm(const ContingencyTask<Count>& task, const Threads& threads);
  DoubleDouble operator[](DoubleDouble t) const {
    const auto at = std::lower_bound(totals_.begin(), totals_.end(), t, less) - totals_.begin();
    return sums_[static_cast<std::size_t>(at)];
  }

 private:
  static bool less(DoubleDouble x, DoubleDouble y) { return x.hi != y.hi ? x.hi < y.hi : x.lo < y.lo; }
  std::vector<DoubleDouble> totals_;  // increasing
  std::vector<DoubleDouble> sums_;
};

template <CountType Count>
SumsWithoutTerm::SumsWithoutTerm(const ContingencyTask<Count>& task, const Threads& threads) {
  struct Workspace {
    explicit Workspace(const ContingencyTask<Count>& t) : entries(t.n_classes()) {}
    ChunkEntries entries;
    ColumnTotals<Count> totals;
  };
  const std::int64_t n_terms = task.counts.n_terms;
  totals_.resize(static_cast<std::size_t>(n_terms));
  const Threads for_totals = worth(threads, n_terms * static_cast<std::int64_t>(task.n_classes()));
  PerThread<Workspace> workspaces(for_totals);
  const std::int64_t chunk_size = chunk_terms(n_terms, for_totals);
  for_each_block((n_terms + chunk_size - 1) / chunk_size, for_totals, [&](std::int64_t chunk, Worker& worker) {
    worker.check();
    Workspace& work = workspaces.own(worker, task);
    const std::int64_t first = chunk * chunk_size, last = std::min(first + chunk_size, n_terms);
    work.entries.find(task, first, last);
    work.totals.find(task, work.entries, first, last, task.model.facts.column_totals_are_tokens);
    for (std::int64_t t = first; t < last; ++t)
      totals_[static_cast<std::size_t>(t)] = work.totals[static_cast<std::size_t>(t - first)];
  });
  std::sort(totals_.begin(), totals_.end(), less);
  const auto equal = [](DoubleDouble x, DoubleDouble y) { return x.hi == y.hi && x.lo == y.lo; };
  totals_.erase(std::unique(totals_.begin(), totals_.end(), equal), totals_.end());
  sums_.resize(totals_.size());
  const auto n = static_cast<std::int64_t>(totals_.size());
  for_each_block((n + run_terms - 1) / run_terms, worth(threads, n * static_cast<std::int64_t>(task.n_classes())),
                 [&](std::int64_t block, Worker& worker) {
                   const std::int64_t first = block * run_terms;
                   const auto size = static_cast<int>(std::min<std::int64_t>(run_terms, n - first));
                   Run run(task.kernel, task.model);
                   for (int j = 0; j < size; ++j) run.set(j, {}, totals_[static_cast<std::size_t>(first + j)]);
                   for (const ContingencyClass& c : task.model.classes) {
                     worker.check();
                     const double* values = run.values(size, c.constants);
                     for (int j = 0; j < size; ++j) {
                       DoubleDouble& sum = sums_[static_cast<std::size_t>(first + j)];
                       if (c.weight != 0) sum = add(sum, {c.weight * if_possible(values[j]), 0});
                     }
                   }
                 });
}

// ---- one score a term ----------------------------------------------------------------------------------------------------

// What the sums over all classes have in common. Classes of weight 0 are no part of them.
template <CountType Count>
struct SumTask {
  explicit SumTask(const ContingencyTask<Count>& task, const Threads& threads) {
    for (const ContingencyClass& c : task.model.classes) {
      n_classes += c.weight != 0;
      products = add(products, {c.weight * c.product, 0});
      if (reference == nullptr && c.product > 0) reference = &c;
    }
    if (task.model.facts.missing == Missing::each) without = std::make_unique<SumsWithoutTerm>(task, threads);
  }
  std::int32_t n_classes = 0;
  DoubleDouble products;                        // sum_c weight_c h_c
  const ContingencyClass* reference = nullptr;  // one of which h > 0
  std::unique_ptr<SumsWithoutTerm> without;
};

// One thread's scratch for a chunk.
template <CountType Count>
class ChunkScorer {
 public:
  ChunkScorer(const ContingencyTask<Count>& task, const CellParts& parts)
      : task_(task), parts_(parts), entries_(task.n_classes()), run_(task.kernel, task.model) {}

  // scores[t] of the terms first + t < last, as the sum over the classes; O(pairs of the chunk + n_classes).
  void sum(const SumTask<Count>& sums, std::int64_t first, std::int64_t last, Worker& worker, double* scores) {
    find(first, last);
    sums_.assign(static_cast<std::size_t>(last - first), Sum{});
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      const ContingencyClass& c = task_.model.classes[k];
      if (c.weight == 0) continue;
      for_each_run(k, first, [&](const TermId* terms, int n, const double* values) {
        for (int j = 0; j < n; ++j) {
          Sum& sum = sums_[static_cast<std::size_t>(terms[j] - first)];
          ++sum.n_classes;
          add_to(sum.value, c.weight * values[j]);
          add_to(sum.without, c.weight * c.product);
        }
        if (!sums.without) return;
        for (int j = 0; j < n; ++j) run_.set(j, {}, totals_[static_cast<std::size_t>(terms[j] - first)]);
        const double* const without = run_.values(n, c.constants);
        for (int j = 0; j < n; ++j)
          add_to(sums_[static_cast<std::size_t>(terms[j] - first)].without, c.weight * if_possible(without[j]));
      });
    }
    finish_sums(sums, static_cast<std::size_t>(last - first), scores);
  }

  // The same with the largest value of a class. Unless `strongest` is null, strongest[t] is the first class, as a row of the
  // counts, that has it, and signs[t] the sign of det there.
  void max(std::int64_t first, std::int64_t last, Worker& worker, double* scores, std::int64_t* strongest,
           std::int8_t* signs) {
    find(first, last);
    largest_.assign(static_cast<std::size_t>(last - first), Largest{});
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      const auto row = static_cast<std::int32_t>(task_.model.classes[k].row), place = static_cast<std::int32_t>(k);
      for_each_run(k, first, [&](const TermId* terms, int n, const double* values) {
        for (int j = 0; j < n; ++j) {  // a branch on values could not be foretold, and would take longer than all else
          Largest& largest = largest_[static_cast<std::size_t>(terms[j] - first)];
          largest.first_without += largest.first_without == place;
          if (strongest != nullptr) raise(largest, values[j], row);
          else largest.value = std::max(largest.value, values[j]);
        }
      });
    }
    const auto n = static_cast<std::size_t>(last - first);
    raise_to_missing(n);
    if (strongest == nullptr) {
      for (std::size_t t = 0; t < n; ++t) scores[t] = totals_[t].hi > 0 ? largest_[t].value : 0;
      return;
    }
    std::vector<std::size_t> class_of_row(task_.counts.rows.size(), task_.n_classes());
    for (std::size_t k = 0; k < task_.n_classes(); ++k)
      class_of_row[static_cast<std::size_t>(task_.model.classes[k].row)] = k;
    std::int64_t first_row = 0;
    while (class_of_row[static_cast<std::size_t>(first_row)] == task_.n_classes()) ++first_row;
    for (std::size_t t = 0; t < n; ++t) {
      const bool seen = totals_[t].hi > 0;
      scores[t] = seen ? largest_[t].value : 0;
      if (!seen) {
        strongest[t] = first_row, signs[t] = 0;
        continue;
      }
      const std::size_t k = class_of_row[static_cast<std::size_t>(largest_[t].row)];
      const ContingencyClass& c = task_.model.classes[k];
      strongest[t] = c.row;
      signs[t] = sign(cell(k, first + static_cast<std::int64_t>(t)), totals_[t], c.constants);
    }
  }

  // The value of each term as if the collection were one class.
  void collection(std::int64_t first, std::int64_t last, double* scores) {
    find(first, last);
    ColumnTotals<Count> cells;
    cells.find(task_, entries_, first, last, task_.model.facts.cells_are_tokens);
    const ContingencyConstants& constants = task_.model.classes.front().constants;
    for (std::int64_t begin = first; begin < last; begin += run_terms) {
      const auto n = static_cast<int>(std::min<std::int64_t>(run_terms, last - begin));
      const auto at = static_cast<std::size_t>(begin - first);
      for (int j = 0; j < n; ++j) {
        const std::size_t t = at + static_cast<std::size_t>(j);
        run_.set(j, cells[t], totals_[t]);
      }
      std::copy_n(run_.values(n, constants), n, scores + at);
    }
  }

  // values[j] of class k and the term begin + j < begin + n, for every class and run: store(k, begin, n, values).
  // O(n_classes * terms).
  template <class Store>
  void all_values(std::int64_t first, std::int64_t last, Worker& worker, const Store& store) {
    find(first, last);
    std::vector<DoubleDouble> a(static_cast<std::size_t>(last - first));
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      worker.check();
      std::fill(a.begin(), a.end(), DoubleDouble{});
      const ClassRow<Count>& row = task_.row(k);
      for (std::int64_t i = entries_.begin[k]; i < entries_.end[k]; ++i)
        a[static_cast<std::size_t>(row.terms[i] - first)] = scale(exact_double(task_.cells(row)[i]), task_.model.unit);
      for (std::int64_t begin = first; begin < last; begin += run_terms) {
        const auto n = static_cast<int>(std::min<std::int64_t>(run_terms, last - begin));
        for (int j = 0; j < n; ++j) {
          const auto t = static_cast<std::size_t>(begin - first + j);
          run_.set(j, a[t], totals_[t]);
        }
        store(k, begin, n, run_.values(n, task_.model.classes[k].constants));
      }
    }
  }

 private:
  struct Sum {
    DoubleDouble value;
    // Of the classes that have the term: how many, and the sum of their h_c, or of what their values would be without it.
    DoubleDouble without;
    std::int32_t n_classes = 0;
  };
  struct Largest {
    double value = -infinity;
    std::int32_t row = std::numeric_limits<std::int32_t>::max();  // where it is
    std::int32_t first_without = 0;  // the first class that lacks the term
  };

  void find(std::int64_t first, std::int64_t last) {
    entries_.find(task_, first, last);
    totals_.find(task_, entries_, first, last, task_.model.facts.column_totals_are_tokens);
  }

  // use(terms, n, values) for the terms of the chunk that class k has.
  template <class Use>
  void for_each_run(std::size_t k, std::int64_t first, const Use& use) {
    entries_.prefetch_after(task_, k);
    const ClassRow<Count>& row = task_.row(k);
    const ContingencyConstants& constants = task_.model.classes[k].constants;
    for (std::int64_t begin = entries_.begin[k]; begin < entries_.end[k]; begin += run_terms) {
      const auto n = static_cast<int>(std::min<std::int64_t>(run_terms, entries_.end[k] - begin));
      use(row.terms + begin, n, run_.values_of_entries(task_.cells(row), row.terms, begin, n, totals_, first,
                                                       parts_.of_class(k), constants));
    }
  }

  // a of class k and a term of the chunk.
  DoubleDouble cell(std::size_t k, std::int64_t term) const {
    const ClassRow<Count>& row = task_.row(k);
    const std::int64_t at = find_term(row, entries_.begin[k], entries_.end[k], term);
    if (at == entries_.end[k] || row.terms[at] != term) return {};
    return scale(exact_double(task_.cells(row)[at]), task_.model.unit);
  }

  // Of det = a g - t r.
  static std::int8_t sign(DoubleDouble a, DoubleDouble t, const ContingencyConstants& c) {
    const double det = subtract(multiply(a, {c.g_hi, c.g_lo}), multiply(t, {c.r_hi, c.r_lo})).hi;
    return static_cast<std::int8_t>((det > 0) - (det < 0));
  }

  // An infinite sum keeps no remainder.
  static void add_to(DoubleDouble& sum, double value) {
    const DoubleDouble s = two_sum(sum.hi, value);
    sum = {s.hi, is_finite(s.hi) ? sum.lo + s.lo : 0.0};
  }

  void finish_sums(const SumTask<Count>& sums, std::size_t n, double* scores) {
    const Missing missing = task_.model.facts.missing;
    for (std::size_t begin = 0; begin < n; begin += run_terms) {
      const auto size = static_cast<int>(std::min<std::size_t>(run_terms, n - begin));
      const double* without = nullptr;
      if (missing == Missing::product && sums.reference != nullptr) {
        for (int j = 0; j < size; ++j) run_.set(j, {}, totals_[begin + static_cast<std::size_t>(j)]);
        without = run_.values(size, sums.reference->constants);
      }
      for (int j = 0; j < size; ++j) {
        const std::size_t t = begin + static_cast<std::size_t>(j);
        Sum& sum = sums_[t];
        if (sum.n_classes < sums.n_classes) {  // else the difference of equal sums would be rounding alone
          if (missing == Missing::each) {
            const DoubleDouble lacking = subtract((*sums.without)[totals_[t]], sum.without);
            add_to(sum.value, lacking.hi);
            add_to(sum.value, lacking.lo);
          } else if (missing == Missing::minus_infinity) add_to(sum.value, -infinity);
          else if (missing == Missing::infinity) add_to(sum.value, infinity);
          else if (without != nullptr)
            add_to(sum.value, without[j] / sums.reference->product * subtract(sums.products, sum.without).hi);
        }
        const double score = sum.value.hi + sum.value.lo;  // not a number for inf - inf
        scores[t] = totals_[t].hi > 0 && score == score ? score : 0;
      }
    }
  }

  // To the value of a class; of equal values the first row has it.
  static void raise(Largest& largest, double value, std::int32_t row) {
    if (value > largest.value || (value == largest.value && row < largest.row)) largest.value = value, largest.row = row;
  }

  // Of the classes that lack a term the first has the largest value.
  void raise_to_missing(std::size_t n) {
    // The terms by that class: it is mostly the first of all, and counting sorts them ten times as fast as comparing.
    const auto lacks = [&](std::size_t t) {
      return totals_[t].hi > 0 && static_cast<std::size_t>(largest_[t].first_without) < task_.n_classes();
    };
    std::fill(begin_.begin(), begin_.end(), 0);
    for (std::size_t t = 0; t < n; ++t)
      if (lacks(t)) ++begin_[static_cast<std::size_t>(largest_[t].first_without) + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    lacking_.resize(static_cast<std::size_t>(begin_.back()));
    for (std::size_t t = 0; t < n; ++t)
      if (lacks(t)) {
        std::int32_t& place = begin_[static_cast<std::size_t>(largest_[t].first_without)];
        lacking_[static_cast<std::size_t>(place++)] = static_cast<std::int32_t>(t);
      }
    const auto class_of = [&](std::size_t i) { return largest_[static_cast<std::size_t>(lacking_[i])].first_without; };
    for (std::size_t begin = 0, end = 0; begin < lacking_.size(); begin = end) {
      const auto k = static_cast<std::size_t>(class_of(begin));
      while (end < lacking_.size() && end - begin < run_terms && static_cast<std::size_t>(class_of(end)) == k) {
        run_.set(static_cast<int>(end - begin), {}, totals_[static_cast<std::size_t>(lacking_[end])]);
        ++end;
      }
      const ContingencyClass& c = task_.model.classes[k];
      const auto row = static_cast<std::int32_t>(c.row);
      const double* const values = run_.values(static_cast<int>(end - begin), c.constants);
      for (std::size_t i = begin; i < end; ++i)
        raise(largest_[static_cast<std::size_t>(lacking_[i])], values[i - begin], row);
    }
  }

  const ContingencyTask<Count>& task_;
  const CellParts& parts_;
  ChunkEntries entries_;
  ColumnTotals<Count> totals_;
  Run run_;
  std::vector<Sum> sums_;                                                               // of the chunk's terms, like
  std::vector<Largest> largest_;
  std::vector<std::int32_t> lacking_;                                                   // terms
  std::vector<std::int32_t> begin_ = std::vector<std::int32_t>(task_.n_classes() + 1);  // of each class's in lacking_
};

// use(scorer, first, last, worker) for every chunk of terms.
template <CountType Count, class Use>
void for_each_chunk(const ContingencyTask<Count>& task, std::int64_t work, const Threads& requested, const Use& use,
                    TermRange wanted = {}) {
  const TermRange range = wanted.within(task.counts.n_terms);
  const Threads threads = worth(requested, work);
  const CellParts parts(task.model, task.cell_kernel, work, threads);
  PerThread<ChunkScorer<Count>> scorers(threads);
  const std::int64_t size = chunk_terms(range.size(), threads);
  for_each_block((range.size() + size - 1) / size, threads, [&](std::int64_t chunk, Worker& worker) {
    const std::int64_t first = range.first + chunk * size;
    use(scorers.own(worker, task, parts), first, std::min(first + size, range.last), worker);
  });
}

// results (n_classes, terms of the range): what result_of makes of each value, and 0 for classes that take no part.
template <CountType Count, class Result, class ResultOf>
void fill_classes(const ContingencyTask<Count>& task, const Threads& threads, TermRange range, Result* results,
                  const ResultOf& result_of) {
  const std::int64_t n_cells = static_cast<std::int64_t>(task.counts.rows.size()) * range.size();
  std::fill_n(results, n_cells, Result{0});
  const auto use = [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
    scorer.all_values(first, last, worker, [&](std::size_t k, std::int64_t begin, int n, const double* values) {
      const std::int64_t at = task.model.classes[k].row * range.size() + begin - range.first;
      std::transform(values, values + n, results + at, result_of);
    });
  };
  for_each_chunk(task, n_cells, threads, use, range);
}

template <CountType Count>
std::int64_t n_pairs(const ContingencyTask<Count>& task) {
  std::int64_t n = 0;
  for (std::size_t k = 0; k < task.n_classes(); ++k) n += task.row(k).size;
  return n;
}

}  // namespace

template <CountType Count>
void score(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
           Aggregate aggregate, const Threads& threads, double* scores) {
  const ContingencyModel model = make_contingency_model(counts, options, measure, aggregate);
  const auto& kernels = kernels_in_use<ContingencyKernels>();
  const ContingencyTask<Count> task{counts, model, kernels.values_of(measure), kernels.parts_of(measure)};
  if (model.classes.empty()) {
    std::fill_n(scores, counts.n_terms, 0.0);
    return;
  }
  if (aggregate == Aggregate::max) {
    for_each_chunk(task, n_pairs(task), threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
      scorer.max(first, last, worker, scores + first, nullptr, nullptr);
    });
    return;
  }
  const SumTask<Count> sums(task, threads);
  for_each_chunk(task, n_pairs(task), threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
    scorer.sum(sums, first, last, worker, scores + first);
  });
}

template <CountType Count>
void strongest_class(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads, double* scores,
                     std::int64_t* classes, std::int8_t* signs) {
  const ContingencyModel model = make_contingency_model(counts, {}, measure, Aggregate::max);
  const auto& kernels = kernels_in_use<ContingencyKernels>();
  const ContingencyTask<Count> task{counts, model, kernels.values_of(measure), kernels.parts_of(measure)};
  for_each_chunk(task, n_pairs(task), threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker& worker) {
    scorer.max(first, last, worker, scores + first, classes + first, signs + first);
  });
}

template <CountType Count>
void collection_scores(const ClassCounts<Count>& counts, ContingencyMeasure measure, const Threads& threads,
                       double* scores) {
  const ContingencyModel model = make_contingency_model(counts, {}, measure, Aggregate::sum);
  const auto& kernels = kernels_in_use<ContingencyKernels>();
  const ContingencyTask<Count> task{counts, model, kernels.values_of(measure), kernels.parts_of(measure)};
  if (model.classes.empty()) {
    std::fill_n(scores, counts.n_terms, 0.0);
    return;
  }
  for_each_chunk(task, n_pairs(task), threads, [&](auto& scorer, std::int64_t first, std::int64_t last, Worker&) {
    scorer.collection(first, last, scores + first);
  });
}

template <CountType Count>
void class_scores(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
                  const Threads& threads, double* class_scores, TermRange range) {
  const ContingencyModel model = make_contingency_model(counts, options, measure, Aggregate::sum);
  const auto& kernels = kernels_in_use<ContingencyKernels>();
  const ContingencyTask<Count> task{counts, model, kernels.values_of(measure), kernels.parts_of(measure)};
  fill_classes(task, threads, range.within(counts.n_terms), class_scores, [](double value) { return value; });
}

template <CountType Count>
void class_directions(const ClassCounts<Count>& counts, const ContingencyOptions& options, ContingencyMeasure measure,
                      const Threads& threads, std::int8_t* directions, TermRange range) {
  if (measure == ContingencyMeasure::tfidf) measure = ContingencyMeasure::direction;
  const ContingencyModel model = make_contingency_model(counts, options, measure, Aggregate::sum);
  const ContingencyKernel kernel = kernels_in_use<ContingencyKernels>().values_of(ContingencyMeasure::direction);
  const ContingencyTask<Count> task{counts, model, kernel, nullptr};
  fill_classes(task, threads, range.within(counts.n_terms), directions, [](double value) {
    return static_cast<std::int8_t>((value > 0) - (value < 0));  // not 1 but the measure's unit where counts are scaled
  });
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template void score(const ClassCounts<Count>&, const ContingencyOptions&, ContingencyMeasure, Aggregate, const Threads&, \
                      double*);                                                                                            \
  template void strongest_class(const ClassCounts<Count>&, ContingencyMeasure, const Threads&, double*, std::int64_t*,     \
                                std::int8_t*);                                                                             \
  template void collection_scores(const ClassCounts<Count>&, ContingencyMeasure, const Threads&, double*);                 \
  template void class_scores(const ClassCounts<Count>&, const ContingencyOptions&, ContingencyMeasure, const Threads&,     \
                             double*, TermRange);                                                                          \
  template void class_directions(const ClassCounts<Count>&, const ContingencyOptions&, ContingencyMeasure, const Threads&, \
                                 std::int8_t*, TermRange);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
