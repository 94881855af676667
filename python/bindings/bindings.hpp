// SPDX-License-Identifier: Apache-2.0
// One function a topic; each adds its part to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace trunkline::python {

void bind_faults(nanobind::module_& module);
void bind_cluster(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_weighted(nanobind::module_& module);
void bind_learned(nanobind::module_& module);

}  // namespace trunkline::python
