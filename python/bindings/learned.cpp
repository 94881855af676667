// SPDX-License-Identifier: Apache-2.0
// What jobs have learned: its files.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "learn/learned_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trunkline::python {

void bind_learned(nb::module_& module) {
  nb::class_<LearnedArm>(module, "LearnedArm", "What calls of one algorithm took, seconds.")
      .def_ro("algorithm", &LearnedArm::algorithm)
      .def_ro("segment_bytes", &LearnedArm::segment_bytes, "0: native.")
      .def_ro("calls", &LearnedArm::calls, "That were timed.")
      .def_ro("median_s", &LearnedArm::median_s)
      .def_ro("low_s", &LearnedArm::low_s, "Between this and ``high_s`` the median of all such calls is.")
      .def_ro("high_s", &LearnedArm::high_s);
  nb::class_<LearnedEntry>(module, "LearnedEntry", "What was found for calls that are alike.")
      .def_prop_ro("collective", [](const LearnedEntry& entry) { return facts_of(entry.like.collective).name; })
      .def_prop_ro("has_root", [](const LearnedEntry& entry) { return facts_of(entry.like.collective).has_root; })
      .def_prop_ro("root", [](const LearnedEntry& entry) { return entry.like.root; })
      .def_prop_ro(
          "least_bytes", [](const LearnedEntry& entry) { return entry.like.bytes; }, "Of their class of sizes.")
      .def_prop_ro(
          "by_rank", [](const LearnedEntry& entry) { return entry.like.order == OperandOrder::by_rank; },
          "Whether the operation does not commute.")
      .def_prop_ro(
          "ranks", [](const LearnedEntry& entry) { return entry.like.ranks; }, "Of the communicator.")
      .def_prop_ro(
          "placement", [](const LearnedEntry& entry) { return entry.like.placement; }, "A digest of it.")
      .def_ro("algorithm", &LearnedEntry::algorithm, "That runs.")
      .def_ro("segment_bytes", &LearnedEntry::segment_bytes, "0: native.")
      .def_ro("arms", &LearnedEntry::arms, nb::rv_policy::copy)
      .def_ro("trial_calls", &LearnedEntry::trial_calls)
      .def_ro("calls", &LearnedEntry::calls, "Since the trials.")
      .def_ro("jobs", &LearnedEntry::jobs)
      .def_ro("when_s", &LearnedEntry::when_s, "When the last of them ended: seconds since 1970, UTC.")
      .def("is_due", &LearnedEntry::is_due, "Whether a job should try all anew.");
  nb::class_<AlikeJobs>(module, "AlikeJobs", "Jobs whose calls take the same, as far as is known before.")
      .def_ro("cluster", &AlikeJobs::cluster)
      .def_ro("cluster_fingerprint", &AlikeJobs::cluster_fingerprint)
      .def_ro("mpi", &AlikeJobs::mpi)
      .def_ro("mpi_version", &AlikeJobs::mpi_version)
      .def_ro("build", &AlikeJobs::build, "Of the preload library.")
      .def_ro("hosts", &AlikeJobs::hosts)
      .def_ro("ranks", &AlikeJobs::ranks)
      .def_ro("placement", &AlikeJobs::placement)
      .def_ro("conditions", &AlikeJobs::conditions, "A digest of host costs and settings.")
      .def("file_name", &AlikeJobs::file_name, "Under which jobs look for it.");
  nb::class_<Learned>(module, "Learned", "What jobs that are alike have found.")
      .def_ro("jobs", &Learned::jobs, nb::rv_policy::copy)
      .def_rw("entries", &Learned::entries, nb::rv_policy::copy,
              "Ascending, by what they are for. Assign some of them, in this order.")
      .def("merge", &Learned::merge, "other"_a,
           "Takes entries of another one of the same jobs; for the same calls the one that was of use last.");
  module.def("parse_learned", &parse_learned, "yaml"_a, "file"_a,
             "Read what jobs have learned from YAML; ``file`` is for messages. Raises FaultyFile.");
  module.def("read_learned", &read_learned, "path"_a, "Read a file of what jobs have learned. Raises FaultyFile.");
  module.def("write_learned", &write_learned, "learned"_a, "YAML that reads back as the same.");
  module.def("utc_text", &utc_text, "seconds"_a, "``2026-11-29T15:40:24Z``, as these files have times.");
}

}  // namespace trunkline::python
