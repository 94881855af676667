// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "kinds/multicast/multicast.hpp"
#include "plan/written_lists.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

/// The shortest rate that is read back as the same pace.
double pace_rate(double byte_s) {
  const double rate = 8.0 / byte_s;
  constexpr int fewest_digits = 6;
  constexpr int all_digits = 17;
  for (int digits = fewest_digits; digits <= all_digits; ++digits) {
    std::array<char, 32> text{};
    const auto written =
        std::to_chars(text.data(), text.data() + text.size(), rate, std::chars_format::general, digits);
    double shorter = 0.0;
    std::from_chars(text.data(), written.ptr, shorter);
    if (8.0 / shorter == byte_s) return shorter;
  }
  return rate;
}

void append_groups(std::string& yaml, const Multicast& multicast) {
  yaml += multicast.goes_by_turns()
              ? "  # Ranks send to their group. Its first one sends what it has to the first of all others, by "
                "messages, and "
                "theirs to it.\n"
              : "  # Of each, the first rank sends. It has the message from the one above it in the confirm tree, by "
                "messages.\n";
  yaml += "  groups:\n";
  for (const MulticastGroup& group : multicast.groups) {
    constexpr std::size_t indent = 6;
    yaml += "    - ranks: ";
    append_list(yaml, ranges_of(group.ranks), indent);
    if (group.byte_s > 0.0) yaml += "      pace: " + format_rate(pace_rate(group.byte_s)) + "\n";
  }
}

}  // namespace

void write_multicast(std::string& yaml, const Multicast& multicast) {
  check_multicast(multicast);
  yaml += multicast.goes_by_turns() && multicast.has_groups()
              ? "# Each rank sends its block once, to all ranks of its group.\nmulticast:\n"
          : multicast.goes_by_turns() ? "# Each rank sends its block once, to all ranks.\nmulticast:\n"
          : multicast.has_groups()    ? "# In each group one rank sends each datagram once, to all of it.\nmulticast:\n"
          : multicast.reduce.empty()  ? "# The root sends each datagram once, to all ranks.\nmulticast:\n"
                                      : "# Operands go to the root, which sends the result once, to all "
                                        "ranks.\nmulticast:\n";
  if (multicast.byte_s > 0.0) {
    yaml +=
        "  # Of the slowest link on any way from the root.\n  pace: " + format_rate(pace_rate(multicast.byte_s)) + "\n";
  }
  if (multicast.goes_by_turns()) {
    yaml +=
        "  # By turn, the root first. A rank sends once it has what those sent that are so many before it.\n  order: ";
    append_list(yaml, ranges_of(multicast.order), 4);
    yaml += "  at_once: " + std::to_string(multicast.at_once) + "\n";
    if (multicast.has_groups()) append_groups(yaml, multicast);
    return;
  }
  if (multicast.has_groups()) append_groups(yaml, multicast);
  yaml += multicast.has_groups()
              ? "  # For each rank, those that report to it, or have the message from it.\n  confirm:"
              : "  # For each rank, those that report to it.\n  confirm:";
  yaml += multicast.confirm.size() == 1 ? " {}\n" : "\n";
  append_children(yaml, multicast.confirm, 4);
  if (multicast.confirm.exchange != no_rank) {
    yaml += "  # Root and this rank exchange what has come up to each.\n  exchange: " +
            std::to_string(multicast.confirm.exchange) + "\n";
  }
  if (multicast.reduce.empty()) return;
  yaml += "  # Operands go up these trees by turns. In each: for each rank, those whose operands it gets.\n  reduce:\n";
  constexpr std::string_view lead = "    - ";
  for (const Tree& tree : multicast.reduce) {
    std::string lists;
    append_children(lists, tree, lead.size());
    yaml += std::string(lead) + (lists.empty() ? "{}\n" : lists.substr(lead.size()));
  }
}

}  // namespace trunkline
