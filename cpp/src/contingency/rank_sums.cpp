#include "termsift/rank_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bucket_sort.hpp"
#include "counting/document_entries.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/portability.hpp"

namespace termsift {
namespace {

// The terms of a document that occur equally often in the document, and therefore have the same rate.
struct Run {
  std::uint64_t rate;             // the bits of a positive double; integers with these bits have the order of the doubles
  bool of_first;                  // whether the document belongs to the first corpus
  std::span<const TermId> terms;  // increasing
};

// Cuts documents into runs of terms with equal rates. Each thread needs its own cutter.
class RunCutter {
 public:
  // Appends the runs of a document to `runs`, and writes their terms to `out`. A document without tokens has no runs.
  void cut(const AnyCsr& x, std::int64_t row, bool distinct, bool of_first, TermId* out, std::vector<Run>& runs) {
    entries_.read(x, row, distinct);
    std::size_t n = at(entries_.size());
    terms_.resize(n);
    values_.resize(n);
    double length = 0;
    const auto add = [&](double value, std::span<const TermId> terms) {
      runs.push_back({std::bit_cast<std::uint64_t>(value / length), of_first, terms});
    };
    // The first pass reads all entries. Each further pass reads the entries that are not yet in a run.
    const TermId* terms = entries_.terms();
    const double* values = entries_.values();
    for (int pass = 0; n > 0 && pass < most_values; ++pass, terms = terms_.data(), values = values_.data()) {
      const double value = values[0];
      TermId* const begin = out;
      double sum = 0;
      std::size_t n_left = 0;
      for (std::size_t i = 0; i < n; ++i) {  // no branch on the value, because it would be unpredictable
        const TermId term = terms[i];
        const double of_term = values[i];
        sum += of_term;
        *out = term;
        out += of_term == value;
        terms_[n_left] = term;
        values_[n_left] = of_term;
        n_left += of_term != value;
      }
      n = n_left;
      if (pass == 0) length = sum;
      add(value, {begin, out});
    }
    std::copy_n(terms, n, out);
    for (std::size_t i = 0; i < n; ++i) add(values[i], {out + i, 1});
  }

 private:
  static constexpr int most_values = 16;  // after 16 passes, one run for each remaining term is faster than more passes
  DocumentEntries entries_{TermWeight::raw};
  std::vector<TermId> terms_;
  std::vector<double> values_;
};

// Each document in a group of equal rates gets the mean rank of the group. Let R be the sum of the ranks over the n_1
// documents of the first corpus, let n be the number of all documents, and let t be the number of documents in a group of
// equal rates. The absolute value of the z score is
//
//   |z| = max(|R - n_1 (n + 1) / 2| - 1/2, 0) / sqrt(n_1 (n - n_1) / 12 (n^3 - n - sum (t^3 - t)) / (n (n - 1)))
//
// The sign of z is the sign of R - n_1 (n + 1) / 2. If all rates are equal, z is 0.
class RankSum {
 public:
  // Adds a document with the term. Rates must not decrease from one document to the next. No branch depends on the rate,
  // because such a branch would be unpredictable.
  void add(std::uint64_t rate, bool of_first) {
    const bool is_new = rate != rate_;
    rate_ = rate;
    group_ = is_new ? n_ : group_;
    first_in_group_ = is_new ? 0 : first_in_group_;
    const auto others = static_cast<double>(n_ - group_);
    ties_ += others * (others + 1);
    // A new document raises the mean rank of its group by 1/2, so each earlier document of the first corpus in this group
    // adds 1 to twice_ranks_.
    twice_ranks_ += (of_first ? std::uint64_t{group_} + n_ + 2 : 0) + first_in_group_;
    first_in_group_ += of_first;
    first_ += of_first;
    ++n_;
  }

  double z_score(double n_1, double n) const {
    const auto found = static_cast<double>(n_), with_term = static_cast<double>(first_);
    const double absent = n - found;  // the documents without the term form one group, which has the lowest ranks
    const double ranks =
        (n_1 - with_term) * (absent + 1) / 2 + with_term * absent + static_cast<double>(twice_ranks_) / 2;
    // To avoid cancellation, n^3 - n - (absent^3 - absent) is computed as `found` times a sum.
    const double spread = found * (n * n + n * absent + absent * absent - 1) - 3 * ties_;
    const double difference = ranks - n_1 * (n + 1) / 2;
    const double variance = n_1 * (n - n_1) / 12 * spread / std::max(n * (n - 1), 1.0);
    const double above = std::max(std::abs(difference) - 0.5, 0.0);
    return std::copysign(variance > 0 ? above / std::sqrt(variance) : 0, difference);
  }

 private:
  std::uint64_t rate_ = ~std::uint64_t{0};  // the rate of the last document; initially the bits of a NaN
  std::uint64_t twice_ranks_ = 0;           // twice the rank sum of the first corpus, over the documents with the term
  double ties_ = 0;                         // sum (t^3 - t) / 3 over the groups so far
  std::uint32_t n_ = 0, first_ = 0;         // the number of documents with the term: in all, and in the first corpus
  std::uint32_t group_ = 0;                 // the number of added documents with a lower rate than the last one
  std::uint32_t first_in_group_ = 0;
};

}  // namespace

void rank_sums(const AnyCsr& x, std::span<const std::int64_t> documents, std::int64_t n_first, const Threads& requested,
               double* z) {
  const CsrFacts facts = check_csr(x, {}, requested);
  const auto n_docs = std::ssize(documents);
  std::vector<std::int64_t> first(at(n_docs) + 1);  // for each document, the position of its first term in `terms`
  for (std::int64_t d = 0; d < n_docs; ++d) {
    const std::int64_t row = documents[at(d)];
    if (row < 0 || row >= x.n_rows) throw std::invalid_argument("X has no row " + std::to_string(row));
    first[at(d) + 1] = first[at(d)] + x.indptr[row + 1] - x.indptr[row];
  }
  const std::int64_t n_entries = first.back();
  const Threads threads = worth(requested, n_entries);
  auto terms = LargeArray<TermId>::uninitialised(n_entries);
  constexpr std::int64_t docs_in_part = 64;
  const auto cut = [&](std::int64_t part, std::vector<Run>& runs) {
    RunCutter cutter;
    for (std::int64_t d = part * docs_in_part; d < std::min(n_docs, (part + 1) * docs_in_part); ++d) {
      TermId* const out = terms.get() + first[at(d)];
      cutter.cut(x, documents[at(d)], facts.distinct, d < n_first, out, runs);
    }
  };
  Buckets<Run> buckets(n_entries, (n_docs + docs_in_part - 1) / docs_in_part, cut,
                       [](const Run& run) { return run.rate; }, threads);
  for_each_block(buckets.size(), threads, [&](std::int64_t bucket, Worker& worker) {
    worker.check();
    const std::span<Run> runs = buckets.gather(at(bucket));
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.rate < b.rate; });
  });
  buckets.end_gathering();
  const auto n_1 = static_cast<double>(std::min(n_first, n_docs)), n = static_cast<double>(n_docs);
  // Each thread reads all runs, and computes the sums for one range of terms.
  const std::int64_t n_in_range = x.n_columns / threads.count + 1;
  for_each_range(x.n_columns, n_in_range, threads, [&](std::int64_t begin, std::int64_t end, Worker& worker) {
    std::vector<RankSum> sums(at(end - begin));
    for (std::int64_t bucket = 0; bucket < buckets.size(); ++bucket) {
      worker.check();
      const std::span<const Run> runs = buckets[at(bucket)];
      for (std::size_t r = 0; r < runs.size(); ++r) {
        constexpr std::size_t ahead = 8;
        if (r + ahead < runs.size()) prefetch(runs[r + ahead].terms.data());
        const Run& run = runs[r];
        auto term = begin == 0 ? run.terms.begin() : std::lower_bound(run.terms.begin(), run.terms.end(), begin);
        for (; term != run.terms.end() && *term < end; ++term) sums[at(*term - begin)].add(run.rate, run.of_first);
      }
    }
    for (std::int64_t t = begin; t < end; ++t) z[t] = sums[at(t - begin)].z_score(n_1, n);
  });
}

}  // namespace termsift
