// SPDX-License-Identifier: Apache-2.0
// Rounds in which hosts meet by their places: the cost of their transfers, without listing them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/transfer/round_cost.hpp"
#include "network/paths.hpp"
#include "network/placement.hpp"

namespace trunkline {

/// Each host has a place. In the round of a number each sends as much to every other one whose place and its own add up
/// to that number, modulo the number of places: after as many rounds as places each has sent to all others.
///
/// What channels carry follows from how many hosts of each place are below them; and what ways are like from hosts of
/// one sort, on one switch by links that are alike. Time O(switches * places^2 + sorts^2), whatever the rounds.
class HostMeetings {
 public:
  /// With more sorts of hosts than that nothing is gained.
  static constexpr std::size_t most_sorts = 256;

  /// `hosts`: two at least, each once; `places`: of each, below `count`. Each transfer carries `amount`. `paths` must
  /// outlive the object.
  HostMeetings(const Paths& paths, std::vector<NodeId> hosts, std::vector<Rank> places, Rank count, double amount);

  /// Whether all is known: not where routes or windows of TCP ask for each way by itself, nor where flows are so few
  /// that it counts which of the links side by side each takes.
  [[nodiscard]] bool are_known() const { return known_; }

  /// As TimedRound::loads() says of the same transfers, one by one. To be asked for where they are known.
  [[nodiscard]] const TimedRound::Loads& loads(Rank number) const { return loads_[number]; }

 private:
  /// Hosts that are alike: ways from them, and to them, are.
  struct Sort {
    std::vector<NodeId> hosts{};            ///< two of them, or the only one
    std::vector<std::uint32_t> at_place{};  ///< how many
    std::vector<Rank> places{};             ///< where any is
  };

  [[nodiscard]] Rank other(Rank number, Rank place) const {
    return number >= place ? number - place : number + count_ - place;
  }
  /// How many a host of that place sends to.
  [[nodiscard]] std::uint64_t met(Rank number, Rank place) const {
    const Rank beyond = other(number, place);
    return at_place_[beyond] - (beyond == place ? 1U : 0U);
  }
  void count_transfers();
  void add_ports();
  void add_trunks();
  void add_ways();
  [[nodiscard]] std::vector<Sort> sorts() const;
  [[nodiscard]] bool meet(const Sort& one, const Sort& other, Rank number) const;
  void load(Rank number, ChannelId channel, std::uint64_t transfers);

  const Paths& paths_;
  std::vector<NodeId> hosts_;
  std::vector<Rank> places_;  ///< of each host
  Rank count_;                ///< of places
  double amount_;
  bool known_ = false;
  std::vector<std::uint32_t> at_place_;  ///< how many hosts
  std::vector<TimedRound::Loads> loads_;
  std::vector<std::uint64_t> length_;  ///< by round: of all paths
};

}  // namespace trunkline
