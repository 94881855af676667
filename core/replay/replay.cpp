// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "kinds/rounds/rounds.hpp"
#include "kinds/trees/trees.hpp"
#include "plan/checker.hpp"
#include "replay/gather_replay.hpp"
#include "replay/ground.hpp"
#include "replay/round_replay.hpp"
#include "replay/tree_replay.hpp"

namespace trunkline {

Replayed replayed(const Paths& paths, const Placement& placement, const Plan& plan, Collective collective,
                  const HostCosts& hosts, std::uint64_t message_bytes, std::uint64_t segment_bytes) {
  check_fit(paths.cluster(), placement, plan.ranks(), plan.root());
  const ReplayGround ground{.paths = paths,
                            .placement = placement,
                            .hosts = hosts,
                            .in_flight = in_flight(paths, placement, plan, collective, hosts),
                            .message_bytes = message_bytes,
                            .segment_bytes = std::min(message_bytes, segment_bytes)};
  if (const Rounds* const rounds = find_rounds(plan)) return RoundReplay(ground, *rounds).run();
  const CollectiveFacts& facts = facts_of(collective);
  if (facts.gathers_shares()) return GatherReplay(ground, trees_of(plan).front()).run();
  if (facts.direction) return TreeReplay(ground, shapes_of(plan, placement), *facts.direction).run();
  throw std::invalid_argument("trees do not serve " + std::string(facts.name));
}

}  // namespace trunkline
