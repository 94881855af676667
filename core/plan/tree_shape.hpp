// SPDX-License-Identifier: Apache-2.0
// A tree as the way of its segments sees it: of the ranks of a host those alone that hand them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/placement.hpp"
#include "patterns/over_hosts.hpp"
#include "patterns/tree.hpp"

namespace trunkline {

/// Most ranks of a host get their segments from another one there, and hand them to nobody: local leaves, of which only
/// the number counts.
struct TreeShape {
  static constexpr std::uint32_t no_node = ~std::uint32_t{0};

  struct Child {
    std::uint32_t node;
    Rank local_leaves;  ///< that get theirs right before it
  };
  struct Node {
    Rank rank;
    HostIndex host;
    std::vector<Child> children{};  ///< in sending order
    Rank further_leaves = 0;        ///< local ones that get theirs after all children

    [[nodiscard]] bool sends() const { return further_leaves > 0 || !children.empty(); }
  };
  std::vector<Node> nodes{};  ///< by rank
  std::uint32_t root = 0;
  std::uint32_t exchange = no_node;
};

/// `kept` is no leaf even if it is one; no_rank: none.
[[nodiscard]] TreeShape shape_of(const Tree& tree, const Placement& placement, Rank kept = no_rank);

/// The numbers of the hosts, in the order of who leads them in a lane; in the root's place no_rank where it leads none.
/// Lanes in which they are the same go alike, but for which rank of a host it is that hands on.
using LeadersByRank = std::vector<Rank>;
[[nodiscard]] LeadersByRank leaders_of(const HostTrees& trees, std::size_t lane);

/// Of one of the trees in a lane, without laying it over the ranks: the same as of what with_all_ranks() lays. None of
/// its roots exchange.
[[nodiscard]] TreeShape shape_of(const HostTrees& trees, std::size_t tree, std::size_t lane);

/// Nodes from the root on, each after its parent.
[[nodiscard]] std::vector<std::uint32_t> parents_first(const TreeShape& shape);

/// A send of `parent` to `to`; no_node: to local leaves alone. Right before it `local_leaves` leaves get theirs: the
/// last one of a parent is the latest, and all of them are taken together.
struct FirstSend {
  std::uint32_t parent = TreeShape::no_node;
  std::uint32_t to = TreeShape::no_node;
  Rank local_leaves = 0;
};
struct FirstSends {
  std::vector<FirstSend> sends{};
  std::vector<std::size_t> begin{0};  ///< of each round, and the end
};

/// Who gets the first segment in which round, if every send takes one. A root that exchanges has it as the other
/// does.
[[nodiscard]] FirstSends first_sends(const TreeShape& shape);

}  // namespace trunkline
