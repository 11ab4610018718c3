#include "base/processors.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <thread>

#include "termsift/portability.hpp"

namespace termsift {
namespace {

namespace fs = std::filesystem;

// Returns the content of a small file, or "" if the file cannot be read. C++ streams would crash if this extension contained
// its own C++ library, because this library would share some locale symbols with the C++ library that numpy has loaded.
std::string content_of(const std::string& path) {
  std::string content;
  if (std::FILE* const file = std::fopen(path.c_str(), "rb")) {
    for (int c; (c = std::fgetc(file)) != EOF;) content += static_cast<char>(c);
    std::fclose(file);
  }
  return content;
}

// Returns the limit of one group. The file holds the quota and the period, for example "150000 100000". The quota "max"
// means that there is no limit.
std::optional<int> limit_of(const fs::path& group) {
  long long quota = 0, period = 0;
  const std::string content = content_of((group / "cpu.max").string());
  if (std::sscanf(content.c_str(), "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<int>(std::min<long long>((quota - 1) / period + 1, std::numeric_limits<int>::max()));
}

int processors_of_machine() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

}  // namespace

std::optional<int> quota_of_control_groups(const std::string& root) {
  const std::string groups = content_of(root + "/proc/self/cgroup");
  std::optional<int> least;
  for (std::size_t begin = 0, end; begin < groups.size(); begin = end + 1) {
    end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    if (!line.starts_with("0::")) continue;  // skips groups of the obsolete version 1
    // In a container, the path may be a path on the host. In that case, only the mount point itself is visible.
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
