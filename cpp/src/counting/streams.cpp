#include "counting/streams.hpp"

#include <algorithm>
#include <numeric>

#include "counting/entry_kernels.hpp"
#include "simd/targets.hpp"

namespace termsift {

void Streams::lay_out() { std::partial_sum(offsets.begin(), offsets.end(), offsets.begin()); }

void Streams::sort_escapes(std::size_t range) {
  std::sort(escapes[range].begin(), escapes[range].end(),
            [](const Escape& a, const Escape& b) { return a.stream < b.stream; });
}

CsrFacts StreamSource::as_counted(CsrFacts facts, const PackedEntry& packed) const {
  if (ones == nullptr) return facts;
  facts.has_fractions = false;
  facts.value_bound = 1;
  facts.n_unpackable = packed.holds(Bool{1}) ? 0 : n_entries();
  return facts;
}

bool StreamLimits::allow(const CsrFacts& facts, std::int64_t n_docs, std::int64_t n_entries) {
  const bool few_escapes = facts.n_unpackable <= n_entries / 8;
  const bool fits = n_docs <= most_documents && facts.value_bound * static_cast<double>(n_docs) < 0x1p40;
  return facts.distinct && !facts.has_zeros && !facts.has_fractions && few_escapes && fits;
}

CellCounters::CellCounters(std::int64_t n_cells, bool notes_touched)
    : notes_touched_(notes_touched),
      small_(LargeArray<std::uint32_t>::zeroed((n_cells + 63) / 64 * 64)),
      large_(LargeArray<std::uint64_t>::zeroed_for_few((n_cells + 63) / 64 * 64)),
      seen_(LargeArray<std::uint64_t>::zeroed((n_cells + 63) / 64)),
      seen_groups_(LargeArray<std::uint8_t>::zeroed(notes_touched ? n_cells / (64 * group_words) + 1 : 0)) {}

void CellCounters::add(const Streams& streams, std::size_t stream) {
  const CounterKernels kernels = kernels_in_use<CounterKernels>();
  for (std::size_t range = 0; range < streams.n_ranges; ++range) {
    const std::uint32_t* const begin = streams.entries + streams.offsets[stream * streams.n_ranges + range];
    const std::int64_t n =
        streams.offsets[stream * streams.n_ranges + range + 1] - streams.offsets[stream * streams.n_ranges + range];
    if (notes_touched_)
      kernels.add_and_note(begin, n, streams.packed, counters(), seen_.get(), seen_groups_.get());
    else
      kernels.add(begin, n, streams.packed, counters());
    const auto& escapes = streams.escapes[range];
    auto escape = std::lower_bound(escapes.begin(), escapes.end(), stream,
                                   [](const Streams::Escape& e, std::size_t s) { return e.stream < s; });
    for (; escape != escapes.end() && escape->stream == stream; ++escape)
      counters().add_occurrences(escape->cell, escape->rest);
  }
}

template <class F>
void CellCounters::for_each_seen_part(std::int64_t first, std::int64_t n, const F& f) {
  const std::int64_t begin = first / 64, end = (first + n + 63) / 64;
  if (!notes_touched_) return f(begin, end - begin);
  for (std::int64_t word = begin; word < end; word += group_words)
    if (seen_groups_[word / group_words] != 0) f(word, std::min(group_words, end - word));
}

std::int64_t CellCounters::count_nonzero(std::int64_t first, std::int64_t n) {
  const CounterKernels kernels = kernels_in_use<CounterKernels>();
  if (!notes_touched_) return kernels.note(small_.get() + first, (n + 63) / 64, seen_.get() + first / 64);
  std::int64_t size = 0;
  for_each_seen_part(first, n, [&](std::int64_t word, std::int64_t n_words) {
    size += kernels.count_bits(seen_.get() + word, n_words);
  });
  return size;
}

template <CountType Count>
void CellCounters::drain(std::int64_t first, std::int64_t n, std::int64_t first_term, ClassRow<Count>& row) {
  const CounterKernels kernels = kernels_in_use<CounterKernels>();
  std::int64_t at = 0;
  for_each_seen_part(first, n, [&](std::int64_t word, std::int64_t n_words) {
    const Counters from{small_.get() + 64 * word, large_.get() + 64 * word};
    std::uint64_t* const words = seen_.get() + word;
    const auto term = static_cast<TermId>(first_term + (64 * word - first));
    if (row.is_narrow()) {
      at += kernels.drain(from, words, n_words, term, row.size - at, row.terms + at,
                          row.term_frequency.narrow() + at, row.document_frequency.narrow() + at);
    } else {
      for (const std::int64_t end = at + kernels.list(words, n_words, term, row.size - at, row.terms + at); at < end; ++at) {
        const std::int64_t cell = row.terms[at] - term;
        const std::uint64_t both = from.take_large(cell, from.take_small(cell));
        row.term_frequency.set(at, static_cast<Count>(Counters::large_occurrences(both)));
        row.document_frequency.set(at, static_cast<Count>(both >> Counters::large_document_shift));
      }
    }
    if (notes_touched_) seen_groups_[word / group_words] = 0;
  });
}

template void CellCounters::drain(std::int64_t, std::int64_t, std::int64_t, ClassRow<std::int64_t>&);
template void CellCounters::drain(std::int64_t, std::int64_t, std::int64_t, ClassRow<double>&);

}  // namespace termsift
