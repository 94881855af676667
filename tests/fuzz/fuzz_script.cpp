// SPDX-License-Identifier: Apache-2.0
// Whatever is in a script of a lab, or in a line that a running one is sent: it is refused with a reason, or its text
// reads back as the same changes.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "network/file/cluster_file.hpp"
#include "network/file/lab_script.hpp"

namespace {

using namespace trunkline;

const Cluster& network() {
  static const Cluster cluster = parse_cluster(
      "trunkline: cluster/1\nname: fuzzed\ndefaults: {rate: 10Mbit, latency: 10us}\nswitches: s[0-2]\n"
      "hosts: [{hosts: 'h[0-3]', switch: s0}, {hosts: a-b, switch: s1}]\n"
      "links: [{between: [s0, s1]}, {between: [s1, s2]}, {between: [s2, s0], rate: 1Mbit}]\n",
      "network");
  return cluster;
}

void read_back(const std::vector<LinkChange>& changes) {
  std::string text;
  for (const LinkChange& change : changes) {
    text += (text.empty() ? "" : " ; ") + change.text();
    if (change.channels.empty() || change.channels.back() >= network().channel_count()) std::abort();
    const LinkState state = change.applied_to({.rate_bps = 1e6, .started_bps = 1e6});
    if (!(state.rate_bps > 0.0 && state.latency_s >= 0.0 && state.latency_s <= 3600.0)) std::abort();
  }
  const std::vector<LinkChange> again = parse_link_changes(network(), text);
  if (again.size() != changes.size()) std::abort();
  for (std::size_t i = 0; i < again.size(); ++i) {
    if (again[i].channels != changes[i].channels || again[i].text() != changes[i].text()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    for (const LabStep& step : parse_lab_script(input, "fuzz", network())) read_back(step.changes);
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") std::abort();
  }
  std::vector<LinkChange> changes;
  try {
    changes = parse_link_changes(network(), input);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  read_back(changes);
  return 0;
}
