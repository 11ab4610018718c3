#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "reading/line_blocks.hpp"
#include "reading/number_text.hpp"
#include "termsift/matrix_reader.hpp"
#include "termsift/utf8.hpp"

namespace termsift {
namespace {

constexpr double count_limit = 0x1p53;      // every whole number below it is exact in a double
constexpr std::int64_t short_labels = 1 << 20;  // labels below it are found in an array, all other labels by a hash
constexpr std::size_t told_lines = 5;       // the number of skipped lines that are reported

bool ends_token(char c) { return is_space(c) || c == '#'; }
bool is_line_blank(char c) { return is_space(c) && c != '\n'; }

// The first line of a file of the extreme classification repository.
struct Declared {
  std::int64_t n_docs = -1, n_terms = -1, n_labels = -1;
  bool any() const { return n_docs >= 0; }
};

Declared declared_in(std::string_view line) {
  std::vector<std::int64_t> numbers;
  for (const char *p = line.data(), *const end = p + line.size(); p != end;) {
    if (is_space(*p)) {
      ++p;
      continue;
    }
    const char* const stop = std::find_if(p, end, is_space);
    const auto number = whole_number({p, at(stop - p)});
    if (!number || *p == '+') return {};
    numbers.push_back(*number);
    p = stop;
  }
  return numbers.size() == 3 ? Declared{numbers[0], numbers[1], numbers[2]} : Declared{};
}

// Replaces integers by the bits of their doubles.
void as_doubles(std::int64_t* begin, std::int64_t* end) {
  std::transform(begin, end, begin, [](std::int64_t x) { return std::bit_cast<std::int64_t>(static_cast<double>(x)); });
}

struct Sizes {
  std::int64_t entries = 0, docs = 0, labels = 0;
};

// A piece is parsed into parts of the block's arrays that have room for as many elements as the piece can have. It has fewer
// if it has comments, query ids or bad lines. The parts are then moved together.
struct SvmlightPiece : TextPiece {
  Sizes begin, n;
  bool exact = true;
  TermId last_index = -1;
  // A label is stored as its value if it is a whole number below short_labels, and as -1 - i if it is others[i].
  std::vector<std::string_view> others;
  std::vector<std::int64_t> lines;                      // of the others, the lines where they first occur
  std::unordered_map<std::string_view, ClassId> place;  // the place of a label among the others
  std::vector<BadRow> bad;                              // the first bad lines
  std::vector<std::int64_t> skipped;                    // the number of documents before each bad line
};

struct Arrays {
  std::int64_t *indptr, *label_indptr, *data;
  TermId* indices;
  ClassId* codes;
};

class SvmlightParser {
 public:
  SvmlightParser(SvmlightPiece& piece, const Arrays& arrays, const SvmlightReader::Options& options,
                 const Declared& declared, Worker& worker)
      : p_(piece.text.data()), end_(p_ + piece.text.size()), line_(piece.line), piece_(piece), options_(options),
        declared_(declared), worker_(worker), indices_(arrays.indices + piece.begin.entries),
        data_(arrays.data + piece.begin.entries), row_ends_(arrays.indptr + 1 + piece.begin.docs),
        codes_(arrays.codes + piece.begin.labels), label_ends_(arrays.label_indptr + 1 + piece.begin.docs),
        base_(declared.any() ? 0 : options.index_base),
        last_(base_ - 1 + std::min(options.n_terms, declared.any() ? declared.n_terms : max_terms)) {}

  // Parses the lines. Unless bad lines are skipped, stops at the first bad line and returns false.
  bool run() {
    for (; p_ != end_; next_line()) {
      if ((!next_token() && !declared_.any()) || document()) continue;
      piece_.skipped.push_back(piece_.n.docs);
      if (piece_.bad.size() < told_lines) piece_.bad.push_back({line_, line_, std::move(fault_)});
      if (!options_.skip) return false;
    }
    return true;
  }

 private:
  void next_line() {
    if (*p_ != '\n') p_ = find_byte(p_, end_, '\n');  // usually, this is already the end of the line
    ++p_;
    ++line_;
  }

  // Goes to the next token of the line. Returns false at the end of the line.
  bool next_token() {
    while (is_line_blank(*p_)) ++p_;
    return *p_ != '\n' && *p_ != '#';
  }

  std::string_view token() const {  // the token that begins here
    const char* stop = p_;
    while (!ends_token(*stop)) ++stop;
    return {p_, at(stop - p_)};
  }

  bool wrong(const std::string& expected) { return wrong(expected, token()); }
  bool wrong(const std::string& expected, std::string_view found) {
    fault_ = "expected " + expected + ", found " + quoted(found);
    return false;
  }

  // Parses a document. If the line is bad, returns false and leaves the piece as it was.
  bool document() {
    n_ = piece_.n;
    exact_ = piece_.exact;
    const bool has_token = *p_ != '\n' && *p_ != '#';
    if (has_token) {
      const std::string_view first = token();
      if (first.find(':') == first.npos) {
        if (!labels(first)) return false;
      } else if (!declared_.any()) {
        return wrong("a label before the first index:count");
      }
    }
    if (!query_id() || !entries()) return false;
    if (piece_.exact && !exact_) as_doubles(data_, data_ + piece_.n.entries);
    row_ends_[n_.docs] = n_.entries;
    label_ends_[n_.docs] = n_.labels;
    ++n_.docs;
    piece_.n = n_;
    piece_.exact = exact_;
    piece_.last_index = std::max(piece_.last_index, index_);
    return true;
  }

  // ---- labels ------------------------------------------------------------------------------------------------------------

  bool labels(std::string_view all) {
    for (std::string_view rest = all;;) {
      const std::size_t comma = rest.find(',');
      const std::string_view label = rest.substr(0, comma);
      if (!one_label(label)) {
        if (declared_.any())
          return wrong("labels from 0 to " + std::to_string(declared_.n_labels - 1) +
                           " with commas between them, as line 1 says, or a blank before the first index:count", all);
        return wrong("a label, a number below 2^53 or a word, or several with commas between them", all);
      }
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
    p_ += all.size();
    return true;
  }

  bool one_label(std::string_view label) {
    if (label.empty()) return false;
    std::int64_t number = 0;
    const char* const stop = read_digits(label.data(), number);
    const bool is_whole = stop == label.data() + label.size();
    if (is_whole && number < short_labels && (!declared_.any() || number < declared_.n_labels)) {
      codes_[n_.labels++] = static_cast<ClassId>(number);
      return true;
    }
    const auto known = piece_.place.find(label);
    if (known == piece_.place.end()) {
      if (!is_label(label)) return false;
      piece_.place.emplace(label, static_cast<ClassId>(piece_.others.size()));
      codes_[n_.labels++] = -1 - static_cast<ClassId>(piece_.others.size());
      piece_.others.push_back(label);
      piece_.lines.push_back(line_);
      return true;
    }
    codes_[n_.labels++] = -1 - known->second;
    return true;
  }

  bool is_label(std::string_view label) const {
    if (declared_.any()) {
      const auto number = whole_number(label);
      return number && *number < declared_.n_labels && static_cast<double>(*number) < count_limit;
    }
    if (const auto number = decimal_number(label)) return std::abs(*number) < count_limit;
    // Words that read as numbers elsewhere stand for missing labels, or for numbers that are too large.
    std::string lower(label.substr(label[0] == '+' || label[0] == '-' ? 1 : 0));
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower == "nan" || lower == "inf" || lower == "infinity") return false;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    const auto size = static_cast<std::int64_t>(label.size());
    return std::none_of(label.begin(), label.end(), is_control) &&
           first_invalid_utf8(reinterpret_cast<const std::uint8_t*>(label.data()), size) == size;
  }

  bool query_id() {
    if (!next_token()) return true;
    const std::string_view first = token();
    if (!first.starts_with("qid:")) return true;
    std::string_view number = first.substr(4);
    if (number.starts_with('-')) number.remove_prefix(1);
    if (!whole_number(number)) return wrong("a whole number after qid:", first);
    p_ += first.size();
    return true;
  }

  // ---- entries -----------------------------------------------------------------------------------------------------------

  bool entries() {
    std::int64_t before = base_ - 1, n = n_.entries;  // `before` is the last index
    for (;; ++n) {
      if (*p_ == ' ') ++p_;
      if (is_space(*p_) && *p_ != '\n') next_token();
      if (*p_ == '\n' || *p_ == '#') break;
      if (unlikely((n & 0x3fff) == 0)) worker_.check();
      // Nearly every entry is digits, a colon and digits.
      std::int64_t index = 0, count = 0;
      const char* const colon = read_digits(p_, index);
      if (*colon == ':' && colon != p_ && index > before && index <= last_) {
        const char* stop = colon + 2;
        if (const unsigned digit = digit_of(colon[1]); digit <= 9 && *stop <= ' ') count = digit;  // most counts
        else stop = read_digits(colon + 1, count);
        if (stop != colon + 1 && ends_token(*stop) && count < std::int64_t{1} << 53) {
          p_ = stop;
          indices_[n] = static_cast<TermId>(index - base_);
          data_[n] = exact_ ? count : std::bit_cast<std::int64_t>(static_cast<double>(count));
          before = index;
          continue;
        }
      }
      n_.entries = n;
      if (!unusual_entry(before)) return false;
    }
    n_.entries = n;
    index_ = static_cast<TermId>(before - base_);
    return true;
  }

  // Reads an entry with a sign, a fraction or many digits, or finds its fault.
  bool unusual_entry(std::int64_t& before) {
    const std::string_view entry = token();
    const std::size_t colon = entry.find(':');
    if (colon == entry.npos) return wrong("index:count", entry);
    const auto index = whole_number(entry.substr(0, colon));
    if (!index || *index < base_ || *index > last_) return wrong_index(entry);
    if (*index <= before)
      return wrong("an index above " + std::to_string(before) + ", because indices rise within a line", entry);
    const std::string_view number = entry.substr(colon + 1);
    const auto count = decimal_number(number);
    if (!count || !(*count >= 0 && *count < count_limit))
      return wrong("a count from 0 to below 2^53 after the colon", entry);
    const bool is_whole = *count == std::floor(*count);
    if (!is_whole && std::exchange(exact_, false)) as_doubles(data_ + piece_.n.entries, data_ + n_.entries);
    indices_[n_.entries] = static_cast<TermId>(*index - base_);
    // Adding 0 turns -0 into 0.
    data_[n_.entries] = exact_ ? static_cast<std::int64_t>(*count) : std::bit_cast<std::int64_t>(*count + 0.0);
    p_ += entry.size();
    before = *index;
    return true;
  }

  bool wrong_index(std::string_view entry) {
    if (last_ < base_) return wrong("no index, because there are no terms", entry);
    wrong("an index from " + std::to_string(base_) + " to " + std::to_string(last_) + " before the colon", entry);
    if (declared_.any() && last_ == declared_.n_terms - 1) fault_ += ", because line 1 declares the terms";
    return false;
  }

  const char* p_;
  const char* const end_;
  std::int64_t line_;
  SvmlightPiece& piece_;
  const SvmlightReader::Options& options_;
  const Declared& declared_;
  Worker& worker_;
  TermId* const indices_;
  std::int64_t* const data_;
  std::int64_t* const row_ends_;
  ClassId* const codes_;
  std::int64_t* const label_ends_;
  const std::int64_t base_, last_;  // the smallest and the largest index
  // The state after the current line.
  Sizes n_;
  bool exact_ = true;
  TermId index_ = -1;
  std::string fault_;
};

}  // namespace

struct SvmlightReader::State {
  State(TableReader::Read read, const Options& given) : blocks(std::move(read), given.block_bytes), options(given) {}

  bool next(MatrixBlock& block, const Threads& threads);
  std::string_view read();
  void check_terms() const;
  void check_end() const;
  void collect(std::vector<SvmlightPiece>& pieces, std::size_t failed, MatrixBlock& block);
  void number_labels(std::vector<SvmlightPiece>& pieces, MatrixBlock& block);
  ClassId class_of(std::string_view label, std::int64_t at_line);
  ClassId add(MatrixLabel label);

  LineBlocks blocks;
  Options options;
  Declared declared;
  BadRow excess{};  // the error of a document beyond the declared ones, which the next call throws
  std::int64_t n_left_out = 0;  // the number of lines of the last block after its documents
  std::int64_t line = 1, n_rows = 0, n_skipped = 0;  // n_rows includes skipped lines
  bool is_done = false;
  std::vector<BadRow> skipped;
  std::vector<MatrixLabel> labels;
  std::vector<ClassId> of_short;  // the class of each short label, or -1
  std::unordered_map<std::string, ClassId> of_other;
};

SvmlightReader::SvmlightReader(TableReader::Read read, const Options& options)
    : state_(std::make_unique<State>(std::move(read), options)) {}
SvmlightReader::~SvmlightReader() = default;

const std::vector<MatrixLabel>& SvmlightReader::labels() const { return state_->labels; }
std::int64_t SvmlightReader::declared_terms() const { return state_->declared.n_terms; }
std::int64_t SvmlightReader::n_skipped() const { return state_->n_skipped; }
const std::vector<BadRow>& SvmlightReader::skipped() const { return state_->skipped; }

bool SvmlightReader::next(MatrixBlock& block, const Threads& threads) {
  if (std::exchange(state_->is_done, true)) return false;
  if (!state_->next(block, threads)) return false;
  state_->is_done = false;
  return true;
}

// Reads the next lines, without the first line if it declares the sizes and, at the end, without blank lines that are no
// documents.
std::string_view SvmlightReader::State::read() {
  if (!excess.fault.empty()) throw RowError(excess, false);
  std::string_view text = blocks.next(line);
  if (line == 1) {
    const std::size_t end = text.find('\n') + 1;
    declared = declared_in(text.substr(0, end));
    if (declared.any()) {
      check_terms();
      line = 2;
      text.remove_prefix(end);
      if (text.empty()) text = blocks.next(line);
    }
  }
  if (!declared.any()) return text;
  for (; !text.empty(); text = blocks.next(line)) {
    const std::int64_t n_lines = count_byte(text, '\n');
    if (n_lines <= declared.n_docs - n_rows) return text;
    const char *p = text.data(), *const end = p + text.size();
    for (std::int64_t i = n_rows; i < declared.n_docs; ++i) p = find_byte(p, end, '\n') + 1;
    const std::string_view documents(text.data(), at(p - text.data()));
    if (const char* const extra = std::find_if_not(p, end, is_space); extra != end) {
      const std::int64_t place = line + count_byte({text.data(), at(extra - text.data())}, '\n');
      excess = {place, place,
                "expected no more than the " + std::to_string(declared.n_docs) + " documents that line 1 declares, found " +
                    quoted({extra, at(find_byte(extra, end, '\n') - extra)})};
      if (documents.empty()) throw RowError(excess, false);
    }
    if (!documents.empty()) {
      n_left_out = n_lines - count_byte(documents, '\n');
      return documents;
    }
    line += n_lines;
  }
  return text;
}

void SvmlightReader::State::check_terms() const {
  const std::string n_terms = "declares " + std::to_string(declared.n_terms) + " terms, ";
  if (declared.n_terms > max_terms)
    refuse(1, n_terms + "more than the " + std::to_string(max_terms) + " that can be counted");
  if (declared.n_terms > options.n_terms) refuse(1, n_terms + "but there are " + std::to_string(options.n_terms) + " names");
}

void SvmlightReader::State::check_end() const {
  if (declared.any() && n_rows < declared.n_docs)
    refuse(line, "expected the " + std::to_string(declared.n_docs) + " documents that line 1 declares, found " +
                     std::to_string(n_rows));
}

bool SvmlightReader::State::next(MatrixBlock& block, const Threads& all_threads) {
  block = MatrixBlock();
  block.first = n_rows;
  const std::string_view text = read();
  if (text.empty()) {
    check_end();
    return false;
  }
  const Threads threads = worth(all_threads, static_cast<std::int64_t>(text.size()), options.piece_bytes);
  auto pieces = cut_lines<SvmlightPiece>(text, options.piece_bytes, line, threads, [](SvmlightPiece& piece) {
    piece.n = {count_byte(piece.text, ':'), piece.n_lines, piece.n_lines + count_byte(piece.text, ',')};
  });
  Sizes most;
  for (SvmlightPiece& piece : pieces) {
    const Sizes n = std::exchange(piece.n, {});
    piece.begin = most;
    most = {most.entries + n.entries, most.docs + n.docs, most.labels + n.labels};
    line += piece.n_lines;
  }
  line += std::exchange(n_left_out, 0);
  block.indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
  block.indices = LargeArray<TermId>::uninitialised(most.entries);
  block.data = LargeArray<std::int64_t>::uninitialised(most.entries);
  block.label_indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
  block.codes = LargeArray<ClassId>::uninitialised(most.labels);
  const Arrays arrays{block.indptr.get(), block.label_indptr.get(), block.data.get(), block.indices.get(),
                      block.codes.get()};
  const std::size_t failed = parse_pieces(pieces, blocks, threads, [&](SvmlightPiece& piece, Worker& worker) {
    return SvmlightParser(piece, arrays, options, declared, worker).run();
  });
  collect(pieces, failed, block);
  number_labels(pieces, block);
  n_rows += block.size + std::ssize(block.skipped);
  return true;
}

// Closes the gaps between the parts of the pieces, adds up the sizes, and converts the counts to one form.
void SvmlightReader::State::collect(std::vector<SvmlightPiece>& pieces, std::size_t failed, MatrixBlock& block) {
  if (failed < pieces.size()) throw RowError(std::move(pieces[failed].bad.front()), true);
  const auto move = [](auto* array, std::int64_t from, std::int64_t to, std::int64_t n) {
    if (from != to) std::copy_n(array + from, n, array + to);
  };
  block.indptr[0] = block.label_indptr[0] = 0;
  for (const SvmlightPiece& piece : pieces) block.exact &= piece.exact;
  for (SvmlightPiece& piece : pieces) {
    const Sizes from = std::exchange(piece.begin, {block.n_entries, block.size, block.n_labels});
    std::int64_t* const counts = block.data.get() + from.entries;
    if (piece.exact && !block.exact) as_doubles(counts, counts + piece.n.entries);
    move(block.indices.get(), from.entries, block.n_entries, piece.n.entries);
    move(block.data.get(), from.entries, block.n_entries, piece.n.entries);
    move(block.codes.get(), from.labels, block.n_labels, piece.n.labels);
    const auto shift = [&](std::int64_t* ends, std::int64_t by) {
      for (std::int64_t i = 0; i < piece.n.docs; ++i) ends[1 + block.size + i] = ends[1 + from.docs + i] + by;
    };
    shift(block.indptr.get(), block.n_entries);
    shift(block.label_indptr.get(), block.n_labels);
    for (const std::int64_t before : piece.skipped) block.skipped.push_back(block.size + before);
    block.n_entries += piece.n.entries;
    block.size += piece.n.docs;
    block.n_labels += piece.n.labels;
    block.last_index = std::max(block.last_index, piece.last_index);
    n_skipped += std::ssize(piece.skipped);
    for (BadRow& bad : piece.bad)
      if (skipped.size() < told_lines) skipped.push_back(std::move(bad));
  }
}

// Replaces the labels of the documents by their classes, each once in a document.
void SvmlightReader::State::number_labels(std::vector<SvmlightPiece>& pieces, MatrixBlock& block) {
  ClassId* const codes = block.codes.get();
  for (SvmlightPiece& piece : pieces) {
    std::vector<ClassId> of_others(piece.others.size(), -1);
    for (ClassId* code = codes + piece.begin.labels; code != codes + piece.begin.labels + piece.n.labels; ++code) {
      ClassId* known = nullptr;
      if (*code < 0) {
        known = &of_others[at(-1 - std::int64_t{*code})];
        if (*known < 0) {
          const std::size_t place = at(-1 - std::int64_t{*code});
          *known = class_of(piece.others[place], piece.lines[place]);
        }
      } else {
        if (*code >= std::ssize(of_short)) of_short.resize(at(2 * std::int64_t{*code} + 64), -1);
        known = &of_short[at(*code)];
        if (*known < 0) *known = add({{}, static_cast<double>(*code), true, 0});
      }
      *code = *known;
    }
  }
  std::int64_t n = 0, begin = 0;
  for (std::int64_t doc = 0; doc < block.size; ++doc) {
    const std::int64_t end = block.label_indptr[doc + 1];
    ClassId* const last = std::copy(codes + begin, codes + end, codes + n);
    begin = end;
    if (last - (codes + n) > 1) {
      std::sort(codes + n, last);
      n = std::unique(codes + n, last) - codes;
    } else {
      n = last - codes;
    }
    block.label_indptr[doc + 1] = n;
    block.one_label_each &= n == doc + 1;
  }
  block.n_labels = n;
}

ClassId SvmlightReader::State::class_of(std::string_view label, std::int64_t at_line) {
  const auto number = decimal_number(label);
  if (!number) {
    const auto [known, is_new] = of_other.try_emplace(std::string(label), 0);
    if (is_new) known->second = add({known->first, 0, false, at_line});
    return known->second;
  }
  const double value = *number + 0.0;  // -0 is 0
  if (value >= 0 && value < static_cast<double>(short_labels) && value == std::floor(value)) {
    const auto place = static_cast<std::size_t>(value);
    if (place >= of_short.size()) of_short.resize(2 * place + 64, -1);
    if (of_short[place] < 0) of_short[place] = add({{}, value, true, 0});
    return of_short[place];
  }
  // The bits of a number with a character that no word has before them.
  std::string key(1, '\0');
  key += std::to_string(std::bit_cast<std::uint64_t>(value));
  const auto [known, is_new] = of_other.try_emplace(std::move(key), 0);
  if (is_new) known->second = add({{}, value, true, 0});
  return known->second;
}

ClassId SvmlightReader::State::add(MatrixLabel label) {
  labels.push_back(std::move(label));
  return static_cast<ClassId>(labels.size() - 1);
}

}  // namespace termsift
