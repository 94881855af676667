// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/swing.hpp"

#include "patterns/swung.hpp"

namespace trunkline {

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
