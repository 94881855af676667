// SPDX-License-Identifier: Apache-2.0
// Plan files: YAML for people; a plan given by hand is honoured once the checker has passed it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collective/collective.hpp"
#include "plan/plan.hpp"
#include "text/fault.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

class Cluster;

/// A plan with what it is for.
struct PlanFile {
  Collective collective = Collective::bcast;
  std::string algorithm;                             ///< a name of the registry, or "custom" for what was drawn by hand
  std::string cluster;                               ///< name of the cluster it was laid over; empty: none
  std::optional<std::uint64_t> cluster_fingerprint;  ///< with its rates; of older files, of the topology alone
  std::optional<std::uint64_t> topology_fingerprint{};  ///< of hosts, switches and the links that paths take
  std::vector<std::string> host_of_rank;                ///< host names by rank; empty: any placement
  Plan plan;
  std::optional<std::uint64_t> segment_bytes;  ///< empty: chosen for each message
  std::string provenance;                      ///< who or what made it, one line
  std::optional<std::uint64_t> from_bytes{};   ///< shorter messages are not for it; empty: it does not say
  std::optional<std::uint64_t> below_bytes{};  ///< nor are messages of that size and more; empty: no bound
  std::size_t line = 0;                        ///< where it stands in a set of plans or a tuning file; else 0
  std::size_t column = 0;
};

/// Whether it is for that network, as far as it says.
[[nodiscard]] bool is_for(const PlanFile& plan, const Cluster& cluster);

/// Throws FaultyFile with all faults; what it returns has passed the check of its kind, but for what a generator made
/// for many ranks.
[[nodiscard]] PlanFile parse_plan(std::string_view yaml, const std::string& file);
[[nodiscard]] PlanFile read_plan(const std::string& path);

/// What people read, and parse_plan() reads back. Throws InvalidPlan.
[[nodiscard]] std::string write_plan(const PlanFile& plan);

/// For which messages it says it is: "from 64B to below 1KiB"; empty: for all.
[[nodiscard]] std::string sizes_text(const PlanFile& plan);

/// Where a plan stands, and so what it says for itself.
struct PlanPlace {
  std::span<const std::string_view> keys{};  ///< beside those of the shape, its ranks and its steps
  std::optional<Collective> collective{};    ///< empty: the plan says which
};

/// Reports every fault where it stands; what it returns is a plan only where there was none.
[[nodiscard]] PlanFile read_plan_at(const YamlNode& node, const PlanPlace& place, Faults& faults);

}  // namespace trunkline
