#include "pybind11.hpp"
#include "termsift/runtime.hpp"

namespace termsift::bindings {

void register_runtime(py::module_& module) {
  module.attr("__version__") = version();
  module.def("compiler", &compiler);
  module.def("openmp_version", &openmp_version);
  module.def("effective_n_threads", &effective_n_threads, "requested"_a);
  module.def("what_limits_threads", &what_limits_threads);
  module.def("simd_targets", &simd_targets);
  module.def("simd_target", &simd_target);
  module.def("use_simd_target", &use_simd_target, "name"_a);
}

}  // namespace termsift::bindings
