// A guard against calls that use one object at the same time.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace termsift {

// Lets one call change an object, or any number of calls read it. A call that comes at a wrong time throws instead of
// waiting: it may hold a lock that the other call needs, as Python's.
class Access {
 public:
  // Ends with the call.
  class Held {
   public:
    Held(std::atomic<std::int32_t>& users, std::int32_t more) : users_(&users), more_(more) {}
    Held(Held&& other) noexcept : users_(std::exchange(other.users_, nullptr)), more_(other.more_) {}
    ~Held() {
      if (users_ != nullptr) *users_ -= more_;
    }

   private:
    std::atomic<std::int32_t>* users_;
    std::int32_t more_;
  };

  Held change() {
    std::int32_t nobody = 0;
    if (!users_.compare_exchange_strong(nobody, changing)) refuse();
    return {users_, changing};
  }
  Held read() {
    std::int32_t readers = users_;
    do {
      if (readers < 0) refuse();
    } while (!users_.compare_exchange_weak(readers, readers + 1));
    return {users_, 1};
  }

 private:
  static constexpr std::int32_t changing = -1;
  [[noreturn]] static void refuse() {
    throw std::logic_error("another thread is using this counter; count in one thread, or with a counter for each");
  }
  std::atomic<std::int32_t> users_{0};  // the number of readers, or `changing`
};

}  // namespace termsift
