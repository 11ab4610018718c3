// Loops in a process that may have no more threads. OpenMP ends the process if it cannot start a thread, so it must not be
// asked for one. OpenMP and the C++ library call the function pthread_create() below.
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "termsift/parallel.hpp"

namespace {

constexpr int no_limit = 1'000'000;
std::atomic<int> n_live{0}, most{no_limit}, n_refused{0};  // threads besides the main thread

struct Start {
  void* (*function)(void*);
  void* argument;
};

void* run(void* given) {
  const std::unique_ptr<Start> start(static_cast<Start*>(given));
  struct Ended {
    ~Ended() { --n_live; }
  } ended;
  return start->function(start->argument);
}

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (++n_live > most) {
    --n_live;
    ++n_refused;
    return EAGAIN;
  }
  return create(thread, attributes, run, new Start{function, argument});
}

using namespace termsift;

namespace {

// Returns how many threads ran blocks, after checking that each block ran once.
int threads_of_loop(std::int64_t n_blocks, int n_threads) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n_blocks)), used(static_cast<std::size_t>(n_threads));
  for_each_block(n_blocks, {n_threads, {}}, [&](std::int64_t block, Worker& worker) {
    ++runs[static_cast<std::size_t>(block)];
    used.at(static_cast<std::size_t>(worker.thread())) = 1;
  });
  for (const auto& n : runs) CHECK_EQ(n.load(), 1);
  int n_used = 0;
  for (const auto& is_used : used) n_used += is_used;
  return n_used;
}

}  // namespace

TEST(no_thread_can_start) {
  most = 0;
  CHECK_EQ(threads_of_loop(100, 8), 1);
  CHECK(n_refused > 0);
  CHECK_THROWS(for_each_block(100, {8, {}}, [](std::int64_t, Worker&) { throw std::runtime_error("block 0"); }),
               std::runtime_error, "block 0");
  most = no_limit;
  threads_of_loop(100, 8);
}

TEST(some_threads_can_start) {
  for (int limit = 0; limit <= 8; ++limit) {
    most = limit;
    for (const int n_threads : {8, 2, 5, 8, 3, 4, 8}) CHECK(threads_of_loop(100, n_threads) <= std::max(limit, 7) + 1);
  }
  most = no_limit;
}

TEST(a_team_that_has_shrunk_cannot_grow) {
  // After a loop of few threads, OpenMP keeps only these. Others may then take the place of the threads that have ended.
  for (const int few : {2, 3, 5})
    for (const int others : {0, 1, 2}) {
      most = no_limit;
      threads_of_loop(100, 8);
      threads_of_loop(100, few);
      most = few - 1 + others;
      for (const int n_threads : {8, few, 8, 4, 6}) threads_of_loop(100, n_threads);
    }
  most = no_limit;
}

TEST(a_caller_on_another_thread_has_a_team_of_its_own) {
  most = no_limit;
  threads_of_loop(100, 4);
  const auto call = [](void*) -> void* {
    most = n_live.load();
    threads_of_loop(100, 4);
    most = no_limit;
    return nullptr;
  };
  pthread_t caller;
  CHECK_EQ(pthread_create(&caller, nullptr, call, nullptr), 0);
  pthread_join(caller, nullptr);
}
