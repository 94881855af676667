// SPDX-License-Identifier: Apache-2.0
// Shares of all ranks along one tree, as runtime/execute/trees/tree_gathering hands them on.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "patterns/tree.hpp"
#include "replay/ground.hpp"
#include "replay/replay.hpp"
#include "replay/resources.hpp"

namespace trunkline {
namespace {

/// Each rank sends its share to all neighbours, parent and children; what comes from one goes on to all others, in the
/// order in which it comes. Shares are alike.
class GatherReplay {
 public:
  GatherReplay(const ReplayGround& ground, const Tree& tree)
      : resources_(ground.paths, ground.placement, ground.hosts), hops_(tree.size()) {
    constexpr std::uint64_t head_bytes = 8;  // whose piece it is, and which
    const std::uint64_t share = std::max(ground.message_bytes / tree.size(), std::uint64_t{1});
    const std::uint64_t piece =
        std::max(std::min(ground.segment_bytes, share + head_bytes), 2 * head_bytes) - head_bytes;
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      std::vector<Rank> neighbours = tree.children[rank];
      if (rank != tree.root) neighbours.push_back(tree.parent[rank]);
      for (const Rank to : neighbours) {
        const bool far = is_far(ground.paths, ground.placement[rank], ground.placement[to]);
        Hop& hop = hops_[rank].emplace_back(
            Hop{.to = to,
                .window = window_of(piece + head_bytes, far ? ground.in_flight.bytes : ground.in_flight.near_bytes)});
        for (std::uint64_t begin = 0; begin < share; begin += piece) {
          hop.waiting.push_back(std::min(piece, share - begin) + head_bytes);
        }
      }
    }
  }

  /// Nothing where that takes more events.
  [[nodiscard]] std::optional<Replayed> run(std::uint64_t most_events) {
    for (Rank rank = 0; rank < hops_.size(); ++rank) {
      for (Hop& hop : hops_[rank]) send(rank, hop);
    }
    double end_s = 0.0;
    ReplayedMessage message;
    while (resources_.next(message)) {
      if (resources_.events() > most_events) return {};
      end_s = resources_.now();
      for (Hop& hop : hops_[message.to]) {
        if (hop.to == message.from) continue;
        hop.waiting.push_back(message.bytes);
        send(message.to, hop);
      }
      Hop& came = *std::ranges::find(hops_[message.from], message.to, &Hop::to);
      --came.under_way;
      send(message.from, came);
    }
    return Replayed{end_s, resources_.events()};
  }

 private:
  struct Hop {
    Rank to = no_rank;
    std::uint64_t window = 0;
    std::uint64_t under_way = 0;
    std::deque<std::uint64_t> waiting{};  ///< pieces, bytes
  };

  void send(Rank rank, Hop& hop) {
    for (; !hop.waiting.empty() && hop.under_way < hop.window; hop.waiting.pop_front()) {
      ++hop.under_way;
      resources_.send({.from = rank, .to = hop.to, .bytes = hop.waiting.front()});
    }
  }

  Resources resources_;
  std::vector<std::vector<Hop>> hops_;  ///< by rank
};

}  // namespace

std::optional<Replayed> replayed_gather(const ReplayGround& ground, const Tree& tree, std::uint64_t most_events) {
  return GatherReplay(ground, tree).run(most_events);
}

}  // namespace trunkline
