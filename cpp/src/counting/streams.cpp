#include "counting/streams.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace termsift {
namespace {

constexpr std::int64_t documents_per_check = 1 << 16;

}  // namespace

std::vector<std::int64_t> document_ranges(const AnyCsr& any, std::int64_t first, std::int64_t last, std::int64_t n_ranges) {
  return any.visit([&](const auto& x) {
    std::vector<std::int64_t> begins{first};
    const std::int64_t begin = x.indptr[first];
    const double n_entries = static_cast<double>(x.indptr[last] - begin), n = static_cast<double>(n_ranges);
    for (std::int64_t range = 1; range < n_ranges; ++range) {
      const auto share = static_cast<std::int64_t>(n_entries * static_cast<double>(range) / n);
      begins.push_back(std::lower_bound(x.indptr + begins.back(), x.indptr + last, begin + share) - x.indptr);
    }
    begins.push_back(last);
    return begins;
  });
}

RowSizes::RowSizes(const StreamSource& source, std::int64_t first, std::int64_t last, const Threads& threads)
    : n_ranges(threads.count), begins(document_ranges(source.x, first, last, n_ranges)),
      entries(source.n_rows() * static_cast<std::size_t>(n_ranges)), documents(source.n_rows()) {
  source.x.visit([&](const auto& x) {
    std::vector<std::vector<std::int64_t>> documents_of(static_cast<std::size_t>(n_ranges));
    for_each_block(n_ranges, threads, [&](std::int64_t block, Worker& worker) {
      const auto range = static_cast<std::size_t>(block);
      std::vector<std::int64_t> own_entries(documents.size()), own_documents(documents.size());
      for (std::int64_t d = begins[range]; d < begins[range + 1];) {
        worker.check();
        for (const std::int64_t end = std::min(begins[range + 1], d + documents_per_check); d < end; ++d) {
          const std::int64_t length = x.indptr[d + 1] - x.indptr[d];
          source.for_each_row(d, [&](std::size_t c) { own_entries[c] += length, ++own_documents[c]; });
        }
      }
      for (std::size_t row = 0; row < documents.size(); ++row)
        entries[row * static_cast<std::size_t>(n_ranges) + range] = own_entries[row];
      documents_of[range] = std::move(own_documents);
    });
    for (const std::vector<std::int64_t>& own : documents_of)
      std::transform(own.begin(), own.end(), documents.begin(), documents.begin(), std::plus<>());
  });
}

std::int64_t RowSizes::n_entries(std::size_t row) const {
  const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(row) * n_ranges;
  return std::accumulate(begin, begin + n_ranges, std::int64_t{0});
}

void Streams::lay_out() { std::partial_sum(offsets.begin(), offsets.end(), offsets.begin()); }

void Streams::sort_escapes(std::size_t range) {
  std::sort(escapes[range].begin(), escapes[range].end(),
            [](const Escape& a, const Escape& b) { return a.stream < b.stream; });
}

std::uint32_t* WindowMemory::entries(std::int64_t n) {
  if (n > memory_->size) {
    *memory_ = {};  // frees the old array first, so that only one array exists at a time
    memory_->entries = LargeArray<std::uint32_t>::uninitialised(n);
    memory_->size = n;
  }
  return memory_->entries.get();
}

WindowMemory::~WindowMemory() {
  const std::int64_t bytes = 4 * memory_->size;
  if (bytes >= LargeArray<std::uint32_t>::least_bytes && bytes <= default_window_bytes) {
    offer_pages(memory_->entries.get(), static_cast<std::size_t>(bytes));
    memory_ = kept.exchange(memory_);
  }
  delete memory_;
}

bool StreamSource::can_stream(const CsrScan& scan, const PackedEntry& packed, std::int64_t n_docs) const {
  if (scan.refused || n_docs > most_documents) return false;
  if (as_ones) return packed.holds(Bool{1});
  constexpr double most_occurrences = std::int64_t{1} << PackedCounters::large_document_shift;
  // A document with distinct columns adds at most one value to a cell.
  const auto n_values = static_cast<double>(scan.distinct ? n_docs : n_entries());
  return !scan.has_fractions && scan.n_unpackable <= n_entries() / 8 && scan.value_bound * n_values < most_occurrences;
}

CellCounters::CellCounters(std::int64_t n_cells, bool notes_touched)
    : small_(LargeArray<std::uint32_t>::zeroed((n_cells + 63) / 64 * 64)),
      large_(LargeArray<std::uint64_t>::zeroed_for_few(n_cells)),
      terms_(LargeArray<TermId>::uninitialised(n_cells + line_cells)) {
  if (notes_touched) lines_ = LargeArray<std::uint8_t>::zeroed((n_cells / line_cells + 64) / 64 * 64);
}

void CellCounters::add(const Streams& streams, std::size_t stream) {
  const auto bounds = streams.bounds.begin() + static_cast<std::ptrdiff_t>(stream * streams.n_ranges);
  const bool bounded = std::accumulate(bounds, bounds + static_cast<std::ptrdiff_t>(streams.n_ranges), std::uint64_t{0}) <
                       PackedCounters::bound;
  for (std::size_t range = 0; range < streams.n_ranges; ++range) {
    const std::size_t segment = stream * streams.n_ranges + range;
    const std::uint32_t* const begin = streams.entries + streams.offsets[segment];
    const std::int64_t n = streams.ends[segment] - streams.offsets[segment];
    if (lines_.get() != nullptr)
      kernels_.add_and_note(begin, n, streams.packed, counters(), bounded, lines_.get());
    else
      kernels_.add(begin, n, streams.packed, counters(), bounded);
    const auto& escapes = streams.escapes[range];
    auto escape = std::lower_bound(escapes.begin(), escapes.end(), stream,
                                   [](const Streams::Escape& e, std::size_t s) { return e.stream < s; });
    for (; escape != escapes.end() && escape->stream == stream; ++escape)
      counters().add_occurrences(escape->cell, escape->rest);
  }
}

template <CountType Count>
ClassRow<Count> CellCounters::take(std::int64_t first, std::int64_t n, std::int64_t first_term, bool narrow) {
  std::uint32_t* const taken = small_.get() + first;
  const std::int64_t n_lines = (n + line_cells - 1) / line_cells;
  const std::int64_t size = kernels_.take(taken, lines_.get(), n_lines, static_cast<TermId>(first_term), terms_.get());
  auto row = ClassRow<Count>::with_capacity(size, narrow, &rows_);
  row.size = size;
  std::copy_n(terms_.get(), size, row.terms);
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < size; ++i) any |= taken[i];
  if (narrow && (any & PackedCounters::moved) == 0) {
    std::uint32_t *const tf = row.term_frequency.narrow(), *const df = row.document_frequency.narrow();
    for (std::int64_t i = 0; i < size; ++i) tf[i] = PackedCounters::occurrences(taken[i]);
    for (std::int64_t i = 0; i < size; ++i) df[i] = PackedCounters::documents(taken[i]);
  } else {
    for (std::int64_t i = 0; i < size; ++i) {
      const std::uint64_t both = counters().take_large(first + (row.terms[i] - first_term), taken[i]);
      row.term_frequency.set(i, static_cast<Count>(PackedCounters::large_occurrences(both)));
      row.document_frequency.set(i, static_cast<Count>(both >> PackedCounters::large_document_shift));
    }
  }
  std::fill_n(taken, size, 0);
  return row;
}

template ClassRow<std::int64_t> CellCounters::take(std::int64_t, std::int64_t, std::int64_t, bool);
template ClassRow<double> CellCounters::take(std::int64_t, std::int64_t, std::int64_t, bool);

}  // namespace termsift
