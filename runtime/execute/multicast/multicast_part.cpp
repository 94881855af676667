// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_part.hpp"

#include <utility>

#include "execute/multicast/eager.hpp"
#include "execute/multicast/multicast_receiver.hpp"
#include "execute/multicast/multicast_root.hpp"
#include "execute/trees/local_tree.hpp"
#include "execute/trees/pipelined_trees.hpp"
#include "kinds/multicast/multicast.hpp"

namespace trunkline::runtime {
namespace {

class MulticastPart final : public LocalPart {
 public:
  MulticastPart(int root, LocalTree confirm, double byte_s)
      : root_(root), confirm_(std::move(confirm)), byte_s_(byte_s) {}

  [[nodiscard]] bool is_root() const override { return confirm_.is_root(); }
  [[nodiscard]] std::size_t streams() const override { return 1; }
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

 private:
  int root_;
  LocalTree confirm_;
  double byte_s_;
};

}  // namespace

std::unique_ptr<const LocalPart> multicast_part(const Plan& plan, Rank rank, std::span<const int> members) {
  const Multicast& multicast = multicast_of(plan);
  return std::make_unique<const MulticastPart>(members[multicast.confirm.root],
                                               local_tree(multicast.confirm, rank, members), multicast.byte_s);
}

}  // namespace trunkline::runtime
