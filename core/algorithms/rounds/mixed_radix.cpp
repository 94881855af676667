// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/mixed_radix.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace trunkline {

std::vector<Rank> prime_factors(Rank number) {
  std::vector<Rank> factors;
  for (Rank factor = 2; factor <= number / factor; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

Rank groups_of(Rank size, Rank ranks) {
  if (size == 0 || ranks % size != 0) {
    throw std::invalid_argument(std::to_string(ranks) + " ranks do not make groups of " + std::to_string(size));
  }
  return ranks / size;
}

Rank largest_prime_factor(Rank number) {
  const std::vector<Rank> factors = prime_factors(number);
  return factors.empty() ? 1 : factors.back();
}

MixedRadix::MixedRadix(std::span<const Rank> levels, Rank ranks, Rank position) : ranks_(ranks), position_(position) {
  check_root(ranks, position);
  Rank rest = ranks;
  for (const Rank level : levels) {
    rest = groups_of(level, rest);
    add_stages(level);
  }
  add_stages(rest);
}

void MixedRadix::add_stages(Rank level) {
  for (const Rank factor : prime_factors(level)) {
    const bool is_first = stages_.empty();
    const Rank stride = is_first ? 1 : stages_.back().stride * stages_.back().factor;
    const std::uint64_t part = (is_first ? ranks_ : stages_.back().part) / factor;
    stages_.push_back({.factor = factor, .stride = stride, .part = part, .first = kept_block_, .round = half_});
    kept_block_ += position_ / stride % factor * part;
    half_ += factor - 1;
  }
}

std::uint64_t MixedRadix::rounds(std::uint64_t /*blocks*/) const { return 2 * half_; }

bool MixedRadix::alike_in_groups(Rank size) const {
  return size == 1 || size == ranks_ || std::ranges::find(stages_, size, &Stage::stride) != stages_.end();
}

MixedRadix::Turn MixedRadix::turn(std::uint64_t round) const {
  const bool reduces = round < half_;
  // The way back goes through the same rounds from the last one on.
  const std::uint64_t there = reduces ? round : 2 * half_ - 1 - round;
  const auto after = std::ranges::upper_bound(stages_, there, {}, &Stage::round);
  const Stage& stage = *(after - 1);
  const std::uint64_t begin = reduces ? stage.round : 2 * half_ - stage.round - (stage.factor - 1);
  return {.stage = &stage, .begin = begin, .step = static_cast<Rank>(round - begin + 1), .reduces = reduces};
}

std::optional<BlockTransfer> MixedRadix::transfer(std::uint64_t round, std::uint64_t /*blocks*/, bool sends) const {
  const auto [stage, begin, step, reduces] = turn(round);
  const Rank factor = stage->factor;
  const Rank own = position_ / stage->stride % factor;
  const Rank to = (own + step) % factor;
  const Rank from = (own + factor - step) % factor;
  const Rank other = sends ? to : from;
  // Summed up is the part of who receives; gathered that of who sends.
  const Rank part = sends == reduces ? other : own;
  return BlockTransfer{.peer = position_ - own * stage->stride + other * stage->stride,
                       .first = stage->first + part * stage->part,
                       .count = stage->part,
                       .needs = sends && begin > 0 ? begin - 1 : no_round,
                       .reduces = reduces};
}

}  // namespace trunkline
