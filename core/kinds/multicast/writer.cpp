// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <string>

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

}  // namespace

void write_multicast(std::string& yaml, const Multicast& multicast) {
  check_multicast(multicast);
  yaml += "# The root sends each datagram once, to all ranks.\nmulticast:\n";
  if (multicast.byte_s > 0.0) {
    yaml +=
        "  # Of the slowest link on any way from the root.\n  pace: " + format_rate(pace_rate(multicast.byte_s)) + "\n";
  }
  yaml += "  # For each rank, those that report to it.\n  confirm:";
  yaml += multicast.confirm.size() == 1 ? " {}\n" : "\n";
  append_children(yaml, multicast.confirm, 4);
}

}  // namespace trunkline
