// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/eager_result.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "execute/multicast/pace.hpp"
#include "execute/multicast/patience.hpp"

namespace trunkline::runtime {
namespace {

/// The first ask waits for so many times the message on the wire, besides: operands go up before the result comes.
constexpr double messages_of_patience = 4.0;

std::uint64_t bytes_of(const Operands& operands) { return operands.count() * operands.element_bytes(); }

}  // namespace

EagerResultRoot::EagerResultRoot(Transport& transport, Datagrams& datagrams, const ResultPlan& plan,
                                 const Operands& operands, std::uint64_t segment_bytes, const InFlight& in_flight,
                                 OperandOrder order)
    : TreeReduction(transport, plan.trees, operands, segment_bytes, in_flight, false, order),
      datagrams_(datagrams),
      members_(plan.members),
      result_(operands.data().result, operands.data().count, operands.data().type, operands.data().communicator),
      element_bytes_(operands.element_bytes()),
      byte_s_(plan.byte_s),
      bytes_(bytes_of(operands)),
      packets_(packets_of(bytes_.size(), datagrams.payload_bytes())) {}

bool EagerResultRoot::advance() {
  const bool is_complete = TreeReduction::advance();
  while (datagrams_.next()) {  // its own, where ranks share a host: they would fill the buffer
  }
  const std::uint64_t complete = complete_elements() * element_bytes_;
  if (complete > read_) {
    result_.read(read_, complete - read_, bytes_.data() + read_);
    read_ = complete;
    ready_ = complete == bytes_.size() ? packets_ : static_cast<std::uint32_t>(complete / datagrams_.payload_bytes());
  }
  send_what_may_go();
  return is_complete && next_ == packets_;
}

void EagerResultRoot::send_what_may_go() {
  const double now = datagrams_.now();
  double& free_at = datagrams_.free_at();
  for (; next_ < ready_ && free_at <= now + lead_s; ++next_) {
    const std::size_t from = std::size_t{next_} * datagrams_.payload_bytes();
    const auto payload = std::span<const std::byte>(bytes_).subspan(
        from, std::min<std::size_t>(datagrams_.payload_bytes(), bytes_.size() - from));
    datagrams_.keep(next_, payload);
    datagrams_.to_all({.kind = Datagram::Kind::data, .number = next_, .payload = payload});
    free_at = std::max(free_at, now) + on_wire_bytes(payload.size()) * byte_s_;
  }
  datagrams_.flush();
}

EagerResultReceiver::EagerResultReceiver(Transport& transport, Datagrams& datagrams, const ResultPlan& plan,
                                         const Operands& operands, std::uint64_t segment_bytes,
                                         const InFlight& in_flight, OperandOrder order)
    : TreeReduction(transport, plan.trees, operands, segment_bytes, in_flight, false, order),
      datagrams_(datagrams),
      root_(plan.root),
      result_(operands.data().result, operands.data().count, operands.data().type, operands.data().communicator),
      bytes_(bytes_of(operands)),
      missing_((std::uint64_t{1} << packets_of(bytes_.size(), datagrams.payload_bytes())) - 1),
      between_packets_s_(between_packets_s(datagrams.payload_bytes(), plan.byte_s)),
      patience_(first_ask_s + messages_of_patience * on_wire_bytes(bytes_.size()) * plan.byte_s) {}

bool EagerResultReceiver::needs(int rank) const { return (rank == root_ && !is_whole()) || TreeReduction::needs(rank); }

std::vector<int> EagerResultReceiver::peers() const {
  std::vector<int> all = TreeReduction::peers();
  all.push_back(root_);
  return all;
}

bool EagerResultReceiver::advance() {
  if (!is_up_) {
    is_up_ = TreeReduction::advance();
    if (!is_up_) return false;
    quiet_since_ = datagrams_.now();
  }
  while (const auto datagram = datagrams_.next()) hear_one(*datagram);
  if (!is_whole()) ask_where_quiet();
  return is_whole();
}

void EagerResultReceiver::hear_one(const Datagram& datagram) {
  if (datagram.kind != Datagram::Kind::data || datagram.from != root_) return;
  const bool was_asked_for = datagram.poll != 0;
  is_heard_ = is_heard_ || !was_asked_for;
  const std::uint64_t packets = packets_of(bytes_.size(), datagrams_.payload_bytes());
  if (datagram.number >= packets || (missing_ >> datagram.number & 1U) == 0) return;
  const std::size_t from = std::size_t{datagram.number} * datagrams_.payload_bytes();
  if (datagram.payload.size() != std::min<std::size_t>(datagrams_.payload_bytes(), bytes_.size() - from)) return;
  std::memcpy(bytes_.data() + from, datagram.payload.data(), datagram.payload.size());
  missing_ &= ~(std::uint64_t{1} << datagram.number);
  quiet_since_ = datagrams_.now();
  // Packets go in their order: those before this one were sent.
  is_lost_ = (missing_ & ((std::uint64_t{1} << datagram.number) - 1)) != 0;
  patience_ = is_lost_ ? behind_others_s : first_ask_s;
}

void EagerResultReceiver::ask_where_quiet() {
  const double now = datagrams_.now();
  if (!is_lost_ && datagrams_.is_ahead(root_)) {
    is_lost_ = true;
    patience_ = behind_others_s;
  }
  if (now < quiet_since_ + patience_) return;
  datagrams_.ask(root_, 0, missing_);
  quiet_since_ = now;
  const double most_s = most_between_asks_s(static_cast<std::size_t>(datagrams_.ranks()));
  patience_ = next_patience_s(patience_, between_packets_s_, most_s);
}

/// The result holds operands of all, so all have come.
void EagerResultReceiver::settle() {
  happened(Event::Kind::arrived, 0, root_, 0);
  datagrams_.all_have_come();
  if (!is_heard_) datagrams_.are_not_heard();
  try {
    result_.write(0, bytes_.size(), bytes_.data());
  } catch (const MpiError& error) {
    delivered_ = error.code;  // the others got theirs
  }
}

}  // namespace trunkline::runtime
