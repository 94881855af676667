// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "transport/datagram/networks.hpp"
#include "transport/datagram/siphash.hpp"

namespace trunkline::runtime {
namespace {

template <class Known>
Known read_as(const sockaddr* address) {
  Known known{};
  std::memcpy(&known, address, sizeof known);
  return known;
}

/// Of either IP.
IpAddress ip_of(const sockaddr* address) {
  if (address->sa_family == AF_INET) return IpAddress(ntohl(read_as<sockaddr_in>(address).sin_addr.s_addr));
  return IpAddress(read_as<sockaddr_in6>(address).sin6_addr);
}

std::uint32_t prefix_bits_of(const sockaddr* mask) {
  if (mask->sa_family == AF_INET) {
    return bits_before_ipv4 + static_cast<std::uint32_t>(std::popcount(read_as<sockaddr_in>(mask).sin_addr.s_addr));
  }
  std::uint32_t bits = 0;
  for (const std::uint8_t one : read_as<sockaddr_in6>(mask).sin6_addr.s6_addr) {
    bits += static_cast<std::uint32_t>(std::popcount(one));
  }
  return bits;
}

std::uint32_t mtu_of(const char* interface) {
  constexpr std::uint32_t usual = 1500;
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return usual;
  ifreq request{};
  std::strncpy(static_cast<char*>(request.ifr_name), interface, sizeof request.ifr_name - 1);
  const bool known = ioctl(any, SIOCGIFMTU, &request) == 0;
  close(any);
  return known ? static_cast<std::uint32_t>(request.ifr_mtu) : usual;
}

/// Of a name alone hosts may share it: those of one machine that have networks of their own do.
std::uint64_t host_number() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  struct stat network {};
  static_cast<void>(stat("/proc/self/ns/net", &network));
  return SipHash(Key{}).end(std::as_bytes(std::span(name))) ^ (static_cast<std::uint64_t>(network.st_ino) << 20U);
}

/// The lower, the sooner it is taken.
int place_of(const Network& network) {
  if (network.is_loopback != 0) return 3;
  if (network.address.is_ipv4()) return 0;
  return network.address.is_link_local() ? 2 : 1;
}

}  // namespace

HostCard own_card() {
  HostCard card{.host = host_number()};
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return card;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(found, freeifaddrs);
  std::vector<Network> networks;
  for (const ifaddrs* one = found; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_netmask == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const bool is_ipv4 = one->ifa_addr->sa_family == AF_INET;
    if (!is_ipv4 && one->ifa_addr->sa_family != AF_INET6) continue;
    const bool is_loopback = (one->ifa_flags & IFF_LOOPBACK) != 0;
    if (is_loopback ? !is_ipv4 : (one->ifa_flags & IFF_MULTICAST) == 0) continue;
    networks.push_back({.address = ip_of(one->ifa_addr),
                        .prefix_bits = prefix_bits_of(one->ifa_netmask),
                        .mtu = mtu_of(one->ifa_name),
                        .interface = if_nametoindex(one->ifa_name),
                        .is_loopback = is_loopback ? 1U : 0U});
  }
  std::ranges::stable_sort(networks, {}, place_of);
  card.count = static_cast<std::uint32_t>(std::min(networks.size(), HostCard::most));
  std::copy_n(networks.begin(), card.count, card.networks.begin());
  return card;
}

}  // namespace trunkline::runtime
