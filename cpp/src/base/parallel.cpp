#include "termsift/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "termsift/types.hpp"

#ifdef _OPENMP
#include <latch>
#include <omp.h>
#endif
#ifdef __unix__
#include <pthread.h>
#endif

namespace termsift {
namespace {

using Clock = std::chrono::steady_clock;
using Body = std::function<void(std::int64_t, Worker&)>;

// Whether threads have started, and whether this process was forked after that: a child has none of its parent's threads,
// and OpenMP would wait for them.
std::atomic<bool> had_threads{false};
std::atomic<bool> lost_threads{false};

#ifdef __unix__
[[maybe_unused]] const int watches_forks = pthread_atfork(nullptr, nullptr, [] { lost_threads = had_threads.load(); });
#endif

// ---- threads: OpenMP's, or without OpenMP those of C++ -----------------------------------------------------------------

// Starts n threads that call f with 1, 2, ..., or fewer if the system does not allow as many.
template <class F>
std::vector<std::thread> start_threads(int n, const F& f) {
  std::vector<std::thread> started;
  started.reserve(static_cast<std::size_t>(n));
  try {
    for (int thread = 1; thread <= n; ++thread) started.emplace_back(f, thread);
  } catch (const std::exception&) {  // With fewer threads, a loop only takes longer.
  }
  return started;
}

void join(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
}

#ifdef _OPENMP

bool in_parallel() { return omp_in_parallel() != 0; }

int most_threads(int requested) {
  return std::min(requested > 0 ? requested : std::min(omp_get_max_threads(), omp_get_num_procs()), omp_get_thread_limit());
}

// Returns how many of n threads the system allows. If OpenMP cannot start a thread, it ends the process. So as many threads
// are started here first, once for each thread that calls loops: OpenMP keeps a team for each of those.
int allowed_threads(int n) {
  thread_local int most = 1;
  if (n > most) {
    std::latch all_started(1);
    std::vector<std::thread> others = start_threads(n - 1, [&](int) { all_started.wait(); });
    most = 1 + static_cast<int>(others.size());
    all_started.count_down();
    join(others);
  }
  return std::min(n, most);
}

// Calls f(thread) on n_threads threads at most. The caller is thread 0.
template <class F>
void on_threads(int n_threads, const F& f) {
  const int n = allowed_threads(n_threads);
#pragma omp parallel num_threads(n)
  f(omp_get_thread_num());
}

#else

thread_local bool runs_loop = false;

bool in_parallel() { return runs_loop; }

int most_threads(int requested) {
  return requested > 0 ? requested : std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

template <class F>
void on_threads(int n_threads, const F& f) {
  const auto run = [&f](int thread) {
    runs_loop = true;
    f(thread);
    runs_loop = false;
  };
  std::vector<std::thread> others = start_threads(n_threads - 1, run);
  run(0);
  join(others);
}

#endif

// ---- loops -------------------------------------------------------------------------------------------------------------

inline void pause() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// One call of for_each_block, shared by its threads.
class Loop {
 public:
  Loop(std::int64_t n_blocks, const Poll& poll, const Body& body) : n_blocks_(n_blocks), poll_(poll), body_(body) {}

  // Runs blocks until none is left. Called once by each thread.
  void run(int thread) noexcept {
    ++n_running_;
    LoopWorker worker(*this, thread);
    while (!stop_) {
      const std::int64_t block = next_.fetch_add(1, std::memory_order_relaxed);
      if (block >= n_blocks_) break;
      guard(block, [&] {
        worker.check();
        body_(block, worker);
      });
    }
    const std::lock_guard lock(mutex_);
    if (--n_running_ == 0) finished_.notify_one();
  }

  // Waits for the threads that run blocks, and polls meanwhile. Called by thread 0, because only the caller may ask Python
  // about signals, and it could not do so at the end of OpenMP's region. A thread that starts later finds no block. Threads
  // usually finish together, so the caller spins for some 40 microseconds before it sleeps.
  void wait() noexcept {
    for (int spins = 0; n_running_ > 0 && spins < 4000; ++spins) pause();
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, poll_interval, [&] { return n_running_ == 0; })) {
      lock.unlock();
      poll();
      lock.lock();
    }
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

  void poll() noexcept {
    if (!stop_ && poll_)
      guard(n_blocks_, [&] {
        if (poll_()) throw Interrupted();
      });
  }

  const std::int64_t n_blocks_;
  const Poll& poll_;
  const Body& body_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<int> n_running_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable finished_;
  std::int64_t failed_block_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure_;
};

}  // namespace

int effective_n_threads(int requested) { return lost_threads || in_parallel() ? 1 : most_threads(requested); }

void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t, Worker&)>& body) {
  const int most = effective_n_threads(std::max(threads.count, 1));
  const int n_threads = static_cast<int>(std::clamp<std::int64_t>(n_blocks, 1, most));
  Loop loop(n_blocks, threads.poll, body);
  if (n_threads == 1) {
    loop.run(0);
  } else {
    had_threads = true;
    on_threads(n_threads, [&loop](int thread) {
      loop.run(thread);
      if (thread == 0) loop.wait();
    });
  }
  loop.rethrow();
}

Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain) {
  const std::int64_t most = std::max<std::int64_t>(work / grain, 1);
  return {static_cast<int>(std::clamp<std::int64_t>(threads.count, 1, most)), threads.poll};
}

}  // namespace termsift
