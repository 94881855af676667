// SPDX-License-Identifier: Apache-2.0
// What a datagram of a multicast costs the processors of its hosts, by size and by how many ranks of one host hear it:
// sealed and sent in batches, then received, checked and copied, all by one thread over this machine's loopback.
//
// trunkline-datagram-cost      prints a table, in microseconds of a datagram; medians of 101 batches
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "transport/datagram/sockets.hpp"

using namespace trunkline::runtime;

namespace {

constexpr std::size_t in_a_batch = 32;
constexpr std::size_t batches = 101;
const Address loopback(IpAddress(0x7F000001), 0);
const IpAddress group_address(0xEFFF1234);
constexpr std::uint16_t group_port = 49321;
const Sealer sealer(Key{});

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// Of so many ranks on one host, the first of which sends.
class Host {
 public:
  explicit Host(std::size_t ranks) : group_(group_address, group_port) {
    for (std::size_t i = 0; i < ranks; ++i) sockets_.push_back(Sockets::open(loopback, group_, sealer, true));
    has_all_ = std::ranges::all_of(sockets_, [](const auto& one) { return one != nullptr; });
  }
  [[nodiscard]] bool has_all() const { return has_all_; }

  double send(std::span<const std::byte> payload) {
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < in_a_batch; ++i) {
      sockets_[0]->send(group_, {.number = static_cast<std::uint32_t>(i)}, payload, sealer);
    }
    sockets_[0]->flush();
    return microseconds_since(start) / in_a_batch;
  }

  /// By one rank; negative: not all have come.
  double receive(std::size_t rank, std::span<std::byte> to) {
    const Clock::time_point start = Clock::now();
    std::size_t come = 0;
    for (unsigned looks = 0; come < in_a_batch && looks < 1000; ++looks) {
      while (const auto bytes = sockets_[rank]->receive()) {
        const auto packet = read_packet(*bytes, sealer);
        if (!packet) continue;
        std::memcpy(to.data(), packet->payload.data(), std::min(to.size(), packet->payload.size()));
        ++come;
      }
    }
    return come == in_a_batch ? microseconds_since(start) / in_a_batch : -1.0;
  }

 private:
  Address group_;
  std::vector<std::unique_ptr<Sockets>> sockets_{};
  bool has_all_ = false;
};

bool measure(std::size_t ranks, std::size_t bytes) {
  Host host(ranks);
  if (!host.has_all()) return false;
  const std::vector<std::byte> payload(bytes);
  std::vector<std::byte> copy(bytes);
  std::vector<double> sends;
  std::vector<double> receives;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    sends.push_back(host.send(payload));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const double each = host.receive(rank, copy);
      if (each < 0.0) return false;
      receives.push_back(each);
    }
  }
  std::printf("| %zu B | %zu | %.2f | %.2f |\n", bytes, ranks, median(sends), median(receives));
  return true;
}

}  // namespace

int main() {
  std::puts("| payload | ranks that hear it | send | receive |\n|---|---|---|---|");
  for (const std::size_t ranks : {1, 2, 4, 8}) {
    for (const std::size_t bytes : {8, 256, 512, 1024, 1432}) {
      if (!measure(ranks, bytes)) {
        std::fputs("trunkline-datagram-cost: datagrams do not come back over this machine's loopback\n", stderr);
        return 1;
      }
    }
  }
  return 0;
}
