// SPDX-License-Identifier: Apache-2.0
// The row of a kind of plans: facts that hold before there is a plan. Its class of Steps says what its plans do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collective/collective.hpp"
#include "plan/plan.hpp"
#include "text/fault.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {

/// Of a plan file.
inline constexpr Rank most_ranks = 1'000'000;

/// What a plan file says of every kind of plan.
struct PlanHead {
  Collective collective = Collective::bcast;
  std::optional<Rank> ranks{};              ///< empty: not known, which has been reported
  std::vector<std::string> host_of_rank{};  ///< names; empty: any placement
};

struct PlanKind {
  std::string_view name;                   ///< in the registry, in traces, for people: "trees"
  std::string_view is;                     ///< of an algorithm: "is made of trees"
  std::string_view here;                   ///< of a plan file: "here is a tree"
  std::string_view stream;                 ///< what streams() counts: "tree"
  std::span<const std::string_view> keys;  ///< of plan files, any of which tells this kind

  /// Whether its plans can serve the collective at all.
  bool (*serves)(Collective collective);
  bool one_promise;  ///< each algorithm is made for one collective; else for all that the kind serves
  /// Its plans want datagrams that reach all ranks; where none do, they still run, as best they can.
  bool wants_datagrams;

  /// Its part of a plan file, from the mapping with all keys. With every fault reported where it stands; empty where
  /// there is any. What it returns has passed the check, but for what a generator made for many ranks.
  std::optional<Plan> (*read)(const YamlNode& plan, const PlanHead& head, Faults& faults);
};

}  // namespace trunkline
