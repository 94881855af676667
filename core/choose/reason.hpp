// SPDX-License-Identifier: Apache-2.0
// Why `auto` runs what it runs, in one line for people: from the very rows that decided.
#pragma once

#include <cstdint>
#include <string>

#include "choose/evaluate.hpp"
#include "choose/size_class.hpp"

namespace trunkline {

/// The predicted times, the fastest first, and the rule that decided where that is not simply the fastest.
/// `evaluation` is of the least of the sizes; the message's own stands beside it where it is another one.
[[nodiscard]] std::string reason_of(const Evaluation& evaluation, const SizeClass& sizes, std::uint64_t message_bytes);

}  // namespace trunkline
