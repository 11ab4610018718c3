#include "gain/collection.hpp"

#include <algorithm>
#include <limits>

#include "counting/document_entries.hpp"
#include "simd/targets.hpp"

namespace termsift {

Collection make_collection(std::span<const std::int32_t> classes, std::span<const double> weights) {
  Collection all;
  const auto weight_of = [&](std::int64_t row) { return weights.empty() ? 1.0 : weights[at(row)]; };
  for (std::int64_t row = 0; row < std::ssize(classes); ++row)
    if (weight_of(row) > 0) all.rows.push_back(row);
  std::stable_sort(all.rows.begin(), all.rows.end(),
                   [&](std::int64_t a, std::int64_t b) { return classes[at(a)] < classes[at(b)]; });
  for (std::size_t d = 0; d < all.rows.size(); ++d) {
    const std::int64_t row = all.rows[d];
    if (d == 0 || classes[at(row)] != classes[at(all.rows[d - 1])]) {
      all.n_c.push_back(0);
      all.end_of.push_back(0);
    }
    all.class_of.push_back(static_cast<std::int32_t>(all.n_c.size()) - 1);
    all.n_c.back() += weight_of(row);
    all.end_of.back() = static_cast<std::int64_t>(d) + 1;
    if (!weights.empty()) all.weights.push_back(weight_of(row));
  }
  for (const double docs : all.n_c) all.n += docs;
  all.n_classes = std::ssize(all.n_c);
  all.stride = padded(all.n_classes);
  all.n_c.resize(at(all.stride));
  for (const double docs : all.n_c) {
    // The logarithm kernel accepts only normal numbers, so smaller ratios are replaced by the smallest normal number.
    all.log_prior.push_back(docs == 0 ? 1 : std::max(docs / all.n, std::numeric_limits<double>::min()));
    all.prior.push_back(static_cast<float>(docs / all.n));
  }
  kernels_in_use<PosteriorKernels>().logarithms(all.log_prior.data(), all.stride);
  std::fill(all.log_prior.begin() + static_cast<std::ptrdiff_t>(all.n_classes), all.log_prior.end(),
            -std::numeric_limits<double>::infinity());
  return all;
}

Postings Postings::of(const AnyCsr& x, const CsrFacts& facts, const Collection& all, const Threads& requested) {
  const Threads threads = worth(requested, x.indptr[x.n_rows]);
  const auto n_terms = static_cast<std::size_t>(x.n_columns);
  const auto n_parts = static_cast<std::size_t>(threads.count);
  // next[part][term] is first the number of the term's documents in a part of the collection. Later, next[part][term] is
  // the index in documents_ for the term's next document in the part.
  std::vector<std::vector<std::int64_t>> next(n_parts);
  PerThread<DocumentEntries> entries(threads);
  const auto for_each_entry = [&](std::int64_t part, Worker& worker, const auto& f) {
    DocumentEntries& own = entries.own(worker, TermWeight::binary);
    const auto n_docs = std::ssize(all.rows);
    const std::int64_t begin = n_docs * part / threads.count, end = n_docs * (part + 1) / threads.count;
    x.visit([&](const auto& view) {
      for (std::int64_t d = begin; d < end; ++d) {
        if (d % 1024 == 0) worker.check();
        const std::int64_t row = all.rows[at(d)];
        if (facts.distinct && !facts.has_zeros) {
          for (std::int64_t e = view.indptr[row]; e < view.indptr[row + 1]; ++e)
            f(static_cast<std::size_t>(view.indices[e]), d);
        } else {
          own.read(x, row, facts.distinct);
          for (std::int64_t i = 0; i < own.size(); ++i) f(static_cast<std::size_t>(own.terms()[i]), d);
        }
      }
    });
  };
  const auto parts = static_cast<std::int64_t>(n_parts);
  for_each_block(parts, threads, [&](std::int64_t part, Worker& worker) {
    std::vector<std::int64_t>& counts = next[static_cast<std::size_t>(part)];
    counts.assign(n_terms, 0);
    for_each_entry(part, worker, [&](std::size_t term, std::int64_t) { ++counts[term]; });
  });
  Postings postings;
  postings.first_.resize(n_terms + 1);
  std::int64_t begin = 0;
  for (std::size_t term = 0; term < n_terms; ++term) {
    postings.first_[term].document = begin;
    for (auto& counts : next) {
      const std::int64_t n = counts[term];
      counts[term] = begin;
      begin += n;
    }
  }
  postings.first_[n_terms].document = begin;
  postings.documents_ = LargeArray<std::int32_t>::uninitialised(begin);
  for_each_block(parts, threads, [&](std::int64_t part, Worker& worker) {
    std::vector<std::int64_t>& places = next[static_cast<std::size_t>(part)];
    for_each_entry(part, worker, [&](std::size_t term, std::int64_t d) {
      postings.documents_[places[term]++] = static_cast<std::int32_t>(d);
    });
  });
  next = {};
  postings.find_runs(all, threads);
  return postings;
}

void Postings::find_runs(const Collection& all, const Threads& threads) {
  for_each_range(n_terms(), 1024, {1, threads.poll}, [&](std::int64_t begin, std::int64_t end, Worker&) {
    for (std::int64_t term = begin; term < end; ++term) {
      first_[at(term)].run = std::ssize(runs_);
      const std::int32_t* const documents = documents_.get() + first_[at(term)].document;
      const std::int64_t n = first_[at(term + 1)].document - first_[at(term)].document;
      for (std::int64_t i = 0; i < n;) {
        const std::int32_t y = all.class_of[at(documents[i])];
        do ++i;
        while (i < n && documents[i] < all.end_of[at(y)]);
        runs_.push_back({y, static_cast<std::int32_t>(i)});
      }
    }
  });
  first_.back().run = std::ssize(runs_);
}

}  // namespace termsift
