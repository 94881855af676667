// SPDX-License-Identifier: Apache-2.0
#include "choose/reason.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

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

}  // namespace

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

}  // namespace trunkline
