// SPDX-License-Identifier: Apache-2.0
#include "execute/rounds/rounds_part.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "execute/rounds/block_exchange.hpp"
#include "execute/rounds/gathered_blocks.hpp"
#include "execute/rounds/message_blocks.hpp"
#include "execute/rounds/operand_blocks.hpp"
#include "execute/rounds/pair_blocks.hpp"
#include "execute/rounds/prefix_blocks.hpp"
#include "execute/rounds/relayed_blocks.hpp"
#include "execute/rounds/root_share_blocks.hpp"
#include "execute/rounds/sliced.hpp"
#include "execute/rounds/summed_blocks.hpp"
#include "execute/window.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/transfer/wire.hpp"

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
               PairBlocks::Slices slices)
      : local{.order = whole.order,
              .members = whole.members,
              .position = whole.position,
              .schedule =
                  std::make_unique<Sliced>(*whole.schedule, whole.members.size() * whole.members.size(), slices.count)},
        moving(transport, local, pace, exchanged, local.members, local.position, slices),
        exchange(moving.exchange) {}

  LocalBlocks local;
  Moving<PairBlocks> moving;
  BlockExchange& exchange;
};

Running running(auto moving) {
  Execution* const exchange = &moving->exchange;
  return {std::move(moving), exchange};
}

class RoundsPart final : public LocalPart {
 public:
  RoundsPart(LocalBlocks local, bool goes_straight) : local_(std::move(local)), goes_straight_(goes_straight) {}

  [[nodiscard]] bool is_root() const override { return local_.position == 0; }
  [[nodiscard]] std::size_t streams() const override { return 1; }

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
    const std::uint64_t segment = std::min(pace.segment_bytes, longest_segment);
    const std::uint64_t slices =
        goes_straight_ ? pieces_of(exchanged.longest_block(local_.members[local_.position]), segment) : 1;
    if (slices > 1) {
      return running(std::make_shared<MovingSlices>(transport, local_,
                                                    Pace{.segment_bytes = segment, .in_flight = pace.in_flight},
                                                    exchanged, PairBlocks::Slices{.count = slices, .bytes = segment}));
    }
    const Pace usable{.segment_bytes = usable_segment(pace.segment_bytes, exchanged.most_bytes()),
                      .in_flight = pace.in_flight};
    return running(std::make_shared<Moving<PairBlocks>>(transport, local_, usable, exchanged, local_.members,
                                                        local_.position, PairBlocks::Slices()));
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

  [[nodiscard]] Running scan(Transport& transport, const Operands& operands, bool excludes_own,
                             const Pace& pace) const override {
    return running(
        std::make_shared<Moving<PrefixBlocks>>(transport, local_, pace, operands, *local_.schedule, excludes_own));
  }

 private:
  LocalBlocks local_;
  bool goes_straight_;
};

}  // namespace

std::unique_ptr<const LocalPart> rounds_part(const Plan& plan, Rank rank, std::span<const int> members) {
  const Rounds& rounds = rounds_of(plan);
  const auto position = static_cast<Rank>(std::ranges::find(rounds.order, rank) - rounds.order.begin());
  LocalBlocks own{.order = {}, .members = rounds.order, .position = position, .schedule = rounds.schedule_of(position)};
  for (const Rank one : rounds.order) own.order.push_back(members[one]);
  return std::make_unique<const RoundsPart>(std::move(own), rounds.goes_straight);
}

}  // namespace trunkline::runtime
