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

namespace termsift {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::filesystem::path native_path(const std::string& path) {
#ifdef _WIN32
  return std::u8string(path.begin(), path.end());
#else
  return path;
#endif
}

std::FILE* open(const std::string& path) {
#ifdef _WIN32
  return _wfopen(native_path(path).c_str(), L"rb");
#else
  return std::fopen(path.c_str(), "rb");
#endif
}

// The size is only a hint: a file may grow meanwhile, and a pipe has none.
std::int64_t expected_bytes(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(native_path(path), error);
  constexpr std::uintmax_t most = std::uintmax_t{1} << 40;
  return error ? 0 : static_cast<std::int64_t>(std::min(size, most));
}

WholeFile read_file(const std::string& path, Worker& worker) {
  constexpr std::int64_t step = 1 << 24;  // about ten milliseconds
  if (path.find('\0') != path.npos) throw FileError(ENOENT, path);
  errno = 0;
  const std::unique_ptr<std::FILE, CloseFile> file(open(path));
  if (file == nullptr) throw FileError(errno, path);
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  WholeFile result;
  std::int64_t room = expected_bytes(path) + 1;  // one more, so that the end is found without growing
  result.bytes = LargeArray<char>::uninitialised(room);
  for (;;) {
    worker.check();
    const std::int64_t wanted = std::min(room - result.n_bytes, step);
    const auto n = std::fread(result.bytes.get() + result.n_bytes, 1, static_cast<std::size_t>(wanted), file.get());
    result.n_bytes += static_cast<std::int64_t>(n);
    if (std::ferror(file.get()) != 0) throw FileError(errno, path);
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
  // Files are begun in order. The first that fails is known when all before it have been read.
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
