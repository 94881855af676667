// SPDX-License-Identifier: Apache-2.0
// C++ errors become Python ones here, once for all functions.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include "bindings.hpp"
#include "network/cluster.hpp"
#include "plan/checker.hpp"
#include "text/fault.hpp"

namespace nb = nanobind;

namespace trunkline::python {

namespace {

void raise_faulty_file(const std::exception_ptr& error, void* type) {
  try {
    std::rethrow_exception(error);
  } catch (const FaultyFile& faulty) {
    const auto exception_type = nb::borrow<nb::object>(static_cast<PyObject*>(type));
    const nb::object instance = exception_type(faulty.what());
    instance.attr("faults") = faulty.faults();
    PyErr_SetObject(exception_type.ptr(), instance.ptr());
  }
}

}  // namespace

void bind_faults(nb::module_& module) {
  nb::class_<Fault>(module, "Fault", "One thing wrong with an input file, where it is, and what would be right.")
      .def_ro("file", &Fault::file)
      .def_ro("line", &Fault::line, "Counted from 1; 0: the file as a whole.")
      .def_ro("column", &Fault::column, "Counted from 1.")
      .def_ro("message", &Fault::message)
      .def("text", &Fault::text, "``file:line:column: message``.")
      .def("__repr__", [](const Fault& fault) { return "<Fault " + fault.text() + ">"; });

  const nb::exception<FaultyFile> faulty_file(module, "FaultyFile", PyExc_ValueError);
  faulty_file.attr("__doc__") = "An input file that cannot be used; ``faults`` holds all of its faults, in file order.";
  // Registered after the plain one, so asked first.
  nb::register_exception_translator(raise_faulty_file, faulty_file.ptr());

  const nb::exception<InvalidPlan> invalid_plan(module, "InvalidPlan", PyExc_ValueError);
  invalid_plan.attr("__doc__") = "A plan that does not bring every rank what its collective promises.";
}

}  // namespace trunkline::python
