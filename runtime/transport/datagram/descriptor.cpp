// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/descriptor.hpp"

#include <unistd.h>

#include <utility>

namespace trunkline::runtime {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

}  // namespace trunkline::runtime
