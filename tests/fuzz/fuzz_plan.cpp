// SPDX-License-Identifier: Apache-2.0
// Whatever is in a plan file: it is read, proven, and then written and read back as the same plans, or it is refused.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "kinds/trees/trees.hpp"
#include "plan_file/plan_set.hpp"

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

bool same_files(const trunkline::PlanFile& a, const trunkline::PlanFile& b) {
  return same_plans(a.plan, b.plan) && a.host_of_rank == b.host_of_rank && a.segment_bytes == b.segment_bytes &&
         a.provenance == b.provenance && a.cluster_fingerprint == b.cluster_fingerprint &&
         a.from_bytes == b.from_bytes && a.below_bytes == b.below_bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const PlanSet set = parse_plans({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const PlanFile& plan : set.plans) {
      if (const Trees* const trees = find_trees(plan.plan)) check_trees(*trees);
      if (!same_files(parse_plan(write_plan(plan), "again"), plan)) std::abort();
    }
    if (!std::ranges::equal(parse_plans(write_plans(set), "again").plans, set.plans, same_files)) std::abort();
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") {
      std::abort();  // refused without a reason, or what we wrote ourselves cannot be read
    }
  }
  return 0;
}
