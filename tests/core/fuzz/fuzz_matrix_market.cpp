// Takes any bytes as Matrix Market text. On any number of threads, they must be parsed as by the plain parser, or refused at
// the same line.
#define CHECK_WITHOUT_MAIN
#include "../plain_matrix_market.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string one = plain_matrix_market::parsed(text, 1);
  fuzz::require_equal(one, plain_matrix_market::plainly(text), "plainly");
  fuzz::require_equal(plain_matrix_market::parsed(text, 3), one, "on three threads");
  return 0;
}
