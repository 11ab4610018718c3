// Takes any bytes as svmlight text. On any number of threads, they must be parsed as by the plain parser, or refused at the
// same line.
#define CHECK_WITHOUT_MAIN
#include "../plain_svmlight.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    plain_svmlight::check_against_plain(text);
  } catch (const check::Failure& failure) {
    fuzz::require(false, failure.message);
  }
  const std::string one = plain_svmlight::parsed(text, plain_svmlight::options(true, 1));
  fuzz::require_equal(plain_svmlight::parsed(text, plain_svmlight::options(true, 3)), one, "on three threads");
  return 0;
}
