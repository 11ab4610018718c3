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

// Runs f, after which everything must have been released.
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
  CHECK_THROWS(read_array({"n", "", 3, 3, 0, {std::nullopt, std::nullopt}, {}, {}}), std::invalid_argument,
               "its number of buffers");
}

TEST(dictionaries_of_every_type_of_index) {
  for (const char* const format : formats)
    for (const char* const index : {"c", "C", "s", "S", "i", "I", "l", "L"})
      for (std::int64_t offset = 0; offset <= 4; ++offset) {
        const Array array = indices(index, {3, 2, -1, 0}, strings(format, documents), offset);
        const Rows rows = {documents[3], std::nullopt, std::nullopt, documents[0]};  // a value may be null, too
        released([&] { CHECK_EQ(shown(read_array(array)), shown(from(rows, offset, 4))); });
      }
  // The values may begin within their array.
  CHECK_EQ(shown(read_array(indices("C", {0, 1}, strings("u", documents, 3)))), shown({documents[3], documents[4]}));
}

TEST(a_column_of_a_table) {
  for (const char* const format : formats)
    for (std::int64_t offset = 0; offset <= 5; ++offset) {
      const Array numbers{"i", "n", 5, 0, 0, {std::nullopt, Bytes(20)}, {}, {}};
      Array array = table({numbers, named(strings(format, documents, 4), "t")}, offset);
      released([&] { CHECK_EQ(shown(read_array(array, "t")), shown(from(documents, 4 + offset, 9))); });
      // A null row of the table is a missing text.
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
  CHECK_THROWS(read_array(indices("u", {}, strings("u", {}))), std::invalid_argument, "indices of a dictionary");
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
    const ArrowTexts texts = texts_of_stream(source, std::nullopt, {});
    CHECK(source.release == nullptr);
    CHECK_EQ(live, 1);  // the array, which the texts point into
  }
  CHECK_EQ(live, 0);
  CHECK_THROWS(texts_of_stream(source, std::nullopt, {}), std::invalid_argument, "has been read before");
  ArrowSchema schema = schema_of(strings("u", documents));
  ArrowArray array = array_of(strings("u", documents));
  texts_of_array(schema, array, std::nullopt);
  CHECK_THROWS(texts_of_array(schema, array, std::nullopt), std::invalid_argument, "passed on before");
  CHECK_EQ(live, 0);
}

// ---- arrays that lie -----------------------------------------------------------------------------------------------------

template <class T>
void set(Array& array, std::size_t buffer, std::int64_t i, T value) {
  std::memcpy(array.buffers[buffer]->data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
}

struct Lie {
  const char* message;
  void (*tell)(Array&);
};

void check_refused(const Array& honest, std::initializer_list<Lie> lies) {
  for (const Lie& lie : lies) {
    Array array = honest;
    lie.tell(array);
    CHECK_THROWS(read_array(array), std::invalid_argument, lie.message);
    CHECK_THROWS(read_stream({honest, {honest, array}}), std::invalid_argument, lie.message);
    CHECK_THROWS(read_array(table({named(array, "t")}), "t"), std::invalid_argument, "the Arrow array is damaged");
    CHECK_EQ(live, 0);
  }
}

TEST(lies_of_any_array_are_refused) {
  for (const char* const format : formats)
    check_refused(strings(format, documents), {
        {"its length is impossible", [](Array& a) { a.length = -1; }},
        {"its length is impossible", [](Array& a) { a.length = INT64_MAX; }},
        {"its offset is impossible", [](Array& a) { a.offset = -1; }},
        {"its offset is impossible", [](Array& a) { a.offset = INT64_MAX; }},
        {"its number of nulls", [](Array& a) { a.null_count = 10; }},
        {"its number of nulls", [](Array& a) { a.null_count = -2; }},
        {"no bitmap", [](Array& a) { a.null_count = 1; a.buffers[0].reset(); }},
        {"its offsets or views are missing", [](Array& a) { a.buffers[1].reset(); }},
        {"its number of columns", [](Array& a) { a.n_children_more = 1; }},
        {"its dictionary", [](Array& a) { a.dictionary.push_back(strings("u", {})); a.typed_by_dictionary = false; }},
    });
}

TEST(lies_of_offsets_are_refused) {
  check_refused(strings("u", documents), {
      {"its number of buffers", [](Array& a) { a.n_buffers_more = -1; }},
      {"its number of buffers", [](Array& a) { a.n_buffers_more = 1; }},
      {"row 0 goes from byte -1 to 1", [](Array& a) { set(a, 1, 0, std::int32_t{-1}); }},
      {"row 0 goes from byte 2 to 1", [](Array& a) { set(a, 1, 0, std::int32_t{2}); }},
      {"row 2 goes from byte 1 to 0", [](Array& a) { set(a, 1, 3, std::int32_t{0}); }},  // a null
      {"row 8 goes from byte 90 to -2147483648", [](Array& a) { set(a, 1, 9, INT32_MIN); }},
      {"which no memory has", [](Array& a) { a.buffers[2].reset(); }},
  });
  check_refused(strings("U", documents), {
      {"row 0 goes from byte -1 to 1", [](Array& a) { set(a, 1, 0, std::int64_t{-1}); }},
      {"row 8 ends at byte 9223372036854775807, which no memory has", [](Array& a) { set(a, 1, 9, INT64_MAX); }},
  });
}

TEST(lies_of_views_are_refused) {
  check_refused(strings("vu", documents), {
      {"its number of buffers", [](Array& a) { a.n_buffers_more = -3; }},
      {"row 0 has -5 bytes", [](Array& a) { set(a, 1, 0, std::int32_t{-5}); }},
      {"row 3 has 32 bytes at 0 of buffer 1", [](Array& a) { set(a, 4, 1, std::int64_t{31}); }},
      {"row 3 has 2147483647 bytes at 0 of buffer 1", [](Array& a) { set(a, 1, 4 * 3, INT32_MAX); }},
      {"at 0 of buffer 2, which has no such bytes", [](Array& a) { set(a, 1, 4 * 3 + 2, std::int32_t{2}); }},
      {"at 0 of buffer -1, which has no such bytes", [](Array& a) { set(a, 1, 4 * 3 + 2, std::int32_t{-1}); }},
      {"at -1 of buffer 1", [](Array& a) { set(a, 1, 4 * 3 + 3, std::int32_t{-1}); }},
      {"at 2147483647 of buffer 1", [](Array& a) { set(a, 1, 4 * 3 + 3, INT32_MAX); }},
      {"at 0 of buffer 1, which", [](Array& a) { set(a, 4, 1, INT64_MIN); }},
      {"at 0 of buffer 1, which", [](Array& a) { a.buffers[3].reset(); }},
      {"the sizes of its buffers are missing", [](Array& a) { a.buffers[4].reset(); }},
  });
}

TEST(lies_of_dictionaries_are_refused) {
  check_refused(indices("l", {0, 1, -1, 2}, strings("u", documents)), {
      {"row 1 is entry 9 of a dictionary of 9", [](Array& a) { set(a, 1, 1, std::int64_t{9}); }},
      {"row 1 is entry -1 of a dictionary", [](Array& a) { set(a, 1, 1, std::int64_t{-1}); }},
      {"the indices of its dictionary are missing", [](Array& a) { a.buffers[1].reset(); }},
      {"its length is impossible", [](Array& a) { a.dictionary[0].length = -1; }},
      {"its number of buffers", [](Array& a) { a.dictionary[0].buffers.pop_back(); }},
      {"row 0 goes from byte 0 to -1", [](Array& a) { set(a.dictionary[0], 1, 1, std::int32_t{-1}); }},
  });
  CHECK_THROWS(read_stream({indices("l", {0}, strings("u", documents)), {strings("u", documents)}}), std::invalid_argument,
               "its number of buffers");
  Array bare = indices("l", {0}, strings("u", documents));
  bare.dictionary.clear();
  CHECK_THROWS(read_stream({indices("l", {0}, strings("u", documents)), {bare}}), std::invalid_argument, "its dictionary");
  check_refused(indices("L", {0}, strings("u", documents)), {
      {"row 0 is entry -1", [](Array& a) { set(a, 1, 0, UINT64_MAX); }},
  });
}

TEST(lies_of_tables_are_refused) {
  const Array honest = table({named(strings("u", documents), "t")});
  const Lie lies[] = {
      {"a column is shorter than the table", [](Array& a) { a.length = 10; }},
      {"a column is shorter than the table", [](Array& a) { a.offset = 1; }},
      {"its offset is impossible", [](Array& a) { a.offset = INT64_MAX; }},
      {"its number of buffers", [](Array& a) { a.n_buffers_more = 1; }},
      {"its number of columns", [](Array& a) { a.n_children_more = -1; }},
      {"its number of columns", [](Array& a) { a.n_children_more = 1; }},
      {"no bitmap", [](Array& a) { a.null_count = 1; }},
  };
  for (const Lie& lie : lies) {
    Array array = honest;
    lie.tell(array);
    CHECK_THROWS(read_array(array, "t"), std::invalid_argument, lie.message);
    CHECK_EQ(live, 0);
  }
}

}  // namespace
