// SPDX-License-Identifier: Apache-2.0
// Cost: (X - 1 + log2(P)) T(m / X) for X blocks, where no two transfers share a channel.
#include "algorithms/rounds/circulant.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace trunkline {
namespace {

/// Finds the blocks that one rank receives. A rank is reached from the root along decreasing skips; the smallest of
/// them is its base block, the first one it gets. For each skip the search looks for a rank between this skip and the
/// next larger one before ours that has a base block not taken yet: that block is what this skip brings.
class Search {
 public:
  /// `skips` ends with the number of ranks itself, as the skip that leads all round to the root. Finds one block less
  /// than there are of these.
  Search(std::span<const Rank> skips, Rank position, std::int8_t* found)
      : skips_(skips),
        target_(std::uint64_t{position} + skips.back()),
        limit_(2 * std::uint64_t{skips.back()}),
        found_(found) {
    const std::size_t base = base_block(position);
    const std::size_t rounds = skips.size() - 1;
    free_ = ((std::uint64_t{1} << skips.size()) - 1) & ~(std::uint64_t{1} << base);
    from(0, skips.size());
    // Blocks of the last time round but for the base block, which is of this one.
    for (std::size_t i = 0; i < count_; ++i) {
      const auto all_round = static_cast<int>(rounds);
      found_[i] = static_cast<std::int8_t>(found_[i] == all_round ? static_cast<int>(base) : found_[i] - all_round);
    }
  }

 private:
  [[nodiscard]] std::size_t base_block(Rank position) const {
    for (std::size_t k = skips_.size() - 1; k > 0; --k) {
      if (skips_[k - 1] == position) return k - 1;
      if (skips_[k - 1] < position) position -= skips_[k - 1];
    }
    return skips_.size() - 1;
  }

  [[nodiscard]] bool done() const { return count_ + 1 == skips_.size(); }
  [[nodiscard]] bool is_free(std::size_t skip) const { return (free_ >> skip & 1U) != 0; }
  /// Whether `rank` is near enough to ours for the skip that is looked at, and before the one found last.
  [[nodiscard]] bool in_reach(std::uint64_t rank) const { return rank + skips_[count_] <= target_ && rank < limit_; }
  [[nodiscard]] bool beyond_next(std::uint64_t rank) const { return rank + skips_[count_ + 1] > target_; }

  /// Depth first over the ranks that skips smaller than `end` lead to from `rank`, the farthest first.
  void from(std::uint64_t rank, std::size_t end) {
    for (std::size_t skip = end; skip-- > 0 && !done();) {
      const std::uint64_t next = rank + skips_[skip];
      if (!is_free(skip) || !in_reach(next)) continue;
      from(next, skip);
      if (done() || beyond_next(rank)) return;
      if (is_free(skip) && in_reach(next) && next + skips_[count_ + 1] >= target_) {
        limit_ = next;
        free_ &= ~(std::uint64_t{1} << skip);
        found_[count_++] = static_cast<std::int8_t>(skip);
      }
    }
  }

  std::span<const Rank> skips_;
  std::uint64_t target_;
  std::uint64_t limit_;
  std::uint64_t free_ = 0;  ///< a bit for each base block
  std::int8_t* found_;
  std::size_t count_ = 0;
};

void find_blocks(std::span<const Rank> all_round, Rank position, std::int8_t* found) {
  if (position != 0) Search(all_round, position, found);
}

}  // namespace

struct Circulant::Moment {
  std::int64_t skip;
  std::int64_t shift;  ///< from a rank's block for the skip to the one of this round
};

Circulant::Circulant(Rank ranks, Rank position) : Circulant(ranks, position, nullptr) {}

Circulant::Circulant(const std::shared_ptr<const CirculantBlocks>& blocks, Rank position)
    : Circulant(blocks->ranks(), position, blocks) {}

Circulant::Circulant(Rank ranks, Rank position, std::shared_ptr<const CirculantBlocks> blocks)
    : ranks_(ranks), position_(position), skips_(skips(ranks)), blocks_(std::move(blocks)) {
  check_root(ranks, position);
  const auto count = static_cast<std::int64_t>(skips_.size());
  const auto to = [&](Rank skip) { return static_cast<Rank>((std::uint64_t{position} + skip) % ranks); };
  if (blocks_ != nullptr) {
    received_ = blocks_->of(position);
    for (const Rank skip : skips_) received_by_.push_back(blocks_->of(to(skip)));
  } else {
    std::vector<Rank> all_round = skips_;
    all_round.push_back(ranks);
    own_blocks_.resize(skips_.size() * (1 + skips_.size()));
    std::int8_t* at = own_blocks_.data();
    const auto found = [&](Rank of) {
      find_blocks(all_round, of, at);
      return of == 0 ? Received() : Received(std::exchange(at, at + count), skips_.size());
    };
    received_ = found(position);
    for (const Rank skip : skips_) received_by_.push_back(found(to(skip)));
  }
  skip_for_.resize(received_.size());
  for (std::int64_t skip = 0; skip < std::ssize(received_); ++skip) {
    skip_for_[static_cast<std::size_t>((received_[static_cast<std::size_t>(skip)] + count) % count)] = skip;
  }
}

CirculantBlocks::CirculantBlocks(Rank ranks) : ranks_(ranks) {
  std::vector<Rank> all_round = Circulant::skips(ranks);
  skips_ = all_round.size();
  all_round.push_back(ranks);
  blocks_.resize(std::size_t{ranks} * skips_);
  for (Rank position = 1; position < ranks; ++position) {
    find_blocks(all_round, position, blocks_.data() + position * skips_);
  }
}

std::vector<Rank> Circulant::skips(Rank ranks) {
  std::vector<Rank> found;
  for (Rank rest = ranks; rest > 1;) {
    rest -= rest / 2;
    found.push_back(rest);
  }
  std::ranges::reverse(found);
  return found;
}

std::uint64_t Circulant::rounds(std::uint64_t blocks) const { return skips_.empty() ? 0 : blocks - 1 + skips_.size(); }

Circulant::Moment Circulant::moment(std::uint64_t round, std::uint64_t blocks) const {
  const std::uint64_t skips = skips_.size();
  const std::uint64_t left_out = (skips - (blocks - 1) % skips) % skips;
  const std::uint64_t counted = round + left_out;
  const std::uint64_t turn = counted / skips * skips;
  return {.skip = static_cast<std::int64_t>(counted % skips),
          .shift = static_cast<std::int64_t>(turn) - static_cast<std::int64_t>(left_out)};
}

/// The round in which a rank gets the last block: the first one that would bring it or a later one. The later ones do
/// not exist; the schedule would have the last one sent again instead.
std::int64_t Circulant::last_block_in(Received received, std::uint64_t blocks) const {
  const auto skips = static_cast<std::int64_t>(skips_.size());
  const auto last = static_cast<std::int64_t>(blocks) - 1;
  const std::int64_t end = last + skips;
  for (std::int64_t round = std::max<std::int64_t>(0, end - 2 * skips); round < end; ++round) {
    const Moment at = moment(static_cast<std::uint64_t>(round), blocks);
    if (received[static_cast<std::size_t>(at.skip)] + at.shift >= last) return round;
  }
  return end;
}

/// The round in which this rank, not the root, gets a block.
std::uint64_t Circulant::received_in(std::int64_t block, std::uint64_t blocks) const {
  if (block + 1 >= static_cast<std::int64_t>(blocks)) {
    return static_cast<std::uint64_t>(last_block_in(received_, blocks));
  }
  const auto skips = static_cast<std::int64_t>(skips_.size());
  const Moment start = moment(0, blocks);
  const std::int64_t left_out = start.skip;
  const std::int64_t skip = skip_for_[static_cast<std::size_t>((block + left_out) % skips)];
  const std::int64_t turn = block + left_out - received_[static_cast<std::size_t>(skip)];
  return static_cast<std::uint64_t>(turn + skip - left_out);
}

std::optional<BlockTransfer> Circulant::send(std::uint64_t round, std::uint64_t blocks) const {
  const Moment at = moment(round, blocks);
  const auto skip = static_cast<std::size_t>(at.skip);
  const Received received = received_by_[skip];
  if (received.empty()) return {};
  const std::int64_t block = received[skip] + at.shift;
  const auto last = static_cast<std::int64_t>(blocks) - 1;
  if (block < 0 || (block >= last && last_block_in(received, blocks) != static_cast<std::int64_t>(round))) return {};
  return BlockTransfer{.peer = static_cast<Rank>((std::uint64_t{position_} + skips_[skip]) % ranks_),
                       .first = static_cast<std::uint64_t>(std::min(block, last)),
                       .count = 1,
                       .needs = position_ == 0 ? no_round : received_in(block, blocks)};
}

std::optional<BlockTransfer> Circulant::receive(std::uint64_t round, std::uint64_t blocks) const {
  if (position_ == 0) return {};
  const Moment at = moment(round, blocks);
  const auto skip = static_cast<std::size_t>(at.skip);
  const std::int64_t block = received_[skip] + at.shift;
  const auto last = static_cast<std::int64_t>(blocks) - 1;
  if (block < 0 || (block >= last && last_block_in(received_, blocks) != static_cast<std::int64_t>(round))) return {};
  return BlockTransfer{.peer = static_cast<Rank>((std::uint64_t{position_} + ranks_ - skips_[skip]) % ranks_),
                       .first = static_cast<std::uint64_t>(std::min(block, last)),
                       .count = 1};
}

/// A single block reaches each rank over the longest skip that is no longer than its way from the root. In the middle
/// all ranks send but to the root; unless their number is a power of two, some have no block yet in the second period.
std::vector<RowOfSends> Circulant::rows_sent(std::uint64_t round, std::uint64_t blocks) const {
  if (blocks == 1) {
    const Rank skip = skips_[round];
    const Rank next = round + 1 < skips_.size() ? skips_[round + 1] : ranks_;
    return {{.first = 0, .count = next - skip, .distance = skip}};
  }
  const Moment at = moment(round, blocks);
  const Rank skip = skips_[static_cast<std::size_t>(at.skip)];
  const bool all_have_blocks = std::has_single_bit(ranks_);
  if (!all_have_blocks && blocks_ == nullptr) blocks_ = std::make_shared<const CirculantBlocks>(ranks_);
  std::vector<RowOfSends> rows;
  Rank first = 0;
  const auto end_row = [&](Rank end) {
    if (end > first) rows.push_back({.first = first, .count = end - first, .distance = skip});
    first = end + 1;
  };
  for (Rank from = 0; from < ranks_ && !all_have_blocks; ++from) {
    const Rank to = from < ranks_ - skip ? from + skip : from - (ranks_ - skip);
    if (to != 0 && blocks_->of(to)[static_cast<std::size_t>(at.skip)] + at.shift < 0) end_row(from);
    if (to == 0) end_row(from);
  }
  if (all_have_blocks) end_row(ranks_ - skip);
  end_row(ranks_);
  return rows;
}

}  // namespace trunkline
