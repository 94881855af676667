// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() =
      "Trunkline's core: clusters, plans and their proofs, compiled. ``core/`` holds the documentation in full.";
  module.attr("__version__") = TRUNKLINE_VERSION;
  trunkline::python::bind_faults(module);
  trunkline::python::bind_cluster(module);
  trunkline::python::bind_plan(module);
  trunkline::python::bind_model(module);
  trunkline::python::bind_weighted(module);
  trunkline::python::bind_learned(module);
}
