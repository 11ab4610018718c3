// What an analyzer is to the Cutter.
#pragma once

#include <cstdint>

#include "text/cutter.hpp"
#include "text/normaliser.hpp"

namespace termsift {

class Cutter::Analysis {
 public:
  virtual ~Analysis() = default;
  virtual void start(Texts texts, std::int64_t begin, std::int64_t end) = 0;
  virtual bool next(Tokens& tokens) = 0;
};

}  // namespace termsift
