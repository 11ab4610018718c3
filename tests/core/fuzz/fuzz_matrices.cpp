// Takes any bytes as svmlight or Matrix Market text. The text must be read as by the plain readers, or refused at the same
// line, whatever the sizes of blocks and pieces and the number of threads.
#define CHECK_WITHOUT_MAIN
#include "../read_matrices.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  const int kind = bytes.below(4);
  std::string text;
  while (bytes.left() > 0) text += static_cast<char>(bytes.take<std::uint8_t>());
  try {
    if (kind == 0) read_matrices::check_svmlight(text, 0);
    else if (kind == 1) read_matrices::check_svmlight(text, 1, 12);
    else if (kind == 2) read_matrices::check_market("%%MatrixMarket matrix " + text);
    else read_matrices::check_market(text);
  } catch (const check::Failure& failure) {
    fuzz::require(false, failure.message);
  }
  return 0;
}
