// Stores of rows: a thread fills its stores with the rows of documents or of classes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "text/text_kernels.hpp"
#include "text/token_counting.hpp"

namespace termsift {

struct ClassEntry {
  std::uint32_t id, count, documents;
};

// The entries of one document, or of some documents of one class. The document or the class is called the row's owner. A
// term may occur in several rows of the same owner, but only once in each row.
template <class Entry>
struct Row {
  std::int64_t owner;  // the number of the document or of the class
  Entry* entries;
  std::int64_t size;
};

// The rows of one thread. The last row may be open, that is, still growing. Closed rows stay where they are in memory.
template <class Entry>
class RowStore {
 public:
  const std::vector<Row<Entry>>& rows() const { return rows_; }
  std::int64_t n_entries() const { return n_entries_; }  // the number of entries in closed rows
  bool is_open() const { return is_open_; }
  std::int64_t open_owner() const { return rows_.back().owner; }
  std::int64_t open_size() const { return rows_.back().size; }

  void open(std::int64_t owner) {
    rows_.push_back({owner, end_, 0});
    is_open_ = true;
  }
  // Makes room for `more` further entries in the open row, and returns a pointer to the first entry of the row.
  Entry* reserve(std::int64_t more) {
    Row<Entry>& row = rows_.back();
    if (limit_ - row.entries < row.size + more || row.entries == nullptr) move(row, row.size + more);
    return row.entries;
  }
  void set_open_size(std::int64_t size) { rows_.back().size = size; }
  void close() {
    if (!is_open_) return;
    end_ = rows_.back().entries + rows_.back().size;
    n_entries_ += rows_.back().size;
    is_open_ = false;
  }
  // Adds a closed row, and returns a pointer to its `size` entries, which the caller must fill.
  Entry* add(std::int64_t owner, std::int64_t size) {
    open(owner);
    Entry* const entries = reserve(size);
    set_open_size(size);
    close();
    return entries;
  }
  // Removes all rows, which must be closed. Keeps the last block of memory for new rows.
  void clear() {
    rows_.clear();
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    end_ = blocks_.empty() ? nullptr : blocks_.back().get();
    n_entries_ = 0;
  }

 private:
  // Moves a row to a new block of memory. The block size doubles up to 1 MiB, so few entries take little memory. Blocks
  // after the block of 1 MiB have 32 MiB and lie in huge pages. With pages of 4 KiB, two threads spent a quarter of their
  // time in page faults.
  void move(Row<Entry>& row, std::int64_t room) {
    const std::int64_t size = std::max(next_block_, 2 * room);
    constexpr std::int64_t mib = (std::int64_t{1} << 20) / std::int64_t{sizeof(Entry)};
    next_block_ = next_block_ < mib ? 2 * next_block_ : 32 * mib + 1;
    LargeArray<Entry> block = LargeArray<Entry>::uninitialised(size);
    std::copy(row.entries, row.entries + row.size, block.get());
    if (!blocks_.empty() && row.entries == blocks_.back().get()) blocks_.pop_back();  // the old block had only this row
    row.entries = end_ = block.get();
    limit_ = row.entries + size;
    blocks_.push_back(std::move(block));
  }

  std::vector<Row<Entry>> rows_;
  std::vector<LargeArray<Entry>> blocks_;
  Entry *end_ = nullptr, *limit_ = nullptr;
  std::int64_t n_entries_ = 0, next_block_ = 1 << 12;
  bool is_open_ = false;
};

// One thread's rows for n-grams of one fixed n, and the columns of their ids. columns[id] is -1 if the id is dropped. If
// `columns` is null, each id is itself a column.
template <class Entry>
struct CountedRows {
  const RowStore<Entry>* store;
  const std::int32_t* columns;
};

// The rows of n-grams of one fixed n, one row for each document.
class RowsByDocument {
 public:
  RowStore<DocumentEntry>& store() { return store_; }
  std::int64_t n_entries() const { return store_.n_entries(); }

 protected:
  bool begins_document(const Part& part) const { return !store_.is_open() || store_.open_owner() != part.owner; }
  void open(const Part& part) {
    store_.open(part.owner);
    row_tokens_ = 0;
  }
  void add_tokens(std::int64_t n) {
    row_tokens_ += n;
    if (row_tokens_ > text_tuning().row_tokens)  // with more tokens, counts might exceed 32 bits
      throw std::length_error("a document has more than 2^31 terms; split it");
  }

  RowStore<DocumentEntry> store_;

 private:
  std::int64_t row_tokens_ = 0;
};

// Counts the terms of each document, for count_tokens(). Each thread has its own tables of terms.
class DocumentRows : public RowsByDocument {
 public:
  static constexpr bool inserts = true;
  DocumentRows() : tag_(text_tuning().first_tag - 1) {}

  // Counts the tokens of one part.
  class Count {
   public:
    Count(RowStore<DocumentEntry>& store, std::int64_t n_tokens, std::uint32_t tag)
        : store_(store), row_(store.reserve(n_tokens)), size_(static_cast<std::uint32_t>(store.open_size())), tag_(tag) {}

    template <class Key>
    void add(Slot<Key>& slot) {
      // Masks replace branches, because a term's first occurrence in a document is unpredictable. The masks are explicit,
      // because compilers turn conditional expressions into branches. A count that is masked out may be uninitialised.
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

  template <class Table>
  Count begin_part(Table& table, const Part& part, std::int64_t n_tokens) {
    if (begins_document(part)) {
      store_.close();
      open(part);
      if (++tag_ == 0) {
        table.for_each_slot([](auto& slot) { slot.tag = 0; });
        tag_ = 1;
      }
    }
    add_tokens(n_tokens);
    return Count(store_, n_tokens, tag_);
  }
  // Closes the last row. The next text is a new document, even if its number equals the number of the last text.
  void end_texts() { store_.close(); }

 private:
  std::uint32_t tag_;  // the tag of the open row
};

// Counts the terms of a given vocabulary in each document, for count_tokens(). Threads share the tables, so each thread has
// its own counter of each term. Closed rows have columns in place of ids, and terms without a column are left out.
class IndexedRows : public RowsByDocument {
 public:
  static constexpr bool inserts = false;

  // columns[id] is the column of an id, or -1 if the id has no column. The last element, for unknown terms, must be -1.
  void set_columns(std::span<const std::int32_t> columns) {
    columns_ = columns;
    counts_.resize(columns.size(), 0);
  }

  class Count {
   public:
    Count(IndexedRows& rows, std::int64_t n_tokens)
        : rows_(rows), counts_(rows.counts_), row_(rows.store_.reserve(n_tokens)), size_(rows.store_.open_size()) {}
    template <class Key>
    void add(const Slot<Key>& slot) {
      // Unknown terms have no `if` of their own, because a branch would be unpredictable.
      const std::size_t id = std::min<std::size_t>(slot.id, counts_.size() - 1);
      row_[size_].id = static_cast<std::uint32_t>(id);
      size_ += counts_[id]++ == 0;
    }
    void end() { rows_.store_.set_open_size(size_); }

   private:
    IndexedRows& rows_;
    const std::span<std::uint32_t> counts_;
    DocumentEntry* const row_;
    std::int64_t size_;
  };

  template <class Table>
  Count begin_part(Table&, const Part& part, std::int64_t n_tokens) {
    if (begins_document(part)) {
      end_texts();
      open(part);
    }
    add_tokens(n_tokens);
    return Count(*this, n_tokens);
  }
  void end_texts() {
    if (!store_.is_open()) return;
    DocumentEntry* const row = store_.reserve(0);
    std::int64_t size = 0;
    for (std::int64_t i = 0; i < store_.open_size(); ++i) {
      const std::uint32_t id = row[i].id;
      row[size] = {static_cast<std::uint32_t>(columns_[id]), std::exchange(counts_[id], 0)};
      size += columns_[id] >= 0;
    }
    store_.set_open_size(size);
    store_.close();
  }

 private:
  std::span<const std::int32_t> columns_;
  std::vector<std::uint32_t> counts_;  // the count of each id in the open row; all are 0 between rows
};

// Counts n-grams of one fixed n by class, for count_tokens(). A term's slot holds the term's counts in only one class: the
// class of the last document that contains the term. When the term occurs in a different class, its counts are moved from
// the slot to written_. To count a token, a thread therefore accesses only one place in memory. If documents are sorted by
// class, few counts are moved to written_.
class ClassRows {
 public:
  static constexpr bool inserts = true;
  ClassRows() : tag_(text_tuning().first_tag - 1) {}

  // Returns the closed rows. A class may have any number of rows.
  RowStore<ClassEntry>& store() { return store_; }
  std::int64_t n_entries() const { return store_.n_entries() + written_.n_entries() - (end_ - next_); }

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
    if (n_tokens_ > text_tuning().row_tokens) {  // with more tokens, counts might exceed 32 bits
      table.for_each_slot([&](auto& slot) { write(slot); });
      n_tokens_ = n_tokens;
    }
    return Count(*this, tag_, spans_.back().first_tag);
  }
  // Makes the next text a new document, even if its number equals the number of the last text.
  void end_texts() { document_ = -1; }
  // Moves all counts from the slots to written_ and from there to store(). `worker`, if given, can interrupt the second
  // move.
  template <class Table>
  void close(Table& table, Worker* worker = nullptr) {
    table.for_each_slot([&](auto& slot) {
      write(slot);
      slot.tag = 0;
    });
    move_to_store(worker);
  }

 private:
  // A term's counts in one class. `tag` is the tag of a document of the class.
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
    if (next_ == end_) {
      next_ = written_.add(0, part_size);
      end_ = next_ + part_size;
    }
    *next_++ = {slot.id, slot.at_or_count, slot.documents, slot.tag};
    slot.at_or_count = slot.documents = 0;
  }
  // Moves the counts in written_ to store_, sorted by class with a counting sort. O(entries + documents).
  void move_to_store(Worker* worker) {
    if (spans_.empty()) return;
    std::vector<std::int64_t> owners;
    for (const Span& span : spans_) owners.push_back(span.owner);
    std::sort(owners.begin(), owners.end());
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    // owners[of_tag[tag - first_tag]] is the class of the document with the tag `tag`. With 5,000 classes, a search in
    // spans_ for each entry would take half of the counting time.
    const std::uint32_t first_tag = spans_.front().first_tag;
    std::vector<std::uint32_t> of_tag;
    for (std::size_t s = 0; s < spans_.size(); ++s) {
      const auto owner = std::lower_bound(owners.begin(), owners.end(), spans_[s].owner) - owners.begin();
      const std::uint32_t last_tag = s + 1 < spans_.size() ? spans_[s + 1].first_tag - 1 : tag_;
      of_tag.resize(std::size_t{last_tag - first_tag} + 1, static_cast<std::uint32_t>(owner));
    }
    const auto for_each = [&](const auto& f) {
      for (const Row<Written>& part : written_.rows()) {
        if (worker != nullptr) worker->check();
        const Written* const part_end = part.entries + part.size;
        for (const Written* counts = part.entries; counts < (part_end == end_ ? next_ : part_end); ++counts)
          f(*counts, of_tag[counts->tag - first_tag]);
      }
    };
    std::vector<std::int64_t> sizes(owners.size(), 0);
    for_each([&](const Written&, std::uint32_t owner) { ++sizes[owner]; });
    std::vector<ClassEntry*> places;
    for (std::size_t o = 0; o < owners.size(); ++o) places.push_back(store_.add(owners[o], sizes[o]));
    for_each([&](const Written& counts, std::uint32_t owner) {
      *places[owner]++ = {counts.id, counts.count, counts.documents};
    });
    written_ = {};
    next_ = end_ = nullptr;
    spans_.clear();
  }
  // Returns whether the counts in written_ should move to store(). Until the move, every document and entry takes memory.
  bool is_full() const {
    return !spans_.empty() && (tag_ - spans_.front().first_tag >= text_tuning().documents_to_gather ||
                               written_.n_entries() >= text_tuning().entries_to_gather);
  }

  RowStore<Written> written_;  // rows of part_size entries; their owners are not used
  Written *next_ = nullptr, *end_ = nullptr;  // the unused entries of the last row
  std::vector<Span> spans_;    // sorted by first_tag
  RowStore<ClassEntry> store_;
  std::int64_t document_ = -1, n_tokens_ = 0;
  std::uint32_t tag_;  // the tag of the last document
};

}  // namespace termsift
