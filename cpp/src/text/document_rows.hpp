// The rows of documents that one thread fills.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "text/row_store.hpp"
#include "text/token_counting.hpp"

namespace termsift {

// Counts n-grams of one fixed n by document, for count_tokens().
class DocumentRows {
 public:
  DocumentRows() : tag_(text_tuning().first_tag - 1) {}

  RowStore<DocumentEntry>& store() { return store_; }
  std::int64_t n_entries() const { return store_.n_entries(); }

  // Counts the tokens of one part.
  class Count {
   public:
    Count(RowStore<DocumentEntry>& store, std::int64_t n_tokens, std::uint32_t tag)
        : store_(store), row_(store.reserve(n_tokens)), size_(static_cast<std::uint32_t>(store.open_size())), tag_(tag) {}

    template <class Key>
    void add(Slot<Key>& slot) {
      // Masks replace branches, because it is unpredictable whether a term has occurred in the document before. The masks
      // are explicit, because compilers turn conditions into branches here. Masked-out values may be uninitialised.
      const auto same = static_cast<std::uint32_t>(slot.tag == tag_);
      const std::uint32_t if_same = 0U - same;
      const std::uint32_t at = (slot.at_or_count & if_same) | (size_ & ~if_same);
      slot.tag = tag_;
      slot.at_or_count = at;
      slot.documents += 1 - same;
      row_[at] = {slot.id, (row_[at].count & if_same) + 1};
      size_ += 1 - same;
    }
    void end() { store_.set_open_size(size_); }

   private:
    RowStore<DocumentEntry>& store_;
    DocumentEntry* row_;
    std::uint32_t size_, tag_;
  };

  // Begins a part, and opens a row if the document changes.
  template <class Table>
  Count begin_part(Table& table, const Part& part, std::int64_t n_tokens) {
    if (!store_.is_open() || store_.open_owner() != part.owner) {
      store_.close();
      store_.open(part.owner);
      row_tokens_ = 0;
      if (++tag_ == 0) {
        table.for_each_slot([](auto& slot) { slot.tag = 0; });
        tag_ = 1;
      }
    }
    row_tokens_ += n_tokens;
    if (row_tokens_ > text_tuning().row_tokens)  // otherwise, counts might exceed 32 bits
      throw std::length_error("a document has more than 2^31 terms; split it");
    return Count(store_, n_tokens, tag_);
  }
  // Closes the last row. The next text is a new document, even if it has the same number as the last text.
  void end_texts() { store_.close(); }

 private:
  RowStore<DocumentEntry> store_;
  std::int64_t row_tokens_ = 0;
  std::uint32_t tag_;  // the tag of the open row
};

}  // namespace termsift
