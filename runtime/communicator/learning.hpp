// SPDX-License-Identifier: Apache-2.0
// What a communicator keeps in a job whose calls try out what is fastest (TRUNKLINE_LEARN).
//
// Its ranks count its calls alike, and time the first ones of an interval. At its end each tells the others what it
// measured, and does not wait: the ranks have it some calls later, until which nothing is tried, and all conclude the
// same. So nothing is sent but at meetings.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "collective/collective.hpp"
#include "collective/operand_order.hpp"
#include "communicator/meetings.hpp"
#include "learn/learned_file.hpp"
#include "learn/trials.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

/// Calls that are alike.
struct TrialKey {
  Collective collective{};
  int root = 0;
  std::uint64_t bytes = 0;  ///< the least of their class (choose/size_class.hpp)
  OperandOrder order{};

  friend bool operator==(const TrialKey&, const TrialKey&) = default;
};

class Learning {
 public:
  /// Of one kind of calls.
  static constexpr std::uint64_t usual_meeting_bytes = (most_timed + 4) * sizeof(std::int64_t);

  /// What earlier jobs have found.
  struct Earlier {
    std::shared_ptr<const Learned> learned{};  ///< null: what is found is not kept, either
    bool is_alone = false;                     ///< nothing is tried besides (Learn::only_known)
    std::uint32_t ranks = 0;                   ///< of the communicator
    std::uint64_t placement = 0;               ///< placement_digest() of it

    [[nodiscard]] const LearnedEntry* find(const TrialKey& key) const;
  };

  /// `meeting_s`: what a meeting is predicted to cost.
  Learning(bool says, double meeting_s, Earlier earlier)
      : says_(says), meeting_s_(meeting_s), earlier_(std::move(earlier)) {}
  Learning(const Learning&) = delete;
  Learning& operator=(const Learning&) = delete;

  /// Before a call that may be tried, on all ranks: ends an interval where that is due. Collective now and then.
  /// Returns MPI's code.
  [[nodiscard]] int begin_call(MPI_Comm user, int ranks, std::uint64_t bytes);

  /// Whether a call such as the one that has begun has been before. If not, it may be added, unless there are too many,
  /// or nothing is known of it and nothing is tried.
  [[nodiscard]] bool knows(const TrialKey& key);
  [[nodiscard]] bool may_add(const TrialKey& key) const {
    return earlier_.is_alone ? earlier_.find(key) != nullptr : kinds_.size() < most_kinds;
  }
  /// The first arm is what such calls run untried.
  void add(const TrialKey& key, const std::vector<Arm>& arms);
  /// Of a call that is known: whether such calls run another algorithm untried than they did, as once multicasts have a
  /// group; and that all is to be tried anew, among these.
  [[nodiscard]] bool runs_another(std::string_view untried) const;
  void begin_anew(const std::vector<Arm>& arms);
  struct Chosen {
    const Arm& arm;
    bool is_trial = false;  ///< rather than what such calls run but for trials
    bool is_first = true;   ///< what they run untried
    bool is_known = false;  ///< earlier jobs have found it
  };
  /// What the call that has begun runs. It is known.
  [[nodiscard]] Chosen choose();

  /// The call took so long here.
  void took(double seconds);

  /// Plans are other ones from now on: all that is known is forgotten, and nothing is kept.
  void forget() {
    kinds_.clear();
    earlier_.learned = nullptr;
    telling_.clear();
    now_ = nullptr;
  }

  /// Before the communicator, of that many ranks, is freed. `waits`: every rank has come as far, so that what is under
  /// way will arrive.
  void end(bool waits, int ranks);

 private:
  struct Kind {
    TrialKey key{};
    Trials trials;
    /// What it ran but for trials, here, since the last conclusion, until times were told.
    struct Usual {
      double calls = 0.0;
      double seconds = 0.0;
    };
    std::uint64_t calls = 0;        ///< since the last conclusion
    std::uint64_t untold = 0;       ///< before it, and not counted there
    std::vector<double> seconds{};  ///< of those that are timed
    Usual usual{};
    std::unique_ptr<Trials> others{};  ///< from the next interval on; null: as before
  };

  [[nodiscard]] int tell(MPI_Comm user);
  [[nodiscard]] int hear(int ranks);
  /// `mean_s`: of what all ranks told. Asks for no memory: a rank that concludes twice would go its own way.
  void conclude(const std::vector<double>& mean_s);
  [[nodiscard]] Trials trials_of(const TrialKey& key, const std::vector<Arm>& arms) const;
  void say_what_is_known(const Kind& kind) const;
  void say_what_is_new(const Kind& kind, bool was_settled, std::uint64_t changes_before) const;

  static constexpr std::size_t most_kinds = 16;
  /// After that many calls, of whatever size.
  static constexpr MeetingInterval soon(std::uint64_t calls) { return {.calls = calls, .bytes = ~std::uint64_t{0}}; }

  bool says_;
  double meeting_s_;    ///< what a meeting costs
  double met_s_ = 0.0;  ///< what all have cost
  /// By how much calls took longer here than usual while the last meeting's words were on their way.
  double longer_s_ = 0.0;
  Earlier earlier_;
  std::vector<std::unique_ptr<Kind>> kinds_{};
  LossAccount account_{0.0};
  bool is_granted_ = false;  ///< it has been agreed on whether this communicator may lose what is granted
  std::uint64_t calls_ = 0;
  MeetingCount count_{};
  MeetingInterval interval_ = soon(10);
  MeetingInterval timed_interval_{};  ///< the last one, as it was to be
  MeetingInterval counted_{};         ///< and as it was
  MeetingClock::time_point began_ = MeetingClock::now();
  bool is_timing_ = true;             ///< else what was told is on its way
  bool is_urgent_ = true;             ///< much depends on the next times
  double cost_s_ = 0.0;               ///< of the last meeting, here
  std::vector<std::int64_t> told_{};  ///< nanoseconds, which all ranks add up to the same
  std::vector<std::int64_t> heard_{};
  std::vector<Kind*> telling_{};  ///< whose times are on their way
  MPI_Request request_ = MPI_REQUEST_NULL;
  Kind* now_ = nullptr;       ///< of the call that has begun
  std::uint64_t number_ = 0;  ///< of that call, since the last conclusion
  bool is_usual_ = true;      ///< it is no trial
};

}  // namespace trunkline::runtime
