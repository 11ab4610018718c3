// The terms that the threads of a TextCounter share when it counts by class.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "termsift/parallel.hpp"
#include "text/class_pairs.hpp"
#include "text/class_rows.hpp"
#include "text/thread_counter.hpp"

namespace termsift {

// Most terms occur in the documents of every thread. To save memory, threads move their terms here. Thus the terms of all
// threads together take less memory than half of the sketch, or half of the shared terms if these are larger. The rules
// must have a sketch, because without a sketch n-grams of words have tables of their own.
class SharedTerms {
 public:
  using Counter = ThreadCounter<ClassRows>;

  std::int64_t n_bytes() const { return n_bytes_; }

  // Takes the terms and counts of one of `n_threads` threads, if their memory is large. If there is only one thread, it
  // keeps its terms.
  void take_if_many(std::unique_ptr<Counter>& own, std::int64_t sketch_bytes, std::size_t n_threads, Worker& worker) {
    // The table's unused slots are not counted, because an emptied table keeps them.
    const std::int64_t own_bytes = 64 * (own->tables.words.size() + own->rows[0].n_entries());
    const std::int64_t share = std::max(sketch_bytes, n_bytes()) / static_cast<std::int64_t>(2 * n_threads);
    if (n_threads == 1 || own_bytes <= share) return;
    own->rows[0].close(own->tables.words, &worker);
    const std::lock_guard held(mutex_);
    if (counter_)
      move(*own, worker);
    else
      counter_ = std::move(own);
    n_bytes_ = counter_->n_bytes();
  }
  // Returns the counter with the shared terms, or null.
  std::unique_ptr<Counter> release() {
    n_bytes_ = 0;
    return std::move(counter_);
  }

 private:
  void move(Counter& own, Worker& worker) {
    WordTable& words = counter_->tables.words;
    RowStore<ClassEntry>& rows = counter_->rows[0].store();
    append_rows(rows, own.rows[0].store(), words.insert_all(own.tables.words), worker);
    own.tables.words.clear();
    own.rows[0].store().clear();
    if (rows.n_entries() < 2 * n_united_) return;
    unite_rows(rows, words.size(), worker);
    n_united_ = rows.n_entries();
  }

  std::mutex mutex_;
  std::unique_ptr<Counter> counter_;
  std::atomic<std::int64_t> n_bytes_ = 0;
  std::int64_t n_united_ = 0;  // the number of entries after rows were last united
};

}  // namespace termsift
