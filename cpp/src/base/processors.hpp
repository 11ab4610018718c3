// The number of processors that this process may use.
#pragma once

#include <optional>
#include <string>

namespace termsift {

// Returns the limit that Linux control groups (version 2) put on the processor time of this process. The limit is a number
// of processors, rounded up. It is the smallest limit in the files cpu.max of the process's group and its parent groups. The
// result is nullopt if there is no limit or if no file can be read. Tests pass a `root`, which is put before /proc and /sys.
std::optional<int> quota_of_control_groups(const std::string& root = "");

struct ProcessorLimit {
  int count;         // at least 1
  std::string from;  // a phrase that names the source of the limit
};

// Returns the smallest of three numbers: the processors of the machine, the processors that this process may run on, and
// the quota of this process. The limit is computed only at the first call.
const ProcessorLimit& processor_limit();

}  // namespace termsift
