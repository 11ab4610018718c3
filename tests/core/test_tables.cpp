// Tests readers of tables on several threads and with deeply nested values. A fuzz target and Python tests check the rest.
#include <random>

#include "plain_cutter.hpp"
#include "read_tables.hpp"
#include "termsift/text_counter.hpp"

using namespace read_tables;

namespace {

const bool characters_are_known = (plain_cutter::use_plain_characters(), true);

Table objects(const std::string& content, bool may_be_array = false, bool skip = false) {
  JsonReader reader(reads(content), options(skip), {"text"}, "label", may_be_array);
  return read_all(reader);
}

std::string error_of(const Table& table) { return table.error ? told(*table.error) : "none"; }

}  // namespace

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
    for (const auto& row : counter.counts({}, 5, false, {}).rows) {
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
  DelimitedReader reader(reads(content), options(false, 1000), {});
  reader.choose(',', {0}, 1, 2, false);
  std::int64_t n_docs = 0;
  while (!reader.is_done()) n_docs += counter.add(reader, 50'000, threads);
  CHECK_EQ(n_docs, 5000);
  CHECK_EQ(described(counter), described(expected));
  TextCounter failing(TextRules{}, true);
  DelimitedReader wrong(reads(content + "x\n" + content), options(false, 1000), {});
  wrong.choose(',', {0}, 1, 2, false);
  CHECK_THROWS(failing.add(wrong, 1 << 30, threads), RowError, "expected 2 fields, found 1");
}
