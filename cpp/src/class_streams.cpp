#include "class_streams.hpp"

#include <numeric>
#include <utility>

#include "zeroed_array.hpp"

namespace termsift {

// One counter a term, documents above and occurrences below, all zero between classes.
struct StreamCounters {
  static constexpr int document_shift = 40;
  static constexpr std::uint64_t one_document = std::uint64_t{1} << document_shift;

  explicit StreamCounters(std::int64_t n_terms) : counters(n_terms), seen((n_terms + 63) / 64) {}
  ZeroedArray<std::uint64_t> counters;
  ZeroedArray<std::uint64_t> seen;  // one bit a term: whether its counter is not zero; zeros between classes
};

template <CountType Count>
template <class Index, class Value>
ClassStreams<Count>::ClassStreams(const CsrView<Index, Value>& x, const LabelView& labels, bool with_collection,
                                  std::int64_t first, std::int64_t last, const Threads& threads)
    : n_streams_(static_cast<std::size_t>(labels.n_classes) + 1),
      n_ranges_(static_cast<std::size_t>(threads.count)),
      with_collection_(with_collection),
      packed_(x.n_columns),
      offsets_(n_streams_ * n_ranges_ + 1, 0),
      escapes_(n_ranges_) {
  // Ranges of about as many entries each.
  for (std::size_t range = 0; range <= n_ranges_; ++range) {
    const std::int64_t entries = x.indptr[last] - x.indptr[first];
    const auto share = static_cast<std::int64_t>(static_cast<double>(entries) * static_cast<double>(range) / static_cast<double>(n_ranges_));
    const Index* const at = std::lower_bound(x.indptr + first, x.indptr + last, static_cast<Index>(x.indptr[first] + share));
    documents_.push_back(range == n_ranges_ ? last : range == 0 ? first : at - x.indptr);
  }
  for (std::size_t range = 0; range < n_ranges_; ++range)
    for (std::int64_t d = documents_[range]; d < documents_[range + 1]; ++d) {
      const std::int64_t length = x.indptr[d + 1] - x.indptr[d];
      for_each_class(labels, d, [&](std::size_t c) { offsets_[c * n_ranges_ + range + 1] += length; });
      if (with_collection_) offsets_[(n_streams_ - 1) * n_ranges_ + range + 1] += length;
    }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  entries_ = std::make_unique_for_overwrite<std::uint32_t[]>(static_cast<std::size_t>(offsets_.back()));
  for_each_block(static_cast<std::int64_t>(n_ranges_), threads, [&](std::int64_t range, Worker& worker) {
    const auto r = static_cast<std::size_t>(range);
    escapes_[r] = fill(x, labels, r, worker);
  });
}

// Appends the rows of a range to their streams.
template <CountType Count>
template <class Index, class Value>
typename ClassStreams<Count>::Escapes ClassStreams<Count>::fill(const CsrView<Index, Value>& x, const LabelView& labels,
                                                                std::size_t range, Worker& worker) {
  std::vector<std::int64_t> next(n_streams_);
  for (std::size_t stream = 0; stream < n_streams_; ++stream) next[stream] = offsets_[stream * n_ranges_ + range];
  std::vector<std::pair<std::size_t, Count>> escaped;  // stream and value, in the order of the documents

  const auto append = [&](std::int64_t d, std::size_t stream) {
    const std::int64_t begin = x.indptr[d], length = x.indptr[d + 1] - begin;
    const Index* const indices = x.indices + begin;
    const Value* const data = x.data + begin;
    std::uint32_t* const out = entries_.get() + next[stream];
    next[stream] += length;
    std::int64_t unpackable = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      unpackable += !packed_.holds(data[k]);
      out[k] = packed_.pack(static_cast<std::uint32_t>(indices[k]), data[k]);
    }
    if (unpackable == 0) return;
    for (std::int64_t k = 0; k < length; ++k)
      if (!packed_.holds(data[k])) escaped.emplace_back(stream, as_count<Count>(data[k]));
  };
  for (std::int64_t d = documents_[range]; d < documents_[range + 1]; ++d) {
    for_each_class(labels, d, [&](std::size_t c) { append(d, c); });
    if (with_collection_) append(d, n_streams_ - 1);
    if (d % 1024 == 0) worker.check();
  }

  // By stream, keeping their order.
  Escapes escapes{std::vector<std::int64_t>(n_streams_ + 1, 0), std::vector<Count>(escaped.size())};
  for (const auto& [stream, value] : escaped) ++escapes.begin[stream + 1];
  std::partial_sum(escapes.begin.begin(), escapes.begin.end(), escapes.begin.begin());
  if (!escaped.empty()) {
    std::vector<std::int64_t> at(escapes.begin);
    for (const auto& [stream, value] : escaped) escapes.values[static_cast<std::size_t>(at[stream]++)] = value;
  }
  return escapes;
}

// Adds a stream up; notes the terms seen only if `note_seen`, which costs about as much as the addition.
template <CountType Count>
template <bool note_seen>
void ClassStreams<Count>::add_up(std::size_t stream, std::uint64_t* counters, std::uint64_t* seen) const {
  for (std::size_t range = 0; range < n_ranges_; ++range) {
    const std::uint32_t* const begin = entries_.get() + offsets_[stream * n_ranges_ + range];
    const std::uint32_t* const end = entries_.get() + offsets_[stream * n_ranges_ + range + 1];
    const Count* escape = escapes_[range].values.data() + escapes_[range].begin[stream];
    for (const std::uint32_t* entry = begin; entry != end; ++entry) {
      const std::uint32_t term = packed_.term(*entry);
      const std::uint32_t small = packed_.value(*entry);
      const std::uint64_t value = small != packed_.escape() ? small : static_cast<std::uint64_t>(*escape++);
      counters[term] += StreamCounters::one_document + value;
      if constexpr (note_seen) seen[term / 64] |= std::uint64_t{1} << term % 64;
    }
  }
}

template <CountType Count>
ClassRow<Count> ClassStreams<Count>::count_stream(std::size_t stream, std::int64_t n_terms, StreamCounters& work) const {
  std::uint64_t* const counters = work.counters.get();
  std::uint64_t* const seen = work.seen.get();
  if (stream_size(stream) < n_terms / 4) {
    add_up<true>(stream, counters, seen);
  } else {
    add_up<false>(stream, counters, seen);
    for (std::int64_t term = 0; term < n_terms; ++term)
      seen[term / 64] |= static_cast<std::uint64_t>(counters[term] != 0) << term % 64;
  }

  const std::int64_t n_words = (n_terms + 63) / 64;
  std::int64_t size = 0;
  for (std::int64_t word = 0; word < n_words; ++word) size += std::popcount(seen[word]);
  auto row = ClassRow<Count>::with_capacity(size);
  row.size = size;
  std::int64_t i = 0;
  for (std::int64_t word = 0; word < n_words; ++word)
    for (std::uint64_t bits = std::exchange(seen[word], 0); bits != 0; bits &= bits - 1, ++i) {
      const std::int64_t term = 64 * word + std::countr_zero(bits);
      const std::uint64_t counter = std::exchange(counters[term], 0);
      row.terms[i] = static_cast<TermId>(term);
      row.term_frequency[i] = static_cast<Count>(counter & (StreamCounters::one_document - 1));
      row.document_frequency[i] = static_cast<Count>(counter >> StreamCounters::document_shift);
    }
  row.sum_tokens();
  return row;
}

template <CountType Count>
std::vector<ClassRow<Count>> ClassStreams<Count>::count(std::int64_t n_terms, const Threads& threads) const {
  // The longest streams first: the last one, which runs alone, should be short.
  std::vector<std::size_t> order(n_streams_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return stream_size(a) > stream_size(b); });

  std::vector<ClassRow<Count>> rows(n_streams_);
  std::vector<std::unique_ptr<StreamCounters>> counters(static_cast<std::size_t>(threads.count));
  for_each_block(static_cast<std::int64_t>(n_streams_), threads, [&](std::int64_t block, Worker& worker) {
    const std::size_t stream = order[static_cast<std::size_t>(block)];
    if (stream_size(stream) == 0) return;
    auto& slot = counters[static_cast<std::size_t>(worker.thread())];
    if (!slot) slot = std::make_unique<StreamCounters>(n_terms);
    rows[stream] = count_stream(stream, n_terms, *slot);
  });
  return rows;
}

template class ClassStreams<std::int64_t>;
template class ClassStreams<double>;
#define TERMSIFT_INSTANTIATE(Index, Value, Count)                                                                    \
  template ClassStreams<Count>::ClassStreams(const CsrView<Index, Value>&, const LabelView&, bool, std::int64_t,     \
                                             std::int64_t, const Threads&);
#define TERMSIFT_INSTANTIATE_INTEGER(Value)               \
  TERMSIFT_INSTANTIATE(std::int32_t, Value, std::int64_t) \
  TERMSIFT_INSTANTIATE(std::int64_t, Value, std::int64_t) \
  TERMSIFT_INSTANTIATE_FLOAT(Value)
#define TERMSIFT_INSTANTIATE_FLOAT(Value)           \
  TERMSIFT_INSTANTIATE(std::int32_t, Value, double) \
  TERMSIFT_INSTANTIATE(std::int64_t, Value, double)
TERMSIFT_FOR_EACH_INTEGER_VALUE(TERMSIFT_INSTANTIATE_INTEGER)
TERMSIFT_FOR_EACH_FLOAT_VALUE(TERMSIFT_INSTANTIATE_FLOAT)

}  // namespace termsift
