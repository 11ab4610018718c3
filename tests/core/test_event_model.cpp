#include "termsift/event_model.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "collections.hpp"
#include "termsift/scores.hpp"

using namespace termsift;
using namespace collections;

namespace {

constexpr EventModel models[] = {EventModel::multinomial, EventModel::binary, EventModel::bernoulli, EventModel::poisson};

// Two classes of 3 and 2 documents, and four terms, the last of them in no class.
template <CountType Count>
ClassCounts<Count> two_classes() {
  Matrix<std::int32_t, std::int32_t> x;
  x.n_columns = 4;
  x.add_row({{0, 2}, {1, 1}});
  x.add_row({{0, 5}});
  x.add_row({{2, 1}});
  x.add_row({{1, 4}, {2, 3}});
  x.add_row({{1, 9}});
  const std::vector<ClassId> codes{0, 0, 0, 1, 1};
  const LabelView labels{2, 5, nullptr, codes.data()};
  ClassCounts<Count> none{0, 0, {2, std::make_shared<const ClassRow<Count>>()}, nullptr};
  return count_documents<Count>(none, x.view(), labels, nullptr, {}).counts;
}

}  // namespace

TEST(each_model_counts_its_events) {
  // Catches a model that counts, or divides by, the wrong frequencies.
  const auto check = []<class Count>(Count) {
    const auto counts = two_classes<Count>();
    const double totals[][2] = {{9, 16}, {4, 3}, {3, 2}, {3, 2}};
    for (int m = 0; m < 4; ++m) {
      const auto view = as_counted_by(models[m], counts, {});
      CHECK(view.model == models[m]);
      CHECK_EQ(view.n_terms, counts.n_terms);
      CHECK_EQ(view.n_docs, counts.n_docs);
      for (std::size_t c = 0; c < 2; ++c) {
        const auto &row = *counts.rows[c], &seen = *view.rows[c];
        CHECK_EQ(static_cast<double>(seen.n_tokens), totals[m][c]);
        CHECK_EQ(seen.n_tokens_rest, Count{0});
        CHECK_EQ(seen.n_docs, row.n_docs);
        CHECK_EQ(seen.size, row.size);
        CHECK(seen.terms == row.terms);  // shared
        const bool occurrences = m == 0 || m == 3;
        for (std::int64_t i = 0; i < row.size; ++i)
          CHECK_EQ(seen.term_frequency[i], occurrences ? row.term_frequency[i] : row.document_frequency[i]);
      }
    }
  };
  check(std::int64_t{});
  check(double{});
}

TEST(no_term_has_more_documents_than_its_class) {
  // Catches p > 1 where float counts rounded d_ic above n_c.
  auto row = ClassRow<double>::with_capacity(1);
  row.size = 1, row.terms[0] = 0, row.n_docs = 0.3;
  row.term_frequency.set(0, 2.5);
  row.document_frequency.set(0, std::nextafter(0.3, 1.0));
  row.sum_tokens();
  const ClassCounts<double> counts{2, 0.3, {std::make_shared<const ClassRow<double>>(row)}, nullptr};
  CHECK_EQ(as_counted_by(EventModel::bernoulli, counts, {}).rows[0]->n_tokens, std::nextafter(0.3, 1.0));
  CHECK_EQ(as_counted_by(EventModel::poisson, counts, {}).rows[0]->n_tokens, 0.3);
}

TEST(totals_of_the_binary_model_keep_their_low_parts) {
  // Catches a sum of fractions that is rounded to a double.
  auto row = ClassRow<double>::with_capacity(2);
  row.size = 2, row.terms[0] = 0, row.terms[1] = 1, row.n_docs = 2;
  row.term_frequency.set(0, 1), row.term_frequency.set(1, 1);
  row.document_frequency.set(0, 1), row.document_frequency.set(1, 0x1p-60);
  row.sum_tokens();
  const ClassCounts<double> counts{2, 2, {std::make_shared<const ClassRow<double>>(row)}, nullptr};
  const auto binary = as_counted_by(EventModel::binary, counts, {});
  CHECK_EQ(binary.rows[0]->n_tokens, 1.0);
  CHECK_EQ(binary.rows[0]->n_tokens_rest, 0x1p-60);
}

TEST(rates_may_exceed_1) {
  // Catches rates that must satisfy b1 <= b2, or that have a complement.
  const auto counts = as_counted_by(EventModel::poisson, two_classes<std::int64_t>(), {});
  std::vector<double> values(8);
  class_scores(counts, {2, 0.5, {}}, Measure::kl, {}, values.data());
  const double p = 9 / 3.5, q = 2 / 2.5;
  CHECK_NEAR(values[0], p * std::log(p / q) - p + q, 1e-15);
  CHECK_NEAR(values[4], q * std::log(q / p) - q + p, 1e-15);
  CHECK_THROWS(class_scores(two_classes<std::int64_t>(), {2, 0.5, {}}, Measure::kl, {}, values.data()),
               std::invalid_argument, "0 <= b1 <= b2 < inf");
  CHECK_THROWS(class_scores(counts, {-1, 0.5, {}}, Measure::kl, {}, values.data()), std::invalid_argument,
               "0 <= b1, b2 < inf");
}

TEST(rates_too_large_for_doubles_are_refused) {
  // Catches NaN from a product beyond the largest double.
  const auto rate = [](double l, double b1, double b2) {
    auto row = ClassRow<double>::with_capacity(1);
    row.size = 1, row.terms[0] = 0, row.n_docs = 1;
    row.term_frequency.set(0, l), row.document_frequency.set(0, 1);
    row.sum_tokens();
    const auto shared = std::make_shared<const ClassRow<double>>(row);
    const auto counts = as_counted_by(EventModel::poisson, ClassCounts<double>{1, 2, {shared, shared}, nullptr}, {});
    double score_of_term = -1;
    for (const Measure measure : {Measure::kl, Measure::nu_j, Measure::nu_pearson}) {
      score(counts, {b1, b2, {}}, measure, Aggregate::sum, {}, &score_of_term);
      CHECK_EQ(score_of_term, 0.0);
    }
  };
  rate(0x1p64, 0, 0);
  CHECK_THROWS(rate(0x1p65, 0, 0), std::invalid_argument, "a rate can be 2^64");
  CHECK_THROWS(rate(1, 1e30, 1), std::invalid_argument, "is too large beside the");
}
