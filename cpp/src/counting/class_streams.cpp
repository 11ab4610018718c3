#include "counting/streams.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace termsift {
namespace {

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

// Splits the collection into windows. A window has one or more whole classes. If not even one class fits, a window has some
// documents of one class. A window takes at most window_bytes, unless it has only one document. Sets size[c] to the number
// of entries of row c.
std::vector<Window> plan_windows(const StreamSource& source, std::int64_t window_bytes, std::vector<std::int64_t>& size) {
  const std::int64_t n_docs = source.x.n_rows;
  const std::size_t n_streams = source.n_rows();
  size.assign(n_streams, 0);
  for (std::int64_t d = 0; d < n_docs; ++d) {
    const std::int64_t length = source.n_entries(d);
    source.for_each_row(d, [&](std::size_t c) { size[c] += length; });
  }
  const std::int64_t most = std::max<std::int64_t>(window_bytes / 4, 1);
  // Make few windows of about the same size, because the largest window determines the memory.
  const std::int64_t n_entries = std::accumulate(size.begin(), size.end(), std::int64_t{0});
  const std::int64_t enough = n_entries / (n_entries / most + 1);
  std::vector<Window> windows;
  for (std::size_t c = 0; c < n_streams;) {
    Window window{c, c + 1, 0, n_docs, size[c]};
    while (window.last_class < n_streams && window.n_entries <= enough && window.n_entries + size[window.last_class] <= most)
      window.n_entries += size[window.last_class++];
    c = window.last_class;
    if (window.n_entries <= most && n_docs <= StreamSource::most_documents) {
      windows.push_back(window);
      continue;
    }
    window.n_entries = 0;
    for (std::int64_t d = 0; d < n_docs; ++d) {
      std::int64_t entries = 0;
      for_each_stream(source, window, d, [&](std::size_t) { entries += source.n_entries(d); });
      if (window.n_entries + entries > most || d - window.first_doc == StreamSource::most_documents) {
        window.last_doc = d;
        if (window.n_entries > 0) windows.push_back(window);
        window.first_doc = d, window.n_entries = 0;
      }
      window.n_entries += entries;
    }
    window.last_doc = n_docs;
    windows.push_back(window);
  }
  return windows;
}

// ---- documents -> streams ------------------------------------------------------------------------------------------------

// Splits the window's documents into ranges with about the same number of entries, and lays out the streams. Returns
// the first document of each range and the end of the last range (n_ranges + 1,).
std::vector<std::int64_t> plan_ranges(const StreamSource& source, const Window& window,
                                      const std::vector<std::int64_t>& size, Streams& streams) {
  std::vector<std::int64_t> begins{window.first_doc};
  if (streams.n_ranges == 1 && window.n_docs() == source.x.n_rows) {
    std::copy_n(&size[window.first_class], streams.n_streams, streams.offsets.begin() + 1);
    streams.lay_out();
    begins.push_back(window.last_doc);
    return begins;
  }
  const double share = static_cast<double>(window.n_entries) / static_cast<double>(streams.n_ranges);
  // A branch on the class of a document would be unpredictable, so classes outside the window share one extra stream.
  std::vector<std::int64_t> sizes((streams.n_streams + 1) * streams.n_ranges, 0);
  std::int64_t entries = 0;
  for (std::int64_t d = window.first_doc; d < window.last_doc; ++d) {
    while (begins.size() < streams.n_ranges && static_cast<double>(entries) >= share * static_cast<double>(begins.size()))
      begins.push_back(d);
    const std::int64_t length = source.n_entries(d);
    source.for_each_row(d, [&](std::size_t c) {
      const std::size_t stream = window.stream(c);
      sizes[stream * streams.n_ranges + begins.size() - 1] += length;
      entries += stream < streams.n_streams ? length : 0;
    });
  }
  begins.resize(streams.n_ranges + 1, window.last_doc);
  std::copy_n(sizes.begin(), streams.n_streams * streams.n_ranges, streams.offsets.begin() + 1);
  streams.lay_out();
  return begins;
}

// The state of copying one range of documents to the streams.
struct Range {
  Range(Streams& streams_, std::size_t number_, std::int64_t n_columns_)
      : streams(streams_), number(number_), n_columns(n_columns_), next(streams.n_streams), bounds(streams.n_streams, 0) {
    for (std::size_t s = 0; s < next.size(); ++s) next[s] = streams.offsets[s * streams.n_ranges + number];
  }

  // Appends a checked document, whose columns may be unsorted or repeated, and whose values may be 0 or large. In each
  // column, the first nonzero entry counts as a document, and later entries become escapes. If a value does not fit into a
  // packed entry, the rest of the value also becomes an escape. An escape adds to the occurrences, but does not count the
  // document again. If `is_binary`, there are no escapes.
  template <class Index, class Value>
  void append_unusual(const CsrView<Index, Value>& x, std::int64_t d, bool is_binary, std::size_t stream) {
    bounds[stream] += streams.packed.largest();
    const std::uint16_t row = start_row();
    for (std::int64_t e = x.indptr[d]; e < x.indptr[d + 1]; ++e) {
      const Value value = x.data[e];
      if (value == Value{0}) continue;
      const auto column = static_cast<std::uint32_t>(x.indices[e]);
      std::uint64_t rest = 0;
      if (std::exchange(last_row[column], row) != row) {
        streams.entries[next[stream]++] =
            is_binary ? streams.packed.pack(column, Bool{1}) : streams.packed.pack(column, value);
        if (!is_binary && !streams.packed.holds(value)) rest = streams.packed.rest(value);
      } else if (!is_binary) {
        rest = static_cast<std::uint64_t>(as_count<std::int64_t>(value));
        ++scan.n_unpackable;
      }
      if (rest != 0) streams.escapes[number].push_back({static_cast<std::uint32_t>(stream), column, rest});
    }
  }

  // Returns whether the n columns of a document are distinct.
  template <class Index>
  bool are_distinct(const Index* columns, std::int64_t n) {
    std::int64_t rising = 1;
    while (rising < n && columns[rising] > columns[rising - 1]) ++rising;
    if (rising >= n) return true;
    const std::uint16_t row = start_row();
    std::uint16_t* const last = last_row.get();
    unsigned repeats = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto column = static_cast<std::int64_t>(columns[i]);
      repeats |= last[column] == row;
      last[column] = row;
    }
    return repeats == 0;
  }

  // Returns a new row number for `last_row`.
  std::uint16_t start_row() {
    if (last_row.get() == nullptr) last_row = LargeArray<std::uint16_t>::zeroed(n_columns);
    if (++n_rows == 0) {
      std::fill_n(last_row.get(), n_columns, 0);
      n_rows = 1;
    }
    return n_rows;
  }

  // Returns memory for the n packed entries of consecutive documents.
  std::uint32_t* run(std::int64_t n) {
    if (std::ssize(packed_run) < n) packed_run.resize(static_cast<std::size_t>(2 * n));
    return packed_run.data();
  }

  Streams& streams;
  const std::size_t number;
  const std::int64_t n_columns;
  CsrScan scan;                    // the result of checking the rows so far
  std::vector<std::int64_t> next;  // the place of the next entry of each stream
  // For each stream, an upper bound of the sum of the values in any one cell, which adds up one bound for each document. A
  // document adds at most one packed entry to a cell, and its bound is at least 1, so the sum of the bounds is also an
  // upper bound of the number of documents.
  std::vector<std::uint64_t> bounds;
  // For each column, the number of the last numbered row that has an entry in the column. Only rows with unsorted columns
  // or unusual entries are numbered.
  LargeArray<std::uint16_t> last_row;
  std::uint16_t n_rows = 0;
  std::vector<std::uint32_t> packed_run;
};

// Checks the window's documents among [first, last) and appends them to their streams. Entries are written before their
// check is complete, so that they are read only once. Stops at a document that fails can_stream().
template <class Index, class Value>
void append_rows(const CsrView<Index, Value>& x, const StreamSource& source, const Window& window, std::int64_t first,
                 std::int64_t last, Range& range) {
  const RowKernels<Index, Value> kernels = kernels_in_use<RowKernels<Index, Value>>();
  const bool in_one_row = source.labels.indptr == nullptr && !source.with_collection;
  Streams& streams = range.streams;
  std::uint32_t bound = 0;
  const bool is_whole = in_one_row && window.n_classes() == source.n_rows();
  constexpr std::int64_t short_entries = 16, run_entries = 64;
  constexpr int most = 256;
  std::int64_t documents[most];
  while (first < last) {
    int n_docs = 0;
    for (; first < last && n_docs < most; ++first) {
      documents[n_docs] = first;
      bool is_in = is_whole;  // no branch on is_in, because it would be unpredictable
      if (!is_whole) source.for_each_row(first, [&](std::size_t c) { is_in |= window.stream(c) < window.n_classes(); });
      n_docs += is_in;
    }
    for (int i = 0, singly = 0; i < n_docs;) {
      if (i + 2 < n_docs && documents[i + 2] > documents[i] + 2)  // documents of other windows lie between these two
        prefetch_row(x, documents[i + 2]);
      // Short documents are packed together, because one call per document would take longer than the packing.
      const std::int64_t begin = x.indptr[documents[i]];
      int end = i + 1;
      std::int64_t n = x.indptr[documents[i] + 1] - begin;
      bool are_single = n == 1 && in_one_row;
      for (std::int64_t length = n; i >= singly && length < short_entries && n < run_entries && end < n_docs &&
                                    documents[end] == documents[end - 1] + 1; ++end, n += length) {
        length = x.indptr[documents[end] + 1] - begin - n;
        are_single &= length == 1;
      }
      const Index* const indices = x.indices + begin;
      const bool alone = end == i + 1;
      // If the first columns of a document are in order, the others usually are too. pack_usual() checks every column.
      const bool in_order = alone && std::is_sorted(indices, indices + std::min<std::int64_t>(n, 8));
      const bool is_direct = alone && in_one_row;
      std::uint32_t* out = nullptr;
      if (!is_direct) out = range.run(n);
      else for_each_stream(source, window, documents[i], [&](std::size_t s) { out = streams.entries + range.next[s]; });
      const std::uint32_t usual =
          kernels.pack_usual(indices, x.data + begin, n, x.n_columns, in_order, source.as_ones, streams.packed, out);
      if (usual == 0 && !alone) {
        singly = end;  // packs the documents up to `end` one by one, because usually only one of them has an unusual entry
        continue;
      }
      for (; i < end && are_single && usual != 0; ++i, ++out) {
        bound = std::max(bound, usual);
        for_each_stream(source, window, documents[i], [&](std::size_t stream) {
          streams.entries[range.next[stream]++] = *out;
          range.bounds[stream] += usual;
        });
      }
      for (; i < end; ++i) {
        const std::int64_t d = documents[i], at = x.indptr[d] - begin, length = x.indptr[d + 1] - x.indptr[d];
        if (usual != 0 && (in_order || range.are_distinct(indices + at, length))) {
          bound = std::max(bound, usual);
          for_each_stream(source, window, d, [&](std::size_t stream) {
            if (length == 1) streams.entries[range.next[stream]] = out[at];  // copy_n would take longer
            else if (!is_direct) std::copy_n(out + at, length, streams.entries + range.next[stream]);
            range.next[stream] += length;
            range.bounds[stream] += usual;
          });
          continue;
        }
        CsrScan own;
        own.rows(x, d, d + 1, streams.packed);
        range.scan.add(own);
        if (!source.can_stream(range.scan, streams.packed, 1)) return;
        for_each_stream(source, window, d, [&](std::size_t stream) {
          range.append_unusual(x, d, source.as_ones, stream);
        });
        if (!source.can_stream(range.scan, streams.packed, 1)) return;
      }
    }
  }
  range.scan.value_bound = std::max(range.scan.value_bound, static_cast<double>(bound));
}

// Fills the streams with the window's documents, and returns the result of checking these documents. The streams are
// meaningless if this result fails can_stream().
CsrScan fill(const StreamSource& source, const Window& window, const std::vector<std::int64_t>& size,
             const Threads& threads, Streams& streams) {
  const std::vector<std::int64_t> begins = plan_ranges(source, window, size, streams);
  std::vector<CsrScan> scans(streams.n_ranges);
  for_each_block(static_cast<std::int64_t>(streams.n_ranges), threads, [&](std::int64_t block, Worker& worker) {
    const auto r = static_cast<std::size_t>(block);
    Range range(streams, r, source.x.n_columns);
    for (std::int64_t d = begins[r], last; d < begins[r + 1]; d = last) {
      worker.check();
      last = rows_to_scan(source.x, d, begins[r + 1]);
      source.x.visit([&](const auto& x) { append_rows(x, source, window, d, last, range); });
      if (!source.can_stream(range.scan, streams.packed, 1)) break;
    }
    streams.sort_escapes(r);
    for (std::size_t s = 0; s < streams.n_streams; ++s) {
      streams.bounds[s * streams.n_ranges + r] = range.bounds[s];
      streams.ends[s * streams.n_ranges + r] = range.next[s];
    }
    scans[r] = range.scan;
  });
  return CsrScan::sum(scans);
}

// ---- streams -> rows ----------------------------------------------------------------------------------------------------

// Adds each stream to its row. O(entries), plus O(n_streams n_terms) unless touched terms are noted.
template <CountType Count>
void add_up(const Streams& streams, std::int64_t n_terms, bool notes_touched, double value_bound, const Threads& threads,
            PerThread<CellCounters>& of_threads, ClassRow<Count>* rows) {
  // The threads add the longest streams first. The last stream may keep a single thread busy, so it should be short.
  std::vector<std::size_t> order(streams.n_streams);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return streams.size(a) > streams.size(b); });
  while (!order.empty() && streams.size(order.back()) == 0) order.pop_back();
  for_each_block(static_cast<std::int64_t>(order.size()), threads, [&](std::int64_t block, Worker& worker) {
    const std::size_t stream = order[static_cast<std::size_t>(block)];
    CellCounters& counters = of_threads.own(worker, n_terms, notes_touched);
    counters.add(streams, stream);
    const bool narrow = static_cast<double>(streams.size(stream)) * value_bound < 0x1p32;
    auto added = counters.take<Count>(0, n_terms, 0, narrow);
    added.sum_tokens();
    ClassRow<Count>& row = rows[stream];
    row = row.size == 0 ? std::move(added) : merge_rows(row, added);
  });
}

}  // namespace

template <CountType Count>
Streamed<Count> count_by_class_streams(const StreamSource& source, bool notes_touched, std::int64_t window_bytes,
                                       const Threads& threads) {
  const AnyCsr& x = source.x;
  Streamed<Count> result;
  result.rows.resize(source.n_rows());
  std::vector<std::int64_t> size;
  const std::vector<Window> windows = plan_windows(source, window_bytes, size);
  std::int64_t largest_window = 0;
  for (const Window& window : windows) largest_window = std::max(largest_window, window.n_entries);
  WindowMemory memory;
  PerThread<CellCounters> counters(threads);
  CsrScan scan;  // the result of checking the windows so far
  for (const Window& window : windows) {
    Streams streams(x.n_columns, window.n_classes(), static_cast<std::size_t>(threads.count));
    streams.entries = memory.entries(largest_window);
    scan.add(fill(source, window, size, threads, streams));
    result.possible = source.can_stream(scan, streams.packed, std::min(x.n_rows, StreamSource::most_documents));
    if (!result.possible) return result;
    result.value_bound = source.value_bound(scan);
    result.distinct = scan.distinct;
    add_up(streams, x.n_columns, notes_touched, result.value_bound, threads, counters,
           result.rows.data() + window.first_class);
  }
  return result;
}

template Streamed<std::int64_t> count_by_class_streams(const StreamSource&, bool, std::int64_t, const Threads&);
template Streamed<double> count_by_class_streams(const StreamSource&, bool, std::int64_t, const Threads&);

}  // namespace termsift
