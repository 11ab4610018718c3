#include "base/processors.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>
#include <thread>

#include "termsift/portability.hpp"

namespace termsift {
namespace {

namespace fs = std::filesystem;

// quota / period in whole processors, or none if these set no limit.
std::optional<int> processors_of(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>((quota - 1) / period + 1, std::numeric_limits<int>::max()));
}

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (!(in >> number)) return std::nullopt;
  return number;
}

// "max 100000" or "150000 100000"
std::optional<int> limit_of_version_2(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  std::int64_t quota = 0, period = 0;
  if (!(in >> quota >> period)) return std::nullopt;
  return processors_of(quota, period);
}

// -1 stands for no limit.
std::optional<int> limit_of_version_1(const fs::path& group) {
  const auto quota = number_in(group / "cpu.cfs_quota_us"), period = number_in(group / "cpu.cfs_period_us");
  return quota && period ? processors_of(*quota, *period) : std::nullopt;
}

void lower(std::optional<int>& least, std::optional<int> limit) {
  if (limit && (!least || *limit < *least)) least = limit;
}

// The least limit of the group and of those above it. In a container the group's path may be that of the host, of which
// only the mount point itself is seen.
template <class LimitOf>
std::optional<int> least_limit(const fs::path& mount, const fs::path& group, const LimitOf& limit_of) {
  std::optional<int> least = limit_of(mount);
  fs::path path = mount;
  for (const fs::path& part : group.relative_path()) lower(least, limit_of(path /= part));
  return least;
}

bool names_cpu(const std::string& controllers) {
  std::istringstream names(controllers);
  for (std::string name; std::getline(names, name, ',');)
    if (name == "cpu") return true;
  return false;
}

int processors_of_machine() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

}  // namespace

std::optional<int> quota_of_control_groups(const std::string& root) {
  // Each line is hierarchy:controllers:path. Version 2 has the hierarchy 0 and no controllers.
  std::ifstream groups(root + "/proc/self/cgroup");
  const fs::path mounts = root + "/sys/fs/cgroup";
  std::optional<int> least;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      // Beside version 1 it is mounted at "unified", and has no limits of processors.
      lower(least, least_limit(mounts, group, limit_of_version_2));
    } else if (names_cpu(controllers)) {
      for (const std::string& mount : {controllers, std::string("cpu")})
        lower(least, least_limit(mounts / mount, group, limit_of_version_1));
    }
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
