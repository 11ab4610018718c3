// The input of conditional gain: the documents with their classes, and the documents of each term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gain/posterior_kernels.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/large_memory.hpp"
#include "termsift/parallel.hpp"
#include "termsift/types.hpp"

namespace termsift {

// Rows with one value per class are padded to a multiple of this length.
inline constexpr std::int64_t gain_lanes = 8;
inline std::int64_t padded(std::int64_t n) { return (n + gain_lanes - 1) / gain_lanes * gain_lanes; }
// The documents of positive weight. Documents are numbered class by class, so the documents of a term form one run per
// class.
struct Collection {
  std::int64_t n_classes = 0, stride = 0;  // the number of classes with documents; the padded length of a row
  std::vector<std::int64_t> rows;          // (documents,) the matrix row of each document
  std::vector<std::int32_t> class_of;      // (documents,) the class of each document, never decreasing
  std::vector<double> weights;             // (documents,) the weight of each document, or empty if all weights are 1
  std::vector<std::int64_t> end_of;        // (n_classes,) 1 + the last document of each class
  double n = 0;                            // the total weight of all documents
  std::vector<double> n_c;                 // (stride,) the total weight of each class; 0 in the padding
  std::vector<double> log_prior;           // (stride,) log(n_c / n); minus infinity in the padding
  std::vector<float> prior;                // (stride,) n_c / n; 0 in the padding
};

Collection make_collection(std::span<const std::int32_t> classes, std::span<const double> weights);

// The documents that have a term, each once and in increasing order, and one run for each class of these documents.
// Document numbers are < 2^31.
struct TermDocuments {
  std::span<const std::int32_t> documents;
  std::span<const ClassRun> runs;
  std::int64_t first_run;  // the index of the first run among the runs of all terms
};

class Postings {
 public:
  // x must have passed check_csr(), and `all` must have been made from the classes of the rows of x. O(entries) time.
  // Memory: 4 bytes per entry, 8 per pair of a term and a class with the term, 16 per term, and 8 per term and thread.
  static Postings of(const AnyCsr& x, const CsrFacts& facts, const Collection& all, const Threads& requested);

  std::int64_t n_terms() const { return std::ssize(first_) - 1; }
  std::int64_t n_entries() const { return first_.back().document; }
  std::int64_t n_runs() const { return first_.back().run; }
  TermDocuments operator[](std::int64_t term) const {
    const Place begin = first_[at(term)], end = first_[at(term + 1)];
    return {{documents_.get() + begin.document, documents_.get() + end.document},
            {runs_.data() + begin.run, runs_.data() + end.run},
            begin.run};
  }

 private:
  struct Place {
    std::int64_t document = 0, run = 0;
  };
  void find_runs(const Collection& all, const Threads& threads);

  std::vector<Place> first_;  // (n_terms + 1,)
  LargeArray<std::int32_t> documents_;
  std::vector<ClassRun> runs_;
};

}  // namespace termsift
