// SPDX-License-Identifier: Apache-2.0
// Whatever is in a plan file: it is read, proven, and then written and read back as the same plan, or it is refused.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "network/cluster.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_file.hpp"

namespace {

bool same_trees(const std::vector<trunkline::Tree>& a, const std::vector<trunkline::Tree>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.root == other.root && one.children == other.children;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const PlanFile plan = parse_plan({reinterpret_cast<const char*>(data), size}, "fuzz");
    check_trees(*plan.plan.trees());
    const PlanFile again = parse_plan(write_plan(plan), "again");
    if (!same_trees(*again.plan.trees(), *plan.plan.trees()) || again.host_of_rank != plan.host_of_rank ||
        again.segment_bytes != plan.segment_bytes || again.provenance != plan.provenance ||
        again.cluster_fingerprint != plan.cluster_fingerprint) {
      std::abort();
    }
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") {
      std::abort();  // refused without a reason, or what we wrote ourselves cannot be read
    }
  }
  return 0;
}
