#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "scoring/pair_model.hpp"
#include "scoring/score_ways.hpp"
#include "scoring/scores_from_mixtures.hpp"

namespace termsift {
namespace {

// ---- classes without the term -----------------------------------------------------------------------------------------

// With smoothing, a class without the term has p_ic = b1 / L_c. What a class without the term adds to the score depends on
// the term only through U = sum_k w_k l_ik. V(U) is the sum of what all classes add, as if no class had the term
// (pair_model.hpp). V is smooth, so AbsentClasses interpolates V piecewise, with two pieces for each power of two of U.
//
// V is singular at some U <= 0 and at a U far above the piece. The variable t = (U - center) / (U + center) keeps both
// singularities far away: a piece with t in [-tau, tau] has tau <= 0.102, and U = 0 is at t = -1. The error of a polynomial
// through n Chebyshev nodes falls by a factor 19 for each node. In a polynomial in U, it would fall by a factor 9.9.

constexpr int n_nodes = AbsentPiece::n_nodes;
using Nodes = std::array<double, n_nodes>;

// The pieces of U are [2^e, 1.5 2^e) and [1.5 2^e, 2^(e+1)). The number of a piece consists of U's exponent bits and first
// fraction bit.
std::int64_t piece_of(double U) { return std::bit_cast<std::int64_t>(U) >> 51; }
double begin_of(std::int64_t piece) { return std::bit_cast<double>(piece << 51); }

// The center of a piece divided by its beginning, and tau. Either the center or tau is rounded up, so that t stays within
// [-tau, tau].
struct PieceShape {
  double center, tau;
};
constexpr PieceShape first_half{0x1.3988e1409212ep+0, 0x1.9dc7afdb7b461p-4};   // sqrt(3/2), (sqrt(3/2) - 1) / (sqrt(3/2) + 1)
constexpr PieceShape second_half{0x1.279a74590331cp+0, 0x1.26145e9ecd563p-4};   // sqrt(4/3), (sqrt(4/3) - 1) / (sqrt(4/3) + 1)

// cos(pi k / (2 n_nodes)) for k < n_nodes. These are literals, because the C++ library's cosines differ between systems in
// their last bits, and so would the scores.
constexpr Nodes first_cosines{
    1.0, 0x1.fd88da3d12526p-1, 0x1.f6297cff75cbp-1, 0x1.e9f4156c62ddap-1, 0x1.d906bcf328d46p-1,
    0x1.c38b2f180bdb1p-1, 0x1.a9b66290ea1a3p-1, 0x1.8bc806b151741p-1, 0x1.6a09e667f3bcdp-1,
    0x1.44cf325091dd6p-1, 0x1.1c73b39ae68c8p-1, 0x1.e2b5d3806f63bp-2, 0x1.87de2a6aea963p-2,
    0x1.294062ed59f06p-2, 0x1.8f8b83c69a60bp-3, 0x1.917a6bc29b42cp-4};

// Returns cos(pi k / (2 n_nodes)) for k >= 0. The angle is reduced below pi/2 first, because at k = 600 the angle's rounding
// error would make V lose four bits.
double cosine(int k) {
  static constexpr auto cosines = [] {
    std::array<double, 4 * n_nodes> table{};  // the cosines at k = n_nodes and 3 n_nodes stay 0
    for (std::size_t i = 0; i < n_nodes; ++i) {
      const double x = first_cosines[i];
      table[i] = x, table[2 * n_nodes - i] = -x, table[2 * n_nodes + i] = -x;
      if (i > 0) table[4 * n_nodes - i] = x;
    }
    return table;
  }();
  return cosines[static_cast<std::size_t>(k % (4 * n_nodes))];
}

// Returns the i-th zero of the Chebyshev polynomial of degree n_nodes.
double node(int i) { return cosine(2 * i + 1); }

// Returns the coefficients of the polynomial of degree n_nodes - 1 that has the values f at the nodes. O(n_nodes^2).
Nodes interpolate(const Nodes& f) {
  Nodes result{};
  Nodes before{}, power{};  // the coefficients of the Chebyshev polynomials T_(m-1) and T_m
  power[0] = 1;
  for (int m = 0; m < n_nodes; ++m) {
    double coefficient = 0;
    for (int i = 0; i < n_nodes; ++i) coefficient += f[i] * cosine(m * (2 * i + 1));
    coefficient *= (m == 0 ? 1.0 : 2.0) / n_nodes;
    for (int i = 0; i < n_nodes; ++i) result[i] += coefficient * power[i];
    Nodes next{};
    for (int i = 0; i < n_nodes; ++i) next[i] = (m == 0 ? 1.0 : 2.0) * (i > 0 ? power[i - 1] : 0.0) - before[i];
    before = power;
    power = next;
  }
  return result;
}

class AbsentClasses {
 public:
  AbsentClasses(const ClassModel& model, const PairModel& pairs, PairSum sum) : pairs_(pairs), sum_(sum) {
    const double T_0 = pairs.totals.T_0.hi;
    // A class without the term has q = (T - w x) / (1 - pi) <= T / (1 - pi). The bound T / (1 - pi) is largest for the class
    // with the largest prior, so limiting T limits every q. The limit of q is 2^-6 if series for small p and q are used.
    // Without series, the limit of q is 1/4, because n_nodes nodes are enough at this distance from the singularity at
    // q = 1. Rates need no limit.
    const double most_q = pairs.variable == Variable::small_probability ? ordinary_p : 0.25;
    const double T_end = has_complement(pairs.variable)
                             ? most_q / model.constants[static_cast<std::size_t>(model.reference)].rest_inverse.hi
                             : 2 * most_rate;
    const double least = std::fmax(model.lost * T_0, 0x1p-960);
    if (!(T_0 > 0 && T_0 < T_end && least < T_end - T_0)) return;
    first_ = piece_of(least) + 1;
    n_pieces_ = piece_of(T_end - T_0) - first_;
    if (n_pieces_ > 0) pieces_ = std::make_unique<Piece[]>(static_cast<std::size_t>(n_pieces_));
  }

  // Returns the piece of U, which gives V(U) with a relative error of about 2^-53. Returns null if V cannot be interpolated:
  // near or above the limit of T (see the constructor), or if U is so small that p - T lacks digits. O(1) if the piece has
  // been tabulated, otherwise O(n_classes). Any thread may call find().
  const AbsentPiece* find(double U, Worker& worker) const {
    const std::int64_t index = piece_of(U) - first_;
    if (index < 0 || index >= n_pieces_) return nullptr;
    Piece& piece = pieces_[static_cast<std::size_t>(index)];
    if (!piece.ready.load(std::memory_order_acquire)) {
      worker.check();
      const std::lock_guard lock(piece.making);
      if (!piece.ready.load(std::memory_order_relaxed)) {
        tabulate(first_ + index, piece);
        piece.ready.store(true, std::memory_order_release);
      }
    }
    return piece.usable ? &piece.polynomial : nullptr;
  }

 private:
  struct Piece {
    AbsentPiece polynomial;
    std::atomic<bool> ready = false;
    bool usable = false;
    std::mutex making;
  };

  void tabulate(std::int64_t index, Piece& piece) const {
    const auto [center, tau] = index % 2 == 0 ? first_half : second_half;
    AbsentPiece& polynomial = piece.polynomial;
    polynomial.center = begin_of(index) * center;
    double U_hi[n_nodes], U_lo[n_nodes], V_hi[n_nodes], V_lo[n_nodes];
    unsigned char doubtful[n_nodes];
    for (int i = 0; i < n_nodes; ++i) {
      const double t = tau * node(i);
      const DoubleDouble U = multiply(divide(two_sum(1.0, t), two_sum(1.0, -t)), {polynomial.center, 0.0});
      U_hi[i] = U.hi, U_lo[i] = U.lo;
    }
    kernels_.score_absent({n_nodes, &pairs_, static_cast<int>(pairs_.classes.size()), pairs_.classes.data(), sum_, U_hi, U_lo,
                           V_hi, V_lo, doubtful});
    // The polynomial gives V(t) minus the V of a node near the center, so only this difference is rounded to a double.
    constexpr int middle = n_nodes / 2;
    polynomial.middle = quick_two_sum(V_hi[middle], V_lo[middle]);
    piece.usable = V_hi[middle] > 0;
    Nodes change;
    for (int i = 0; i < n_nodes; ++i) {
      piece.usable = piece.usable && doubtful[i] == 0;
      change[static_cast<std::size_t>(i)] = (V_hi[i] - polynomial.middle.hi) + (V_lo[i] - polynomial.middle.lo);
    }
    const Nodes coefficients = interpolate(change);  // of the powers of t / tau
    polynomial.middle.lo += coefficients[0];
    double power = 1;
    for (int m = 1; m < n_nodes; ++m) {
      power /= tau;
      polynomial.slope[m - 1] = coefficients[static_cast<std::size_t>(m)] * power;
    }
  }

  const PairModel& pairs_;
  const PairKernels& kernels_ = kernels_in_use<PairKernels>();
  const PairSum sum_;
  std::int64_t first_ = 0, n_pieces_ = 0;
  std::unique_ptr<Piece[]> pieces_;
};

// ---- classes with the term --------------------------------------------------------------------------------------------

// Returns the number of terms in a thread's chunk. In small chunks, the terms' sums (100 bytes per term) stay in cache. But
// the hardware prefetcher fails at the start of a class's entries, so a chunk should have many entries of a class. With 50
// classes of 6,000 pairs, chunks of 2^15 terms took 1.05 times as long as chunks of 2^14. With 5,000 classes of 220 pairs,
// chunks of 2^14 terms took 1.25 times as long as chunks of 2^16. All threads get the same number of chunks. In a vocabulary
// sorted by frequency, the first terms have most pairs, so each thread needs several chunks even for 20,000 terms.
std::int64_t size_of_chunk(std::int64_t n_terms, std::int64_t n_pairs, std::size_t n_classes, const Threads& threads) {
  constexpr std::int64_t least = 1 << 12, most = 1 << 16;
  constexpr double enough_pairs = 1024;
  const auto in_steps = [](std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; };
  n_terms = std::max<std::int64_t>(n_terms, 1);
  const double pairs_of_term = static_cast<double>(n_pairs) / static_cast<double>(n_terms) / static_cast<double>(n_classes);
  std::int64_t size = least;
  while (size < most && static_cast<double>(size) * pairs_of_term < enough_pairs) size *= 2;
  const std::int64_t n_even = in_steps(in_steps(n_terms, size) / size, threads.count);
  return in_steps((n_terms + n_even - 1) / n_even, block_terms);
}

// Data that all chunks share. `whole` is for terms that lose digits in a split sum, or for all terms without split sums.
struct SharedSums {
  SharedSums(const ClassModel& model, double b1, Measure measure, Aggregate aggregate)
      : pairs(make_pair_model(model, b1, measure, aggregate)), split(model, pairs, PairSum::split),
        whole(model, pairs, PairSum::whole) {}
  SharedSums(const SharedSums&) = delete;  // `split` and `whole` refer to `pairs`
  SharedSums& operator=(const SharedSums&) = delete;
  const AbsentClasses& absent(PairSum sum) const { return sum == PairSum::split ? split : whole; }

  PairModel pairs;
  AbsentClasses split, whole;
};

// Scores chunks of terms. Each thread has its own SparseScorer. Most arrays have one element per term of the chunk.
template <CountType Count>
class SparseScorer {
 public:
  SparseScorer(const ScoreTask<Count>& task, const SharedSums& shared, double unseen, std::int64_t most_terms,
               double* scores)
      : task_(task), shared_(shared), scores_(scores), pairs_(shared.pairs), kernels_(kernels_in_use<PairKernels>()),
        unseen_(unseen), entries_(task.n_classes()), sums_(static_cast<std::size_t>(most_terms)), values_(sums_.size()),
        doubtful_(sums_.size()), dense_(task) {}

  // Scores the terms [first, last). O(pairs of the chunk + n_classes * terms that are scored as in score_dense).
  void score(std::int64_t first, std::int64_t last, Worker& worker) {
    entries_.find(task_, first, last);
    first_ = first, n_ = static_cast<std::size_t>(last - first);
    std::fill_n(sums_.begin(), n_, TermSums{});
    std::fill_n(doubtful_.begin(), n_, 0);
    chosen_.clear();

    const PairSum sum = pairs_.usual_sum();
    for_each_class(sum, worker, kernels_.mix);
    for (std::size_t j = 0; j < n_; ++j) {
      const DoubleDouble U = quick_two_sum(sums_[j].hi[TermSums::U], sums_[j].lo[TermSums::U]);
      values_[j] = {U.hi, U.lo, 0, 0};
    }
    add_values(sum, worker);
    if (sum == PairSum::split && choose_doubtful()) add_values(PairSum::whole, worker);
    if (std::memchr(doubtful_.data(), 1, n_) != nullptr)
      dense_.score(first, last, doubtful_.data(), entries_, worker, store_scores(scores_));
  }

 private:
  // Chooses the terms with doubtful split sums, which need whole sums, and sets their V to 0. Returns true if any term is
  // chosen.
  bool choose_doubtful() {
    for (std::size_t j = 0; j < n_; ++j) {
      if (doubtful_[j] == 0) continue;
      chosen_.push_back(static_cast<TermId>(first_ + static_cast<std::int64_t>(j)));
      values_[j].V_hi = values_[j].V_lo = 0;
    }
    if (chosen_.empty()) return false;
    is_chosen_.swap(doubtful_);
    doubtful_.assign(is_chosen_.size(), 0);
    return true;
  }

  // Computes the scores of the chosen terms, or of all terms if none is chosen.
  void add_values(PairSum sum, Worker& worker) {
    for_each_class(sum, worker, kernels_.score);
    for (std::size_t begin = 0; begin < n_; begin += block_terms)
      finish(sum, begin, std::min<std::size_t>(n_ - begin, block_terms), worker);
  }

  // For each class, calls the kernel with the pairs of the chosen terms, or with all pairs if no term is chosen.
  void for_each_class(PairSum sum, Worker& worker, void (*kernel)(const ClassPairs&)) {
    for (std::size_t k = 0; k < task_.n_classes(); ++k) {
      if (k % 64 == 0) worker.check();
      entries_.prefetch_after(task_, k);
      const ClassRow<Count>& row = task_.row(k);
      const std::int64_t begin = entries_.begin[k];
      std::int64_t n = entries_.end[k] - begin;
      if (n == 0) continue;
      const TermId* terms = row.terms + begin;
      const std::uint32_t* narrow_l = row.is_narrow() ? row.term_frequency.narrow() + begin : nullptr;
      const PairConstants& c = pairs_.classes[k];
      if (narrow_l == nullptr || !chosen_.empty()) {
        n = copy_pairs(row, begin, n, c);
        terms = terms_.data(), narrow_l = nullptr;
      } else if (c.w.hi == 0) {
        for (std::int64_t i = 0; i < n; ++i) doubt(terms[i]);
      }
      kernel({n, &pairs_, &c, sum, narrow_l, l_.data(), terms, static_cast<TermId>(first_), sums_.data(), values_.data(),
              doubtful_.data()});
    }
  }

  void doubt(TermId term) { doubtful_[static_cast<std::size_t>(term - first_)] = 1; }

  // Copies the pairs of the chosen terms, or all pairs if none is chosen, from the entries [begin, begin + n) of a row to
  // the arrays terms_ and l_. Returns the number of copied pairs.
  std::int64_t copy_pairs(const ClassRow<Count>& row, std::int64_t begin, std::int64_t n, const PairConstants& c) {
    terms_.resize(sums_.size());
    l_.resize(sums_.size());
    std::int64_t n_copied = 0;
    const auto copy = [&](std::int64_t i) {
      const Count count = row.term_frequency[i];
      const auto at = static_cast<std::size_t>(n_copied++);
      terms_[at] = row.terms[i];
      l_[at] = static_cast<double>(count);
      // A pair is doubtful if a double does not hold the count, or if U remains 0, because U = 0 marks a term in no class.
      if (!is_double(count) || l_[at] * c.w.hi == 0) doubt(row.terms[i]);
    };
    if (chosen_.empty()) {
      for (std::int64_t i = begin; i < begin + n; ++i) copy(i);
    } else if (16 * std::ssize(chosen_) < n) {  // searching for terms is faster than reading all entries
      std::int64_t i = begin;
      for (const TermId term : chosen_)
        if (i = find_term(row, i, begin + n, term); i < begin + n && row.terms[i] == term) copy(i);
    } else {
      for (std::int64_t i = begin; i < begin + n; ++i)
        if (is_chosen_[static_cast<std::size_t>(row.terms[i] - first_)] != 0) copy(i);
    }
    return n_copied;
  }

  // Computes the scores of n <= block_terms terms of the chunk, beginning at `begin`.
  void finish(PairSum sum, std::size_t begin, std::size_t n, Worker& worker) {
    const unsigned char* const is_chosen = chosen_.empty() ? nullptr : is_chosen_.data() + begin;
    if (is_chosen != nullptr && std::memchr(is_chosen, 1, n) == nullptr) return;
    const auto is_asked_for = [&](std::size_t j) { return j < n && (is_chosen == nullptr || is_chosen[j] != 0); };
    const std::size_t lanes = (n + 7) / 8 * 8;
    const TermValue* const values = values_.data() + begin;
    unsigned char* const doubtful = doubtful_.data() + begin;
    static constexpr AbsentPiece none;
    const AbsentPiece* pieces[block_terms];
    double scores[block_terms];
    unsigned char doubtful_scores[block_terms];
    const AbsentClasses& absent = shared_.absent(sum);
    for (std::size_t j = 0; j < lanes; ++j) {
      pieces[j] = &none;
      if (!is_asked_for(j) || values[j].U_hi == 0) continue;
      if (const AbsentPiece* const piece = absent.find(values[j].U_hi, worker)) pieces[j] = piece;
      else doubtful[j] = 1;
    }
    kernels_.finish({static_cast<int>(lanes), &pairs_, sum, sums_.data() + begin, values, pieces, scores, doubtful_scores});
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_asked_for(j)) continue;
      const bool unseen = values[j].U_hi == 0;
      scores_[static_cast<std::size_t>(first_) + begin + j] = unseen ? unseen_ : scores[j];
      if (!unseen && doubtful_scores[j] != 0) doubtful[j] = 1;
    }
  }

  const ScoreTask<Count>& task_;
  const SharedSums& shared_;
  double* const scores_;
  const PairModel& pairs_;
  const PairKernels& kernels_;
  const double unseen_;
  ChunkEntries entries_;
  std::int64_t first_ = 0;                // the chunk's first term
  std::size_t n_ = 0;                     // the chunk's size
  std::vector<TermSums> sums_;
  std::vector<TermValue> values_;
  std::vector<unsigned char> doubtful_;
  std::vector<TermId> chosen_;            // the terms of the second sum, in increasing order; empty during the first sum
  std::vector<unsigned char> is_chosen_;  // 1 if a term is chosen
  std::vector<TermId> terms_;             // the terms of the copied pairs of a class
  std::vector<double> l_;                 // the counts of the copied pairs of a class
  BlockScorer<Count> dense_;
};

}  // namespace

template <CountType Count>
bool sparse_pays(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate) {
  if (!(estimation.b1 > 0) || measure == Measure::direction) return false;
  if (aggregate == Aggregate::max) return pair_values_pay(counts, estimation);
  double n_classes = 0, pairs = 0;
  for (const auto& row : counts.rows) {
    if (!row->is_present()) continue;  // an empty class has no scores
    if (!fits_pair_model(*row, estimation.b2)) return false;
    n_classes += 1, pairs += static_cast<double>(row->size);
  }
  const double terms = std::min(static_cast<double>(counts.n_terms), pairs);
  // The costs are multiples of the measured cost of one value in score_dense. About 48 pieces of V are tabulated.
  const double pair = measure == Measure::kl ? 3 : 4, term = 5, pieces = 48 * n_nodes;
  return pair * pairs + term * terms + pieces * n_classes < n_classes * terms;
}

template <CountType Count>
void score_sparse(const ClassCounts<Count>& counts, const Estimation& estimation, Measure measure, Aggregate aggregate,
                  const Threads& requested, double* scores) {
  if (aggregate == Aggregate::max) return score_largest(counts, estimation, measure, requested, scores);
  const ClassModel model = make_class_model(counts, estimation);
  const ScoreTask<Count> task{counts, model, measure, aggregate};
  const double unseen = BlockScorer<Count>(task).results_of_unseen()[0];
  const SharedSums shared(model, estimation.b1, measure, aggregate);
  std::int64_t n_pairs = 0;
  for (std::size_t k = 0; k < task.n_classes(); ++k) n_pairs += task.row(k).size;
  // The costs are multiples of the measured cost of one value in score_dense.
  const Threads threads = worth(requested, 3 * n_pairs + 8 * counts.n_terms);
  PerThread<SparseScorer<Count>> scorers(threads);
  const std::int64_t size = size_of_chunk(counts.n_terms, n_pairs, task.n_classes(), threads);
  for_each_block((counts.n_terms + size - 1) / size, threads, [&](std::int64_t chunk, Worker& worker) {
    const std::int64_t first = chunk * size;
    scorers.own(worker, task, shared, unseen, size, scores).score(first, std::min(first + size, counts.n_terms), worker);
  });
}

#define TERMSIFT_INSTANTIATE(Count)                                                            \
  template bool sparse_pays(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate); \
  template void score_sparse(const ClassCounts<Count>&, const Estimation&, Measure, Aggregate, const Threads&, double*);
TERMSIFT_INSTANTIATE(std::int64_t)
TERMSIFT_INSTANTIATE(double)
#undef TERMSIFT_INSTANTIATE

}  // namespace termsift
