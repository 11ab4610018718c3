// The one place where numpy dtypes become C++ types.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "pybind11.hpp"
#include "termsift/csr_view.hpp"
#include "termsift/scores.hpp"

namespace termsift::bindings {

template <class T>
bool has_dtype(const py::array& array) {
  if constexpr (std::is_same_v<T, Bool>)
    return py::isinstance<py::array_t<bool>>(array);
  else
    return py::isinstance<py::array_t<T>>(array);
}

inline void require_vector(const py::array& array, const char* name) {
  if (array.ndim() != 1 || !(array.flags() & py::array::c_style))
    throw py::value_error(std::string(name) + " must be a contiguous vector");
}

template <class T>
const T* vector_data(const py::array& array, const char* name) {
  require_vector(array, name);
  if (!has_dtype<T>(array))
    throw py::type_error(std::string(name) + " has the dtype " + py::str(array.dtype()).cast<std::string>());
  return static_cast<const T*>(array.data());
}

template <class T>
std::span<const T> span_of(const py::array& array, const char* name) {
  const T* const data = vector_data<T>(array, name);
  return {data, static_cast<std::size_t>(array.size())};
}

// Returns the arguments of a call as an Estimation, which refers to the array. b2 is a double-double: value and remainder.
inline Estimation estimation(double b1, std::pair<double, double> b2, const std::optional<py::array>& prior) {
  Estimation e{b1, b2.first, {}, b2.second};
  if (prior) e.prior_weights = span_of<double>(*prior, "class_prior");
  return e;
}

// Returns a view of the arrays, which the caller keeps alive. Raises TypeError for a dtype that types.hpp does not list;
// nothing is converted.
inline AnyCsr csr_of(const py::array& indptr, const py::array& indices, const py::array& data, std::int64_t n_columns) {
  require_vector(data, "data");
  if (indptr.size() < 1) throw py::value_error("indptr is empty, expected one entry more than rows");
  if (indices.size() != data.size()) throw py::value_error("indices and data differ in length");
  const bool narrow = has_dtype<std::int32_t>(indptr);
#define TERMSIFT_TRY(Index, Value)                                                                                  \
  if (narrow == std::is_same_v<Index, std::int32_t> && has_dtype<Value>(data))                                      \
    return CsrView<Index, Value>{indptr.size() - 1, n_columns, data.size(), vector_data<Index>(indptr, "indptr"),   \
                                 vector_data<Index>(indices, "indices"), static_cast<const Value*>(data.data())};
  TERMSIFT_FOR_EACH_MATRIX(TERMSIFT_TRY)
#undef TERMSIFT_TRY
  throw py::type_error("no counts of dtype " + py::str(data.dtype()).cast<std::string>());
}

}  // namespace termsift::bindings
