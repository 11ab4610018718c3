// Predicts the classes of documents by naive Bayes with the first k terms of a ranking, for several k.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/class_counts.hpp"
#include "termsift/counting.hpp"
#include "termsift/csr_view.hpp"

namespace termsift {

// The prior of a class is its share of the documents. Classes without documents are never predicted.
struct NaiveBayes {
  EventModel model = EventModel::multinomial;
  double b1 = 1;                          // positive; b2 is 2 b1 for bernoulli, b1 for poisson and k b1 for all other models
  std::span<const std::int64_t> ranking;  // distinct terms
  std::span<const std::int64_t> ks;       // strictly increasing, in [1, ranking.size()]
};

// The documents to classify. `term_weight` must be the term weight with which the training documents were counted.
struct LabelledDocuments {
  AnyCsr x;
  std::span<const ClassId> labels;  // (n_rows,), -1 for a document of a class that was not counted
  TermWeight term_weight = TermWeight::raw;
};

// Writes two row-major arrays (ks.size(), n_classes). For each k and class c, `predicted` has the number of documents for
// which c is predicted, and `hits` the number of these documents that belong to c.
//
// Rounding must not decide a tie, so the predicted class is the first class whose log posterior equals the largest log
// posterior within a tolerance. For a document with m ranked terms, the tolerance is 2^-45 + m 2^-53 times the sum of the
// magnitudes of all summands of both log posteriors. Takes O(pairs + documents * ks + entries of the documents * classes)
// time, plus O(classes) for each k at which the best class might have changed. Memory: 12 bytes for each pair of a class and
// a ranked term (28 while the model is built), and 8 for each k and class.
//
// The ranking, ks, b1 and the labels must satisfy the conditions of NaiveBayes and LabelledDocuments, and the documents must
// have no more terms than the counts. Throws as check_csr does, and std::invalid_argument if no class has documents, if a
// document has a value above 2^900, or if a count divided by b1 is infinite.
template <CountType Count>
void classify_by_prefixes(const ClassCounts<Count>& counts, const NaiveBayes& bayes, const LabelledDocuments& documents,
                          const Threads& threads, std::int64_t* hits, std::int64_t* predicted);

}  // namespace termsift
