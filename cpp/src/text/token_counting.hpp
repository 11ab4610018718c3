// The loop that looks up tokens and counts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "text/term_table.hpp"

namespace termsift {

// A range of tokens: the tokens of one document, or of a piece of one document.
struct Part {
  std::int64_t document;
  std::int64_t owner;  // the document or the class whose row counts the tokens
  std::int64_t end;    // the index after the last token of the part
};

// The ids of the tokens, part by part.
struct TokenIds {
  std::uint32_t* ids;  // the ids of all tokens except stop words
  std::int64_t* ends;  // ends[p] is the number of ids in the parts 0 to p
};

// Looks up the tokens of parts with a table of terms, and counts them.
//   source.key(i)        the key of token i
//   source.slot(i, key)  the slot of token i in `table`; if Source::inserts, a new term is inserted
//   counts.begin_part(table, part, n_tokens)  an object for the tokens of a part, with the functions
//     .add(slot)  counts a token
//     .end()      ends the part
// Tokens with an id below `n_stop` are neither counted nor listed. If `lists` is true, the ids of all counted tokens are
// written to `list`. Memory latency limits the loop, so the slots of a batch are prefetched while the previous batch is
// counted. Prefetching 8 tokens ahead, without batches, took a third longer than batches.
template <bool lists, class Table, class Source, class Counts>
void count_tokens(Table& table, const Source& source, std::span<const Part> parts, std::uint32_t n_stop, Counts& counts,
                  const TokenIds& list) {
  using Key = typename Table::KeyType;
  constexpr std::uint64_t batch = 64, ring = 2 * batch;  // in tokens; unsigned, so that % compiles to a mask
  const auto n = static_cast<std::uint64_t>(parts.empty() ? 0 : parts.back().end);
  const KeyHash hash = table.hash();
  Key keys[ring];
  Slot<Key>* homes[ring];
  const auto prepare = [&](std::uint64_t begin) {
    // `now` is a copy, because the compiler would reload the table's members after each store.
    const typename Table::Homes now = table.homes();
    for (std::uint64_t i = begin; i < std::min(begin + batch, n); ++i) {
      keys[i % ring] = source.key(static_cast<std::int64_t>(i));
      homes[i % ring] = now.of(hash(keys[i % ring]));
      now.prefetch(homes[i % ring]);
    }
  };
  const auto search = [&](std::uint64_t i) {
    const auto before = table.homes();
    Slot<Key>* const slot = source.slot(static_cast<std::int64_t>(i), keys[i % ring]);
    if (before.slots != table.homes().slots)  // the table has grown
      for (std::uint64_t j = i; j < std::min((i / batch + 2) * batch, n); ++j)
        homes[j % ring] = table.homes().of(hash(keys[j % ring]));
    return slot;
  };
  prepare(0);
  std::uint64_t i = 0;
  std::int64_t n_ids = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto end = static_cast<std::uint64_t>(parts[p].end);
    auto count = counts.begin_part(table, parts[p], static_cast<std::int64_t>(end - i));
    while (i < end) {
      if (i % batch == 0) prepare(i + batch);
      for (const std::uint64_t stop = std::min(end, (i / batch + 1) * batch); i < stop; ++i) {
        Slot<Key>* slot = homes[i % ring];
        // If the source inserts no terms, an empty slot ends the search.
        // One jump for both conditions is faster than two. The cast tells clang that | is meant.
        const bool at_home =
            static_cast<int>(slot->key == keys[i % ring]) | static_cast<int>(!Source::inserts && slot->key.is_empty());
        if (!at_home) [[unlikely]]
          slot = search(i);
        const std::uint32_t id = slot->id;
        if (id >= n_stop) {
          count.add(*slot);
          if constexpr (lists) list.ids[n_ids++] = id;
        }
      }
    }
    count.end();
    if constexpr (lists) list.ends[p] = n_ids;
  }
}

}  // namespace termsift
