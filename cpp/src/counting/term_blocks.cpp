#include "counting/streams.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace termsift {
namespace {

// Cell c * stride + j of a block is the block's j-th term in row c. A row is a class or the collection.
struct BlockShape {
  // The largest number of cells in a block, without the padding of stride(). The 4-byte counters of so many cells stay in
  // the cache of one core.
  static constexpr std::int64_t most_cells = 1 << 17;

  explicit BlockShape(std::int64_t n_terms, std::int64_t n_classes_)
      : n_classes(n_classes_),
        term_bits(static_cast<int>(std::bit_width(
                      static_cast<std::uint64_t>(std::max<std::int64_t>(most_cells / n_classes, 64)))) - 1),
        n_blocks(((n_terms - 1) >> term_bits) + 1) {}

  std::int64_t n_classes;
  int term_bits;
  std::int64_t n_blocks;

  std::int64_t n_terms() const { return std::int64_t{1} << term_bits; }
  // The stride is not a power of two, so that the counters of a term do not compete for the same lines of the cache.
  std::int64_t stride() const { return n_terms() + 64; }
  std::int64_t n_cells() const { return n_classes * stride(); }
  std::size_t block(std::uint32_t term) const { return term >> term_bits; }
  std::uint32_t cell(std::uint32_t term, std::size_t c) const {
    return static_cast<std::uint32_t>(c) * static_cast<std::uint32_t>(stride()) +
           (term & static_cast<std::uint32_t>(n_terms() - 1));
  }
};

// Adds the number of entries of each block to `sizes`. An entry counts once for each row that counts its document.
void add_to_sizes(const StreamSource& source, std::int64_t first, std::int64_t last, const BlockShape& shape,
                  std::vector<std::int64_t>& sizes) {
  source.x.visit([&](const auto& x) {
    for (std::int64_t d = first; d < last; ++d) {
      std::int64_t copies = 0;
      source.for_each_row(d, [&](std::size_t) { ++copies; });
      for (std::int64_t e = x.indptr[d]; e < x.indptr[d + 1]; ++e)
        sizes[shape.block(static_cast<std::uint32_t>(x.indices[e]))] += copies;
    }
  });
}

template <class Index, class Value>
void append_documents(const CsrView<Index, Value> x, const StreamSource& source, std::int64_t first, std::int64_t last,
                      const BlockShape& shape, std::vector<std::uint32_t*>& next, std::size_t range, Streams& streams) {
  const PackedEntry packed = streams.packed;
  const RowKernels<Index, Value> kernels = kernels_in_use<RowKernels<Index, Value>>();
  for (std::int64_t d = first; d < last; ++d)
    source.for_each_row(d, [&](std::size_t c) {
      const std::int64_t begin = x.indptr[d], length = x.indptr[d + 1] - begin;
      const Value* const data = x.data + begin;
      const std::int64_t escapes = kernels.deal(x.indices + begin, data, length, source.as_ones, packed, shape.term_bits,
                                                shape.cell(0, c), next.data());
      if (escapes == 0) return;
      for (std::int64_t k = 0; k < length; ++k) {
        const auto term = static_cast<std::uint32_t>(x.indices[begin + k]);
        if (!packed.holds(data[k]))
          streams.escapes[range].push_back({static_cast<std::uint32_t>(shape.block(term)), shape.cell(term, c),
                                            packed.rest(data[k])});
      }
    });
}

// Scans the documents of the ranges and lays out the streams for them. If the returned scan fails can_stream(), the layout
// is meaningless.
CsrScan scan_and_lay_out(const StreamSource& source, const std::vector<std::int64_t>& begins, const BlockShape& shape,
                         const Threads& threads, Streams& streams) {
  std::vector<CsrScan> scans(streams.n_ranges);
  for_each_block(static_cast<std::int64_t>(streams.n_ranges), threads, [&](std::int64_t block, Worker& worker) {
    const auto range = static_cast<std::size_t>(block);
    std::vector<std::int64_t> sizes(streams.n_streams, 0);
    for (std::int64_t d = begins[range]; d < begins[range + 1];) {
      const std::int64_t end = rows_to_scan(source.x, d, begins[range + 1]);
      worker.check();
      if (!source.scan(scans[range], d, end, streams.packed)) return;
      add_to_sizes(source, d, end, shape, sizes);
      d = end;
    }
    for (std::size_t b = 0; b < sizes.size(); ++b) streams.offsets[b * streams.n_ranges + range + 1] = sizes[b];
  });
  streams.lay_out();
  return CsrScan::sum(scans);
}

// Fills the streams with the documents of the ranges.
void fill(const StreamSource& source, const std::vector<std::int64_t>& begins, const BlockShape& shape,
          const Threads& threads, Streams& streams) {
  for_each_block(static_cast<std::int64_t>(streams.n_ranges), threads, [&](std::int64_t block, Worker& worker) {
    const auto range = static_cast<std::size_t>(block);
    std::vector<std::uint32_t*> next(streams.n_streams);
    for (std::size_t b = 0; b < next.size(); ++b)
      next[b] = streams.entries + streams.offsets[b * streams.n_ranges + range];
    for (std::int64_t d = begins[range]; d < begins[range + 1];) {
      const std::int64_t end = rows_to_scan(source.x, d, begins[range + 1]);
      worker.check();
      source.x.visit([&](const auto& view) { append_documents(view, source, d, end, shape, next, range, streams); });
      d = end;
    }
    for (std::size_t b = 0; b < next.size(); ++b) streams.ends[b * streams.n_ranges + range] = next[b] - streams.entries;
    streams.sort_escapes(range);
  });
}

// Calls add(counters, block, worker) for each block, and adds the counters to the rows. `add` returns whether all counts are
// below 2^32. The first loop makes a part of each row for each block. The second loop joins the parts of each row.
template <CountType Count, class Add>
void add_up(const Add& add, const BlockShape& shape, const Threads& threads, PerThread<CellCounters>& counters,
            std::vector<ClassRow<Count>>& rows) {
  const auto n_rows = static_cast<std::int64_t>(rows.size());
  std::vector<ClassRow<Count>> parts(static_cast<std::size_t>(shape.n_blocks) * rows.size());
  for_each_block(shape.n_blocks, threads, [&](std::int64_t block, Worker& worker) {
    CellCounters& work = counters.own(worker, shape.n_cells(), false);
    const bool narrow = add(work, block, worker);
    for (std::int64_t c = 0; c < n_rows; ++c) {
      parts[static_cast<std::size_t>(c * shape.n_blocks + block)] =
          work.take<Count>(c * shape.stride(), shape.n_terms(), block << shape.term_bits, narrow);
    }
  });
  for_each_block(n_rows, threads, [&](std::int64_t c, Worker&) {
    const ClassRow<Count>* const begin = parts.data() + c * shape.n_blocks;
    ClassRow<Count> added = concatenate(begin, begin + shape.n_blocks);
    ClassRow<Count>& row = rows[static_cast<std::size_t>(c)];
    if (added.size > 0) row = row.size == 0 ? std::move(added) : merge_rows(row, added);
  });
}

// Adds the columns [first, last) of a CSC matrix, which all belong to one block.
template <class Index, class Value>
void add_columns(const CsrView<Index, Value>& x, const StreamSource& source, std::int64_t first, std::int64_t last,
                 const BlockShape& shape, const PackedEntry& packed, const PackedCounters& counters) {
  for (std::int64_t term = first; term < last; ++term)
    for (std::int64_t e = x.indptr[term]; e < x.indptr[term + 1]; ++e) {
      const bool fits = source.as_ones || packed.holds(x.data[e]);
      const std::uint32_t value = source.as_ones ? 1 : packed.value(packed.pack(0, x.data[e]));
      source.for_each_row(x.indices[e], [&](std::size_t c) {
        const std::uint32_t cell = shape.cell(static_cast<std::uint32_t>(term), c);
        counters.add(cell, value);
        if (!fits) counters.add_occurrences(cell, packed.rest(x.data[e]));
      });
    }
}

}  // namespace

template <CountType Count>
Streamed<Count> count_columns_by_term_blocks(const StreamSource& source, const Threads& threads) {
  const AnyCsr& x = source.x;
  const auto n_rows = static_cast<std::int64_t>(source.n_rows());
  Streamed<Count> result;
  result.possible = n_rows > 0 && n_rows <= most_rows_of_term_blocks && x.n_rows * n_rows <= 16 * source.n_entries() &&
                    x.n_columns <= StreamSource::most_documents;
  if (!result.possible) return result;
  const BlockShape shape(x.n_rows, n_rows);
  const PackedEntry packed(shape.n_cells());
  result.rows.resize(source.n_rows());
  std::vector<CsrScan> scans(static_cast<std::size_t>(shape.n_blocks));
  PerThread<CellCounters> counters(threads);
  const auto add = [&](CellCounters& to, std::int64_t block, Worker& worker) {
    CsrScan& scan = scans[static_cast<std::size_t>(block)];
    const std::int64_t end = std::min((block + 1) * shape.n_terms(), x.n_rows);
    for (std::int64_t first = block * shape.n_terms(), last; first < end; first = last) {
      worker.check();
      last = rows_to_scan(x, first, end);
      scan.rows(x, first, last, packed);
      if (!scan.is_tidy() || !source.can_stream(scan, packed, x.n_columns)) return false;
      x.visit([&](const auto& view) { add_columns(view, source, first, last, shape, packed, to.counters()); });
    }
    return static_cast<double>(x.n_columns) * source.value_bound(scan) < 0x1p32;
  };
  add_up(add, shape, threads, counters, result.rows);
  const CsrScan scan = CsrScan::sum(scans);
  result.possible = scan.is_tidy() && source.can_stream(scan, packed, x.n_columns);
  result.value_bound = source.value_bound(scan);
  return result;
}

template Streamed<std::int64_t> count_columns_by_term_blocks(const StreamSource&, const Threads&);
template Streamed<double> count_columns_by_term_blocks(const StreamSource&, const Threads&);

template <CountType Count>
Streamed<Count> count_by_term_blocks(const StreamSource& source, std::int64_t window_bytes, const Threads& threads) {
  const AnyCsr& x = source.x;
  const auto n_ranges = static_cast<std::size_t>(threads.count);
  const BlockShape shape(std::max<std::int64_t>(x.n_columns, 1),
                         std::max<std::int64_t>(static_cast<std::int64_t>(source.n_rows()), 1));
  Streamed<Count> result;
  result.rows.resize(source.n_rows());
  CsrScan scan;  // the result of checking all windows so far
  WindowMemory memory;
  PerThread<CellCounters> counters(threads);

  for (std::int64_t first = 0; first < x.n_rows;) {
    std::int64_t last = first;
    for (std::int64_t bytes = 0; last < x.n_rows && last - first < StreamSource::most_documents; ++last) {
      source.for_each_row(last, [&](std::size_t) { bytes += 4 * source.n_entries(last); });
      if (bytes > window_bytes && last > first) break;
    }
    Streams streams(shape.n_cells(), static_cast<std::size_t>(shape.n_blocks), n_ranges);
    const std::vector<std::int64_t> begins = document_ranges(x, first, last, threads.count);
    scan.add(scan_and_lay_out(source, begins, shape, threads, streams));
    result.possible = scan.is_tidy() && source.can_stream(scan, streams.packed, last - first);
    if (!result.possible) return result;
    result.value_bound = source.value_bound(scan);

    streams.entries = memory.entries(streams.offsets.back());
    fill(source, begins, shape, threads, streams);
    const bool narrow = static_cast<double>(last - first) * result.value_bound < 0x1p32;
    const auto add = [&](CellCounters& to, std::int64_t block, Worker&) {
      to.add(streams, static_cast<std::size_t>(block));
      return narrow;
    };
    add_up(add, shape, threads, counters, result.rows);
    first = last;
  }
  return result;
}

template Streamed<std::int64_t> count_by_term_blocks(const StreamSource&, std::int64_t, const Threads&);
template Streamed<double> count_by_term_blocks(const StreamSource&, std::int64_t, const Threads&);

}  // namespace termsift
