// SPDX-License-Identifier: Apache-2.0
// IGMP snooping (RFC 4541): a switch sends a group's frames to the ports behind which a host has joined it, and to
// those behind which somebody asks hosts. What nobody has joined goes nowhere else. Cost: O(members of the group) a
// frame.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "impair/multicast.hpp"
#include "network.hpp"

namespace trunkline::fabric {

struct SnoopingCounters {
  std::uint64_t pruned = 0;        ///< copies that flooding would have sent
  std::uint64_t unregistered = 0;  ///< frames of groups that nobody behind any port has joined
};

class Snooping {
 public:
  static constexpr Nanoseconds never = ~Nanoseconds{0};

  explicit Snooping(const Network& network);

  /// What a frame is, until its number is used again.
  void note(std::uint32_t frame, Multicast multicast);

  /// A frame of a host is at a switch, which learns from it. Returns the ports by which it goes on.
  [[nodiscard]] const std::vector<ChannelId>& route(NodeId node, ChannelId came_by, HostIndex from, std::uint32_t frame,
                                                    Nanoseconds at);

  /// When the next switch asks its hosts; never where none does.
  [[nodiscard]] Nanoseconds next_query() const { return next_query_; }

  /// A switch whose turn it is by `now`, if any; its next turn is one interval later.
  [[nodiscard]] std::optional<NodeId> take_query(Nanoseconds now);

  /// Of the standard's 260 s: two intervals of 125 s and 10 s for answers.
  [[nodiscard]] double interval_s(NodeId node) const { return network_.settings(node).igmp_ages_s * 125 / 260; }
  [[nodiscard]] double answer_s(NodeId node) const { return network_.settings(node).igmp_ages_s * 10 / 260; }

  [[nodiscard]] const SnoopingCounters& counters(NodeId node) const { return switches_[node].counters; }
  void reset_counters();

 private:
  struct Member {
    ChannelId port = no_channel;  ///< the channel that leaves by it
    HostIndex host = 0;
    Nanoseconds until = 0;
  };
  struct Switch {
    std::unordered_map<std::uint32_t, std::vector<Member>> groups{};
    std::vector<std::pair<ChannelId, Nanoseconds>> askers{};  ///< ports, and until when
    Nanoseconds ask_at = never;
    SnoopingCounters counters{};
  };

  void hear_query(NodeId node, ChannelId port, const Multicast& query, Nanoseconds at);
  void hear_report(NodeId node, ChannelId port, HostIndex from, const Multicast& report, Nanoseconds at);
  void add_members(Switch& here, std::uint32_t group, Nanoseconds at);
  void find_next_query();

  const Network& network_;
  std::vector<Switch> switches_;       ///< by node
  std::vector<Multicast> multicasts_;  ///< by frame
  std::vector<ChannelId> ports_;       ///< of the answer
  Nanoseconds next_query_ = never;
};

}  // namespace trunkline::fabric
