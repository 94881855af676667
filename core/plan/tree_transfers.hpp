// SPDX-License-Identifier: Apache-2.0
// Transfers of a segment between the hosts of trees: what each channel carries of all of them, and of those of a round.
#pragma once

#include <cstddef>

#include "collective/collective.hpp"
#include "model/transfer/path_loads.hpp"
#include "network/paths.hpp"

namespace trunkline {

class TreeTransfers {
 public:
  TreeTransfers(const Paths& paths, Direction direction)
      : paths_(paths), direction_(direction), all_(paths), round_(paths), back_(paths) {}

  void begin_round();
  /// From a parent to its child; what goes up goes the other way.
  void add(NodeId parent, NodeId child);
  void settle_round();

  /// Of a transfer of the round, as its data go. What goes up and down takes twice the mean of both.
  [[nodiscard]] PathCost cost_of(std::size_t transfer) const;
  /// The same where data go both ways at once.
  [[nodiscard]] PathCost cost_of_exchange(std::size_t transfer) const;

  /// Of all rounds.
  [[nodiscard]] PathLoads& all() { return all_; }
  [[nodiscard]] const PathLoads& all() const { return all_; }

 private:
  [[nodiscard]] PathCost backwards(std::size_t transfer) const;

  const Paths& paths_;
  Direction direction_;
  PathLoads all_;
  PathLoads round_;
  PathLoads back_;  ///< of the round, the other way; none where links are alike both ways
};

}  // namespace trunkline
