#include "termsift/name_union.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "text/term_table.hpp"

namespace termsift {
namespace {

constexpr std::int64_t names_per_check = 1 << 12;

std::string_view name_bytes(const Text& name) {
  return {static_cast<const char*>(name.data), static_cast<std::size_t>(bytes_of(name))};
}

bool same_name(const Text& a, const Text& b) {
  return a.length == b.length && unit_bytes(a.encoding) == unit_bytes(b.encoding) && name_bytes(a) == name_bytes(b);
}

// Returns f(characters), where `characters` points to the code points of the name.
template <class F>
auto with_characters(const Text& name, const F& f) {
  switch (name.encoding) {
    case TextEncoding::ucs2: return f(static_cast<const std::uint16_t*>(name.data));
    case TextEncoding::ucs4: return f(static_cast<const std::uint32_t*>(name.data));
    default: return f(static_cast<const std::uint8_t*>(name.data));
  }
}

// Compares two names by code points. The result is below zero, zero or above zero.
std::int64_t compare_names(const Text& a, const Text& b) {
  const std::int64_t shared = std::min(a.length, b.length);
  if (unit_bytes(a.encoding) == 1 && unit_bytes(b.encoding) == 1) {
    const int difference = shared == 0 ? 0 : std::memcmp(a.data, b.data, at(shared));
    return difference != 0 ? difference : a.length - b.length;
  }
  return with_characters(a, [&](const auto* x) {
    return with_characters(b, [&](const auto* y) -> std::int64_t {
      for (std::int64_t i = 0; i < shared; ++i)
        if (x[i] != y[i]) return std::int64_t{x[i]} - std::int64_t{y[i]};
      return a.length - b.length;
    });
  });
}

bool increase(Texts names, const Threads& threads) {
  std::atomic<bool> increasing = true;
  for_each_range(std::ssize(names) - 1, names_per_check, worth(threads, std::ssize(names)),
                 [&](std::int64_t begin, std::int64_t end, Worker& worker) {
    worker.check();
    for (std::int64_t i = begin; i < end && increasing; ++i)
      if (compare_names(names[at(i)], names[at(i + 1)]) >= 0) increasing = false;
  });
  return increasing;
}

void merge_increasing(Texts first, Texts second, Worker& worker, NameUnion& result) {
  std::size_t i = 0, j = 0;
  while (i < first.size() || j < second.size()) {
    const std::int64_t column = std::ssize(result.order);
    if (column % names_per_check == 0) worker.check();
    const std::int64_t difference = i == first.size()    ? 1
                                    : j == second.size() ? -1
                                                         : compare_names(first[i], second[j]);
    result.order.push_back(static_cast<std::int64_t>(difference <= 0 ? i : first.size() + j));
    if (difference <= 0) result.column_of_first[i++] = column;
    if (difference >= 0) result.column_of_second[j++] = column;
  }
}

// Finds names by their hash. A slot holds the upper 32 bits of a hash, and 1 + the place of a name.
class NamePlaces {
 public:
  explicit NamePlaces(std::int64_t n_names)
      : slots_(std::bit_ceil(static_cast<std::size_t>(2 * n_names) + 1), 0), mask_(slots_.size() - 1) {}

  // Returns the hash of a name. Loads the slot where its search begins, so that the search need not wait.
  std::uint64_t hash_of(const Text& name) const {
    const std::uint64_t hash = hash_.of_bytes(name_bytes(name));
    prefetch(&slots_[hash & mask_]);
    return hash;
  }
  // Returns the place of the name, which becomes `place` if the name is new. name_at(place) returns an earlier name.
  template <class NameAt>
  std::int64_t find_or_add(const Text& name, std::uint64_t hash, std::int64_t place, const NameAt& name_at) {
    const std::uint64_t upper = hash >> 32 << 32;
    for (std::size_t i = hash & mask_;; i = (i + 1) & mask_) {
      std::uint64_t& slot = slots_[i];
      if (slot == 0) {
        slot = upper | static_cast<std::uint64_t>(place + 1);
        return place;
      }
      const auto other = static_cast<std::int64_t>(slot & 0xFFFFFFFF) - 1;
      if ((slot ^ upper) >> 32 == 0 && same_name(name_at(other), name)) return other;
    }
  }

 private:
  KeyHash hash_;
  std::vector<std::uint64_t> slots_;
  std::size_t mask_;
};

// Returns whether a name occurs more than once. If so, notes the one that occurs most, or the first of those.
bool note_repeated(const std::vector<std::int64_t>& columns, std::int64_t place_of_first, NameUnion& result) {
  std::vector<std::uint32_t> n_names(result.order.size(), 0);
  for (const std::int64_t column : columns) ++n_names[at(column)];
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (const std::int64_t n = n_names[at(columns[i])]; n > std::max<std::int64_t>(result.n_repeated, 1)) {
      result.n_repeated = n;
      result.repeated = place_of_first + static_cast<std::int64_t>(i);
    }
  return result.repeated >= 0;
}

void append_new_names(Texts first, Texts second, Worker& worker, NameUnion& result) {
  const std::int64_t n_first = std::ssize(first), n = n_first + std::ssize(second);
  const auto name_at = [&](std::int64_t place) -> const Text& {
    return place < n_first ? first[at(place)] : second[at(place - n_first)];
  };
  NamePlaces places(n);
  std::vector<std::int64_t>* columns = &result.column_of_first;
  constexpr std::int64_t batch = 64;
  std::array<std::uint64_t, batch> hashes;
  for (std::int64_t place = 0; place < n; ++place) {
    if (place % names_per_check == 0) worker.check();
    if (place % batch == 0) {  // names lie anywhere in memory, so many names are loaded at the same time
      for (std::int64_t next = place + batch; next < std::min(n, place + 2 * batch); ++next) prefetch(name_at(next).data);
      for (std::int64_t i = place; i < std::min(n, place + batch); ++i) hashes[at(i - place)] = places.hash_of(name_at(i));
    }
    if (place == n_first) {
      if (note_repeated(*columns, 0, result)) return;
      columns = &result.column_of_second;
    }
    const std::int64_t known = places.find_or_add(name_at(place), hashes[at(place % batch)], place, name_at);
    const std::int64_t column = known == place    ? std::ssize(result.order)
                                : known < n_first ? result.column_of_first[at(known)]
                                                  : result.column_of_second[at(known - n_first)];
    if (known == place) result.order.push_back(place);
    (*columns)[at(place < n_first ? place : place - n_first)] = column;
  }
  note_repeated(*columns, n - std::ssize(*columns), result);
}

}  // namespace

NameUnion unite_names(Texts first, Texts second, const Threads& threads) {
  if (std::ssize(first) > max_terms || std::ssize(second) > max_terms) throw std::length_error("there are 2^31 names");
  NameUnion result;
  result.column_of_first.resize(first.size());
  result.column_of_second.resize(second.size());
  result.order.reserve(std::max(first.size(), second.size()));
  const bool both_increase = increase(first, threads) && increase(second, threads);
  for_each_block(1, threads, [&](std::int64_t, Worker& worker) {
    if (both_increase)
      merge_increasing(first, second, worker, result);
    else
      append_new_names(first, second, worker, result);
  });
  return result;
}

}  // namespace termsift
