// Takes any arrays as a matrix, labels and weights. Invalid arrays must be refused. On valid arrays, every path must
// return the counts of the plain loop.
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "../collections.hpp"
#include "fuzz.hpp"

using namespace termsift;
using namespace collections;

namespace {

// Returns a small value most of the time, so that most inputs can be counted, and sometimes a value of arbitrary bits.
template <class T>
T any_value(fuzz::Bytes& bytes, int usual) {
  if (bytes.below(64) == 0) {
    if constexpr (std::is_same_v<T, Bool>)
      return Bool{bytes.take<std::uint8_t>()};
    else
      return bytes.take<T>();
  }
  return static_cast<T>(bytes.below(usual));
}

template <class Value>
bool is_count(Value value) {
  if constexpr (std::is_floating_point_v<Value>)
    return value >= 0 && value <= std::numeric_limits<Value>::max();
  else if constexpr (std::is_same_v<Value, Bool>)
    return true;
  else
    return value >= Value{0};
}

template <class Index, class Value>
bool is_sound(const Matrix<Index, Value>& x) {
  if (x.indptr.front() != 0) return false;
  for (std::size_t row = 1; row < x.indptr.size(); ++row)
    if (x.indptr[row] < x.indptr[row - 1]) return false;
  if (static_cast<std::int64_t>(x.indptr.back()) > static_cast<std::int64_t>(x.data.size())) return false;
  for (std::size_t e = 0; e < at(x.indptr.back()); ++e)
    if (x.indices[e] < 0 || x.indices[e] >= x.n_columns || !is_count(x.data[e])) return false;
  return true;
}

// Returns true if no sum of counts overflows int64, and no sum of doubles becomes infinite.
template <CountType Count, class Index, class Value>
bool is_small(const Matrix<Index, Value>& x, const std::vector<Count>& weights) {
  long double sum = 0, docs = 0;
  for (const Count weight : weights) docs += static_cast<long double>(weight);
  for (std::size_t e = 0; e < at(x.indptr.back()); ++e) {
    if constexpr (std::is_same_v<Value, Bool>)
      sum += 1;
    else
      sum += static_cast<long double>(x.data[e]);
  }
  return (sum + 1) * (docs + 1) < (std::is_integral_v<Count> ? 0x1p62L : 0x1p1000L);
}

// The row of the collection is described too, whether it is stored or computed as the sum of the classes.
template <CountType Count>
std::string describe_all(const ClassCounts<Count>& counts) {
  return describe_rows(counts) + describe(*collection_row(counts));
}

template <class Index, class Value, class Count>
void run(fuzz::Bytes& bytes) {
  const auto n_docs = bytes.below(24), n_classes = 1 + bytes.below(6);
  const bool weighted = bytes.flag(), several = bytes.flag(), tidy = bytes.below(4) != 0;
  Matrix<Index, Value> x;
  x.n_columns = bytes.below(64) == 0 ? 1 + bytes.take<std::uint16_t>() : 1 + bytes.below(20);
  Labels labels{n_classes, several, {0}, {}};
  std::vector<Count> weights;
  for (int d = 0; d < n_docs; ++d) {
    for (int n = bytes.below(6); n > 0; --n) {
      x.indices.push_back(any_value<Index>(bytes, tidy ? static_cast<int>(std::min<std::int64_t>(x.n_columns, 255)) : 255));
      x.data.push_back(any_value<Value>(bytes, 5));
    }
    x.indptr.push_back(tidy ? static_cast<Index>(x.indices.size()) : any_value<Index>(bytes, 100));
    std::vector<ClassId> classes;
    if (several) {
      for (ClassId c = 0; c < n_classes; ++c)
        if (bytes.below(3) == 0) classes.push_back(c);
    } else {
      classes.push_back(static_cast<ClassId>(bytes.below(n_classes)));
    }
    labels.add(classes);
    if (weighted)
      weights.push_back(std::is_integral_v<Count> ? static_cast<Count>(bytes.below(4))
                                                  : static_cast<Count>(bytes.below(9) / 4.0));
  }
  const bool sound = is_sound(x);
  bool refused = false;
  try {
    check_csr(x.view(), {}, Threads{});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  fuzz::require(refused == !sound, sound ? "a sound matrix is refused" : "a matrix that is not sound passes");

  const bool small = sound && is_small(x, weights);
  const std::string want = small ? describe_all(count_plainly<Count>(x, labels, weights)) : "";
  for (const Way& way : ways({1, 4096, default_window_bytes}, {1, 2})) {
    try {
      const ClassCounts<Count> before = no_counts<Count>(n_classes);
      const auto got = count(before, x, labels, weights, way.options);
      fuzz::require(sound, way.text + "a matrix that is not sound is counted");
      if (small) fuzz::require_equal(describe_all(got), want, way.text);
    } catch (const std::invalid_argument&) {
      fuzz::require(!small, way.text + "a small sound matrix is refused");
    } catch (const CountOverflow&) {
      fuzz::require(!small, way.text + "a small matrix overflows");
    }
  }
}

template <class Index>
void run_any(fuzz::Bytes& bytes) {
  switch (bytes.below(6)) {
    case 0: return run<Index, std::int32_t, std::int64_t>(bytes);
    case 1: return run<Index, std::int64_t, std::int64_t>(bytes);
    case 2: return run<Index, std::uint8_t, std::int64_t>(bytes);
    case 3: return run<Index, Bool, std::int64_t>(bytes);
    case 4: return run<Index, float, double>(bytes);
    default: return run<Index, double, double>(bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  if (bytes.flag()) run_any<std::int32_t>(bytes);
  else run_any<std::int64_t>(bytes);
  return 0;
}
