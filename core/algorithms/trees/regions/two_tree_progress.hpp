// SPDX-License-Identifier: Apache-2.0
// The work left in each region while one of the two trees (two_tree.hpp) grows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/regions.hpp"

namespace trunkline {

/// Sends that each rank makes of every other segment: 2 in the tree in which it hands on, 0 in the other.
using Sends = std::vector<std::uint8_t>;

/// Counts of ranks and sends, region by region. A transfer changes only those of the regions that it leaves or enters:
/// as each is entered once and left at most twice, all of them together take time O(ranks + regions), however deep
/// regions lie.
class TwoTreeProgress {
 public:
  static constexpr RegionId none = 0;  ///< the whole is no part of anything

  /// No rank is reached yet. `regions` and `sends` must outlive the object.
  TwoTreeProgress(const Regions& regions, const Sends& sends);

  /// The root has the message and one send to make. Returns the region that the send comes from: the root's own, or the
  /// whole, as if the root stood outside its host, where ranks beside it could not reach all others from there.
  RegionId place_root();

  /// Ranks that are not reached, in all.
  [[nodiscard]] std::uint64_t unreached() const { return unreached_; }
  /// Sends to come from ranks directly inside that have the message.
  [[nodiscard]] std::uint64_t active(RegionId id) const { return state_[id].active; }
  /// Whether more sends are to come from inside than there are ranks inside that are not reached.
  [[nodiscard]] bool spares(RegionId id) const { return state_[id].spare > 0; }
  /// Whether its single ranks are reached and its parts are entered.
  [[nodiscard]] bool handed_out(RegionId id) const { return state_[id].handed_out(); }
  /// Whether there are ranks to be reached outside the region, in the one around it.
  [[nodiscard]] bool unfinished_around(RegionId id) const;
  /// Whether the region, or the first around it that is not handed out, has something to serve outside the part, and no
  /// rank there that could.
  [[nodiscard]] bool waits(RegionId id, RegionId part);

  /// Ranks directly inside that hand on and are not reached, the last one to be served next; and those that do not.
  [[nodiscard]] const std::vector<Rank>& givers(RegionId id) const { return state_[id].givers; }
  [[nodiscard]] const std::vector<Rank>& takers(RegionId id) const { return state_[id].takers; }
  /// The part that needs most levels of those not entered, or none. `equal`: of those that make as many sends as they
  /// have ranks.
  [[nodiscard]] RegionId next_part(RegionId id, bool equal);
  /// Levels that a region needs, roughly.
  [[nodiscard]] std::uint32_t levels(RegionId id) const { return state_[id].levels; }

  void enter(RegionId part);
  /// A rank that the region counts as active starts a send.
  void begin_send(RegionId id) { --state_[id].active; }
  /// It goes to a rank directly inside another region; nullopt: to no rank.
  void end_send(RegionId from, std::optional<RegionId> to);
  /// The rank, the next one of the givers or the takers of its region, has the message.
  void reach(Rank rank);

 private:
  struct State {
    std::vector<Rank> givers;
    std::vector<Rank> takers;
    std::vector<RegionId> parts;    ///< the one that needs most levels last
    std::size_t waiting = 0;        ///< parts that are not entered
    std::size_t last = 0;           ///< all of them stand before this place in `parts`,
    std::size_t last_of_equal = 0;  ///< and before this one those that make as many sends as they have ranks
    std::uint32_t levels = 0;
    std::uint32_t depth = 0;        ///< regions around it
    std::int64_t spare = 0;         ///< sends to come from inside, less ranks not reached, with those of parts
    std::uint64_t active = 0;       ///< sends to come from ranks directly inside that have the message
    std::size_t sparing = 0;        ///< parts that are entered and have sends to spare
    std::size_t unfinished = 0;     ///< parts in which ranks are not reached
    RegionId handed_out_to = none;  ///< all regions from here outwards up to that one have nothing left to hand out
    bool entered = false;

    [[nodiscard]] bool singles_left() const { return !givers.empty() || !takers.empty(); }
    [[nodiscard]] bool handed_out() const { return !singles_left() && waiting == 0; }
    [[nodiscard]] bool finished() const { return !singles_left() && unfinished == 0; }
    [[nodiscard]] bool serves_others() const { return entered && spare > 0; }
  };

  void prepare(RegionId id);
  void add_spare(RegionId id, std::int64_t change);
  void count_sparing(RegionId id, bool before);
  RegionId outermost_handed_out(RegionId region);
  [[nodiscard]] RegionId parent_of(RegionId id) const { return regions_.all[id].parent; }

  const Regions& regions_;
  const Sends& sends_;
  std::vector<State> state_;
  std::uint64_t unreached_;
};

}  // namespace trunkline
