#include "termsift/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/bucket_sort.hpp"
#include "check.hpp"
#include "termsift/types.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifndef _WIN32
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace termsift;

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Waits two seconds for the condition. If the system allows only one thread, the condition may never hold.
template <class Condition>
void wait_for(const Condition& condition) {
  for (const auto end = Clock::now() + 2s; !condition() && Clock::now() < end;) std::this_thread::sleep_for(1ms);
}

// Returns whether loops can have a second thread, which OMP_THREAD_LIMIT=1 prevents.
bool two_threads_run() {
  static const bool two = [] {
    std::atomic<int> started{0};
    std::atomic<bool> met{true};
    for_each_block(2, {2, {}}, [&](std::int64_t, Worker&) {
      ++started;
      wait_for([&] { return started == 2; });
      if (started != 2) met = false;
    });
    return met.load();
  }();
  return two;
}

// Runs a block of five seconds that only checks whether it must stop.
void work_until_stopped(Worker& worker) {
  for (const auto end = Clock::now() + 5s; Clock::now() < end;) worker.check();
}

#ifndef _WIN32
// Returns whether f returns true in a child process. An alarm kills a child that hangs.
template <class F>
bool holds_in_child(const F& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    _exit(f() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#endif

bool every_block_runs_once(std::int64_t n_blocks, int n_threads) {
  const auto runs = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(n_blocks) + 1);
  std::atomic<bool> sound{true};
  for_each_block(n_blocks, {n_threads, {}}, [&](std::int64_t block, Worker& worker) {
    if (block < 0 || block >= n_blocks || worker.thread() < 0 || worker.thread() >= n_threads) sound = false;
    else ++runs[static_cast<std::size_t>(block)];
  });
  for (std::int64_t block = 0; block < n_blocks; ++block) sound = sound && runs[static_cast<std::size_t>(block)] == 1;
  return sound;
}

}  // namespace

#ifndef _WIN32
TEST(a_child_of_a_process_without_threads_may_start_some) {
  // If the parent has started no threads, a forked child may use several threads. This test must run first, because other
  // tests start threads.
  CHECK(holds_in_child([] { return effective_n_threads(2) == 2 && every_block_runs_once(100, 2); }));
}
#endif

TEST(every_block_once) {
  // Every block must run exactly once, even if termsift was built without threads.
  for (const int n_threads : {1, 2, 3, 7})
    for (const std::int64_t n_blocks : {0, 1, 2, 5, 1000}) CHECK(every_block_runs_once(n_blocks, n_threads));
}

TEST(one_thread_goes_in_order) {
  // One thread must run the blocks from the first to the last, so that the lowest block that fails stops the loop.
  std::vector<std::int64_t> order;
  for_each_block(5, {1, {}}, [&](std::int64_t block, Worker& worker) {
    order.push_back(block);
    CHECK_EQ(worker.thread(), 0);
  });
  CHECK_EQ(order, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(a_failure_stops_the_loop) {
  // After an exception, no further block may run, and the exception must reach the caller.
  int runs = 0;
  CHECK_THROWS(for_each_block(1000, {1, {}}, [&](std::int64_t block, Worker&) {
    ++runs;
    if (block == 3) throw std::runtime_error("block 3");
  }), std::runtime_error, "block 3");
  CHECK_EQ(runs, 4);
}

TEST(the_lowest_failure_wins) {
  // If several blocks throw, the loop must rethrow the exception of the lowest block, whichever block throws first.
  if (!two_threads_run()) return;
  for (const std::int64_t last : {0, 1}) {
    std::atomic<int> started{0};
    CHECK_THROWS(for_each_block(2, {2, {}}, [&](std::int64_t block, Worker&) {
      ++started;
      wait_for([&] { return started == 2; });
      if (block == last) std::this_thread::sleep_for(20ms);
      throw std::runtime_error("block " + std::to_string(block));
    }), std::runtime_error, "block 0");
  }
}

TEST(a_failure_stops_higher_blocks_alone) {
  // A block below a failed block may fail too, and its exception is the one to rethrow. So it must run to its end, as it
  // does on one thread. A block above a failed block must stop.
  if (!two_threads_run()) return;
  std::atomic<bool> failed{false};
  CHECK_THROWS(for_each_block(2, {2, {}}, [&](std::int64_t block, Worker& worker) {
    if (block == 1) {
      failed = true;
      throw std::runtime_error("block 1");
    }
    wait_for([&] { return failed.load(); });
    std::this_thread::sleep_for(20ms);
    worker.check();
    throw std::runtime_error("block 0");
  }), std::runtime_error, "block 0");

  const auto start = Clock::now();
  std::atomic<bool> runs{false};
  CHECK_THROWS(for_each_block(2, {2, {}}, [&](std::int64_t block, Worker& worker) {
    if (block == 1) {
      runs = true;
      work_until_stopped(worker);
    }
    wait_for([&] { return runs.load(); });
    throw std::runtime_error("block 0");
  }), std::runtime_error, "block 0");
  CHECK(Clock::now() - start < 1s);
}

TEST(an_interruption_hides_a_failure) {
  // What the poll has found must reach the caller, because Python has set its exception already.
  if (!two_threads_run()) return;
  std::atomic<bool> failed{false};
  const auto poll = [&] { return failed.load(); };
  CHECK_THROWS(for_each_block(2, {2, poll}, [&](std::int64_t block, Worker& worker) {
    if (block == 1) {
      failed = true;
      throw std::runtime_error("a failure");
    }
    wait_for([&] { return failed.load(); });
    work_until_stopped(worker);
  }), Interrupted, "interrupted");
}

TEST(poll_stops_a_loop_of_short_blocks) {
  // The poll must be called, and must be able to stop the loop.
  for (const int n_threads : {1, 2}) {
    const auto start = Clock::now();
    std::atomic<int> runs{0};
    CHECK_THROWS(for_each_block(100000, {n_threads, [] { return true; }}, [&](std::int64_t, Worker&) {
      ++runs;
      std::this_thread::sleep_for(1ms);
    }), Interrupted, "interrupted");
    CHECK(runs < 5000);
    CHECK(Clock::now() - start < 1s);
  }
}

TEST(poll_stops_a_long_block) {
  // An interruption must not wait for the end of a block.
  const auto start = Clock::now();
  CHECK_THROWS(for_each_block(1, {1, [] { return true; }}, [](std::int64_t, Worker& worker) { work_until_stopped(worker); }),
               Interrupted, "interrupted");
  CHECK(Clock::now() - start < 1s);
}

TEST(poll_stops_others_while_the_caller_is_idle) {
  // The caller's thread must also poll while it waits for the other threads.
  if (!two_threads_run()) return;
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> on_caller{true}, other_works{false};
  const auto poll = [&] {
    on_caller = on_caller && std::this_thread::get_id() == caller;
    return true;
  };
  const auto start = Clock::now();
  CHECK_THROWS(for_each_block(2, {2, poll}, [&](std::int64_t, Worker& worker) {
    if (worker.thread() == 0) {
      for (const auto end = Clock::now() + 2s; !other_works && Clock::now() < end;) std::this_thread::yield();
    } else {
      other_works = true;
      work_until_stopped(worker);
    }
  }), Interrupted, "interrupted");
  CHECK(on_caller);
  CHECK(Clock::now() - start < 1s);
}

TEST(a_poll_that_has_stopped_a_loop_is_not_called_again) {
  // After the first call Python has set an exception, and must not run the handlers of further signals.
  if (!two_threads_run()) return;
  std::atomic<int> polls{0};
  std::atomic<bool> other_works{false};
  const auto poll = [&] { return ++polls > 0; };
  CHECK_THROWS(for_each_block(2, {2, poll}, [&](std::int64_t, Worker& worker) {
    if (worker.thread() == 0) return wait_for([&] { return other_works.load(); });
    other_works = true;
    std::this_thread::sleep_for(500ms);
  }), Interrupted, "interrupted");
  CHECK_EQ(polls.load(), 1);
}

#ifdef __linux__
TEST(threads_have_room_for_python) {
  // musl gives threads 128 KiB by default. A build with OpenMP may have started its threads before. The size is asked for
  // and not used up, because ThreadSanitizer keeps its own state on the same stack.
  pthread_attr_t before, small;
  CHECK_EQ(pthread_getattr_default_np(&before), 0);
  CHECK_EQ(pthread_getattr_default_np(&small), 0);
  CHECK_EQ(pthread_attr_setstacksize(&small, 1 << 17), 0);
  CHECK_EQ(pthread_setattr_default_np(&small), 0);
  std::atomic<bool> enough{true};
  for_each_block(2, {2, {}}, [&](std::int64_t, Worker&) {
    pthread_attr_t own;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &own) != 0 || pthread_attr_getstacksize(&own, &size) != 0 || size < (1 << 20))
      enough = false;
    pthread_attr_destroy(&own);
    std::this_thread::sleep_for(20ms);
  });
  CHECK(enough.load());
  CHECK_EQ(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&small);
  pthread_attr_destroy(&before);
}
#endif

TEST(a_quiet_poll_changes_nothing) {
  // The loop must go on if the poll returns false, and only the caller's thread may call the poll.
  const auto caller = std::this_thread::get_id();
  std::atomic<int> runs{0}, elsewhere{0};
  const auto poll = [&] {
    elsewhere += std::this_thread::get_id() != caller;
    return false;
  };
  for_each_block(200, {2, poll}, [&](std::int64_t, Worker&) {
    std::this_thread::sleep_for(1ms);
    ++runs;
  });
  CHECK_EQ(runs.load(), 200);
  CHECK_EQ(elsewhere.load(), 0);
}

TEST(what_poll_throws_arrives) {
  // An exception that leaves the parallel region would call std::terminate, so it must be caught and rethrown.
  const auto poll = []() -> bool { throw std::runtime_error("KeyboardInterrupt"); };
  CHECK_THROWS(for_each_block(2, {2, poll}, [](std::int64_t, Worker& worker) { work_until_stopped(worker); }),
               std::runtime_error, "KeyboardInterrupt");
}

TEST(how_many_threads) {
  // A requested number of threads and OpenMP's settings must be respected. A thread of a loop must not start threads.
  CHECK_EQ(effective_n_threads(5), 5);
  CHECK(effective_n_threads(0) >= 1);
#ifdef _OPENMP
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const int one = effective_n_threads(0);
  omp_set_num_threads(100000);
  const int at_most = effective_n_threads(0);
  omp_set_num_threads(before);
  CHECK_EQ(one, 1);
  CHECK_EQ(at_most, omp_get_num_procs());
#endif
  std::atomic<int> in_two{1};
  int in_one = 0;
  for_each_block(100, {2, {}}, [&](std::int64_t, Worker&) {
    if (effective_n_threads(4) != 1) in_two = effective_n_threads(4);
  });
  for_each_block(1, {2, {}}, [&](std::int64_t, Worker&) { in_one = effective_n_threads(4); });
  if (two_threads_run()) CHECK_EQ(in_two.load(), 1);
  CHECK_EQ(in_one, 4);
}

TEST(a_loop_within_a_loop) {
  // A loop within a block of another loop must run all its blocks, and no two threads may have the same number.
  std::atomic<int> sound{0};
  for_each_block(4, {2, {}}, [&](std::int64_t, Worker&) { sound += every_block_runs_once(50, 2); });
  CHECK_EQ(sound.load(), 4);
}

TEST(threads_are_worth_their_work) {
  // Little work must get one thread, and much work at most the allowed number of threads. The poll function must be kept.
  const Threads threads{8, [] { return true; }};
  CHECK_EQ(worth(threads, 0).count, 1);
  CHECK_EQ(worth(threads, (1 << 17) - 1).count, 1);
  CHECK_EQ(worth(threads, 1 << 17).count, 2);
  CHECK_EQ(worth(threads, std::int64_t{1} << 40).count, 8);
  CHECK_EQ(worth(threads, 500, 100).count, 5);
  CHECK(worth(threads, 0).poll && worth(threads, 0).poll());
}

TEST(parts_are_sorted_and_merged_for_any_number_of_threads) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(9 << 14);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random() >> 8);
  std::vector<std::uint32_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  for (const int n_threads : {1, 2, 3, 5, 9}) {
    std::vector<std::uint32_t> found = numbers;
    sort_in_parts(found.begin(), found.end(), {n_threads, {}}, std::less<>());
    CHECK(found == sorted);
  }
}

#ifndef _WIN32
TEST(a_child_forked_after_threads_works) {
  // A child process must not wait for the threads of its parent, which do not exist in the child. The parent keeps them.
  CHECK(every_block_runs_once(100, 2));
  CHECK(holds_in_child([] {
    const int n_threads = effective_n_threads(2);
    return n_threads == 1 && effective_n_threads(0) == 1 && every_block_runs_once(100, n_threads) &&
           what_limits_threads() == "the parent of this forked process had threads";
  }));
  CHECK_EQ(effective_n_threads(2), 2);
  CHECK(every_block_runs_once(100, 2));
}
#endif
