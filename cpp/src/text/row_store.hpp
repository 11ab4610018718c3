// Storage for rows of counts while they are filled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "termsift/large_memory.hpp"

namespace termsift {

struct DocumentEntry {
  std::uint32_t id, count;
};
struct ClassEntry {
  std::uint32_t id, count, documents;
};

// The entries of one document, or of some documents of one class. A term may occur in several rows of an owner, but only
// once per row.
template <class Entry>
struct Row {
  std::int64_t owner;  // the document or the class
  Entry* entries;
  std::int64_t size;
};

// The rows of one thread. The last row may be open, that is, still growing. Closed rows do not move.
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
  // Removes all rows, which must be closed. Keeps the last block for new rows.
  void clear() {
    rows_.clear();
    if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    end_ = blocks_.empty() ? nullptr : blocks_.back().get();
    n_entries_ = 0;
  }

 private:
  // Moves a row to a new block. The block size doubles up to 1 MiB, so little text takes little memory. Later blocks have 32
  // MiB in huge pages. With pages of 4 KiB, two threads spent a quarter of their time in page faults.
  void move(Row<Entry>& row, std::int64_t room) {
    const std::int64_t size = std::max(next_block_, 2 * room);
    constexpr std::int64_t mib = (std::int64_t{1} << 20) / std::int64_t{sizeof(Entry)};
    next_block_ = next_block_ < mib ? 2 * next_block_ : 32 * mib + 1;
    LargeArray<Entry> block = LargeArray<Entry>::uninitialised(size);
    std::copy(row.entries, row.entries + row.size, block.get());
    if (!blocks_.empty() && row.entries == blocks_.back().get()) blocks_.pop_back();  // the block had only this row
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

// One thread's rows for n-grams of one fixed n, and an array with the column of each id (-1 if the id is dropped). If the
// array is null, each id is a column.
template <class Entry>
struct CountedRows {
  const RowStore<Entry>* store;
  const std::int32_t* columns;
};

}  // namespace termsift
