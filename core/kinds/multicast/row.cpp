// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/row.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "kinds/multicast/multicast.hpp"

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 1> multicast_keys{"multicast"};

bool goes_to_all(Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  return facts.direction == Direction::down || facts.direction == Direction::up_and_down || facts.gathers_shares();
}

}  // namespace

constexpr PlanKind multicast_kind{.name = "multicast",
                                  .is = "goes by multicast",
                                  .here = "here is a multicast",
                                  .stream = "multicast",
                                  .keys = multicast_keys,
                                  .serves = goes_to_all,
                                  .one_promise = false,
                                  .wants_datagrams = true,
                                  .read = read_multicast};

}  // namespace trunkline
