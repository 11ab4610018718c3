// Runs a fuzz target without a fuzzer on each file of a folder and on mutations of these files. The mutations are the same
// in every run.
//
//     fuzz_counting CORPUS [RUNS]
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz.hpp"

namespace {

using Input = std::vector<std::uint8_t>;

Input mutated(Input bytes, const Input& other, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t n = 1 + below(6); n > 0; --n) {
    const std::size_t at = bytes.empty() ? 0 : below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (bytes.empty() ? 1 : below(5)) {
      case 0: *place = static_cast<std::uint8_t>(random()); break;
      case 1: bytes.insert(place, static_cast<std::uint8_t>(random())); break;
      case 2: bytes.erase(place); break;
      case 3: *place = static_cast<std::uint8_t>(*place + (below(2) == 0 ? 1 : 255)); break;
      default:  // replace the end of this input by the end of another input
        bytes.erase(place, bytes.end());
        if (!other.empty())
          bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(below(other.size())), other.end());
    }
  }
  return bytes;
}

void run(const Input& bytes) {
  // This copy has no spare capacity, so a sanitizer detects a read beyond its end.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS [RUNS]\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Input> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(seeds.back());
  }
  if (seeds.empty()) seeds.emplace_back();
  const long runs = argc > 2 ? std::atol(argv[2]) : 0;
  std::mt19937_64 random(1);
  for (long i = 0; i < runs; ++i) run(mutated(seeds[random() % seeds.size()], seeds[random() % seeds.size()], random));
  std::printf("%s: %zu seeds and %ld mutations of them\n", argv[0], seeds.size(), runs);
  return 0;
}
