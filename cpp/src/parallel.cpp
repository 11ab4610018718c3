#include "termsift/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>

#include "termsift/types.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif
#if defined(_OPENMP) && defined(__unix__)
#include <pthread.h>
#endif

namespace termsift {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto poll_interval = std::chrono::milliseconds(50);

// Whether this process has run a team of threads, and whether it is a child forked after that.
std::atomic<bool> had_team{false};
std::atomic<bool> lost_team{false};

#ifdef _OPENMP
void remember_team() {
  if (had_team.exchange(true)) return;
#ifdef __unix__
  pthread_atfork(nullptr, nullptr, [] { lost_team = true; });
#endif
}
#endif

using Body = std::function<void(std::int64_t, Worker&)>;

// One loop, shared by its threads.
class Loop {
 public:
  Loop(std::int64_t n_blocks, const Poll& poll, const Body& body)
      : n_blocks_(n_blocks), poll_(poll), body_(body) {}

  void run(int thread) noexcept {
    LoopWorker worker(*this, thread);
    ++running_;
    while (!stop_) {
      const std::int64_t block = next_.fetch_add(1, std::memory_order_relaxed);
      if (block >= n_blocks_) break;
      guard(block, [&] {
        worker.check();
        body_(block, worker);
      });
    }
    {
      const std::lock_guard lock(mutex_);
      if (--running_ == 0) all_done_.notify_all();
    }
    if (thread == 0 && poll_) guard(n_blocks_, [&] { wait_for_others(worker); });
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  class LoopWorker final : public Worker {
   public:
    LoopWorker(Loop& loop, int thread) : loop_(loop), thread_(thread) {}
    int thread() const override { return thread_; }
    void check() override {
      if (loop_.stop_) throw Interrupted();
      // Thread 0 is the caller's, the only one from which Python may be asked about a signal.
      if (thread_ != 0 || !loop_.poll_ || Clock::now() - polled_ < poll_interval) return;
      polled_ = Clock::now();
      if (loop_.poll_()) throw Interrupted();
    }

   private:
    Loop& loop_;
    const int thread_;
    Clock::time_point polled_ = Clock::now();
  };

  // Nothing may leave a parallel region: the first failure in block order is kept for rethrow(), a mere Interrupted of a
  // thread that saw the stop last of all.
  template <class F>
  void guard(std::int64_t block, const F& f) noexcept {
    try {
      f();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (block < failed_block_ && !(stop_ && is_interruption(std::current_exception()))) {
        failed_block_ = block;
        failure_ = std::current_exception();
      }
      stop_ = true;
    }
  }

  static bool is_interruption(const std::exception_ptr& failure) noexcept {
    try {
      std::rethrow_exception(failure);
    } catch (const Interrupted&) {
      return true;
    } catch (...) {
      return false;
    }
  }

  // The caller's thread must go on polling while the others finish. A moment's spinning first: they mostly end together,
  // and being woken costs more. A thread that has not begun yet will find no block left and need not be waited for.
  void wait_for_others(LoopWorker& worker) {
    for (int spins = 0; spins < 2000; ++spins)
      if (running_ == 0) return;
    std::unique_lock lock(mutex_);
    while (!all_done_.wait_for(lock, poll_interval, [&] { return running_ == 0; })) {
      if (stop_) continue;
      lock.unlock();
      worker.check();
      lock.lock();
    }
  }

  const std::int64_t n_blocks_;
  const Poll& poll_;
  const Body& body_;
  std::atomic<int> running_{0};
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::int64_t failed_block_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure_;
};

}  // namespace

bool has_openmp() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

int effective_n_threads(int requested) {
#ifdef _OPENMP
  if (lost_team || omp_in_parallel()) return 1;
  return requested > 0 ? requested : std::min(omp_get_max_threads(), omp_get_num_procs());
#else
  static_cast<void>(requested);
  return 1;
#endif
}

void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t, Worker&)>& body) {
  const int most = effective_n_threads(std::max(threads.count, 1));
  const int n_threads = static_cast<int>(std::clamp<std::int64_t>(n_blocks, 1, most));
  Loop loop(n_blocks, threads.poll, body);
  if (n_threads == 1) {
    loop.run(0);
  } else {
#ifdef _OPENMP
    remember_team();
#pragma omp parallel num_threads(n_threads) default(none) shared(loop)
    loop.run(omp_get_thread_num());
#endif
  }
  loop.rethrow();
}

Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain) {
  const std::int64_t most = std::max<std::int64_t>(work / grain, 1);
  return {static_cast<int>(std::min<std::int64_t>(most, threads.count)), threads.poll};
}

}  // namespace termsift
