// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rounds/group_steps.hpp"

#include "algorithms/rounds/mixed_radix.hpp"

namespace trunkline {

std::vector<GroupStep> group_steps(Rank size, Rank member) {
  check_root(size, member);
  std::vector<GroupStep> steps;
  std::size_t stage = 0;
  Rank count = 1;  // members whose data each has
  for (const Rank factor : prime_factors(size)) {
    const Rank own = member / count % factor;
    const Rank group = member - member % (count * factor);
    for (Rank step = 1; step < factor; ++step) {
      const Rank to = (own + step) % factor;
      const Rank from = (own + factor - step) % factor;
      steps.push_back({.stage = stage,
                       .to = member - own * count + to * count,
                       .from = member - own * count + from * count,
                       .sent_first = group + own * count,
                       .received_first = group + from * count,
                       .count = count});
    }
    count *= factor;
    ++stage;
  }
  return steps;
}

}  // namespace trunkline
