// SPDX-License-Identifier: Apache-2.0
// Tags of messages on our own communicators.
#pragma once

namespace trunkline::runtime {

/// The first of the tags of a broadcast. MPI delivers what has equal tags in order, so one would do; but one of an
/// erroneous broadcast that nobody received must not be taken for part of the next. Below 32767, which every MPI
/// library allows, with room for the trees of a plan after it.
[[nodiscard]] constexpr int tags_of(unsigned turn) {
  constexpr unsigned turns = 256;
  constexpr unsigned tags_each = 64;
  return static_cast<int>(1 + turn % turns * tags_each);
}

}  // namespace trunkline::runtime
