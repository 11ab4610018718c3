// Tests counts of lists of tokens, and of documents with several classes, against plain loops.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "plain_cutter.hpp"
#include "termsift/text_counter.hpp"
#include "text/term_table.hpp"
#include "text/tuning.hpp"

using namespace termsift;

namespace {

const bool characters_are_known = (plain_cutter::use_plain_characters(), true);

using Row = std::map<std::string, std::int64_t>;

struct Tuned {
  const TextTuning before = text_tuning();
  ~Tuned() { text_tuning() = before; }
};

// Documents as lists of tokens, each with any number of classes.
struct Lists {
  std::vector<std::vector<std::string>> documents;
  std::vector<ClassId> codes;
  std::vector<std::int64_t> indptr{0};
  std::int64_t n_classes = 4;

  LabelView labels() const { return {n_classes, std::ssize(codes), indptr.data(), codes.data()}; }
  Row row(std::size_t document) const {
    Row row;
    for (const std::string& token : documents[document]) ++row[token];
    return row;
  }
};

// Texts of the encoding `tokens`. The lists lie one after the other in memory, or each in memory of its own.
class Written {
 public:
  Written(const Lists& lists, bool apart) {
    std::vector<std::size_t> ends;
    for (const auto& document : lists.documents) {
      if (apart || memory_.empty()) memory_.emplace_back();
      std::string& bytes = memory_.back();
      for (const std::string& token : document) {
        const auto size = static_cast<std::uint32_t>(token.size());
        char prefix[sizeof size];
        std::memcpy(prefix, &size, sizeof size);
        bytes.append(prefix, sizeof size).append(token);
      }
      ends.push_back(bytes.size());
    }
    for (std::string& bytes : memory_) bytes.append(64, '\xff');  // the bytes after a token must not matter
    for (std::size_t d = 0; d < ends.size(); ++d) {
      const std::size_t begin = apart || d == 0 ? 0 : ends[d - 1];
      const char* const data = memory_[apart ? d : 0].data() + begin;
      texts_.push_back({data, static_cast<std::int64_t>(ends[d] - begin), TextEncoding::tokens});
    }
  }
  Texts texts() const { return texts_; }

 private:
  std::vector<std::string> memory_;
  std::vector<Text> texts_;
};

Lists random_lists(std::mt19937_64& random, std::size_t n_documents, std::size_t most_tokens) {
  std::vector<std::string> words = {"", std::string(1, '\0'), std::string(2, '\0'), std::string("a\0", 2), "a", "new york",
                                    " ", "\xed\xa0\x80", std::string(16, 'x'), std::string(17, 'x'), std::string(3000, 'y')};
  for (int i = 0; i < 300; ++i) words.push_back("w" + std::to_string(i * 7919) + std::string(random() % 20, 'z'));
  Lists lists;
  for (std::size_t d = 0; d < n_documents; ++d) {
    auto& document = lists.documents.emplace_back();
    for (std::size_t left = random() % most_tokens; left > 0; --left) document.push_back(words[random() % words.size()]);
    for (ClassId c = 0; c < lists.n_classes; ++c)
      if (random() % 3 == 0) lists.codes.push_back(c);
    lists.indptr.push_back(std::ssize(lists.codes));
  }
  return lists;
}

TextRules of_tokens() {
  TextRules rules;
  rules.analyzer = Analyzer::tokens;
  return rules;
}

std::vector<std::string> terms_of(const Lists& lists) {
  Row all;
  for (std::size_t d = 0; d < lists.documents.size(); ++d) all.merge(lists.row(d));
  std::vector<std::string> terms;
  for (const auto& [term, count] : all) terms.push_back(term);
  return terms;
}

std::vector<std::string> terms_of(const TextCounter& counter) {
  std::vector<std::string> terms;
  counter.for_each_term({}, [&](std::int64_t, std::string_view bytes) { terms.emplace_back(bytes); });
  return terms;
}

// Checks that a matrix has the rows of the lists, with columns for the given terms.
void check_matrix(const TextMatrix& matrix, const Lists& lists, const std::vector<std::string>& terms) {
  CHECK_EQ(matrix.n_rows, std::ssize(lists.documents));
  for (std::size_t d = 0; d < lists.documents.size(); ++d) {
    Row row, expected = lists.row(d);
    for (std::int64_t i = matrix.indptr[std::int64_t(d)]; i < matrix.indptr[std::int64_t(d) + 1]; ++i)
      row[terms[static_cast<std::size_t>(matrix.indices[i])]] = matrix.data[i];
    std::erase_if(expected, [&](const auto& pair) { return !std::binary_search(terms.begin(), terms.end(), pair.first); });
    CHECK(row == expected);
  }
}

// Checks the row of the documents for which has(document) is true.
template <class Has>
void check_row(const ClassRow<std::int64_t>& row, const Lists& lists, const std::vector<std::string>& terms, bool binary,
               const Has& has) {
  Row occurrences, documents;
  std::int64_t n_docs = 0;
  for (std::size_t d = 0; d < lists.documents.size(); ++d) {
    if (!has(d)) continue;
    ++n_docs;
    for (const auto& [term, count] : lists.row(d)) occurrences[term] += binary ? 1 : count, ++documents[term];
  }
  CHECK_EQ(row.n_docs, n_docs);
  CHECK_EQ(row.size, std::ssize(occurrences));
  std::int64_t i = 0;
  for (const auto& [term, count] : occurrences) {
    CHECK(terms[static_cast<std::size_t>(row.terms[i])] == term);
    CHECK_EQ(row.term_frequency[i], count);
    CHECK_EQ(row.document_frequency[i++], documents[term]);
  }
}

void check_by_class(const Lists& lists, Texts texts, const TextRules& rules, const Threads& threads) {
  const std::vector<std::string> terms = terms_of(lists);
  TextCounter counter(rules, true);
  const std::size_t half = texts.size() / 2;
  LabelView first = lists.labels(), last = first;
  first.n_codes = lists.indptr[half];
  std::vector<std::int64_t> ends;
  for (std::size_t d = half; d <= texts.size(); ++d) ends.push_back(lists.indptr[d] - lists.indptr[half]);
  last.indptr = ends.data();
  last.codes += lists.indptr[half];
  last.n_codes = ends.back();
  counter.add_labelled(texts.first(half), first, threads);
  counter.add_labelled(texts.subspan(half), last, threads);
  counter.sort(threads);
  CHECK(terms_of(counter) == terms);
  for (const bool binary : {false, true}) {
    const ClassCounts<std::int64_t> counts = counter.counts({}, lists.n_classes, binary, threads);
    CHECK_EQ(counts.n_docs, std::ssize(texts));
    for (std::size_t c = 0; c < counts.rows.size(); ++c)
      check_row(*counts.rows[c], lists, terms, binary, [&](std::size_t d) {
        const auto begin = lists.codes.begin();
        return std::count(begin + lists.indptr[d], begin + lists.indptr[d + 1], static_cast<ClassId>(c)) > 0;
      });
    CHECK(counts.collection != nullptr);
    check_row(*counts.collection, lists, terms, binary, [](std::size_t) { return true; });
  }
}

void check_lists(const Lists& lists, const Threads& threads) {
  const std::vector<std::string> terms = terms_of(lists);
  const TextRules rules = of_tokens();
  for (const bool apart : {false, true}) {
    const Written written(lists, apart);
    TextCounter counter(rules, false);
    counter.add(written.texts(), {}, threads);
    counter.sort(threads);
    CHECK(terms_of(counter) == terms);
    check_matrix(counter.matrix({}, threads), lists, terms);

    std::vector<std::string> known;
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (i % 3 != 1) known.push_back(terms[i]);
    check_matrix(TextIndex(rules, known).matrix(written.texts(), threads), lists, known);

    const TextMatrix hashed = hashed_matrix(rules, written.texts(), 1000, false, threads);
    for (std::size_t d = 0; d < lists.documents.size(); ++d) {
      std::map<std::int64_t, std::int64_t> row, expected;
      for (std::int64_t i = hashed.indptr[std::int64_t(d)]; i < hashed.indptr[std::int64_t(d) + 1]; ++i)
        row[hashed.indices[i]] += hashed.data[i];
      for (const auto& [term, count] : lists.row(d)) expected[column_of(murmur3(term), 1000)] += count;
      CHECK(row == expected);
    }
    check_by_class(lists, written.texts(), rules, threads);

    TextRules sketched = rules;
    const auto sketch = std::make_shared<TermSketch>(1 << 20);
    sketch->add(rules, written.texts(), threads);
    sketched.sketch = sketch;
    check_by_class(lists, written.texts(), sketched, threads);
    Row documents;
    for (std::size_t d = 0; d < lists.documents.size(); ++d)
      for (const auto& [term, count] : lists.row(d)) ++documents[term];
    for (const auto& [term, n] : documents)
      CHECK(sketch->at(sketch->place(word_hash(term))) >= std::min<std::int64_t>(n, 255));
  }
}

TEST(lists_of_tokens_are_counted_as_by_a_plain_loop) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    std::mt19937_64 random(seed);
    const Lists lists = random_lists(random, 60, 50);
    for (const int threads : {1, 4}) check_lists(lists, {threads});
  }
}

TEST(small_chunks_of_lists_give_the_same_counts) {
  const Tuned tuned;
  text_tuning().chunk_bytes = 300;
  text_tuning().entries_to_unite = 10;
  std::mt19937_64 random(7);
  check_lists(random_lists(random, 60, 50), {3});
}

TEST(long_lists_are_read_in_pieces) {
  std::mt19937_64 random(8);
  check_lists(random_lists(random, 6, 9000), {2});
}

TEST(documents_of_one_class_each_need_no_row_of_the_collection) {
  Lists lists;
  lists.documents = {{"a", "b"}, {"a"}, {}};
  lists.codes = {1, 0, 1};
  lists.indptr = {0, 1, 2, 3};
  const Written written(lists, false);
  TextCounter counter(of_tokens(), true);
  counter.add_labelled(written.texts(), lists.labels(), {1});
  counter.sort({1});
  const ClassCounts<std::int64_t> counts = counter.counts({}, 4, false, {1});
  CHECK(counts.collection == nullptr);
  CHECK_EQ(counts.n_docs, 3);
  CHECK_EQ(counts.rows[1]->n_docs, 2);
}

TEST(lists_and_texts_are_not_mixed) {
  const Lists lists{{{"a"}}, {0}, {0, 1}, 1};
  const Written written(lists, false);
  const std::vector<Text> text = {{"a text", 6, TextEncoding::utf8}};
  TextCounter words({}, false), tokens(of_tokens(), false);
  CHECK_THROWS(words.add(written.texts(), {}, {1}), std::invalid_argument, "lists of tokens");
  CHECK_THROWS(tokens.add(text, {}, {1}), std::invalid_argument, "lists of tokens");
}

TEST(documents_with_and_without_lists_of_classes_are_not_mixed) {
  const Lists lists{{{"a"}}, {0}, {0, 1}, 1};
  const Written written(lists, false);
  TextCounter one(of_tokens(), true), several(of_tokens(), true);
  one.add(written.texts(), lists.codes, {1});
  several.add_labelled(written.texts(), lists.labels(), {1});
  CHECK_THROWS(one.add_labelled(written.texts(), lists.labels(), {1}), std::logic_error, "one class each");
  CHECK_THROWS(several.add(written.texts(), lists.codes, {1}), std::logic_error, "lists of classes");
  one.add(written.texts(), lists.codes, {1});  // a refused call changes nothing
  several.add_labelled(written.texts(), lists.labels(), {1});
}

}  // namespace
