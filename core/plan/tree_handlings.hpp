// SPDX-License-Identifier: Apache-2.0
// What ranks do with the segments of trees that take them by turns: what TreeCosts::handlings is taken from.
#pragma once

#include <cstddef>
#include <vector>

#include "network/placement.hpp"
#include "patterns/over_hosts.hpp"
#include "patterns/tree.hpp"
#include "plan/injections.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {

class TreeHandlings {
 public:
  /// Each tree carries that part of the message.
  TreeHandlings(const Injections& injections, const Placement& placement, double part)
      : injections_(injections), placement_(placement), part_(part) {}

  void add(const Tree& tree);
  /// The same of all of these trees, which are not laid over the ranks: of who leads each host in a lane, and of the
  /// first of the others, who do the same.
  void add(const HostTrees& trees);

  /// Of the busiest rank, each way that data go.
  [[nodiscard]] Handlings busiest(const HostCosts& hosts) const;
  /// Of a segment, within hosts, one way.
  [[nodiscard]] double local_transfers() const { return local_transfers_; }

 private:
  /// What a rank does with the segments of one tree.
  struct Does {
    std::size_t sends = 0;  ///< to other hosts
    std::size_t local_sends = 0;
    bool receives = true;
    bool from_own_host = true;
  };

  void add_to(Handlings& handlings, HostIndex host, const Does& does);
  static Does does(const HostTrees& trees, const Tree& tree, std::size_t lane, Rank number, Rank rank, Rank root);

  Injections injections_;
  const Placement& placement_;
  double part_;
  std::vector<Handlings> by_rank_;  ///< of a segment; of ranks of a host that do the same perhaps of one
  double local_transfers_ = 0.0;
};

}  // namespace trunkline
