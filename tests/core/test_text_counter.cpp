// Tests counts of texts against a plain loop over words.
#include "termsift/text_counter.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "plain_cutter.hpp"
#include "text/tuning.hpp"

using namespace termsift;

namespace {

const bool characters_are_known = (plain_cutter::use_plain_characters(), true);

using Row = std::map<std::string, std::int64_t>;

struct Collection {
  std::vector<std::string> texts;
  std::vector<ClassId> classes;
  std::int64_t n_classes = 0;

  std::vector<Text> views() const {
    std::vector<Text> all;
    for (const std::string& text : texts)
      all.push_back({text.data(), static_cast<std::int64_t>(text.size()), TextEncoding::utf8});
    return all;
  }
};

// Returns texts of words with 1 to 40 letters. Some words are frequent, and some of these have the same first 16 bytes.
Collection random_collection(std::mt19937_64& random, std::size_t n_texts, std::size_t n_words, std::int64_t n_classes) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < n_words; ++i) {
    std::string word = random() % 4 == 0 ? "abcdefghijklmnop" : "";
    for (std::size_t size = 1 + random() % (random() % 8 == 0 ? 40 : 9); word.size() < size + (word.size() >= 16 ? 16 : 0);)
      word += "abcde_9"[random() % 7];
    words.push_back(word);
  }
  Collection collection;
  collection.n_classes = n_classes;
  for (std::size_t i = 0; i < n_texts; ++i) {
    std::string text;
    for (std::size_t left = random() % (random() % 16 == 0 ? 600 : 30); left > 0; --left)
      text += words[static_cast<std::size_t>(random() % (1 + random() % n_words))] + (random() % 5 == 0 ? ", " : " ");
    collection.texts.push_back(text);
    collection.classes.push_back(static_cast<ClassId>(random() % static_cast<std::uint64_t>(n_classes)));
  }
  return collection;
}

std::vector<std::string> plain_words(const std::string& text, const TextRules& rules) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    const bool stops = std::find(rules.stop_words.begin(), rules.stop_words.end(), word) != rules.stop_words.end();
    if (word.size() > 1 && !stops) words.push_back(word);
    word.clear();
  }
  return words;
}

Row plain_row(const std::string& text, const TextRules& rules) {
  Row row;
  const std::vector<std::string> words = plain_words(text, rules);
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::string term;
    for (std::int64_t n = 1; n <= rules.max_n && begin + static_cast<std::size_t>(n) <= words.size(); ++n) {
      term += (n > 1 ? " " : "") + words[begin + static_cast<std::size_t>(n) - 1];
      if (n >= rules.min_n) ++row[term];
    }
  }
  return row;
}

// Maps each term to its document frequency and its term frequency.
using Sums = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

// The expected counts: rows by term, the sorted terms, and the sums of each class. The last class has no documents.
struct Expected {
  std::vector<Row> rows;
  std::vector<std::string> terms;
  std::vector<std::int64_t> document_frequency, term_frequency;
  std::vector<Sums> classes;

  Expected(const Collection& collection, const TextRules& rules)
      : classes(static_cast<std::size_t>(collection.n_classes) + 1) {
    Sums sums;
    for (std::size_t i = 0; i < collection.texts.size(); ++i) {
      rows.push_back(plain_row(collection.texts[i], rules));
      for (Sums* const of : {&sums, &classes[static_cast<std::size_t>(collection.classes[i])]})
        for (const auto& [term, count] : rows.back()) (*of)[term].first += 1, (*of)[term].second += count;
    }
    for (const auto& [term, sum] : sums) {
      terms.push_back(term);
      document_frequency.push_back(sum.first);
      term_frequency.push_back(sum.second);
    }
  }
};

// Checks that a matrix has the expected rows. The columns are the given terms; other terms are left out.
void check_matrix(const TextMatrix& matrix, const std::vector<Row>& rows, const std::vector<std::string>& terms) {
  CHECK_EQ(matrix.n_rows, static_cast<std::int64_t>(rows.size()));
  std::int64_t entry = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    CHECK_EQ(matrix.indptr[static_cast<std::int64_t>(r)], entry);
    for (const auto& [term, count] : rows[r]) {
      const auto found = std::lower_bound(terms.begin(), terms.end(), term);
      if (found == terms.end() || *found != term) continue;
      CHECK(entry < matrix.n_entries);
      CHECK_EQ(std::int64_t{matrix.indices[entry]}, static_cast<std::int64_t>(found - terms.begin()));
      CHECK_EQ(matrix.data[entry], count);
      ++entry;
    }
  }
  CHECK_EQ(matrix.n_entries, entry);
  CHECK_EQ(matrix.indptr[matrix.n_rows], entry);
}

template <class T>
std::vector<T> as_vector(const LargeArray<T>& array, std::size_t size) {
  return {array.get(), array.get() + size};
}

std::vector<std::string> terms_of(const TextCounter& counter, std::span<const std::int32_t> columns = {}) {
  std::vector<std::string> terms;
  counter.for_each_term(columns, [&](std::int64_t, std::string_view bytes) { terms.emplace_back(bytes); });
  return terms;
}

// Returns a column for each term, and -1 for every third term, which is dropped.
std::vector<std::int32_t> some_columns(std::size_t n_terms) {
  std::vector<std::int32_t> columns(n_terms, -1);
  for (std::size_t i = 0, next = 0; i < n_terms; ++i)
    if (i % 3 != 1) columns[i] = static_cast<std::int32_t>(next++);
  return columns;
}

// Adds the texts in several calls.
void add_in_blocks(TextCounter& counter, const Collection& collection, std::size_t block, bool by_class,
                   const Threads& threads) {
  const std::vector<Text> texts = collection.views();
  for (std::size_t begin = 0; begin < texts.size(); begin += block) {
    const std::size_t n = std::min(block, texts.size() - begin);
    counter.add(std::span(texts).subspan(begin, n),
                by_class ? std::span(collection.classes).subspan(begin, n) : std::span<const ClassId>(), threads);
  }
  counter.sort(threads);
}

void check_documents(const Collection& collection, const Expected& expected, const TextRules& rules,
                     const Threads& threads) {
  TextCounter counter(rules, false);
  add_in_blocks(counter, collection, 1 + collection.texts.size() / 3, false, threads);
  const std::size_t n = expected.terms.size();
  CHECK_EQ(terms_of(counter), expected.terms);
  CHECK_EQ(as_vector(counter.document_frequency(threads), n), expected.document_frequency);
  CHECK_EQ(as_vector(counter.term_frequency(threads), n), expected.term_frequency);
  check_matrix(counter.matrix({}, threads), expected.rows, expected.terms);
  if (n == 0) return;
  const std::vector<std::int32_t> columns = some_columns(n);
  check_matrix(counter.matrix(columns, threads), expected.rows, terms_of(counter, columns));

  const std::vector<std::string> known = terms_of(counter, columns);
  const TextIndex index(rules, known);
  for (int call = 0; call < 2; ++call) check_matrix(index.matrix(collection.views(), threads), expected.rows, known);
}

void check_classes(const Collection& collection, const Expected& expected, const TextRules& rules,
                   const Threads& threads) {
  TextCounter counter(rules, true);
  add_in_blocks(counter, collection, 1 + collection.texts.size() / 5, true, threads);
  const std::size_t n = expected.terms.size();
  CHECK_EQ(terms_of(counter), expected.terms);
  CHECK_EQ(as_vector(counter.document_frequency(threads), n), expected.document_frequency);
  CHECK_EQ(as_vector(counter.term_frequency(threads), n), expected.term_frequency);
  for (const bool binary : {false, true}) {
    const ClassCounts<std::int64_t> counts = counter.counts({}, collection.n_classes + 1, binary, threads);
    CHECK_EQ(counts.n_docs, static_cast<std::int64_t>(collection.texts.size()));
    CHECK_EQ(counts.rows.size(), static_cast<std::size_t>(collection.n_classes) + 1);
    for (std::size_t c = 0; c < counts.rows.size(); ++c) {
      const ClassRow<std::int64_t>& row = *counts.rows[c];
      CHECK_EQ(row.n_docs, std::count(collection.classes.begin(), collection.classes.end(), static_cast<ClassId>(c)));
      CHECK_EQ(row.size, static_cast<std::int64_t>(expected.classes[c].size()));
      std::int64_t i = 0, n_tokens = 0;
      for (const auto& [term, sum] : expected.classes[c]) {
        CHECK_EQ(expected.terms[static_cast<std::size_t>(row.terms[i])], term);
        CHECK_EQ(row.term_frequency[i], binary ? sum.first : sum.second);
        CHECK_EQ(row.document_frequency[i], sum.first);
        n_tokens += row.term_frequency[i];
        ++i;
      }
      CHECK_EQ(row.n_tokens, n_tokens);
    }
  }
}

void check_both(const Collection& collection, const TextRules& rules, std::initializer_list<int> thread_counts) {
  const Expected expected(collection, rules);
  for (const int count : check::thread_counts(thread_counts)) {
    check_documents(collection, expected, rules, {count});
    check_classes(collection, expected, rules, {count});
  }
}

void check_everything(std::uint64_t seed, bool documents = true) {
  std::mt19937_64 random(seed);
  const Collection collection = random_collection(random, 20 + random() % 80, 3 + random() % 400,
                                                   1 + static_cast<std::int64_t>(random() % 40));
  for (const auto& [min_n, max_n] : {std::pair(1, 1), {1, 2}, {2, 2}, {1, 3}, {3, 4}}) {
    TextRules rules;
    rules.min_n = min_n;
    rules.max_n = max_n;
    if (random() % 2 == 0) rules.stop_words = {"aa", "abcdefghijklmnop", plain_words(collection.texts[0] + " ab", {})[0]};
    const Expected expected(collection, rules);
    for (const int count : check::thread_counts({1, 2, 7})) {
      if (documents) check_documents(collection, expected, rules, {count});
      check_classes(collection, expected, rules, {count});
    }
  }
}

// Restores the tuning.
struct Tuned {
  const TextTuning before = text_tuning();
  ~Tuned() { text_tuning() = before; }
};

TEST(counts_of_random_texts_are_those_of_a_plain_loop) {
  for (const std::uint64_t seed : check::few_values<std::uint64_t>({0, 1, 2, 3})) check_everything(seed);
}

TEST(small_chunks_give_the_same_counts) {
  const Tuned tuned;
  text_tuning().chunk_bytes = 300;
  text_tuning().entries_to_unite = 10;
  check_everything(10);
}

TEST(many_words_in_full_tables_give_the_same_counts) {
  const Tuned tuned;
  text_tuning().chunk_bytes = 2000;
  text_tuning().first_slots = 4;
  text_tuning().small_slots = 64;
  std::mt19937_64 random(14);
  const Collection collection = random_collection(random, 400, 20'000, 3);
  for (const auto& [min_n, max_n] : check::few_values<std::pair<int, int>>({{1, 2}, {1, 1}, {2, 3}})) {
    TextRules rules;
    rules.min_n = min_n;
    rules.max_n = max_n;
    rules.stop_words = {"aa", "abcdefghijklmnop", plain_words(collection.texts[0] + " ab", {})[0]};
    check_both(collection, rules, {1, 2, 7});
  }
}

// Returns texts that have all words, words in common with the next texts, or words that no other text has. Half of the words
// begin with the same 16 bytes.
Collection words_of_texts(std::size_t n_texts, std::size_t n_words, std::size_t step) {
  Collection collection;
  collection.n_classes = 3;
  for (std::size_t i = 0; i < n_texts; ++i) {
    std::string text;
    for (std::size_t k = 0; k < n_words; ++k) {
      const std::size_t word = i * step + (k * 7919) % n_words;
      text += (word % 2 == 0 ? "the_same_16_bytes" : "w") + std::to_string(word * 37 % 100'003) + (k % 3 == 0 ? ", " : " ");
    }
    collection.texts.push_back(text);
    collection.classes.push_back(static_cast<ClassId>(i % 3));
  }
  return collection;
}

TEST(words_of_several_threads_are_united) {
  const Tuned tuned;
  text_tuning().chunk_bytes = 1000;
  text_tuning().first_slots = 8;
  text_tuning().small_slots = 1 << 9;
  for (const std::size_t step : check::few_values<std::size_t>({500, 0, 1500})) {
    const Collection collection = words_of_texts(12, 1500, step);
    for (const std::int64_t max_n : {1, 2}) {
      TextRules rules;
      rules.max_n = max_n;
      if (step > 0) rules.stop_words = {plain_words(collection.texts[0], {})[0], plain_words(collection.texts[9], {})[5]};
      check_both(collection, rules, {1, 3});
    }
  }
}

TEST(words_of_large_tables_are_united) {
  // With so many words, the buckets for sorting are chosen from a sample of the tables of several threads.
  const Tuned tuned;
  text_tuning().chunk_bytes = 1000;
  check_both(words_of_texts(8, 20'000, 15'000), {}, {3});
}

// With seeds of 0, all short words have the hash 0. So all words lie in one part and in adjacent slots of its table.
TEST(words_of_one_hash_are_united) {
  const Tuned tuned;
  std::fill(std::begin(text_tuning().seed), std::end(text_tuning().seed), 0);
  text_tuning().chunk_bytes = 500;
  Collection collection;
  collection.n_classes = 1;
  for (std::size_t i = 0; i < 40; ++i) {
    std::string text;
    for (std::size_t k = 0; k < 250; ++k) text += "w" + std::to_string((i * 120 + k) % 4500) + " ";
    collection.texts.push_back(text);
    collection.classes.push_back(0);
  }
  const Expected expected(collection, {});
  for (const int count : check::thread_counts({1, 3})) check_documents(collection, expected, {}, {count});
}

// Returns rules with a small sketch that leaves out no term of the texts.
TextRules rules_with_sketch(const Collection& collection, std::int64_t max_n) {
  TextRules rules;
  rules.max_n = max_n;
  const auto sketch = std::make_shared<TermSketch>(1 << 10);
  sketch->add(rules, collection.views(), {1});
  rules.sketch = sketch;
  return rules;
}

TEST(threads_that_share_terms_give_the_same_counts) {
  const Tuned tuned;
  text_tuning().chunk_bytes = 1000;
  text_tuning().first_slots = 8;
  text_tuning().small_slots = 1 << 9;
  for (const std::size_t step : check::few_values<std::size_t>({500, 0, 1500})) {
    const Collection collection = words_of_texts(12, 1500, step);
    for (const std::int64_t max_n : {1, 2}) {
      const TextRules rules = rules_with_sketch(collection, max_n);
      const Expected expected(collection, rules);
      for (const int count : check::thread_counts({1, 2, 7})) check_classes(collection, expected, rules, {count});
    }
  }
}

TEST(memory_does_not_grow_with_the_threads_of_a_sketch) {
  const Tuned tuned;
  text_tuning().chunk_bytes = 1000;
  std::mt19937_64 random(15);
  Collection collection;
  for (int i = 0; i < 10'000; ++i) {
    std::string text;
    for (int k = 0; k < 50; ++k) text += "word" + std::to_string(random() % 20'000) + " ";
    collection.texts.push_back(text);
    collection.classes.push_back(static_cast<ClassId>(random() % 4));
  }
  const TextRules rules = rules_with_sketch(collection, 1);
  const auto n_bytes = [&](int count) {
    TextCounter counter(rules, true);
    counter.add(collection.views(), collection.classes, {count});
    return counter.n_bytes();
  };
  // A table of few words may have many empty slots. If each thread stored all words, the memory would grow about 12-fold.
  CHECK(n_bytes(16) < 4 * n_bytes(1));
}

TEST(tags_of_rows_may_wrap_around) {
  const Tuned tuned;
  text_tuning().first_tag = 0xFFFFFFF0;
  check_everything(12);
}

TEST(counts_by_class_may_be_written_down_within_a_document) {
  const Tuned tuned;
  text_tuning().row_tokens = 3;
  check_everything(13, false);
}

TEST_OF_ONE_THREAD(a_document_with_too_many_terms_for_its_counts_is_refused) {
  const Tuned tuned;
  text_tuning().row_tokens = 3;
  check_both({{"aa bb cc", "dd ee"}, {0, 0}, 1}, {}, {1});
  CHECK_THROWS(check_both({{"aa bb cc dd"}, {0}, 1}, {}, {1}), std::length_error, "more than 2^31 terms");
}

TEST(counts_by_class_may_be_gathered_at_any_document) {
  const Tuned tuned;
  text_tuning().documents_to_gather = 2;
  check_everything(14);
  text_tuning().documents_to_gather = 1 << 22;
  text_tuning().entries_to_gather = 0;
  check_everything(14);
}

TEST_OF_ONE_THREAD(large_counts_are_exact) {
  // RowSorter splits a count of more than 2^20 - 1. These counts need three entries.
  Collection collection{{"", ""}, {0, 0}, 1};
  for (int i = 0; i < 2'200'000; ++i) collection.texts[1] += "aa ";
  collection.texts[1] += "bb";
  TextRules rules;
  rules.max_n = 2;
  check_both(collection, rules, {1});
}

// The hashes that sklearn.utils.murmurhash3_32(term, seed=0) returns.
}  // namespace
