// Runs the formulas of the measures over batches of terms of one class.
#include "contingency/formulas_impl.hpp"

namespace termsift::simd::TERMSIFT_TARGET {
namespace {

template <class Measure, Numbers numbers>
void run_formula(const ContingencyBatch& batch) {
  constexpr bool with_low = numbers == Numbers::any;
  constexpr bool has_usual_value =
      !with_low && requires(Cells<numbers> x, ContingencyConstants c) { Measure::usual_value(x, c); };
  const ContingencyConstants c = *batch.constants;
  // A local copy of the pointers lets the compiler assume that no store changes them.
  const ContingencyBatch in = batch;
  double* __restrict values = batch.values;
  const auto store = [&](int j, double value) {
    const double result = with_low ? value * c.value_unit : value;
    values[j] = in.t_hi[j] == 0 ? 0.0 : result;
  };
  if constexpr (Measure::facts.reads_tokens) {
    for (int j = 0; j < in.n; ++j) store(j, Measure::value(Cells<numbers>(in, j, c), c, in.tokens[j]));
  } else if constexpr (!has_usual_value) {
    for (int j = 0; j < in.n; ++j) store(j, Measure::value(Cells<numbers>(in, j, c), c));
  } else {
    double excess[longest_contingency_batch];
    for (int j = 0; j < in.n; ++j) {
      const Cells<numbers> cells(in, j, c);
      store(j, Measure::usual_value(cells, c));
      excess[j] = cells.excess();
    }
    // If any lane of a vector has a positive excess, the full formula recomputes the vector. Lanes without a positive
    // excess keep the result of the shorter formula, so that a lane's result does not depend on its neighbours.
    for (int begin = 0; begin < in.n; begin += 8) {
      double largest = excess[begin];
      for (int j = begin + 1; j < begin + 8; ++j) largest = larger(largest, excess[j]);
      if (!(largest > 0)) continue;
      for (int j = begin; j < begin + 8; ++j) {
        const double usual = values[j];
        store(j, Measure::value(Cells<numbers>(in, j, c), c));
        values[j] = excess[j] > 0 ? values[j] : usual;
      }
    }
  }
}

template <class Measure, Numbers numbers>
void run(const ContingencyBatch& batch) {
  if constexpr (requires { Measure::template run<numbers>(batch); }) Measure::template run<numbers>(batch);
  else run_formula<Measure, numbers>(batch);
}

template <class Measure>
void run_kernel(const ContingencyBatch& batch) {
  if (batch.a_lo != nullptr) run<Measure, Numbers::any>(batch);
  else if (batch.constants->small) run<Measure, Numbers::small>(batch);
  else run<Measure, Numbers::whole>(batch);
}

ContingencyKernel contingency_kernel(ContingencyMeasure measure) {
  return with_formula(measure, []<class Measure>(Measure) -> ContingencyKernel { return run_kernel<Measure>; });
}

constexpr ContingencyKernels kernels{contingency_kernel};

}  // namespace
}  // namespace termsift::simd::TERMSIFT_TARGET

const termsift::ContingencyKernels termsift::ContingencyKernels::TERMSIFT_TARGET = termsift::simd::TERMSIFT_TARGET::kernels;
