// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <stdexcept>

namespace trunkline {

const Steps& Plan::steps() const {
  if (steps_ == nullptr) throw std::logic_error("a plan without steps: lay one, or read one from a file");
  return *steps_;
}

}  // namespace trunkline
