// The kernels of conditional gain. Sums over classes are kept in eight lanes, which are added in a fixed order.
#include "simd/logarithms.hpp"
#include "gain/posterior_kernels.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

// Explicit vectors are used because compilers do not vectorise these loops, or use only half of a register.
constexpr int lanes = 8;
using Vector = Lanes<double, lanes>;
using Half = Lanes<double, lanes / 2>;
using HalfFloats = Lanes<float, lanes / 2>;
using Bits = Lanes<unsigned long long, lanes>;
constexpr int ahead = 8;  // rows are prefetched this many documents ahead

TERMSIFT_INLINE double sum_of(const Vector& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Multiplies the four posteriors row[c .. c + 4) by the lifts of their classes, and adds the products to `sums`. Groups of
// four are used, because GCC 12 converts two groups of four from single precision faster than one group of eight.
template <bool some_in_play>
TERMSIFT_INLINE void add_products(Half& sums, const float* row, const std::int32_t* in_play, const double* lift,
                                  std::int64_t c) {
  HalfFloats shares;
  load(row + c, shares);
  Half lifts;
  if constexpr (some_in_play)
    for (int j = 0; j < lanes / 2; ++j) lifts[j] = lift[in_play[c + j]];
  else
    load(lift + c, lifts);
  Half wide;
  convert(shares, wide);
  sums += wide * lifts;
}

// Prefetches the beginning of a row. If the row is long, the hardware prefetches the rest.
template <class T>
TERMSIFT_INLINE void prefetch_row(const T* row, std::int64_t size) {
  const char* const bytes = reinterpret_cast<const char*>(row);
  const std::int64_t n = size * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t byte = 0; byte < (n < 256 ? n : 256); byte += 64) prefetch(bytes + byte);
}

void natural_logarithms(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = natural_logarithm(x[j]);
}

void exponentials(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = exponential(x[j]);
}

// Multiplies the numbers' fractions, in [1, 2), and adds their exponents. The product of eight such fractions is below 2^8.
void logs_of_products(const double* x, const ClassRun* runs, std::int64_t n_runs, double* logs, double* exponents) {
  constexpr unsigned long long fraction_bits = (1ull << 52) - 1, exponent_of_one = 1023;
  const Bits places = {0, 1, 2, 3, 4, 5, 6, 7};
  const Vector ones = Vector{} + 1.0;
  std::int64_t i = 0;
  for (std::int64_t run = 0; run < n_runs; ++run) {
    const std::int64_t end = runs[run].end;
    Vector fraction = ones;
    Bits exponent{};
    for (; i < end; i += lanes) {
      Vector factor;
      load(x + i, factor);
      choose(places < static_cast<unsigned long long>(end - i), factor, ones, factor);
      fraction *= factor;
      Bits u;
      store(fraction, &u);
      exponent += (u >> 52) - exponent_of_one;
      u = (u & fraction_bits) | exponent_of_one << 52;
      load(&u, fraction);
    }
    i = end;
    logs[run] = ((fraction[0] * fraction[4]) * (fraction[2] * fraction[6])) *
                ((fraction[1] * fraction[5]) * (fraction[3] * fraction[7]));
    unsigned long long sum = 0;
    for (int j = 0; j < lanes; ++j) sum += exponent[j];
    exponents[run] = static_cast<double>(static_cast<long long>(sum));
  }
  for (std::int64_t run = n_runs; run % lanes != 0; ++run) logs[run] = 1, exponents[run] = 0;
  for (std::int64_t run = 0; run < n_runs; run += lanes)
    for (int j = 0; j < lanes; ++j)
      logs[run + j] = log_of_power_plus(exponents[run + j], natural_logarithm(logs[run + j]));
}

void short_exponentials(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = short_exponential(x[j]);
}

template <bool some_in_play>
TERMSIFT_INLINE void mixtures_of(const MixtureBatch& batch) {
  const ClassRun* run = batch.runs;
  for (std::int64_t i = batch.first; i < batch.last;) {
    while (run->end <= i) ++run;
    const std::int64_t y = run->of_class, own = some_in_play ? 0 : y;
    const std::int64_t end = run->end < batch.last ? run->end : batch.last;
    const double own_difference = batch.own_lift[y] - batch.lift[y], inverse = 1.0 / batch.own_lift[y];
    const double at_the_start = batch.at_the_start[y];
    for (; i < end; ++i) {
      const std::int64_t later = batch.documents[i + ahead < batch.last ? i + ahead : i];
      prefetch_row(batch.posteriors + later * batch.stride, batch.stride);
      if (some_in_play) prefetch_row(batch.in_play + later * batch.stride, batch.stride);
      const std::int64_t document = batch.documents[i];
      const float* const row = batch.posteriors + document * batch.stride;
      const std::int32_t* const in_play = some_in_play ? batch.in_play + document * batch.stride : nullptr;
      Half low{}, high{};
      for (std::int64_t c = 0; c < batch.stride; c += lanes) {
        add_products<some_in_play>(low, row, in_play, batch.lift, c);
        add_products<some_in_play>(high, row, in_play, batch.lift, c + lanes / 2);
      }
      low += high;
      const double sum = (low[0] + low[2]) + (low[1] + low[3]);
      const double mixture = (sum + static_cast<double>(row[own]) * own_difference) * inverse;
      batch.mixtures[i] = batch.n_chosen[document] > 0 ? mixture : at_the_start;
    }
  }
}

void mixtures(const MixtureBatch& batch) {
  if (batch.in_play == nullptr) mixtures_of<false>(batch);
  else mixtures_of<true>(batch);
}

void add_evidence(const EvidenceUpdate& update) {
  if (update.next_sums != nullptr) prefetch_row(update.next_sums, update.stride);
  Vector most = Vector{} - infinity;
  for (std::int64_t c = 0; c < update.stride; c += lanes) {
    Vector sum, log_lift, log_prior;
    load(update.sums + c, sum);
    load(update.log_lift + c, log_lift);
    load(update.log_prior + c, log_prior);
    sum += log_lift;
    store(sum, update.sums + c);
    const Vector logs = log_prior + update.temperature * sum;
    store(logs, update.logs + c);
    choose(logs > most, logs, most, most);
  }
  double top = most[0];
  for (int j = 1; j < lanes; ++j) top = larger(top, most[j]);
  for (std::int64_t c = 0; c < update.stride; ++c) update.logs[c] -= top;
}

void normalise(const double* x, std::int64_t n, float* shares) {
  Vector sums{};
  for (std::int64_t c = 0; c < n; c += lanes) {
    Vector some;
    load(x + c, some);
    sums += some;
  }
  const double inverse = 1.0 / sum_of(sums);
  for (std::int64_t c = 0; c < n; ++c) shares[c] = static_cast<float>(x[c] * inverse);
}

constexpr PosteriorKernels kernels{natural_logarithms, exponentials, short_exponentials, logs_of_products,
                                   mixtures,           add_evidence, normalise};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::PosteriorKernels termsift::PosteriorKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
