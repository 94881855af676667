// SPDX-License-Identifier: Apache-2.0
// When a rank of a multicast looks at messages. Each look costs a turn of the library's progress, which finds nothing
// for nearly every batch of datagrams; and to whoever watches system calls, a rank that polls twice in vain is idle.
#pragma once

namespace trunkline::runtime {

class SeldomLook {
 public:
  /// Whether this turn goes without a look. `gets_on`: datagrams have just come, or left.
  [[nodiscard]] bool puts_off(bool gets_on) noexcept {
    if (gets_on && ++without_ < most_without) return true;
    without_ = 0;
    return false;
  }

 private:
  static constexpr unsigned most_without = 8;
  unsigned without_ = 0;  ///< turns in a row
};

}  // namespace trunkline::runtime
