#include "counting/streams.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace termsift {
namespace {

constexpr std::int64_t documents_per_check = 1 << 16;

// Splits the documents [first, last) into consecutive ranges with about the same number of entries. Returns the first
// document of each range, followed by `last`. indptr must have been checked.
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

}  // namespace

RowSizes::RowSizes(const StreamSource& source, std::int64_t first, std::int64_t last, const Threads& threads)
    : n_ranges(threads.count), begins(document_ranges(source.x, first, last, n_ranges)),
      entries(source.n_rows() * static_cast<std::size_t>(n_ranges)), documents(source.n_rows()) {
  source.x.visit([&](const auto& x) {
    struct Sizes {
      std::int64_t entries, documents;
    };
    std::vector<std::vector<Sizes>> of_ranges(static_cast<std::size_t>(n_ranges));
    for_each_block(n_ranges, threads, [&](std::int64_t block, Worker& worker) {
      const auto range = static_cast<std::size_t>(block);
      std::vector<Sizes> own(documents.size());
      for (std::int64_t d = begins[range]; d < begins[range + 1];) {
        worker.check();
        for (const std::int64_t end = std::min(begins[range + 1], d + documents_per_check); d < end; ++d) {
          const std::int64_t length = x.indptr[d + 1] - x.indptr[d];
          source.for_each_row(d, [&](std::size_t c) { own[c].entries += length, ++own[c].documents; });
        }
      }
      of_ranges[range] = std::move(own);
    });
    auto place = entries.begin();
    for (std::size_t row = 0; row < documents.size(); ++row)
      for (const std::vector<Sizes>& own : of_ranges) *place++ = own[row].entries, documents[row] += own[row].documents;
  });
}

std::int64_t RowSizes::n_entries(std::size_t row) const {
  const auto begin = entries.begin() + static_cast<std::ptrdiff_t>(row) * n_ranges;
  return std::accumulate(begin, begin + n_ranges, std::int64_t{0});
}

void Streams::sort_by_block(std::size_t range, Worker& worker) {
  std::sort(escapes[range].begin(), escapes[range].end(), in_order);
  if (n_blocks == 1) return;
  const int shift = packed.value_bits() + block_bits;  // at most 31, because the cells need at least one bit more
  const std::uint32_t mask = (std::uint32_t{1} << shift) - 1;
  std::vector<std::uint32_t> sorted(static_cast<std::size_t>(chunk_entries)), places(n_blocks + 1);
  std::uint32_t *const to = sorted.data(), *const place = places.data();
  for (std::size_t segment = range; segment < ends.size(); segment += n_ranges)
    for (std::int64_t begin = offsets[segment]; begin < ends[segment]; begin += chunk_entries) {
      worker.check();
      std::uint32_t* const chunk = entries + begin;
      const std::int64_t n = std::min(chunk_entries, ends[segment] - begin);
      std::fill(places.begin(), places.end(), 0);
      for (std::int64_t e = 0; e < n; ++e) ++place[(chunk[e] >> shift) + 1];
      std::partial_sum(places.begin(), places.end(), places.begin());
      runs_[segment].insert(runs_[segment].end(), places.begin(), places.end());
      for (std::int64_t e = 0; e < n; ++e) to[place[chunk[e] >> shift]++] = chunk[e] & mask;
      std::copy_n(to, n, chunk);
    }
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

CellCounters::CellCounters(std::int64_t n_cells)
    : small_(LargeArray<std::uint32_t>::zeroed((n_cells + 63) / 64 * 64)),
      large_(LargeArray<std::uint64_t>::zeroed_for_few(n_cells)),
      terms_(LargeArray<TermId>::uninitialised(n_cells + line_cells)),
      lines_(LargeArray<std::uint8_t>::zeroed((n_cells / line_cells + 64) / 64 * 64)) {}

void CellCounters::add(const Streams& streams, std::size_t stream, std::size_t block) {
  const auto bounds = streams.bounds.begin() + static_cast<std::ptrdiff_t>(stream * streams.n_ranges);
  const bool bounded = std::accumulate(bounds, bounds + static_cast<std::ptrdiff_t>(streams.n_ranges), std::uint64_t{0}) <
                       PackedCounters::bound;
  notes_lines_ = streams.size(stream) < streams.n_terms / 3;
  const auto add_run = [&](const std::uint32_t* entries, std::int64_t n) {
    if (notes_lines_) kernels_.add_and_note(entries, n, streams.packed, counters(), bounded, lines_.get());
    else kernels_.add(entries, n, streams.packed, counters(), bounded);
  };
  streams.for_each_run(stream, block, add_run, [&](std::uint32_t cell, std::uint64_t rest) {
    counters().add_occurrences(cell, rest);
  });
}

template <CountType Count>
ClassRow<Count> CellCounters::take(std::int64_t first, std::int64_t n, std::int64_t first_term, bool narrow) {
  std::uint32_t* const taken = small_.get() + first;
  const std::int64_t n_lines = (n + line_cells - 1) / line_cells;
  std::uint8_t* const lines = std::exchange(notes_lines_, false) ? lines_.get() : nullptr;
  const std::int64_t size = kernels_.take(taken, lines, n_lines, static_cast<TermId>(first_term), terms_.get());
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
