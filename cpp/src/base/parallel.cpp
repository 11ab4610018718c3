#include "termsift/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/stack_size.hpp"
#include "termsift/portability.hpp"
#include "termsift/types.hpp"

#ifdef _OPENMP
#include <latch>
#include <omp.h>
#endif

namespace termsift {

// ---- processors --------------------------------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

// Returns the content of a small file, or "" if the file cannot be read. C++ streams are avoided, because they crash if this
// extension contains its own copy of the C++ library. Such a copy shares some locale symbols with numpy's C++ library.
std::string content_of(const std::string& path) {
  std::string content;
  if (std::FILE* const file = std::fopen(path.c_str(), "rb")) {
    for (int c; (c = std::fgetc(file)) != EOF;) content += static_cast<char>(c);
    std::fclose(file);
  }
  return content;
}

// Returns the processor limit of one control group. The file cpu.max of a control group holds a quota and a period, for
// example "150000 100000". The quota "max" means no limit.
std::optional<int> limit_of(const fs::path& group) {
  long long quota = 0, period = 0;
  const std::string content = content_of((group / "cpu.max").string());
  if (std::sscanf(content.c_str(), "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::min<long long>((quota - 1) / period + 1, std::numeric_limits<int>::max()));
}

}  // namespace

std::optional<int> quota_of_control_groups(const std::string& root) {
  const std::string groups = content_of(root + "/proc/self/cgroup");
  std::optional<int> least;
  for (std::size_t begin = 0, end; begin < groups.size(); begin = end + 1) {
    end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    if (!line.starts_with("0::")) continue;  // skips control groups of the obsolete version 1
    // In a container, the path of the group may be a path on the host, of which only the mount point is visible.
    fs::path group = root + "/sys/fs/cgroup";
    least = limit_of(group);
    for (const fs::path& part : fs::path(line.substr(3)).relative_path())
      if (const std::optional<int> limit = limit_of(group /= part)) least = std::min(*limit, least.value_or(*limit));
  }
  return least;
}

const ProcessorLimit& processor_limit() {
  static const ProcessorLimit limit = [] {
    const int of_machine = std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
    ProcessorLimit least{of_machine, "the processors of the machine"};
    if (const auto allowed = allowed_processors(); allowed && *allowed < least.count)
      least = {*allowed, "the processors that this process may run on"};
    if (const auto quota = quota_of_control_groups(); quota && *quota < least.count)
      least = {*quota, "the control group's quota of processor time"};
    return least;
  }();
  return limit;
}

// ---- threads of OpenMP, or of C++ if OpenMP is missing -----------------------------------------------------------------

namespace {

using Clock = std::chrono::steady_clock;
using Body = std::function<void(std::int64_t, Worker&)>;

// had_threads is true if this process has used several threads. is_child is true in a forked child. lost_threads is true in
// a child whose parent had used several threads before the fork. If lost_threads is true, OpenMP would wait for threads that
// exist only in the parent.
std::atomic<bool> had_threads{false};
std::atomic<bool> lost_threads{false};
std::atomic<bool> is_child{false};

[[maybe_unused]] const bool watches_forks = call_in_forked_children([] {
  is_child = true;
  lost_threads = had_threads.load();
});

// True while this thread runs blocks of a loop that has several threads. A loop that starts while runs_blocks is true uses
// only one thread.
thread_local bool runs_blocks = false;

// Starts n threads, or fewer if the system does not allow n threads. Thread i calls f(i), i = 1, ..., n.
template <class F>
std::vector<std::thread> start_threads(int n, const F& f) {
  raise_stack_size();
  std::vector<std::thread> started;
  started.reserve(static_cast<std::size_t>(n));
  try {
    for (int thread = 1; thread <= n; ++thread) started.emplace_back(f, thread);
  } catch (const std::exception&) {  // With fewer threads, a loop is slower but still correct.
  }
  return started;
}

void join(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) thread.join();
}

// Calls f(thread) on at most n_threads threads. The caller is thread 0, and all other threads are started for this call.
template <class F>
void on_new_threads(int n_threads, const F& f) {
  std::vector<std::thread> others = start_threads(n_threads - 1, f);
  f(0);
  join(others);
}

#ifdef _OPENMP

bool in_parallel() { return runs_blocks || omp_in_parallel() != 0; }

int most_threads(int requested) {
  // omp_get_num_procs() respects the current affinity, and processor_limit() the quota.
  const int usual = std::min({omp_get_max_threads(), omp_get_num_procs(), processor_limit().count});
  return std::min(requested > 0 ? requested : usual, omp_get_thread_limit());
}

// Returns how many of n threads the system allows. OpenMP would end the process if a thread could not start. OpenMP keeps a
// separate team for each calling thread, with the threads of its last loop alone. Whenever a loop needs a larger team,
// allowed_threads() therefore first starts as many C++ threads as the team lacks, as a test.
int allowed_threads(int n) {
  thread_local int team = 1;
  if (n > team) {
    std::latch all_started(1);
    std::vector<std::thread> others = start_threads(n - team, [&](int) { all_started.wait(); });
    n = team + static_cast<int>(others.size());
    all_started.count_down();
    join(others);
  }
  return team = n;
}

// Calls f(thread) on at most n_threads threads. The caller is thread 0. A forked child does not use OpenMP, because
// OpenMP would wait for the parent's threads if any library had used OpenMP in the parent.
template <class F>
void on_threads(int n_threads, const F& f) {
  if (is_child) return on_new_threads(n_threads, f);
  const int n = allowed_threads(n_threads);
#pragma omp parallel num_threads(n)
  f(omp_get_thread_num());
}

#else

bool in_parallel() { return runs_blocks; }

int most_threads(int requested) {
  return requested > 0 ? requested : processor_limit().count;
}

template <class F>
void on_threads(int n_threads, const F& f) {
  on_new_threads(n_threads, f);
}

#endif

// ---- loops -------------------------------------------------------------------------------------------------------------

}  // namespace

// The state of one call of for_each_block, shared by all threads of the call.
class Loop {
 public:
  Loop(std::int64_t n_blocks, int n_threads, const Poll& poll, const Body& body)
      : n_blocks_(n_blocks), n_threads_(n_threads), poll_(poll), body_(body) {}

  // Runs blocks until no block is left. Each thread of the loop calls run() once. A thread that starts late may find no
  // block left. After its last block, the caller's thread polls until all other threads have finished.
  void run(int thread) noexcept {
    const bool before = std::exchange(runs_blocks, runs_blocks || n_threads_ > 1);
    Worker worker(*this, thread);
    ++n_running_;
    for (;;) {
      const std::int64_t block = worker.block_ = next_.fetch_add(1, std::memory_order_relaxed);
      if (block >= n_blocks_ || must_stop(block)) break;
      guard(block, [&] {
        worker.check();
        body_(block, worker);
      });
    }
    runs_blocks = before;
    std::unique_lock lock(mutex_);
    --n_running_;
    if (thread != 0) return left_.notify_one();
    while (!left_.wait_for(lock, poll_interval, [&] { return n_running_ == 0; })) {
      lock.unlock();
      guard(all_blocks, [&] { poll(); });
      lock.lock();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  friend class Worker;

  // Returns whether a lower block has failed, or the caller's poll has stopped the loop. Blocks below a failed block run to
  // their ends, since one of them may fail too, and its exception is then the one to throw.
  bool must_stop(std::int64_t block) const { return block > failed_block_.load(std::memory_order_relaxed); }

  // Keeps the current exception, unless a lower block has failed.
  void keep(std::int64_t block) noexcept {
    const std::lock_guard lock(mutex_);
    if (block >= failed_block_) return;
    failed_block_ = block;
    failure_ = std::current_exception();
  }

  // Calls the caller's poll, on the caller's thread. If the poll stops the loop or throws, all blocks stop, because the poll
  // counts as lower than every block. After that, poll() does nothing, since Python has already set an exception.
  void poll() {
    if (!poll_ || failed_block_ == all_blocks) return;
    try {
      if (poll_()) throw Interrupted();
    } catch (...) {
      keep(all_blocks);
      throw;
    }
  }

  // Runs f and catches its exception, because no exception may leave run(). rethrow() throws the exception of the lowest
  // block. A block that stopped because of a lower block has thrown Interrupted, which is ignored.
  template <class F>
  void guard(std::int64_t block, const F& f) noexcept {
    try {
      f();
    } catch (const Interrupted&) {
      if (!must_stop(block)) keep(all_blocks);
    } catch (...) {
      keep(block);
    }
  }

  static constexpr std::int64_t all_blocks = -1;

  const std::int64_t n_blocks_;
  const int n_threads_;
  const Poll& poll_;
  const Body& body_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<int> n_running_{0};
  std::mutex mutex_;
  std::condition_variable left_;
  // The lowest block that has failed, or all_blocks if the caller's poll has stopped the loop.
  std::atomic<std::int64_t> failed_block_{std::numeric_limits<std::int64_t>::max()};
  std::exception_ptr failure_;
};

void Worker::check() {
  if (loop_.must_stop(block_)) throw Interrupted();
  // Only thread 0, the caller's thread, may ask Python about signals. `polled` is thread_local and keeps its value between
  // loops, so a call with many short loops can be interrupted too.
  thread_local Clock::time_point polled = Clock::now();
  if (thread_ != 0 || !loop_.poll_ || Clock::now() - polled < poll_interval) return;
  polled = Clock::now();
  loop_.poll();
}

int effective_n_threads(int requested) { return lost_threads || in_parallel() ? 1 : most_threads(requested); }

std::string openmp_version() {
#ifdef _OPENMP
  return std::to_string(_OPENMP);
#else
  return "none";
#endif
}

std::string what_limits_threads() {
  if (lost_threads) return "the parent of this forked process had threads";
  const ProcessorLimit& limit = processor_limit();
  return effective_n_threads(0) < limit.count ? "OpenMP's settings" : limit.from;
}

void for_each_block(std::int64_t n_blocks, const Threads& threads,
                    const std::function<void(std::int64_t, Worker&)>& body) {
  const int most = effective_n_threads(std::max(threads.count, 1));
  const int n_threads = static_cast<int>(std::clamp<std::int64_t>(n_blocks, 1, most));
  Loop loop(n_blocks, n_threads, threads.poll, body);
  if (n_threads == 1) {
    loop.run(0);
  } else {
    had_threads = true;
    on_threads(n_threads, [&](int thread) { loop.run(thread); });
  }
  loop.rethrow();
}

Threads worth(const Threads& threads, std::int64_t work, std::int64_t grain) {
  const std::int64_t most = std::max<std::int64_t>(work / grain, 1);
  return {static_cast<int>(std::clamp<std::int64_t>(threads.count, 1, most)), threads.poll};
}

}  // namespace termsift
