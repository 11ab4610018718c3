// Copies documents to the streams of their classes, and checks the documents on the way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "counting/column_sums.hpp"
#include "counting/streams.hpp"

namespace termsift {

// The documents [first_doc, last_doc) of the rows [first_class, last_class). A row is a class or the collection.
struct Window {
  std::size_t first_class, last_class;
  std::int64_t first_doc, last_doc;
  std::int64_t n_entries;

  std::size_t n_classes() const { return last_class - first_class; }
  std::int64_t n_docs() const { return last_doc - first_doc; }
  // Returns the stream of row c, or n_classes() if the window lacks row c. A negative c - first_class wraps around.
  std::size_t stream(std::size_t c) const { return std::min(c - first_class, n_classes()); }
};

// Calls f(stream) for each of the window's streams to which document d belongs.
template <class F>
void for_each_stream(const StreamSource& source, const Window& window, std::int64_t d, const F& f) {
  source.for_each_row(d, [&](std::size_t c) {
    if (const std::size_t stream = window.stream(c); stream < window.n_classes()) f(stream);
  });
}

// Copies one range of a window's documents. Entries are written before their check is complete, so that they are read only
// once.
class StreamWriter {
 public:
  StreamWriter(const StreamSource& source, const Window& window, Streams& streams, std::size_t range)
      : source_(source), window_(window), streams_(streams), range_(range), segments_(streams.n_streams),
        columns_(source.x.n_columns) {
    for (std::size_t s = 0; s < segments_.size(); ++s)
      segments_[s].next = streams.entries + streams.offsets[s * streams.n_ranges + range];
  }

  // Appends the window's documents among [first, last), and returns whether can_stream() holds. If not, the streams are
  // meaningless.
  bool append(std::int64_t first, std::int64_t last) {
    source_.x.visit([&]<class Index, class Value>(const CsrView<Index, Value>& x) {
      append_documents(Rows<Index, Value>{x}, first, last);
    });
    return can_stream_;
  }

  // Completes the segments of the range, and returns the result of checking its documents.
  const CsrScan& finish() {
    for (std::size_t s = 0; s < segments_.size(); ++s) {
      streams_.bounds[s * streams_.n_ranges + range_] = segments_[s].bound;
      streams_.ends[s * streams_.n_ranges + range_] = segments_[s].next - streams_.entries;
    }
    scan_.value_bound = std::max(scan_.value_bound, static_cast<double>(largest_bound_));
    return scan_;
  }

 private:
  // Short documents are packed together, because one call per document would take longer than the packing.
  static constexpr std::int64_t short_entries = 16, run_entries = 64;
  static constexpr int most_documents = 256;

  // Where the next entry of a stream goes, and the sum of the documents' bounds.
  struct Segment {
    std::uint32_t* next = nullptr;
    std::uint64_t bound = 0;
  };

  template <class Index, class Value>
  struct Rows : CsrView<Index, Value> {
    const RowKernels<Index, Value>& kernels = kernels_in_use<RowKernels<Index, Value>>();
  };

  template <class Index, class Value>
  void append_documents(const Rows<Index, Value>& x, std::int64_t first, std::int64_t last) {
    while (first < last && can_stream_) {
      const std::int64_t end = std::min(last, first + most_documents);
      const int n_docs = list_documents(first, end);
      first = end;
      for (int i = 0; i < n_docs && can_stream_;) {
        if (i + 2 < n_docs && documents_[i + 2] > documents_[i] + 2)  // documents of other windows lie between these two
          prefetch_row(x, documents_[i + 2]);
        const int run = end_of_run(x, i, n_docs);
        const std::int64_t d = documents_[i], run_docs = run - i;
        // Usually only one document of a run has an unusual entry.
        if (run_docs == 1 || !append_run(x, d, run_docs))
          for (int j = i; j < run && can_stream_; ++j) append_one(x, documents_[j]);
        i = run;
      }
    }
  }

  // Lists the window's documents among [first, last). Returns their number.
  int list_documents(std::int64_t first, std::int64_t last) {
    if (is_whole_) {
      std::iota(documents_, documents_ + (last - first), first);
      return static_cast<int>(last - first);
    }
    int n = 0;
    for (std::int64_t d = first; d < last; ++d) {
      documents_[n] = d;
      bool is_in = false;  // no branch on is_in, because it would be unpredictable
      source_.for_each_row(d, [&](std::size_t c) { is_in |= window_.stream(c) < window_.n_classes(); });
      n += is_in;
    }
    return n;
  }

  // Returns the end of the run of consecutive short documents that begins with the i-th one.
  template <class Index, class Value>
  int end_of_run(const Rows<Index, Value>& x, int i, int n_docs) const {
    const Index* const ends = x.indptr + documents_[i] + 1;
    const Index begin = ends[-1];
    if (ends[0] - begin >= short_entries) return i + 1;
    const int most = n_docs - i;
    int n = 1;
    while (n < most && documents_[i + n] == documents_[i] + n && ends[n] - ends[n - 1] < short_entries &&
           ends[n] - begin <= run_entries)
      ++n;
    return i + n;
  }

  // Appends n_docs consecutive documents, or returns false if an entry of theirs is not usual.
  template <class Index, class Value>
  bool append_run(const Rows<Index, Value>& x, std::int64_t first, std::int64_t n_docs) {
    const Index* const indptr = x.indptr + first;
    const std::int64_t begin = indptr[0], n = indptr[n_docs] - begin;
    std::uint32_t* packed = pack_room(n);
    const std::uint32_t usual = pack(x, begin, n, false, packed);
    if (usual == 0) return false;
    if (n == n_docs && in_one_row_ && are_single(indptr, n_docs)) {
      const ClassId* const codes = source_.labels.codes + first;
      for (std::int64_t i = 0; i < n_docs; ++i)
        if (const std::size_t s = window_.stream(static_cast<std::size_t>(codes[i])); s < segments_.size()) {
          *segments_[s].next++ = packed[i];
          segments_[s].bound += usual;
        }
      return true;
    }
    for (std::int64_t d = first; d < first + n_docs && can_stream_; ++d) {
      const std::int64_t at = x.indptr[d], length = x.indptr[d + 1] - at;
      if (columns_.are_distinct(x.indices + at, length)) copy(d, packed, length, usual);
      else append_unusual(x, d);
      packed += length;
    }
    return true;
  }

  template <class Index>
  static bool are_single(const Index* indptr, std::int64_t n_docs) {
    bool are = true;
    for (std::int64_t i = 0; i < n_docs; ++i) are &= indptr[i + 1] - indptr[i] == 1;
    return are;
  }

  template <class Index, class Value>
  void append_one(const Rows<Index, Value>& x, std::int64_t d) {
    const std::int64_t begin = x.indptr[d], n = x.indptr[d + 1] - begin;
    const Index* const columns = x.indices + begin;
    // If the first columns of a document are in order, the others usually are too. The kernel checks every column.
    const bool in_order = std::is_sorted(columns, columns + std::min<std::int64_t>(n, 8));
    // A document of one class is packed where it belongs.
    Segment* only = nullptr;
    if (in_one_row_) for_each_stream(source_, window_, d, [&](std::size_t s) { only = &segments_[s]; });
    std::uint32_t* const packed = only != nullptr ? only->next : pack_room(n);
    const std::uint32_t usual = pack(x, begin, n, in_order, packed);
    if (usual == 0 || (!in_order && !columns_.are_distinct(columns, n))) return append_unusual(x, d);
    if (only == nullptr) return copy(d, packed, n, usual);
    only->next += n;
    only->bound += usual;
  }

  // Appends a document whose columns may repeat, and whose values may be 0 or large, if can_stream() holds with it. A value
  // that does not fit into a packed entry leaves an escape, which adds the rest of the value but no document.
  template <class Index, class Value>
  void append_unusual(const Rows<Index, Value>& x, std::int64_t d) {
    CsrScan own;
    own.rows(x, d, d + 1, streams_.packed);
    scan_.add(own);
    if (!can_stream()) return;
    const std::int64_t begin = x.indptr[d];
    columns_.add_up(x.indices + begin, x.data + begin, x.indptr[d + 1] - begin, source_.as_ones);
    std::uint32_t bound = 1;
    std::int64_t n_escapes = 0;
    for (std::int64_t i = 0; i < columns_.size(); ++i) {
      n_escapes += !source_.as_ones && !streams_.packed.holds(columns_.sum(i));
      bound = std::max(bound, streams_.packed.value(packed_sum(i)));
    }
    scan_.n_unpackable += std::max<std::int64_t>(n_escapes - own.n_unpackable, 0);  // sums of values that do fit
    for_each_stream(source_, window_, d, [&](std::size_t s) {
      std::uint32_t* const out = segments_[s].next;
      for (std::int64_t i = 0; i < columns_.size(); ++i) out[i] = packed_sum(i);
      segments_[s].next += columns_.size();
      segments_[s].bound += bound;
      for (std::int64_t i = 0; i < columns_.size() && n_escapes > 0; ++i)
        if (!streams_.packed.holds(columns_.sum(i)))
          streams_.escapes[range_].push_back(
              {static_cast<std::uint32_t>(s), columns_.column(i), streams_.packed.rest(columns_.sum(i))});
    });
    can_stream();
  }
  std::uint32_t packed_sum(std::int64_t i) const {
    return source_.as_ones ? streams_.packed.pack(columns_.column(i), Bool{1})
                           : streams_.packed.pack(columns_.column(i), columns_.sum(i));
  }

  // Copies the packed entries of a document to its streams.
  void copy(std::int64_t d, const std::uint32_t* packed, std::int64_t n, std::uint32_t usual) {
    for_each_stream(source_, window_, d, [&](std::size_t s) {
      if (n == 1) *segments_[s].next = *packed;  // copy_n would take longer
      else std::copy_n(packed, n, segments_[s].next);
      segments_[s].next += n;
      segments_[s].bound += usual;
    });
  }

  // Calls RowKernels::pack_usual.
  template <class Index, class Value>
  std::uint32_t pack(const Rows<Index, Value>& x, std::int64_t begin, std::int64_t n, bool in_order, std::uint32_t* out) {
    const std::uint32_t usual = x.kernels.pack_usual(x.indices + begin, x.data + begin, n, x.n_columns, in_order,
                                                     source_.as_ones, streams_.packed, out);
    largest_bound_ = std::max(largest_bound_, usual);
    return usual;
  }

  // Returns memory for n packed entries.
  std::uint32_t* pack_room(std::int64_t n) {
    if (std::ssize(packed_) < n) packed_.resize(static_cast<std::size_t>(2 * n));
    return packed_.data();
  }

  bool can_stream() { return can_stream_ = source_.can_stream(scan_, streams_.packed, 1); }

  const StreamSource& source_;
  const Window& window_;
  Streams& streams_;
  const std::size_t range_;
  const bool in_one_row_ = source_.labels.indptr == nullptr && !source_.with_collection;
  const bool is_whole_ = in_one_row_ && window_.n_classes() == source_.n_rows();
  bool can_stream_ = true;
  CsrScan scan_;  // of the unusual documents so far
  std::uint32_t largest_bound_ = 0;  // of the other documents
  std::vector<Segment> segments_;    // (n_streams,)
  ColumnSums columns_;
  std::vector<std::uint32_t> packed_;
  std::int64_t documents_[most_documents];
};

}  // namespace termsift
