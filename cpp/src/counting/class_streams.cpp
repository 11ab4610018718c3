#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "counting/stream_writer.hpp"

namespace termsift {
namespace {

// Splits the collection into windows. A window has one or more whole classes. If not even one class fits, a window has some
// documents of one class. A window takes at most window_bytes, unless it has only one document.
std::vector<Window> plan_windows(const StreamSource& source, const RowSizes& sizes, std::int64_t window_bytes) {
  const std::int64_t n_docs = source.x.n_rows;
  const std::size_t n_streams = source.n_rows();
  std::vector<std::int64_t> size;  // the entries of each row
  for (std::size_t c = 0; c < n_streams; ++c) size.push_back(sizes.n_entries(c));
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

// Lays out the streams of the window's classes, for documents of the given sizes.
void lay_out(const Window& window, const RowSizes& sizes, Streams& streams) {
  const auto n_ranges = static_cast<std::size_t>(sizes.n_ranges);
  const auto first = sizes.entries.begin() + static_cast<std::ptrdiff_t>(window.first_class * n_ranges);
  std::copy_n(first, streams.n_streams * n_ranges, streams.offsets.begin() + 1);
  streams.lay_out();
}

// Fills the streams with the window's documents, and returns the result of checking these documents. The streams are
// meaningless if this result fails can_stream().
CsrScan fill(const StreamSource& source, const Window& window, const std::vector<std::int64_t>& begins,
             const Threads& threads, Streams& streams) {
  std::vector<CsrScan> scans(streams.n_ranges);
  for_each_block(static_cast<std::int64_t>(streams.n_ranges), threads, [&](std::int64_t block, Worker& worker) {
    const auto r = static_cast<std::size_t>(block);
    StreamWriter writer(source, window, streams, r);
    for (std::int64_t d = begins[r], last; d < begins[r + 1]; d = last) {
      worker.check();
      last = rows_to_scan(source.x, d, begins[r + 1]);
      if (!writer.append(d, last)) break;
    }
    scans[r] = writer.finish();
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
Streamed<Count> count_by_class_streams(const StreamSource& source, const RowSizes& sizes, bool notes_touched,
                                       std::int64_t window_bytes, const Threads& threads) {
  const AnyCsr& x = source.x;
  Streamed<Count> result;
  result.rows.resize(source.n_rows());
  const std::vector<Window> windows = plan_windows(source, sizes, window_bytes);
  std::int64_t largest_window = 0;
  for (const Window& window : windows) largest_window = std::max(largest_window, window.n_entries);
  WindowMemory memory;
  PerThread<CellCounters> counters(threads);
  CsrScan scan;  // the result of checking the windows so far
  for (const Window& window : windows) {
    std::optional<RowSizes> own;
    if (window.n_docs() < x.n_rows) own.emplace(source, window.first_doc, window.last_doc, threads);
    const RowSizes& of_window = own ? *own : sizes;
    Streams streams(x.n_columns, window.n_classes(), static_cast<std::size_t>(of_window.n_ranges));
    lay_out(window, of_window, streams);
    streams.entries = memory.entries(largest_window);
    scan.add(fill(source, window, of_window.begins, threads, streams));
    result.possible = source.can_stream(scan, streams.packed, std::min(x.n_rows, StreamSource::most_documents));
    if (!result.possible) return result;
    result.value_bound = source.value_bound(scan);
    result.distinct = scan.distinct;
    add_up(streams, x.n_columns, notes_touched, result.value_bound, threads, counters,
           result.rows.data() + window.first_class);
  }
  return result;
}

template Streamed<std::int64_t> count_by_class_streams(const StreamSource&, const RowSizes&, bool, std::int64_t,
                                                       const Threads&);
template Streamed<double> count_by_class_streams(const StreamSource&, const RowSizes&, bool, std::int64_t, const Threads&);

}  // namespace termsift
