// SPDX-License-Identifier: Apache-2.0
// Tuning files: which algorithm was measured to be fastest, by network, MPI library and message size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "network/placement.hpp"
#include "plan/collective.hpp"
#include "text/fault.hpp"

namespace trunkline {

/// From this size on, up to the next rule.
struct TuningRule {
  std::uint64_t from_bytes = 0;
  std::string algorithm;            ///< a name of the registry
  std::uint64_t segment_bytes = 0;  ///< 0: native
};

/// For communicators with the same number of ranks on each of so many hosts of one cluster.
struct TuningEntry {
  Collective collective = Collective::bcast;
  std::string cluster;  ///< its name, for people
  std::uint64_t cluster_fingerprint = 0;
  std::uint32_t hosts = 0;
  std::uint32_t ranks_per_host = 0;
  std::string mpi;                ///< "mpich" or "openmpi"
  std::string mpi_version;        ///< "4.0.2"
  std::vector<TuningRule> rules;  ///< from 0 bytes on, ascending

  [[nodiscard]] const TuningRule& rule_for(std::uint64_t message_bytes) const;
};

struct Tuning {
  std::string provenance;  ///< who or what made it, one line
  std::vector<TuningEntry> entries;

  /// Whether anything here was measured on that network with that library.
  [[nodiscard]] bool knows(std::uint64_t cluster_fingerprint, std::string_view mpi, std::string_view mpi_version) const;

  /// The least size at which an entry for that network and library runs anything but native; none: no size.
  [[nodiscard]] std::optional<std::uint64_t> least_accelerated(Collective collective, std::uint64_t cluster_fingerprint,
                                                               std::string_view mpi,
                                                               std::string_view mpi_version) const;

  /// The entry for ranks that sit so on the hosts; null where they sit unevenly, or nothing was measured.
  [[nodiscard]] const TuningEntry* find(Collective collective, std::uint64_t cluster_fingerprint, std::string_view mpi,
                                        std::string_view mpi_version, const Placement& placement) const;
};

/// Throws FaultyFile with all faults: what is there, missing or misspelt, rules out of order, entries for the same
/// case.
[[nodiscard]] Tuning parse_tuning(std::string_view yaml, const std::string& file);
[[nodiscard]] Tuning read_tuning(const std::string& path);
[[nodiscard]] std::string write_tuning(const Tuning& tuning);

}  // namespace trunkline
