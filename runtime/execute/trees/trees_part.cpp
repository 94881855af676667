// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/trees_part.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "execute/trees/pipelined_trees.hpp"
#include "execute/trees/tree_gathering.hpp"
#include "execute/trees/tree_reduction.hpp"
#include "kinds/trees/trees.hpp"

namespace trunkline::runtime {
namespace {

/// A gathering with the shares that it moves.
struct Gathering {
  Gathering(Transport& transport, const Neighbourhood& around, const Gathered& gathered,
            std::span<const Rank> communicator, Message* own, bool in_place, Rank rank, const Pace& pace)
      : shares(put(GatheredShares(gathered, communicator), own, in_place, rank)),
        gathering(transport, around, shares, rank, pace.segment_bytes, pace.in_flight) {}

  static GatheredShares put(GatheredShares shares, Message* own, bool in_place, Rank rank) {
    if (!in_place) shares.put(own, rank);
    return shares;
  }

  GatheredShares shares;
  TreeGathering gathering;
};

class TreesPart final : public LocalPart {
 public:
  /// `around`: in the first tree.
  TreesPart(std::vector<LocalTree> trees, Neighbourhood around, Rank rank)
      : trees_(std::move(trees)), around_(std::move(around)), rank_(rank) {}

  [[nodiscard]] bool is_root() const override { return trees_.front().is_root(); }
  [[nodiscard]] std::size_t streams() const override { return trees_.size(); }

  [[nodiscard]] Running broadcast(Transport& transport, Message& message, const Pace& pace) const override {
    refuse_exchanges();
    return std::make_shared<PipelinedTrees>(transport, trees_, message, pace.segment_bytes, pace.in_flight.bytes);
  }

  [[nodiscard]] Running reduce(Transport& transport, const Operands& operands, const Pace& pace, bool everywhere,
                               OperandOrder order) const override {
    if (!everywhere) refuse_exchanges();
    return std::make_shared<TreeReduction>(transport, trees_, operands, pace.segment_bytes, pace.in_flight, everywhere,
                                           order);
  }

  [[nodiscard]] Running gather(Transport& transport, const Gathered& gathered, Message* own, bool in_place,
                               const Pace& pace) const override {
    if (trees_.size() != 1) throw std::logic_error("shares go along one tree");
    refuse_exchanges();
    const std::vector<Rank> communicator = by_number(static_cast<Rank>(around_.side.size()), 0);
    auto both = std::make_shared<Gathering>(transport, around_, gathered, communicator, own, in_place, rank_, pace);
    Execution* const gathering = &both->gathering;
    return {std::move(both), gathering};
  }

 private:
  /// The plan's check has refused them for what goes one way.
  void refuse_exchanges() const {
    if (!std::ranges::any_of(trees_, &LocalTree::exchanges)) return;
    throw std::logic_error("two roots exchange only what goes up and down again");
  }

  std::vector<LocalTree> trees_;
  Neighbourhood around_;
  Rank rank_;
};

}  // namespace

std::unique_ptr<const LocalPart> trees_part(const Plan& plan, Rank rank, std::span<const int> members) {
  std::vector<LocalTree> own;
  const Trees& trees = trees_of(plan);
  for (const Tree& tree : trees) own.push_back(local_tree(tree, rank, members));
  return std::make_unique<const TreesPart>(std::move(own), neighbourhood_of(trees.front(), rank, members), rank);
}

}  // namespace trunkline::runtime
