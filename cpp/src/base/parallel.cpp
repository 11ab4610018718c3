#include "termsift/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "termsift/types.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sched.h>
#endif
#ifdef __unix__
#include <pthread.h>
#endif

namespace termsift {
namespace {

using Clock = std::chrono::steady_clock;

// Whether helpers have started, and whether this process was forked after that: a child has none of its parent's threads.
std::atomic<bool> had_helpers{false};
std::atomic<bool> lost_helpers{false};

#ifdef __unix__
[[maybe_unused]] const int watches_forks = pthread_atfork(nullptr, nullptr, [] { lost_helpers = had_helpers.load(); });
#endif

// Whether this thread runs blocks of a loop that has several threads. A nested loop then runs on this thread alone.
thread_local bool in_parallel = false;

using Body = std::function<void(std::int64_t, Worker&)>;

int current_processor() {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

// Moves this thread to another processor if it runs on the given one. In a virtual machine, Linux may believe that an idle
// processor is in use by the host. It then wakes a helper on the caller's processor, where the helper starts milliseconds
// later. Only helpers, which are threads of this library, call this. The affinity is restored at once.
void move_away_from([[maybe_unused]] int processor) {
#ifdef __linux__
  cpu_set_t allowed;
  if (processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor) return;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
#endif
}

// One call of for_each_block, shared by its threads.
class Loop {
 public:
  Loop(std::int64_t n_blocks, int n_threads, const Poll& poll, const Body& body)
      : n_seats(n_threads - 1), n_blocks_(n_blocks), poll_(poll), body_(body) {}

  const int caller_processor = current_processor();
  // These are changed under the mutex of Helpers.
  int n_seats;                   // how many more helpers may join
  int n_joined = 0;
  std::atomic<int> n_inside{0};  // helpers that have joined and have not left yet

  void run(int thread) noexcept {
    LoopWorker worker(*this, thread);
    while (!stop_) {
      const std::int64_t block = next_.fetch_add(1, std::memory_order_relaxed);
      if (block >= n_blocks_) break;
      guard(block, [&] {
        worker.check();
        body_(block, worker);
      });
    }
  }

  // The caller's thread calls this now and then while it waits for the helpers.
  void poll() noexcept {
    if (!stop_ && poll_)
      guard(n_blocks_, [&] {
        if (poll_()) throw Interrupted();
      });
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
      // Only thread 0, the caller's, may ask Python about signals. The interval spans loops (thread_local), so that a
      // call of many short loops is interrupted too.
      thread_local Clock::time_point polled = Clock::now();
      if (thread_ != 0 || !loop_.poll_ || Clock::now() - polled < poll_interval) return;
      polled = Clock::now();
      if (loop_.poll_()) throw Interrupted();
    }

   private:
    Loop& loop_;
    const int thread_;
  };

  // No exception may leave a thread's part of the loop. rethrow() throws the one of the lowest block. An Interrupted that
  // is thrown because the loop has already stopped does not count.
  template <class F>
  void guard(std::int64_t block, const F& f) noexcept {
    const auto keep = [&](bool interrupted) {
      const std::lock_guard lock(mutex_);
      if (block < failed_block_ && !(stop_ && interrupted)) {
        failed_block_ = block;
        failure_ = std::current_exception();
      }
      stop_ = true;
    };
    try {
      f();
    } catch (const Interrupted&) {
      keep(true);
    } catch (...) {
      keep(false);
    }
  }

  const std::int64_t n_blocks_;
  const Poll& poll_;
  const Body& body_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::int64_t failed_block_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure_;
};

inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Spins for about 40 microseconds. The next loop usually comes sooner than that, and waking a thread takes longer. A longer
// spin would make the system take the core away when another process wants it.
template <class Condition>
bool spin_until(const Condition& condition) {
  for (int spins = 0; spins < 4000; ++spins) {
    if (condition()) return true;
    pause();
  }
  return condition();
}

// Threads that sleep until a loop needs help and then take blocks of it, as the caller does. The caller never waits for a
// helper that has not joined yet, because it would find no block left; it waits only for helpers that are running a block.
//
// OpenMP's parallel regions are slower when another process runs: every thread of a team must reach a barrier, where it
// spins. With another process on one of two cores, a call of 2 ms took 24 ms.
class Helpers {
 public:
  // Never destroyed, because helpers may outlive main.
  static Helpers& instance() {
    static Helpers* const helpers = new Helpers;
    return *helpers;
  }

  void run(Loop& loop) {
    const int n_helpers = loop.n_seats;
    {
      const std::lock_guard lock(mutex_);
      start(n_helpers);
      loops_.push_back(&loop);
      ++n_posted_;
    }
    // Wake only as many as the loop has seats: waking all helpers would slow every small loop after a large one.
    for (int helper = 0; helper < n_helpers; ++helper) wanted_.notify_one();
    in_parallel = true;
    loop.run(0);
    in_parallel = false;
    {
      const std::lock_guard lock(mutex_);
      std::erase(loops_, &loop);
    }
    // No helper can join any more, and a helper that leaves does not touch the loop again.
    if (spin_until([&] { return loop.n_inside == 0; })) return;
    std::unique_lock lock(mutex_);
    while (!left_.wait_for(lock, poll_interval, [&] { return loop.n_inside == 0; })) {
      lock.unlock();
      loop.poll();
      lock.lock();
    }
  }

 private:
  // Starts as many helpers as the system allows. With fewer threads a loop only takes longer.
  void start(int n_helpers) {
    for (; n_started_ < n_helpers; ++n_started_) {
      had_helpers = true;
      try {
        std::thread([this] { help(); }).detach();
      } catch (const std::exception&) {
        return;
      }
    }
  }

  [[noreturn]] void help() {
    in_parallel = true;
    bool worked = false;  // since it last slept
    for (std::unique_lock lock(mutex_);;) {
      const auto open = std::find_if(loops_.begin(), loops_.end(), [](const Loop* loop) { return loop->n_seats > 0; });
      if (open == loops_.end()) {
        const std::int64_t seen = n_posted_;
        if (std::exchange(worked, false)) {
          lock.unlock();
          spin_until([&] { return n_posted_ != seen; });
          lock.lock();
        }
        wanted_.wait(lock, [&] { return n_posted_ != seen; });
        continue;
      }
      Loop& loop = **open;
      --loop.n_seats;
      ++loop.n_inside;
      const int thread = ++loop.n_joined;
      lock.unlock();
      move_away_from(loop.caller_processor);
      loop.run(thread);
      worked = true;
      lock.lock();
      if (--loop.n_inside == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_, left_;
  std::vector<Loop*> loops_;  // the loops that may still have a block left
  std::atomic<std::int64_t> n_posted_{0};
  int n_started_ = 0;
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
  if (lost_helpers || in_parallel || omp_in_parallel()) return 1;
  return std::min(requested > 0 ? requested : std::min(omp_get_max_threads(), omp_get_num_procs()), omp_get_thread_limit());
#else
  static_cast<void>(requested);
  return 1;
#endif
}

void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t, Worker&)>& body) {
  const int most = effective_n_threads(std::max(threads.count, 1));
  const int n_threads = static_cast<int>(std::clamp<std::int64_t>(n_blocks, 1, most));
  Loop loop(n_blocks, n_threads, threads.poll, body);
  if (n_threads == 1)
    loop.run(0);
  else
    Helpers::instance().run(loop);
  loop.rethrow();
}

Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain) {
  const std::int64_t most = std::max<std::int64_t>(work / grain, 1);
  return {static_cast<int>(std::clamp<std::int64_t>(threads.count, 1, most)), threads.poll};
}

}  // namespace termsift
