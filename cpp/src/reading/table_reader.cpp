#include "termsift/table_reader.hpp"

#include <algorithm>
#include <cstring>

#include "termsift/portability.hpp"

namespace termsift {
namespace {

constexpr std::size_t complaints_kept = 5;

// Returns the number of bytes of the white-space character at the start of a UTF-8 text, or 0 if there is none. White space
// is what str.strip removes in Python.
std::size_t blank_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead == ' ' || (lead >= 9 && lead <= 13) || (lead >= 0x1c && lead <= 0x1f) ? 1 : 0;
  using namespace std::string_view_literals;
  for (const std::string_view blank : {"\xc2\x85"sv, "\xc2\xa0"sv, "\xe1\x9a\x80"sv, "\xe2\x80\xa8"sv, "\xe2\x80\xa9"sv,
                                       "\xe2\x80\xaf"sv, "\xe2\x81\x9f"sv, "\xe3\x80\x80"sv})
    if (text.starts_with(blank)) return blank.size();
  const bool is_space = text.size() >= 3 && text.starts_with("\xe2\x80"sv) && static_cast<unsigned char>(text[2]) <= 0x8a;
  return is_space ? 3 : 0;  // the characters U+2000 to U+200A
}

bool is_blank(std::string_view label) {
  while (!label.empty()) {
    const std::size_t n = blank_bytes(label);
    if (n == 0) return false;
    label.remove_prefix(n);
  }
  return true;
}

}  // namespace

std::vector<std::int64_t> TableBlock::rows() const {
  std::vector<std::int64_t> of_texts(texts.size());
  std::int64_t n_before = 0;  // the number of bad rows before the text
  const auto n_skipped = static_cast<std::int64_t>(skipped.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(of_texts.size()); ++i) {
    while (n_before < n_skipped && skipped[static_cast<std::size_t>(n_before)] <= i) ++n_before;
    of_texts[static_cast<std::size_t>(i)] = first_row + i + n_before;
  }
  return of_texts;
}

TableReader::TableReader(Read read, Options options) : options_(std::move(options)), read_(std::move(read)) {
  const std::vector<std::string> labels = std::exchange(options_.labels, {});
  for (const std::string& label : labels) add(label);
  if (options_.labels.size() != labels.size()) throw std::invalid_argument("one of the given labels occurs twice");
}

bool TableReader::next(TableBlock& block) {
  block.texts.clear();
  block.classes.clear();
  block.first_row = n_rows_;
  block.skipped.clear();
  block.joined.clear();
  block.wide.clear();
  if (std::exchange(is_done_, true)) return false;
  auto size = static_cast<std::int64_t>(pending_.size());
  reserve(block, 0, size);
  std::copy(pending_.begin(), pending_.end(), block.bytes.get());
  for (std::int64_t wanted = options_.block_bytes;; wanted = std::max(2 * size, wanted)) {
    size = fill(block, size, wanted);
    if (size == 0) {
      finish();
      return false;
    }
    std::memset(block.bytes.get() + size, 0, padding);
    const std::int64_t used = parse(block, size, at_end_);
    if (used > 0 || at_end_) {
      n_rows_ += static_cast<std::int64_t>(block.texts.size() + block.skipped.size());
      pending_.assign(block.bytes.get() + used, block.bytes.get() + size);
      is_done_ = false;
      return true;
    }
    if (size >= longest_row) refuse(line_, line_, too_long);
  }
}

void TableReader::reserve(TableBlock& block, std::int64_t size, std::int64_t room) {
  if (block.room >= room) return;
  LargeArray<std::uint8_t> larger = LargeArray<std::uint8_t>::uninitialised(room + padding);
  if (size > 0) std::memcpy(larger.get(), block.bytes.get(), static_cast<std::size_t>(size));
  block.bytes = std::move(larger);
  block.room = room;
}

std::int64_t TableReader::fill(TableBlock& block, std::int64_t size, std::int64_t wanted) {
  constexpr std::int64_t mark_bytes = 3;  // the size of a UTF-8 byte order mark, which is left out
  if (at_start_) {
    at_start_ = false;
    size = fill(block, size, mark_bytes);
    if (size == mark_bytes && std::memcmp(block.bytes.get(), "\xef\xbb\xbf", mark_bytes) == 0) size = 0;
  }
  wanted = std::min(wanted, longest_row);
  reserve(block, size, wanted);
  while (size < wanted && !at_end_) {
    const std::int64_t n = read_(block.bytes.get() + size, wanted - size);
    if (n < 0 || n > wanted - size) throw std::runtime_error("a file returned more bytes than were asked for");
    at_end_ = n == 0;
    size += n;
    bytes_read_ += n;
  }
  return size;
}

ClassId TableReader::class_of(std::string_view label) {
  if (options_.unlabelled) label = {};
  const std::vector<std::string>& labels = options_.labels;
  if (last_class_ >= 0 && labels[static_cast<std::size_t>(last_class_)] == label) return last_class_;
  return last_class_ = is_blank(label) && !options_.unlabelled ? -1 : add(std::string(label));
}

ClassId TableReader::add(const std::string& label) {
  const auto [known, is_new] = classes_.try_emplace(label, static_cast<ClassId>(options_.labels.size()));
  if (is_new) options_.labels.push_back(label);
  return known->second;
}

void TableReader::refuse(std::int64_t first_line, std::int64_t last_line, std::string fault) {
  throw RowError({first_line, last_line, std::move(fault)}, false);
}

void TableReader::complain(TableBlock& block, std::int64_t first_line, std::int64_t last_line, std::string fault) {
  BadRow bad{first_line, last_line, std::move(fault)};
  if (!options_.skip) throw RowError(std::move(bad), true);
  ++n_skipped_;
  block.skipped.push_back(static_cast<std::int64_t>(block.texts.size()));
  if (skipped_.size() < complaints_kept) skipped_.push_back(std::move(bad));
}

std::int64_t TableReader::units(const std::uint8_t* begin, const std::uint8_t* end) const {
  const auto begins = [](std::uint8_t c) { return (c & 0xc0) != 0x80; };
  return options_.encoding == "UTF-8" ? end - begin : std::count_if(begin, end, begins);
}

std::string TableReader::place(std::int64_t n_units) const {
  return (options_.encoding == "UTF-8" ? "byte " : "character ") + std::to_string(n_units);
}

std::string TableReader::wrong_byte(std::int64_t n_units) const {
  return place(n_units) + " is not " + options_.encoding + "; pass encoding= with the encoding of the texts";
}

}  // namespace termsift
