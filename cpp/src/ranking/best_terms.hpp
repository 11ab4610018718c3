// Collects the best of many terms without sorting them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace termsift {

struct ListedTerm {
  double value;
  std::int64_t term;
};
// Unlike a function, a lambda is inlined into the algorithms of the standard library.
inline constexpr auto before = [](const ListedTerm& a, const ListedTerm& b) {
  return a.value != b.value ? a.value > b.value : a.term < b.term;
};

// The best `length` of the terms that are added. If values may be wrong by a relative margin, the best terms are all terms
// that may be among the best `length`.
class BestTerms {
 public:
  explicit BestTerms(double margin = 0) : margin_(margin) {}

  // Removes all terms.
  void begin(std::int64_t length) {
    length_ = static_cast<std::size_t>(length);
    terms_.clear();
    worst_ = last_of_all;
    full_ = 2 * length_;
  }

  // Begins the next part of a sorted list, which has the best terms after the current terms.
  void begin_next_part(std::int64_t length) {
    if (!terms_.empty()) previous_ = terms_.back();
    begin(length);
  }

  // Adds the term if it may be among the best. Returns false if neither this term nor any worse term can be among the best.
  bool add(double value, std::int64_t term) {
    const ListedTerm listed{value, term};
    if (!before(listed, worst_)) return false;
    if (!before(previous_, listed)) return true;
    terms_.push_back(listed);
    if (terms_.size() >= full_) drop_worse();
    return true;
  }

  // Removes the terms that are not among the best. O(terms).
  void drop_worse() {
    if (terms_.size() <= length_) return;
    const auto last = terms_.begin() + static_cast<std::ptrdiff_t>(length_ - 1);
    std::nth_element(terms_.begin(), last, terms_.end(), before);
    worst_ = margin_ > 0 ? ListedTerm{last->value * (1 - margin_), last_of_all.term} : *last;
    terms_.erase(std::remove_if(last + 1, terms_.end(), [&](const ListedTerm& listed) { return !before(listed, worst_); }),
                 terms_.end());
    full_ = 2 * terms_.size();
  }

  void finish_list() {
    drop_worse();
    std::sort(terms_.begin(), terms_.end(), before);
  }

  const std::vector<ListedTerm>& terms() const { return terms_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr ListedTerm first_of_all{infinity, -1}, last_of_all{-infinity, std::numeric_limits<std::int64_t>::max()};

  const double margin_;
  std::size_t length_ = 0, full_ = 0;  // if the number of terms reaches full_, worse terms are removed
  std::vector<ListedTerm> terms_;
  ListedTerm previous_ = first_of_all;  // the last term of the previous part
  ListedTerm worst_ = last_of_all;      // terms that are not before `worst_` are not among the best
};

}  // namespace termsift
