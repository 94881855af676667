// SPDX-License-Identifier: Apache-2.0
#include "choose/choose.hpp"

#include <algorithm>
#include <optional>

#include "choose/reason.hpp"
#include "choose/size_class.hpp"
#include "model/transfer/segments.hpp"

namespace trunkline {
namespace {

/// Of a message of the class. Each rank of a ring waits for whole pieces: those are cut for the very size. Other plans
/// take the class's segment, and hardly lose by it.
std::uint64_t segment_of(const Alternative& alternative, std::uint64_t class_segment, std::uint64_t message_bytes) {
  const bool relays = alternative.costs->relayed_blocks() > 0;
  return relays ? alternative.costs->best_segment(message_bytes) : class_segment;
}

Pick picked(const Evaluation& evaluation, std::uint64_t message_bytes) {
  const Evaluated* const runs = evaluation.runs();
  if (runs == nullptr) return {};
  return {.algorithm = runs->algorithm(),
          .segment_bytes = segment_of(*runs->alternative, runs->segment_bytes, message_bytes)};
}

/// In the segments that would run.
std::vector<Prediction> predictions_of(const Alternatives& alternatives, const Evaluation& evaluation,
                                       std::uint64_t message_bytes) {
  std::vector<Prediction> all;
  for (const Evaluated& one : evaluation.rows()) {
    if (!is_compared(one.verdict)) continue;
    const std::uint64_t segment = segment_of(*one.alternative, one.segment_bytes, message_bytes);
    const std::optional<Replayed> replayed =
        replayed_on(*alternatives.on, one.algorithm(), message_bytes, segment, most_events_to_decide);
    all.push_back({.algorithm = one.algorithm(),
                   .segment_bytes = segment,
                   .seconds = replayed ? replayed->seconds : one.alternative->costs->seconds(message_bytes, segment)});
  }
  all.push_back({.algorithm = "native", .segment_bytes = 0, .seconds = native_seconds(alternatives, message_bytes)});
  std::ranges::stable_sort(all, {}, &Prediction::seconds);
  return all;
}

}  // namespace

Pick pick(const Alternatives& alternatives, std::uint64_t message_bytes, OperandOrder order, Reach reach) {
  if (!alternatives.decide(message_bytes)) return {};
  const std::uint64_t least_bytes = size_class(message_bytes, alternatives.jumps).least_bytes;
  return picked(evaluate(alternatives, least_bytes, order, reach, Rows::that_may_run), message_bytes);
}

Pick KeptPicks::pick(const Alternatives& alternatives, std::uint64_t message_bytes, OperandOrder order, Reach reach) {
  if (!alternatives.decide(message_bytes)) return {};
  constexpr std::uint8_t native = 1;
  constexpr std::uint8_t first_laid = 2;
  const SizeClass sizes = size_class(message_bytes, alternatives.jumps);
  std::vector<Kept>& known = by_class_.at(static_cast<std::size_t>(order)).at(static_cast<std::size_t>(reach));
  if (known.size() <= sizes.index) known.resize(sizes.index + 1);
  Kept& kept = known[sizes.index];
  if (kept.runs == 0) {
    const Evaluation all = evaluate(alternatives, sizes.least_bytes, order, reach, Rows::that_may_run);
    kept.runs = native;
    if (const Evaluated* const runs = all.runs()) {
      const auto segment = std::ranges::lower_bound(segment_sizes(), runs->segment_bytes);
      kept = {.runs = static_cast<std::uint8_t>(first_laid + (runs - all.rows().data())),
              .segment = static_cast<std::uint8_t>(segment - segment_sizes().begin())};
    }
  }
  if (kept.runs == native) return {};
  const Alternative& runs = alternatives.laid[kept.runs - first_laid];
  return {.algorithm = runs.candidate->name,
          .segment_bytes = segment_of(runs, segment_sizes()[kept.segment], message_bytes)};
}

Choice choose(const Alternatives& alternatives, std::uint64_t message_bytes, OperandOrder order, Reach reach) {
  if (alternatives.laid.empty()) return {.reason = std::string(alternatives.why_none)};
  // Below the floor nothing is decided: times are those of the very size.
  const SizeClass sizes = alternatives.decide(message_bytes)
                              ? size_class(message_bytes, alternatives.jumps)
                              : SizeClass{.index = 0, .least_bytes = message_bytes, .most_bytes = message_bytes};
  const Evaluation all = evaluate(alternatives, sizes.least_bytes, order, reach);
  const Pick runs = picked(all, message_bytes);
  return {.algorithm = runs.algorithm,
          .segment_bytes = runs.segment_bytes,
          .predictions = predictions_of(alternatives, all, message_bytes),
          .reason = message_bytes < alternatives.floor_bytes && all.runs() == nullptr
                        ? below_least_bytes
                        : reason_of(all, sizes, message_bytes)};
}

}  // namespace trunkline
