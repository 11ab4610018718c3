#include "counting/streams.hpp"

#include <algorithm>
#include <numeric>

namespace termsift {

void Streams::lay_out() { std::partial_sum(offsets.begin(), offsets.end(), offsets.begin()); }

void Streams::sort_escapes(std::size_t range) {
  std::sort(escapes[range].begin(), escapes[range].end(),
            [](const Escape& a, const Escape& b) { return a.stream < b.stream; });
}

bool StreamSource::can_stream(const CsrScan& scan, const PackedEntry& packed, std::int64_t n_docs) const {
  const EntryFacts& facts = scan.facts;
  if (scan.refused || n_docs > most_documents) return false;
  if (ones != nullptr) return packed.holds(Bool{1});
  constexpr double most_occurrences = std::int64_t{1} << PackedCounters::large_document_shift;
  // A document of distinct columns adds one value to a cell.
  const auto n_values = static_cast<double>(facts.distinct ? n_docs : n_entries());
  return !facts.has_fractions && facts.n_unpackable <= n_entries() / 8 && facts.value_bound * n_values < most_occurrences;
}

CellCounters::CellCounters(std::int64_t n_cells, bool notes_touched)
    : notes_touched_(notes_touched),
      small_(LargeArray<std::uint32_t>::zeroed((n_cells + 63) / 64 * 64)),
      large_(LargeArray<std::uint64_t>::zeroed_for_few((n_cells + 63) / 64 * 64)),
      seen_(LargeArray<std::uint64_t>::zeroed((n_cells + 63) / 64)),
      seen_groups_(LargeArray<std::uint8_t>::zeroed(notes_touched ? n_cells / (64 * group_words) + 1 : 0)) {}

void CellCounters::add(const Streams& streams, std::size_t stream) {
  const auto bounds = streams.bounds.begin() + static_cast<std::ptrdiff_t>(stream * streams.n_ranges);
  const bool bounded = std::accumulate(bounds, bounds + static_cast<std::ptrdiff_t>(streams.n_ranges), std::uint64_t{0}) <
                       PackedCounters::bound;
  for (std::size_t range = 0; range < streams.n_ranges; ++range) {
    const std::size_t segment = stream * streams.n_ranges + range;
    const std::uint32_t* const begin = streams.entries + streams.offsets[segment];
    const std::int64_t n = streams.ends[segment] - streams.offsets[segment];
    if (notes_touched_)
      kernels_.add_and_note(begin, n, streams.packed, counters(), bounded, seen_.get(), seen_groups_.get());
    else
      kernels_.add(begin, n, streams.packed, counters(), bounded);
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
  if (!notes_touched_) return kernels_.note(small_.get() + first, (n + 63) / 64, seen_.get() + first / 64);
  std::int64_t size = 0;
  for_each_seen_part(first, n, [&](std::int64_t word, std::int64_t n_words) {
    size += kernels_.count_bits(seen_.get() + word, n_words);
  });
  return size;
}

template <CountType Count>
void CellCounters::drain(std::int64_t first, std::int64_t n, std::int64_t first_term, ClassRow<Count>& row) {
  std::int64_t at = 0;
  for_each_seen_part(first, n, [&](std::int64_t word, std::int64_t n_words) {
    const PackedCounters from{small_.get() + 64 * word, large_.get() + 64 * word};
    std::uint64_t* const words = seen_.get() + word;
    const auto term = static_cast<TermId>(first_term + (64 * word - first));
    if (row.is_narrow()) {
      at += kernels_.drain(from, words, n_words, term, row.size - at, row.terms + at,
                           row.term_frequency.narrow() + at, row.document_frequency.narrow() + at);
    } else {
      const std::int64_t end = at + kernels_.list(words, n_words, term, row.size - at, row.terms + at);
      for (; at < end; ++at) {
        const std::int64_t cell = row.terms[at] - term;
        const std::uint64_t both = from.take_large(cell, from.take_small(cell));
        row.term_frequency.set(at, static_cast<Count>(PackedCounters::large_occurrences(both)));
        row.document_frequency.set(at, static_cast<Count>(both >> PackedCounters::large_document_shift));
      }
    }
    if (notes_touched_) seen_groups_[word / group_words] = 0;
  });
}

template void CellCounters::drain(std::int64_t, std::int64_t, std::int64_t, ClassRow<std::int64_t>&);
template void CellCounters::drain(std::int64_t, std::int64_t, std::int64_t, ClassRow<double>&);

}  // namespace termsift
