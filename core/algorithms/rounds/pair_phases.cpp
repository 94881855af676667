// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/pair_phases.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "network/capacity.hpp"
#include "network/link_taken.hpp"

namespace trunkline {
namespace {

/// Of a machine word.
constexpr std::size_t bits_of_phases = 64;

/// In which phases something has no more room.
class Occupied {
 public:
  explicit Occupied(std::uint32_t room) : room_(room) {}

  [[nodiscard]] std::uint64_t full(std::size_t word) const { return word < full_.size() ? full_[word] : 0; }

  void take(std::size_t phase) {
    if (phase >= taken_.size()) {
      taken_.resize(2 * phase + bits_of_phases);
      full_.resize(taken_.size() / bits_of_phases + 1);
    }
    if (++taken_[phase] >= room_) full_[phase / bits_of_phases] |= std::uint64_t{1} << phase % bits_of_phases;
  }

 private:
  std::uint32_t room_;
  std::vector<std::uint32_t> taken_;  ///< by phase
  std::vector<std::uint64_t> full_;   ///< a bit each
};

class Phases {
 public:
  Phases(const Cluster& cluster, const Placement& placement) : cluster_(cluster), placement_(placement) {
    const std::vector<std::uint32_t> capacities = capacities_of(cluster, placement);
    for (ChannelId channel = 0; channel < cluster.channel_count(); ++channel) {
      first_link_.push_back(resources_.size());
      const Link& link = cluster.link_of(channel);
      resources_.insert(resources_.end(), link.width, Occupied(capacities[channel / 2]));
    }
    ranks_from_ = resources_.size();
    resources_.insert(resources_.end(), 2 * placement.size(), Occupied(1));
  }

  /// In the order of a ring, those next to each other first.
  void assign_all(std::span<const Rank> order) {
    const std::size_t ranks = order.size();
    for (std::size_t distance = 1; distance < ranks; ++distance) {
      for (std::size_t at = 0; at < ranks; ++at) assign({.from = order[at], .to = order[(at + distance) % ranks]});
    }
  }

  [[nodiscard]] std::vector<PairRound> phases() && { return std::move(phases_); }

 private:
  /// Links between hosts that a message crosses.
  [[nodiscard]] std::vector<std::size_t> links_of(const PairMessage& message) const {
    std::vector<std::size_t> links;
    const HostIndex from = placement_[message.from];
    const HostIndex to = placement_[message.to];
    if (from == to) return links;
    for (const ChannelId channel : cluster_.path(cluster_.hosts()[from], cluster_.hosts()[to])) {
      links.push_back(first_link_[channel] + link_taken(from, to, cluster_.link_of(channel).width));
    }
    return links;
  }

  void assign(const PairMessage& message) {
    std::vector<std::size_t> needed = links_of(message);
    needed.push_back(ranks_from_ + std::size_t{2} * message.from);
    needed.push_back(ranks_from_ + std::size_t{2} * message.to + 1);
    std::size_t word = 0;
    std::uint64_t full = 0;
    const auto look = [&] {
      full = 0;
      for (const std::size_t one : needed) full |= resources_[one].full(word);
      return full != ~std::uint64_t{0};
    };
    while (!look()) ++word;
    const std::size_t phase = word * bits_of_phases + static_cast<std::size_t>(std::countr_one(full));
    for (const std::size_t one : needed) resources_[one].take(phase);
    if (phase >= phases_.size()) phases_.resize(phase + 1);
    phases_[phase].push_back(message);
  }

  const Cluster& cluster_;
  const Placement& placement_;
  std::vector<std::size_t> first_link_;  ///< by channel: of its links side by side
  std::size_t ranks_from_ = 0;           ///< where the ranks' own begin: what one sends, and what it receives
  std::vector<Occupied> resources_;
  std::vector<PairRound> phases_;
};

}  // namespace

std::vector<PairRound> pair_phases(const Cluster& cluster, const Placement& placement, std::span<const Rank> order) {
  Phases all(cluster, placement);
  all.assign_all(order);
  return std::move(all).phases();
}

}  // namespace trunkline
