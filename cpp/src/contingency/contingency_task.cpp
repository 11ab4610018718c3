#include "contingency/contingency_task.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>

#include "termsift/double_double.hpp"
#include "base/bucket_sort.hpp"
#include "base/values.hpp"
#include "contingency/formulas_impl.hpp"
#include "scoring/class_model.hpp"
#include "scoring/given_pairs.hpp"

namespace termsift {
namespace {

// The bounds of b2 / g for log_odds. The lower bound also limits b1 / g for log_ratio. If b1 and b2 are within these
// bounds, no product in the kernels of log_odds and log_ratio leaves the range of a double (formulas_impl.hpp).
constexpr double least_prior = 0x1p-450, most_prior = 0x1p450;

MeasureFacts facts_of(ContingencyMeasure measure) {
  return simd::baseline::with_formula(measure, [](auto formula) { return formula.facts; });
}

template <CountType Count>
DoubleDouble tokens(const ClassRow<Count>& row) {
  return add(exact_double(row.n_tokens), exact_double(row.n_tokens_rest));
}

template <CountType Count>
double class_weight(const ClassCounts<Count>& counts, const Estimation& estimation, std::size_t c) {
  return estimation.prior_weights.empty() ? static_cast<double>(counts.rows[c]->n_docs) : estimation.prior_weights[c];
}

// Returns the largest weight of a nonempty class, or 1 if no weight is positive.
template <CountType Count>
double check(const ClassCounts<Count>& counts, const Estimation& estimation, const MeasureFacts& facts) {
  check_class_prior(estimation.prior_weights, counts.rows.size());
  double largest = 0;
  std::size_t n_classes = 0;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->is_present()) ++n_classes, largest = std::max(largest, class_weight(counts, estimation, c));
  if (n_classes < 2 && facts.compares_classes)
    throw WrongArgument("counts", "scores need at least two classes with documents, got " + std::to_string(n_classes));
  if (n_classes > 0 && largest == 0 && !estimation.prior_weights.empty())
    throw WrongArgument("class_prior", "class_prior is 0 for every class with documents");
  return largest > 0 ? largest : 1;  // all weights are 0 if n_docs is unknown, but only a mean uses weights
}

// `share` is b2 / g. If there are no tokens, any prior is accepted, because every score is 0.
void check_prior_mass(double prior_mass, DoubleDouble tokens, double share) {
  if (prior_mass == 0 || tokens.hi == 0 || (share >= least_prior && share <= most_prior)) return;
  throw WrongArgument("alpha", "smoothing b2 = " + text(prior_mass) + " is too " + (share < 1 ? "small" : "large") +
                               " compared with the " + text(tokens.hi) + " tokens of the collection; log_odds needs b2 / "
                               "tokens between 2^-450 and 2^450, or b2 = 0 for no smoothing");
}

// Throws if b1 is so small that products with b1 could underflow, which would make values infinite, as without smoothing.
void check_least_smoothing(double b1, DoubleDouble tokens, const char* measure) {
  if (b1 == 0 || tokens.hi == 0 || b1 / tokens.hi >= least_prior) return;
  throw WrongArgument("alpha", "smoothing b1 = " + text(b1) + " is too small compared with the " + text(tokens.hi) +
                               " tokens of the collection; " + measure + " needs b1 / tokens of at least 2^-450, or b1 = 0 "
                               "for no smoothing");
}

}  // namespace

const char* name_of(ContingencyMeasure measure) { return facts_of(measure).name; }

template <CountType Count>
ContingencyModel make_contingency_model(const ClassCounts<Count>& counts, const Estimation& estimation,
                                        ContingencyMeasure measure, Aggregate aggregate) {
  ContingencyModel model;
  model.facts = facts_of(measure);
  if (model.facts.reads_b1 && estimation.b1 == 0) model.facts.absent = Absent::minus_infinity;
  const double largest = check(counts, estimation, model.facts);

  // Without a row for the collection, g is computed as the sum of the rows. The sum counts.n_docs may have added fractions
  // in another order than the rows, so rounding could violate r <= g or t <= g.
  const auto total_of = [&](const ClassRow<Count>& row) {
    return model.facts.row_totals_are_tokens ? tokens(row) : exact_double(row.n_docs);
  };
  DoubleDouble total, all_tokens;
  if (counts.collection) {
    all_tokens = tokens(*counts.collection);
    total = model.facts.row_totals_are_tokens ? all_tokens : exact_double(counts.n_docs);
  } else {
    for (const auto& row : counts.rows) total = add(total, total_of(*row)), all_tokens = add(all_tokens, tokens(*row));
  }
  model.whole = std::is_integral_v<Count> && total.hi <= 0x1p50 && all_tokens.hi <= 0x1p50;
  const bool of_tokens = model.facts.cells_are_tokens || model.facts.column_totals_are_tokens;
  const bool small = model.whole && total.hi <= 0x1p26 && (!of_tokens || all_tokens.hi <= 0x1p26);
  // Fractions and counts above 2^50 are scaled by a power of two, so that products of counts near 1e300 do not overflow.
  // The power of two has an even exponent, because log_odds takes its square root.
  if (!model.whole && total.hi > 0) model.unit = std::ldexp(1.0, std::clamp(-std::ilogb(total.hi) / 2 * 2, -1000, 1000));
  const DoubleDouble g = scale(total, model.unit);

  DoubleDouble weights;
  double n_classes = 0;
  for (std::size_t c = 0; c < counts.rows.size(); ++c)
    if (counts.rows[c]->is_present())
      ++n_classes, weights = add(weights, {class_weight(counts, estimation, c) / largest, 0});
  const DoubleDouble b2 = scale({estimation.b2, estimation.b2_rest}, model.unit);
  const DoubleDouble prior = g.hi > 0 ? divide(b2, g) : DoubleDouble{};
  if (model.facts.b2_is_prior_mass) check_prior_mass(estimation.b2, total, prior.hi);
  if (model.facts.reads_b1) check_least_smoothing(estimation.b1, total, model.facts.name);
  for (std::size_t c = 0; c < counts.rows.size(); ++c) {
    const ClassRow<Count>& row = *counts.rows[c];
    if (!row.is_present()) continue;
    const DoubleDouble r = scale(total_of(row), model.unit), rest = subtract(g, r);
    ContingencyClass entry{static_cast<std::int64_t>(c), 1, 0, {}};
    if (aggregate == Aggregate::mean) entry.weight = class_weight(counts, estimation, c) / largest / weights.hi;
    ContingencyConstants& k = entry.constants;
    k.r = r, k.g = g, k.rest = rest.hi > 0 ? rest : DoubleDouble{};
    // Replaces infinity by the largest double, whose product with 0 is 0. Infinity occurs, for example, if the class has
    // all documents, or less than 2^-1023 of the collection.
    const auto finite = [](double x) { return std::min(std::numeric_limits<double>::max(), x); };
    k.spread = finite(divide(g, multiply(r, {k.rest.hi > 0 ? k.rest.hi : 1, k.rest.lo})).hi);
    k.two_over_r = finite(2 / r.hi), k.two_over_rest = finite(2 / k.rest.hi);
    k.b1 = finite(estimation.b1 * model.unit), k.b2 = std::isfinite(b2.hi) ? b2 : DoubleDouble{finite(b2.hi), 0};
    k.prior = prior, k.gain = 1 + 2 * prior.hi;
    k.mean_r = std::floor(all_tokens.hi / n_classes) * model.unit, k.unit = model.unit;
    k.n_classes = n_classes;
    k.small = small;
    k.value_unit = std::pow(1 / model.unit, model.facts.degree);
    if (model.facts.absent == Absent::product && k.rest.hi > 0) entry.product = model.facts.h(k);
    model.classes.push_back(entry);
  }
  std::stable_sort(model.classes.begin(), model.classes.end(), [&](const ContingencyClass& x, const ContingencyClass& y) {
    const DoubleDouble difference = subtract(x.constants.r, y.constants.r);
    return model.facts.grows_with_r ? difference.hi > 0 : difference.hi < 0;
  });
  return model;
}

// ---- values of terms in one class --------------------------------------------------------------------------------------

template <CountType Count>
std::vector<ColumnTotal> totals_of_terms(const ContingencyTask<Count>& task, const Threads& requested) {
  struct Workspace {
    explicit Workspace(const ContingencyTask<Count>& t) : entries(t.n_classes()), totals(t.model) {}
    ChunkEntries entries;
    ColumnTotals<Count> totals;
  };
  const std::int64_t n_terms = task.counts.n_terms;
  std::vector<ColumnTotal> result(static_cast<std::size_t>(n_terms));
  const Threads threads = worth(requested, task.n_pairs());
  PerThread<Workspace> workspaces(threads);
  const std::int64_t size = chunk_terms(n_terms, threads);
  for_each_block((n_terms + size - 1) / size, threads, [&](std::int64_t chunk, Worker& worker) {
    worker.check();
    Workspace& work = workspaces.own(worker, task);
    const std::int64_t first = chunk * size, last = std::min(first + size, n_terms);
    work.entries.find(task, first, last);
    work.totals.find(task, work.entries, first, last);
    for (std::int64_t t = first; t < last; ++t)
      result[static_cast<std::size_t>(t)] = work.totals[static_cast<std::size_t>(t - first)];
  });
  return result;
}

TermsByTotal::TermsByTotal(const std::vector<ColumnTotal>& of_terms, const Threads& threads) : terms_(of_terms.size()) {
  const auto total = [&](TermId term) { return of_terms[static_cast<std::size_t>(term)]; };
  std::iota(terms_.begin(), terms_.end(), TermId{0});
  sort_in_parts(terms_.begin(), terms_.end(), threads, [&](TermId a, TermId b) {
    return is_less(total(b), total(a)) || (!is_less(total(a), total(b)) && a < b);
  });
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (i > 0 && !is_less(total(terms_[i]), totals_.back())) continue;
    totals_.push_back(total(terms_[i]));
    starts_.push_back(i);
  }
  starts_.push_back(terms_.size());
}

namespace {

// Writes the results (n_pairs,) of the given pairs.
template <CountType Count, class Result>
void fill_pairs(const ContingencyTask<Count>& task, const Threads& threads, const Pairs& pairs, Result* results) {
  std::fill_n(results, pairs.starts[task.counts.rows.size()], Result{0});  // the pairs of empty classes stay 0
  const std::vector<ColumnTotal> totals = totals_of_terms(task, threads);
  for_each_given_batch(
      task, pairs, batch_terms, threads, [&](std::size_t k, std::int64_t begin, int n, RowCursor<Count>& counts) {
        TermBatch batch(task.kernel, task.model);
        for (int j = 0; j < n; ++j) {
          const TermId term = pairs.terms[begin + j];
          batch.set(j, scale(exact_double(counts.count_of(term)), task.model.unit), totals[at(term)]);
        }
        const double* const values = batch.values(n, task.model.classes[k].constants);
        std::transform(values, values + n, results + begin, result_of<Result>);
      });
}

}  // namespace

template <CountType Count>
void score_pairs(const ClassCounts<Count>& counts, const Estimation& estimation, ContingencyMeasure measure,
                 const Threads& threads, const Pairs& pairs, double* scores, std::int8_t* directions) {
  fill_pairs(task_of<double>(counts, estimation, measure), threads, pairs, scores);
  fill_pairs(task_of<std::int8_t>(counts, estimation, measure), threads, pairs, directions);
}

#define TERMSIFT_INSTANTIATE(Count)                                                                                        \
  template ContingencyModel make_contingency_model(const ClassCounts<Count>&, const Estimation&, ContingencyMeasure,       \
                                                   Aggregate);                                                             \
  template std::vector<ColumnTotal> totals_of_terms(const ContingencyTask<Count>&, const Threads&);                        \
  template void score_pairs(const ClassCounts<Count>&, const Estimation&, ContingencyMeasure, const Threads&,              \
                            const Pairs&, double*, std::int8_t*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
