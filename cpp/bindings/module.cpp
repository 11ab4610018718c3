#include "pybind11.hpp"

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  using namespace termsift::bindings;
  module.doc() = "The compiled core of termsift. Use the functions of the package, which check their arguments.";
  register_characters();
  register_counts(module);
  register_scores(module);
  register_greedy(module);
  register_naive_bayes(module);
  register_conditional_gain(module);
  register_svmlight(module);
  register_texts(module);
  register_text_counting(module);
  register_tables(module);
  register_labels(module);
  register_linear_machines(module);
  register_runtime(module);
}
