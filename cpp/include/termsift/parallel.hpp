// How many threads a call uses, and the one parallel loop of the core.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace termsift {

// A long call asks `poll` now and then, on the calling thread. If it returns true, the call throws Interrupted.
using Poll = std::function<bool()>;
inline constexpr auto poll_interval = std::chrono::milliseconds(50);

// A long call reports now and then, on the calling thread, how much is done. May be empty; its exceptions are passed on.
using Progress = std::function<void(std::int64_t done)>;

struct Threads {
  int count = 1;   // the most threads a loop may use
  Poll poll = {};  // empty: never interrupted
};

// Returns the number of threads of a call:
//   requested > 0   that many;
//   requested == 0  the OpenMP default (OMP_NUM_THREADS, threadpoolctl), at most the processors that this process may use
//                   by its affinity and by the quota of its control group (rounded up);
//   always 1        inside a loop with several threads or an OpenMP parallel region, and in a child process forked after
//                   threads had started, because these threads do not exist in the child;
//   never more than OMP_THREAD_LIMIT.
// Without OpenMP, its settings are ignored, and the default is the number of processors that this process may use.
int effective_n_threads(int requested);

// Returns a phrase that says what sets the number of threads of a call that requests none.
std::string what_limits_threads();

// A thread inside for_each_block.
class Worker {
 public:
  virtual int thread() const = 0;  // in [0, threads.count)
  // Throws Interrupted if the loop must stop. A long block calls this about every ten thousand steps.
  virtual void check() = 0;

 protected:
  ~Worker() = default;
};

// Runs body(block, worker) for every block in [0, n_blocks), in increasing order on any thread. If no two blocks write the
// same memory, the result is the same for any number of threads. An exception stops the loop and is rethrown here; if
// several blocks threw, the lowest block's exception is rethrown.
void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t block, Worker& worker)>& body);

// Runs body(begin, end, worker) for ranges of `size` numbers that make up [0, n), as for_each_block runs blocks.
template <class Body>
void for_each_range(std::int64_t n, std::int64_t size, const Threads& threads, const Body& body) {
  for_each_block((n + size - 1) / size, threads, [&](std::int64_t block, Worker& worker) {
    body(block * size, std::min(n, (block + 1) * size), worker);
  });
}

// Returns the same threads, but at most one for each `grain` units of work (entries, cells): waking a thread takes about ten
// microseconds.
Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain = 1 << 16);

}  // namespace termsift
