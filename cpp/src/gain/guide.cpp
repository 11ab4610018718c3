#include "gain/lifts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gain/posterior_kernels.hpp"
#include "simd/targets.hpp"
#include "termsift/linear_machines.hpp"

namespace termsift {
namespace {

// A summary of a term's weights in all machines.
struct TermWeights {
  std::int64_t sum = 0;  // in units of 2^-32; an integer sum does not depend on the order of its summands
  float largest = 0;     // the largest |w_tc|
};

constexpr double unit = 0x1p-32;

}  // namespace

Guide make_guide(const AnyCsr& x, const CsrFacts& facts, const Collection& all, const Postings& postings,
                 const GuideOptions& options, const Threads& threads) {
  Guide guide;
  if (options.cost == 0) return guide;
  const std::int64_t n_terms = postings.n_terms();
  std::vector<TermWeights> of_term(at(n_terms));
  std::vector<float> of_run(at(postings.n_runs()));  // w_tc
  const MachineInput input{x, facts.distinct, all.rows, all.class_of, static_cast<std::int32_t>(all.n_classes), all.weights};
  const double mean_entry = train_linear_machines(
      input, {options.cost, options.epochs}, threads, [&](const MachineBlock& block) {
        for (std::size_t row = 0; row < block.terms.size(); ++row) {
          const std::int64_t term = block.terms[row];
          const float* const weights = block.weights + row * machine_lanes;
          TermWeights& own = of_term[at(term)];
          for (std::int64_t j = 0; j < block.n; ++j) {
            own.sum += static_cast<std::int64_t>(std::nearbyint(static_cast<double>(weights[j]) / unit));
            own.largest = std::max(own.largest, std::fabs(weights[j]));
          }
          const TermDocuments documents = postings[term];
          for (std::size_t run = 0; run < documents.runs.size(); ++run)
            if (const std::int64_t j = documents.runs[run].of_class - block.first; j >= 0 && j < block.n)
              of_run[at(documents.first_run) + run] = weights[j];
        }
      });

  float largest = 0;
  for (const TermWeights& term : of_term) largest = std::max(largest, term.largest);
  guide.usefulness.assign(at(padded(postings.n_runs())), 1.0);
  guide.log_lift.assign(at(padded(postings.n_runs())), 0.0);
  for (std::int64_t term = 0; term < n_terms && largest > 0; ++term) {
    const TermDocuments documents = postings[term];
    const auto n_runs = static_cast<double>(documents.runs.size()), n_classes = static_cast<double>(all.n_classes);
    const double sum = static_cast<double>(of_term[at(term)].sum) * unit;
    double present = 0;
    for (std::size_t run = 0; run < documents.runs.size(); ++run)
      present += static_cast<double>(of_run[at(documents.first_run) + run]);
    // The mean weight in classes without the term. If every class has the term, any number is valid, because only
    // differences between classes matter.
    const double elsewhere = n_runs < n_classes ? (sum - present) / (n_classes - n_runs) : sum / n_classes;
    for (std::size_t run = 0; run < documents.runs.size(); ++run) {
      const std::size_t i = at(documents.first_run) + run;
      const double weight = static_cast<double>(of_run[i]), most = static_cast<double>(of_term[at(term)].largest);
      const double value = (std::fabs(weight) + most) / (2 * static_cast<double>(largest));
      guide.usefulness[i] = std::max(value, options.least_value);
      guide.log_lift[i] = options.share * mean_entry * (weight - elsewhere);
    }
  }
  const PosteriorKernels& kernels = kernels_in_use<PosteriorKernels>();
  const std::int64_t n = std::ssize(guide.usefulness);
  kernels.logarithms(guide.usefulness.data(), n);
  for (double& value : guide.usefulness) value *= options.power;
  kernels.exponentials(guide.usefulness.data(), n);
  return guide;
}

}  // namespace termsift
