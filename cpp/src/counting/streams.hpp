// Streams of packed entries, and the counters to which the entries are added.
//
// The time of counting depends mainly on the order of memory accesses. Gathering the rows of one class reads the matrix in
// random order, while reading the rows in order scatters additions over the counters of all classes. With streams, the rows
// are read in order, and each entry is appended, in four bytes, to the stream of its class. The entries of one stream after
// another are then added to counters that stay in the cache (class_streams.cpp). If the counters of all terms would not stay
// in the cache, each stream is first split into blocks of terms.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "counting/entry_kernels.hpp"
#include "counting/packed_entry.hpp"
#include "simd/targets.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/counting.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {

// The documents whose entries are copied to streams. indptr and labels must have been checked. Entries are checked when they
// are copied.
struct StreamSource {
  // The largest number of documents that a large counter can hold.
  static constexpr std::int64_t most_documents = (std::int64_t{1} << (64 - PackedCounters::large_document_shift)) - 1;

  const AnyCsr& x;
  bool as_ones;  // whether each value counts as 1
  const LabelView& labels;
  bool with_collection;

  // Returns the number of classes, plus 1 if the collection is counted as the last row.
  std::size_t n_rows() const { return static_cast<std::size_t>(labels.n_classes) + with_collection; }
  std::int64_t n_entries() const { return x.indptr[x.n_rows]; }
  std::int64_t n_entries(std::int64_t document) const { return x.indptr[document + 1] - x.indptr[document]; }

  // Calls f(row) for each row that counts the document.
  template <class F>
  void for_each_row(std::int64_t document, const F& f) const {
    for_each_class(labels, document, f);
    if (with_collection) f(static_cast<std::size_t>(labels.n_classes));
  }

  // Returns the facts of the values that are counted.
  CsrFacts facts(const CsrScan& scan) const { return {scan.distinct, scan.has_zeros, as_ones ? 1 : scan.value_bound}; }

  // Returns true if streams can count the scanned entries in windows of n_docs documents. The entries must be valid
  // whole numbers with few escapes, and their sums must fit into the large counters.
  bool can_stream(const CsrScan& scan, const PackedEntry& packed, std::int64_t n_docs) const;
};

// The numbers of entries and documents of each row of counts (a class or the collection), found in one pass over the
// documents, which threads share by ranges.
struct RowSizes {
  std::int64_t n_ranges = 0;
  std::vector<std::int64_t> begins;     // (n_ranges + 1,) the first document of each range, followed by `last`
  std::vector<std::int64_t> entries;    // (n_rows, n_ranges)
  std::vector<std::int64_t> documents;  // (n_rows,)

  RowSizes() = default;
  RowSizes(const StreamSource& source, std::int64_t first, std::int64_t last, const Threads& threads);
  std::int64_t n_entries(std::size_t row) const;
};

// The streams of several classes. The documents are split into consecutive ranges, which threads copy in parallel. A stream
// consists of one segment for each range of documents, in the order of the ranges.
struct Streams {
  // The 4-byte counters of a block of 2^17 terms stay in the cache of one core.
  static constexpr int bits_of_blocks = 17;

  // The part of a value that did not fit into its packed entry.
  struct Escape {
    std::uint32_t stream;
    std::uint32_t cell;
    std::uint64_t rest;  // PackedEntry::rest
  };

  std::int64_t n_terms;
  PackedEntry packed;
  int block_bits;  // a block has 2^block_bits terms
  std::size_t n_blocks;
  std::size_t n_streams;
  std::size_t n_ranges;
  std::vector<std::int64_t> offsets;         // (n_streams * n_ranges + 1,) the beginning of each segment
  std::vector<std::int64_t> ends;            // (n_streams * n_ranges,) the end of each segment's entries
  // For each segment, an upper bound of the sum of packed values in any one cell.
  std::vector<std::uint64_t> bounds;         // (n_streams * n_ranges,)
  std::vector<std::vector<Escape>> escapes;  // the escapes of each range, sorted by stream and cell
  std::uint32_t* entries = nullptr;          // (offsets.back(),) memory of the caller, reused for every window

  // All terms are one block unless `by_blocks`.
  Streams(std::int64_t n_terms_, std::size_t n_streams_, std::size_t n_ranges_, bool by_blocks)
      : n_terms(n_terms_), packed(n_terms), block_bits(by_blocks ? bits_of_blocks : 31),
        n_blocks(static_cast<std::size_t>(std::max<std::int64_t>(n_terms - 1, 0) >> block_bits) + 1), n_streams(n_streams_),
        n_ranges(n_ranges_), offsets(n_streams * n_ranges + 1, 0), ends(n_streams * n_ranges),
        bounds(n_streams * n_ranges), escapes(n_ranges), runs_(n_blocks > 1 ? n_streams * n_ranges : 0) {}

  std::int64_t size(std::size_t stream) const { return offsets[(stream + 1) * n_ranges] - offsets[stream * n_ranges]; }
  // Returns the number of counters that a block needs.
  std::int64_t n_cells() const { return n_blocks > 1 ? std::int64_t{1} << block_bits : n_terms; }

  // Sorts a filled range by block. The cell of an entry, but not of an escape, becomes its cell within the block.
  void sort_by_block(std::size_t range, Worker& worker);

  // Calls add(entries, n) for the runs of a stream's entries in a block, and add_rest(cell, rest) for its escapes there.
  template <class Add, class AddRest>
  void for_each_run(std::size_t stream, std::size_t block, const Add& add, const AddRest& add_rest) const {
    const std::uint32_t mask = (std::uint32_t{1} << block_bits) - 1;
    for (std::size_t range = 0; range < n_ranges; ++range) {
      const std::size_t segment = stream * n_ranges + range;
      const std::uint32_t* chunk = entries + offsets[segment];
      if (n_blocks == 1) add(chunk, ends[segment] - offsets[segment]);
      else
        for (std::size_t i = block; i < runs_[segment].size(); i += n_blocks + 1, chunk += chunk_entries)
          add(chunk + runs_[segment][i], runs_[segment][i + 1] - runs_[segment][i]);
      const Escape first{static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(block << block_bits), 0};
      const Escape* const end = escapes[range].data() + escapes[range].size();
      for (const Escape* escape = std::lower_bound(end - escapes[range].size(), end, first, in_order);
           escape != end && escape->stream == stream && escape->cell >> block_bits == block; ++escape)
        add_rest(escape->cell & mask, escape->rest);
    }
  }

 private:
  static bool in_order(const Escape& a, const Escape& b) {
    return a.stream != b.stream ? a.stream < b.stream : a.cell < b.cell;
  }

  // Entries are sorted within chunks of a segment, which stay in the cache. A block has one run in each chunk.
  static constexpr std::int64_t chunk_entries = 1 << 16;
  // For each chunk of a segment, n_blocks + 1 places in the chunk: where each run begins, and where the last one ends.
  std::vector<std::vector<std::uint32_t>> runs_;  // (n_streams * n_ranges,), or empty if there is only one block
};

// Memory for the packed entries of windows. A large array is kept for the next call, because touching fresh pages took
// a fifth of the time of counting 2 * 10^7 entries. The system may take the pages back when memory is short.
class WindowMemory {
 public:
  WindowMemory() : memory_(kept.exchange(nullptr)) {
    if (memory_ == nullptr) memory_ = new Memory;
  }
  WindowMemory(const WindowMemory&) = delete;
  WindowMemory& operator=(const WindowMemory&) = delete;
  ~WindowMemory();

  // Returns an array of n uninitialised entries. The array from the previous call becomes invalid.
  std::uint32_t* entries(std::int64_t n);

 private:
  struct Memory {
    LargeArray<std::uint32_t> entries;
    std::int64_t size = 0;
  };
  // The pointer `kept` is atomic, because a mutex could stay locked for ever in a forked process.
  inline static std::atomic<Memory*> kept = nullptr;
  Memory* memory_;
};

// The counts of some documents, which the caller adds to other counts.
template <CountType Count>
struct Streamed {
  CsrFacts facts;                     // of the values that are counted
  std::vector<ClassRow<Count>> rows;  // (StreamSource::n_rows(),) without n_docs
};

// One counter for each cell. Between streams, all counters are zero. A counter uses 4 bytes, and a few counters use 8 more.
class CellCounters {
 public:
  explicit CellCounters(std::int64_t n_cells);

  // Adds the entries of a stream in a block of terms.
  void add(const Streams& streams, std::size_t stream, std::size_t block);
  PackedCounters counters() const { return {small_.get(), large_.get()}; }

  // Moves the nonzero cells of [first, first + n) to a row, and clears them. Cell `first` becomes term `first_term`. `first`
  // must be a multiple of 64, and must be 0 after add(). Does not set the row's number of tokens.
  template <CountType Count>
  ClassRow<Count> take(std::int64_t first, std::int64_t n, std::int64_t first_term, bool narrow);

 private:
  const CounterKernels kernels_ = kernels_in_use<CounterKernels>();
  LargeArray<std::uint32_t> small_;  // (n_cells,)
  LargeArray<std::uint64_t> large_;  // (n_cells,)
  LargeArray<TermId> terms_;         // (n_cells + line_cells,) the terms of the row that `take` makes
  // Whether add() noted in lines_ which cache lines it touched. A note is a store for each entry, but avoids a search of all
  // cells. With 5,000 classes, counting with notes took 0.65 of the time.
  bool notes_lines_ = false;
  LargeArray<std::uint8_t> lines_;   // for each line of counters, 1 if it was noted
  RowMemory rows_;                   // the memory of the rows that `take` makes
};

// ---- by class: the path of most collections -----------------------------------------------------------------------------

// Copies the entries to the streams of their classes (stream_writer.hpp), and adds up each stream. `sizes` is of all
// documents. A window of window_bytes holds as many classes as fit. A class that does not fit is split into ranges of
// documents. Entries are checked while they are copied. Returns nothing if streams cannot count the matrix.
//
// If `by_blocks`, each stream is sorted into blocks of terms before it is added up. Sorting took 1.3 ns an entry, but with
// 10^7 terms the counters of all terms take longer to clear and to reach.
//
// O(n_entries + n_windows n_docs), plus O(n_terms) for each class with many entries. Memory in addition to the rows is the
// larger of window_bytes and 4 bytes for each entry of the longest document. Each thread uses 16 bytes per class and 4
// bytes per term. A thread uses 2 more bytes per term if the terms of a document are not in order, 4 more for each term of
// its largest row, and up to 8 more per term for overflowing counters. With blocks, the counters of a thread take 2 MiB
// instead of 4 to 16 bytes per term, the parts of rows take a second copy of some rows and up to 8 MiB, and a chunk of
// entries takes 4 bytes for each of its blocks.
template <CountType Count>
std::optional<Streamed<Count>> count_by_class_streams(const StreamSource& source, const RowSizes& sizes, bool by_blocks,
                                                      std::int64_t window_bytes, const Threads& threads);

// ---- by blocks of columns: for CSC matrices -----------------------------------------------------------------------------

// Counts a source whose x is the CSR view of a CSC matrix: the rows of x are terms. Entries are added to the counters of a
// block of terms as they are read, so no window is needed. Returns nothing if a row of x fails CsrScan::is_tidy(), if there
// are far more cells than entries, or for thousands of classes.
template <CountType Count>
std::optional<Streamed<Count>> count_by_columns(const StreamSource& source, const Threads& threads);

// ---- by rows: for weights, fractions and everything else that streams cannot count -------------------------------------

// Gathers the rows of each class from the matrix, and adds the documents to the counts in document order. Values, weights
// and the order of entries are arbitrary. `docs` holds the new n_docs of each class, followed by the new n_docs of the
// collection.
//
// O(n_entries + n_docs + terms of the changed rows). Extra memory is 8 bytes for each label and each document. Each thread
// uses 20 bytes per term, and 8 more per term if rows repeat a column or are not sorted. With term weights, each thread
// also uses 28 bytes for each entry of the longest document.
template <CountType Count>
void add_by_rows(ClassCounts<Count>& counts, const AnyCsr& x, const CsrFacts& facts, const LabelView& labels,
                 const Count* weights, TermWeight term_weight, const std::vector<Count>& docs, const Threads& threads);

template <CountType Count>
void replace_row(ClassRowPtr<Count>& row, ClassRow<Count>&& with, Count n_docs) {
  with.n_docs = n_docs;
  check_finite(with);
  row = std::make_shared<const ClassRow<Count>>(std::move(with));
}

}  // namespace termsift
