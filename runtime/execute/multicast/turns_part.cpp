// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/multicast_part.hpp"

#include <algorithm>
#include <utility>

#include "execute/multicast/turns.hpp"
#include "execute/rounds/rounds_part.hpp"
#include "kinds/rounds/rounds.hpp"

namespace trunkline::runtime {
namespace {

class TurnsPart final : public LocalPart {
 public:
  TurnsPart(Turns turns, std::unique_ptr<const LocalPart> ring) : turns_(std::move(turns)), ring_(std::move(ring)) {}

  [[nodiscard]] bool is_root() const override { return turns_.own == 0; }
  [[nodiscard]] std::size_t streams() const override { return 1; }
  [[nodiscard]] bool uses_datagrams() const override { return true; }

  /// Where no datagram reaches all ranks, nobody would repair, or most packets would be empty: round a ring in the
  /// order of turns, by messages.
  [[nodiscard]] Running gather(Transport& transport, const Gathered& gathered, Message* own, bool in_place,
                               const Pace& pace) const override {
    Datagrams* const datagrams = transport.datagrams();
    const std::uint32_t packets = datagrams != nullptr ? turns_.piece_packets(*datagrams) : 0;
    if (packets > 0) {
      auto by_turns = std::make_shared<GatherByTurns>(transport, *datagrams, turns_, packets, gathered, own, in_place);
      if (by_turns->is_worth_it()) {
        datagrams->is_meeting();
        return by_turns;
      }
    }
    return ring_->gather(transport, gathered, own, in_place, pace);
  }

 private:
  Turns turns_;
  std::unique_ptr<const LocalPart> ring_;
};

}  // namespace

std::unique_ptr<const LocalPart> turns_part(const Multicast& multicast, Rank rank, std::span<const int> members) {
  Turns turns{.ranks = {}, .members = multicast.order, .at_once = multicast.at_once, .byte_s = multicast.byte_s};
  for (const Rank one : multicast.order) turns.ranks.push_back(members[one]);
  turns.own = static_cast<std::size_t>(std::ranges::find(multicast.order, rank) - multicast.order.begin());
  return std::make_unique<const TurnsPart>(
      std::move(turns), rounds_part(plan_of(generate_rounds("allgather-ring", multicast.order)), rank, members));
}

}  // namespace trunkline::runtime
