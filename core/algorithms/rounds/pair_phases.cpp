// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/pair_phases.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "network/capacity.hpp"
#include "network/link_taken.hpp"

namespace trunkline {
namespace {

/// Messages over a link, for each that it has room for. Of fewer, links rest: a connection that carries data both ways
/// waits for acknowledgements, which wait behind data, and begins each message with the window of a new one. Lab,
/// `paper-1` at 20 Mbit/s, 64 KiB: with 2 and 4 at once 2.1 and 1.9 of the bound, with 8 1.4 to 1.6, with any
/// number 1.6.
constexpr std::uint64_t least_at_once = 8;

/// Of a word of phases.
constexpr std::size_t bits_of_phases = 64;

/// In which phases something has no more room.
class Occupied {
 public:
  explicit Occupied(std::uint32_t room) : room_(room) {}

  [[nodiscard]] std::uint64_t full(std::size_t word) const { return word < full_.size() ? full_[word] : 0; }
  [[nodiscard]] std::uint32_t room() const { return room_; }

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

  [[nodiscard]] const std::vector<PairRound>& phases() const { return phases_; }

  /// Links between hosts that a message crosses, its host's own first: what goes there waits in the host, not in a
  /// switch.
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
  [[nodiscard]] std::uint32_t room(std::size_t link) const { return resources_[link].room(); }

 private:
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

struct Word {
  PairMessage message;
  std::size_t before;  ///< which phase
};

struct Crossing {
  Rank sender;
  Rank receiver;
  std::size_t phase;
};

/// What a rank sends over a link without a word.
struct Opening {
  std::size_t link = 0;
  std::uint64_t at_once = 0;  ///< messages under way there
  Rank to = 0;                ///< of the first such message
  std::size_t last = 0;       ///< number of the last one among all of that link
};
/// By sender, and by link between switches; of the links to hosts, of which each has its own of a rank's messages, the
/// first one that it sends over stands for all.
using Openings = std::map<std::pair<Rank, std::size_t>, Opening>;
constexpr std::size_t to_a_host = std::numeric_limits<std::size_t>::max();

/// A call may follow another one at once, whose last messages are on the links still. In a row of calls the message
/// `at_once` before the last of the opening is one of the call before: its receiver has it once it has begun.
std::vector<Word> words_of_those_who_have_begun(const std::map<std::size_t, std::vector<Crossing>>& crossings,
                                                const Openings& openings) {
  std::vector<Word> words;
  for (const auto& [place, opening] : openings) {
    const Rank sender = place.first;
    const std::vector<Crossing>& all = crossings.at(opening.link);
    if (all.size() + opening.last < opening.at_once) continue;
    const Rank there = all[all.size() + opening.last - opening.at_once].receiver;
    if (there != sender) words.push_back({.message = {.from = there, .to = sender, .then = opening.to}, .before = 0});
  }
  return words;
}

/// One for each message that would overflow the fullest of its links, and one at the beginning for each rank and each
/// link that it sends some over without.
std::vector<Word> words_of(const Phases& all, std::uint64_t block_bytes, std::uint64_t queue_bytes) {
  std::map<std::size_t, std::vector<Crossing>> crossings;  // by link, in the order of phases
  for (std::size_t phase = 0; phase < all.phases().size(); ++phase) {
    for (const PairMessage& message : all.phases()[phase]) {
      for (const std::size_t link : all.links_of(message)) crossings[link].push_back({message.from, message.to, phase});
    }
  }
  std::map<std::size_t, bool> holds_all;  // by link: its queue the lead of all ranks that send over it
  for (const auto& [link, own] : crossings) {
    std::vector<Rank> senders;
    for (const Crossing& one : own) senders.push_back(one.sender);
    std::ranges::sort(senders);
    const auto many = static_cast<std::uint64_t>(std::unique(senders.begin(), senders.end()) - senders.begin());
    holds_all[link] = many * pair_lead * block_bytes <= queue_bytes;
  }
  std::map<std::size_t, std::size_t> crossed;  // by link, of the messages that were looked at
  std::vector<Word> words;
  Openings openings;
  for (std::size_t phase = 0; phase < all.phases().size(); ++phase) {
    for (const PairMessage& message : all.phases()[phase]) {
      const std::vector<Crossing>* fullest = nullptr;
      std::size_t fullest_link = 0;
      std::size_t before_it = 0;
      std::uint64_t room = 1;
      const std::vector<std::size_t> links = all.links_of(message);
      for (const std::size_t link : links) {
        const std::vector<Crossing>& own = crossings[link];
        const std::size_t before = crossed[link]++;
        const std::uint64_t its_room = all.room(link);
        if (holds_all[link] || link == links.front()) continue;
        if (fullest != nullptr && own.size() * room < fullest->size() * its_room) continue;
        fullest = &own;
        fullest_link = link;
        before_it = before;
        room = its_room;
      }
      if (fullest == nullptr) continue;
      const std::uint64_t at_once =
          std::max(least_at_once * room, queue_bytes / std::max(block_bytes, std::uint64_t{1}));
      if (before_it < at_once) {
        const std::size_t place = fullest_link == links.back() ? to_a_host : fullest_link;
        const auto [found, is_new] = openings.try_emplace(
            {message.from, place}, Opening{.link = fullest_link, .at_once = at_once, .to = message.to});
        if (found->second.link == fullest_link) found->second.last = before_it;
        continue;
      }
      const Crossing& earlier = (*fullest)[before_it - at_once];
      if (earlier.phase == phase) continue;
      words.push_back(
          {.message = {.from = earlier.receiver, .to = message.from, .then = message.to}, .before = earlier.phase + 1});
    }
  }
  std::ranges::move(words_of_those_who_have_begun(crossings, openings), std::back_inserter(words));
  return words;
}

bool has_room(const PairRound& round, const PairMessage& word) {
  return std::ranges::none_of(round,
                              [&](const PairMessage& other) { return other.from == word.from || other.to == word.to; });
}

}  // namespace

std::uint64_t queue_bytes_of(const Cluster& cluster) {
  std::uint64_t shallowest = std::numeric_limits<std::uint64_t>::max();
  for (const Node& node : cluster.nodes()) {
    if (node.kind != NodeKind::network_switch) continue;
    const std::uint64_t own = node.settings.queue_bytes;
    shallowest = std::min(shallowest, own > 0 ? own : usual_queue_bytes);
  }
  return shallowest;
}

std::vector<PairRound> pair_phases(const Cluster& cluster, const Placement& placement, std::span<const Rank> order,
                                   std::uint64_t block_bytes, std::uint64_t queue_bytes) {
  Phases all(cluster, placement);
  all.assign_all(order);
  std::vector<std::vector<PairRound>> before_phase(all.phases().size());  // rounds of words
  for (const auto& [word, before] : words_of(all, block_bytes, queue_bytes)) {
    std::vector<PairRound>& rounds = before_phase[before];
    auto found = std::ranges::find_if(rounds, [&word = word](const PairRound& one) { return has_room(one, word); });
    if (found == rounds.end()) found = rounds.emplace(rounds.end());
    found->push_back(word);
  }
  std::vector<PairRound> rounds;
  for (std::size_t phase = 0; phase < all.phases().size(); ++phase) {
    for (PairRound& words : before_phase[phase]) rounds.push_back(std::move(words));
    rounds.push_back(all.phases()[phase]);
  }
  return rounds;
}

}  // namespace trunkline
