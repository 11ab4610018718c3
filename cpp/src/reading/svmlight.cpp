#include "termsift/svmlight.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "reading/decimal.hpp"
#include "reading/lines.hpp"

namespace termsift {
namespace {

constexpr double label_limit = 9007199254740992;  // 2^53, from which on two labels could become one double

// ---- pieces of the text --------------------------------------------------------------------------------------------------

// Numbers of elements in the arrays.
struct Sizes {
  std::int64_t entries = 0, docs = 0, labels = 0;
};

// The lines are parsed into parts of the arrays that have room for as many elements as a piece can have. A piece has fewer
// elements if it has comments, blank lines, query ids or skipped lines; the parts are then moved together afterwards.
struct SvmlightPiece : TextPiece {
  Sizes most;                // the most elements that the piece can have
  Sizes begin;               // where its parts of the arrays begin
  Sizes n;                   // the elements that it has
  bool exact = true;
  std::int64_t n_bad = 0;
  std::vector<BadLine> bad;  // the first of them
  std::optional<BadLine> unlabelled;
};

// ---- parsing -------------------------------------------------------------------------------------------------------------

// Replaces integers by the bits of their doubles.
void as_doubles(std::int64_t* begin, std::int64_t* end) {
  std::transform(begin, end, begin, [](std::int64_t x) { return std::bit_cast<std::int64_t>(static_cast<double>(x)); });
}

class SvmlightParser : LineCursor<'#'> {
 public:
  SvmlightParser(SvmlightPiece& piece, const SvmlightBlock& out, const SvmlightOptions& options, Worker& worker)
      : LineCursor(piece.text, piece.line),
        piece_(piece),
        options_(options),
        worker_(worker),
        indices_(out.indices.get() + piece.begin.entries),
        data_(out.data.get() + piece.begin.entries),
        row_ends_(out.indptr.get() + 1 + piece.begin.docs),
        labels_(out.labels.get() + piece.begin.labels),
        label_ends_(options.multilabel ? out.label_indptr.get() + 1 + piece.begin.docs : nullptr) {}

  // Parses the lines. Stops at the first wrong one, unless wrong lines are skipped.
  void run() {
    for (; p_ != end_; next_line()) {
      if (next_token() && !document()) {
        ++piece_.n_bad;
        if (piece_.bad.size() < SvmlightBlock::most_told) piece_.bad.push_back(std::move(fault_));
        if (!options_.skip) return;
      }
    }
  }

 private:
  // Parses a document. Returns false, and leaves the piece as it was, if the line is wrong.
  bool document() {
    n_ = piece_.n;
    exact_ = piece_.exact;
    const char* const first_end = token_end();
    const bool labelled = find(p_, first_end, ':') == first_end;
    BadLine unlabelled;
    if (!labelled) {
      wrong("a label before the first index:count", first_end);
      if (!options_.multilabel || !options_.unlabelled) return false;
      unlabelled = std::move(fault_);
    } else if (!labels(first_end)) {
      return false;
    }
    while (next_token())
      if (!entry()) return false;
    if (n_.docs == piece_.most.docs) text_changed();
    if (piece_.exact && !exact_) as_doubles(data_, data_ + piece_.n.entries);
    row_ends_[n_.docs] = n_.entries;
    if (label_ends_ != nullptr) label_ends_[n_.docs] = n_.labels;
    ++n_.docs;
    if (!labelled && !piece_.unlabelled) piece_.unlabelled = std::move(unlabelled);
    piece_.n = n_;
    piece_.exact = exact_;
    return true;
  }

  bool labels(const char* end) {
    if (!options_.multilabel && find(p_, end, ',') != end) return wrong("one label", end);
    for (const char* p = p_;; ++p) {
      const char* const stop = find(p, end, ',');
      const std::optional<Decimal> number = Decimal::read(p, stop);
      if (!number || !(std::abs(number->value()) < label_limit))
        return wrong(options_.multilabel ? "a label, a number below 2^53, or several with commas between them"
                                         : "a label, a number below 2^53", end);
      if (n_.labels == piece_.most.labels) text_changed();
      labels_[n_.labels++] = number->value();
      p = stop;
      if (p == end) break;
    }
    p_ = end;
    return true;
  }

  bool entry() {
    if ((++steps_ & 0x3fff) == 0) worker_.check();
    // Nearly every entry is digits, a colon and digits, and both numbers fit into int64.
    std::int64_t index = 0, count = 0;
    const char* const colon = read_digits(p_, end_, index);
    if (colon != p_ && colon - p_ <= 18 && colon != end_ && *colon == ':' && is_index(index)) {
      const char* const stop = read_digits(colon + 1, end_, count);
      if (stop != colon + 1 && stop - colon <= 19 && (stop == end_ || ends_token(*stop))) {
        p_ = stop;
        put(index, count);
        return true;
      }
    }
    return unusual_entry();
  }

  bool is_index(std::int64_t index) const { return options_.min_index <= index && index <= options_.max_index; }

  bool unusual_entry() {
    const char* const end = token_end();
    const char* const colon = find(p_, end, ':');
    if (colon == end) return wrong("index:count", end);
    if (std::string_view(p_, colon) == "qid") {
      if (!read_index(colon + 1, end)) return wrong("a whole number after qid:", end);
      p_ = end;
      return true;
    }
    const std::optional<std::int64_t> index = read_index(p_, colon);
    if (!index || !is_index(*index))
      return wrong("an index from " + std::to_string(options_.min_index) + " to " + std::to_string(options_.max_index) +
                       " before the colon" + options_.index_note, end);
    const std::optional<Decimal> number = Decimal::read(colon + 1, end);
    const double value = number ? number->value() : 0;
    if (!number || value < 0 || std::isinf(value)) return wrong("a finite count of 0 or more after the colon", end);
    p_ = end;
    if (const std::optional<std::int64_t> whole = number->whole())
      put(*index, *whole);
    else
      put(*index, value);
    return true;
  }

  void put(std::int64_t index, std::int64_t count) {
    put_bits(index, exact_ ? count : std::bit_cast<std::int64_t>(static_cast<double>(count)));
  }
  void put(std::int64_t index, double count) {
    // The line may still be skipped; the counts of the lines before it then stay exact.
    if (std::exchange(exact_, false)) as_doubles(data_ + piece_.n.entries, data_ + n_.entries);
    put_bits(index, std::bit_cast<std::int64_t>(count));
  }
  void put_bits(std::int64_t index, std::int64_t bits) {
    if (n_.entries == piece_.most.entries) text_changed();
    indices_[n_.entries] = index;
    data_[n_.entries++] = bits;
  }

  // Notes the error of the token that begins here.
  bool wrong(std::string expected, const char* end) {
    fault_ = bad_token(std::move(expected), end);
    return false;
  }

  SvmlightPiece& piece_;
  const SvmlightOptions& options_;
  Worker& worker_;
  std::int64_t* const indices_;
  std::int64_t* const data_;
  std::int64_t* const row_ends_;
  double* const labels_;
  std::int64_t* const label_ends_;
  std::int64_t steps_ = 0;
  // These include the line that is being parsed.
  Sizes n_;
  bool exact_ = true;
  BadLine fault_;
};

// ---- all pieces ----------------------------------------------------------------------------------------------------------

// Sets where the parts of each piece begin, and returns the sizes of the arrays.
Sizes lay_out(std::vector<SvmlightPiece>& pieces) {
  Sizes all;
  for (SvmlightPiece& piece : pieces) {
    piece.begin = all;
    all.entries += piece.most.entries;
    all.docs += piece.most.docs;
    all.labels += piece.most.labels;
  }
  return all;
}

// Closes the gaps between the pieces, adds up their sizes, and converts the counts to one form.
void join(std::vector<SvmlightPiece>& pieces, SvmlightBlock& out, const Threads& threads) {
  const auto move = [](auto* array, std::int64_t from, std::int64_t to, std::int64_t n) {
    if (from != to) std::copy_n(array + from, n, array + to);
  };
  for (SvmlightPiece& piece : pieces) {
    const Sizes from = std::exchange(piece.begin, {out.n_entries, out.n_docs, out.n_labels});
    move(out.indices.get(), from.entries, out.n_entries, piece.n.entries);
    move(out.data.get(), from.entries, out.n_entries, piece.n.entries);
    move(out.labels.get(), from.labels, out.n_labels, piece.n.labels);
    move(out.indptr.get() + 1, from.docs, out.n_docs, piece.n.docs);
    if (out.label_indptr.get() != nullptr) move(out.label_indptr.get() + 1, from.docs, out.n_docs, piece.n.docs);
    out.n_entries += piece.n.entries;
    out.n_docs += piece.n.docs;
    out.n_labels += piece.n.labels;
    out.n_lines += piece.n_newlines;
    out.exact &= piece.exact;
    out.n_skipped += piece.n_bad;
    for (BadLine& bad : piece.bad)
      if (out.skipped.size() < SvmlightBlock::most_told) out.skipped.push_back(std::move(bad));
    if (!out.unlabelled) out.unlabelled = std::move(piece.unlabelled);
  }
  for_each_block(std::ssize(pieces), threads, [&](std::int64_t i, Worker&) {
    const SvmlightPiece& piece = pieces[static_cast<std::size_t>(i)];
    const auto shift = [&](std::int64_t* ends, std::int64_t by) {
      std::for_each_n(ends + 1 + piece.begin.docs, piece.n.docs, [by](std::int64_t& end) { end += by; });
    };
    shift(out.indptr.get(), piece.begin.entries);
    if (out.label_indptr.get() != nullptr) shift(out.label_indptr.get(), piece.begin.labels);
    std::int64_t* const counts = out.data.get() + piece.begin.entries;
    if (piece.exact && !out.exact) as_doubles(counts, counts + piece.n.entries);
  });
}

}  // namespace

SvmlightBlock parse_svmlight(std::string_view text, const SvmlightOptions& options) {
  const Threads threads = worth(options.threads, static_cast<std::int64_t>(text.size()), piece_bytes);
  auto pieces = cut<SvmlightPiece>(text, options.first_line, threads, [&](SvmlightPiece& piece) {
    piece.most.entries = count(piece.text, ':');
    piece.most.docs = piece.n_lines();
    piece.most.labels = piece.n_lines() + (options.multilabel ? count(piece.text, ',') : 0);
  });
  const Sizes most = lay_out(pieces);

  SvmlightBlock out;
  out.indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
  out.indices = LargeArray<std::int64_t>::uninitialised(most.entries);
  out.data = LargeArray<std::int64_t>::uninitialised(most.entries);
  out.labels = LargeArray<double>::uninitialised(most.labels);
  out.indptr[0] = 0;
  if (options.multilabel) {
    out.label_indptr = LargeArray<std::int64_t>::uninitialised(most.docs + 1);
    out.label_indptr[0] = 0;
  }
  const std::size_t failed = parse_pieces(pieces, threads, [&](SvmlightPiece& piece, Worker& worker) {
    SvmlightParser(piece, out, options, worker).run();
    return options.skip || piece.n_bad == 0;
  });
  if (failed < pieces.size()) throw LineError(pieces[failed].bad.front());
  join(pieces, out, threads);
  return out;
}

}  // namespace termsift
