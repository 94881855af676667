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
  yaml += "  blocks: " + std::to_string(list.blocks) + (list.lead > 0 ? "\n  lead: " + std::to_string(list.lead) : "") +
          "\n  # What is sent in each round.\n  transfers:" + (list.rounds.empty() ? " []\n" : "\n");
  for (const std::vector<Transfer>& round : list.rounds) {
    std::vector<std::string> items;
    for (const auto& [from, to, first, count, reduces, replaces] : round) {
      const std::string last = count > 1 ? "-" + std::to_string(first + count - 1) : "";
      const std::string what = (count == 0 ? ", word: " : ", blocks: ") + std::to_string(first) + last;
      items.push_back("{from: " + std::to_string(from) + ", to: " + std::to_string(to) + what +
                      (reduces ? ", add: true" : "") + (replaces ? ", replace: true" : "") + "}");
    }
    yaml += "    - ";
    append_list(yaml, items, 6);
  }
}

}  // namespace trunkline
