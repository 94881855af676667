// SPDX-License-Identifier: Apache-2.0
// Transfers that are under way at once, and what they make of the channels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/paths.hpp"

namespace trunkline {

/// What a path costs.
struct PathCost {
  double slowest_byte_s = 0.0;  ///< the most that a byte takes on one of its channels, times that channel's load; on
                                ///< links side by side the load of each, but no less than the transfer itself
  double byte_s = 0.0;          ///< what it takes on all of them, without loads
  double first_byte_s = 0.0;    ///< and on the first one
  double latency_s = 0.0;
  double answer_s = 0.0;  ///< the latency of an answer: all channels the other way
};

/// Where links lie side by side, the hash of flows to them is taken for even: of `load` on a channel, each link carries
/// its part. A transfer crosses one of them, so it takes no less than alone there. fullest_byte_s() hashes instead.
/// Real switches have other hashes than link_taken(); it is one sample of how uneven they are.
///
/// Paths are walked where they are short together, or go by routes, else summed up over the tree: time O(transfers *
/// log(depth)) and the shorter of paths and nodes. What a single transfer costs takes O(log(nodes)) alone.
class PathLoads {
 public:
  struct Transfer {
    NodeId from;
    NodeId to;
    NodeId meeting;
    double amount;
    std::uint32_t times = 1;   ///< transfers alike
    std::uint32_t length = 0;  ///< of its path; known once it is added
  };

  /// `paths` must outlive the object.
  explicit PathLoads(const Paths& paths);

  /// Loads all channels between two different hosts with `amount`.
  void add(NodeId from, NodeId to, double amount);
  /// More like the one at that place of transfers(). Loads are the same as if each stood there by itself wherever they
  /// are that place's neighbours, or amounts are all the same. No cost() is to be asked for then.
  void add_again(std::size_t place, std::uint32_t times = 1) {
    transfers_[place].times += times;
    length_ += std::uint64_t{times} * transfers_[place].length;
  }
  void add(const Transfer& transfer);
  /// What was added since clear().
  [[nodiscard]] std::span<const Transfer> transfers() const noexcept { return transfers_; }
  /// To be called after the last add(), before cost(). A transfer that is alone needs no loads: its path is not walked.
  void settle();
  /// The same before anything else that is asked for.
  void settle_loads();

  [[nodiscard]] double load(ChannelId channel) const { return load_[channel]; }
  /// Seconds that a byte takes on a transfer's first channel: a host has one link only.
  [[nodiscard]] double first_byte_s(const Transfer& transfer) const {
    return paths_.byte_s(paths_.cluster().neighbours(transfer.from).front().channel);
  }
  /// And on its last one.
  [[nodiscard]] double last_byte_s(const Transfer& transfer) const {
    return paths_.byte_s(paths_.cluster().neighbours(transfer.to).front().channel ^ 1U);
  }
  /// Of the transfer on the slowest of its links, with nothing beside it.
  [[nodiscard]] double alone_byte_s(const Transfer& transfer) const {
    return transfer.amount * paths_.slowest_byte_s(transfer.from, transfer.to, transfer.meeting);
  }
  [[nodiscard]] PathCost cost(const Transfer& transfer) const;
  /// The most that a byte takes on any channel, times its load, as for PathCost.
  [[nodiscard]] double slowest_byte_s() const;
  /// The same on the fullest link, where a hash picks one of those side by side for each transfer: never less. Time
  /// O(length of all paths) where there are such links; but where the paths are long for the network, more than
  /// `many_crossings` to a node, enough flows cross each bundle for the hash to be taken for even.
  [[nodiscard]] double fullest_byte_s() const;
  /// Whether they are, of paths that long together.
  [[nodiscard]] static bool hashes_evenly(const Paths& paths, std::uint64_t length) {
    return length > many_crossings * paths.top_down().size();
  }
  /// No transfers, no loads.
  void clear();

 private:
  template <class Use>
  void walk(const Transfer& transfer, Use use) const;
  void sum_up();
  void find_slowest();
  [[nodiscard]] double loaded_byte_s(ChannelId channel) const { return paths_.spread_byte_s(channel) * load_[channel]; }

  static constexpr std::uint64_t many_crossings = 64;

  const Paths& paths_;
  std::vector<Transfer> transfers_;
  std::uint64_t length_ = 0;     ///< of all their paths
  bool summed_ = false;          ///< not walked
  std::vector<double> load_;     ///< by channel
  std::vector<ChannelId> used_;  ///< where walked
  std::vector<double> up_;       ///< where summed: by node, the slowest channel from there up to its jump
  std::vector<double> down_;     ///< and the other way
};

}  // namespace trunkline
