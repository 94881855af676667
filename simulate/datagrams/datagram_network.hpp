// SPDX-License-Identifier: Apache-2.0
// The datagrams of simulated ranks, as the ranks' sockets see them. SimGrid has none: they go through the lab's own
// network (fabric/transit.hpp), on SimGrid's clock. Defined once, in the program that loads the ranks.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace trunkline::simulate {

/// Most significant byte first.
struct Place {
  std::uint32_t address = 0;  ///< of a host, or of a group
  std::uint16_t port = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

/// TCP here: what nothing is lost of, for a few packets that wait for nobody else's.
enum class Way : std::uint8_t { udp, tcp };

struct Packet {
  std::span<const std::byte> bytes;
  Place from{};
  Way way = Way::udp;
};

/// What one rank sends and hears by, or what a service answers by. It lives in simulated time: what costs a host time
/// makes its rank wait.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  [[nodiscard]] virtual Place place() const noexcept = 0;

  /// It hears what is sent to that group, or to all hosts by that broadcast address, from now on.
  virtual void join(Place group) = 0;

  /// It is no rank: what comes is handed to `answer` at once, which may send.
  virtual void answer_by(std::function<void(const Packet&)> answer) = 0;

  using Parts = std::array<std::span<const std::byte>, 3>;

  /// To a group, or to one. Copied. Leaves once the rank has spent on it, and on those before, what they cost.
  virtual void send(Place to, const Parts& parts, Way way) = 0;

  /// Until that is spent.
  virtual void finish_sending() = 0;

  /// One that has come that way, as it is until the next call; it costs the rank what it costs.
  [[nodiscard]] virtual std::optional<std::span<const std::byte>> receive(Way way) = 0;

  /// The rank has nothing to do. Where it has sent or received nothing since it was here: until something comes, a
  /// message of its own job is over, or a while.
  virtual void rest() = 0;

 protected:
  Endpoint() = default;
};

class DatagramNetwork {
 public:
  virtual ~DatagramNetwork() = default;
  DatagramNetwork(const DatagramNetwork&) = delete;
  DatagramNetwork& operator=(const DatagramNetwork&) = delete;

  /// On the host of the rank that calls it.
  [[nodiscard]] virtual std::unique_ptr<Endpoint> open() = 0;
  /// Of that host.
  [[nodiscard]] virtual std::uint32_t own_address() const = 0;
  /// Simulated seconds.
  [[nodiscard]] virtual double now() const noexcept = 0;

  static constexpr std::uint32_t first_address = 0x0A000001;  ///< of hosts: 10.0.0.1 and up
  static constexpr std::uint32_t prefix_bits = 8;
  static constexpr std::uint32_t mtu = 1500;
  /// Of each socket: what Linux gives whoever may not raise the limit.
  static constexpr std::uint32_t buffer_bytes = 2 * 212992;

 protected:
  DatagramNetwork() = default;
};

}  // namespace trunkline::simulate

/// The cluster is that of TRUNKLINE_CLUSTER.
extern "C" trunkline::simulate::DatagramNetwork& trunkline_simulate_datagrams();
