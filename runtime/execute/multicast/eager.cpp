// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/eager.hpp"

#include <algorithm>
#include <utility>

#include "execute/multicast/pace.hpp"

namespace trunkline::runtime {
namespace {

/// Before an ask: where something later has come, so that what is missing is lost; where packets have come, beside the
/// time of so many on the wire; else.
constexpr double behind_others_s = 0.002;
constexpr double packets_of_patience = 3.0;
constexpr double first_ask_s = 0.020;
/// What a late root hears from each rank: its processor has to live with asks of all of them.
constexpr double most_ask_s = 0.050;
constexpr double most_ask_s_a_rank = 0.001;

}  // namespace

EagerRoot::EagerRoot(Transport& transport, Datagrams& datagrams, Message& message, double byte_s)
    : Execution(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), true),
      byte_s_(byte_s) {}

bool EagerRoot::advance() {
  if (!std::exchange(is_kept_, true)) datagrams_.keep(packets_.place(0, packets_.count()));
  while (datagrams_.next()) {  // its own, where ranks share a host: they would fill the buffer
  }
  const double now = datagrams_.now();
  double& free_at = datagrams_.free_at();
  for (; next_ < packets_.count() && free_at <= now + lead_s; ++next_) {
    const auto payload = packets_.place(next_, next_ + 1);
    datagrams_.to_all({.kind = Datagram::Kind::data, .number = next_, .payload = payload});
    free_at = std::max(free_at, now) + on_wire_bytes(payload.size()) * byte_s_;
  }
  datagrams_.flush();
  return next_ == packets_.count();
}

EagerReceiver::EagerReceiver(Transport& transport, Datagrams& datagrams, int root, Message& message, double byte_s)
    : Execution(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), false),
      root_(root),
      between_packets_s_(behind_others_s + packets_of_patience * on_wire_bytes(datagrams.payload_bytes()) * byte_s),
      quiet_since_(datagrams.now()),
      patience_(first_ask_s) {}

bool EagerReceiver::advance() {
  while (const auto datagram = datagrams_.next()) hear_one(*datagram);
  if (!packets_.is_whole()) ask_where_quiet();
  return packets_.is_whole();
}

void EagerReceiver::hear_one(const Datagram& datagram) {
  if (datagram.kind != Datagram::Kind::data || datagram.from != root_) return;
  const bool was_asked_for = datagram.poll != 0;
  is_heard_ = is_heard_ || !was_asked_for;
  if (!packets_.add(datagram.number, datagram.payload)) return;
  end_ = std::max(end_, datagram.number + 1);
  quiet_since_ = datagrams_.now();
  patience_ = between_packets_s_;
  is_lost_ = false;
}

void EagerReceiver::ask_where_quiet() {
  const double now = datagrams_.now();
  if (!is_lost_ && (end_ > packets_.base() || datagrams_.is_ahead(root_))) {
    is_lost_ = true;
    patience_ = behind_others_s;
  }
  if (now < quiet_since_ + patience_) return;
  datagrams_.ask(root_, missing());
  quiet_since_ = now;
  patience_ = std::min(2.0 * patience_, std::max(most_ask_s, most_ask_s_a_rank * transport().ranks()));
}

std::uint64_t EagerReceiver::missing() const {
  std::uint64_t all = 0;
  for (std::uint32_t packet = packets_.base(); packet < packets_.count(); ++packet) {
    if (!packets_.has(packet)) all |= std::uint64_t{1} << packet;
  }
  return all;
}

void EagerReceiver::settle() {
  happened(Event::Kind::arrived, 0, root_, 0);
  if (!is_heard_) datagrams_.are_not_heard();
  try {
    packets_.deliver();
  } catch (const MpiError& error) {
    delivered_ = error.code;  // the others got theirs
  }
}

}  // namespace trunkline::runtime
