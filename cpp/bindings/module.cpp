#include "pybind11.hpp"
#include "termsift/runtime.hpp"

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  using namespace termsift;
  using namespace termsift::bindings;
  module.doc() = "The compiled core of termsift. Use the functions of the package, which check their arguments.";
  register_characters();
  register_counts(module);
  register_scores(module);
  register_selectors(module);
  register_texts(module);
  register_text_counting(module);
  register_tables(module);
  register_labels(module);
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
}
