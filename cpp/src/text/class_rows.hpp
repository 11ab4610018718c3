// The rows of classes that one thread fills.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "termsift/parallel.hpp"
#include "text/row_store.hpp"
#include "text/token_counting.hpp"

namespace termsift {

// Counts n-grams of one fixed n by class, for count_tokens(). The slot of a term holds the term's counts in one class, the
// class of the last document with the term. These counts are written down when the term occurs in a different class. So a
// token costs no second memory access, and few counts are written down if documents are sorted by class.
class ClassRows {
 public:
  ClassRows() : tag_(text_tuning().first_tag - 1) {}

  // Returns the closed rows. A class may have any number of rows.
  RowStore<ClassEntry>& store() { return store_; }
  std::int64_t n_entries() const { return store_.n_entries() + written_.n_entries(); }

  // Counts the tokens of one part.
  class Count {
   public:
    Count(ClassRows& rows, std::uint32_t tag, std::uint32_t class_tag) : rows_(rows), tag_(tag), class_tag_(class_tag) {}

    template <class Key>
    void add(Slot<Key>& slot) {
      if (slot.tag < class_tag_) [[unlikely]]
        rows_.write(slot);
      slot.documents += static_cast<std::uint32_t>(slot.tag != tag_);
      slot.tag = tag_;
      ++slot.at_or_count;
    }
    void end() {}

   private:
    ClassRows& rows_;
    std::uint32_t tag_, class_tag_;
  };

  template <class Table>
  Count begin_part(Table& table, const Part& part, std::int64_t n_tokens) {
    if (n_tokens == 0) return Count(*this, tag_, tag_);
    if (document_ != part.document) {
      document_ = part.document;
      if (++tag_ == 0 || is_full()) {
        close(table);
        tag_ = std::max(tag_, std::uint32_t{1});
      }
    }
    if (spans_.empty() || spans_.back().owner != part.owner) {
      spans_.push_back({tag_, part.owner});
      n_tokens_ = 0;
    }
    n_tokens_ += n_tokens;
    if (n_tokens_ > text_tuning().row_tokens) {  // otherwise, counts might exceed 32 bits
      table.for_each_slot([&](auto& slot) { write(slot); });
      n_tokens_ = n_tokens;
    }
    return Count(*this, tag_, spans_.back().first_tag);
  }
  // Makes the next text a new document, even if it has the same number as the last text.
  void end_texts() { document_ = -1; }
  // Writes down all counts and moves them to store(). If `worker` is given, it can interrupt the move.
  template <class Table>
  void close(Table& table, Worker* worker = nullptr) {
    table.for_each_slot([&](auto& slot) {
      write(slot);
      slot.tag = 0;
    });
    move_to_store(worker);
  }

 private:
  // A term's counts in one class. `tag` is the tag of a document of this class.
  struct Written {
    std::uint32_t id, count, documents, tag;
  };
  // Consecutive documents of one class, from first_tag to the start of the next span.
  struct Span {
    std::uint32_t first_tag;
    std::int64_t owner;
  };

  static constexpr std::int64_t part_size = 1 << 12;

  template <class Key>
  void write(Slot<Key>& slot) {
    if (slot.at_or_count == 0) return;
    if (next_ == end_) begin_written();
    *next_++ = {slot.id, slot.at_or_count, slot.documents, slot.tag};
    slot.at_or_count = slot.documents = 0;
  }
  void begin_written();
  void move_to_store(Worker* worker);
  // Returns whether the written counts should move to store(). Until they move, each document and each entry takes memory.
  bool is_full() const {
    return !spans_.empty() && (tag_ - spans_.front().first_tag >= text_tuning().documents_to_gather ||
                               written_.n_entries() >= text_tuning().entries_to_gather);
  }

  RowStore<Written> written_;  // rows of part_size entries; their owner is not used
  Written *next_ = nullptr, *end_ = nullptr;  // the unused entries of the open row
  std::vector<Span> spans_;    // sorted by first_tag
  RowStore<ClassEntry> store_;
  std::int64_t document_ = -1, n_tokens_ = 0;
  std::uint32_t tag_;  // the tag of the last document
};

}  // namespace termsift
