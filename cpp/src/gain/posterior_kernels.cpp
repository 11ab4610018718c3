// The kernels of conditional gain. Included by the source file of each SIMD target; what logarithms.hpp says of bits and of
// functions from outside the target holds here too: sums over classes are those of eight lanes, added up in one order.
#include "simd/logarithms.hpp"
#include "gain/posterior_kernels.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

constexpr int lanes = 8;
constexpr int ahead = 8;  // documents whose rows are fetched before their turn: they lie anywhere

TERMSIFT_INLINE double sum_of(const double* x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Asks for a row that will be read. Of a long one the first lines: the rest is fetched as it is read.
template <class T>
TERMSIFT_INLINE void fetch(const T* row, std::int64_t size) {
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
TERMSIFT_INLINE void mixtures_of(const MixtureRun& run) {
  const double* __restrict lift = run.lift;
  for (std::int64_t i = 0; i < run.n; ++i) {
    const std::int32_t later = run.documents[i + ahead < run.n ? i + ahead : i];
    fetch(run.posteriors + later * run.stride, run.stride);
    if (some_in_play) fetch(run.in_play + later * run.stride, run.stride);
    const std::int32_t document = run.documents[i], own = run.classes[document];
    const float* __restrict row = run.posteriors + document * run.stride;
    const std::int32_t* __restrict in_play = some_in_play ? run.in_play + document * run.stride : nullptr;
    double sums[lanes] = {};
    for (std::int64_t c = 0; c < run.stride; c += lanes)
      for (int j = 0; j < lanes; ++j)
        sums[j] += static_cast<double>(row[c + j]) * lift[some_in_play ? in_play[c + j] : c + j];
    run.mixtures[i] = sum_of(sums) + static_cast<double>(row[some_in_play ? 0 : own]) * (run.own_lift[own] - lift[own]);
  }
}

void mixtures(const MixtureRun& run) {
  if (run.in_play == nullptr) mixtures_of<false>(run);
  else mixtures_of<true>(run);
}

void posterior(const PosteriorRun& run) {
  if (run.next_sums != nullptr) fetch(run.next_sums, run.stride);
  double* __restrict sums_of_logs = run.sums;
  double* __restrict x = run.scratch;
  const double own_sum = sums_of_logs[run.own] + run.own_log_lift;
  for (std::int64_t c = 0; c < run.stride; ++c) sums_of_logs[c] += run.log_lift[c];
  sums_of_logs[run.own] = own_sum;
  double most[lanes];
  for (int j = 0; j < lanes; ++j) most[j] = -infinity;
  for (std::int64_t c = 0; c < run.stride; c += lanes)
    for (int j = 0; j < lanes; ++j) {
      x[c + j] = run.log_prior[c + j] + run.temperature * sums_of_logs[c + j];
      most[j] = larger(most[j], x[c + j]);
    }
  double top = most[0];
  for (int j = 1; j < lanes; ++j) top = larger(top, most[j]);
  double sums[lanes] = {};
  for (std::int64_t c = 0; c < run.stride; c += lanes)
    for (int j = 0; j < lanes; ++j) {
      x[c + j] = exponential(x[c + j] - top);
      sums[j] += x[c + j];
    }
  const double inverse = 1.0 / sum_of(sums);
  for (std::int64_t c = 0; c < run.stride; ++c) run.posterior[c] = static_cast<float>(x[c] * inverse);
}

constexpr PosteriorKernels kernels{natural_logarithms, exponentials, mixtures, posterior};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::PosteriorKernels termsift::PosteriorKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
