// SPDX-License-Identifier: Apache-2.0
// Transfers of all ranks at once, round after round: their time, from the cluster's stated rates.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "model/transfer/path_loads.hpp"
#include "model/transfer/tcp_stream.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// On links that are never idle a message that is announced first waits behind others three times. Lab, MPICH 4,
/// allreduces of 64 KiB to 1 MiB, its own and ours: 1.4 to 1.8 times as long as of messages that leave at once; its
/// broadcasts and allgathers 1.2 times (docs/results/hosts.md).
inline constexpr double announced_exchanges = 1.5;

/// Time of an algorithm in rounds, linear in the message: a round takes as long as its busiest channel.
struct RoundCost {
  double rounds = 0.0;
  double network_rounds = 0.0;  ///< of them, those with transfers between hosts; or their part of all, where each takes
                                ///< every hop after another
  double network_waits = 0.0;   ///< of those, the ones that wait for what came in the round before
  double seconds_per_byte = 0.0;  ///< sum over the rounds of the busiest channel's load over its rate
  double parts = 0.0;             ///< sum over the rounds of the longest transfer's part of the message
  double alone_byte_s = 0.0;      ///< the same as seconds_per_byte where each transfer is alone
  double latency_s = 0.0;         ///< sum over the rounds of the longest path's
  double frame_byte_s = 0.0;      ///< the same for each byte of a frame that is stored on that path
  double transfers = 0.0;         ///< of all ranks and rounds, between hosts
  double amounts = 0.0;           ///< their parts of the message, added up
  double local_transfers = 0.0;   ///< the same within hosts
  double local_amounts = 0.0;
  /// Sum over the rounds of the longest transfer's part within a host, or of its share of all.
  double local_parts = 0.0;
  /// Sum over the rounds of the part of the message that a rank adds to its own: of what came from other hosts, and of
  /// what came from its own.
  double combined_parts = 0.0;
  double local_combined_parts = 0.0;
  /// Latency of the shortest path of any transfer; 0 within a host.
  double shortest_hop_s = std::numeric_limits<double>::infinity();
  double longest_hop_s = 0.0;
  bool hides_ways = true;  ///< each sends all it may before it takes in what comes; not of parts that take turns
  double announced = 1.0;  ///< so many times as long links take of messages that are announced first
  /// Of so many rounds, the transfer that TCP's windows make slowest.
  struct Held {
    TcpStream stream;
    double times;
  };
  std::vector<Held> held{};

  /// Of that many bytes, on average over all rounds: what it costs its sender and its receiver together.
  [[nodiscard]] double message_s(std::uint64_t transfer_bytes, const HostCosts& hosts) const;
  /// What all transfers take of processors that hosts share, each of that many bytes.
  [[nodiscard]] double together_s(std::uint64_t transfer_bytes, const HostCosts& hosts) const;

  /// What the busiest links take, where a message is cut into transfers of `transfer_bytes`.
  [[nodiscard]] double links_s(std::uint64_t message_bytes, std::uint64_t transfer_bytes, const HostCosts& hosts) const;

  /// What TCP's windows add, round by round.
  [[nodiscard]] double held_s(std::uint64_t message_bytes) const;
  /// What no windows let all rounds go below that are alike: one stream carries what goes the same way in each.
  [[nodiscard]] double streamed_s(std::uint64_t message_bytes) const;

  /// The longest transfer of a round, where all rounds are alike.
  [[nodiscard]] std::uint64_t transfer_bytes(std::uint64_t message_bytes) const;

  RoundCost& operator+=(const RoundCost& other);

  /// Seconds for a message of that many bytes in transfers of `transfer_bytes`, both above zero.
  [[nodiscard]] double seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes,
                               const HostCosts& hosts = usual_host_costs()) const;
  /// The same where all rounds are alike, and each hands on what came in the one before: who has it goes on, so while a
  /// message is on its way others use the links.
  [[nodiscard]] double chained_seconds(std::uint64_t message_bytes, std::uint64_t transfer_bytes,
                                       const HostCosts& hosts) const;
};

/// Adds up the transfers of one round, then turns them into time.
class TimedRound {
 public:
  /// All must outlive the object; `order`: ranks by position.
  TimedRound(const Paths& paths, const Placement& placement, std::span<const Rank> order)
      : placement_(placement),
        order_(order),
        paths_(paths),
        loads_(paths),
        last_from_(paths.cluster().nodes().size(), nowhere) {}

  /// `fraction` of the message from one position to another, which adds so much of it to its own; so many times, as if
  /// one after another, between others on the same hosts.
  void transfer(Rank from, Rank to, double fraction, double combined = 0.0, Rank times = 1);

  /// What the transfers of a round come to.
  struct Loads {
    double shortest_latency_s = std::numeric_limits<double>::infinity();
    double most_latency_s = 0.0;
    double mean_latency_s = 0.0;  ///< of all that is sent, where each takes every hop after another; else 0
    double most_frame_byte_s = 0.0;
    double mean_frame_byte_s = 0.0;
    double most_amount = 0.0;
    double most_alone_byte_s = 0.0;
    double seconds_per_byte = 0.0;
    double most_combined = 0.0;
    double most_local_combined = 0.0;
    double longest_local = 0.0;
    double transfers = 0.0;  ///< between hosts
    double amounts = 0.0;
    double local_transfers = 0.0;
    double local_amounts = 0.0;
    std::optional<TcpStream> slowest{};  ///< stream

    /// Of the same transfers, where each rank adds so much of what it gets to its own.
    [[nodiscard]] Loads reduced(double reducing) const;
  };
  /// Of this round, with which it ends: an empty one starts. `alike`: it is as many others.
  [[nodiscard]] Loads loads(bool alike, bool takes_every_hop);
  /// As finish() does, of a round with these loads.
  void add(RoundCost& cost, const Loads& loads, double times, bool takes_every_hop, bool follows);

  /// Adds the round's time to `cost`, `times` over, and starts an empty round. Of its transfers the slowest counts; or
  /// the mean one, where all that is sent takes every hop after another. A round that `follows` the one before without
  /// waiting for what comes in it is on its way with it.
  void finish(RoundCost& cost, double times = 1.0, bool takes_every_hop = false, bool follows = false);

 private:
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// Transfers that are alike are one of the loads', which keeps sums of different amounts in the order they came.
  void between_hosts(NodeId u, NodeId v, double fraction, Rank times);
  [[nodiscard]] double slowest_byte_s(bool alike) const;

  const Placement& placement_;
  std::span<const Rank> order_;
  const Paths& paths_;
  PathLoads loads_;
  std::vector<std::uint32_t> last_from_;  ///< by node: the place among the loads of the last one that it sends
  struct InRow {
    std::uint32_t place;
    Rank times;
  };
  std::vector<InRow> sequence_;  ///< of transfers between hosts, in order: their places among the loads
  bool all_alike_ = true;        ///< the amounts of these
  double transfers_ = 0.0;       ///< of this round, between hosts
  double amounts_ = 0.0;
  double local_transfers_ = 0.0;
  double local_amounts_ = 0.0;
  double longest_local_ = 0.0;
  double most_combined_ = 0.0;
  double most_local_combined_ = 0.0;
  double longest_latency_s_ = 0.0;  ///< of the rounds that follow each other
};

}  // namespace trunkline
