#include "termsift/parallel.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include "check.hpp"

using namespace termsift;

namespace {

namespace fs = std::filesystem;

// A temporary folder with made-up /proc and /sys, which is removed at the end.
class Root {
 public:
  Root() : path_(fs::temp_directory_path() / ("termsift_groups_" + std::to_string(++n_roots))) { fs::remove_all(path_); }
  ~Root() { fs::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  Root& with(const std::string& file, const std::string& text) {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
    return *this;
  }
  std::optional<int> quota() const { return quota_of_control_groups(path_.string()); }

 private:
  static inline int n_roots = 0;
  fs::path path_;
};

}  // namespace

TEST(quotas_are_rounded_up) {
  for (const auto& [text, quota] : {std::pair<std::string, std::optional<int>>{"200000 100000\n", 2},
                                    {"150000 100000\n", 2}, {"50000 100000\n", 1}, {"1 100000\n", 1},
                                    {"max 100000\n", std::nullopt}, {"", std::nullopt}, {"-1 100000", std::nullopt},
                                    {"100000 0", std::nullopt}, {"9000000000000000000 1", 2147483647}}) {
    Root root;
    root.with("proc/self/cgroup", "0::/\n").with("sys/fs/cgroup/cpu.max", text);
    CHECK(root.quota() == quota);
  }
}

TEST(the_least_quota_of_a_group_and_those_above_it_counts) {
  Root root;
  root.with("proc/self/cgroup", "0::/user/job\n").with("sys/fs/cgroup/user/job/cpu.max", "max 100000");
  CHECK(root.quota() == std::nullopt);
  root.with("sys/fs/cgroup/user/cpu.max", "300000 100000");
  CHECK(root.quota() == 3);
  root.with("sys/fs/cgroup/user/job/cpu.max", "800000 100000");
  CHECK(root.quota() == 3);
  root.with("sys/fs/cgroup/user/job/cpu.max", "250000 200000");
  CHECK(root.quota() == 2);
}

TEST(a_path_of_the_host_leaves_what_the_container_sees) {
  Root root;
  root.with("proc/self/cgroup", "0::/kubepods/pod1/abc\n").with("sys/fs/cgroup/cpu.max", "400000 100000");
  CHECK(root.quota() == 4);
}

TEST(nothing_to_read_is_no_limit) {
  Root root;
  CHECK(root.quota() == std::nullopt);
  root.with("proc/self/cgroup", "nonsense\n:\n::\n4:cpu,cpuacct:/job\n");
  CHECK(root.quota() == std::nullopt);
}

TEST(this_process_has_a_processor) {
  const ProcessorLimit& limit = processor_limit();
  CHECK(limit.count >= 1);
  CHECK(!limit.from.empty());
  CHECK(&processor_limit() == &limit);
}
