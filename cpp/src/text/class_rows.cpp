#include "text/class_rows.hpp"

#include <algorithm>

namespace termsift {

void ClassRows::begin_written() {
  if (written_.is_open()) written_.set_open_size(part_size);
  written_.close();
  written_.open(0);
  next_ = written_.reserve(part_size);
  end_ = next_ + part_size;
}

// Moves the written counts to store_. A counting sort sorts them by class. O(entries + documents).
void ClassRows::move_to_store(Worker* worker) {
  if (spans_.empty()) return;
  if (written_.is_open()) written_.set_open_size(part_size - (end_ - next_));
  written_.close();
  std::vector<std::int64_t> owners;
  for (const Span& span : spans_) owners.push_back(span.owner);
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  // owners[of_tag[tag - first_tag]] is the class of the document with this tag. Searching the spans for each entry instead
  // would take half of the time of counting, if there are 5,000 classes.
  const std::uint32_t first_tag = spans_.front().first_tag;
  std::vector<std::uint32_t> of_tag;
  for (std::size_t s = 0; s < spans_.size(); ++s) {
    const auto owner = std::lower_bound(owners.begin(), owners.end(), spans_[s].owner) - owners.begin();
    const std::size_t end = s + 1 < spans_.size() ? spans_[s + 1].first_tag - first_tag : std::size_t{tag_ - first_tag} + 1;
    of_tag.resize(end, static_cast<std::uint32_t>(owner));
  }
  const auto for_each = [&](const auto& f) {
    for (const Row<Written>& part : written_.rows()) {
      if (worker != nullptr) worker->check();
      for (std::int64_t i = 0; i < part.size; ++i) f(part.entries[i], of_tag[part.entries[i].tag - first_tag]);
    }
  };
  std::vector<std::int64_t> sizes(owners.size(), 0);
  for_each([&](const Written&, std::uint32_t owner) { ++sizes[owner]; });
  std::vector<ClassEntry*> places;
  for (std::size_t o = 0; o < owners.size(); ++o) {
    store_.open(owners[o]);
    places.push_back(store_.reserve(sizes[o]));
    store_.set_open_size(sizes[o]);
    store_.close();
  }
  for_each([&](const Written& counts, std::uint32_t owner) {
    *places[owner]++ = {counts.id, counts.count, counts.documents};
  });
  written_ = {};
  next_ = end_ = nullptr;
  spans_.clear();
}

}  // namespace termsift
