// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "kinds/multicast/multicast.hpp"
#include "plan/tree_check.hpp"
#include "text/quantity.hpp"

namespace trunkline {

void check_multicast(const Multicast& multicast) {
  try {
    check_tree(multicast.confirm);
  } catch (const InvalidPlan& invalid) {
    throw InvalidPlan(std::string("the confirm tree: ") + invalid.what());
  }
  const double rate_bps = 8.0 / multicast.byte_s;
  if (multicast.byte_s != 0.0 && !(rate_bps >= least_rate_bps && rate_bps <= most_rate_bps)) {
    throw InvalidPlan("the pace, " + std::to_string(multicast.byte_s) + " seconds a byte, is no rate that a link has");
  }
}

}  // namespace trunkline
