// Takes any arrays as the rows of saved counts. Arrays that break a promise of ClassRow must be refused. With all other
// arrays, every operation on the counts must work.
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "../collections.hpp"
#include "fuzz.hpp"
#include "termsift/scores.hpp"

using namespace termsift;
using namespace collections;

namespace {

template <class Count>
Count any_count(fuzz::Bytes& bytes) {
  return bytes.below(32) == 0 ? bytes.take<Count>()
                              : static_cast<Count>(bytes.below(9)) - static_cast<Count>(bytes.below(32) == 0);
}

// In a class whose number of documents is unknown, this number and the document frequencies of all terms are 0.
template <class Count>
bool is_sound_pair(Count tf, Count df, Count n_docs) {
  const bool positive = tf > 0 && df >= 0 && (df > 0) == (n_docs > 0);
  if constexpr (std::is_floating_point_v<Count>) return positive && std::isfinite(tf + df);
  else return positive && df <= tf && df <= n_docs;
}

template <class Count>
void run(fuzz::Bytes& bytes) {
  const std::int64_t n_terms = 1 + bytes.below(12);
  const int n_classes = 1 + bytes.below(4);
  ClassCounts<Count> counts;
  counts.n_terms = n_terms;
  long double total = 0;
  for (int c = 0; c < n_classes; ++c) {
    const int size = bytes.below(8);
    auto row = ClassRow<Count>::with_capacity(size);
    row.size = size;
    row.n_docs = any_count<Count>(bytes);
    bool sound = row.n_docs >= 0 && std::isfinite(static_cast<double>(row.n_docs));
    TermId last = -1;
    for (int i = 0; i < size; ++i) {
      const auto term = static_cast<TermId>(bytes.below(32) == 0 ? bytes.take<TermId>() : last + 1 + bytes.below(3));
      const Count tf = any_count<Count>(bytes), df = any_count<Count>(bytes);
      row.terms[i] = term;
      row.term_frequency.set(i, tf);
      row.document_frequency.set(i, df);
      sound = sound && term > last && term < n_terms && is_sound_pair(tf, df, row.n_docs);
      last = term < n_terms && term >= 0 ? term : 0;
      total += static_cast<long double>(tf) + static_cast<long double>(df);
    }
    bool refused = false;
    try {
      check_row(row, n_terms);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    fuzz::require(refused == !sound, sound ? "a sound row is refused" : "a row that is not sound passes");
    if (!sound) return;
    total += static_cast<long double>(row.n_docs);
    if (!(total < 0x1p60L)) return;  // another target tests overflow
    counts.n_docs += row.n_docs;
    row.sum_tokens();
    counts.rows.push_back(std::make_shared<const ClassRow<Count>>(row));
  }
  const ClassCounts<Count> twice = merge(counts, counts, {});
  if (std::is_integral_v<Count>) fuzz::require_equal(describe(subtract(twice, counts, {})), describe(counts), "a + a - a");
  fuzz::require_equal(describe(merge(counts, counts, {2, {}})), describe(twice), "merged by two threads");
  std::vector<double> scores(at(n_terms));
  try {
    score(counts, {1, static_cast<double>(n_terms)}, Measure::kl, Aggregate::sum, {}, scores.data());
  } catch (const std::invalid_argument&) {
    return;  // fewer than two classes with documents
  }
  for (const double x : scores) fuzz::require(std::isfinite(x) && x >= 0, "a score is " + std::to_string(x));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  if (bytes.flag()) run<std::int64_t>(bytes);
  else run<double>(bytes);
  return 0;
}
