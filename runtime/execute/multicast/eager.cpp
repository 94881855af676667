// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/eager.hpp"

#include <algorithm>

#include "execute/multicast/pace.hpp"
#include "execute/multicast/patience.hpp"
#include "transport/redundancy.hpp"

namespace trunkline::runtime {
namespace {

/// Packets and their parity: all ranks know how many.
std::uint32_t sent_of(std::uint32_t packets, Datagrams& datagrams) {
  const LossMeter* const meter = datagrams.loss();
  return packets + (meter == nullptr ? 0 : eager_spare_packets(packets, meter->agreed(), datagrams.ranks()));
}

}  // namespace

EagerRoot::EagerRoot(Transport& transport, Datagrams& datagrams, Message& message, double byte_s,
                     const Arriving* source)
    : WithoutMessages(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), source == nullptr),
      byte_s_(byte_s),
      source_(source),
      end_(sent_of(packets_.count(), datagrams)) {}

void EagerRoot::keep_what_has_come() {
  if (source_ != nullptr && !packets_.is_whole()) packets_.have_come(source_->bytes_here());
  if (kept_ == packets_.base()) return;
  datagrams_.keep(kept_, packets_.place(kept_, packets_.base()));
  kept_ = packets_.base();
}

bool EagerRoot::advance() {
  keep_what_has_come();
  while (datagrams_.next()) {  // its own, where ranks share a host: they would fill the buffer
  }
  const double now = datagrams_.now();
  double& free_at = datagrams_.free_at();
  for (; next_ < may_go() && free_at <= now + lead_s; ++next_) {
    std::span<const std::byte> payload;
    if (next_ < packets_.count()) {
      payload = packets_.place(next_, next_ + 1);
      datagrams_.to_all({.kind = Datagram::Kind::data, .number = next_, .payload = payload});
    } else {
      const std::uint32_t number = next_ - packets_.count();
      parity_ = packets_.parity(0, number);
      payload = parity_;
      datagrams_.to_all({.kind = Datagram::Kind::parity, .number = parity_number(0, number), .payload = payload});
      datagrams_.flush();  // until then it stays
    }
    free_at = std::max(free_at, now) + on_wire_bytes(payload.size()) * byte_s_;
  }
  datagrams_.flush();
  return next_ == end_;
}

EagerReceiver::EagerReceiver(Transport& transport, Datagrams& datagrams, int root, Message& message, double byte_s)
    : WithoutMessages(transport),
      datagrams_(datagrams),
      packets_(message, datagrams.payload_bytes(), false),
      root_(root),
      sent_(sent_of(packets_.count(), datagrams)),
      between_packets_s_(behind_others_s + packets_of_patience * on_wire_bytes(datagrams.payload_bytes()) * byte_s),
      quiet_since_(datagrams.now()),
      patience_(first_ask_s) {}

bool EagerReceiver::advance() {
  while (const auto datagram = datagrams_.next()) hear_one(*datagram);
  if (!packets_.is_whole()) ask_where_quiet();
  return packets_.is_whole();
}

void EagerReceiver::hear_one(const Datagram& datagram) {
  if (datagram.from != root_) return;
  const std::uint32_t number = datagram.number;
  const bool is_parity = datagram.kind == Datagram::Kind::parity && block_in(number) == 0;
  if (!is_parity && datagram.kind != Datagram::Kind::data) return;
  const bool was_asked_for = datagram.poll != 0;
  is_heard_ = is_heard_ || !was_asked_for;
  const bool is_new =
      is_parity ? packets_.add_parity(0, row_in(number), datagram.payload) : packets_.add(number, datagram.payload);
  if (!is_new) return;
  if (!was_asked_for) heard(is_parity ? packets_.count() + row_in(number) : number);
  quiet_since_ = datagrams_.now();
  patience_ = between_packets_s_;
  is_lost_ = false;
}

/// The one that the root sent at that place.
void EagerReceiver::heard(std::uint32_t place) {
  ++heard_;
  end_ = std::max(end_, place + 1);
}

void EagerReceiver::ask_where_quiet() {
  const double now = datagrams_.now();
  const bool is_too_much_lost = packets_.lacks(0, packets_.count()) + end_ > std::max(sent_, end_);
  if (!is_lost_ && (is_too_much_lost || datagrams_.is_ahead(root_))) {
    is_lost_ = true;
    patience_ = behind_others_s;
  }
  if (now < quiet_since_ + patience_) return;
  datagrams_.ask(root_, 0, wanted());
  has_asked_ = true;
  quiet_since_ = now;
  const double most_s = most_between_asks_s(static_cast<std::size_t>(datagrams_.ranks()));
  patience_ = next_patience_s(patience_, between_packets_s_, most_s);
}

/// As many of those that are missing as it needs.
std::uint64_t EagerReceiver::wanted() const {
  std::uint64_t all = 0;
  std::uint32_t more = packets_.lacks(0, packets_.count());
  for (std::uint32_t packet = packets_.base(); more > 0; ++packet) {
    if (packets_.has(packet)) continue;
    all |= std::uint64_t{1} << packet;
    --more;
  }
  return all;
}

void EagerReceiver::settle() {
  happened(Event::Kind::arrived, 0, root_, 0);
  if (!is_heard_) datagrams_.are_not_heard();
  if (LossMeter* const meter = datagrams_.loss()) {
    const std::uint32_t sent = has_asked_ ? std::max(sent_, end_) : end_;
    meter->count(sent, sent - std::min(heard_, sent));
  }
  try {
    packets_.deliver();
  } catch (const MpiError& error) {
    delivered_ = error.code;  // the others got theirs
  }
}

}  // namespace trunkline::runtime
