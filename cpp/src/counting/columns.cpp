#include "counting/streams.hpp"

#include <algorithm>
#include <bit>

namespace termsift {
namespace {

// Cell c * stride + j of a block is the block's j-th term in row c. A row is a class or the collection.
struct BlockShape {
  // The largest number of cells in a block, without the padding of stride(). The 4-byte counters of so many cells stay in
  // the cache of one core.
  static constexpr std::int64_t most_cells = 1 << 17;
  static constexpr std::int64_t most_rows = most_cells / 64;  // so that a block can hold 64 terms

  BlockShape(std::int64_t n_terms, std::int64_t n_classes_)
      : n_classes(n_classes_),
        term_bits(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most_cells / n_classes))) - 1),
        n_blocks(((n_terms - 1) >> term_bits) + 1) {}

  std::int64_t n_classes;
  int term_bits;
  std::int64_t n_blocks;

  std::int64_t n_terms() const { return std::int64_t{1} << term_bits; }
  // The stride is not a power of two, so that the counters of a term do not compete for the same lines of the cache.
  std::int64_t stride() const { return n_terms() + 64; }
  std::int64_t n_cells() const { return n_classes * stride(); }
  std::uint32_t cell(std::uint32_t term, std::size_t c) const {
    return static_cast<std::uint32_t>(c) * static_cast<std::uint32_t>(stride()) +
           (term & static_cast<std::uint32_t>(n_terms() - 1));
  }
};

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
std::optional<Streamed<Count>> count_by_columns(const StreamSource& source, const Threads& threads) {
  const AnyCsr& x = source.x;
  const auto n_rows = static_cast<std::int64_t>(source.n_rows());
  if (n_rows == 0 || n_rows > BlockShape::most_rows || x.n_rows * n_rows > 16 * source.n_entries() ||
      x.n_columns > StreamSource::most_documents)
    return std::nullopt;
  const BlockShape shape(x.n_rows, n_rows);
  const PackedEntry packed(shape.n_cells());
  std::vector<CsrScan> scans(static_cast<std::size_t>(shape.n_blocks));
  PerThread<CellCounters> counters(threads);
  std::vector<ClassRow<Count>> parts(static_cast<std::size_t>(shape.n_blocks * n_rows));  // of each row, for each block
  for_each_block(shape.n_blocks, threads, [&](std::int64_t block, Worker& worker) {
    CsrScan& scan = scans[static_cast<std::size_t>(block)];
    CellCounters& own = counters.own(worker, shape.n_cells());
    const std::int64_t end = std::min((block + 1) * shape.n_terms(), x.n_rows);
    for (std::int64_t first = block * shape.n_terms(), last; first < end; first = last) {
      worker.check();
      last = rows_to_scan(x, first, end);
      scan.rows(x, first, last, packed);
      if (!scan.is_tidy() || !source.can_stream(scan, packed, x.n_columns)) break;
      x.visit([&](const auto& view) { add_columns(view, source, first, last, shape, packed, own.counters()); });
    }
    const bool narrow = static_cast<double>(x.n_columns) * source.facts(scan).value_bound < 0x1p32;
    for (std::int64_t c = 0; c < n_rows; ++c)
      parts[static_cast<std::size_t>(c * shape.n_blocks + block)] =
          own.take<Count>(c * shape.stride(), shape.n_terms(), block << shape.term_bits, narrow);
  });
  const CsrScan scan = CsrScan::sum(scans);
  if (!scan.is_tidy() || !source.can_stream(scan, packed, x.n_columns)) return std::nullopt;
  Streamed<Count> result{source.facts(scan), std::vector<ClassRow<Count>>(source.n_rows())};
  for_each_block(n_rows, threads, [&](std::int64_t c, Worker&) {
    const ClassRow<Count>* const begin = parts.data() + c * shape.n_blocks;
    result.rows[static_cast<std::size_t>(c)] = concatenate(begin, begin + shape.n_blocks);
  });
  return result;
}

template std::optional<Streamed<std::int64_t>> count_by_columns(const StreamSource&, const Threads&);
template std::optional<Streamed<double>> count_by_columns(const StreamSource&, const Threads&);

}  // namespace termsift
