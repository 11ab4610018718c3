// The log posteriors of documents, and the classes that they predict.
#pragma once

#include <cstdint>
#include <span>

#include "termsift/counting.hpp"
#include "termsift/csr_view.hpp"

namespace termsift {

// A classifier whose log posteriors are linear in the values x_i of a document: class c has the log posterior
//
//   constant_c + sum_i x_i w_ic.
//
// If first_pair is empty, `weights` holds all w_ic. Otherwise w_ic is of_class_c + of_term_i, and a pair of the term i and
// the class c adds its weight. Then memory and time grow with the number of pairs and not with terms * classes.
struct LinearClasses {
  std::span<const double> constant;          // (n_classes,)
  std::span<const std::int32_t> term_of;     // (columns,) the term of each column, or -1; empty if the columns are the terms
  std::span<const double> weights;           // (terms, stride), or one for each pair, ordered by term
  std::int64_t stride = 0;                   // at least n_classes; rows that fill whole cache lines are read faster
  std::span<const double> of_class;          // (n_classes,), or empty
  std::span<const double> of_term;           // (terms,), or empty
  std::span<const std::int64_t> first_pair;  // (terms + 1,) the first pair of each term, or empty
  std::span<const std::int32_t> pair_class;  // (pairs,)
};

// Writes the log posteriors of documents, of shape (x.n_rows, n_classes). Repeated entries of a document are added up, and
// `weight` transforms the sums. Products are added in the order of the columns, so neither other documents nor threads
// change any bit. Throws as check_csr does, and std::invalid_argument if the sizes of the arrays do not match, or if the log
// posteriors of a document overflow. Each thread needs memory for a document and for one log posterior of each class.
void log_posteriors(const LinearClasses& classes, const AnyCsr& x, TermWeight weight, const Threads& threads,
                    double* posteriors);

// Writes the predicted class of each document, of shape (x.n_rows,): the first class whose log posterior is at least
// b - tie |b|, where b is the largest one. Otherwise like log_posteriors().
void predict_classes(const LinearClasses& classes, const AnyCsr& x, TermWeight weight, double tie, const Threads& threads,
                     ClassId* predicted);

}  // namespace termsift
