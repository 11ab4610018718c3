// How many processors this process may use.
#pragma once

#include <optional>
#include <string>

namespace termsift {

// The limit of the process's Linux control groups (version 2) on processor time, in processors, rounded up: the least
// cpu.max of the group and of those above it. None if there is no limit, or nothing can be read. `root` is put before /proc
// and /sys, for tests.
std::optional<int> quota_of_control_groups(const std::string& root = "");

struct ProcessorLimit {
  int count;         // at least 1
  std::string from;  // what sets it
};

// The least of the processors of the machine, those that this process may run on, and its quota. It is found at the first
// call.
const ProcessorLimit& processor_limit();

}  // namespace termsift
