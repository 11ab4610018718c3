#include "termsift/whole_files.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "check.hpp"

using namespace termsift;

namespace {

namespace fs = std::filesystem;

int error_of(const std::string& path) {
  try {
    read_files({path}, {});
  } catch (const FileError& error) {
    CHECK_EQ(error.path, path);
    return error.code;
  }
  return 0;
}

}  // namespace

TEST(what_cannot_be_read_is_refused) {
  const fs::path folder = fs::temp_directory_path() / "termsift_whole_files";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto in_folder = [&](const std::string& name) { return (folder / name).string(); };
  std::ofstream(in_folder("a")) << "text";
  CHECK_EQ(error_of(in_folder("a")), 0);
  CHECK_EQ(error_of(in_folder("b")), ENOENT);
  CHECK_EQ(error_of(folder.string()), EISDIR);
  CHECK_EQ(error_of(in_folder("a") + std::string("\0b", 2)), ENOENT);  // not the file a
#ifndef _WIN32  // where links need a privilege
  fs::create_symlink("loop", folder / "loop");
  CHECK_EQ(error_of(in_folder("loop")), ELOOP);
  CHECK_EQ(error_of(in_folder(std::string(300, 'x'))), ENAMETOOLONG);
#endif
  fs::remove_all(folder);
}
