// SPDX-License-Identifier: Apache-2.0
#include "learn/trials.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace trunkline {
namespace {

/// Trials of an arm that are enough to go by.
constexpr std::size_t enough = 16;
/// An algorithm that has not run yet may take that many times what it is predicted to take.
constexpr double unknown = 2.0;
/// Of an arm that is far slower than another one even its quickest call takes that many times the other one's longest.
constexpr double far = 2.0;
/// What runs goes on where another arm is hardly faster.
constexpr double hardly_faster = 0.98;
/// Times are others than they were, where they surely differ by that factor in so many intervals in a row; once as
/// many calls have gone by as this many times those in which all was tried.
constexpr double another_time = 1.2;
constexpr std::uint64_t intervals_of_change = 2;
constexpr std::uint64_t rest = 4;

}  // namespace

Trials::Trials(std::vector<Arm> arms, std::size_t first)
    : arms_(std::move(arms)), tried_(arms_.size()), first_(first), runs_(first) {
  const auto native = std::ranges::find_if(arms_, &Arm::is_native);
  if (native == arms_.end() || first >= arms_.size() || arms_.size() > most_arms) {
    throw std::invalid_argument("trials are of at most five algorithms, native among them");
  }
  native_ = static_cast<std::size_t>(native - arms_.begin());
  schedule_.reserve(most_timed);
  if (arms_.size() == 1) phase_ = Phase::settled;
}

void Trials::begin_with(std::size_t known, double usual_s) {
  runs_ = known;
  phase_ = Phase::settled;
  is_known_ = true;
  settled_s_ = usual_s;
}

void Trials::end_interval(std::uint64_t calls, std::span<const double> seconds, LossAccount& account) {
  if (calls == 0) return;
  const std::span<const double> timed = seconds.first(std::min<std::size_t>(seconds.size(), calls));
  calls_ += calls;
  const bool takes_all = phase_ != Phase::settled || is_undecided();
  for (std::size_t call = 0; call < timed.size(); ++call) {
    const std::size_t arm = arm_of(call);
    Tried& one = tried_[arm];
    one.longest_s = std::max(one.longest_s, timed[call]);
    if (goes_on(call) && (takes_all || arm != runs_)) one.samples.add(timed[call]);
  }
  count_loss(calls, timed, account);
  decide(timed);
  if (!knows(native_) || tried_[runs_].samples.count() == 0) return;
  counted_ = {.arm = runs_,
              .runs_s = usual_s(),
              .native_s = native_s(),
              .off_s = tried_[native_].samples.half_width() + tried_[runs_].samples.half_width()};
}

void Trials::decide(std::span<const double> timed) {
  if (phase_ == Phase::waiting && calls_ >= least_calls) phase_ = Phase::trying;
  if (phase_ == Phase::trying) {
    eliminate();
    settle_where_done();
  } else if (phase_ == Phase::settled) {
    const bool is_slower = runs_ != native_ && tried_[runs_].samples.are_surely_longer_than(tried_[native_].samples);
    if (is_slower && is_known_) {
      runs_ = native_;
      return try_anew();
    }
    if (is_slower) settle(native_);
    look_for_change(timed);
  }
}

/// Native calls lose nothing. What runs loses what its median is above theirs: a sum of single times would be one of
/// chance. Of trials each counts as it was.
void Trials::count_loss(std::uint64_t calls, std::span<const double> seconds, LossAccount& account) {
  Samples of_runs;
  double tried_s = 0.0;
  std::uint64_t tried = 0;
  double took_s = 0.0;
  std::uint64_t natively = 0;
  for (std::size_t call = 0; call < seconds.size(); ++call) {
    const std::size_t arm = arm_of(call);
    took_s += seconds[call];
    if (arm == runs_) {
      of_runs.add(seconds[call]);
    } else if (arm == native_) {
      ++natively;
    } else {
      tried_s += seconds[call];
      ++tried;
    }
  }
  if (of_runs.count() < few && tried_[runs_].samples.count() > 0) of_runs = tried_[runs_].samples;
  const double usual_now_s = of_runs.count() > 0 ? of_runs.median() : 0.0;
  lately_ran_ = runs_;
  lately_s_ = usual_now_s;
  took_s += static_cast<double>(calls - seconds.size()) * usual_now_s;
  std::uint64_t as_usual = calls - tried - natively;
  since_native_s_ = natively > 0 || runs_ == native_ ? 0.0 : since_native_s_ + took_s;
  if (!knows(native_)) {
    uncounted_ += as_usual;
    account.add(took_s, 0.0);
    return;
  }
  // Calls before native ones were measured took what such calls take now.
  as_usual += std::exchange(uncounted_, 0);
  const double lost_s = tried_s - static_cast<double>(tried) * native_s() +
                        (runs_ == native_ ? 0.0 : static_cast<double>(as_usual) * (usual_now_s - native_s()));
  lost_s_ += lost_s;
  account.add(took_s, lost_s);
}

bool Trials::is_surely_slower(std::size_t arm, std::size_t than) const {
  const Samples& own = tried_[arm].samples;
  const Samples& other = tried_[than].samples;
  if (own.count() == 0 || other.count() < few) return false;
  // Far beyond all that was seen of the other one a few calls are enough.
  return own.are_surely_longer_than(other) || own.least_s() > far * other.most_s();
}

/// What runs, unless another one has the least median.
std::size_t Trials::fastest() const {
  std::size_t best = runs_;
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
    if (!tried_[arm].is_open || tried_[arm].samples.count() < few || tried_[best].samples.count() == 0) continue;
    const double favoured = best == runs_ ? hardly_faster : 1.0;
    if (tried_[arm].samples.median() < favoured * tried_[best].samples.median()) best = arm;
  }
  return best;
}

void Trials::eliminate() {
  const std::size_t best = fastest();
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
    if (arm != best && is_surely_slower(arm, best)) tried_[arm].is_open = false;
  }
  if (!tried_[runs_].is_open) runs_ = best;
}

/// Where times scatter too much to tell, what runs goes on.
void Trials::settle_where_done() {
  const bool is_decided = std::ranges::count(tried_, true, &Tried::is_open) <= 1;
  if (!is_decided && std::ranges::any_of(tried_, wants_more)) return;
  const std::size_t best = fastest();
  settle(is_surely_slower(runs_, best) ? best : runs_);
}

void Trials::settle(std::size_t arm) {
  runs_ = arm;
  phase_ = Phase::settled;
  settled_s_ = usual_s();
  settled_at_ = calls_;
  since_native_s_ = 0.0;
  others_ = 0;
}

/// Beside native calls, whose times go on being measured.
bool Trials::is_undecided() const {
  return runs_ != native_ && !tried_[native_].samples.are_surely_longer_than(tried_[runs_].samples);
}

void Trials::look_for_change(std::span<const double> seconds) {
  if (arms_.size() == 1) return;
  Samples now;
  for (std::size_t call = 0; call < seconds.size(); ++call) {
    if (arm_of(call) == runs_ && goes_on(call)) now.add(seconds[call]);
  }
  if (!now.are_enough()) return;
  if (settled_s_ == 0.0) settled_s_ = now.median();
  const bool is_another = now.lower() > another_time * settled_s_ || settled_s_ > another_time * now.upper();
  others_ = is_another ? others_ + 1 : 0;
  if (others_ < intervals_of_change || calls_ - settled_at_ < rest * (settled_at_ - began_at_)) return;
  try_anew();
}

void Trials::try_anew() {
  ++changes_;
  others_ = 0;
  is_known_ = false;
  for (Tried& one : tried_) one = {.longest_s = one.longest_s};
  phase_ = Phase::trying;
  began_at_ = calls_;
}

/// A call of it: the longest that was seen. What is predicted may be wrong alike for all arms: the one that runs tells
/// by how much.
double Trials::worst_s(std::size_t arm) const {
  if (tried_[arm].longest_s > 0.0) return tried_[arm].longest_s;
  const double off = arms_[runs_].predicted_s > 0.0 ? tried_[runs_].samples.median() / arms_[runs_].predicted_s : 1.0;
  return unknown * std::max(native_s(), off * arms_[arm].predicted_s);
}

bool Trials::wants_more(const Tried& one) { return one.is_open && one.samples.count() < enough; }

/// Of an arm that has not run one call, which tells what others may cost.
std::size_t Trials::wanted(std::size_t arm) const {
  if (phase_ == Phase::settled) {
    const bool is_unseen = arm == native_ && is_known_ && !tried_[arm].samples.are_enough();
    if (is_unseen && arm != runs_) return calls_for(Samples::least);
    const bool is_due = arm == native_ && knows(native_) && tried_[runs_].samples.count() > 0 &&
                        static_cast<double>(calls_in_a_row) * (native_s() - tried_[runs_].samples.median()) <=
                            part_of_native * since_native_s_;
    return is_due && arm != runs_ ? calls_in_a_row : 0;
  }
  if (!wants_more(tried_[arm])) return 0;
  if (!knows_both()) return is_sure(arm) ? calls_in_a_row : 0;
  if (!is_sure(arm) && tried_[arm].longest_s == 0.0) return 1;
  return calls_for(enough - tried_[arm].samples.count());
}

void Trials::begin_interval(double& left_s) {
  schedule_.clear();
  if (phase_ == Phase::waiting) return;
  // Native calls lose nothing: they stand in for what runs while nothing may be lost.
  if (left_s <= 0.0 && knows_both() && native_s() < lately_s()) {
    const bool is_another = native_s() >= usual_s();  // than when it was settled
    runs_ = native_;
    if (is_known_ || is_another) try_anew();
  }
  std::array<std::size_t, most_arms> left{};
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) left.at(arm) = wanted(arm);
  bool any = true;
  while (any && schedule_.size() < most_timed) {
    any = false;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      const std::size_t calls = std::min({left.at(arm), calls_in_a_row, most_timed - schedule_.size()});
      left.at(arm) -= calls;
      if (calls == 0) continue;
      if (!is_sure(arm)) {
        const double may_lose_s = static_cast<double>(calls) * std::max(worst_s(arm) - native_s(), 0.0);
        if (may_lose_s > left_s) continue;
        left_s -= may_lose_s;
      }
      schedule_.insert(schedule_.end(), calls, static_cast<std::uint8_t>(arm));
      any = true;
    }
  }
}

}  // namespace trunkline
