// Class streams: the documents of a window, copied class by class into packed entries and then counted in sequence.
//
// What binds in counting is neither reading the matrix nor arithmetic, but the order of memory accesses. Reading the rows of
// one class out of the matrix gathers them from all over; reading rows as they come scatters additions over the counters of
// all classes. Here rows are read as they come and appended to their class's stream in four bytes an entry; each stream is
// then added up into one row of counters, which stays in the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "termsift/class_counts.hpp"
#include "termsift/counting.hpp"
#include "values.hpp"

namespace termsift {

// An entry in 32 bits: the term above, a small count below. A larger value is an escape; it stands in a list of its own,
// in the order of the entries. Fractions do not fit either and are never streamed.
class PackedEntry {
 public:
  explicit PackedEntry(std::int64_t n_terms)
      : value_bits_(std::min(16, 32 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n_terms))))),
        escape_((std::uint32_t{1} << value_bits_) - 1) {}

  std::uint32_t escape() const { return escape_; }

  template <class Value>
  bool holds(Value value) const {
    if constexpr (std::is_same_v<Value, Bool>) {
      return escape_ > 1;
    } else if constexpr (std::is_floating_point_v<Value>) {
      const Value small = value < static_cast<Value>(escape_) ? value : Value{0};  // safe to convert
      return value < static_cast<Value>(escape_) && static_cast<Value>(static_cast<std::int32_t>(small)) == small;
    } else {
      return static_cast<std::uint64_t>(value) < escape_;
    }
  }
  template <class Value>
  std::uint32_t pack(std::uint32_t term, Value value) const {
    if constexpr (std::is_same_v<Value, Bool>)
      return pack(term, static_cast<std::uint32_t>(value != Bool{0}));
    else
      return term << value_bits_ | (holds(value) ? static_cast<std::uint32_t>(value) : escape_);
  }
  std::uint32_t term(std::uint32_t entry) const { return entry >> value_bits_; }
  std::uint32_t value(std::uint32_t entry) const { return entry & escape_; }

 private:
  int value_bits_;
  std::uint32_t escape_;
};

// The streams of the documents [first, last) of a matrix. One more than the classes, the last, is the collection: every
// document, if it is wanted. Documents are split into consecutive ranges, which threads fill at the same time; the stream of
// a class is its segments in the order of the ranges, hence of the documents.
template <CountType Count>
class ClassStreams {
 public:
  // Preconditions: x is checked, its entries are distinct and not zero; labels are checked. Allocates 4 bytes for each entry
  // and class of its document, and sizeof(Count) for each escape.
  template <class Index, class Value>
  ClassStreams(const CsrView<Index, Value>& x, const LabelView& labels, bool with_collection, std::int64_t first,
               std::int64_t last, const Threads& threads);

  // The row of each class, without n_docs; empty where it has no entry. Requires that each cell's sum stays below 2^40 and
  // the documents below 2^24: a counter holds both in 64 bits. 8 bytes for each term and thread.
  std::vector<ClassRow<Count>> count(std::int64_t n_terms, const Threads& threads) const;

 private:
  // Values that are no packed value, of one range of documents, by class.
  struct Escapes {
    std::vector<std::int64_t> begin;  // (n_streams + 1,)
    std::vector<Count> values;
  };

  template <class Index, class Value>
  Escapes fill(const CsrView<Index, Value>& x, const LabelView& labels, std::size_t range, Worker& worker);
  std::int64_t stream_size(std::size_t stream) const { return offsets_[(stream + 1) * n_ranges_] - offsets_[stream * n_ranges_]; }
  template <bool note_seen>
  void add_up(std::size_t stream, std::uint64_t* counters, std::uint64_t* seen) const;
  ClassRow<Count> count_stream(std::size_t stream, std::int64_t n_terms, struct StreamCounters& counters) const;

  std::size_t n_streams_;
  std::size_t n_ranges_;
  bool with_collection_;
  PackedEntry packed_;
  std::vector<std::int64_t> documents_;  // (n_ranges + 1,), where each range of documents begins
  std::vector<std::int64_t> offsets_;    // (n_streams * n_ranges + 1,), where the segment of stream and range begins
  std::unique_ptr<std::uint32_t[]> entries_;
  std::vector<Escapes> escapes_;         // (n_ranges,)
};

}  // namespace termsift
