#include "streams.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "simd/entry_kernels.hpp"

namespace termsift {

void Streams::lay_out() { std::partial_sum(offsets.begin(), offsets.end(), offsets.begin()); }

void Streams::sort_escapes(std::size_t range) {
  std::sort(escapes[range].begin(), escapes[range].end(),
            [](const Escape& a, const Escape& b) { return a.stream < b.stream; });
}

bool StreamLimits::allow(const CsrFacts& facts, std::int64_t n_docs, std::int64_t n_entries) {
  const bool few_escapes = facts.n_unpackable <= n_entries / 8;
  const bool fits = n_docs <= most_documents && facts.value_bound * static_cast<double>(n_docs) < 0x1p40;
  return facts.distinct && !facts.has_zeros && !facts.has_fractions && few_escapes && fits;
}

CellCounters::CellCounters(std::int64_t n_cells, bool notes_touched)
    : notes_touched_(notes_touched),
      counters_(LargeArray<std::uint64_t>::zeroed((n_cells + 63) / 64 * 64)),
      seen_(LargeArray<std::uint64_t>::zeroed((n_cells + 63) / 64)),
      seen_words_(LargeArray<std::uint64_t>::zeroed(notes_touched ? (n_cells + 4095) / 4096 : 0)) {}

void CellCounters::add(const Streams& streams, std::size_t stream) {
  constexpr std::uint64_t one_document = std::uint64_t{1} << StreamLimits::document_shift;
  const CounterKernels kernels = counter_kernels_in_use();
  for (std::size_t range = 0; range < streams.n_ranges; ++range) {
    const std::uint32_t* const begin = streams.entries->get() + streams.offsets[stream * streams.n_ranges + range];
    const std::int64_t n = streams.offsets[stream * streams.n_ranges + range + 1] - streams.offsets[stream * streams.n_ranges + range];
    if (notes_touched_)
      kernels.add_and_note(begin, n, streams.packed, one_document, counters_.get(), seen_.get(), seen_words_.get());
    else
      kernels.add(begin, n, streams.packed, one_document, counters_.get());
    const auto& escapes = streams.escapes[range];
    auto escape = std::lower_bound(escapes.begin(), escapes.end(), stream,
                                   [](const Streams::Escape& e, std::size_t s) { return e.stream < s; });
    for (; escape != escapes.end() && escape->stream == stream; ++escape) counters_[escape->cell] += escape->rest;
  }
}

template <class F>
void CellCounters::for_each_seen_word(std::int64_t first, std::int64_t n, const F& f) const {
  const std::int64_t begin = first / 64, end = (first + n + 63) / 64;
  if (!notes_touched_) {
    for (std::int64_t word = begin; word < end; ++word) f(word);
    return;
  }
  for (std::int64_t group = begin / 64; group <= (end - 1) / 64; ++group)
    for (std::uint64_t bits = seen_words_[group]; bits != 0; bits &= bits - 1) f(64 * group + std::countr_zero(bits));
}

std::int64_t CellCounters::count_nonzero(std::int64_t first, std::int64_t n) {
  if (!notes_touched_) counter_kernels_in_use().note(counters_.get() + first, (n + 63) / 64, seen_.get() + first / 64);
  std::int64_t size = 0;
  for_each_seen_word(first, n, [&](std::int64_t word) { size += std::popcount(seen_[word]); });
  return size;
}

template <CountType Count>
void CellCounters::drain(std::int64_t first, std::int64_t n, std::int64_t first_term, ClassRow<Count>& row, std::int64_t at) {
  constexpr std::uint64_t occurrences = (std::uint64_t{1} << StreamLimits::document_shift) - 1;
  const auto with = [&](const auto& store) {
    for_each_seen_word(first, n, [&](std::int64_t word) {
      for (std::uint64_t bits = std::exchange(seen_[word], 0); bits != 0; bits &= bits - 1, ++at) {
        const std::int64_t cell = 64 * word + std::countr_zero(bits);
        const std::uint64_t counter = std::exchange(counters_[cell], 0);
        row.terms[at] = static_cast<TermId>(first_term + (cell - first));
        store(counter & occurrences, counter >> StreamLimits::document_shift);
      }
      if (notes_touched_) seen_words_[word / 64] &= ~(std::uint64_t{1} << word % 64);
    });
  };
  if (row.is_narrow()) {
    std::uint32_t* const tf = row.term_frequency.narrow();
    std::uint32_t* const df = row.document_frequency.narrow();
    with([&](std::uint64_t occurred, std::uint64_t documents) {
      tf[at] = static_cast<std::uint32_t>(occurred), df[at] = static_cast<std::uint32_t>(documents);
    });
  } else {
    with([&](std::uint64_t occurred, std::uint64_t documents) {
      row.term_frequency.set(at, static_cast<Count>(occurred));
      row.document_frequency.set(at, static_cast<Count>(documents));
    });
  }
}

template void CellCounters::drain(std::int64_t, std::int64_t, std::int64_t, ClassRow<std::int64_t>&, std::int64_t);
template void CellCounters::drain(std::int64_t, std::int64_t, std::int64_t, ClassRow<double>&, std::int64_t);

}  // namespace termsift
