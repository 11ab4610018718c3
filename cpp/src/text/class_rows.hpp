// One thread's rows of classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "termsift/parallel.hpp"
#include "text/row_store.hpp"
#include "text/token_counting.hpp"

namespace termsift {

// Counts the terms of one length by class, for count_tokens(). A term's slot holds its counts in the class of its last
// document. They are written down when the term next occurs in a different class, so a token costs no second access to
// memory. If documents come sorted by class, few counts are written down.
class ClassRows {
 public:
  ClassRows() : tag_(text_tuning().first_tag - 1) {}

  // The closed rows. A class may have any number of rows.
  RowStore<ClassEntry>& store() { return store_; }
  std::int64_t n_entries() const { return store_.n_entries() + written_.n_entries(); }

  // The tokens of one part.
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
    if (n_tokens_ > text_tuning().row_tokens) {  // counts might exceed 32 bits
      table.for_each_slot([&](auto& slot) { write(slot); });
      n_tokens_ = n_tokens;
    }
    return Count(*this, tag_, spans_.back().first_tag);
  }
  // The next text is a new document, even if a later call gives it the number of the last one.
  void end_texts() { document_ = -1; }
  // Writes down all counts and moves them to store(). A worker can interrupt this.
  template <class Table>
  void close(Table& table, Worker* worker = nullptr) {
    table.for_each_slot([&](auto& slot) {
      write(slot);
      slot.tag = 0;
    });
    move_to_store(worker);
  }

 private:
  // The counts of a term in the class of the document `tag`.
  struct Written {
    std::uint32_t id, count, documents, tag;
  };
  // Consecutive documents of one class; the next span ends it.
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
  // Returns whether the written counts should move to store(): each document and each entry takes memory until then.
  bool is_full() const {
    return !spans_.empty() && (tag_ - spans_.front().first_tag >= text_tuning().documents_to_gather ||
                               written_.n_entries() >= text_tuning().entries_to_gather);
  }

  RowStore<Written> written_;  // in parts of part_size, of no owner
  Written *next_ = nullptr, *end_ = nullptr;  // the room of the open part
  std::vector<Span> spans_;    // in the order of tags
  RowStore<ClassEntry> store_;
  std::int64_t document_ = -1, n_tokens_ = 0;
  std::uint32_t tag_;  // of the last document
};

}  // namespace termsift
