// The documents and classes from which conditional gain is computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "termsift/types.hpp"

namespace termsift {

// Rows with one value per class are padded to a multiple of this length.
inline constexpr std::int64_t gain_lanes = 8;
inline std::int64_t padded(std::int64_t n) { return (n + gain_lanes - 1) / gain_lanes * gain_lanes; }
// The documents of positive weight. They are numbered class by class, so the documents of a term form one run per class.
struct Collection {
  std::int64_t n_classes = 0, stride = 0;  // the number of classes with documents; the padded length of a row
  std::vector<std::int64_t> rows;          // (documents,) the matrix row of each document
  std::vector<std::int32_t> class_of;      // (documents,) the class of each document, increasing
  std::vector<double> weights;             // (documents,), or empty if all are 1
  std::vector<std::int64_t> end_of;        // (n_classes,) 1 + the last document of each class
  double n = 0;                            // the total weight of all documents
  std::vector<double> n_c;                 // (stride,) the total weight of each class; 0 in the padding
  std::vector<double> log_prior;           // (stride,) log(n_c / n); minus infinity in the padding
  std::vector<float> prior;                // (stride,) n_c / n; 0 in the padding
};

// Throws std::invalid_argument for a class outside [0, n_classes) and for a weight that is negative or not finite.
Collection make_collection(std::span<const std::int32_t> classes, std::int32_t n_classes, std::span<const double> weights);

}  // namespace termsift
