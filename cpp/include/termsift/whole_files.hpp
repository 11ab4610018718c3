// Reads many files on several threads.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"

namespace termsift {

struct WholeFile {
  LargeArray<char> bytes;  // (n_bytes,)
  std::int64_t n_bytes = 0;
};

inline constexpr int not_regular = -1;  // a pipe, a socket or a device

// Thrown for a file that cannot be read. FileError::code is the errno or `not_regular`.
struct FileError : std::runtime_error {
  FileError(int error, std::string file) : std::runtime_error(file), code(error), path(std::move(file)) {}
  int code;
  std::string path;
};

// Returns the contents of the files in the order of `paths` (UTF-8 on Windows). Throws FileError for the first file that
// cannot be read. Files are not mapped, because the process would be killed if another program truncated a mapped file.
std::vector<WholeFile> read_files(const std::vector<std::string>& paths, const Threads& threads);

}  // namespace termsift
