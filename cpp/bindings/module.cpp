#include "pybind11.hpp"
#include "termsift/runtime.hpp"

namespace termsift::bindings {
namespace {

// Makes an object of a class of the core as pybind11 does. The address of this function differs from that of pybind11's own,
// so Python refuses pybind11_object.__new__(type), too.
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* const base = py::detail::get_internals().instance_base;
  return reinterpret_cast<PyTypeObject*>(base)->tp_new(type, args, kwargs);
}

PyObject* refuse_new(PyObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "an object of termsift._core has no content before __init__: call its class instead");
  return nullptr;
}

PyObject* refuse_reduce(PyObject* self, PyObject*) {
  return PyErr_Format(PyExc_TypeError, "cannot pickle or copy a %s; pickle or copy the object of termsift that holds it",
                      Py_TYPE(self)->tp_name);
}

// Makes __new__ and __reduce__ of every class of the module raise TypeError. The __new__ that pybind11's classes inherit
// returns an object without content, and using that object would read uninitialised memory. The inherited __reduce__ ends
// the process, because it lets pybind11 throw a C++ exception through Python's C code. Libraries that save objects
// (pickle, copy, skops) call both.
void refuse_copies(const py::module_& module) {
  static PyMethodDef new_method{"__new__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(refuse_new)),
                                METH_VARARGS | METH_KEYWORDS, nullptr};
  static PyMethodDef reduce_method{"__reduce__", refuse_reduce, METH_NOARGS, nullptr};
  PyObject* const base = py::detail::get_internals().instance_base;
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    if (!PyType_Check(value.ptr()) || PyObject_IsSubclass(value.ptr(), base) != 1) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
    py::setattr(value, "__new__", py::reinterpret_steal<py::object>(PyCFunction_New(&new_method, nullptr)));
    py::setattr(value, "__reduce__", py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, &reduce_method)));
    type->tp_new = construct;  // calling the class must not call __new__, which setattr put here
  }
}

}  // namespace
}  // namespace termsift::bindings

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  using namespace termsift;
  using namespace termsift::bindings;
  module.doc() = "The compiled core of termsift. Use the functions of the package, which check their arguments.";
  register_characters();
  register_counts(module);
  register_scores(module);
  register_selectors(module);
  register_texts(module);
  register_patterns(module);
  register_text_counting(module);
  register_tables(module);
  register_labels(module);
  register_matrices(module);
  module.attr("__version__") = TERMSIFT_VERSION;
  module.def("compiler", [] {  // returns e.g. "GCC 12.2.0"
#ifdef __clang__
    return "Clang " __clang_version__;
#else
    return "GCC " __VERSION__;
#endif
  });
  module.def("openmp_version", &openmp_version);
  module.def("effective_n_threads", &effective_n_threads, "requested"_a);
  module.def("what_limits_threads", &what_limits_threads);
  module.def("simd_targets", &simd_targets);
  module.def("simd_target", &simd_target);
  module.def("use_simd_target", &use_simd_target, "name"_a);
  refuse_copies(module);
}
