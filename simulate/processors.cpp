// SPDX-License-Identifier: Apache-2.0
#include "processors.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace trunkline::simulate {

namespace {

/// The end of `seconds` of work that begins at `earliest` and rests where the processor is taken.
double end_of(const std::map<double, double>& spans, double earliest, double seconds) {
  double at = earliest;
  auto next = spans.upper_bound(at);
  if (next != spans.begin()) at = std::max(at, std::prev(next)->second);
  for (; next != spans.end() && next->first < at + seconds; ++next) {
    seconds -= next->first - at;
    at = next->second;
  }
  return at + seconds;
}

/// All from the first gap at or after `earliest` to `end` is taken from now on: one span.
void fill(std::map<double, double>& spans, double earliest, double end) {
  double start = earliest;
  auto next = spans.upper_bound(start);
  if (next != spans.begin() && std::prev(next)->second >= start) {
    --next;
    start = next->first;
  }
  while (next != spans.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = spans.erase(next);
  }
  spans.emplace(start, end);
}

}  // namespace

double Processors::take(double earliest, double seconds, double now) {
  double soonest = std::numeric_limits<double>::infinity();
  Spans* taken = &busy_.front();
  for (Spans& spans : busy_) {
    while (!spans.empty() && spans.begin()->second < now) spans.erase(spans.begin());
    const double end = end_of(spans, earliest, seconds);
    if (end >= soonest) continue;
    soonest = end;
    taken = &spans;
  }
  fill(*taken, earliest, soonest);
  end_messages(now);
  messages_.emplace(soonest, seconds);
  return soonest;
}

double Processors::send(double now, double seconds) {
  if (seconds <= 0.0) return now;
  double& until = *std::ranges::min_element(sending_until_);
  const double start = std::max(now, until);
  until = start + seconds;
  take(start, seconds, now);
  return until;
}

void Processors::end_messages(double now) {
  while (!messages_.empty() && messages_.begin()->first <= now) {
    messages_s_ += messages_.begin()->second;
    messages_.erase(messages_.begin());
  }
}

void Processors::compute(double now, double seconds) {
  end_messages(now);
  const double rested_s = std::max(0.0, now - computed_at_ - messages_s_);
  owed_s_ = std::max(0.0, owed_s_ - rested_s) + seconds;
  messages_s_ = 0.0;
  computed_at_ = now;
  double& until = *std::ranges::min_element(sending_until_);
  until = std::max(until + seconds, now + owed_s_);
}

double Processors::rest(double now) {
  const double until = *std::ranges::max_element(sending_until_);
  for (Spans& spans : busy_) spans.clear();
  std::ranges::fill(sending_until_, now);
  messages_.clear();
  messages_s_ = owed_s_ = 0.0;
  computed_at_ = now;
  return std::max(0.0, until - now);
}

double Processors::receive(double arrives, double seconds, double now) {
  return seconds <= 0.0 ? arrives : take(arrives, seconds, now);
}

}  // namespace trunkline::simulate
