// SPDX-License-Identifier: Apache-2.0
// A message that comes piece by piece, as who hands it on in another way sees it.
#pragma once

#include <cstdint>

namespace trunkline::runtime {

class Arriving {
 public:
  virtual ~Arriving() = default;
  Arriving(const Arriving&) = delete;
  Arriving& operator=(const Arriving&) = delete;

  /// The number of bytes from the message's beginning on that lie in the user's buffer. Throws MpiError where some
  /// could not be unpacked there.
  [[nodiscard]] virtual std::uint64_t bytes_here() const = 0;

 protected:
  Arriving() = default;
};

}  // namespace trunkline::runtime
