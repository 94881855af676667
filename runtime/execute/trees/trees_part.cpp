// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/trees_part.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "execute/trees/pipelined_trees.hpp"
#include "execute/trees/tree_reduction.hpp"
#include "kinds/trees/trees.hpp"

namespace trunkline::runtime {
namespace {

class TreesPart final : public LocalPart {
 public:
  explicit TreesPart(std::vector<LocalTree> trees) : trees_(std::move(trees)) {}

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

 private:
  /// The plan's check has refused them for what goes one way.
  void refuse_exchanges() const {
    if (!std::ranges::any_of(trees_, &LocalTree::exchanges)) return;
    throw std::logic_error("two roots exchange only what goes up and down again");
  }

  std::vector<LocalTree> trees_;
};

}  // namespace

std::unique_ptr<const LocalPart> trees_part(const Plan& plan, Rank rank, std::span<const int> members) {
  std::vector<LocalTree> own;
  for (const Tree& tree : trees_of(plan)) own.push_back(local_tree(tree, rank, members));
  return std::make_unique<const TreesPart>(std::move(own));
}

}  // namespace trunkline::runtime
