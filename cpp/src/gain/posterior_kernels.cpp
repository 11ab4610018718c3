// The kernels of conditional gain, compiled once for each SIMD target. The rules of logarithms.hpp on bits and on functions
// from outside the target hold here too. Sums over classes are kept in eight lanes, which are added in one order.
#include "simd/logarithms.hpp"
#include "gain/posterior_kernels.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

constexpr int lanes = 8;
// Compilers leave maxima scalar unless they are those of vectors. The order does not matter to them.
using Vector = double __attribute__((vector_size(lanes * sizeof(double))));
constexpr int ahead = 8;  // rows are prefetched this many documents ahead

TERMSIFT_INLINE double sum_of(const double* x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Prefetches the beginning of a row; the hardware fetches the rest of a long one as it is read.
template <class T>
TERMSIFT_INLINE void prefetch_row(const T* row, std::int64_t size) {
  const char* const bytes = reinterpret_cast<const char*>(row);
  const std::int64_t n = size * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t byte = 0; byte < (n < 256 ? n : 256); byte += 64) __builtin_prefetch(bytes + byte);
}

void natural_logarithms(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = natural_logarithm(x[j]);
}

void exponentials(double* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) x[j] = exponential(x[j]);
}

template <bool some_in_play>
TERMSIFT_INLINE void mixtures_of(const MixtureBatch& batch) {
  const double* __restrict lift = batch.lift;
  for (std::int64_t i = 0; i < batch.n; ++i) {
    const std::int32_t later = batch.documents[i + ahead < batch.n ? i + ahead : i];
    prefetch_row(batch.posteriors + later * batch.stride, batch.stride);
    if (some_in_play) prefetch_row(batch.in_play + later * batch.stride, batch.stride);
    const std::int32_t document = batch.documents[i], own = batch.classes[document];
    const float* __restrict row = batch.posteriors + document * batch.stride;
    const std::int32_t* __restrict in_play = some_in_play ? batch.in_play + document * batch.stride : nullptr;
    double sums[lanes] = {};
    for (std::int64_t c = 0; c < batch.stride; c += lanes)
      for (int j = 0; j < lanes; ++j)
        sums[j] += static_cast<double>(row[c + j]) * lift[some_in_play ? in_play[c + j] : c + j];
    batch.mixtures[i] = sum_of(sums) + static_cast<double>(row[some_in_play ? 0 : own]) * (batch.own_lift[own] - lift[own]);
  }
}

void mixtures(const MixtureBatch& batch) {
  if (batch.in_play == nullptr) mixtures_of<false>(batch);
  else mixtures_of<true>(batch);
}

void posterior(const PosteriorUpdate& update) {
  if (update.next_sums != nullptr) prefetch_row(update.next_sums, update.stride);
  double* __restrict sums_of_logs = update.sums;
  double* __restrict x = update.scratch;
  const double own_sum = sums_of_logs[update.own] + update.own_log_lift;
  for (std::int64_t c = 0; c < update.stride; ++c) sums_of_logs[c] += update.log_lift[c];
  sums_of_logs[update.own] = own_sum;
  for (std::int64_t c = 0; c < update.stride; ++c) x[c] = update.log_prior[c] + update.temperature * sums_of_logs[c];
  Vector most = Vector{} - infinity;
  for (std::int64_t c = 0; c < update.stride; c += lanes) {
    Vector some;
    __builtin_memcpy(&some, x + c, sizeof some);
    most = some > most ? some : most;
  }
  double top = most[0];
  for (int j = 1; j < lanes; ++j) top = larger(top, most[j]);
  double sums[lanes] = {};
  for (std::int64_t c = 0; c < update.stride; c += lanes)
    for (int j = 0; j < lanes; ++j) {
      x[c + j] = exponential(x[c + j] - top);
      sums[j] += x[c + j];
    }
  const double inverse = 1.0 / sum_of(sums);
  for (std::int64_t c = 0; c < update.stride; ++c) update.posterior[c] = static_cast<float>(x[c] * inverse);
}

constexpr PosteriorKernels kernels{natural_logarithms, exponentials, mixtures, posterior};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::PosteriorKernels termsift::PosteriorKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
