// SPDX-License-Identifier: Apache-2.0
// One message into each site, as MagPIe has it (Kielmann, Hofman, Bal, Plaat, Bhoedjang, 1999). Steps as those of
// earliest_edge_tree().
#pragma once

#include "patterns/tree.hpp"
#include "weighted_graph/graph.hpp"

namespace trunkline {

/// Sites are sites_of(). MagPIe's root sends to one host of each site, which passes the message on along a binomial
/// tree; here any host that has it may send to another site, and the earliest completing edge is always next. Labelled:
/// long ways leave first. Throws std::invalid_argument as check_reachable() does.
[[nodiscard]] Tree by_sites_tree(const WeightedGraph& graph, Rank root);

}  // namespace trunkline
