// Bytes describe arrays of strings, most of which lie somewhere. They must be read as by the plain reader, or refused where
// it refuses them; nothing outside of their buffers may be read, and everything is released once.
#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "../plain_arrow.hpp"
#include "fuzz.hpp"

namespace {

using namespace plain_arrow;

Bytes take_bytes(fuzz::Bytes& in, std::size_t n) {
  Bytes bytes(n);
  for (auto& byte : bytes) byte = in.take<std::uint8_t>();
  return bytes;
}

// Half of all arrays have no bitmap. A number of nulls that is wrong, but possible, is believed.
void take_nulls(fuzz::Bytes& in, Array& array, std::int64_t n_elements) {
  array.buffers.emplace_back();
  if (in.flag()) array.buffers[0] = take_bytes(in, static_cast<std::size_t>(n_elements + 7) / 8);
  array.null_count = array.buffers[0] ? in.below(3) - 1 : 0;
  if (array.null_count > array.length) array.null_count = -1;
}

// Tells one lie about an array, or none.
void take_lie(fuzz::Bytes& in, Array& array) {
  switch (in.below(24)) {
    case 0: array.length = in.flag() ? -1 : INT64_MAX; break;
    case 1: array.offset = in.flag() ? -1 : INT64_MAX; break;
    case 2: array.null_count = in.flag() ? -2 : array.length + 1; break;
    // Views with fewer buffers are told from others only below the least number.
    case 3: array.n_buffers_more = in.flag() ? 1 : array.format == "vu" ? 2 - std::ssize(array.buffers) : -1; break;
    case 4: array.n_children_more = 1; break;
    case 5: array.buffers.at(0).reset(); break;
    case 6: array.buffers.at(1).reset(); break;
    case 7: array.buffers.back().reset(); break;
    default: break;
  }
}

void take_offsets(fuzz::Bytes& in, Array& array, std::int64_t n_elements) {
  Bytes offsets;
  std::int64_t end = 0, longest = 0;
  for (std::int64_t i = 0; i <= n_elements; ++i) {
    const int step = in.below(64);
    std::int64_t offset = end += step % 8;
    if (step == 63) offset = -1;
    if (step == 62) offset = in.below(16);
    if (step == 61 && array.format == "U") offset = INT64_MAX;
    longest = std::max(longest, offset == INT64_MAX ? 0 : offset);
    array.format == "u" ? put(offsets, static_cast<std::int32_t>(offset)) : put(offsets, offset);
  }
  array.buffers.emplace_back(offsets);
  array.buffers.emplace_back(take_bytes(in, static_cast<std::size_t>(longest)));
}

void take_views(fuzz::Bytes& in, Array& array, std::int64_t n_elements) {
  const int n_blocks = in.below(3);
  Bytes views, sizes;
  for (std::int64_t i = 0; i < n_elements; ++i) {
    const int kind = in.below(32);
    put(views, std::int32_t{kind == 31 ? -1 : kind == 30 ? INT32_MAX : kind});
    put(views, in.take<std::int32_t>());
    const bool is_long = kind > 12;
    put(views, is_long ? in.below(4) - 1 : in.take<std::int32_t>());
    put(views, is_long ? in.below(40) - 1 : in.take<std::int32_t>());
  }
  array.buffers.emplace_back(views);
  for (int i = 0; i < n_blocks; ++i) {
    const int size = in.below(64), lie = in.below(16);
    array.buffers.emplace_back(Bytes(static_cast<std::size_t>(size), 'x'));
    if (lie == 15) array.buffers.back().reset();
    put(sizes, lie == 14 ? std::int64_t{-1} : lie == 13 ? INT64_MIN : std::int64_t{size});
  }
  array.buffers.emplace_back(sizes);
}

Array take_strings(fuzz::Bytes& in, const std::string& format) {
  Array array{format, "t", in.below(8), 0, in.below(4), {}, {}, {}};
  const std::int64_t n_elements = array.length + array.offset;
  if (format == "n") {
    array.null_count = in.below(3) - 1;
    return array;
  }
  take_nulls(in, array, n_elements);
  format == "vu" ? take_views(in, array, n_elements) : take_offsets(in, array, n_elements);
  take_lie(in, array);
  return array;
}

Array take_column(fuzz::Bytes& in, const std::string& format, const std::string& index) {
  Array strings = take_strings(in, format);
  if (index.empty()) return strings;
  Array array{index, "t", in.below(8), 0, in.below(4), {}, {}, {std::move(strings)}};
  const std::int64_t n_elements = array.length + array.offset;
  take_nulls(in, array, n_elements);
  Bytes values;
  const std::size_t width = std::size_t{1} << std::string("csil").find(static_cast<char>(std::tolower(index[0])));
  for (std::int64_t i = 0; i < n_elements; ++i) {
    const int value = in.below(16);
    const Bytes bytes = value == 15 ? take_bytes(in, width) : Bytes(width);
    values.insert(values.end(), bytes.begin(), bytes.end());
    if (value < 15) values[values.size() - width] = static_cast<std::uint8_t>(value);  // little-endian
  }
  array.buffers.emplace_back(values);
  take_lie(in, array);
  return array;
}

Array take_table(fuzz::Bytes& in, const std::string& format, const std::string& index) {
  const Array column = take_column(in, format, index);
  Array array{"+s", "", in.below(8), 0, in.below(4), {}, {{"n", "other", 0, 0, 0, {}, {}, {}}, column}, {}};
  take_nulls(in, array, array.length + array.offset);
  switch (in.below(16)) {
    case 0: array.n_children_more = in.flag() ? 1 : -1; break;
    case 1: array.length = in.flag() ? -1 : INT64_MAX; break;
    case 2: array.offset = in.flag() ? -1 : INT64_MAX; break;
    case 3: array.n_buffers_more = in.flag() ? 1 : -1; break;
    case 4: array.buffers[0].reset(); array.null_count = in.below(3); break;
    default: break;
  }
  return array;
}

std::string shown(const std::optional<std::vector<Row>>& rows) {
  if (!rows) return "refused";
  std::string text;
  for (const Row& row : *rows) text += row ? "'" + *row + "' " : "null ";
  return text;
}

template <class Read>
std::string read_or_refused(const Read& read) {
  try {
    return shown(read());
  } catch (const std::invalid_argument&) {
    return "refused";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes in(data, size);
  const std::string format = std::array{"u", "U", "vu", "vu", "n"}[static_cast<std::size_t>(in.below(5))];
  const int i = in.below(16);
  const std::string index = i < 8 ? std::string() : std::string(1, "cCsSiIlL"[i - 8]);
  const bool of_table = in.flag();
  std::vector<Array> arrays(static_cast<std::size_t>(1 + in.below(3)));
  for (Array& array : arrays) array = of_table ? take_table(in, format, index) : take_column(in, format, index);
  const std::optional<std::string> column = of_table ? std::optional<std::string>("t") : std::nullopt;

  const auto plain = [&](std::vector<Array> some) { return shown(PlainReader::read(some, of_table, 1)); };
  fuzz::require_equal(read_or_refused([&] { return read_stream({arrays[0], arrays}, column); }), plain(arrays), "a stream");
  fuzz::require_equal(read_or_refused([&] { return read_array(arrays[0], column); }), plain({arrays[0]}), "an array");
  fuzz::require(live == 0, "a struct was not released, or twice");
  return 0;
}
