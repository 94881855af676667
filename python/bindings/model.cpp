// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <span>
#include <stdexcept>

#include "bindings.hpp"
#include "decide/choice.hpp"
#include "decide/tuning_file.hpp"
#include "model/block_costs.hpp"
#include "model/measured_trees.hpp"
#include "model/measurement.hpp"
#include "model/tree_costs.hpp"
#include "model/wire.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trunkline::python {

namespace {

/// Of any kind of costs; throws std::invalid_argument where one of the sizes is zero.
template <auto Predicted, class Costs>
double checked_seconds(const Costs& costs, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  if (message_bytes == 0 || segment_bytes == 0) {
    throw std::invalid_argument("message_bytes and segment_bytes must be above zero");
  }
  return std::invoke(Predicted, costs, message_bytes, segment_bytes);
}

void bind_costs(nb::module_& module) {
  nb::class_<TreeCosts>(module, "TreeCosts", "What a pipelined broadcast over a tree costs, from stated rates.")
      .def("seconds", &checked_seconds<&tree_seconds, TreeCosts>, "message_bytes"_a, "segment_bytes"_a)
      .def(
          "best_segment",
          [](const TreeCosts& costs, std::uint64_t message_bytes) { return best_segment(costs, message_bytes); },
          "message_bytes"_a, "Bytes; of the candidates, the one predicted fastest.")
      .def_prop_ro("network_hops", [](const TreeCosts& costs) { return costs.network_hops; });
  module.def(
      "tree_costs",
      [](const Cluster& cluster, const Placement& placement, const std::vector<Tree>& trees) {
        if (trees.empty()) throw std::invalid_argument("no trees");
        return tree_costs(cluster, placement, std::span(trees));
      },
      "cluster"_a, "placement"_a, "trees"_a, "Of trees that take segments by turns; one is a list of one.");
  nb::class_<BlockCosts>(module, "BlockCosts", "What a broadcast by blocks costs, from stated rates.")
      .def("seconds", &checked_seconds<&block_seconds, BlockCosts>, "message_bytes"_a, "segment_bytes"_a)
      .def(
          "best_segment",
          [](const BlockCosts& costs, std::uint64_t message_bytes) { return best_segment(costs, message_bytes); },
          "message_bytes"_a, "Bytes; of the candidates, the one predicted fastest.");
  module.def(
      "block_costs",
      [](const std::string& name, const Cluster& cluster, const Placement& placement, Rank root) {
        const auto algorithm = find_algorithm("bcast", name);
        if (!algorithm) throw std::invalid_argument("no algorithm " + name + " for bcast");
        return block_costs(*algorithm, cluster, placement, root);
      },
      "name"_a, "cluster"_a, "placement"_a, "root"_a, "Of an algorithm that goes by blocks.");
  module.def(
      "segment_candidates", [] { return std::vector<std::uint64_t>(segment_sizes().begin(), segment_sizes().end()); },
      "Bytes, ascending.");
  module.attr("frame_payload_bytes") = frame_payload_bytes;
  module.attr("frame_wire_bytes") = frame_wire_bytes;
  module.attr("mpi_header_bytes") = mpi_header_bytes;
  nb::enum_<NativeLibrary>(module, "NativeLibrary")
      .value("mpich", NativeLibrary::mpich)
      .value("openmpi", NativeLibrary::openmpi);
  nb::class_<Prediction>(module, "Prediction", "One algorithm with the segment that suits it, for one message.")
      .def_ro("algorithm", &Prediction::algorithm)
      .def_ro("segment_bytes", &Prediction::segment_bytes, "0: native.")
      .def_ro("seconds", &Prediction::seconds);
  nb::class_<Choice>(module, "Choice", "What the rule picks without a tuning file.")
      .def_ro("algorithm", &Choice::algorithm)
      .def_ro("segment_bytes", &Choice::segment_bytes, "0: native.")
      .def_prop_ro(
          "predictions", [](const Choice& choice) { return choice.predictions; },
          "Fastest first, native among them; empty: all ranks share one host.")
      .def_ro("reason", &Choice::reason);
  nb::class_<BcastFacts>(module, "BcastFacts", "What the rule knows of one placement, root and library.")
      .def("choose", &choose_bcast, "message_bytes"_a);
  module.def("bcast_facts", &bcast_facts, "cluster"_a, "placement"_a, "root"_a, "native"_a);
}

void bind_tuning(nb::module_& module) {
  nb::class_<TuningRule>(module, "TuningRule", "From this size on, up to the next rule.")
      .def(nb::init<std::uint64_t, std::string, std::uint64_t>(), "from_bytes"_a, "algorithm"_a, "segment_bytes"_a)
      .def_ro("from_bytes", &TuningRule::from_bytes)
      .def_ro("algorithm", &TuningRule::algorithm)
      .def_ro("segment_bytes", &TuningRule::segment_bytes, "0: native.");
  nb::class_<TuningEntry>(module, "TuningEntry", "For so many hosts of one cluster with as many ranks on each.")
      .def(nb::init<>())
      .def_rw("collective", &TuningEntry::collective)
      .def_rw("cluster", &TuningEntry::cluster)
      .def_rw("cluster_fingerprint", &TuningEntry::cluster_fingerprint)
      .def_rw("hosts", &TuningEntry::hosts)
      .def_rw("ranks_per_host", &TuningEntry::ranks_per_host)
      .def_rw("mpi", &TuningEntry::mpi)
      .def_rw("mpi_version", &TuningEntry::mpi_version)
      .def_prop_rw(
          "rules", [](const TuningEntry& entry) { return entry.rules; },
          [](TuningEntry& entry, std::vector<TuningRule> rules) { entry.rules = std::move(rules); },
          "Ascending, from 0 bytes on. Assign a whole list.")
      .def("rule_for", &TuningEntry::rule_for, "message_bytes"_a, nb::rv_policy::copy);
  nb::class_<Tuning>(module, "Tuning", "What was measured to be fastest.")
      .def(nb::init<>())
      .def_rw("provenance", &Tuning::provenance)
      .def_prop_rw(
          "entries", [](const Tuning& tuning) { return tuning.entries; },
          [](Tuning& tuning, std::vector<TuningEntry> entries) { tuning.entries = std::move(entries); },
          "Assign a whole list.")
      .def("knows", &Tuning::knows, "cluster_fingerprint"_a, "mpi"_a, "mpi_version"_a,
           "Whether anything here was measured on that network with that library.")
      .def("find", &Tuning::find, "collective"_a, "cluster_fingerprint"_a, "mpi"_a, "mpi_version"_a, "placement"_a,
           nb::rv_policy::copy,
           nb::sig("def find(self, collective: str, cluster_fingerprint: int, mpi: str, mpi_version: str, "
                   "placement: collections.abc.Sequence[int]) -> trunkline._core.TuningEntry | None"),
           "The entry for ranks that sit so on the hosts; None where there is none.");
  module.def("parse_tuning", &parse_tuning, "yaml"_a, "file"_a);
  module.def("read_tuning", &read_tuning, "path"_a);
  module.def("write_tuning", &write_tuning, "tuning"_a);
}

void bind_measurement(nb::module_& module) {
  nb::class_<MeasuredPoint>(module, "MeasuredPoint", "Times of one message size, seconds.")
      .def_ro("bytes", &MeasuredPoint::bytes)
      .def_ro("round_trip_s", &MeasuredPoint::round_trip_s)
      .def_ro("gap_s", &MeasuredPoint::gap_s, "g(m)")
      .def_ro("send_s", &MeasuredPoint::send_s, "os(m)")
      .def_ro("receive_s", &MeasuredPoint::receive_s, "or(m)")
      .def_ro("spread", &MeasuredPoint::spread)
      .def_prop_ro("latency_s", &MeasuredPoint::latency_s, "L(m)");
  nb::class_<MeasuredDistance>(module, "MeasuredDistance", "Pairs of ranks that are equally far apart.")
      .def_ro("channels", &MeasuredDistance::channels)
      .def_ro("eager_bytes", &MeasuredDistance::eager_bytes)
      .def_prop_ro("points", [](const MeasuredDistance& distance) { return distance.points; });
  nb::class_<RelayPoint>(module, "RelayPoint", "All ranks handing segments on at once, seconds.")
      .def_ro("bytes", &RelayPoint::bytes)
      .def_ro("gap_s", &RelayPoint::gap_s, "Between consecutive segments.")
      .def_ro("spread", &RelayPoint::spread);
  nb::class_<Measurement>(module, "Measurement", "Measured point-to-point times of a network.")
      .def_ro("cluster", &Measurement::cluster)
      .def_ro("cluster_fingerprint", &Measurement::cluster_fingerprint)
      .def_ro("mpi", &Measurement::mpi)
      .def_ro("mpi_version", &Measurement::mpi_version)
      .def_prop_ro("distances", [](const Measurement& measurement) { return measurement.distances; })
      .def_prop_ro(
          "relay",
          [](const Measurement& measurement) {
            return measurement.relay ? measurement.relay->points : std::vector<RelayPoint>{};
          },
          "By ascending size; empty where none was measured.");
  module.def("parse_measurement", &parse_measurement, "yaml"_a, "file"_a);
  module.def("read_measurement", &read_measurement, "path"_a);
  nb::class_<MeasuredTrees>(module, "MeasuredTrees",
                            "Times of trees that take segments by turns, from measured tables.")
      .def(nb::init<const Measurement&, const Cluster&, const Placement&, std::vector<Tree>>(), "measurement"_a,
           "cluster"_a, "placement"_a, "trees"_a, nb::keep_alive<1, 2>())
      .def("seconds", &checked_seconds<&MeasuredTrees::seconds, MeasuredTrees>, "message_bytes"_a, "segment_bytes"_a)
      .def("best_segment", &MeasuredTrees::best_segment, "message_bytes"_a);
}

}  // namespace

void bind_model(nb::module_& module) {
  bind_costs(module);
  bind_tuning(module);
  bind_measurement(module);
}

}  // namespace trunkline::python
