// SPDX-License-Identifier: Apache-2.0
#include "choose/choose.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "choose/evaluate.hpp"
#include "choose/size_class.hpp"
#include "model/transfer/segments.hpp"
#include "text/quantity.hpp"

namespace trunkline {
namespace {

std::string number(double value, const char* unit = "") {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g%s", value, unit);
  return text.data();
}

std::string milliseconds(double seconds) { return number(seconds * 1e3, " ms"); }

std::string percent_above_one(double factor) { return number(100.0 * (factor - 1.0), " %"); }

/// Those that were compared, the fastest first.
std::vector<Evaluated> compared(const Evaluation& evaluation) {
  std::vector<Evaluated> rows;
  for (const Evaluated& one : evaluation.rows()) {
    if (is_compared(one.verdict)) rows.push_back(one);
  }
  std::ranges::stable_sort(rows, {}, &Evaluated::seconds);
  return rows;
}

/// Of those that are predicted to be faster than what runs, which takes `runs_s`, with what they count as.
std::string times(const std::vector<Evaluated>& rows, double native_s, double runs_s) {
  std::string text;
  const auto add = [&](std::string_view name, double seconds) {
    text.append(text.empty() ? "" : ", ").append(name).append(" ").append(milliseconds(seconds));
  };
  bool native_told = false;
  for (const Evaluated& one : rows) {
    if (!native_told && native_s < one.seconds) {
      add("native", native_s);
      native_told = true;
    }
    add(one.algorithm(), one.seconds);
    if (one.seconds < runs_s && one.compared_seconds > one.seconds) {
      text += " (counts as " + milliseconds(one.compared_seconds) + ")";
    }
  }
  if (!native_told) add("native", native_s);
  return text;
}

/// Why one that is predicted to be faster than what runs does not run.
std::string passed_over(const Evaluated& one) {
  const Uncertainty& uncertainty = *one.alternative->uncertainty;
  std::string text = "; " + std::string(one.algorithm());
  const bool counts_more = one.compared_seconds > one.seconds;
  if (counts_more) text += " counts as " + milliseconds(one.compared_seconds);
  if (one.verdict == Verdict::not_surely_faster) {
    text +=
        std::string(counts_more ? " and" : "") + " must be " + number(uncertainty.margin) + " times as fast as native";
  }
  return text + ": " + std::string(uncertainty.why);
}

constexpr const char* whole_frames = " cut within a frame, where that is not surely faster";

double least_margin(const std::vector<Evaluated>& rows) {
  double least = usual_margin;
  for (const Evaluated& one : rows) least = std::min(least, one.alternative->uncertainty->margin);
  return least;
}

std::string why_native(const std::vector<Evaluated>& rows, double native_s) {
  const double margin = least_margin(rows);
  const auto fast = std::ranges::find_if(rows, [&](const Evaluated& one) { return one.seconds * margin < native_s; });
  if (fast != rows.end()) return passed_over(*fast);
  std::string text = "; nothing is faster than native by " + percent_above_one(margin);
  if (std::ranges::any_of(rows, &Evaluated::stays_whole)) text += std::string(", nor") + whole_frames;
  return text;
}

std::string why_not_the_fastest(const std::vector<Evaluated>& rows, const Evaluated& runs) {
  std::string text;
  if (runs.verdict == Verdict::near_least) text += "; hardly more than the least that the links allow";
  if (rows.front().seconds < runs.seconds) text += passed_over(rows.front());
  if (runs.stays_whole) text += std::string("; not") + whole_frames;
  return text;
}

/// The predicted times, the fastest first, and the rule that decided where that is not simply the fastest.
/// `evaluation` is of the least of the sizes; the message's own stands beside it where it is another one.
std::string reason_of(const Evaluation& evaluation, const SizeClass& sizes, std::uint64_t message_bytes) {
  const std::vector<Evaluated> rows = compared(evaluation);
  std::string text = "predicted";
  if (message_bytes != sizes.least_bytes) {
    text +=
        " for " + format_bytes(sizes.least_bytes) + ", which decides for sizes up to " + format_bytes(sizes.most_bytes);
  }
  const Evaluated* const runs = evaluation.runs();
  text += ": " + times(rows, evaluation.native_s, runs != nullptr ? runs->seconds : evaluation.native_s);
  return text + (runs != nullptr ? why_not_the_fastest(rows, *runs) : why_native(rows, evaluation.native_s));
}

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

namespace {

constexpr std::uint64_t shortest = 8;
constexpr std::uint64_t longest = std::uint64_t{16} << 20;

double seconds(const Alternative& one, std::uint64_t bytes) {
  return one.costs->fastest_segment(bytes, cuts_of(bytes)).seconds;
}

/// The greatest multiple of the fastest candidate's time, over the sizes.
double worst(const Alternatives& alternatives, const Alternative& one) {
  double most = 1.0;
  for (std::uint64_t bytes = shortest; bytes <= longest; bytes *= 4) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& other : alternatives.laid) {
      if (!other.by_datagrams) fastest = std::min(fastest, seconds(other, bytes));
    }
    most = std::max(most, seconds(one, bytes) / fastest);
  }
  return most;
}

}  // namespace

std::string_view algorithm_of_one_order(const Alternatives* alternatives, Collective collective, OperandOrder order,
                                        Rank root) {
  std::string_view steadiest;
  double least = std::numeric_limits<double>::infinity();
  if (alternatives != nullptr) {
    for (const auto& one : alternatives->laid) {
      if (!one.one_order || one.by_datagrams || (order == OperandOrder::by_rank && !one.by_rank)) continue;
      const double most = worst(*alternatives, one);
      if (most >= least) continue;
      least = most;
      steadiest = one.candidate->name;
    }
  }
  if (!steadiest.empty()) return steadiest;
  if (facts_of(collective).goes_by_shares()) return order == OperandOrder::any ? "unaware-ring" : "";
  if (facts_of(collective).makes_prefixes()) return "recursive-doubling";
  if (order == OperandOrder::any) return "unaware-binary";
  return root == 0 ? "unaware-linear" : "";
}

}  // namespace trunkline
