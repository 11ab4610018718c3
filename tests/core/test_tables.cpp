// Tables of delimited fields and of JSON objects: their texts, labels and errors. The fuzz target compares blocks.
#include <random>

#include "plain_cutter.hpp"
#include "read_tables.hpp"
#include "termsift/text_counter.hpp"

using namespace read_tables;

namespace {

const bool characters_are_known = (plain_cutter::use_plain_characters(), true);

// Reads text and label from rows of two fields, in that order.
Table fields(const std::string& content, bool quoted = true, bool skip = false, bool has_header = false) {
  DelimitedReader reader(reads(content), options(skip), quoted);
  reader.choose(',', {0}, 1, 2, has_header);
  return read_all(reader);
}

Table objects(const std::string& content, bool may_be_array = false, bool skip = false) {
  JsonReader reader(reads(content), options(skip), {"text"}, "label", may_be_array);
  return read_all(reader);
}

std::string error_of(const Table& table) { return table.error ? told(*table.error) : "none"; }

const std::string quote_cure = "; a quote within a quoted field is written twice";

}  // namespace

TEST(fields_are_unquoted) {
  const std::string content = "text,label\na b,x\r\n\n\"a \"\"b\"\", c\n\",\"y\"\n5\" a,x\n,\"\"\"\"\n\"z\",x";
  const std::vector<std::string> rows = {"x|a b", "y|a \"b\", c\n", "x|5\" a", "\"|", "x|z"};
  CHECK_EQ(fields(content, true, false, true).rows, rows);
}

TEST(without_quoting_quotes_and_returns_are_text) {
  const std::vector<std::string> rows = {"x|a\rb", "y|\"c"};
  CHECK_EQ(fields("a\rb,x\r\r\n\"c,y\n", false).rows, rows);
}

TEST(columns_are_chosen_and_joined) {
  DelimitedReader reader(reads("id;\"a\"\"b\";x;c\n1;;y;d"), options(), true);
  reader.choose(';', {3, 1}, 2, 4, false);
  const std::vector<std::string> rows = {"x|c a\"b", "y|d "};
  CHECK_EQ(read_all(reader).rows, rows);
}

TEST(first_rows_are_found_as_each_delimiter_divides_them) {
  DelimitedReader reader(reads("\r\n\na;\"b,c\n", 1), options(false, 1), true);
  const DelimitedReader::Row row = reader.first_row(',');
  CHECK_EQ(row.first_line, 3);
  CHECK_EQ(row.fields, (std::vector<std::string>{"a;\"b", "c"}));
  CHECK(reader.first_row(';').fault.starts_with("the last quoted field is not closed"));
}

TEST(errors_of_fields_name_the_line) {
  CHECK_EQ(error_of(fields("a,x\n\n\"\nb\",y\nc\n")), "5: expected 2 fields, found 1");
  CHECK_EQ(error_of(fields("\"a\nb\",\"\"\n")), "1-2: the label is empty");
  CHECK_EQ(error_of(fields("a,\xe3\x80\x80\n")), "1: the label is blank");
  CHECK_EQ(error_of(fields("a,x\n\"b\n\xff\",y\n")), "3: byte 0 is not UTF-8; give the encoding of the texts (--encoding)");
  CHECK(error_of(fields("a\rb,x\n")).starts_with("1: a carriage return without a line feed"));
  for (const bool skip : {false, true}) {
    CHECK(error_of(fields("a,x\n\"b\"c,y\n", true, skip))
              .starts_with("2: expected ',' or the end of the line after a closing quote, at byte 3" + quote_cure));
    CHECK(error_of(fields("a,x\n\"b,y\n\n", true, skip))
              .starts_with("2-3: the last quoted field is not closed" + quote_cure));
    // Whether the quote opens a field of several lines is unknown.
    CHECK_EQ(error_of(fields("a\rb,\"x\ny,z\"\n", true, skip)).substr(0, 10), "1: a carri");
  }
}

TEST(a_file_whose_lines_end_with_returns_is_refused) {
  CHECK_THROWS(fields("a,x\rb,y\r", false, true, true), RowError, "carriage returns end the lines of this file; replace");
  CHECK_EQ(error_of(fields("a,x\rb,y\n", false)),
           "1: expected 2 fields, found 3; perhaps carriage returns end the lines of this file; replace them by line feeds");
}

TEST(bad_rows_are_left_out) {
  const Table table = fields("a,x\nb\n\"c\n\",y,\nd,\n\xff,x\ne\rf,x\ng,z\n", true, true);
  CHECK_EQ(table.rows, (std::vector<std::string>{"x|a", "z|g"}));
  CHECK_EQ(table.n_skipped, 5);
  CHECK_EQ(told(table.skipped[1]),
           "3-4: expected 2 fields, found 3; a field with ',' in it must begin and end with a quote");
}

TEST(objects_have_keys_in_any_order) {
  const std::vector<std::string> rows = {"x|a", "7|", "true|b"};
  const std::string a = R"({"text":"a","n":{"text":[1,{}]},"label":"x"})", c = R"({ "label" : 7 , "text":"c", "text":"" })",
                    b = R"({"t\u0065xt":"b","label":true})";
  CHECK_EQ(objects(a + "\r\n \n" + c + "\n" + b).rows, rows);
  CHECK_EQ(objects(" [\n" + a + " ," + c + ",\n" + b + "]\n", true).rows, rows);
}

TEST(escapes_are_replaced) {
  CHECK_EQ(objects(R"({"text":"\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00","label":"\u0061"})").rows[0],
           "a|\"\\/\b\f\n\r\t\u00e9\u20ac\U0001f600");
  CHECK_EQ(objects(R"({"text":"\ud83d!\ude00\ud83d\u0041","label":1})").rows[0], "1|<55357>!<56832><55357>A");
}

TEST(errors_of_objects_name_line_and_byte) {
  CHECK_EQ(error_of(objects("{}\n")).substr(0, 40), "1: expected a key 'text', found none; na");
  CHECK_EQ(error_of(objects("\n{\"text\":1,\"label\":1}")), "2: expected a string as 'text', found a whole number");
  CHECK_EQ(error_of(objects(R"({"text":"","label":-1.5e3})")),
           "1: expected a label, a string or a whole number, as 'label', found a number with a fraction");
  CHECK_EQ(error_of(objects("{\"text\":\"a\tb\"}")),
           "1: expected no control character in a string at byte 10; write a line end as \\n");
  CHECK_EQ(error_of(objects("{\"a\":01}")), "1: expected a comma or a closing brace at byte 6");
  CHECK_EQ(error_of(objects("[]")),
           "1: expected a JSON object in braces at byte 0; the name of a file of one array must end in .json");
  CHECK_EQ(error_of(objects("{\n}\n")).substr(0, 45), "1: the JSON object does not end in this line;");
  // The text of the first object holds a line feed after its escape was replaced.
  const std::string first = "[{\"text\":\"a\\nb\",\"label\":1}";
  CHECK_EQ(error_of(objects("\n" + first + ";", true)),
           "2: expected a comma or a closing bracket after an object at byte 26");
  CHECK_EQ(error_of(objects(first + ",\n{\"text\":\"\xff\",\"label\":2}]", true)),
           "2: byte 9 is not UTF-8; give the encoding of the texts (--encoding)");
  for (const char* const cut : {"", ",", ",{\"text\""})
    CHECK_EQ(error_of(objects(first + cut, true)).substr(0, 31), "1: expected a closing bracket a");
}

TEST(values_may_be_nested_a_million_times) {
  const std::string deep(1'000'000, '[');
  CHECK_EQ(objects("{\"a\":" + deep + std::string(deep.size(), ']') + ",\"text\":\"b\",\"label\":1}").rows[0], "1|b");
  CHECK(error_of(objects("{\"a\":" + deep)).starts_with("1: the JSON object does not end in this line"));
}

TEST(counts_are_those_of_the_texts_on_any_threads) {
  std::mt19937_64 random(1);
  std::string content;
  std::vector<std::string> texts;
  std::vector<ClassId> classes;
  for (int i = 0; i < 5000; ++i) {
    std::string& text = texts.emplace_back();
    for (auto n = random() % 20; n > 0; --n) text += "w" + std::to_string(random() % 3000) + " ";
    classes.push_back(i < 5 ? i : static_cast<ClassId>(random() % 5));
    content += (i % 7 == 0 ? "\"" + text + "\"" : text) + "," + std::to_string(classes.back()) + "\n";
  }
  std::vector<Text> views;
  for (const std::string& text : texts)
    views.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
  const auto described = [](TextCounter& counter) {
    counter.sort({});
    std::string all;
    counter.for_each_term({}, [&](std::int64_t, std::string_view term) { all.append(term).append(" "); });
    for (const auto& row : counter.counts({}, counter.n_terms(), 5, false, {}).rows) {
      all += "class of " + std::to_string(row->n_docs) + ":";
      for (std::int64_t i = 0; i < row->size; ++i) {
        all.append(" ").append(std::to_string(row->terms[i])).append(":").append(std::to_string(row->term_frequency[i]));
        all.append("/").append(std::to_string(row->document_frequency[i]));
      }
    }
    return all;
  };
  Threads threads;
  threads.count = 4;
  TextCounter expected(TextRules{}, true);
  expected.add(views, classes, threads);
  TextCounter counter(TextRules{}, true);
  DelimitedReader reader(reads(content), options(false, 1000), true);
  reader.choose(',', {0}, 1, 2, false);
  std::int64_t n_docs = 0;
  while (!reader.is_done()) n_docs += counter.add(reader, 50'000, threads);
  CHECK_EQ(n_docs, 5000);
  CHECK_EQ(described(counter), described(expected));
  TextCounter failing(TextRules{}, true);
  DelimitedReader wrong(reads(content + "x\n" + content), options(false, 1000), true);
  wrong.choose(',', {0}, 1, 2, false);
  CHECK_THROWS(failing.add(wrong, 1 << 30, threads), RowError, "expected 2 fields, found 1");
}
