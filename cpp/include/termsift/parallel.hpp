// The processors of this process, the number of threads of a call, and the only parallel loop of the core.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "termsift/types.hpp"

namespace termsift {

// A long call invokes `poll` at intervals, on the calling thread. If `poll` returns true, the call throws Interrupted.
using Poll = std::function<bool()>;
inline constexpr auto poll_interval = std::chrono::milliseconds(50);

// A long call invokes its progress function at intervals, on the calling thread, with the amount of work done so far. A
// progress function may be empty, and its exceptions are passed on.
using Progress = std::function<void(std::int64_t done)>;

struct Threads {
  int count = 1;   // the largest number of threads that a loop may use
  Poll poll = {};  // if empty, the call is never interrupted
};

// Polls and reports progress in a call of many steps, at most 20 times a second. Only the calling thread may use a Pacer.
class Pacer {
 public:
  Pacer(const Threads& threads, const Progress& progress) : threads_(threads), progress_(progress) {}
  void tick(std::int64_t done) {
    if (ticks_++ % 64 == 0) tick_now(done);  // rarely, because reading the clock takes as long as computing a few gains
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
  std::chrono::steady_clock::time_point last_{};  // the clock's epoch at first, so the first tick polls
};

// Returns the number of threads of a call, which is `requested` if requested > 0, and otherwise a default. The default is
// that of OpenMP (OMP_NUM_THREADS, threadpoolctl), limited to the number of processors that the affinity of this process and
// the quota of its control group (rounded up) allow. No call has more than OMP_THREAD_LIMIT threads. A call has one thread
// inside a loop that has several threads, inside an OpenMP parallel region, and in a child process that was forked after
// threads had started. The threads of a parent process do not exist in its child. Without OpenMP, the settings of OpenMP are
// ignored, and the default is the number of processors that this process may use.
int effective_n_threads(int requested);

// Returns a phrase that names the limit on the default number of threads.
std::string what_limits_threads();

// Returns the date of the OpenMP version, such as "201511", or "none" if the core was built without OpenMP.
std::string openmp_version();

// Returns the limit that Linux control groups (version 2) put on the processor time of this process. The limit is a number
// of processors, rounded up. The limit is the smallest one in the files cpu.max of the process's group and its parent
// groups. Returns nullopt if there is no limit or no file can be read. Tests pass a `root`, which is put before /proc and
// /sys.
std::optional<int> quota_of_control_groups(const std::string& root = "");

struct ProcessorLimit {
  int count;         // at least 1
  std::string from;  // a phrase that names the source of the limit
};

// Returns the smallest of three numbers: the processors of the machine, the processors that this process may run on, and the
// quota of this process. The limit is computed only at the first call of processor_limit().
const ProcessorLimit& processor_limit();

class Loop;  // a call of for_each_block

// The thread that runs a block of for_each_block.
class Worker {
 public:
  Worker(Loop& loop, int thread) : loop_(loop), thread_(thread) {}
  int thread() const { return thread_; }  // in [0, threads.count)
  // Throws Interrupted if the loop must stop. A long block must call check() about every ten thousand steps.
  void check();

 private:
  friend class Loop;
  Loop& loop_;
  const int thread_;
  std::int64_t block_ = 0;  // the block that the thread runs
};

// Runs body(block, worker) for every block in [0, n_blocks), on any thread. Blocks start in increasing order. If no two
// blocks write the same memory, the result is the same for any number of threads. An exception of `body` stops all higher
// blocks. The exception of the lowest block that fails is rethrown, so the error is the same for any number of threads, too.
void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t block, Worker& worker)>& body);

// Cuts [0, n) into ranges of `size` numbers and runs body(begin, end, worker) for each range, as for_each_block does.
template <class Body>
void for_each_range(std::int64_t n, std::int64_t size, const Threads& threads, const Body& body) {
  for_each_block((n + size - 1) / size, threads, [&](std::int64_t block, Worker& worker) {
    body(block * size, std::min(n, (block + 1) * size), worker);
  });
}

// Working memory: one object of type T for each thread of a loop. The object of a thread is created from `args` when the
// thread first calls own().
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

// Returns `threads`, limited to one thread for each `grain` units of work (entries, cells). Fewer than `grain` units do not
// justify a thread, because waking a thread takes about ten microseconds.
Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain = 1 << 16);

}  // namespace termsift
