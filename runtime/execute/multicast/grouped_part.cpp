// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_part.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "execute/chained.hpp"
#include "execute/joined.hpp"
#include "execute/multicast/eager.hpp"
#include "execute/multicast/multicast_receiver.hpp"
#include "execute/multicast/multicast_root.hpp"
#include "execute/trees/local_tree.hpp"
#include "execute/trees/pipelined_trees.hpp"
#include "execute/trees/tree_reduction.hpp"
#include "kinds/multicast/groups.hpp"

namespace trunkline::runtime {

std::vector<Rank> lowest_of_groups(const Multicast& multicast) {
  std::vector<Rank> lowest(multicast.ranks());
  for (const MulticastGroup& group : multicast.groups) {
    for (const Rank rank : group.ranks) lowest[rank] = std::ranges::min(group.ranks);
  }
  return lowest;
}

namespace {

class GroupedPart final : public LocalPart {
 public:
  GroupedPart(const Multicast& multicast, Rank rank, std::span<const int> members)
      : groups_(lowest_of_groups(multicast)), whole_(local_tree(multicast.confirm, rank, members)) {
    const MulticastGroup& own = multicast.groups[group_of_ranks(multicast)[rank]];
    byte_s_ = own.byte_s;
    for (const Rank one : own.ranks) heard_.push_back(members[one]);
    const auto is_own = [&](int member) { return std::ranges::find(heard_, member) != heard_.end(); };
    const auto& children = whole_.children;
    std::ranges::copy_if(children, std::back_inserter(within_), is_own);
    between_.parent = whole_.parent;
    std::ranges::copy_if(children, std::back_inserter(between_.children), [&](int child) { return !is_own(child); });
    is_sender_ = own.ranks.front() == rank;
    up_ = whole_;
    up_.children = between_.children;
    up_.children.insert(up_.children.end(), within_.begin(), within_.end());
    up_.told_otherwise = within_.size();
    own_tree_.parent = is_sender_ ? no_parent : whole_.parent;
    own_tree_.children = within_;
    if (!is_sender_) sources_ = {heard_.front(), whole_.parent};
  }

  [[nodiscard]] bool is_root() const override { return whole_.is_root(); }
  [[nodiscard]] std::size_t streams() const override { return 1; }
  [[nodiscard]] bool uses_datagrams() const override { return true; }
  [[nodiscard]] std::span<const Rank> datagram_groups() const override { return groups_; }

  /// Where no datagram reaches all ranks of the group, along the confirm tree, as any broadcast along a tree: others do
  /// not notice.
  [[nodiscard]] Running broadcast(Transport& transport, Message& message, const Pace& pace) const override {
    Datagrams* const datagrams = transport.datagrams();
    if (datagrams == nullptr || message.bytes() == 0) {
      return std::make_shared<PipelinedTrees>(transport, std::span(&whole_, 1), message, pace.segment_bytes,
                                              pace.in_flight.bytes);
    }
    const bool is_eager = datagrams->is_eager(packets_of(message.bytes(), datagrams->payload_bytes()));
    if (!is_sender_) return received(transport, *datagrams, message, is_eager);
    auto between = std::make_unique<PipelinedTrees>(transport, std::span(&between_, 1), message, pace.segment_bytes,
                                                    pace.in_flight.bytes);
    const Arriving* const source = is_root() ? nullptr : between.get();
    std::unique_ptr<Execution> within;
    if (is_eager) {
      within = std::make_unique<EagerRoot>(transport, *datagrams, message, byte_s_, source);
    } else {
      within = std::make_unique<MulticastRoot>(transport, *datagrams, within_, message, byte_s_, source);
    }
    return std::make_shared<Joined>(transport, std::move(between), std::move(within), heard_);
  }

  /// Operands go up the confirm tree; among those that send the result comes down it again, or two of them exchange;
  /// then each has its group's message. Where no datagram reaches all ranks of the group, that goes along its part of
  /// the confirm tree.
  [[nodiscard]] Running reduce(Transport& transport, const Operands& operands, const Pace& pace, bool everywhere,
                               OperandOrder order) const override {
    if (!everywhere) return LocalPart::reduce(transport, operands, pace, everywhere, order);
    auto up = std::make_unique<TreeReduction>(transport, std::span(&up_, 1), operands, pace.segment_bytes,
                                              pace.in_flight, is_sender_, order);
    if (heard_.size() == 1) return up;
    const auto& data = operands.data();
    const auto result = std::make_shared<Message>(data.result, data.count, data.type, data.communicator);
    auto next = [this, &transport, result, pace] { return spread(transport, *result, pace); };
    return std::make_shared<Chained>(transport, std::move(up), std::move(next), is_sender_ ? heard_ : sources_,
                                     sources_);
  }

 private:
  /// What the one that sends has, to its group.
  [[nodiscard]] std::unique_ptr<Execution> spread(Transport& transport, Message& message, const Pace& pace) const {
    Datagrams* const datagrams = transport.datagrams();
    if (datagrams == nullptr) {
      return std::make_unique<PipelinedTrees>(transport, std::span(&own_tree_, 1), message, pace.segment_bytes,
                                              pace.in_flight.bytes);
    }
    const int sender = heard_.front();
    if (datagrams->is_eager(packets_of(message.bytes(), datagrams->payload_bytes()))) {
      if (is_sender_) return std::make_unique<EagerRoot>(transport, *datagrams, message, byte_s_);
      return std::make_unique<EagerReceiver>(transport, *datagrams, sender, message, byte_s_);
    }
    if (is_sender_) return std::make_unique<MulticastRoot>(transport, *datagrams, within_, message, byte_s_);
    return std::make_unique<MulticastReceiver>(transport, *datagrams, sender, whole_.parent, within_, message);
  }

  [[nodiscard]] Running received(Transport& transport, Datagrams& datagrams, Message& message, bool is_eager) const {
    const int sender = heard_.front();
    if (is_eager) return std::make_shared<EagerReceiver>(transport, datagrams, sender, message, byte_s_);
    return std::make_shared<MulticastReceiver>(transport, datagrams, sender, whole_.parent, within_, message);
  }

  std::vector<Rank> groups_;  ///< by rank of the communicator: the lowest of its group
  LocalTree whole_;           ///< the confirm tree
  LocalTree between_{};       ///< of a sender: whom it has messages from, and sends them to
  LocalTree up_{};            ///< the confirm tree for operands: of a sender, its group is told the result otherwise
  LocalTree own_tree_{};      ///< of its group alone
  std::vector<int> within_;   ///< who reports to this rank
  std::vector<int> heard_;    ///< the ranks of its group, the sender first
  std::vector<int> sources_;  ///< of one that does not send: whom it has a result from, or what repairs it
  double byte_s_ = 0.0;
  bool is_sender_ = false;
};

}  // namespace

std::unique_ptr<const LocalPart> grouped_part(const Multicast& multicast, Rank rank, std::span<const int> members) {
  return std::make_unique<const GroupedPart>(multicast, rank, members);
}

}  // namespace trunkline::runtime
