// SPDX-License-Identifier: Apache-2.0
#include "transport/datagram/descriptor.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <utility>

namespace trunkline::runtime {

Descriptor::~Descriptor() {
  if (number_ < 0) return;
  close(number_);
  --open_;
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

bool Descriptor::may_open(int more) noexcept {
  constexpr rlim_t share = 4;
  rlimit most{};
  if (getrlimit(RLIMIT_NOFILE, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return true;
  return static_cast<rlim_t>(open_ + more) <= most.rlim_cur / share;
}

}  // namespace trunkline::runtime
