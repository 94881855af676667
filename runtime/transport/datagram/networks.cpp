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
    if (own.number() == network.number() && own.mask == network.mask) return i;
  }
  return {};
}

/// Whether each address belongs to one host.
bool are_different(std::span<const HostCard> cards, std::span<const std::size_t> places) {
  std::map<std::uint32_t, std::uint64_t> host_of;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    const std::uint32_t address = cards[rank].networks[places[rank]].address;
    if (host_of.try_emplace(address, cards[rank].host).first->second != cards[rank].host) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<std::size_t>> shared_network(std::span<const HostCard> cards) {
  const HostCard& first = cards.front();
  const bool one_host = std::ranges::all_of(cards, [&](const HostCard& card) { return card.host == first.host; });
  for (std::size_t i = 0; i < first.count && i < HostCard::most; ++i) {
    if (first.networks[i].is_loopback != 0 && !one_host) continue;
    std::vector<std::size_t> places;
    for (const HostCard& card : cards) {
      const auto place = place_in(card, first.networks[i]);
      if (!place) break;
      places.push_back(*place);
    }
    if (places.size() == cards.size() && are_different(cards, places)) return places;
  }
  return {};
}

}  // namespace trunkline::runtime
