#include "termsift/whole_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>

#include "termsift/portability.hpp"

namespace termsift {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Throws FileError unless the path is a regular file. The file is opened only after this check, because opening a pipe may
// block for ever.
void check_regular(const std::filesystem::path& path, const std::string& name) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (name.find('\0') != name.npos || status.type() == std::filesystem::file_type::not_found) throw FileError(ENOENT, name);
  if (error) throw FileError(error.default_error_condition().value(), name);  // on Windows, value() is no errno
  if (std::filesystem::is_directory(status)) throw FileError(EISDIR, name);
  if (!std::filesystem::is_regular_file(status)) throw FileError(not_regular, name);
}

WholeFile read_file(const std::string& name, Worker& worker) {
  constexpr std::int64_t step = 1 << 24;  // number of bytes that are read in about ten milliseconds
  const std::filesystem::path path(std::u8string(name.begin(), name.end()));
  check_regular(path, name);
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file(open_for_reading(name));
  if (file == nullptr) throw FileError(errno, name);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  WholeFile result;
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);  // the file may grow after this call
  // With room for one byte more than the file has, the loop finds the end without enlarging the array.
  std::int64_t room = size == static_cast<std::uintmax_t>(-1) ? step : static_cast<std::int64_t>(size) + 1;
  result.bytes = LargeArray<char>::uninitialised(room);
  for (;;) {
    worker.check();
    const std::int64_t wanted = std::min(room - result.n_bytes, step);
    const auto n = std::fread(result.bytes.get() + result.n_bytes, 1, static_cast<std::size_t>(wanted), file.get());
    result.n_bytes += static_cast<std::int64_t>(n);
    if (std::ferror(file.get()) != 0) throw FileError(errno, name);
    if (std::feof(file.get()) != 0) return result;
    if (result.n_bytes < room) continue;
    room = std::max(2 * room, step);
    LargeArray<char> larger = LargeArray<char>::uninitialised(room);
    std::memcpy(larger.get(), result.bytes.get(), static_cast<std::size_t>(result.n_bytes));
    result.bytes = std::move(larger);
  }
}

}  // namespace

std::vector<WholeFile> read_files(const std::vector<std::string>& paths, const Threads& threads) {
  std::vector<WholeFile> files(paths.size());
  // Threads take the files in order. If reading a file fails, all earlier files have been taken, so later files are skipped.
  std::atomic<std::int64_t> first_failed = std::numeric_limits<std::int64_t>::max();
  std::vector<int> errors(paths.size(), 0);
  for_each_block(static_cast<std::int64_t>(paths.size()), threads, [&](std::int64_t i, Worker& worker) {
    const auto at = static_cast<std::size_t>(i);
    if (i > first_failed) return;
    try {
      files[at] = read_file(paths[at], worker);
    } catch (const FileError& error) {
      errors[at] = error.code;
      for (std::int64_t first = first_failed; i < first && !first_failed.compare_exchange_weak(first, i);) {
      }
    }
  });
  if (const auto first = static_cast<std::size_t>(first_failed); first < paths.size())
    throw FileError(errors[first], paths[first]);
  return files;
}

}  // namespace termsift
