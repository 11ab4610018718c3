#include "base/processors.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "termsift/portability.hpp"

namespace termsift {
namespace {

namespace fs = std::filesystem;

// Returns the limit of one group from a line like "150000 100000", the quota and the period. The quota "max" means no limit.
std::optional<int> limit_of(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  std::int64_t quota = 0, period = 0;
  if (!(in >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>((quota - 1) / period + 1, std::numeric_limits<int>::max()));
}

int processors_of_machine() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

}  // namespace

std::optional<int> quota_of_control_groups(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::optional<int> least;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;  // skips groups of the obsolete version 1
    // In a container, the path may be a path on the host. Then only the mount point itself is visible.
    fs::path group = root + "/sys/fs/cgroup";
    least = limit_of(group);
    for (const fs::path& part : fs::path(line.substr(3)).relative_path())
      if (const std::optional<int> limit = limit_of(group /= part)) least = std::min(*limit, least.value_or(*limit));
  }
  return least;
}

const ProcessorLimit& processor_limit() {
  static const ProcessorLimit limit = [] {
    ProcessorLimit least{processors_of_machine(), "the processors of the machine"};
    if (const auto allowed = allowed_processors(); allowed && *allowed < least.count)
      least = {*allowed, "the processors that this process may run on"};
    if (const auto quota = quota_of_control_groups(); quota && *quota < least.count)
      least = {*quota, "the control group's quota of processor time"};
    return least;
  }();
  return limit;
}

}  // namespace termsift
