// SPDX-License-Identifier: Apache-2.0
// Whatever is in a plan file: it is read, proven, and then written and read back as the same plan, or it is refused.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "kinds/trees/trees.hpp"
#include "plan_file/plan_file.hpp"

namespace {

bool same_trees(const std::vector<trunkline::Tree>& a, const std::vector<trunkline::Tree>& b) {
  return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
    return one.root == other.root && one.children == other.children;
  });
}

bool same_plans(const trunkline::Plan& a, const trunkline::Plan& b) {
  const trunkline::Trees* const one = trunkline::find_trees(a);
  const trunkline::Trees* const other = trunkline::find_trees(b);
  if ((one == nullptr) != (other == nullptr)) return false;
  if (one != nullptr) return same_trees(*one, *other);
  std::array<std::string, 2> texts;
  a.steps().write(texts[0]);
  b.steps().write(texts[1]);
  return texts[0] == texts[1];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const PlanFile plan = parse_plan({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (const Trees* const trees = find_trees(plan.plan)) check_trees(*trees);
    const PlanFile again = parse_plan(write_plan(plan), "again");
    if (!same_plans(again.plan, plan.plan) || again.host_of_rank != plan.host_of_rank ||
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
