#include <cstdint>
#include <cstring>

#include "check.hpp"
#include "plain_arrow.hpp"
#include "termsift/types.hpp"

namespace {

using namespace termsift;
using namespace plain_arrow;
using Rows = std::vector<Row>;

const Rows documents = {"a",           "",           std::nullopt, "a text of more than twelve bytes",
                        "exactly twel", "exactly thirt", std::nullopt, "another one that goes to a block",
                        "\xc3\xa9"};

Rows from(const Rows& rows, std::int64_t begin, std::int64_t end) { return {rows.begin() + begin, rows.begin() + end}; }

std::string shown(const Rows& rows) {
  std::string text;
  for (const Row& row : rows) text += row ? "'" + *row + "' " : "null ";
  return text;
}

const char* const formats[] = {"u", "U", "vu"};

// Runs f, and checks that f has released every struct.
template <class F>
void released(const F& f) {
  f();
  CHECK_EQ(live, 0);
}

TEST(strings_of_every_type_and_offset) {
  for (const char* const format : formats)
    for (std::int64_t offset = 0; offset <= 9; ++offset)
      released([&] { CHECK_EQ(shown(read_array(strings(format, documents, offset))), shown(from(documents, offset, 9))); });
}

TEST(the_number_of_nulls_may_be_unknown_or_known) {
  for (const char* const format : formats) {
    Array array = strings(format, documents);
    array.null_count = 2;
    CHECK_EQ(shown(read_array(array)), shown(documents));
    array = strings(format, {"a", "b"});
    array.buffers[0].reset();
    for (const std::int64_t null_count : {0, -1}) {
      array.null_count = null_count;
      CHECK_EQ(shown(read_array(array)), "'a' 'b' ");
    }
  }
  CHECK_EQ(shown(read_array({"n", "", 3, 3, 0, {}, {}, {}})), "null null null ");
  CHECK_EQ(shown(read_array({"n", "", 3, 3, 0, {std::nullopt}, {}, {}})), "null null null ");  // as polars has it
}

TEST(dictionaries_of_every_type_of_index) {
  for (const char* const format : formats)
    for (const char* const index : {"c", "C", "s", "S", "i", "I", "l", "L"})
      for (std::int64_t offset = 0; offset <= 4; ++offset) {
        const Array array = indices(index, {3, 2, -1, 0}, strings(format, documents), offset);
        const Rows rows = {documents[3], std::nullopt, std::nullopt, documents[0]};  // a value of the dictionary may be null
        released([&] { CHECK_EQ(shown(read_array(array)), shown(from(rows, offset, 4))); });
      }
  // The values of a dictionary may begin at an offset in their array.
  CHECK_EQ(shown(read_array(indices("C", {0, 1}, strings("u", documents, 3)))), shown({documents[3], documents[4]}));
}

template <class T>
Array with(Array array, std::size_t buffer, std::size_t i, T value) {
  std::memcpy(array.buffers[buffer]->data() + i * sizeof value, &value, sizeof value);
  return array;
}

TEST(values_of_a_damaged_array_are_refused) {
  const Array text = strings("u", documents), large = strings("U", documents), views = strings("vu", documents);
  const Array coded = indices("l", {0, 1, -1, 2}, text);
  for (const Array& damaged :
       {with(text, 1, 0, std::int32_t{-1}), with(text, 1, 1, INT32_MAX), with(text, 1, 8, INT32_MAX), with(text, 1, 9, 0),
        with(large, 1, 8, INT64_MAX), with(large, 1, 9, INT64_MIN), with(views, 1, 0, -5), with(views, 1, 4 * 3, INT32_MAX),
        with(views, 1, 4 * 3 + 2, 2), with(views, 1, 4 * 3 + 2, -1), with(views, 1, 4 * 3 + 3, -1),
        with(views, 1, 4 * 3 + 3, INT32_MAX), with(views, 4, 1, std::int64_t{31}), with(coded, 1, 1, std::int64_t{9}),
        with(coded, 1, 1, std::int64_t{-1})})
    released([&] { CHECK_THROWS(read_array(damaged), std::invalid_argument, "the Arrow array is damaged: row"); });
}

TEST(a_column_of_a_table) {
  for (const char* const format : formats)
    for (std::int64_t offset = 0; offset <= 5; ++offset) {
      const Array numbers{"i", "n", 5, 0, 0, {std::nullopt, Bytes(20)}, {}, {}};
      Array array = table({numbers, named(strings(format, documents, 4), "t")}, offset);
      released([&] { CHECK_EQ(shown(read_array(array, "t")), shown(from(documents, 4 + offset, 9))); });
      // If a whole row of the table is null, its text is missing.
      array.buffers[0] = Bytes{0b11101};
      array.null_count = -1;
      Rows rows = from(documents, 4, 9);
      rows[1].reset();
      CHECK_EQ(shown(read_array(array, "t")), shown(from(rows, offset, 5)));
    }
  const Array once = table({named(strings("u", {}), "t")});
  CHECK_THROWS(read_array(once, "x"), std::invalid_argument, "no column 'x', its columns are 't'");
  CHECK_THROWS(read_array(table({}), "x"), std::invalid_argument, "its columns are none");
  const Array twice = table({named(strings("u", {}), "t"), named(strings("u", {}), "t")});
  CHECK_THROWS(read_array(twice, "t"), std::invalid_argument, "two columns 't'");
  CHECK_THROWS(read_array(twice), NotStrings, "expected a column of strings, found a table; its columns are 't', 't'");
  CHECK_THROWS(read_array(strings("u", {}), "t"), NotStrings, "expected a table with a column 't', found strings");
  CHECK_EQ(live, 0);
}

TEST(columns_of_other_types_are_named) {
  const std::pair<const char*, const char*> types[] = {
      {"l", "int64"}, {"b", "bool"}, {"z", "binary"}, {"tsu:", "dates or times"}, {"+l", "lists"}, {"d:3,1", "decimals"},
      {"w:4", "binary"}, {"g", "float64"}, {"", "the Arrow type ''"}, {"ux", "the Arrow type 'ux'"}};
  for (const auto& [format, name] : types) {
    const Array array{format, "text", 0, 0, 0, {}, {}, {}};
    const std::string message = std::string(" holds ") + name + ", expected strings";
    CHECK_THROWS(read_array(array), NotStrings, "the Arrow array" + message);
    CHECK_THROWS(read_array(table({array}), "text"), NotStrings, "column 'text'" + message);
  }
  CHECK_THROWS(read_array(indices("i", {}, {"l", "", 0, 0, 0, {}, {}, {}})), NotStrings, "holds int64");
  CHECK_THROWS(read_array(indices("i", {}, indices("i", {}, strings("u", {})))), NotStrings, "int32");
  CHECK_EQ(live, 0);
}

TEST(streams) {
  const Array empty = strings("U", {}), one = strings("U", documents), rest = strings("U", documents, 7);
  CHECK_EQ(shown(read_stream({empty, {}})), "");
  Rows rows = documents;
  rows.insert(rows.end(), documents.begin() + 7, documents.end());
  CHECK_EQ(shown(read_stream({empty, {empty, one, empty, rest}})), shown(rows));
  CHECK_EQ(live, 0);
  for (int at = -1; at <= 2; ++at)
    CHECK_THROWS(read_stream({empty, {one, rest}, at}), std::runtime_error, "the Arrow stream failed: out of paper");
  CHECK_THROWS(read_stream({{"l", "", 0, 0, 0, {}, {}, {}}, {}}), NotStrings, "int64");
  CHECK_EQ(live, 0);
}

TEST(a_stream_is_interrupted_between_arrays_and_within_one) {
  for (int polls = 1; polls <= 5; ++polls) {
    ArrowArrayStream source = stream_of({strings("u", {}), {strings("u", documents), strings("u", documents)}});
    int left = polls;
    bool interrupted = false;
    try {
      texts_of_stream(source, std::nullopt, [&] { return --left == 0; });
    } catch (const Interrupted&) {
      interrupted = true;
    }
    CHECK(interrupted);
    CHECK_EQ(live, 0);
  }
  ArrowSchema schema = schema_of(strings("u", documents));
  ArrowArray array = array_of(strings("u", documents));
  bool interrupted = false;
  try {
    texts_of_array(schema, array, std::nullopt, [] { return true; });
  } catch (const Interrupted&) {
    interrupted = true;
  }
  CHECK(interrupted);
}

TEST(a_stream_or_an_array_is_taken_once) {
  ArrowArrayStream source = stream_of({strings("u", {}), {strings("u", documents)}});
  {
    const HeldTexts texts = texts_of_stream(source, std::nullopt, {});
    CHECK(source.release == nullptr);
    CHECK_EQ(live, 1);  // only the array with the texts has not been released
  }
  CHECK_EQ(live, 0);
  CHECK_THROWS(texts_of_stream(source, std::nullopt, {}), std::invalid_argument, "has been read before");
  ArrowSchema schema = schema_of(strings("u", documents));
  ArrowArray array = array_of(strings("u", documents));
  texts_of_array(schema, array, std::nullopt);
  CHECK_THROWS(texts_of_array(schema, array, std::nullopt), std::invalid_argument, "has been read before");
  CHECK_EQ(live, 0);
}

}  // namespace
