// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>

#include "algorithms/registry.hpp"
#include "bindings.hpp"
#include "choose/accuracy.hpp"
#include "choose/candidates.hpp"
#include "choose/laid_on.hpp"
#include "choose/least_time.hpp"
#include "decide/decision.hpp"
#include "kinds/multicast/datagram.hpp"
#include "learn/rehearsal.hpp"
#include "learn/trials.hpp"
#include "model/measured/measurement.hpp"
#include "model/native/native_choice.hpp"
#include "model/transfer/host_costs.hpp"
#include "model/transfer/segments.hpp"
#include "model/transfer/wire.hpp"
#include "plan/costs.hpp"
#include "replay/replay.hpp"
#include "tuning/tuning_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trunkline::python {

namespace {

/// Throws std::invalid_argument where one of the sizes is zero.
void check_sizes(std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  if (message_bytes == 0 || segment_bytes == 0) {
    throw std::invalid_argument("message_bytes and segment_bytes must be above zero");
  }
}

/// Python sees one class, whatever kind of plan it is.
struct PlanCosts {
  Costs costs;

  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
    check_sizes(message_bytes, segment_bytes);
    return costs->seconds(message_bytes, segment_bytes);
  }
  [[nodiscard]] std::uint64_t best_segment(std::uint64_t message_bytes) const {
    return costs->best_segment(message_bytes);
  }
};

void bind_costs(nb::module_& module) {
  nb::class_<PlanCosts>(module, "Costs", "What a plan costs, from stated rates.")
      .def("seconds", &PlanCosts::seconds, "message_bytes"_a, "segment_bytes"_a)
      .def("best_segment", &PlanCosts::best_segment, "message_bytes"_a,
           "Bytes; of the candidates, the one predicted fastest.");
  module.def(
      "costs_of",
      [](const Cluster& cluster, const Placement& placement, const Plan& plan, const std::string& collective,
         const std::string& host_costs) {
        return PlanCosts{costs_of(cluster, placement, plan, collective_named(collective),
                                  host_costs_from(host_costs, usual_host_costs()))};
      },
      "cluster"_a, "placement"_a, "plan"_a, "collective"_a = "bcast",
      "host_costs"_a = std::string(usual_host_costs().name),
      "What a plan costs, of whatever kind it is. Raises ValueError.");
  module.def(
      "replayed_seconds",
      [](const Cluster& cluster, const Placement& placement, const Plan& plan, const std::string& collective,
         std::uint64_t message_bytes, std::uint64_t segment_bytes, const std::string& host_costs) {
        check_sizes(message_bytes, segment_bytes);
        return replayed(Paths(cluster), placement, plan, collective_named(collective),
                        host_costs_from(host_costs, usual_host_costs()), message_bytes, segment_bytes)
            .seconds;
      },
      "cluster"_a, "placement"_a, "plan"_a, "collective"_a, "message_bytes"_a, "segment_bytes"_a,
      "host_costs"_a = std::string(usual_host_costs().name),
      "How long a plan of trees or rounds takes, message by message. Raises ValueError.");
  module.def(
      "host_costs_of",
      [](const std::string& mpi, const std::string& version) { return host_costs_of(mpi, version).name; }, "mpi"_a,
      "mpi_version"_a, "Name of a library's defaults.");
  module.def(
      "host_costs_from", [](const std::string& text) { return host_costs_from(text, usual_host_costs()).name; },
      "text"_a, "Name of those that TRUNKLINE_HOST_COSTS says so. Raises ValueError.");
  module.def(
      "segment_candidates", [] { return std::vector<std::uint64_t>(segment_sizes().begin(), segment_sizes().end()); },
      "Bytes, ascending.");
  module.attr("frame_payload_bytes") = frame_payload_bytes;
  module.attr("frame_wire_bytes") = frame_wire_bytes;
  module.attr("mpi_header_bytes") = mpi_header_bytes;
  nb::enum_<NativeLibrary>(module, "NativeLibrary", "Whose native algorithms a prediction is about.")
      .value("mpich", NativeLibrary::mpich)
      .value("openmpi", NativeLibrary::openmpi);
  nb::class_<Accuracy>(module, "Accuracy",
                       "How far predicted times of 19 in 20 cells were off where they could be compared.")
      .def_ro("ours", &Accuracy::ours, "Our times are within this part of a simulated or measured one, 19 of 20.")
      .def_ro("library_least", &Accuracy::library_least,
              "Times of the library's own calls over predicted ones, at the least.")
      .def_ro("library_most", &Accuracy::library_most, "At the most.");
  module.attr("source_of_accuracy") = source_of_accuracy;
  module.def("accuracy_of", &accuracy_of, "library"_a, "ranks_per_host"_a, "fastest_bps"_a,
             "Of predictions over hosts' links of that rate.");
  module.attr("least_gain_of_a_model") = least_gain_of_a_model;
  nb::class_<NativeChoice>(module, "NativeChoice", "Which algorithm a library selects by itself, in its own words.")
      .def_ro("algorithm", &NativeChoice::algorithm, "As its settings name it; empty: not known.")
      .def_ro("by_hosts", &NativeChoice::by_hosts, "It runs among the first ranks of all hosts.")
      .def_ro("reduce", &NativeChoice::reduce, "Of an allreduce that is a reduce and then a broadcast; else empty.")
      .def_ro("bcast", &NativeChoice::bcast, "The same.")
      .def_ro("unknown", &NativeChoice::unknown, "Why nothing is known.");
  module.def(
      "native_choice",
      [](NativeLibrary library, const std::string& collective, const Placement& placement, Rank root,
         std::uint64_t message_bytes) {
        if (root >= placement.size()) throw std::invalid_argument("the root is not one of the ranks");
        return native_choice(library, collective_named(collective), placement, root, message_bytes);
      },
      "library"_a, "collective"_a, "placement"_a, "root"_a, "message_bytes"_a,
      "What the library runs for a message of that length, without settings of its own.");
  nb::class_<Prediction>(module, "Prediction", "One algorithm with the segment that suits it, for one message.")
      .def_ro("algorithm", &Prediction::algorithm)
      .def_ro("segment_bytes", &Prediction::segment_bytes, "0: native.")
      .def_ro("seconds", &Prediction::seconds);
}

/// A Decider with what it refers to.
class Decisions {
 public:
  Decisions(Knowledge knowledge, const std::string& collective, Placement placement, Rank root)
      : knowledge_(std::move(knowledge)),
        collective_(collective_named(collective)),
        placement_(std::move(placement)),
        decider_(knowledge_, collective_, placement_, root) {
    knowledge_.look_for_short_calls(placement_);
  }
  Decisions(const Decisions&) = delete;
  Decisions& operator=(const Decisions&) = delete;

  Decision decide(std::uint64_t bytes, const std::string& wish, bool commutes, bool datagrams) {
    return decider_.decide(bytes, order(commutes), parse_wish(collective_, wish), true, reach(datagrams));
  }
  std::vector<Prediction> predictions(std::uint64_t bytes, bool commutes, bool datagrams) {
    return decider_.predictions(bytes, order(commutes), reach(datagrams));
  }
  std::vector<Prediction> arms(std::uint64_t bytes) {
    const Decision runs = decider_.decide(bytes, OperandOrder::any, {}, false, Reach::messages);
    const Arm first{.algorithm = runs.algorithm, .segment_bytes = runs.segment_bytes};
    if (runs.chosen_by != ChosenBy::prediction) return {{first.algorithm, first.segment_bytes, 0.0}};
    std::vector<Prediction> all;
    for (const Arm& arm : decider_.arms(bytes, OperandOrder::any, first)) {
      all.push_back({arm.algorithm, arm.segment_bytes, arm.predicted_s});
    }
    return all;
  }
  double seconds_of(const std::string& algorithm, std::uint64_t bytes, std::uint64_t segment_bytes) {
    return decider_.seconds_of(named(algorithm), bytes, segment_bytes);
  }
  std::uint64_t best_segment_of(const std::string& algorithm, std::uint64_t bytes) {
    return decider_.best_segment_of(named(algorithm), bytes);
  }
  double saved_s(std::uint64_t bytes, const Decision& with, const Decision& without) {
    return decider_.saved_s(bytes, with, without);
  }
  double opening_s(const Decision& with) { return decider_.opening_s(with); }
  double numbering_s() { return decider_.numbering_s(); }

 private:
  [[nodiscard]] std::string_view named(const std::string& algorithm) const {
    if (!knowledge_.cluster) throw std::invalid_argument("no cluster is known");
    if (const GivenPlan* const given = knowledge_.given(algorithm)) return given->name;
    const auto known = find_algorithm(collective_, algorithm);
    if (!known || known->is_native()) throw std::invalid_argument("no algorithm with plans is called " + algorithm);
    return known->name;
  }
  static OperandOrder order(bool commutes) { return commutes ? OperandOrder::any : OperandOrder::by_rank; }
  static Reach reach(bool datagrams) { return datagrams ? Reach::datagrams : Reach::messages; }

  Knowledge knowledge_;
  Collective collective_;
  Placement placement_;
  Decider decider_;
};

/// A row of the table of choice, for one collective.
struct CandidateFor {
  const Candidate* candidate;
  bool is_compared;
};

std::vector<CandidateFor> candidates_for(const std::string& collective) {
  const std::vector<const Candidate*> compared = compared_for(collective_named(collective));
  std::vector<CandidateFor> all;
  for (const Candidate* const one : tuned_for(collective_named(collective))) {
    all.push_back({one, std::ranges::find(compared, one) != compared.end()});
  }
  return all;
}

void bind_candidates(nb::module_& module) {
  nb::class_<Uncertainty>(module, "Uncertainty", "What the predicted times of some algorithms do not know.")
      .def_ro("name", &Uncertainty::name, "Of the algorithms, for people.")
      .def_ro("margin", &Uncertainty::margin, "So many times as fast as native they must be predicted.")
      .def_ro("handicap", &Uncertainty::handicap, "That their times are multiplied by before they are compared.")
      .def_ro("lost_of_links", &Uncertainty::lost_of_links, "This part of the links' time is added.")
      .def_ro("least_block_bytes", &Uncertainty::least_block_bytes, "Not compared where blocks are shorter.")
      .def_ro("long_block_bytes", &Uncertainty::long_block_bytes, "Where they are shorter, there is one more handicap.")
      .def_ro("short_block_handicap", &Uncertainty::short_block_handicap)
      .def_ro("source", &Uncertainty::source, "Where that was measured.")
      .def_prop_ro(
          "shared_hosts",
          [](const Uncertainty& one) {
            return one.shared_hosts == nullptr ? std::nullopt : std::optional(*one.shared_hosts);
          },
          "Instead, where hosts have several ranks; None: the same.");
  nb::class_<CandidateFor>(module, "Candidate", "A row of the table of choice, for one collective.")
      .def_prop_ro("name", [](const CandidateFor& one) { return one.candidate->name; })
      .def_prop_ro(
          "least_lanes", [](const CandidateFor& one) { return one.candidate->least_lanes; },
          "Only where each host has whole groups of so many ranks or more.")
      .def_prop_ro(
          "role", [](const CandidateFor& one) { return name_of(one.candidate->role); },
          "``tree``, ``wide tree``, ``blind``, ``rounds``, ``scattered`` or ``shared hosts``.")
      .def_ro("is_compared", &CandidateFor::is_compared,
              "By ``auto``; else it is measured by ``trunkline tune`` alone.")
      .def_prop_ro("uncertainty", [](const CandidateFor& one) { return *one.candidate->uncertainty; });
  module.def("candidates", &candidates_for, "collective"_a,
             "What ``auto`` compares and ``trunkline tune`` measures. Raises ValueError.");
  module.def("uncertainty_of_replays", &uncertainty_of_replays,
             "Where replays are true, of every candidate but multicasts of results and of shares.");
  module.attr("least_bytes") = least_bytes;
}

void bind_decisions(nb::module_& module) {
  nb::class_<Knowledge>(module, "Knowledge", "What decisions follow from, besides the call: all ranks know it equally.")
      .def(
          "__init__",
          [](Knowledge* self, std::optional<Cluster> cluster, NativeLibrary native, std::string mpi,
             std::string mpi_version, bool reproducible, const std::string& host_costs, bool multicasts) {
            const std::string_view family = native == NativeLibrary::openmpi ? "openmpi" : "mpich";
            HostCosts usual = host_costs_of(family, mpi_version);
            // What a job would decide here; without a library it is for nowhere in particular.
            if (!mpi.empty()) usual.memory = &memory_speeds_here();
            const HostCosts hosts = host_costs_from(host_costs, usual);
            new (self) Knowledge{.library = {native, std::move(mpi), std::move(mpi_version)},
                                 .hosts = hosts,
                                 .cluster = std::move(cluster),
                                 .reproducible = reproducible,
                                 .multicasts = multicasts};
          },
          "cluster"_a.none(), "native"_a, "mpi"_a, "mpi_version"_a, "reproducible"_a = false, "host_costs"_a = "",
          "multicasts"_a = true,
          "``mpi`` as tuning files name it; ``host_costs`` as TRUNKLINE_HOST_COSTS, empty: the library's; "
          "``reproducible``: reductions keep one "
          "order of operands; ``multicasts``: ``auto`` may take plans that go by datagrams.")
      .def("take_plan", &Knowledge::take_plan, "plan"_a, "file"_a, "ValueError where it is for another cluster.")
      .def("take_plans", &Knowledge::take_plans, "plans"_a, "file"_a, "ValueError where one is for another cluster.")
      .def("take_measurement", &Knowledge::take_measurement, "measurement"_a, "file"_a,
           "ValueError where it is for another cluster or library.")
      .def(
          "costs_of",
          [](const Knowledge& knowledge, const Placement& placement, const Plan& plan, const std::string& collective) {
            if (!knowledge.cluster) throw std::invalid_argument("no cluster is known");
            return PlanCosts{told_costs(knowledge.network(), placement, plan, collective_named(collective),
                                        knowledge.message_costs())};
          },
          "placement"_a, "plan"_a, "collective"_a,
          "From the network as it was measured, else as it is stated; ValueError where there is no cluster.")
      .def(
          "take_named_tables", [](Knowledge& knowledge) { knowledge.take_named_tables(); },
          "Those that the cluster's file names, if any; FaultyFile where they are for another cluster or library.")
      .def_prop_ro(
          "is_measured", [](const Knowledge& knowledge) { return knowledge.measured.has_value(); },
          "Whether times follow from measured tables.")
      .def_prop_ro(
          "contradictions",
          [](const Knowledge& knowledge) {
            return knowledge.measured ? knowledge.measured->contradictions : std::vector<std::string>{};
          },
          "Where a measured rate is not the stated one, for people.")
      .def("take_tuning", &Knowledge::take_tuning, "tuning"_a, "file"_a, "ValueError where nothing in it fits.");
  nb::class_<Decision>(module, "Decision", "What runs for a call, and why.")
      .def_ro("algorithm", &Decision::algorithm,
              "``native``, a name of the registry, or the plan of a file: see ``is_given``.")
      .def_ro("segment_bytes", &Decision::segment_bytes, "0: native.")
      .def_ro("reason", &Decision::reason)
      .def_ro("may_wait", &Decision::may_wait, "Native would do until what it saves has paid for preparations.")
      .def_ro("wants_datagrams", &Decision::wants_datagrams,
              "Chosen for ranks that datagrams reach: where they do not, another one runs.");
  nb::class_<Decisions>(module, "Decider", "Decides the calls of one collective on the same ranks from one root.")
      .def(nb::init<Knowledge, std::string, Placement, Rank>(), "knowledge"_a, "collective"_a, "placement"_a, "root"_a)
      .def("decide", &Decisions::decide, "message_bytes"_a, "wish"_a = "auto", "commutes"_a = true,
           "datagrams"_a = true,
           "As the preload library does; ``wish`` as in the setting ``TRUNKLINE_BCAST``; ``commutes``: a reduction's "
           "operation; ``datagrams``: they reach all ranks.")
      .def("predictions", &Decisions::predictions, "message_bytes"_a, "commutes"_a = true, "datagrams"_a = true,
           "Of what is compared, in the segments that would run: fastest first, native among them; empty: nothing is "
           "known of the library on one host.")
      .def("arms", &Decisions::arms, "message_bytes"_a,
           "What a job may try for such calls (TRUNKLINE_LEARN), without multicasts: what runs untried first, native, "
           "and others; one: nothing is tried.")
      .def("seconds_of", &Decisions::seconds_of, "algorithm"_a, "message_bytes"_a, "segment_bytes"_a,
           "What an algorithm, or the plan of a file, would take; ValueError where it has no plans, or no cluster is "
           "known.")
      .def("best_segment_of", &Decisions::best_segment_of, "algorithm"_a, "message_bytes"_a,
           "The segment in which it would run; ValueError as ``seconds_of``.")
      .def("saved_s", &Decisions::saved_s, "message_bytes"_a, "with_datagrams"_a, "without"_a,
           "What a decision that wants datagrams is predicted to save beside one without.")
      .def("opening_s", &Decisions::opening_s, "with_datagrams"_a,
           "What ranks spend before the first call of such a plan on a communicator.")
      .def("numbering_s", &Decisions::numbering_s,
           "What ranks spend to agree on a number for a communicator other than MPI_COMM_WORLD.");
  module.def(
      "least_crossing_s",
      [](const Cluster& cluster, const Placement& placement, const std::string& collective, Rank root,
         std::uint64_t message_bytes) {
        return least_crossing_s(Paths(cluster), placement, collective_named(collective), root, message_bytes);
      },
      "cluster"_a, "placement"_a, "collective"_a, "root"_a, "message_bytes"_a,
      "Seconds below which no call is: latencies of the longest way, and the bytes over the slowest link on it.");
  module.attr("plan_of_file") = plan_of_file;
  module.def("is_given", &is_given, "algorithm"_a, "Whether a decision's algorithm is a plan that a file gave.");
  module.def("is_eager_multicast", &is_eager_multicast, "message_bytes"_a,
             "Whether the root of such a multicast leaves once it has sent it, in frames of 1500 bytes.");
}

void bind_tuning(nb::module_& module) {
  nb::class_<TuningRule>(module, "TuningRule", "From this size on, up to the next rule.")
      .def(nb::init<std::uint64_t, std::string, std::uint64_t>(), "from_bytes"_a, "algorithm"_a, "segment_bytes"_a)
      .def_ro("from_bytes", &TuningRule::from_bytes)
      .def_ro("algorithm", &TuningRule::algorithm)
      .def_prop_rw(
          "plan",
          [](const TuningRule& rule) { return rule.plan != nullptr ? std::optional(*rule.plan) : std::nullopt; },
          [](TuningRule& rule, const PlanFile& plan) {
            rule.plan = std::make_shared<const PlanFile>(plan);
            rule.algorithm = plan.algorithm;
          },
          "Of one's own; None: what the algorithm lays. Assign a whole one.")
      .def_ro("segment_bytes", &TuningRule::segment_bytes, "0: native or, with a plan, chosen for each message.");
  nb::class_<TunedRate>(module, "TunedRate", "What a host was seen to carry to another one, bits per second.")
      .def(nb::init<std::string, std::string, double>(), "from_host"_a, "to_host"_a, "bps"_a)
      .def_ro("from_host", &TunedRate::from)
      .def_ro("to_host", &TunedRate::to)
      .def_ro("bps", &TunedRate::bps);
  nb::class_<TuningEntry>(module, "TuningEntry", "For so many hosts of one cluster with as many ranks on each.")
      .def(nb::init<>())
      .def_prop_rw(
          "collective", [](const TuningEntry& entry) { return facts_of(entry.collective).name; },
          [](TuningEntry& entry, const std::string& name) { entry.collective = collective_named(name); })
      .def_rw("cluster", &TuningEntry::cluster)
      .def_rw("cluster_fingerprint", &TuningEntry::cluster_fingerprint)
      .def_rw("topology_fingerprint", &TuningEntry::topology_fingerprint, nb::arg().none(),
              "None: for that very network alone.")
      .def_rw("measured_rates", &TuningEntry::measured_rates, nb::rv_policy::copy, "Assign a whole list.")
      .def("contradiction", &contradiction, "cluster"_a,
           "Where it was measured at other rates than that cluster states, for people; empty: nowhere.")
      .def_rw("hosts", &TuningEntry::hosts)
      .def_rw("ranks_per_host", &TuningEntry::ranks_per_host, "0: not the same on each.")
      .def_rw("ranks_by_host", &TuningEntry::ranks_by_host,
              "Of hosts in the order of their first ranks; empty: the same on each. Assign a whole list.")
      .def_rw("mpi", &TuningEntry::mpi)
      .def_rw("mpi_version", &TuningEntry::mpi_version)
      .def_rw("rules", &TuningEntry::rules, nb::rv_policy::copy, "Ascending, from 0 bytes on. Assign a whole list.")
      .def("rule_for", &TuningEntry::rule_for, "message_bytes"_a, nb::rv_policy::copy);
  nb::class_<Tuning>(module, "Tuning", "What was measured to be fastest.")
      .def(nb::init<>())
      .def_rw("provenance", &Tuning::provenance)
      .def_rw("entries", &Tuning::entries, nb::rv_policy::copy, "Assign a whole list.")
      .def("holding_on", &Tuning::holding_on, "cluster"_a, "mpi"_a, "mpi_version"_a,
           "The entries that hold on that network under that library.")
      .def(
          "find",
          [](const Tuning& tuning, const std::string& collective, const Placement& placement) {
            return tuning.find(collective_named(collective), placement);
          },
          "collective"_a, "placement"_a, nb::rv_policy::copy,
          nb::sig("def find(self, collective: str, placement: collections.abc.Sequence[int]) -> "
                  "TuningEntry | None"),
          "The entry for ranks that sit so on the hosts; None where there is none.");
  module.def("parse_tuning", &parse_tuning, "yaml"_a, "file"_a,
             "Read a tuning file from YAML; ``file`` is for messages. Raises FaultyFile.");
  module.def("read_tuning", &read_tuning, "path"_a, "Read a tuning file. Raises FaultyFile.");
  module.def("write_tuning", &write_tuning, "tuning"_a, "YAML that reads back as an equal tuning file.");
}

/// Of a table that a file may have.
template <auto Table>
auto points_of(const Measurement& measurement) {
  const auto& table = measurement.*Table;
  return table ? table->points : decltype(table->points){};
}

void bind_measurement(nb::module_& module) {
  nb::class_<MeasuredPoint>(module, "MeasuredPoint", "Times of one message size, seconds.")
      .def_ro("bytes", &MeasuredPoint::bytes)
      .def_ro("round_trip_s", &MeasuredPoint::round_trip_s)
      .def_ro("gap_s", &MeasuredPoint::gap_s, "The gap g(m).")
      .def_ro("send_s", &MeasuredPoint::send_s, "The processor time os(m).")
      .def_ro("receive_s", &MeasuredPoint::receive_s, "The processor time or(m).")
      .def_ro("spread", &MeasuredPoint::spread)
      .def_prop_ro("latency_s", &MeasuredPoint::latency_s, "The latency L(m).");
  nb::class_<MeasuredDistance>(module, "MeasuredDistance", "Pairs of ranks that are equally far apart.")
      .def_ro("channels", &MeasuredDistance::channels)
      .def_ro("eager_bytes", &MeasuredDistance::eager_bytes)
      .def_ro("points", &MeasuredDistance::points, nb::rv_policy::copy);
  nb::class_<RelayPoint>(module, "RelayPoint", "All ranks handing segments on at once, seconds.")
      .def_ro("bytes", &RelayPoint::bytes)
      .def_ro("gap_s", &RelayPoint::gap_s, "Between consecutive segments.")
      .def_ro("spread", &RelayPoint::spread);
  nb::class_<DatagramPoint>(module, "DatagramPoint", "A multicast datagram, seconds of a processor.")
      .def_ro("bytes", &DatagramPoint::bytes)
      .def_ro("send_s", &DatagramPoint::send_s)
      .def_ro("receive_s", &DatagramPoint::receive_s)
      .def_ro("spread", &DatagramPoint::spread);
  nb::class_<CombinePoint>(module, "CombinePoint", "An operand that is added to another one, seconds of a processor.")
      .def_ro("bytes", &CombinePoint::bytes)
      .def_ro("time_s", &CombinePoint::time_s)
      .def_ro("spread", &CombinePoint::spread);
  nb::class_<Measurement>(module, "Measurement", "Measured point-to-point times of a network.")
      .def_ro("cluster", &Measurement::cluster)
      .def_ro("cluster_fingerprint", &Measurement::cluster_fingerprint)
      .def_ro("mpi", &Measurement::mpi)
      .def_ro("mpi_version", &Measurement::mpi_version)
      .def_ro("distances", &Measurement::distances, nb::rv_policy::copy)
      .def_prop_ro("relay", &points_of<&Measurement::relay>, "By ascending size; empty where none was measured.")
      .def_prop_ro("datagrams", &points_of<&Measurement::datagrams>,
                   "By ascending size; empty where none was measured.")
      .def_prop_ro("combining", &points_of<&Measurement::combining>,
                   "By ascending size; empty where none was measured.");
  module.def(
      "with_datagrams",
      [](const std::string& host_costs, const Measurement& measured) {
        if (!measured.datagrams && !measured.combining) return host_costs;
        const HostCosts known = host_costs_from(host_costs, usual_host_costs());
        return host_costs + "," + datagram_costs_text(with_combining(with_datagrams(known, measured), measured));
      },
      "host_costs"_a, "measured"_a,
      "What TRUNKLINE_HOST_COSTS says, with what datagrams and combining were measured to cost hosts; the same where "
      "they were not.");
  module.def("read_measurement", &read_measurement, "path"_a, "Read a measurement file. Raises FaultyFile.");
  module.def("read_named_tables", &read_named_tables, "cluster"_a,
             "What the cluster's file names; None: nothing. FaultyFile where it is missing or of another cluster.");
}

void bind_learning(nb::module_& module) {
  module.attr("most_lost_share") = most_lost_share;
  module.attr("granted_loss_s") = granted_loss_s;
  nb::class_<Rehearsal>(module, "Rehearsal", "What trials would do.")
      .def_ro("ran", &Rehearsal::ran, "By call: the place of what it runs.")
      .def_ro("settled_after", &Rehearsal::settled_after, "Calls; 0: it did not settle.")
      .def_ro("runs", &Rehearsal::runs, "In the end.");
  module.def(
      "rehearse",
      [](const std::vector<Prediction>& arms, const std::vector<std::vector<double>>& seconds) {
        std::vector<Arm> all;
        for (const Prediction& one : arms) {
          all.push_back({.algorithm = one.algorithm, .segment_bytes = one.segment_bytes, .predicted_s = one.seconds});
        }
        const std::size_t calls = seconds.empty() ? 0 : seconds.front().size();
        if (seconds.size() != all.size() ||
            !std::ranges::all_of(seconds, [&](const auto& each) { return each.size() == calls; })) {
          throw std::invalid_argument("as many times are needed of each algorithm, for each call");
        }
        return rehearse(Trials(std::move(all), 0), calls,
                        [&](std::size_t arm, std::uint64_t call) { return seconds[arm][call]; });
      },
      "arms"_a, "seconds"_a,
      "Trials of a program whose calls are alike. ``arms`` as of ``Decider.arms``; ``seconds``: by arm, what each call "
      "would take. Raises ValueError.");
}

}  // namespace

void bind_model(nb::module_& module) {
  bind_costs(module);
  bind_candidates(module);
  bind_decisions(module);
  bind_tuning(module);
  bind_measurement(module);
  bind_learning(module);
}

}  // namespace trunkline::python
