// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "transport/datagram/networks.hpp"
#include "transport/datagram/siphash.hpp"

namespace trunkline::runtime {
namespace {

std::uint32_t ipv4_of(const sockaddr* address) {
  sockaddr_in known{};
  std::memcpy(&known, address, sizeof known);
  return ntohl(known.sin_addr.s_addr);
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

}  // namespace

HostCard own_card() {
  HostCard card{.host = host_number()};
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return card;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> all(found, freeifaddrs);
  for (const bool loopback : {false, true}) {
    for (const ifaddrs* one = found; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_netmask == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
      if ((one->ifa_flags & IFF_UP) == 0 || ((one->ifa_flags & IFF_LOOPBACK) != 0) != loopback) continue;
      if (!loopback && (one->ifa_flags & IFF_MULTICAST) == 0) continue;
      if (card.count == HostCard::most) return card;
      card.networks[card.count++] = {.address = ipv4_of(one->ifa_addr),
                                     .mask = ipv4_of(one->ifa_netmask),
                                     .mtu = mtu_of(one->ifa_name),
                                     .is_loopback = loopback ? 1U : 0U};
    }
  }
  return card;
}

}  // namespace trunkline::runtime
