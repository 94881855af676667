// SPDX-License-Identifier: Apache-2.0
// Plain TCP between emulated hosts, for measuring the lab itself: one process a host, in the host's network namespace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "network/cluster.hpp"

namespace trunkline::fabric::probe {

/// Where the hosts are: a folder with a file named as each one, which holds the number of a process in the host's
/// network namespace, or is that namespace (as `ip netns` keeps them).
struct Lab {
  const Cluster& cluster;
  std::string folder;
};

/// What the processes of one measurement share: a barrier, and a number from each.
class Shared {
 public:
  explicit Shared(unsigned processes);
  ~Shared();
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  void wait();                                ///< until all processes are here
  [[nodiscard]] std::span<double> seconds();  ///< one by process, seen by all

 private:
  struct Memory;
  Memory* memory_;
  std::size_t bytes_;
  unsigned processes_;
};

/// Runs `body(i)` in a process of its own in the network namespace of hosts[i], for every i, and waits for all.
/// Throws std::runtime_error where one fails; the others are ended.
void on_each(const Lab& lab, std::span<const HostIndex> hosts, const std::function<void(unsigned)>& body);

/// A listening socket of the caller's host, and connections with small messages sent at once (TCP_NODELAY).
[[nodiscard]] int listen_here();
[[nodiscard]] int accept_from(int listening);
[[nodiscard]] int connect_to(HostIndex host);

/// Whole messages; throw where the connection ends.
void read_all(int socket, std::span<std::uint8_t> bytes);
void write_all(int socket, std::span<const std::uint8_t> bytes);

[[nodiscard]] double now_s();

}  // namespace trunkline::fabric::probe
