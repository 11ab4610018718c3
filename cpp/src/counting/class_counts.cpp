#include "termsift/class_counts.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/values.hpp"
#include "counting/map_rows.hpp"
#include "termsift/double_double.hpp"
#include "termsift/large_memory.hpp"

namespace termsift {
namespace {

template <CountType Count>
Count checked_sum(Count a, Count b, const char* what) {
  if constexpr (std::is_integral_v<Count>) {
    if (a > std::numeric_limits<Count>::max() - b)
      throw CountOverflow(std::string("the sum of two counts of ") + what + " exceeds 2^63 - 1");
  }
  return a + b;
}

[[noreturn]] void refuse_part(const std::string& what, const char* why) {
  throw std::invalid_argument("cannot subtract counts that are not part of these: " + what + why);
}

// Fractional counts are rounded, so remainder() treats a difference of at most this share of the whole as zero.
constexpr double rounding = 0x1p-40;

// Returns whole - part, which must not be negative. what() names the count in the error message. what() is called only for
// an error, because making the string for each pair took most of the time.
template <CountType Count, class What>
Count remainder(Count whole, Count part, const What& what) {
  if constexpr (std::is_floating_point_v<Count>) {
    const bool exact = whole < 0x1p53 && std::floor(whole) == whole && std::floor(part) == part;
    if (!exact && std::abs(whole - part) <= rounding * whole) return 0;
  }
  if (part > whole) refuse_part(what(), " would be negative");
  return whole - part;
}

// Returns false if a term has more documents than occurrences, or more documents than its class. Float counts always pass,
// because occurrences may be fractions and sums are rounded.
template <CountType Count>
bool is_possible(const ClassRow<Count>& row) {
  if constexpr (std::is_integral_v<Count>)
    for (std::int64_t i = 0; i < row.size; ++i)
      if (row.document_frequency[i] > row.term_frequency[i] || row.document_frequency[i] > row.n_docs) return false;
  return true;
}

template <CountType Count>
ClassRow<Count> subtract_rows(const ClassRow<Count>& whole, const ClassRow<Count>& part, std::size_t c,
                              Worker& worker) {
  const auto in_class = [c] { return " in class " + std::to_string(c); };
  const auto cell = [&](TermId term) { return "the count of term " + std::to_string(term) + in_class(); };
  // With float counts, a whole number minus a fraction is a fraction, which needs wide storage.
  const bool narrow = whole.is_narrow() && (std::is_integral_v<Count> || part.is_narrow());
  ClassRow<Count> rest = ClassRow<Count>::with_capacity(whole.size, narrow);
  const bool unknown = whole.has_unknown_documents();
  if (!unknown && part.has_unknown_documents())
    refuse_part("the number of documents" + in_class(), " is known only in the whole");
  if (!unknown)
    rest.n_docs = remainder(whole.n_docs, part.n_docs, [&] { return "the number of documents" + in_class(); });
  rest.n_unlisted =
      remainder(whole.n_unlisted, part.n_unlisted, [&] { return "the number of unlisted tokens" + in_class(); });
  std::int64_t j = 0;
  for (std::int64_t i = 0; i < whole.size || j < part.size; ++i) {
    if (i % pairs_per_check == 0) worker.check();
    if (j < part.size && (i == whole.size || part.terms[j] < whole.terms[i]))
      refuse_part(cell(part.terms[j]), " would be negative");
    Count tf = whole.term_frequency[i], df = whole.document_frequency[i];
    if (j < part.size && part.terms[j] == whole.terms[i]) {
      const auto this_cell = [&] { return cell(whole.terms[i]); };
      if (!unknown) df = remainder(df, part.document_frequency[j], this_cell);
      tf = df == 0 ? remainder(tf, part.term_frequency[j], this_cell) : tf - part.term_frequency[j];
      if (!unknown && ((df == 0) != (tf == 0) || tf < 0))
        refuse_part(this_cell() + (df == 0 ? " would leave occurrences in no document"
                                           : " would leave documents without an occurrence"),
                    " (in float counts, rounding may have removed the remainder)");
      ++j;
    }
    if (tf != 0) rest.set_pair(rest.size++, whole.terms[i], tf, df);
  }
  rest.sum_tokens();
  if ((rest.n_docs == 0 && rest.size > 0 && !unknown) || !is_possible(rest))
    refuse_part(in_class().substr(1), ", a term would have more documents than occurrences, or more than the class");
  return rest;
}

// Returns counts in which each row is f(row of `a`, row of `b`, class, worker). The result has a row for the collection if
// `a` or `b` has one.
template <CountType Count, class F>
ClassCounts<Count> combine(const ClassCounts<Count>& a, const ClassCounts<Count>& b, Count n_docs, const Threads& threads,
                           const F& f) {
  if (a.rows.size() != b.rows.size()) throw std::invalid_argument("counts of different classes cannot be combined");
  ClassCounts<Count> result{std::max(a.n_terms, b.n_terms), n_docs, {}, nullptr};
  std::int64_t pairs = 0;
  for (std::size_t c = 0; c < a.rows.size(); ++c) pairs += a.rows[c]->size + b.rows[c]->size;
  const bool with_collection = a.collection || b.collection;
  const ClassRowPtr<Count> whole_a = with_collection ? collection_row(a, threads) : nullptr;
  const ClassRowPtr<Count> whole_b = with_collection ? collection_row(b, threads) : nullptr;
  set_rows(result, a.rows.size(), with_collection, worth(threads, pairs), [&](std::size_t c, Worker& worker) {
    return c < a.rows.size() ? f(a.rows[c], b.rows[c], c, worker) : f(whole_a, whole_b, c, worker);
  });
  return result;
}

template <CountType Count>
bool is_empty(const ClassRow<Count>& row) {
  return row.n_docs == 0 && row.size == 0 && row.n_unlisted == 0;
}

template <CountType Count>
bool has_unknown_documents(const ClassCounts<Count>& counts) {
  return std::any_of(counts.rows.begin(), counts.rows.end(), [](const auto& row) { return row->has_unknown_documents(); });
}

// Returns n_docs for counts in which the number of documents of some class is unknown, or was rounded. If each document has
// one class, the result is the sum over the rows. If documents may have several classes, the rows do not determine the
// number, and the result is the maximum of counts.n_docs and the n_docs of every row.
template <CountType Count>
Count known_documents(const ClassCounts<Count>& counts) {
  Count sum = 0, most = counts.n_docs;
  for (const auto& row : counts.rows) sum += row->n_docs, most = std::max(most, row->n_docs);
  return counts.collection ? most : sum;
}

std::shared_ptr<std::byte> own_memory(std::int64_t bytes) {
  return {LargeArray<std::byte>::uninitialised(bytes).release(), FreeMemory{}};
}

}  // namespace

std::shared_ptr<std::byte> RowMemory::slice(std::int64_t bytes) {
  n_total_ += bytes;
  if (n_total_ <= bytes_before_chunks || bytes > longest_slice) return own_memory(bytes);
  if (n_used_ + bytes > chunk_bytes) {
    chunk_ = {static_cast<std::byte*>(allocate_at_huge_page(chunk_bytes)), FreeMemory{}};
    if (chunk_ == nullptr) throw std::bad_alloc();
    advise_huge_pages(chunk_.get(), chunk_bytes);
    n_used_ = 0;
  }
  constexpr std::int64_t alignment = 64;
  std::shared_ptr<std::byte> begin(chunk_, chunk_.get() + n_used_);
  n_used_ += (bytes + alignment - 1) / alignment * alignment;
  return begin;
}

template <CountType Count>
ClassRow<Count> ClassRow<Count>::with_capacity(std::int64_t capacity, bool narrow, RowMemory* memory) {
  const auto width = static_cast<std::int64_t>(narrow ? sizeof(std::uint32_t) : sizeof(Count));
  ClassRow row;
  // The frequencies come first, because wide frequencies need a stricter alignment than terms.
  const std::int64_t bytes = capacity * (2 * width + static_cast<std::int64_t>(sizeof(TermId)));
  row.memory_ = memory == nullptr ? own_memory(bytes) : memory->slice(bytes);
  std::byte* const tf = row.memory_.get();
  std::byte* const df = tf + capacity * width;
  row.terms = reinterpret_cast<TermId*>(df + capacity * width);
  if (narrow) {
    row.term_frequency.narrow_ = reinterpret_cast<std::uint32_t*>(tf);
    row.document_frequency.narrow_ = reinterpret_cast<std::uint32_t*>(df);
  } else {
    row.term_frequency.wide_ = reinterpret_cast<Count*>(tf);
    row.document_frequency.wide_ = reinterpret_cast<Count*>(df);
  }
  return row;
}

template <CountType Count>
void ClassRow<Count>::sum_tokens() {
  n_tokens = n_tokens_rest = 0;
  if (is_narrow() && n_unlisted == 0) {
    std::uint64_t sum = 0;  // cannot overflow: there are at most 2^31 frequencies, each below 2^32
    for (std::int64_t i = 0; i < size; ++i) sum += term_frequency.narrow()[i];
    n_tokens = static_cast<Count>(sum);
    if constexpr (std::is_floating_point_v<Count>)
      n_tokens_rest = static_cast<double>(static_cast<std::int64_t>(sum) - static_cast<std::int64_t>(n_tokens));
  } else if constexpr (std::is_integral_v<Count>) {
    n_tokens = n_unlisted;
    for (std::int64_t i = 0; i < size; ++i) n_tokens = checked_sum(n_tokens, term_frequency[i], "tokens");
  } else {
    DoubleDouble sums[8]{{n_unlisted, 0}};  // eight sums, because each addition to one sum would wait for the previous one
    for (std::int64_t i = 0; i < size; ++i) sums[i % 8] = add(sums[i % 8], {term_frequency[i], 0});
    for (int i = 1; i < 8; ++i) sums[0] = add(sums[0], sums[i]);
    n_tokens = sums[0].hi;
    n_tokens_rest = sums[0].lo;
  }
}

template <CountType Count>
void check_finite(Count sum, const char* what) {
  if (!std::isfinite(static_cast<double>(sum)))
    throw std::invalid_argument(std::string(what) + " add up to infinity");
}

template <CountType Count>
void check_finite(const ClassRow<Count>& row) {
  if constexpr (std::is_floating_point_v<Count>) {
    // No document frequency exceeds n_docs. If token counts overflow, their double-double sum is NaN, which is not finite.
    check_finite(row.n_docs, "the weights of a class's documents");
    check_finite(row.n_tokens, "the term frequencies of a class");
  }
}

template <CountType Count>
void check_row(const ClassRow<Count>& row, std::int64_t n_terms) {
  for (std::int64_t i = 0; i < row.size; ++i) {
    const TermId term = row.terms[i];
    const Count tf = row.term_frequency[i], df = row.document_frequency[i];
    const bool positive = tf > 0 && df >= 0 && (df > 0) == (row.n_docs > 0) &&
                          std::isfinite(static_cast<double>(tf) + static_cast<double>(df));
    if (term < 0 || term >= n_terms || (i > 0 && term <= row.terms[i - 1]) || !positive)
      throw std::invalid_argument("pair " + std::to_string(i) + " of a class is impossible: term " +
                                  std::to_string(term) + " of " + std::to_string(n_terms) + ", term frequency " +
                                  text(tf) + ", document frequency " + text(df));
  }
  if (!is_possible(row))
    throw std::invalid_argument("a term has more documents than occurrences in a class, or more documents than the class");
  for (const auto& [n, what] : {std::pair{row.n_docs, " documents"}, std::pair{row.n_unlisted, " unlisted tokens"}})
    if (!(n >= 0) || !std::isfinite(static_cast<double>(n))) throw std::invalid_argument("a class has " + text(n) + what);
}

template <CountType Count>
void check_collection(const ClassCounts<Count>& counts) {
  // Sums of fractional weights are rounded. The share is larger than the rounding error of 2^32 additions.
  const auto at_most = [](Count a, Count b) {
    if constexpr (std::is_integral_v<Count>)
      return a <= b;
    else
      return a <= b + 0x1p-20 * b;
  };
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("impossible numbers of documents or terms: ") + what);
  };
  require(counts.n_docs >= 0 && std::isfinite(static_cast<double>(counts.n_docs)),
          "the number of documents is negative or infinite");
  const auto* const whole = counts.collection.get();
  const bool unknown = has_unknown_documents(counts) || (whole != nullptr && whole->has_unknown_documents());
  Count sum = 0;
  for (const auto& row : counts.rows) {
    require(at_most(row->n_docs, counts.n_docs), "a class has more documents than the collection");
    if (whole == nullptr) sum = checked_sum(sum, row->n_docs, "documents");
  }
  if (whole == nullptr) {
    require(at_most(counts.n_docs, sum), "the collection has more documents than its classes");
    require(at_most(sum, counts.n_docs), "the classes have more documents than the collection");
    return;
  }
  require(at_most(whole->n_docs, counts.n_docs), "the row of the collection has too many documents");
  if constexpr (std::is_integral_v<Count>) {
    require(unknown || whole->n_docs == counts.n_docs, "the row of the collection has too few documents");
    for (const auto& row : counts.rows) {
      require(row->n_unlisted <= whole->n_unlisted, "a class has more unlisted tokens than the collection");
      for (std::int64_t i = 0, j = 0; i < row->size; ++i) {
        while (j < whole->size && whole->terms[j] < row->terms[i]) ++j;
        require(j < whole->size && whole->terms[j] == row->terms[i] && row->term_frequency[i] <= whole->term_frequency[j] &&
                    (unknown || row->document_frequency[i] <= whole->document_frequency[j]),
                "a term occurs more often in a class than in the collection");
      }
    }
  }
}

template <CountType Count>
ClassRow<Count> merge_rows(const ClassRow<Count>& a, const ClassRow<Count>& b, Worker* worker) {
  const Count n_tokens = checked_sum(a.n_tokens, b.n_tokens, "tokens");  // no frequency of the row exceeds n_tokens
  const bool both_narrow = (a.is_narrow() || a.size == 0) && (b.is_narrow() || b.size == 0);
  const bool narrow = both_narrow && n_tokens < static_cast<Count>(narrow_limit);
  ClassRow<Count> sum = ClassRow<Count>::with_capacity(a.size + b.size, narrow);
  const bool unknown = a.has_unknown_documents() || b.has_unknown_documents();
  sum.n_docs = unknown ? 0 : checked_sum(a.n_docs, b.n_docs, "documents");
  sum.n_unlisted = a.n_unlisted + b.n_unlisted;
  std::int64_t i = 0, j = 0, n = 0;
  for (; i < a.size || j < b.size; ++n) {
    if (n % pairs_per_check == 0 && worker != nullptr) worker->check();
    const bool from_a = i < a.size && (j == b.size || a.terms[i] <= b.terms[j]);
    const bool from_b = j < b.size && (i == a.size || b.terms[j] <= a.terms[i]);
    sum.set_pair(n, from_a ? a.terms[i] : b.terms[j],
                 (from_a ? a.term_frequency[i] : 0) + (from_b ? b.term_frequency[j] : 0),
                 unknown ? 0 : (from_a ? a.document_frequency[i] : 0) + (from_b ? b.document_frequency[j] : 0));
    i += from_a;
    j += from_b;
  }
  sum.size = n;
  sum.sum_tokens();
  check_finite(sum);
  return sum;
}

template <CountType Count>
ClassRow<Count> concatenate(const ClassRow<Count>* begin, const ClassRow<Count>* end) {
  std::int64_t size = 0;
  bool narrow = true;
  for (const auto* part = begin; part != end; ++part) size += part->size, narrow &= part->is_narrow() || part->size == 0;
  auto row = ClassRow<Count>::with_capacity(size, narrow);
  row.size = size;
  std::int64_t n = 0;
  for (const auto* part = begin; part != end; n += part->size, ++part) {
    if (narrow) {
      std::copy_n(part->terms, part->size, row.terms + n);
      std::copy_n(part->term_frequency.narrow(), part->size, row.term_frequency.narrow() + n);
      std::copy_n(part->document_frequency.narrow(), part->size, row.document_frequency.narrow() + n);
    } else {
      for (std::int64_t i = 0; i < part->size; ++i)
        row.set_pair(n + i, part->terms[i], part->term_frequency[i], part->document_frequency[i]);
    }
  }
  row.sum_tokens();
  return row;
}

namespace {

// Exact counts may be added in any order, so many rows are added to the counters of one range of terms after another. The
// counters stay in the cache, and no branch depends on the order of terms in different rows.
struct RangeSum {
  static constexpr std::int64_t width = 1 << 15;

  explicit RangeSum(const std::vector<ClassRowPtr<std::int64_t>>& rows_) : rows(rows_) {
    for (const auto& row : rows) {
      n_pairs += row->size;
      if (row->size > 0) n_terms = std::max<std::int64_t>(n_terms, row->terms[row->size - 1] + std::int64_t{1});
    }
  }
  // Returns whether the ranges have more pairs than empty counters and rows to visit.
  bool pays() const {
    const auto n_rows = static_cast<std::int64_t>(rows.size());
    return n_rows > 3 && n_terms < 4 * n_pairs && n_rows * (n_terms / width + 1) < n_pairs;
  }
  ClassRow<std::int64_t> sum(Worker& worker) const {
    std::int64_t n_tokens = 0, n_docs = 0, n_unlisted = 0;
    bool narrow = true, unknown = false;
    for (const auto& row : rows) {
      n_tokens = checked_sum(n_tokens, row->n_tokens, "tokens");  // no frequency of the row exceeds n_tokens
      unknown |= row->has_unknown_documents();
      narrow &= row->is_narrow() || row->size == 0;
      n_unlisted += row->n_unlisted;
    }
    for (const auto& row : rows) n_docs = unknown ? 0 : checked_sum(n_docs, row->n_docs, "documents");
    auto total = ClassRow<std::int64_t>::with_capacity(std::min(n_pairs, n_terms), narrow && n_tokens < narrow_limit);
    total.n_docs = n_docs;
    total.n_unlisted = n_unlisted;
    std::vector<std::int64_t> next(rows.size(), 0), tf(width, 0), df(width, 0);
    for (std::int64_t begin = 0, n_added = 0; begin < n_terms; begin += width) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const ClassRow<std::int64_t>& row = *rows[r];
        std::int64_t i = next[r];
        for (; i < row.size && row.terms[i] < begin + width; ++i) {
          tf[static_cast<std::size_t>(row.terms[i] - begin)] += row.term_frequency[i];
          df[static_cast<std::size_t>(row.terms[i] - begin)] += row.document_frequency[i];
        }
        n_added += 1 + i - std::exchange(next[r], i);
        if (n_added >= pairs_per_check) worker.check(), n_added = 0;
      }
      for (std::size_t t = 0; t < static_cast<std::size_t>(width); ++t)
        if (tf[t] != 0)
          total.set_pair(total.size++, static_cast<TermId>(begin + static_cast<std::int64_t>(t)),
                         std::exchange(tf[t], 0), unknown ? 0 : df[t]), df[t] = 0;
    }
    total.sum_tokens();
    return total;
  }

  const std::vector<ClassRowPtr<std::int64_t>>& rows;
  std::int64_t n_pairs = 0, n_terms = 0;
};

}  // namespace

template <CountType Count>
void sum_groups(std::vector<std::vector<ClassRowPtr<Count>>>& groups, const Threads& threads) {
  if constexpr (std::is_integral_v<Count>) {
    std::vector<std::size_t> large;
    std::int64_t n_pairs = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (const RangeSum sum(groups[g]); sum.pays()) large.push_back(g), n_pairs += sum.n_pairs;
    for_each_block(std::ssize(large), worth(threads, n_pairs), [&](std::int64_t i, Worker& worker) {
      auto& rows = groups[large[static_cast<std::size_t>(i)]];
      rows.assign(1, std::make_shared<const ClassRow<Count>>(RangeSum(rows).sum(worker)));
    });
  }
  // Merge pairs of rows, then pairs of the results. Adding the rows one by one would copy the growing sum for every row.
  using Rows = std::vector<ClassRowPtr<Count>>;
  struct Pair {
    const ClassRow<Count>*a, *b;
    ClassRowPtr<Count>* sum;
  };
  for (;;) {
    std::vector<Pair> pairs;
    std::vector<Rows> sums(groups.size());
    std::int64_t n_merged = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Rows& rows = groups[g];
      if (rows.size() < 2) continue;
      sums[g].resize((rows.size() + 1) / 2);
      if (rows.size() % 2 == 1) sums[g].back() = rows.back();
      for (std::size_t i = 0; i + 1 < rows.size(); i += 2) {
        pairs.push_back({rows[i].get(), rows[i + 1].get(), &sums[g][i / 2]});
        n_merged += rows[i]->size + rows[i + 1]->size;
      }
    }
    if (pairs.empty()) break;
    for_each_block(std::ssize(pairs), worth(threads, n_merged), [&](std::int64_t i, Worker& worker) {
      const Pair& pair = pairs[static_cast<std::size_t>(i)];
      *pair.sum = std::make_shared<const ClassRow<Count>>(merge_rows(*pair.a, *pair.b, &worker));
    });
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (groups[g].size() > 1) groups[g].swap(sums[g]);
  }
  for (Rows& rows : groups)
    if (rows.empty()) rows.push_back(std::make_shared<const ClassRow<Count>>(ClassRow<Count>::with_capacity(0)));
}

template <CountType Count>
ClassRowPtr<Count> collection_row(const ClassCounts<Count>& counts, const Threads& threads) {
  if (counts.collection) return counts.collection;
  std::vector<std::vector<ClassRowPtr<Count>>> groups(1, counts.rows);
  sum_groups(groups, threads);
  return groups[0][0];
}

template <CountType Count>
ClassCounts<Count> with_classes(const ClassCounts<Count>& counts, ClassMap map) {
  const auto empty = std::make_shared<const ClassRow<Count>>(ClassRow<Count>::with_capacity(0));
  ClassCounts<Count> result{counts.n_terms, counts.n_docs, {}, counts.collection, counts.model};
  for (const std::int64_t from : map)
    result.rows.push_back(from < 0 ? empty : counts.rows.at(static_cast<std::size_t>(from)));
  return result;
}

template <CountType Count>
ClassCounts<Count> of_terms(const ClassCounts<Count>& counts, std::span<const std::int64_t> terms, const Threads& threads) {
  constexpr TermId none = -1;
  std::vector<TermId> new_term(static_cast<std::size_t>(counts.n_terms), none);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (terms[j] < 0 || terms[j] >= counts.n_terms || (j > 0 && terms[j] <= terms[j - 1]))
      throw std::invalid_argument("terms must increase and be below " + std::to_string(counts.n_terms) + ", got " +
                                  std::to_string(terms[j]) + " at " + std::to_string(j));
    new_term[static_cast<std::size_t>(terms[j])] = static_cast<TermId>(j);
  }
  const auto term_of = [&](TermId term) { return new_term[static_cast<std::size_t>(term)]; };
  ClassCounts<Count> result{static_cast<std::int64_t>(terms.size()), counts.n_docs, {}, nullptr, counts.model};
  return map_rows(counts, std::move(result), threads, [&](const ClassRow<Count>& row, Worker&) {
    const auto size = std::count_if(row.terms, row.terms + row.size, [&](TermId term) { return term_of(term) != none; });
    auto selected = ClassRow<Count>::with_capacity(size, row.is_narrow());
    selected.n_docs = row.n_docs;
    selected.n_tokens = row.n_tokens;
    selected.n_tokens_rest = row.n_tokens_rest;
    for (std::int64_t i = 0; i < row.size; ++i)
      if (const TermId term = term_of(row.terms[i]); term != none)
        selected.set_pair(selected.size++, term, row.term_frequency[i], row.document_frequency[i]);
    return selected;
  });
}

template <CountType Count>
ClassCounts<Count> merge(const ClassCounts<Count>& a, const ClassCounts<Count>& b, const Threads& threads) {
  const Count n_docs = checked_sum(a.n_docs, b.n_docs, "documents");
  check_finite(n_docs, "the weights of the documents");
  auto sum = combine(a, b, n_docs, threads, [](const auto& x, const auto& y, std::size_t, Worker& worker) {
    return is_empty(*x) ? y : is_empty(*y) ? x : std::make_shared<const ClassRow<Count>>(merge_rows(*x, *y, &worker));
  });
  if (has_unknown_documents(sum)) sum.n_docs = known_documents(sum);
  return sum;
}

template <CountType Count>
ClassCounts<Count> subtract(const ClassCounts<Count>& whole, const ClassCounts<Count>& part, const Threads& threads) {
  const bool unknown = has_unknown_documents(whole);
  const Count n_docs =
      unknown ? std::max<Count>(0, whole.n_docs - part.n_docs)
              : remainder(whole.n_docs, part.n_docs, [] { return std::string("the number of documents"); });
  auto rest = combine(whole, part, n_docs, threads, [](const auto& x, const auto& y, std::size_t c, Worker& worker) {
    return is_empty(*y) ? x : std::make_shared<const ClassRow<Count>>(subtract_rows(*x, *y, c, worker));
  });
  // In float counts, the difference may be rounded to less than the documents of a class that stay.
  if (unknown || std::is_floating_point_v<Count>) rest.n_docs = known_documents(rest);
  return rest;
}

ClassCounts<double> to_float(const ClassCounts<std::int64_t>& counts, const Threads& threads) {
  const auto exact = [](std::int64_t count) {
    const DoubleDouble both = exact_double(count);
    if (both.lo != 0)
      throw std::invalid_argument("exact counts cannot join float counts: no double equals " + std::to_string(count));
    return both.hi;
  };
  return map_rows(counts, ClassCounts<double>{counts.n_terms, exact(counts.n_docs), {}, nullptr, counts.model}, threads,
                  [&](const ClassRow<std::int64_t>& row, Worker&) {
                    auto result = ClassRow<double>::with_capacity(row.size, row.is_narrow());
                    result.n_docs = exact(row.n_docs);
                    result.n_unlisted = exact(row.n_unlisted);
                    result.size = row.size;
                    for (std::int64_t i = 0; i < row.size; ++i)
                      result.set_pair(i, row.terms[i], exact(row.term_frequency[i]), exact(row.document_frequency[i]));
                    result.sum_tokens();
                    return result;
                  });
}

template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads) {
  if (model == EventModel::multinomial) return counts;
  ClassCounts<Count> result{counts.n_terms, counts.n_docs, {}, nullptr, model};
  return map_rows(counts, std::move(result), threads, [&](ClassRow<Count> row, Worker&) {
    if (model == EventModel::binary || model == EventModel::bernoulli) row.term_frequency = row.document_frequency;
    if (model == EventModel::binary) {
      row.n_unlisted = 0;
      row.sum_tokens();
      return row;
    }
    row.n_tokens = row.n_docs;
    row.n_tokens_rest = 0;
    if (model == EventModel::bernoulli && std::is_floating_point_v<Count>)
      for (std::int64_t i = 0; i < row.size; ++i) row.n_tokens = std::max(row.n_tokens, row.document_frequency[i]);
    return row;
  });
}

template struct ClassRow<std::int64_t>;
template struct ClassRow<double>;
#define TERMSIFT_INSTANTIATE(Count)                                                                        \
  template void check_finite(Count, const char*);                                                          \
  template void check_finite(const ClassRow<Count>&);                                                      \
  template void check_row(const ClassRow<Count>&, std::int64_t);                                           \
  template void check_collection(const ClassCounts<Count>&);                                               \
  template ClassRow<Count> merge_rows(const ClassRow<Count>&, const ClassRow<Count>&, Worker*);            \
  template void sum_groups(std::vector<std::vector<ClassRowPtr<Count>>>&, const Threads&);                 \
  template ClassRow<Count> concatenate(const ClassRow<Count>*, const ClassRow<Count>*);                    \
  template ClassRowPtr<Count> collection_row(const ClassCounts<Count>&, const Threads&);                   \
  template ClassCounts<Count> with_classes(const ClassCounts<Count>&, ClassMap);                           \
  template ClassCounts<Count> of_terms(const ClassCounts<Count>&, std::span<const std::int64_t>, const Threads&); \
  template ClassCounts<Count> as_counted_by(EventModel, const ClassCounts<Count>&, const Threads&);        \
  template ClassCounts<Count> merge(const ClassCounts<Count>&, const ClassCounts<Count>&, const Threads&); \
  template ClassCounts<Count> subtract(const ClassCounts<Count>&, const ClassCounts<Count>&, const Threads&);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
