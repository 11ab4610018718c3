// Streams of packed entries, and the counters that add them up.
//
// What binds in counting is neither reading the matrix nor arithmetic, but the order of memory accesses. Reading the rows of
// one class out of the matrix gathers them from all over; reading rows as they come scatters additions over the counters of
// all classes. Here rows are read as they come, and each entry is appended, in four bytes, to the stream of the cells it
// belongs to; each stream is then added up into counters that stay in the cache. A cell is a pair of a class and a term.
// Two ways to deal cells to streams: all terms of one class (class_streams.hpp), or some terms of all classes
// (term_blocks.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "counting/counters.hpp"
#include "counting/csr_scan.hpp"
#include "counting/packed_entry.hpp"
#include "termsift/class_counts.hpp"
#include "termsift/counting.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {

// What streams are filled from. indptr and labels have been checked; entries are looked at before they are relied on.
struct StreamSource {
  const AnyCsr& x;
  const Bool* ones;  // as many as the longest document has entries, counted in place of the values; or null
  const LabelView& labels;
  bool with_collection;

  // The classes, and last the collection, if it is counted.
  std::size_t n_rows() const { return static_cast<std::size_t>(labels.n_classes) + with_collection; }
  std::int64_t n_entries() const { return x.indptr[x.n_rows]; }
  std::int64_t n_entries(std::int64_t document) const { return x.indptr[document + 1] - x.indptr[document]; }

  // Calls f(row) for each of them that counts the document.
  template <class F>
  void for_each_row(std::int64_t document, const F& f) const {
    for_each_class(labels, document, f);
    if (with_collection) f(static_cast<std::size_t>(labels.n_classes));
  }

  // Calls f(view), a CsrView with the values that are counted: where those are ones, every document has the same.
  template <class F>
  void visit_counted(const F& f) const {
    if (ones == nullptr) return x.visit(f);
    x.visit([&]<class Index, class Value>(const CsrView<Index, Value>& view) {
      f(CsrView<Index, Bool>{view.n_rows, view.n_columns, view.n_stored, view.indptr, view.indices, ones});
    });
  }

  // What is known of the values that are counted, from what is of those of x.
  CsrFacts as_counted(CsrFacts facts, const PackedEntry& packed) const;
};

// The documents are split into consecutive ranges, which threads fill at the same time; a stream is its segments in the
// order of the ranges.
struct Streams {
  // What a packed entry could not hold of a value.
  struct Escape {
    std::uint32_t stream;
    std::uint32_t cell;
    std::uint64_t rest;  // the value less PackedEntry::escape()
  };

  PackedEntry packed;
  std::size_t n_streams;
  std::size_t n_ranges;
  std::vector<std::int64_t> offsets;             // (n_streams * n_ranges + 1,), where the segment of stream and range begins
  std::vector<std::vector<Escape>> escapes;      // of each range, by stream
  std::uint32_t* entries = nullptr;              // (offsets.back(),), the caller's, used again for window after window

  Streams(std::int64_t n_cells, std::size_t n_streams_, std::size_t n_ranges_)
      : packed(n_cells), n_streams(n_streams_), n_ranges(n_ranges_), offsets(n_streams * n_ranges + 1, 0),
        escapes(n_ranges) {}

  std::int64_t size(std::size_t stream) const { return offsets[(stream + 1) * n_ranges] - offsets[stream * n_ranges]; }
  std::int64_t n_entries() const { return offsets.back(); }
  // From the sizes of the segments, each noted one place late, to where they begin.
  void lay_out();
  void sort_escapes(std::size_t range);
};

// What the documents add to the counts, if streams can count them.
template <CountType Count>
struct Streamed {
  // Over all documents, if any; else check_csr will tell what is refused.
  bool refused = false;
  CsrFacts facts;
  // Whether the limits were kept; without that there are no rows.
  bool within_limits = true;
  std::vector<ClassRow<Count>> rows;  // a row a class and one for the collection (if wanted), without n_docs
};

// What streams ask of the values: distinct entries, none zero or a fraction, few escapes; and of the sums: a large counter
// holds the occurrences and the documents of a cell in 64 bits together.
class StreamLimits {
 public:
  static constexpr std::int64_t most_documents = (std::int64_t{1} << (64 - Counters::large_document_shift)) - 1;
  static bool allow(const CsrFacts& facts, std::int64_t n_docs, std::int64_t n_entries);
};

// One counter a cell, all zero between streams. 4 bytes a cell, and a bit or so; few have 8 more.
class CellCounters {
 public:
  // Noting the touched cells while adding costs about as much as the addition, but spares a look at all others.
  CellCounters(std::int64_t n_cells, bool notes_touched);

  void add(const Streams& streams, std::size_t stream);

  // How many of the cells [first, first + n) are not zero. `first` is a multiple of 64.
  std::int64_t count_nonzero(std::int64_t first, std::int64_t n);

  // Moves them to the row, cell `first` as term `first_term`, and leaves zeros. The row's size is that count_nonzero found.
  template <CountType Count>
  void drain(std::int64_t first, std::int64_t n, std::int64_t first_term, ClassRow<Count>& row);

 private:
  static constexpr std::int64_t group_words = 64;
  // Calls f(first word, number of words) for the parts of `seen_` in the range that may have a bit set, in order.
  template <class F>
  void for_each_seen_part(std::int64_t first, std::int64_t n, const F& f);

  Counters counters() const { return {small_.get(), large_.get()}; }

  bool notes_touched_;
  LargeArray<std::uint32_t> small_;       // (n_cells,)
  LargeArray<std::uint64_t> large_;       // (n_cells,)
  LargeArray<std::uint64_t> seen_;        // a bit a cell: whether its counter is not zero
  LargeArray<std::uint8_t> seen_groups_;  // a byte for group_words words of seen_, if touched cells are noted
};

}  // namespace termsift
