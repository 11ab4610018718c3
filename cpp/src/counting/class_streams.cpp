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
  const auto first = sizes.entries.begin() + static_cast<std::ptrdiff_t>(window.first_class * streams.n_ranges);
  std::partial_sum(first, first + static_cast<std::ptrdiff_t>(streams.ends.size()), streams.offsets.begin() + 1);
}

// Fills the streams with the window's documents, and returns the result of checking these documents. The streams are
// meaningless if this result fails can_stream().
CsrScan fill(const StreamSource& source, const Window& window, const std::vector<std::int64_t>& begins,
             const Threads& threads, Streams& streams) {
  std::vector<CsrScan> scans(streams.n_ranges);
  for_each_block(static_cast<std::int64_t>(streams.n_ranges), threads, [&](std::int64_t block, Worker& worker) {
    const auto r = static_cast<std::size_t>(block);
    StreamWriter writer(source, window, streams, r);
    bool sound = true;
    for (std::int64_t d = begins[r], last; d < begins[r + 1] && sound; d = last) {
      worker.check();
      last = rows_to_scan(source.x, d, begins[r + 1]);
      sound = writer.append(d, last);
    }
    scans[r] = writer.finish();
    if (sound) streams.sort_by_block(r, worker);
  });
  return CsrScan::sum(scans);
}

// ---- streams -> rows ----------------------------------------------------------------------------------------------------

// Adds each stream to its row. A row of several blocks is first made in parts. Even an empty part takes 100 bytes, so parts
// are made for some streams at a time.
template <CountType Count>
void add_up(const Streams& streams, double value_bound, const Threads& threads, PerThread<CellCounters>& of_threads,
            ClassRow<Count>* rows) {
  // The threads add the longest streams first. The last stream may keep a single thread busy, so it should be short.
  std::vector<std::size_t> order(streams.n_streams);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return streams.size(a) > streams.size(b); });
  while (!order.empty() && streams.size(order.back()) == 0) order.pop_back();
  const auto take = [&](std::size_t stream, std::size_t block, Worker& worker) {
    CellCounters& counters = of_threads.own(worker, streams.n_cells());
    counters.add(streams, stream, block);
    const bool narrow = static_cast<double>(streams.size(stream)) * value_bound < 0x1p32;
    return counters.take<Count>(0, streams.n_cells(), static_cast<std::int64_t>(block) << streams.block_bits, narrow);
  };
  const auto add_to_row = [&](std::size_t stream, ClassRow<Count>&& added, Worker& worker) {
    ClassRow<Count>& row = rows[stream];
    row = row.size == 0 ? std::move(added) : merge_rows(row, added, &worker);
  };
  const auto n_blocks = static_cast<std::int64_t>(streams.n_blocks);
  if (n_blocks == 1) {
    for_each_block(std::ssize(order), threads, [&](std::int64_t i, Worker& worker) {
      const std::size_t stream = order[static_cast<std::size_t>(i)];
      ClassRow<Count> added = take(stream, 0, worker);
      added.sum_tokens();
      add_to_row(stream, std::move(added), worker);
    });
    return;
  }
  constexpr std::int64_t most_parts = 1 << 16;
  for_each_range(std::ssize(order), std::max<std::int64_t>(most_parts / n_blocks, 1), {1, threads.poll},
                 [&](std::int64_t first, std::int64_t last, Worker&) {
    std::vector<ClassRow<Count>> parts(static_cast<std::size_t>((last - first) * n_blocks));
    for_each_block(std::ssize(parts), threads, [&](std::int64_t i, Worker& worker) {
      parts[static_cast<std::size_t>(i)] = take(order[static_cast<std::size_t>(first + i / n_blocks)],
                                                static_cast<std::size_t>(i % n_blocks), worker);
    });
    for_each_block(last - first, threads, [&](std::int64_t i, Worker& worker) {
      const ClassRow<Count>* const begin = parts.data() + i * n_blocks;
      add_to_row(order[static_cast<std::size_t>(first + i)], concatenate(begin, begin + n_blocks), worker);
    });
  });
}

}  // namespace

template <CountType Count>
std::optional<Streamed<Count>> count_by_class_streams(const StreamSource& source, const RowSizes& sizes, bool by_blocks,
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
    Streams streams(x.n_columns, window.n_classes(), static_cast<std::size_t>(of_window.n_ranges), by_blocks);
    lay_out(window, of_window, streams);
    streams.entries = memory.entries(largest_window);
    scan.add(fill(source, window, of_window.begins, threads, streams));
    if (!source.can_stream(scan, streams.packed, std::min(x.n_rows, StreamSource::most_documents))) return std::nullopt;
    result.facts = source.facts(scan);
    add_up(streams, result.facts.value_bound, threads, counters, result.rows.data() + window.first_class);
  }
  return result;
}

template std::optional<Streamed<std::int64_t>> count_by_class_streams(const StreamSource&, const RowSizes&, bool,
                                                                      std::int64_t, const Threads&);
template std::optional<Streamed<double>> count_by_class_streams(const StreamSource&, const RowSizes&, bool, std::int64_t,
                                                                const Threads&);

}  // namespace termsift
