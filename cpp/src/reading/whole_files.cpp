#include "termsift/whole_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#ifdef _WIN32
#include <filesystem>
#include <system_error>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace termsift {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr std::uintmax_t most_expected = std::uintmax_t{1} << 40;

struct OpenFile {
  std::unique_ptr<std::FILE, CloseFile> file;
  std::int64_t expected_bytes = 0;  // only a hint: a file may grow meanwhile
};

#ifdef _WIN32

OpenFile open(const std::string& name) {
  const std::filesystem::path path(std::u8string(name.begin(), name.end()));
  OpenFile opened{std::unique_ptr<std::FILE, CloseFile>(_wfopen(path.c_str(), L"rb"))};
  if (opened.file == nullptr) throw FileError(errno, name);
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) opened.expected_bytes = static_cast<std::int64_t>(std::min(size, most_expected));
  return opened;
}

#else

// What was opened is looked at, not the path, which may be another file by then. To open a pipe, or to read one, may wait
// for ever.
OpenFile open(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (number < 0) throw FileError(errno, path);
  OpenFile opened{std::unique_ptr<std::FILE, CloseFile>(fdopen(number, "rb"))};
  if (opened.file == nullptr) {
    const int error = errno;
    close(number);
    throw FileError(error, path);
  }
  struct stat status {};
  if (fstat(number, &status) != 0) throw FileError(errno, path);
  if (S_ISDIR(status.st_mode)) throw FileError(EISDIR, path);
  if (!S_ISREG(status.st_mode)) throw FileError(FileError::not_regular, path);
  opened.expected_bytes = static_cast<std::int64_t>(std::min(static_cast<std::uintmax_t>(status.st_size), most_expected));
  return opened;
}

#endif

WholeFile read_file(const std::string& path, Worker& worker) {
  constexpr std::int64_t step = 1 << 24;  // about ten milliseconds
  if (path.find('\0') != path.npos) throw FileError(ENOENT, path);
  errno = 0;
  const OpenFile opened = open(path);
  const auto& file = opened.file;
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  WholeFile result;
  std::int64_t room = opened.expected_bytes + 1;  // one more, so that the end is found without growing
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
