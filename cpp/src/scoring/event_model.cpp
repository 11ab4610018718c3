#include "termsift/event_model.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace termsift {
namespace {

template <CountType Count>
ClassRow<Count> as_counted_by(EventModel model, ClassRow<Count> row) {
  if (model == EventModel::binary || model == EventModel::bernoulli) row.term_frequency = row.document_frequency;
  if (model == EventModel::binary) {
    row.sum_tokens();
    return row;
  }
  row.n_tokens = row.n_docs;
  row.n_tokens_rest = 0;
  if (model == EventModel::bernoulli && std::is_floating_point_v<Count>)
    for (std::int64_t i = 0; i < row.size; ++i) row.n_tokens = std::max(row.n_tokens, row.document_frequency[i]);
  return row;
}

}  // namespace

template <CountType Count>
ClassCounts<Count> as_counted_by(EventModel model, const ClassCounts<Count>& counts, const Threads& threads) {
  if (model == EventModel::multinomial) return counts;
  std::int64_t n_pairs = counts.collection ? counts.collection->size : 0;
  for (const auto& row : counts.rows) n_pairs += row->size;
  const auto view = [&](const ClassRow<Count>& row) {
    return std::make_shared<const ClassRow<Count>>(as_counted_by(model, row));
  };
  ClassCounts<Count> result = counts;
  result.model = model;
  for_each_block(std::ssize(counts.rows), worth(threads, n_pairs), [&](std::int64_t block, Worker&) {
    const auto c = static_cast<std::size_t>(block);
    result.rows[c] = view(*counts.rows[c]);
  });
  if (counts.collection) result.collection = view(*counts.collection);
  return result;
}

template ClassCounts<std::int64_t> as_counted_by(EventModel, const ClassCounts<std::int64_t>&, const Threads&);
template ClassCounts<double> as_counted_by(EventModel, const ClassCounts<double>&, const Threads&);

}  // namespace termsift
