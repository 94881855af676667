// SPDX-License-Identifier: Apache-2.0
#include "kinds/rounds/row.hpp"

#include <array>
#include <string_view>

#include "kinds/rounds/reader.hpp"

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 1> round_keys{"rounds"};

/// Each of them is made for one promise, and the check says whether it keeps it.
bool any_collective(Collective /*collective*/) { return true; }

}  // namespace

constexpr PlanKind rounds_kind{.name = "rounds",
                               .is = "goes by rounds",
                               .here = "here are rounds",
                               .stream = "schedule",
                               .keys = round_keys,
                               .serves = any_collective,
                               .one_promise = true,
                               .wants_datagrams = false,
                               .read = read_rounds};

}  // namespace trunkline
