// SPDX-License-Identifier: Apache-2.0
// Tuning files: which algorithm was measured to be fastest, by network, MPI library and message size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "network/cluster.hpp"
#include "network/placement.hpp"
#include "plan_file/plan_file.hpp"
#include "text/fault.hpp"

namespace trunkline {

/// From this size on, up to the next rule.
struct TuningRule {
  std::uint64_t from_bytes = 0;
  std::string algorithm;            ///< a name of the registry, or the shape of the rule's own plan
  std::uint64_t segment_bytes = 0;  ///< 0: native or, with a plan, chosen for each message
  /// Of the entry's collective and number of ranks; null: what the algorithm lays.
  std::shared_ptr<const PlanFile> plan{};
};

/// What a host was seen to carry to another one.
struct TunedRate {
  std::string from{};
  std::string to{};
  double bps = 0.0;  ///< of the messages' bytes, without headers
};

/// Rules for communicators on `hosts` hosts of one cluster with `ranks_per_host` ranks on each.
struct TuningEntry {
  Collective collective = Collective::bcast;
  std::string cluster;                    ///< its name, for people
  std::uint64_t cluster_fingerprint = 0;  ///< of the network as its file said it was
  /// There: for all networks of this topology, whatever rates their files state; empty: for that very network alone.
  std::optional<std::uint64_t> topology_fingerprint;
  std::vector<TunedRate> measured_rates;  ///< while it was tuned
  std::uint32_t hosts = 0;
  std::uint32_t ranks_per_host = 0;  ///< 0: not the same on each
  /// Not the same on each: of the host of rank 0, of the next one that a rank is the first on, and so on.
  std::vector<std::uint32_t> ranks_by_host{};
  std::string mpi;                ///< "mpich" or "openmpi"
  std::string mpi_version;        ///< "4.0.2"
  std::vector<TuningRule> rules;  ///< from 0 bytes on, ascending

  [[nodiscard]] const TuningRule& rule_for(std::uint64_t message_bytes) const;
  [[nodiscard]] std::uint64_t ranks() const;
};

struct Tuning {
  std::string provenance;  ///< who or what made it, one line
  std::vector<TuningEntry> entries;

  /// The entries that hold on that network under that library, those of the very network before those of its topology.
  [[nodiscard]] Tuning holding_on(const Cluster& cluster, std::string_view mpi, std::string_view mpi_version) const;

  /// The least size at which an entry runs anything but native; none: no size.
  [[nodiscard]] std::optional<std::uint64_t> least_accelerated(Collective collective) const;

  /// The first entry for ranks that sit so on the hosts; null where there is none.
  [[nodiscard]] const TuningEntry* find(Collective collective, const Placement& placement) const;
};

/// Where an entry was measured at other rates than the cluster states: one line for people that has the pair of hosts
/// that differs most; empty: nowhere. Throws std::invalid_argument where it names a host that is not in the cluster.
[[nodiscard]] std::string contradiction(const TuningEntry& entry, const Cluster& cluster);

/// Throws FaultyFile with all faults: missing or misspelt keys, values, rules out of order, entries for the same case.
[[nodiscard]] Tuning parse_tuning(std::string_view yaml, const std::string& file);
[[nodiscard]] Tuning read_tuning(const std::string& path);
[[nodiscard]] std::string write_tuning(const Tuning& tuning);

}  // namespace trunkline
