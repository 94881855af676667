// SPDX-License-Identifier: Apache-2.0
#include "kinds/multicast/row.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "kinds/multicast/multicast.hpp"
#include "kinds/multicast/reader.hpp"

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 1> multicast_keys{"multicast"};

bool goes_to_all(Collective collective) {
  const std::optional<Direction> direction = facts_of(collective).direction;
  return direction == Direction::down || direction == Direction::up_and_down || goes_by_turns(collective);
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
