// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "plan/written_lists.hpp"

namespace trunkline {

void write_rounds(std::string& yaml, const Rounds& rounds) {
  yaml += "rounds:\n";
  if (!rounds.generator.empty()) {
    yaml += "  generator: " + rounds.generator + "\n  # Ranks by position, the root first.\n  order: ";
    append_list(yaml, ranges_of(rounds.order), 4);
    return;
  }
  const RoundList list = list_of(rounds);
  if (rounds.order != by_number(static_cast<Rank>(rounds.order.size()), rounds.order.front())) {
    yaml += "  # Ranks by position, by which blocks go.\n  order: ";
    append_list(yaml, ranges_of(rounds.order), 4);
  }
  yaml += "  blocks: " + std::to_string(list.blocks) + (list.lead > 0 ? "\n  lead: " + std::to_string(list.lead) : "") +
          "\n  # What is sent in each round.\n  transfers:" + (list.rounds.empty() ? " []\n" : "\n");
  for (const std::vector<Transfer>& round : list.rounds) {
    std::vector<std::string> items;
    for (const auto& [from, to, first, count, reduces, replaces, rows, stride] : round) {
      const std::string last = count > 1 ? "-" + std::to_string(first + count - 1) : "";
      items.push_back("{from: " + std::to_string(from) + ", to: " + std::to_string(to) +
                      ", blocks: " + std::to_string(first) + last +
                      (rows > 1 ? ", rows: " + std::to_string(rows) + ", stride: " + std::to_string(stride) : "") +
                      (reduces ? ", add: true" : "") + (replaces ? ", replace: true" : "") + "}");
    }
    yaml += "    - ";
    append_list(yaml, items, 6);
  }
}

}  // namespace trunkline
