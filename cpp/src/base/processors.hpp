// How many processors this process may use.
#pragma once

#include <optional>
#include <string>

namespace termsift {

// The limit of Linux control groups (version 2) on the processor time of this process, in processors, rounded up: the least
// cpu.max of its group and the groups above. None if there is no limit, or nothing can be read. `root` is put before /proc
// and /sys, for tests.
std::optional<int> quota_of_control_groups(const std::string& root = "");

struct ProcessorLimit {
  int count;         // at least 1
  std::string from;  // what sets it
};

// The least of three numbers: the machine's processors, the processors that this process may run on, and its quota. Computed
// at the first call.
const ProcessorLimit& processor_limit();

}  // namespace termsift
