// SPDX-License-Identifier: Apache-2.0
#include "intercept/counted.hpp"

#include <optional>
#include <string_view>

#include "trace/format.hpp"

namespace trunkline::runtime {
namespace {

/// What stays native whatever anyone says has words, the same ones for many calls; a prediction has others for each
/// size.
ReceiptReason told(const Why& why) {
  const LocalDecision* const made = why.decision.get();
  const ChosenBy chooser = made != nullptr ? made->chosen_by : why.chosen_by;
  if (chooser != ChosenBy::none) return {.chosen_by = name_of(chooser), .words = {}};
  return {.chosen_by = name_of(chooser), .words = made != nullptr ? std::string_view(made->reason) : why.words};
}

}  // namespace

void count_call(const Arguments& call, std::uint64_t bytes, const char* algorithm, const Why& why, const Took& took) {
  Receipt* const counted = receipt();
  if (counted == nullptr) return;
  counted->count(call.collective, bytes != unknown_bytes ? std::optional(bytes) : std::nullopt, algorithm, told(why),
                 took);
}

}  // namespace trunkline::runtime
