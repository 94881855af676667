// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/networks.hpp"

#include <algorithm>
#include <map>

namespace trunkline::runtime {
namespace {

/// Where the network of rank 0's card with that number stands in a rank's card.
std::optional<std::size_t> place_in(const HostCard& card, const Network& network) {
  for (std::size_t i = 0; i < card.count && i < HostCard::most; ++i) {
    const Network& own = card.networks[i];
    if (own.number() == network.number() && own.prefix_bits == network.prefix_bits) return i;
  }
  return {};
}

/// Whether each address belongs to one host.
bool are_different(std::span<const HostCard> cards, std::span<const std::size_t> places) {
  std::map<IpAddress, std::uint64_t> host_of;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    const IpAddress& address = cards[rank].networks[places[rank]].address;
    if (host_of.try_emplace(address, cards[rank].host).first->second != cards[rank].host) return false;
  }
  return true;
}

/// By rank the place in its card of a network of rank 0's card.
std::optional<std::vector<std::size_t>> places_of(std::span<const HostCard> cards, const Network& network) {
  std::vector<std::size_t> places;
  for (const HostCard& card : cards) {
    const auto place = place_in(card, network);
    if (!place) return {};
    places.push_back(*place);
  }
  if (!are_different(cards, places)) return {};
  return places;
}

}  // namespace

bool Network::allows(GroupWay way) const {
  constexpr std::uint32_t most_with_broadcast = bits_before_ipv4 + 30;  // of /31 and /32 all addresses are hosts' own
  switch (way) {
    case GroupWay::ipv6:
      return !address.is_ipv4();
    case GroupWay::broadcast:
      return address.is_ipv4() && prefix_bits <= most_with_broadcast;
    case GroupWay::usual:
      break;
  }
  return true;
}

std::optional<std::vector<std::size_t>> shared_network(std::span<const HostCard> cards, GroupWay way) {
  const HostCard& first = cards.front();
  const bool one_host = std::ranges::all_of(cards, [&](const HostCard& card) { return card.host == first.host; });
  const auto networks = std::span(first.networks).first(std::min<std::size_t>(first.count, HostCard::most));
  for (const bool loopback : {true, false}) {  // where it can be, so that no wire carries what stays on a host
    if (loopback && !one_host) continue;
    for (const Network& network : networks) {
      if ((network.is_loopback != 0) != loopback || !network.allows(way)) continue;
      if (auto places = places_of(cards, network)) return places;
    }
  }
  return {};
}

}  // namespace trunkline::runtime
