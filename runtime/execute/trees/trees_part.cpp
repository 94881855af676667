// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/trees_part.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "execute/trees/arriving_reduction.hpp"
#include "execute/trees/host_group.hpp"
#include "execute/trees/pipelined_trees.hpp"
#include "execute/trees/tree_gathering.hpp"
#include "execute/trees/tree_reduction.hpp"
#include "kinds/trees/trees.hpp"
#include "transport/shelf.hpp"

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
  /// `around`: in the first tree; `group`: so too, empty where hosts are not known. `exchanges`: two roots do.
  TreesPart(std::vector<LocalTree> trees, Neighbourhood around, HostGroup group, bool exchanges, Rank rank)
      : trees_(std::move(trees)),
        around_(std::move(around)),
        group_(std::move(group)),
        exchanges_(exchanges),
        rank_(rank) {}

  [[nodiscard]] bool is_root() const override { return trees_.front().is_root(); }
  [[nodiscard]] std::size_t streams() const override { return trees_.size(); }

  [[nodiscard]] const char* why_not_by_arrival() const override {
    if (trees_.size() > 1) return "the plan has several trees";
    // The same on all ranks, where those that do not exchange do not see it.
    return exchanges_ ? "two roots exchange" : nullptr;
  }

  [[nodiscard]] Running broadcast(Transport& transport, Message& message, const Pace& pace) const override {
    refuse_exchanges();
    return std::make_shared<PipelinedTrees>(transport, trees_, message, pace.segment_bytes, pace.in_flight.bytes);
  }

  [[nodiscard]] Running reduce(Transport& transport, const Operands& operands, const Pace& pace, bool everywhere,
                               OperandOrder order) const override {
    if (!everywhere) refuse_exchanges();
    if (pace.by_arrival && everywhere && combines_on(transport.shelf(), operands, pace, order)) {
      return std::make_shared<ArrivingReduction>(transport, transport.shelf(), trees_.front(), group_, operands);
    }
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
  /// The same on all ranks of the call, since those of other hosts take a sum from any rank of this one: where hosts
  /// are known, memory reaches all of a group, and where they are not, all ranks are one group.
  [[nodiscard]] bool combines_on(const Shelf* shelf, const Operands& operands, const Pace& pace,
                                 OperandOrder order) const {
    const std::uint64_t bytes = operands.count() * operands.element_bytes();
    const std::uint64_t most = shelf != nullptr ? shelf->most_bytes() : longest_partial;
    return why_not_by_arrival() == nullptr && order == OperandOrder::any && !operands.reproducible() &&
           bytes <= std::min(pace.segment_bytes, most) && !group_.ranks.empty() &&
           std::ranges::all_of(group_.ranks, [&](int rank) {
             return rank == group_.own || (shelf != nullptr && shelf->reaches(rank));
           });
  }

  /// The plan's check has refused them for what goes one way.
  void refuse_exchanges() const {
    if (!std::ranges::any_of(trees_, &LocalTree::exchanges)) return;
    throw std::logic_error("two roots exchange only what goes up and down again");
  }

  std::vector<LocalTree> trees_;
  Neighbourhood around_;
  HostGroup group_;
  bool exchanges_;
  Rank rank_;
};

}  // namespace

std::unique_ptr<const LocalPart> trees_part(const Plan& plan, Rank rank, std::span<const int> members,
                                            std::span<const HostIndex> hosts) {
  std::vector<LocalTree> own;
  const Trees& trees = trees_of(plan);
  for (const Tree& tree : trees) own.push_back(local_tree(tree, rank, members));
  HostGroup group = hosts.empty() ? HostGroup() : host_group(trees.front(), rank, members, hosts);
  return std::make_unique<const TreesPart>(std::move(own), neighbourhood_of(trees.front(), rank, members),
                                           std::move(group), trees.front().exchange != no_rank, rank);
}

}  // namespace trunkline::runtime
