// SPDX-License-Identifier: Apache-2.0
#include "communicator/learning.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "learned/memory.hpp"
#include "receipt/receipt.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "text/quantity.hpp"

namespace trunkline::runtime {
namespace {

/// What stands before the times.
enum Head : std::size_t { head_took, head_cost, head_longer, head_granted, head_size };

/// Communicators of this process that may lose what is granted: one of a job.
std::atomic<int> granted = 0;

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

std::string name_of(const Arm& arm) {
  return std::string(arm.algorithm) + (arm.is_native() ? "" : ":" + std::to_string(arm.segment_bytes));
}

void tell_found(Receipt& told, const TrialKey& key, const Trials& trials, int ranks) {
  if (trials.arms().size() == 1 || trials.calls() == 0) return;
  std::vector<Tried> tried;
  for (std::size_t arm = 0; arm < trials.arms().size(); ++arm) {
    const Samples& samples = trials.samples(arm);
    if (samples.count() == 0) continue;
    tried.push_back({.algorithm = name_of(trials.arms()[arm]), .timed = samples.count(), .call_s = samples.median()});
  }
  told.add({.collective = key.collective,
            .bytes = key.bytes,
            .ranks = ranks,
            .calls = trials.calls(),
            .first = name_of(trials.arms()[trials.first()]),
            .algorithm =
                name_of(trials.arms()[std::isfinite(trials.counted().runs_s) ? trials.counted().arm : trials.runs()]),
            .settled_after = trials.settled_after(),
            .known = trials.is_known(),
            .runs_s = trials.counted().runs_s,
            .native_s = trials.counted().native_s,
            .saved_s = -trials.lost_s(),
            .error_s = trials.counted().off_s * static_cast<double>(trials.calls()),
            .tried = std::move(tried)});
}

/// Of a communicator of so many ranks, placed so.
AlikeCalls calls_like(const TrialKey& key, std::uint32_t ranks, std::uint64_t placement) {
  return {.collective = key.collective,
          .root = static_cast<Rank>(key.root),
          .bytes = key.bytes,
          .order = key.order,
          .ranks = ranks,
          .placement = placement};
}

}  // namespace

const LearnedEntry* Learning::Earlier::find(const TrialKey& key) const {
  return learned != nullptr ? learned->find(calls_like(key, ranks, placement)) : nullptr;
}

int Learning::begin_call(MPI_Comm user, int ranks, std::uint64_t bytes) {
  ++calls_;
  now_ = nullptr;
  if (earlier_.is_alone) return MPI_SUCCESS;
  if (!count_.is_due(bytes, interval_)) {
    if (request_ == MPI_REQUEST_NULL) return MPI_SUCCESS;
    int is_here = 0;
    return PMPI_Test(&request_, &is_here, MPI_STATUS_IGNORE);
  }
  const MeetingInterval counted = count_.begin_anew(bytes);
  if (!is_timing_) return hear(ranks);
  counted_ = counted;
  return tell(user);
}

int Learning::tell(MPI_Comm user) {
  const auto start = MeetingClock::now();
  const double took_s = std::chrono::duration<double>(start - began_).count();
  const double longer_s = std::exchange(longer_s_, 0.0);
  const int before = is_granted_ ? 0 : granted++;
  with_reserve([&] {
    telling_.clear();
    told_ = {nanoseconds(took_s), nanoseconds(cost_s_), nanoseconds(longer_s), before};
    for (const auto& kind : kinds_) {
      if (kind->calls == 0) continue;
      telling_.push_back(kind.get());
      for (const double seconds : kind->seconds) told_.push_back(nanoseconds(seconds));
    }
    heard_.resize(told_.size());
  });
  is_timing_ = false;
  // Until it is here nothing is tried. A message takes less than some calls.
  constexpr std::uint64_t few = 4;
  constexpr std::uint64_t some = 16;
  timed_interval_ = std::exchange(interval_, soon(is_urgent_ ? few : std::clamp(interval_.calls, few, some)));
  const int code = PMPI_Iallreduce(told_.data(), heard_.data(), static_cast<int>(told_.size()), MPI_INT64_T, MPI_SUM,
                                   user, &request_);
  cost_s_ = seconds_since(start);
  return code;
}

int Learning::hear(int ranks) {
  const auto start = MeetingClock::now();
  const int code = PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  const std::vector<double> mean_s = with_reserve([&] {
    std::vector<double> all;
    all.reserve(heard_.size());
    for (const std::int64_t sum : heard_) all.push_back(static_cast<double>(sum) * 1e-9 / ranks);
    return all;
  });
  conclude(mean_s);
  cost_s_ += seconds_since(start);
  began_ = MeetingClock::now();
  is_timing_ = true;
  return code;
}

void Learning::conclude(const std::vector<double>& mean_s) {
  if (!std::exchange(is_granted_, true) && mean_s[head_granted] == 0.0) account_ = LossAccount(granted_loss_s);
  std::size_t at = head_size;
  for (Kind* const kind : telling_) {
    for (double& seconds : kind->seconds) seconds = mean_s[at++];
    const bool was_settled = kind->trials.is_settled();
    const std::uint64_t changes = kind->trials.changes();
    kind->trials.end_interval(kind->calls + std::exchange(kind->untold, 0), kind->seconds, account_);
    if (says_) with_reserve([&] { say_what_is_new(*kind, was_settled, changes); });
  }
  // What the one before has cost is known now.
  const double met_s = std::max(mean_s[head_longer], mean_s[head_cost]);
  if (met_s > 0.0) meeting_s_ = met_s_ == 0.0 ? met_s : std::midpoint(meeting_s_, met_s);
  met_s_ += met_s;
  account_.add(0.0, met_s);
  double left_s = account_.left_s() - meeting_s_;  // of the next one
  const bool may_meet_soon = left_s > 0.0;
  std::uint64_t soonest = 0;
  const auto is_told = [&](const auto& kind) { return std::ranges::find(telling_, kind.get()) != telling_.end(); };
  // Kinds of which calls came first: there may be no more of others.
  static_cast<void>(std::partition(kinds_.begin(), kinds_.end(), is_told));
  for (const auto& kind : kinds_) {
    if (!is_told(kind)) kind->untold += kind->calls;  // their first calls came while times were on their way
    kind->calls = 0;
    kind->seconds.clear();
    kind->usual = {};
    if (kind->others != nullptr) kind->trials = std::move(*std::exchange(kind->others, nullptr));
    kind->trials.begin_interval(left_s);
    if (is_told(kind)) soonest = std::max(soonest, kind->trials.urgent_calls());
  }
  is_urgent_ = soonest > 0 && may_meet_soon;
  // As many of each kind: programs take turns with them.
  const std::uint64_t kinds_now = std::max<std::size_t>(telling_.size(), 1);
  interval_ =
      is_urgent_ ? soon(kinds_now * soonest) : next_interval(timed_interval_, counted_, mean_s[head_took], meeting_s_);
  telling_.clear();
}

bool Learning::knows(const TrialKey& key) {
  const auto known = std::ranges::find_if(kinds_, [&](const auto& kind) { return kind->key == key; });
  now_ = known != kinds_.end() ? known->get() : nullptr;
  return now_ != nullptr;
}

// What is made with the reserve may be made twice, so nothing is moved into it.

void Learning::add(const TrialKey& key, const std::vector<Arm>& arms) {
  with_reserve([&] {
    auto made = std::make_unique<Kind>(Kind{.key = key, .trials = trials_of(key, arms)});
    made->seconds.reserve(most_timed);
    kinds_.push_back(std::move(made));
  });
  now_ = kinds_.back().get();
  if (says_ && now_->trials.is_known()) with_reserve([&] { say_what_is_known(*now_); });
}

void Learning::begin_anew(const std::vector<Arm>& arms) {
  now_->others = with_reserve([&] { return std::make_unique<Trials>(trials_of(now_->key, arms)); });
  if (earlier_.is_alone) now_->trials = std::move(*std::exchange(now_->others, nullptr));
}

/// What is known runs where it is among what the job itself would try: a file may say anything.
Trials Learning::trials_of(const TrialKey& key, const std::vector<Arm>& arms) const {
  Trials made(arms, 0);
  const LearnedEntry* const known = earlier_.find(key);
  if (known == nullptr || (known->is_due() && !earlier_.is_alone)) return made;
  if (const auto arm = arm_of(*known, arms)) made.begin_with(*arm, known->runs().median_s);
  return made;
}

bool Learning::runs_another(std::string_view untried) const {
  return now_->others == nullptr && now_->trials.arms()[now_->trials.first()].algorithm != untried;
}

Learning::Chosen Learning::choose() {
  const Trials& trials = now_->trials;
  number_ = now_->calls++;
  if (is_timing_ && number_ < most_timed && !earlier_.is_alone) now_->seconds.push_back(0.0);
  // While times are on their way nothing is tried.
  const std::size_t arm = is_timing_ ? trials.arm_of(number_) : trials.runs();
  is_usual_ = arm == trials.runs();
  return {.arm = trials.arms()[arm],
          .is_trial = arm != trials.runs(),
          .is_first = arm == trials.first(),
          .is_known = trials.is_known()};
}

void Learning::took(double seconds) {
  if (now_ == nullptr || earlier_.is_alone) return;
  Kind::Usual& usual = now_->usual;
  if (is_timing_) {
    if (number_ < most_timed) now_->seconds[number_] = seconds;
    if (is_usual_) usual = {.calls = usual.calls + 1.0, .seconds = usual.seconds + seconds};
  } else if (usual.calls > 0.0) {
    longer_s_ += seconds - usual.seconds / usual.calls;
  }
}

void Learning::say_what_is_known(const Kind& kind) const {
  const LearnedEntry& known = *earlier_.find(kind.key);
  const CollectiveFacts& facts = facts_of(kind.key.collective);
  const Arm& runs = kind.trials.arms()[kind.trials.runs()];
  JsonFields fields;
  fields.add("collective", facts.name).add("least_bytes", kind.key.bytes);
  if (facts.has_root) fields.add("root", kind.key.root);
  fields.add("algorithm", runs.algorithm).add("segment_bytes", runs.segment_bytes).add("jobs", known.jobs);
  fields.add("call_s", known.runs().median_s).add("when", utc_text(known.when_s));
  say("known",
      std::string(facts.mpi_name) + " from " + format_bytes(kind.key.bytes) + " on runs " + name_of(runs) + ", as " +
          std::to_string(known.jobs) + (known.jobs == 1 ? " job has" : " jobs have") + " found, the last one on " +
          utc_text(known.when_s) + ": " + format_short_time(known.runs().median_s) + " a call",
      fields);
}

void Learning::say_what_is_new(const Kind& kind, bool was_settled, std::uint64_t changes_before) const {
  const Trials& trials = kind.trials;
  const bool is_changed = trials.changes() != changes_before;
  if (trials.arms().size() == 1 || (!is_changed && was_settled == trials.is_settled())) return;
  const CollectiveFacts& facts = facts_of(kind.key.collective);
  const std::string calls = std::string(facts.mpi_name) + " from " + format_bytes(kind.key.bytes) + " on";
  JsonFields fields;
  fields.add("collective", facts.name).add("least_bytes", kind.key.bytes).add("from_call", calls_);
  if (facts.has_root) fields.add("root", kind.key.root);
  if (is_changed) {
    say("times-changed", calls + " takes another time than it did: all is tried anew", fields);
    return;
  }
  std::string tried;
  for (std::size_t arm = 0; arm < trials.arms().size(); ++arm) {
    const Samples& samples = trials.samples(arm);
    if (samples.count() == 0) continue;
    tried += (tried.empty() ? "" : ", ") + name_of(trials.arms()[arm]) + " " + format_short_time(samples.median()) +
             " (" + std::to_string(samples.count()) + ")";
  }
  const Arm& runs = trials.arms()[trials.runs()];
  fields.add("algorithm", runs.algorithm).add("segment_bytes", runs.segment_bytes).add("tried", tried);
  say("learned", calls + " runs " + name_of(runs) + ", by the medians of trials: " + tried, fields);
}

void Learning::end(bool waits, int ranks) {
  if (Receipt* const told = receipt()) {
    told->add_meetings(met_s_, ranks);
    for (const auto& kind : kinds_) tell_found(*told, kind->key, kind->trials, ranks);
  }
  if (earlier_.learned != nullptr) {
    for (const auto& kind : kinds_) {
      keep_learned(kind->trials, calls_like(kind->key, earlier_.ranks, earlier_.placement), earlier_.find(kind->key));
    }
  }
  if (request_ == MPI_REQUEST_NULL) return;
  if (waits) {
    PMPI_Wait(&request_, MPI_STATUS_IGNORE);
    return;
  }
  // MPI may still write to them.
  static_cast<void>(new std::vector(std::move(told_)));
  static_cast<void>(new std::vector(std::move(heard_)));
}

}  // namespace trunkline::runtime
