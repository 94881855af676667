// SPDX-License-Identifier: Apache-2.0
#include "processors.hpp"

#include <algorithm>
#include <limits>

namespace trunkline::simulate {

double Processors::take(double earliest, double seconds, double now) {
  double soonest = std::numeric_limits<double>::infinity();
  Spans* taken = &busy_.front();
  for (Spans& spans : busy_) {
    spans.forget_before(now);
    const double end = spans.end_of(earliest, seconds);
    if (end >= soonest) continue;
    soonest = end;
    taken = &spans;
  }
  taken->fill(earliest, soonest);
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
  for (Spans& spans : busy_) spans.forget_all();
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
