// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/swing.hpp"

namespace trunkline {
namespace {

/// Distance of an exchange: 1 - 2 + 4 - 8 ... to so many terms more than one.
std::int64_t distance(unsigned along) {
  std::int64_t sum = 0;
  for (unsigned i = 0; i <= along; ++i) sum += (i % 2 == 0 ? 1 : -1) * (std::int64_t{1} << i);
  return sum;
}

/// Even numbers go one way, odd ones the other, round the end of a power of two.
Rank swung(Rank number, unsigned along, Rank active) {
  const std::int64_t by = number % 2 == 0 ? distance(along) : -distance(along);
  return static_cast<Rank>((std::int64_t{number} + by) & (std::int64_t{active} - 1));
}

}  // namespace

Swing::Swing(Rank ranks, Rank position) : HalvingDoubling(ranks, position), path_(folding().active()) {
  std::vector<Rank> number_at(folding().active());
  for (Rank path = 1; path < folding().active(); ++path) {
    const auto last = static_cast<unsigned>(std::bit_width(path) - 1);
    number_at[path] = swung(number_at[path - (Rank{1} << last)], last, folding().active());
    path_[number_at[path]] = path;
  }
}

Rank Swing::partner(Rank number, std::uint64_t exchange) const {
  return swung(number, bit(exchange), folding().active());
}

Swing::Blocks Swing::sent(Rank number, std::uint64_t exchange) const {
  return HalvingDoubling::sent(path_[number], exchange);
}

}  // namespace trunkline
