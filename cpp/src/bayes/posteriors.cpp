#include "termsift/posteriors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/values.hpp"
#include "bayes/verdict_kernels.hpp"
#include "counting/document_entries.hpp"
#include "simd/targets.hpp"

namespace termsift {
namespace {

constexpr std::int64_t docs_at_once = 128, products_between_checks = 1 << 16;

// Computes the log posteriors of documents one by one. Each thread has its own LinearSums.
class LinearSums {
 public:
  LinearSums(const LinearClasses& classes, const TermWeight& weight)
      : c_(classes), weight_(weight), n_(classes.constant.size()), entries_(weight),
        sums_(classes.first_pair.empty() ? at(classes.stride) : n_) {}

  // Returns the log posteriors of a document. The result is valid until the next call.
  std::span<const double> add_up(const AnyCsr& x, std::int64_t document, bool distinct) {
    const std::int64_t n_terms = read(x, document, distinct);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    if (c_.first_pair.empty()) kernels_.add_weights({terms_.data(), n_terms, c_.weights.data(), c_.stride, sums_.data()});
    else add_pairs(std::span(terms_).first(at(n_terms)));
    // A class without documents has probability 0, so its log posterior is -inf.
    double best = -std::numeric_limits<double>::infinity();
    bool sound = true;
    for (std::size_t c = 0; c < n_; ++c) {
      sums_[c] += c_.constant[c];
      best = std::max(best, sums_[c]);
      sound &= sums_[c] <= std::numeric_limits<double>::max();  // false for NaN
    }
    if (!sound || !std::isfinite(best))
      throw WrongArgument("X", "X has counts at row " + std::to_string(document) +
                               " that are too large: their sum overflows");
    best_ = best;
    return std::span(sums_).first(n_);
  }
  double best() const { return best_; }  // the largest of the log posteriors

 private:
  // Writes the document's terms to terms_, and returns their number. Zeros need not be left out, since they add nothing.
  std::int64_t read(const AnyCsr& any, std::int64_t document, bool distinct) {
    if (distinct && weight_ != TermWeight::log)
      return any.visit([&](const auto& x) {
        const std::int64_t begin = x.indptr[document], n = x.indptr[document + 1] - begin;
        const auto *indices = x.indices + begin;
        const auto *data = x.data + begin;
        if (weight_ == TermWeight::binary)
          return write_terms(n, indices, [=](std::int64_t e) { return as_count<double>(data[e]) != 0 ? 1.0 : 0.0; });
        return write_terms(n, indices, [=](std::int64_t e) { return as_count<double>(data[e]); });
      });
    entries_.read(any, document, distinct);
    const double* const values = entries_.values();
    return write_terms(entries_.size(), entries_.terms(), [=](std::int64_t e) { return values[e]; });
  }

  template <class Index, class Value>
  std::int64_t write_terms(std::int64_t n, const Index* columns, const Value& value) {
    if (std::ssize(terms_) < n) terms_.resize(2 * at(n));
    ValuedTerm* const terms = terms_.data();
    if (c_.term_of.empty()) {
      for (std::int64_t e = 0; e < n; ++e) terms[e] = {static_cast<TermId>(columns[e]), value(e)};
      return n;
    }
    const std::int32_t* const term_of = c_.term_of.data();
    std::int64_t size = 0;
    for (std::int64_t e = 0; e < n; ++e) {  // no branch on chosen terms, because it would be unpredictable
      const std::int32_t term = term_of[columns[e]];
      terms[size] = {term, value(e)};
      size += term >= 0;
    }
    return size;
  }

  void add_pairs(std::span<const ValuedTerm> terms) {
    double length = 0, of_terms = 0;
    for (const auto& [term, x] : terms) {
      length += x;
      of_terms += x * c_.of_term[at(term)];
      for (auto pair = at(c_.first_pair[at(term)]); pair < at(c_.first_pair[at(term) + 1]); ++pair)
        sums_[at(c_.pair_class[pair])] += x * c_.weights[pair];
    }
    for (std::size_t c = 0; c < n_; ++c) {
      sums_[c] += length * c_.of_class[c];
      sums_[c] += of_terms;
    }
  }

  const LinearClasses& c_;
  const TermWeight weight_;
  const std::size_t n_;
  const VerdictKernels& kernels_ = kernels_in_use<VerdictKernels>();
  DocumentEntries entries_;
  std::vector<ValuedTerm> terms_;
  std::vector<double> sums_;  // one for each class, and padding
  double best_ = 0;
};

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void check(const LinearClasses& classes, const AnyCsr& x) {
  const std::size_t n = classes.constant.size();
  require(n > 0, "a classifier needs a class");
  std::size_t terms;
  if (classes.first_pair.empty()) {
    const std::size_t stride = at(classes.stride);
    require(stride >= n && classes.weights.size() % stride == 0, "the weights need a value for each term and class");
    terms = classes.weights.size() / stride;
  } else {
    terms = classes.of_term.size();
    const std::span first = classes.first_pair;
    const std::size_t n_pairs = classes.weights.size();
    require(classes.of_class.size() == n && classes.pair_class.size() == n_pairs && first.size() == terms + 1 &&
                first.front() == 0 && at(first.back()) == n_pairs && std::ranges::is_sorted(first),
            "the pairs of terms and classes do not match");
    require(std::ranges::all_of(classes.pair_class, [n](std::int32_t c) { return c >= 0 && at(c) < n; }),
            "a pair has an unknown class");
  }
  require(std::ssize(classes.term_of) == x.n_columns || (classes.term_of.empty() && std::cmp_equal(terms, x.n_columns)),
          "the documents need one column for each term");
  require(std::ranges::all_of(classes.term_of, [terms](std::int32_t t) { return t < 0 || at(t) < terms; }),
          "term_of has an unknown term");
}

// Calls body(document, log posteriors, the largest one) for each document, on any thread.
template <class Body>
void for_each_document(const LinearClasses& classes, const AnyCsr& x, TermWeight weight, const Threads& threads,
                       const Body& body) {
  const CsrFacts facts = check_csr(x, {}, threads);
  check(classes, x);
  PerThread<LinearSums> sums(threads);
  const std::int64_t work = x.n_rows + x.indptr[x.n_rows] * std::ssize(classes.constant);
  for_each_range(x.n_rows, docs_at_once, worth(threads, work), [&](std::int64_t first, std::int64_t last, Worker& worker) {
    LinearSums& own = sums.own(worker, classes, weight);
    std::int64_t unchecked = 0;  // the products since the last check, which reads the clock
    for (std::int64_t d = first; d < last; ++d) {
      unchecked += (x.indptr[d + 1] - x.indptr[d]) * std::ssize(classes.constant);
      if (unchecked > products_between_checks) {
        worker.check();
        unchecked = 0;
      }
      const std::span<const double> posteriors = own.add_up(x, d, facts.distinct);
      body(d, posteriors, own.best());
    }
  });
}

}  // namespace

void log_posteriors(const LinearClasses& classes, const AnyCsr& x, TermWeight weight, const Threads& threads,
                    double* posteriors) {
  for_each_document(classes, x, weight, threads, [&](std::int64_t d, std::span<const double> found, double) {
    std::ranges::copy(found, posteriors + d * std::ssize(found));
  });
}

void predict_classes(const LinearClasses& classes, const AnyCsr& x, TermWeight weight, double tie, const Threads& threads,
                     ClassId* predicted) {
  for_each_document(classes, x, weight, threads, [&](std::int64_t d, std::span<const double> found, double best) {
    const double least = best - tie * std::fabs(best);
    std::size_t c = 0;
    while (!(found[c] >= least)) ++c;
    predicted[d] = static_cast<ClassId>(c);
  });
}

}  // namespace termsift
