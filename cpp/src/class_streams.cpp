#include "class_streams.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <utility>

#include "csr_scan.hpp"
#include "simd/entry_kernels.hpp"

namespace termsift {
namespace {

// The documents [first_doc, last_doc) of the classes [first_class, last_class); the class after the last is the collection.
struct Window {
  std::size_t first_class, last_class;
  std::int64_t first_doc, last_doc;
  std::int64_t n_entries;

  std::size_t n_classes() const { return last_class - first_class; }
};

// Calls f(class) for each class of the document that the window has.
template <class F>
void for_each_class_in(const Window& window, const LabelView& labels, bool with_collection, std::int64_t d, const F& f) {
  for_each_class(labels, d, [&](std::size_t c) {
    if (c >= window.first_class && c < window.last_class) f(c - window.first_class);
  });
  const auto collection = static_cast<std::size_t>(labels.n_classes);
  if (with_collection && window.last_class > collection) f(collection - window.first_class);
}

// Windows of at most window_bytes, or of one document: several classes if they fit, else some documents of one class.
template <class Index, class Value>
std::vector<Window> plan_windows(const CsrView<Index, Value>& x, const LabelView& labels, bool with_collection,
                                 std::int64_t window_bytes) {
  const std::size_t n_streams = static_cast<std::size_t>(labels.n_classes) + with_collection;
  const Window everything{0, n_streams, 0, x.n_rows, 0};
  std::vector<std::int64_t> size(n_streams, 0);
  for (std::int64_t d = 0; d < x.n_rows; ++d) {
    const std::int64_t length = x.indptr[d + 1] - x.indptr[d];
    for_each_class_in(everything, labels, with_collection, d, [&](std::size_t c) { size[c] += length; });
  }
  const std::int64_t most = std::max<std::int64_t>(window_bytes / 4, 1);
  // As few windows as can be, of about the same size: the memory of the largest is what is paid for.
  const std::int64_t n_entries = std::accumulate(size.begin(), size.end(), std::int64_t{0});
  const std::int64_t enough = n_entries / (n_entries / most + 1);
  std::vector<Window> windows;
  for (std::size_t c = 0; c < n_streams;) {
    Window window{c, c + 1, 0, x.n_rows, size[c]};
    while (window.last_class < n_streams && window.n_entries <= enough && window.n_entries + size[window.last_class] <= most)
      window.n_entries += size[window.last_class++];
    c = window.last_class;
    if (window.n_entries <= most && x.n_rows <= StreamLimits::most_documents) {
      windows.push_back(window);
      continue;
    }
    window.n_entries = 0;
    for (std::int64_t d = 0; d < x.n_rows; ++d) {
      std::int64_t entries = 0;
      for_each_class_in(window, labels, with_collection, d, [&](std::size_t) { entries += x.indptr[d + 1] - x.indptr[d]; });
      if (window.n_entries + entries > most || d - window.first_doc == StreamLimits::most_documents) {
        window.last_doc = d;
        if (window.n_entries > 0) windows.push_back(window);
        window.first_doc = d, window.n_entries = 0;
      }
      window.n_entries += entries;
    }
    window.last_doc = x.n_rows;
    windows.push_back(window);
  }
  return windows;
}

// The documents of a window, split into ranges of about as many entries each: those of range r are
// documents[begins[r] .. begins[r + 1]).
struct Ranges {
  std::vector<std::int64_t> documents;
  std::vector<std::size_t> begins;
};

// Also lays the streams out.
template <class Index, class Value>
Ranges plan_ranges(const CsrView<Index, Value>& x, const LabelView& labels, bool with_collection, const Window& window,
                   Streams& streams) {
  Ranges ranges{{}, {0}};
  const double share = static_cast<double>(window.n_entries) / static_cast<double>(streams.n_ranges);
  std::int64_t entries = 0;
  for (std::int64_t d = window.first_doc; d < window.last_doc; ++d) {
    const std::int64_t length = x.indptr[d + 1] - x.indptr[d];
    bool listed = length == 0;
    for_each_class_in(window, labels, with_collection, d, [&](std::size_t stream) {
      if (!listed) {
        while (ranges.begins.size() < streams.n_ranges &&
               static_cast<double>(entries) >= share * static_cast<double>(ranges.begins.size()))
          ranges.begins.push_back(ranges.documents.size());
        ranges.documents.push_back(d);
        listed = true;
      }
      streams.offsets[stream * streams.n_ranges + ranges.begins.size()] += length;
      entries += length;
    });
  }
  ranges.begins.resize(streams.n_ranges + 1, ranges.documents.size());
  streams.lay_out();
  return ranges;
}

// Appends the rows of documents to their streams.
template <class Index, class Value>
class Filler {
 public:
  Filler(const CsrView<Index, Value>& x, const Bool* ones, Streams& streams, std::size_t range)
      : x_(x), ones_(ones), streams_(streams), range_(range), packed_(streams.packed), next_(streams.n_streams) {
    for (std::size_t s = 0; s < streams.n_streams; ++s) next_[s] = streams.offsets[s * streams.n_ranges + range];
  }
  // To be called a few documents ahead where these do not follow each other: the rows of some classes lie scattered.
  void prefetch([[maybe_unused]] std::int64_t d) const {
#ifdef __GNUC__
    for (std::int64_t e = x_.indptr[d]; e < std::min<std::int64_t>(x_.indptr[d + 1], x_.indptr[d] + 512); e += 16) {
      __builtin_prefetch(x_.indices + e);
      __builtin_prefetch(x_.data + e);
    }
#endif
  }
  void append(std::int64_t d, std::size_t stream) {
    const std::int64_t begin = x_.indptr[d], length = x_.indptr[d + 1] - begin;
    if (ones_ != nullptr) append(x_.indices + begin, ones_, length, stream, kernels_of_ones_);
    else append(x_.indices + begin, x_.data + begin, length, stream, kernels_);
  }

 private:
  template <class Counted>
  void append(const Index* indices, const Counted* data, std::int64_t length, std::size_t stream,
              const RowKernels<Index, Counted>& kernels) {
    std::uint32_t* const out = streams_.entries + next_[stream];
    next_[stream] += length;
    const std::int64_t escapes = kernels.pack(indices, data, length, packed_, out);
    if (escapes == 0) return;
    for (std::int64_t k = 0; k < length; ++k)
      if (!packed_.holds(data[k]))
        streams_.escapes[range_].push_back({static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(indices[k]),
                                            packed_.rest(data[k])});
  }

  const CsrView<Index, Value>& x_;
  const Bool* const ones_;
  Streams& streams_;
  const std::size_t range_;
  const PackedEntry packed_;
  const RowKernels<Index, Value> kernels_ = row_kernels_in_use<Index, Value>();
  const RowKernels<Index, Bool> kernels_of_ones_ = row_kernels_in_use<Index, Bool>();
  std::vector<std::int64_t> next_;  // (n_streams,), where the next entry goes
};

}  // namespace

template <CountType Count, class Index, class Value>
Streamed<Count> count_by_class_streams(const CsrView<Index, Value>& x, const Bool* ones, const LabelView& labels,
                                       bool with_collection, bool notes_touched, std::int64_t window_bytes,
                                       const Threads& threads) {
  const auto n_threads = static_cast<std::size_t>(threads.count);
  const std::int64_t n_entries = x.indptr[x.n_rows];
  Streamed<Count> result;
  result.rows.resize(static_cast<std::size_t>(labels.n_classes) + with_collection);
  const std::vector<Window> windows = plan_windows(x, labels, with_collection, window_bytes);
  std::int64_t largest_window = 0;
  for (const Window& window : windows) largest_window = std::max(largest_window, window.n_entries);
  const Scratch<std::uint32_t> entries(largest_window);
  std::vector<std::unique_ptr<CellCounters>> counters(n_threads);
  std::vector<std::unique_ptr<RowMemory>> memory(n_threads);

  for (const Window& window : windows) {
    const bool checks = &window == windows.data();
    Streams streams(x.n_columns, window.n_classes(), n_threads);
    streams.entries = entries.get();
    const auto as_counted = [&](const CsrFacts& facts) {
      return ones != nullptr ? of_ones(facts, streams.packed, n_entries) : facts;
    };
    const Ranges ranges = plan_ranges(x, labels, with_collection, window, streams);

    std::vector<CsrScan> scans(n_threads);
    for_each_block(threads.count, threads, [&](std::int64_t block, Worker& worker) {
      const auto range = static_cast<std::size_t>(block);
      Filler<Index, Value> filler(x, ones, streams, range);
      const std::int64_t* document = ranges.documents.data() + ranges.begins[range];
      const std::int64_t* const end = ranges.documents.data() + ranges.begins[range + 1];
      const auto append = [&] {
        const std::int64_t d = *document++;
        for_each_class_in(window, labels, with_collection, d, [&](std::size_t stream) { filler.append(d, stream); });
      };
      if (checks) {
        // The first window looks at all documents, also those that it does not copy, a few just before they are copied.
        const bool is_last = range + 1 == n_threads || end == ranges.documents.data() + ranges.documents.size();
        std::int64_t d = range == 0 ? 0 : document == end ? x.n_rows : *document;
        const std::int64_t end_of_rows = is_last ? x.n_rows : *end;
        CsrScan& scan = scans[range];
        while (d < end_of_rows) {
          const std::int64_t last = rows_to_scan(x, d, end_of_rows);
          worker.check();
          if (!scan.rows(x, d, last, streams.packed)) return;
          if (!StreamLimits::allow(as_counted(scan.facts), 1, n_entries)) return;
          while (document != end && *document < last) append();
          d = last;
        }
      } else {
        while (document != end) {
          if ((end - document) % 256 == 0) worker.check();
          if (end - document > 2) filler.prefetch(document[2]);
          append();
        }
      }
      streams.sort_escapes(range);
    });
    if (checks) {
      const CsrScan all = CsrScan::of(scans);
      result.refused = all.refused;
      result.facts = as_counted(all.facts);
      const std::int64_t n_docs = std::min(x.n_rows, StreamLimits::most_documents);
      result.within_limits = StreamLimits::allow(result.facts, n_docs, n_entries);
      if (result.refused || !result.within_limits) return result;
    }

    // The longest streams first: the last one, which runs alone, should be short.
    std::vector<std::size_t> order(streams.n_streams);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return streams.size(a) > streams.size(b); });
    while (!order.empty() && streams.size(order.back()) == 0) order.pop_back();
    for_each_block(static_cast<std::int64_t>(order.size()), threads, [&](std::int64_t block, Worker& worker) {
      const std::size_t stream = order[static_cast<std::size_t>(block)];
      auto& work = counters[static_cast<std::size_t>(worker.thread())];
      auto& rows = memory[static_cast<std::size_t>(worker.thread())];
      if (!work) work = std::make_unique<CellCounters>(x.n_columns, notes_touched);
      if (!rows) rows = std::make_unique<RowMemory>();
      work->add(streams, stream);
      const bool narrow = static_cast<double>(streams.size(stream)) * result.facts.value_bound < 0x1p32;
      const std::int64_t size = work->count_nonzero(0, x.n_columns);
      auto added = ClassRow<Count>::with_capacity(size, narrow, *rows);
      added.size = size;
      work->drain(0, x.n_columns, 0, added);
      added.sum_tokens();
      ClassRow<Count>& row = result.rows[window.first_class + stream];
      row = row.size == 0 ? std::move(added) : merge_rows(row, added);
    });
  }
  return result;
}

#define TERMSIFT_INSTANTIATE(Index, Value, Count)                                                                        \
  template Streamed<Count> count_by_class_streams(const CsrView<Index, Value>&, const Bool*, const LabelView&, bool, bool,  \
                                                  std::int64_t, const Threads&);
TERMSIFT_FOR_EACH_COUNTED_MATRIX(TERMSIFT_INSTANTIATE)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
