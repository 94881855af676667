// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/pairwise.hpp"

namespace trunkline {

std::uint64_t PairwiseExchange::rounds(std::uint64_t /*blocks*/) const { return exchanges() + 2 * folding_.folds(); }

std::optional<BlockTransfer> PairwiseExchange::transfer(std::uint64_t round, std::uint64_t blocks, bool sends) const {
  const std::uint64_t folds = folding_.folds();
  const bool before = round < folds;
  if (before || round >= folds + exchanges()) {
    // The one that stands back sends before the exchanges, and receives after them.
    if (!folding_.stands_back() && !folding_.stands_for_two()) return {};
    const Rank standing = folding_.position_of(folding_.number());
    if (sends != (before == folding_.stands_back())) return {};
    return BlockTransfer{.peer = folding_.stands_back() ? standing : standing - 1,
                         .first = 0,
                         .count = blocks,
                         .needs = before || !sends ? no_round : round - 1,
                         .reduces = before};
  }
  if (folding_.stands_back()) return {};
  const std::uint64_t exchange = round - folds;
  const Rank other = partner(folding_.number(), exchange);
  const Blocks moved = sent(sends ? folding_.number() : other, exchange);
  const bool has_received = round > 0 && (exchange > 0 || folding_.stands_for_two());
  return BlockTransfer{.peer = folding_.position_of(other),
                       .first = moved.first,
                       .count = moved.count,
                       .needs = sends && has_received ? round - 1 : no_round,
                       .reduces = moved.reduces};
}

unsigned HalvingDoubling::bit(std::uint64_t exchange) const {
  const std::uint64_t steps = folding().steps();
  return static_cast<unsigned>(exchange < steps ? exchange : 2 * steps - 1 - exchange);
}

/// While halves are summed up, a number keeps the lower part where its bit is 0, and sends the other. The way back it
/// sends all that it has.
HalvingDoubling::Blocks HalvingDoubling::sent(Rank number, std::uint64_t exchange) const {
  const unsigned along = bit(exchange);
  std::uint64_t count = folding().active();
  std::uint64_t first = 0;
  for (unsigned i = 0; i <= along; ++i) {
    count /= 2;
    if ((number >> i & 1U) != 0) first += count;
  }
  const bool reduces = exchange < folding().steps();
  if (!reduces) return {first, count, false};
  const bool keeps_upper = (number >> along & 1U) != 0;
  return {keeps_upper ? first - count : first + count, count, true};
}

}  // namespace trunkline
