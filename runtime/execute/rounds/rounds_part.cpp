// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/rounds_part.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "execute/rounds/block_exchange.hpp"
#include "execute/rounds/gathered_blocks.hpp"
#include "execute/rounds/message_blocks.hpp"
#include "execute/rounds/operand_blocks.hpp"
#include "execute/rounds/pair_blocks.hpp"
#include "execute/rounds/relayed_blocks.hpp"
#include "execute/rounds/root_share_blocks.hpp"
#include "execute/rounds/sliced.hpp"
#include "execute/rounds/summed_blocks.hpp"
#include "execute/window.hpp"
#include "kinds/rounds/rounds.hpp"

namespace trunkline::runtime {
namespace {

/// An exchange with the blocks that it moves.
template <class BlocksOf>
struct Moving {
  template <class... Given>
  Moving(Transport& transport, const LocalBlocks& local, const Pace& pace, Given&&... given)
      : blocks(std::forward<Given>(given)...),
        exchange(transport, local, blocks, pace.segment_bytes, pace.in_flight.bytes) {}

  BlocksOf blocks;
  BlockExchange exchange;
};

/// The same, slice by slice.
struct MovingSlices {
  MovingSlices(Transport& transport, const LocalBlocks& whole, const Pace& pace, const Exchanged& exchanged,
               std::uint64_t slices)
      : local{.order = whole.order,
              .members = whole.members,
              .position = whole.position,
              .schedule = std::make_unique<Sliced>(*whole.schedule, whole.members.size() * whole.members.size(), slices,
                                                   exchanged.is_even ? slices : 1),
              .has_words = whole.has_words},
        moving(transport, local, pace, exchanged, local.members, local.position, slices, pace.segment_bytes),
        exchange(moving.exchange) {}

  LocalBlocks local;
  Moving<PairBlocks> moving;
  BlockExchange& exchange;
};

/// Whether it may be an exchange of pairs, and each block goes from its own rank to the one that it is for.
bool goes_straight(const LocalBlocks& local) {
  const BlockSchedule& schedule = *local.schedule;
  const std::uint64_t ranks = local.members.size();
  const std::uint64_t blocks = ranks * ranks;
  if (schedule.fixed_blocks() != blocks) return false;
  const auto is_straight = [](const std::optional<BlockTransfer>& one, std::uint64_t from, std::uint64_t to,
                              std::uint64_t of) {
    return !one || one->is_word() || (one->count == 1 && one->rows == 1 && one->first == from * of + to);
  };
  for (std::uint64_t round = 0; round < schedule.rounds(blocks); ++round) {
    const auto sent = schedule.send(round, blocks);
    const auto received = schedule.receive(round, blocks);
    if (!is_straight(sent, local.position, sent ? sent->peer : 0, ranks)) return false;
    if (!is_straight(received, received ? received->peer : 0, local.position, ranks)) return false;
  }
  return true;
}

Running running(auto moving) {
  Execution* const exchange = &moving->exchange;
  return {std::move(moving), exchange};
}

class RoundsPart final : public LocalPart {
 public:
  explicit RoundsPart(LocalBlocks local) : local_(std::move(local)), goes_straight_(goes_straight(local_)) {}

  [[nodiscard]] bool is_root() const override { return local_.position == 0; }
  [[nodiscard]] std::size_t streams() const override { return local_.has_words ? 1 + Words::stream : 1; }

  [[nodiscard]] Running broadcast(Transport& transport, Message& message, const Pace& pace) const override {
    const std::uint64_t segment = usable_segment(pace.segment_bytes, message.bytes());
    const std::uint64_t segments = (message.bytes() + segment - 1) / segment;
    const Pace usable{.segment_bytes = segment, .in_flight = pace.in_flight};
    return running(std::make_shared<Moving<MessageBlocks>>(transport, local_, usable, message,
                                                           local_.schedule->fixed_blocks().value_or(segments)));
  }

  [[nodiscard]] Running reduce(Transport& transport, const Operands& operands, const Pace& pace, bool everywhere,
                               OperandOrder order) const override {
    if (order != OperandOrder::any) return LocalPart::reduce(transport, operands, pace, everywhere, order);
    return running(
        std::make_shared<Moving<OperandBlocks>>(transport, local_, pace, operands, *local_.schedule, local_.position));
  }

  [[nodiscard]] Running gather(Transport& transport, const Gathered& gathered, Message* own, bool in_place,
                               const Pace& pace) const override {
    auto both = std::make_shared<Moving<GatheredBlocks>>(transport, local_, pace, gathered, local_.members);
    if (!in_place) both->blocks.put(own, local_.position);
    return running(std::move(both));
  }

  [[nodiscard]] Running exchange(Transport& transport, const Exchanged& exchanged, const Pace& pace) const override {
    const Pace usable{.segment_bytes = usable_segment(pace.segment_bytes, exchanged.most_bytes()),
                      .in_flight = pace.in_flight};
    const std::uint64_t longest = exchanged.longest_block();
    const std::uint64_t slices = goes_straight_ ? (longest + usable.segment_bytes - 1) / usable.segment_bytes : 1;
    if (slices > 1) return running(std::make_shared<MovingSlices>(transport, local_, usable, exchanged, slices));
    return running(std::make_shared<Moving<PairBlocks>>(transport, local_, usable, exchanged, local_.members,
                                                        local_.position, 1, longest));
  }

  [[nodiscard]] Running share(Transport& transport, const RootShares& shares, const Pace& pace) const override {
    return running(std::make_shared<Moving<RootShareBlocks>>(transport, local_, pace, shares, local_));
  }

  [[nodiscard]] Running reduce_shares(Transport& transport, const Operands& operands, std::span<const MPI_Count> counts,
                                      const Pace& pace) const override {
    if (!local_.schedule->relays_in_order()) {
      return running(std::make_shared<Moving<SummedBlocks>>(transport, local_, pace, operands, counts, local_.members,
                                                            local_.position));
    }
    return running(std::make_shared<Moving<RelayedBlocks>>(transport, local_, pace, operands, counts, local_.members,
                                                           *local_.schedule, local_.position));
  }

 private:
  LocalBlocks local_;
  bool goes_straight_;
};

}  // namespace

std::unique_ptr<const LocalPart> rounds_part(const Plan& plan, Rank rank, std::span<const int> members) {
  const Rounds& rounds = rounds_of(plan);
  const auto position = static_cast<Rank>(std::ranges::find(rounds.order, rank) - rounds.order.begin());
  LocalBlocks own{.order = {},
                  .members = rounds.order,
                  .position = position,
                  .schedule = rounds.schedule_of(position),
                  .has_words = rounds.has_words};
  for (const Rank one : rounds.order) own.order.push_back(members[one]);
  return std::make_unique<const RoundsPart>(std::move(own));
}

}  // namespace trunkline::runtime
