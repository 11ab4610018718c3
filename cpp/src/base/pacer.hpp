// Polls and reports progress in a long call that consists of many small steps.
#pragma once

#include <chrono>
#include <cstdint>

#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// Polls for an interruption and reports the progress about twenty times a second. Only the calling thread may use a Pacer.
class Pacer {
 public:
  Pacer(const Threads& threads, const Progress& progress) : threads_(threads), progress_(progress) {}
  void tick(std::int64_t done) {
    if (ticks_++ % 64 == 0) tick_now(done);  // rare, because reading the clock takes as long as computing a few gains
  }
  void tick_now(std::int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < poll_interval) return;
    last_ = now;
    if (threads_.poll && threads_.poll()) throw Interrupted();
    if (progress_) progress_(done);
  }

 private:
  const Threads& threads_;
  const Progress& progress_;
  std::int64_t ticks_ = 0;
  std::chrono::steady_clock::time_point last_{};  // initially long ago, so the first tick polls
};

}  // namespace termsift
