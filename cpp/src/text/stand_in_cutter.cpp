// A stand-in until the cutter is here: words of ASCII text.
#include <memory>
#include <unordered_map>
#include <cstring>

#include "text/cutter.hpp"

namespace termsift {
namespace {
struct Job { Texts texts; std::int64_t next = 0, end = 0; std::vector<std::uint8_t> bytes; bool lower = true; };
std::unordered_map<const Cutter*, Job>& jobs() { static thread_local std::unordered_map<const Cutter*, Job> all; return all; }
}
Cutter::Cutter(const TextRules&) {}
Cutter::~Cutter() {}
void Cutter::start(Texts texts, std::int64_t begin, std::int64_t end) { Job& j = jobs()[this]; j.texts = texts; j.next = begin; j.end = end; }
bool Cutter::next(Tokens& tokens) {
  Job& j = jobs()[this];
  tokens.parts.clear(); tokens.n_tokens = 0; tokens.bounds.clear();
  if (j.next == j.end) return false;
  j.bytes.clear();
  for (; j.next < j.end; ++j.next) {
    const Text& t = j.texts[static_cast<std::size_t>(j.next)];
    const auto* p = static_cast<const std::uint8_t*>(t.data);
    std::size_t begin = j.bytes.size();
    for (std::int64_t i = 0; i <= t.length; ++i) {
      std::uint8_t c = i < t.length ? p[i] : ' ';
      if (c >= 'A' && c <= 'Z') c = static_cast<std::uint8_t>(c + 32);
      const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      if (!word) { if (j.bytes.size() - begin > 1) { tokens.bounds.push_back(static_cast<std::uint32_t>(begin)); tokens.bounds.push_back(static_cast<std::uint32_t>(j.bytes.size())); ++tokens.n_tokens; } }
      j.bytes.push_back(c);
      if (!word) begin = j.bytes.size();
    }
    tokens.parts.push_back({j.next, tokens.n_tokens});
  }
  j.bytes.resize(j.bytes.size() + 64);
  tokens.bytes = j.bytes.data();
  return true;
}
}  // namespace termsift
