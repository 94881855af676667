// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_part.hpp"

#include <utility>
#include <vector>

#include "execute/multicast/eager.hpp"
#include "execute/multicast/eager_result.hpp"
#include "execute/multicast/multicast_receiver.hpp"
#include "execute/multicast/multicast_root.hpp"
#include "execute/trees/local_tree.hpp"
#include "execute/trees/pipelined_trees.hpp"
#include "execute/trees/tree_reduction.hpp"
#include "kinds/multicast/multicast.hpp"

namespace trunkline::runtime {
namespace {

class MulticastPart final : public LocalPart {
 public:
  /// `up`: trees that operands go up; none: the confirm tree.
  MulticastPart(int root, LocalTree confirm, std::vector<LocalTree> up, std::span<const int> members, double byte_s)
      : root_(root),
        confirm_(std::move(confirm)),
        up_(std::move(up)),
        members_(members.begin(), members.end()),
        byte_s_(byte_s) {
    if (up_.empty()) up_.push_back(confirm_);
  }

  [[nodiscard]] bool is_root() const override { return confirm_.is_root(); }
  [[nodiscard]] std::size_t streams() const override { return up_.size(); }
  [[nodiscard]] bool uses_datagrams() const override { return true; }

  /// Where no datagram reaches all ranks, along the confirm tree, as any broadcast along a tree.
  [[nodiscard]] Running broadcast(Transport& transport, Message& message, const Pace& pace) const override {
    Datagrams* const datagrams = transport.datagrams();
    if (datagrams == nullptr || message.bytes() == 0) {
      return std::make_shared<PipelinedTrees>(transport, std::span(&confirm_, 1), message, pace.segment_bytes,
                                              pace.in_flight.bytes);
    }
    if (datagrams->is_eager(packets_of(message.bytes(), datagrams->payload_bytes()))) {
      if (is_root()) return std::make_shared<EagerRoot>(transport, *datagrams, message, byte_s_);
      return std::make_shared<EagerReceiver>(transport, *datagrams, root_, message, byte_s_);
    }
    if (is_root()) {
      return std::make_shared<MulticastRoot>(transport, *datagrams, confirm_.children, message, byte_s_);
    }
    return std::make_shared<MulticastReceiver>(transport, *datagrams, root_, confirm_.parent, confirm_.children,
                                               message);
  }

  /// Where no datagram reaches all ranks, or the result is too long for a root that leaves: up the trees and down
  /// again, as any reduction over trees.
  [[nodiscard]] Running reduce(Transport& transport, const Operands& operands, const Pace& pace, bool everywhere,
                               OperandOrder order) const override {
    Datagrams* const datagrams = transport.datagrams();
    const std::uint64_t bytes = operands.count() * operands.element_bytes();
    if (!everywhere || datagrams == nullptr || members_.size() == 1 ||
        !datagrams->is_eager(packets_of(bytes, datagrams->payload_bytes()))) {
      return std::make_shared<TreeReduction>(transport, up_, operands, pace.segment_bytes, pace.in_flight, everywhere,
                                             order);
    }
    datagrams->is_meeting();
    const ResultPlan plan{.trees = up_, .members = members_, .root = root_, .byte_s = byte_s_};
    if (is_root()) {
      return std::make_shared<EagerResultRoot>(transport, *datagrams, plan, operands, pace.segment_bytes,
                                               pace.in_flight, order);
    }
    return std::make_shared<EagerResultReceiver>(transport, *datagrams, plan, operands, pace.segment_bytes,
                                                 pace.in_flight, order);
  }

 private:
  int root_;
  LocalTree confirm_;
  std::vector<LocalTree> up_;
  std::vector<int> members_;
  double byte_s_;
};

}  // namespace

std::unique_ptr<const LocalPart> multicast_part(const Plan& plan, Rank rank, std::span<const int> members) {
  const Multicast& multicast = multicast_of(plan);
  if (multicast.goes_by_turns() && multicast.has_groups()) return grouped_turns_part(multicast, rank, members);
  if (multicast.goes_by_turns()) return turns_part(multicast, rank, members);
  if (multicast.has_groups()) return grouped_part(multicast, rank, members);
  std::vector<LocalTree> up;
  for (const Tree& tree : multicast.reduce) up.push_back(local_tree(tree, rank, members));
  return std::make_unique<const MulticastPart>(members[multicast.confirm.root],
                                               local_tree(multicast.confirm, rank, members), std::move(up), members,
                                               multicast.byte_s);
}

}  // namespace trunkline::runtime
