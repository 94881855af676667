// SPDX-License-Identifier: Apache-2.0
// No thread: the network hands on what is asked, while its rank does something else.
#include "transport/datagram/repairs.hpp"

#include <map>

#include "simulate/datagrams/sockets.hpp"

namespace trunkline::runtime {
namespace {

using simulate::Endpoint;

/// Of this rank.
std::map<const Repairs*, std::unique_ptr<Endpoint>>& endpoints() {
  static std::map<const Repairs*, std::unique_ptr<Endpoint>> all;
  return all;
}

}  // namespace

std::unique_ptr<Repairs> Repairs::open(const Address& /*own*/, const Address& group, bool /*shares_host*/,
                                       const Sealer& sealer, std::uint32_t rank) {
  std::unique_ptr<Endpoint> endpoint = trunkline_simulate_datagrams().open();
  std::unique_ptr<Repairs> made(new Repairs(nullptr, Descriptor(), Descriptor(), endpoint->place().port, sealer, rank));
  made->group_ = group;
  endpoint->answer_by([repairs = made.get(), at = endpoint.get()](const simulate::Packet& packet) {
    const auto ask = read_packet(packet.bytes, repairs->sealer_);
    if (!ask || ask->head.sender >= repairs->members_.size()) return;
    if (packet.way == simulate::Way::tcp) {
      for (const PacketBytes& answer : repairs->kept_.answers(*ask)) at->send(packet.from, {answer}, packet.way);
      return;
    }
    for (const auto& [answer, is_for_all] : repairs->kept_.answers_in_rounds(*ask)) {
      const Address& to = is_for_all ? repairs->group_ : repairs->members_[ask->head.sender];
      at->send(simulate::place_of(to), {answer}, packet.way);
    }
  });
  endpoints().emplace(made.get(), std::move(endpoint));
  return made;
}

Repairs::Repairs(std::shared_ptr<RepairThread> thread, Descriptor listener, Descriptor datagrams, std::uint16_t port,
                 const Sealer& sealer, std::uint32_t rank)
    : thread_(std::move(thread)),
      listener_(std::move(listener)),
      datagrams_(std::move(datagrams)),
      port_(port),
      sealer_(sealer),
      kept_(sealer, rank),
      askers_(nullptr, *this, {}) {}

Repairs::~Repairs() { endpoints().erase(this); }

void Repairs::answer_to(std::span<const Address> members) { members_.assign(members.begin(), members.end()); }

void Repairs::keep(std::uint64_t turn, std::uint32_t claim, std::uint32_t payload_bytes,
                   std::span<const std::byte> message, std::uint32_t first) {
  kept_.keep(turn, claim, payload_bytes, message, first);
}

void Repairs::forget() noexcept { kept_.forget(); }

void Repairs::forget_before(std::uint64_t turn) noexcept { kept_.forget_before(turn); }

void Repairs::forget_of(std::uint64_t turn, std::uint32_t before) noexcept { kept_.forget_of(turn, before); }

}  // namespace trunkline::runtime
