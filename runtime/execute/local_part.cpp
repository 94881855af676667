// SPDX-License-Identifier: Apache-2.0
#include "execute/local_part.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "execute/multicast/multicast_part.hpp"
#include "execute/rounds/rounds_part.hpp"
#include "execute/trees/trees_part.hpp"
#include "kinds/multicast/row.hpp"
#include "kinds/rounds/row.hpp"
#include "kinds/trees/row.hpp"

namespace trunkline::runtime {
namespace {

using Members = std::span<const int>;
using Hosts = std::span<const HostIndex>;

struct Row {
  const PlanKind* kind;
  std::unique_ptr<const LocalPart> (*part)(const Plan& plan, Rank rank, Members members, Hosts hosts);
};

constexpr std::array part_rows{
    Row{&trees_kind, trees_part},
    Row{&rounds_kind,
        [](const Plan& plan, Rank rank, Members members, Hosts) { return rounds_part(plan, rank, members); }},
    Row{&multicast_kind,
        [](const Plan& plan, Rank rank, Members members, Hosts) { return multicast_part(plan, rank, members); }},
};

}  // namespace

std::unique_ptr<const LocalPart> local_part(const Plan& plan, Rank rank, std::span<const int> members,
                                            std::span<const HostIndex> hosts) {
  // By name: in a simulation the plan may be another rank's, which has its own copy of the rows.
  const auto* const found =
      std::ranges::find(part_rows, plan.kind().name, [](const Row& row) { return row.kind->name; });
  if (found == part_rows.end()) {
    throw std::logic_error("nothing runs plans of this kind: " + std::string(plan.kind().name));
  }
  return found->part(plan, rank, members, hosts);
}

}  // namespace trunkline::runtime
