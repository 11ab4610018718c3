#include "termsift/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
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

// Whether helpers have started, and whether this process is a child forked after that: they do not exist there.
std::atomic<bool> had_helpers{false};
std::atomic<bool> lost_helpers{false};

#ifdef __unix__
[[maybe_unused]] const int watches_forks = pthread_atfork(nullptr, nullptr, [] { lost_helpers = had_helpers.load(); });
#endif

// Whether this thread is in a loop that has others: loops within run on it alone.
thread_local bool in_parallel = false;

using Body = std::function<void(std::int64_t, Worker&)>;

// One loop, shared by its threads.
class Loop {
 public:
  Loop(std::int64_t n_blocks, const Poll& poll, const Body& body)
      : n_blocks_(n_blocks), poll_(poll), body_(body) {}

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

  // To be called on the caller's thread now and then while it waits for the others.
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
      // Thread 0 is the caller's, the only one from which Python may be asked about a signal.
      // The interval goes on from loop to loop: a call of many short ones must be stopped too.
      thread_local Clock::time_point polled = Clock::now();
      if (thread_ != 0 || !loop_.poll_ || Clock::now() - polled < poll_interval) return;
      polled = Clock::now();
      if (loop_.poll_()) throw Interrupted();
    }

   private:
    Loop& loop_;
    const int thread_;
  };

  // Nothing may leave a thread's part of a loop: the first failure in block order is kept for rethrow(), a mere Interrupted
  // of a thread that saw the stop last of all.
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

// Some twenty microseconds: what comes next mostly comes at once, and being woken costs more. No longer, since a thread that
// spins when another process wants its core is made to wait when it is needed.
template <class Condition>
bool spin_until(const Condition& condition) {
  for (int spins = 0; spins < 1000; ++spins) {
    if (condition()) return true;
    pause();
  }
  return condition();
}

// Threads that sleep until a loop wants help, and then take blocks of it like its caller does. Nobody waits for a helper
// that has not come: it will find no block left. A helper that has begun a block is waited for.
//
// OpenMP's own regions wait for every thread of a team to arrive at a barrier and let it spin there. With another process
// on one of two cores a call of 2 ms took 24, three times the time slice that a thread of the team had to wait for.
class Helpers {
 public:
  // Never destroyed: helpers may outlive main.
  static Helpers& instance() {
    static Helpers* const helpers = new Helpers;
    return *helpers;
  }

  void run(Loop& loop, int n_threads) {
    Job job{&loop, n_threads - 1};
    {
      const std::lock_guard lock(mutex_);
      start(n_threads - 1);
      send_away(n_threads - 1);
      jobs_.push_back(&job);
      ++posted_;
    }
    // No more than there are seats: waking all that ever were would slow every small loop after a large one.
    for (int helper = 1; helper < n_threads; ++helper) wanted_.notify_one();
    in_parallel = true;
    loop.run(0);
    in_parallel = false;
    {
      const std::lock_guard lock(mutex_);
      std::erase(jobs_, &job);
    }
    // From here on nobody joins, and who leaves does not look back.
    if (spin_until([&] { return job.n_inside == 0; })) return;
    std::unique_lock lock(mutex_);
    while (!left_.wait_for(lock, poll_interval, [&] { return job.n_inside == 0; })) {
      lock.unlock();
      loop.poll();
      lock.lock();
    }
  }

 private:
  struct Job {
    Loop* loop;
    int n_seats;                   // how many more helpers may join
    int n_joined = 0;
    std::atomic<int> n_inside{0};  // changed under the mutex
  };

  struct Helper {
    std::thread::native_handle_type handle{};
    bool asleep = false;
#ifdef __linux__
    cpu_set_t processors{};  // last set
#endif
  };

  // As many helpers as there can be: where the system gives no more threads, loops have fewer.
  void start(int n_helpers) {
    while (std::ssize(helpers_) < n_helpers) {
      had_helpers = true;
      try {
        helpers_.push_back(std::make_unique<Helper>());
      } catch (const std::bad_alloc&) {
        return;
      }
      try {
        std::thread thread([this, helper = helpers_.back().get()] { help(*helper); });
        helpers_.back()->handle = thread.native_handle();
        thread.detach();
      } catch (const std::system_error&) {
        return helpers_.pop_back();
      }
    }
  }

  // Lets sleeping helpers wake on any processor that the caller may use but its own. Linux takes the idle processor of a
  // virtual machine for one that the host has taken away, and would wake them on the caller's, where they come milliseconds
  // late.
  void send_away([[maybe_unused]] int n_helpers) {
#ifdef __linux__
    cpu_set_t others;
    const int own = sched_getcpu();
    if (own < 0 || own >= CPU_SETSIZE || sched_getaffinity(0, sizeof others, &others) != 0) return;
    CPU_CLR(own, &others);
    if (CPU_COUNT(&others) == 0) return;
    for (const auto& helper : helpers_) {
      if (!helper->asleep || n_helpers-- <= 0 || CPU_EQUAL(&helper->processors, &others)) continue;
      if (pthread_setaffinity_np(helper->handle, sizeof others, &others) == 0) helper->processors = others;
    }
#endif
  }

  [[noreturn]] void help(Helper& self) {
    in_parallel = true;
    for (std::unique_lock lock(mutex_);;) {
      const auto open = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->n_seats > 0; });
      if (open == jobs_.end()) {
        const std::int64_t seen = posted_;
        lock.unlock();
        spin_until([&] { return posted_ != seen; });
        lock.lock();
        self.asleep = true;
        wanted_.wait(lock, [&] { return posted_ != seen; });
        self.asleep = false;
        continue;
      }
      Job& job = **open;
      --job.n_seats;
      ++job.n_inside;
      const int thread = ++job.n_joined;
      lock.unlock();
      job.loop->run(thread);
      lock.lock();
      if (--job.n_inside == 0) left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_, left_;
  std::vector<Job*> jobs_;
  std::atomic<std::int64_t> posted_{0};  // how many jobs there have been
  std::vector<std::unique_ptr<Helper>> helpers_;
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
  Loop loop(n_blocks, threads.poll, body);
  if (n_threads == 1)
    loop.run(0);
  else
    Helpers::instance().run(loop, n_threads);
  loop.rethrow();
}

Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain) {
  const std::int64_t most = std::max<std::int64_t>(work / grain, 1);
  return {static_cast<int>(std::clamp<std::int64_t>(threads.count, 1, most)), threads.poll};
}

}  // namespace termsift
