// Threads: how many, and the one loop that uses them. OpenMP, which other libraries share, says how many; the threads are
// our own (parallel.cpp says why).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace termsift {

// Asked now and then on the calling thread of a long call; true means stop (the call then throws Interrupted).
using Poll = std::function<bool()>;
inline constexpr auto poll_interval = std::chrono::milliseconds(50);

// Told now and then on the calling thread of a long call how much is done; may be empty. What it throws is passed on.
using Progress = std::function<void(std::int64_t done)>;

struct Threads {
  int count = 1;   // the most threads a loop may use
  Poll poll = {};  // empty: never interrupted
};

// How many threads a call uses:
//   requested > 0   that many;
//   requested == 0  the OpenMP default (OMP_NUM_THREADS, threadpoolctl), at most the CPUs this process may run on;
//   always 1        without OpenMP, inside a loop that has several threads or an OpenMP parallel region, and in a child
//   forked after
//                   threads had started, because they do not exist there;
//   never more than OMP_THREAD_LIMIT.
int effective_n_threads(int requested);

bool has_openmp();

// A thread inside for_each_block.
class Worker {
 public:
  virtual int thread() const = 0;  // in [0, threads.count)
  // To be called every ten thousand steps or so of a long block: throws Interrupted once the loop is to stop.
  virtual void check() = 0;

 protected:
  ~Worker() = default;
};

// Runs body(block, worker) for every block in [0, n_blocks). Blocks are handed out in increasing order, any thread may take
// any block: a result is the same for any number of threads exactly if each block writes what no other block touches. An
// exception in a block stops the loop and is rethrown here, the one of the lowest block if several threw.
void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t block, Worker& worker)>& body);

// Waking a second thread costs some ten microseconds: below `grain` units of work (entries, cells) for each thread
// it does not pay. Returns the same Threads with fewer threads.
Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain = 1 << 16);

}  // namespace termsift
