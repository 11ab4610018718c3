// Reads a whole table, for tests and fuzz targets.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "termsift/table_reader.hpp"

namespace read_tables {

using namespace termsift;

// Returns a function that reads `content`, and at most `most` bytes per call.
inline TableReader::Read reads(std::string content, std::int64_t most = 1 << 30) {
  return [content = std::move(content), most, at = std::size_t{0}](std::uint8_t* to, std::int64_t n) mutable {
    const std::size_t size = std::min(static_cast<std::size_t>(std::min(n, most)), content.size() - at);
    std::memcpy(to, content.data() + at, size);
    at += size;
    return static_cast<std::int64_t>(size);
  };
}

inline std::string text_of(const Text& text) {
  const auto length = static_cast<std::size_t>(text.length);
  if (text.encoding == TextEncoding::utf8) return {static_cast<const char*>(text.data), length};
  std::string all;  // characters beyond ASCII become numbers in brackets
  for (std::size_t i = 0; i < length; ++i) {
    const auto c = static_cast<std::uint32_t>(static_cast<const char32_t*>(text.data)[i]);
    if (c < 0x80) all += static_cast<char>(c);
    else all.append("<").append(std::to_string(c)).append(">");
  }
  return all;
}

inline std::string told(const BadRow& row, std::int64_t shift = 0) {
  const auto line = [&](std::int64_t number) { return std::to_string(number + shift); };
  return line(row.first_line) + (row.last_line == row.first_line ? "" : "-" + line(row.last_line)) + ": " + row.fault;
}

struct Table {
  std::vector<std::string> rows;   // "label|text"
  std::vector<BadRow> skipped;
  std::int64_t n_skipped = 0;
  std::optional<BadRow> error;
  bool can_skip = true;

  // If there is an error, no rows are described, because how many rows precede an error depends on the blocks.
  std::string described() const {
    std::string all = error ? "error " + told(*error) + (can_skip ? "" : " (always)") : check::show(rows);
    for (const BadRow& row : skipped) all.append("\nskipped ").append(told(row));
    return all + "\n" + std::to_string(n_skipped) + " skipped";
  }
};

inline Table read_all(TableReader& reader, const std::function<void()>& choose = [] {}) {
  Table table;
  TableBlock block;
  try {
    choose();
    while (reader.next(block))
      for (std::size_t i = 0; i < block.texts.size(); ++i) {
        const std::string& label = reader.labels().at(static_cast<std::size_t>(block.classes.at(i)));
        table.rows.push_back(label + "|" + text_of(block.texts[i]));
      }
  } catch (const RowError& error) {
    table.error = error.row;
    table.can_skip = error.can_skip;
  }
  table.skipped = reader.skipped();
  table.n_skipped = reader.n_skipped();
  return table;
}

inline TableReader::Options options(bool skip = false, std::int64_t block_bytes = 1 << 20) {
  TableReader::Options all;
  all.skip = skip;
  all.block_bytes = block_bytes;
  return all;
}

}  // namespace read_tables
