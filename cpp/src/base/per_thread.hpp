// Working memory for each thread of a loop.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "termsift/parallel.hpp"

namespace termsift {

// Holds one T for each thread. A thread's T is created from `args` when the thread first calls own().
template <class T>
class PerThread {
 public:
  explicit PerThread(const Threads& threads) : all_(static_cast<std::size_t>(threads.count)) {}
  template <class... Args>
  T& own(const Worker& worker, const Args&... args) {
    std::unique_ptr<T>& mine = all_[static_cast<std::size_t>(worker.thread())];
    if (!mine) mine = std::make_unique<T>(args...);
    return *mine;
  }

 private:
  std::vector<std::unique_ptr<T>> all_;
};

}  // namespace termsift
