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
  const int wanted = open_ + more;
  return static_cast<rlim_t>(wanted) <= most.rlim_cur / share;
}

}  // namespace trunkline::runtime
