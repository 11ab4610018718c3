#include "gain/collection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "gain/posterior_kernels.hpp"
#include "simd/targets.hpp"

namespace termsift {

Collection make_collection(std::span<const std::int32_t> classes, std::int32_t n_classes, std::span<const double> weights) {
  Collection all;
  const auto weight_of = [&](std::int64_t row) { return weights.empty() ? 1.0 : weights[at(row)]; };
  for (std::int64_t row = 0; row < std::ssize(classes); ++row) {
    const std::int32_t c = classes[at(row)];
    const double weight = weight_of(row);
    if (c < 0 || c >= n_classes)
      throw std::invalid_argument("document " + std::to_string(row) + " has the class " + std::to_string(c) +
                                  ", expected one in [0, " + std::to_string(n_classes) + ")");
    if (!(weight >= 0 && std::isfinite(weight)))
      throw std::invalid_argument("document " + std::to_string(row) + " has the weight " + std::to_string(weight));
    if (weight > 0) all.rows.push_back(row);
  }
  std::stable_sort(all.rows.begin(), all.rows.end(),
                   [&](std::int64_t a, std::int64_t b) { return classes[at(a)] < classes[at(b)]; });
  for (std::size_t d = 0; d < all.rows.size(); ++d) {
    const std::int64_t row = all.rows[d];
    if (d == 0 || classes[at(row)] != classes[at(all.rows[d - 1])]) {
      all.n_c.push_back(0);
      all.end_of.push_back(0);
    }
    all.class_of.push_back(static_cast<std::int32_t>(all.n_c.size()) - 1);
    all.n_c.back() += weight_of(row);
    all.end_of.back() = static_cast<std::int64_t>(d) + 1;
    if (!weights.empty()) all.weights.push_back(weight_of(row));
  }
  for (const double docs : all.n_c) all.n += docs;
  all.n_classes = std::ssize(all.n_c);
  all.stride = padded(all.n_classes);
  all.n_c.resize(at(all.stride));
  for (const double docs : all.n_c) {
    // The argument must be a normal number, because the kernel that computes logarithms accepts no others.
    all.log_prior.push_back(docs == 0 ? 1 : std::max(docs / all.n, std::numeric_limits<double>::min()));
    all.prior.push_back(static_cast<float>(docs / all.n));
  }
  kernels_in_use<PosteriorKernels>().logarithms(all.log_prior.data(), all.stride);
  std::fill(all.log_prior.begin() + static_cast<std::ptrdiff_t>(all.n_classes), all.log_prior.end(),
            -std::numeric_limits<double>::infinity());
  return all;
}

}  // namespace termsift
