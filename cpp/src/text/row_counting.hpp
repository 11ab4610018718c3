// The loop that looks up tokens and adds them to rows.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "termsift/inline.hpp"
#include "text/row_store.hpp"
#include "text/term_table.hpp"

namespace termsift {

// The tokens of one document, or of a piece of it, among consecutive ones.
struct Part {
  std::int64_t document;
  std::int64_t owner;  // whose row counts it: the document, or its class
  std::int64_t end;    // in tokens
};

// The rows of all terms of one length that a thread counts.
template <class Entry>
class TermRows {
 public:
  explicit TermRows(bool counted) : counted_(counted), row_tag_(text_tuning().first_tag - 1), document_tag_(row_tag_) {}

  const RowStore<Entry>& store() const { return store_; }
  RowStore<Entry>& store() { return store_; }
  // Closes the last row. The next text is a new document, even if a later call numbers it as the last one.
  void finish() {
    store_.close();
    document_ = -1;
  }

  // Counts the tokens of the parts. source.key(i) is the key of token i, and source.slot(i, key) its slot in `table`, which
  // is filled if the term is new. Tokens with an id below `n_stop` are left out. If `ids` is given, the ids of the others
  // are written to it, and kept[part] is set to the number of ids at the end of each part.
  // The loop is bound by the latency of memory. It prefetches the slots of a batch while it counts the batch before (8
  // tokens ahead took a third more time), and adds up without a branch: whether a word has occurred in the document before
  // is unpredictable.
  template <class Table, class Source>
  void count(Table& table, const Source& source, std::span<const Part> parts, std::uint32_t n_stop, std::uint32_t* ids,
             std::int64_t* kept) {
    if (n_stop > 0)
      count_tokens<true>(table, source, parts, n_stop, ids, kept);
    else
      count_tokens<false>(table, source, parts, n_stop, ids, kept);
  }

 private:
  static constexpr bool by_class = std::is_same_v<Entry, ClassEntry>;
  static constexpr std::int64_t batch = 64, ring = 2 * batch;  // in tokens
  static constexpr std::int64_t entries_ahead = 32;            // of the open row's end, where new lines of memory begin

  template <bool stops, class Table, class Source>
  void count_tokens(Table& table, const Source& source, std::span<const Part> parts, std::uint32_t n_stop,
                    std::uint32_t* ids, std::int64_t* kept) {
    using Key = typename Table::KeyType;
    const std::int64_t n = parts.empty() ? 0 : parts.back().end;
    const KeyHash hash = table.hash();
    Key keys[ring];
    std::uint64_t hashes[ring];
    // A copy: the compiler must assume that any store changes the table.
    typename Table::Homes homes = table.homes();
    const auto prepare = [&](std::int64_t begin) {
      Key* const batch_keys = keys + begin % ring;
      std::uint64_t* const batch_hashes = hashes + begin % ring;
      const typename Table::Homes now = homes;
      for (std::int64_t k = 0; k < std::min(batch, n - begin); ++k) {
        batch_keys[k] = source.key(begin + k);
        batch_hashes[k] = hash(batch_keys[k]);
        now.prefetch(batch_hashes[k]);
      }
    };
    prepare(0);
    std::int64_t i = 0, n_ids = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Part& part = parts[p];
      if (counted_) begin_part(table, part, part.end - i);
      Entry* const row = counted_ ? store_.reserve(part.end - i) : nullptr;
      auto size = static_cast<std::uint32_t>(counted_ ? store_.open_size() : 0);
      const std::uint32_t row_tag = row_tag_, document_tag = document_tag_;
      for (; i < part.end; ++i) {
        if (i % batch == 0) [[unlikely]]
          prepare(i + batch);
        const auto place = static_cast<std::size_t>(i) % ring;
        const Key key = keys[place];
        Slot<Key>* slot = homes.of(hashes[place]);
        if (!(slot->key == key)) [[unlikely]] {
          slot = source.slot(i, key);
          homes = table.homes();
        }
        const std::uint32_t id = slot->id;
        const bool keep = !stops || id >= n_stop;
        if (row != nullptr) {
          // Masks, because compilers turn selects into branches here.
          const bool same = (slot->row == row_tag) & keep;
          const std::uint32_t if_same = 0U - static_cast<std::uint32_t>(same);
          const std::uint32_t at = (slot->at & if_same) | (size & ~if_same);
          Entry& entry = row[at];
          prefetch_for_write(row + size + entries_ahead);
          slot->row = row_tag;
          slot->at = at;
          if constexpr (by_class) {
            const bool new_document = slot->documents != document_tag;
            slot->documents = document_tag;
            entry = {id, (entry.count & if_same) + 1, (entry.documents & if_same) + new_document};
          } else {
            slot->documents += !same;
            entry = {id, (entry.count & if_same) + 1};
          }
          size += static_cast<std::uint32_t>(!same & keep);
        }
        if (ids != nullptr) {
          ids[n_ids] = id;
          n_ids += keep;
        }
      }
      if (counted_) store_.set_open_size(size);
      if (kept != nullptr) kept[p] = n_ids;
    }
  }

  // Opens a row if the owner changes, or if counts of the open row might exceed 32 bits.
  template <class Table>
  void begin_part(Table& table, const Part& part, std::int64_t n_tokens) {
    using Key = typename Table::KeyType;
    row_tokens_ += n_tokens;
    if (!store_.is_open() || store_.open_owner() != part.owner || row_tokens_ > text_tuning().row_tokens) {
      store_.close();
      store_.open(part.owner);
      row_tokens_ = n_tokens;
      if (++row_tag_ == 0) {
        table.for_each_slot([](Slot<Key>& slot) { slot.row = 0; });
        row_tag_ = 1;
      }
    }
    if constexpr (by_class) {
      if (document_ != part.document) {
        document_ = part.document;
        if (++document_tag_ == 0) {
          table.for_each_slot([](Slot<Key>& slot) { slot.documents = 0; });
          document_tag_ = 1;
        }
      }
    }
  }

  RowStore<Entry> store_;
  std::int64_t document_ = -1, row_tokens_ = 0;
  bool counted_;
  std::uint32_t row_tag_, document_tag_;
};

}  // namespace termsift
