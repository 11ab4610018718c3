// Streams of packed entries, and the counters to which the entries are added.
//
// The time of counting depends mainly on the order of memory accesses. Gathering the rows of one class reads the matrix in
// random order, while reading the rows in order scatters additions over the counters of all classes. With streams, the rows
// are read in order, and each entry is appended, in four bytes, to the stream of its cell. The entries of one stream after
// another are then added to counters that stay in the cache. A cell is a pair of a class and a term. A stream holds the
// cells of one class (class_streams.cpp) or of some terms in all classes (term_blocks.cpp).
#pragma once

#include <atomic>
#include <cstdint>
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

  // Returns an upper bound of the values that are counted.
  double value_bound(const CsrScan& scan) const { return as_ones ? 1 : scan.value_bound; }

  // Returns true if streams can count the scanned entries in windows of n_docs documents. The entries must be valid
  // whole numbers with few escapes, and their sums must fit into the large counters.
  bool can_stream(const CsrScan& scan, const PackedEntry& packed, std::int64_t n_docs) const;

  // Adds the rows [first, last) to the scan. Returns true if can_stream() and CsrScan::is_tidy() hold for all scanned rows.
  bool scan(CsrScan& scan, std::int64_t first, std::int64_t last, const PackedEntry& packed) const {
    scan.rows(x, first, last, packed);
    return can_stream(scan, packed, 1) && scan.is_tidy();
  }
};

// Splits the documents [first, last) into consecutive ranges with about the same number of entries. Returns the first
// document of each range, followed by `last`. indptr must have been checked.
std::vector<std::int64_t> document_ranges(const AnyCsr& x, std::int64_t first, std::int64_t last, std::int64_t n_ranges);

// The numbers of entries and documents of each row of counts (a class or the collection), found in one pass over the
// documents, which threads share by ranges.
struct RowSizes {
  std::int64_t n_ranges;
  std::vector<std::int64_t> begins;     // (n_ranges + 1,) from document_ranges()
  std::vector<std::int64_t> entries;    // (n_rows, n_ranges)
  std::vector<std::int64_t> documents;  // (n_rows,)

  RowSizes(const StreamSource& source, std::int64_t first, std::int64_t last, const Threads& threads);
  std::int64_t n_entries(std::size_t row) const;
};

// Several streams of entries. The documents are split into consecutive ranges, which threads copy in parallel. A stream
// consists of one segment for each range of documents, in the order of the ranges.
struct Streams {
  // The part of a value that did not fit into its packed entry.
  struct Escape {
    std::uint32_t stream;
    std::uint32_t cell;
    std::uint64_t rest;  // PackedEntry::rest
  };

  PackedEntry packed;
  std::size_t n_streams;
  std::size_t n_ranges;
  std::vector<std::int64_t> offsets;         // (n_streams * n_ranges + 1,) the beginning of each segment
  std::vector<std::int64_t> ends;            // (n_streams * n_ranges,) the end of each segment's entries
  // For each segment, an upper bound of the sum of packed values in any one cell, or PackedCounters::bound if unknown.
  std::vector<std::uint64_t> bounds;         // (n_streams * n_ranges,)
  std::vector<std::vector<Escape>> escapes;  // the escapes of each range, sorted by stream
  std::uint32_t* entries = nullptr;          // (offsets.back(),) memory of the caller, reused for every window

  Streams(std::int64_t n_cells, std::size_t n_streams_, std::size_t n_ranges_)
      : packed(n_cells), n_streams(n_streams_), n_ranges(n_ranges_), offsets(n_streams * n_ranges + 1, 0),
        ends(n_streams * n_ranges), bounds(n_streams * n_ranges, PackedCounters::bound), escapes(n_ranges) {}

  std::int64_t size(std::size_t stream) const { return offsets[(stream + 1) * n_ranges] - offsets[stream * n_ranges]; }
  // Turns sizes into offsets. Before the call, offsets[i + 1] is the size of segment i.
  void lay_out();
  void sort_escapes(std::size_t range);
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
  bool distinct = true;               // true if the columns of every document strictly increase
  bool possible = true;               // true if streams can count the matrix; if false, all other members are meaningless
  double value_bound = 0;             // an upper bound of the values that are counted
  std::vector<ClassRow<Count>> rows;  // (StreamSource::n_rows(),) without n_docs
};

// One counter for each cell. Between streams, all counters are zero. A counter uses 4 bytes, and a few counters use 8 more.
class CellCounters {
 public:
  // If `notes_touched`, touched cache lines are noted, which needs a store for each entry but avoids a search of all cells.
  CellCounters(std::int64_t n_cells, bool notes_touched);

  void add(const Streams& streams, std::size_t stream);
  PackedCounters counters() const { return {small_.get(), large_.get()}; }

  // Moves the nonzero cells of [first, first + n) to a row, and clears them. Cell `first` becomes term `first_term`. `first`
  // must be a multiple of 64, and must be 0 if touched lines are noted. Does not set the row's number of tokens.
  template <CountType Count>
  ClassRow<Count> take(std::int64_t first, std::int64_t n, std::int64_t first_term, bool narrow);

 private:
  const CounterKernels kernels_ = kernels_in_use<CounterKernels>();
  LargeArray<std::uint32_t> small_;  // (n_cells,)
  LargeArray<std::uint64_t> large_;  // (n_cells,)
  LargeArray<TermId> terms_;         // (n_cells + line_cells,) the terms of the row that `take` makes
  LargeArray<std::uint8_t> lines_;   // for each line of counters, 1 if it was touched; null unless `notes_touched`
  RowMemory rows_;                   // the memory of the rows that `take` makes
};

// ---- by class: the path of most collections -----------------------------------------------------------------------------

// Copies the entries to the streams of their classes (stream_writer.hpp), and adds up each stream. `sizes` is of all
// documents. A window of window_bytes holds as many
// classes as fit. A class that does not fit is split into ranges of documents. Entries are checked while they are copied.
//
// If `notes_touched`, the additions note the touched terms of each class, so that take() need not search all terms.
// Noting the terms is faster if there are many classes.
//
// O(n_entries + n_windows n_docs), plus O(n_classes n_terms) unless notes_touched. Memory in addition to the rows is the
// larger of window_bytes and 4 bytes for each entry of the longest document. Each thread uses 16 bytes per class and 4
// bytes per term. A thread uses 2 more bytes per term if the terms of a document are not in order, 4 more for each term of
// its largest row, and up to 8 more per term for overflowing counters.
template <CountType Count>
Streamed<Count> count_by_class_streams(const StreamSource& source, const RowSizes& sizes, bool notes_touched,
                                       std::int64_t window_bytes, const Threads& threads);

// ---- by blocks of terms: for few classes, and a vocabulary whose counters would not stay in the cache -------------------

// The largest number of rows (classes and the collection) for which a block can hold 64 terms.
inline constexpr std::int64_t most_rows_of_term_blocks = 2048;

// Works like count_by_class_streams, but a stream is a block of terms, and a window is a range of documents. Reads the
// matrix twice: first to check the entries and to count the entries of each block, and then to copy them.
//
// O(n_entries + n_windows n_classes n_terms), and all additions stay in the cache. Memory in addition to the rows is the
// larger of window_bytes and 4 bytes for each copied entry of one document. In addition, each thread uses 1 MiB, and
// joining the blocks needs a second copy of the rows.
template <CountType Count>
Streamed<Count> count_by_term_blocks(const StreamSource& source, std::int64_t window_bytes, const Threads& threads);

// Counts a source whose x is the CSR view of a CSC matrix: the rows of x are terms. Entries are added to the counters as
// they are read, so no window is needed. Sets `possible` to false if a row of x fails CsrScan::is_tidy(), or if there are
// far more cells than entries.
template <CountType Count>
Streamed<Count> count_columns_by_term_blocks(const StreamSource& source, const Threads& threads);

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
