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

Address address_of(std::uint32_t address, std::uint16_t port) {
  Address made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  made.sin_addr.s_addr = htonl(address);
  return made;
}

}  // namespace trunkline::runtime
