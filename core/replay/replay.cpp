// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "kinds/rounds/rounds.hpp"
#include "kinds/trees/row.hpp"
#include "kinds/trees/trees.hpp"
#include "plan/checker.hpp"
#include "replay/ground.hpp"

namespace trunkline {

std::optional<Replayed> replayed_within(std::uint64_t most_events, const Paths& paths, const Placement& placement,
                                        const Plan& plan, Collective collective, const HostCosts& hosts,
                                        std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  check_fit(paths.cluster(), placement, plan.ranks(), plan.root());
  const ReplayGround ground{.paths = paths,
                            .placement = placement,
                            .hosts = hosts,
                            .in_flight = in_flight(paths, placement, plan, collective, hosts),
                            .message_bytes = message_bytes,
                            .segment_bytes = std::min(message_bytes, segment_bytes)};
  const CollectiveFacts& facts = facts_of(collective);
  if (const Rounds* const rounds = find_rounds(plan)) return replayed_rounds(ground, *rounds, facts, most_events);
  if (&plan.kind() != &trees_kind) return {};
  if (facts.gathers_shares()) return replayed_gather(ground, trees_of(plan).front(), most_events);
  if (facts.direction) return replayed_trees(ground, shapes_of(plan, placement), *facts.direction, most_events);
  return {};
}

Replayed replayed(const Paths& paths, const Placement& placement, const Plan& plan, Collective collective,
                  const HostCosts& hosts, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  constexpr std::uint64_t any_number = std::numeric_limits<std::uint64_t>::max();
  const auto known =
      replayed_within(any_number, paths, placement, plan, collective, hosts, message_bytes, segment_bytes);
  if (known) return *known;
  throw std::invalid_argument("no replay is built for " + std::string(plan.kind().name) + " of " +
                              std::string(facts_of(collective).name));
}

}  // namespace trunkline
