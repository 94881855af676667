// SPDX-License-Identifier: Apache-2.0
// Which of a few algorithms is the fastest for calls that are alike, found out by the calls of a running program.
//
// Arms are eliminated as in fixed-confidence best-arm identification (Even-Dar, Mannor, Mansour 2006), under a budget
// as of conservative bandits (Wu, Shariff, Lattimore, Szepesvari 2016), native being the arm that loses nothing. Trials
// end after a stated number: where times scatter too much to tell, what was predicted stands.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace trunkline {

/// Of the time that calls take, the part that they may have lost beside native calls, at any moment.
inline constexpr double most_lost_share = 0.01;

/// And these seconds besides.
inline constexpr double granted_loss_s = 0.02;

/// Once all is settled native calls may take that part of the time, so that it is known what they take. What is kept is
/// tried anew so seldom that trials are that part of all calls.
inline constexpr double part_of_native = 0.001;

/// What the calls of a communicator took, and what they lost beside native ones, both as measured. Trials are paid from
/// what was saved, and from what is granted: no trial begins whose worst case is not covered.
class LossAccount {
 public:
  explicit LossAccount(double granted_s) : granted_s_(granted_s) {}

  /// `lost_s` of `took_s`; below 0: saved.
  void add(double took_s, double lost_s) {
    took_s_ += took_s;
    lost_s_ += lost_s;
  }

  /// Seconds that may still be lost; below 0: more was lost than is allowed.
  [[nodiscard]] double left_s() const noexcept { return granted_s_ + most_lost_share * took_s_ - lost_s_; }

 private:
  double granted_s_;
  double took_s_ = 0.0;
  double lost_s_ = 0.0;
};

/// Times of calls that ran alike: their median, and how sure it is.
class Samples {
 public:
  static constexpr std::size_t most = 48;
  /// Fewer say nothing about a median.
  static constexpr std::size_t least = 6;

  /// Once there are `most`, in place of the oldest one.
  void add(double seconds) {
    in_order_.at(next_ % most) = seconds;
    ++next_;
    sorted_ = in_order_;
    std::sort(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(count()));
  }

  [[nodiscard]] std::size_t count() const { return std::min(next_, most); }
  [[nodiscard]] bool are_enough() const { return count() >= least; }
  /// Of one sample or more.
  [[nodiscard]] double median() const {
    const std::size_t middle = count() / 2;
    return count() % 2 == 1 ? sorted_.at(middle) : 0.5 * (sorted_.at(middle - 1) + sorted_.at(middle));
  }
  [[nodiscard]] double least_s() const { return sorted_.front(); }
  [[nodiscard]] double most_s() const { return sorted_.at(count() - 1); }
  [[nodiscard]] bool are_surely_longer_than(const Samples& others) const { return lower() > others.upper(); }

  /// Between these the median of all such calls is, in 19 of 20 cases, whatever their distribution: order statistics
  /// (the sign test). Of fewer than `least` samples: anywhere.
  [[nodiscard]] double lower() const { return are_enough() ? sorted_.at(beyond()) : 0.0; }
  [[nodiscard]] double upper() const {
    return are_enough() ? sorted_.at(count() - 1 - beyond()) : std::numeric_limits<double>::infinity();
  }
  /// Half of what lies between them; of fewer, of what lies between all.
  [[nodiscard]] double half_width() const { return 0.5 * (are_enough() ? upper() - lower() : most_s() - least_s()); }

 private:
  /// Samples on either side that may be beyond the median: (n - 1) / 2 - z sqrt(n) / 2, of z = 1.96.
  [[nodiscard]] std::size_t beyond() const {
    const auto n = static_cast<double>(count());
    constexpr double half_z = 0.98;
    return static_cast<std::size_t>(std::max((n - 1.0) / 2.0 - half_z * std::sqrt(n), 0.0));
  }

  std::array<double, most> in_order_{};
  std::array<double, most> sorted_{};
  std::size_t next_ = 0;
};

/// What a call may run.
struct Arm {
  std::string_view algorithm = "native";  ///< the registry's own text
  std::uint64_t segment_bytes = 0;        ///< 0: native
  double predicted_s = 0.0;

  [[nodiscard]] bool is_native() const { return segment_bytes == 0; }
};

/// Native among them.
inline constexpr std::size_t most_arms = 5;

/// Of an interval that many calls at the most are timed, the first ones.
inline constexpr std::uint64_t most_timed = 40;

/// So many calls in a row run the same arm. The first of them does not count: ranks that left the call before it late
/// come late to it.
inline constexpr std::uint64_t calls_in_a_row = 5;

/// The calls of one collective, root and class of sizes on a communicator, in intervals of calls that all its ranks
/// count alike. Depends on nothing but what it is told: ranks that are told alike do alike.
class Trials {
 public:
  /// `first`: the place of the arm that runs unless another one is found to be faster. One of the arms is native.
  Trials(std::vector<Arm> arms, std::size_t first);

  /// Before any call: earlier jobs have found that arm to be the fastest, and a call of it to take so long. It runs
  /// from the first call on. Native calls are timed once more beside it; where one of the two times says otherwise, all
  /// is tried anew.
  void begin_with(std::size_t known, double usual_s);

  /// What call number `call` of this interval runs, from 0 on.
  [[nodiscard]] std::size_t arm_of(std::uint64_t call) const {
    return call < schedule_.size() ? schedule_[static_cast<std::size_t>(call)] : runs_;
  }

  /// Ends an interval of `calls` calls: seconds of the first of them, at most `most_timed`, on average over the ranks.
  void end_interval(std::uint64_t calls, std::span<const double> seconds, LossAccount& account);
  /// Begins one: what it tries, as far as `left_s` covers the worst case, of which that is taken.
  void begin_interval(double& left_s);

  [[nodiscard]] const std::vector<Arm>& arms() const { return arms_; }
  [[nodiscard]] std::size_t first() const { return first_; }
  [[nodiscard]] std::size_t native() const { return native_; }
  /// The arm that calls run but for trials.
  [[nodiscard]] std::size_t runs() const { return runs_; }
  [[nodiscard]] bool is_settled() const { return phase_ == Phase::settled; }
  /// By earlier jobs, and no call has said otherwise.
  [[nodiscard]] bool is_known() const { return is_known_; }
  /// After how many calls it was, the last time; 0: it has not been, or from the first call on.
  [[nodiscard]] std::uint64_t settled_after() const { return is_settled() ? settled_at_ : 0; }
  /// Calls in which that was found out.
  [[nodiscard]] std::uint64_t trial_calls() const { return is_settled() ? settled_at_ - began_at_ : 0; }
  [[nodiscard]] const Samples& samples(std::size_t arm) const { return tried_[arm].samples; }
  /// Of a call of the arm that runs, as far as it was measured; else 0.
  [[nodiscard]] double usual_s() const {
    const Samples& known = tried_[runs_].samples;
    return known.count() > 0 ? known.median() : 0.0;
  }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }
  /// Beside native calls as measured; below 0: saved.
  [[nodiscard]] double lost_s() const { return lost_s_; }
  /// What was known of that the last time: medians of a call, and by how much the two together may be off.
  struct Counted {
    std::size_t arm = 0;  ///< that ran
    double runs_s = std::numeric_limits<double>::quiet_NaN();
    double native_s = std::numeric_limits<double>::quiet_NaN();
    double off_s = std::numeric_limits<double>::quiet_NaN();
  };
  [[nodiscard]] const Counted& counted() const { return counted_; }
  /// After how many calls of it the interval that has begun should end, since much depends on it; 0: nothing does. Not
  /// where what is left to try is not covered.
  [[nodiscard]] std::uint64_t urgent_calls() const {
    const bool tries = phase_ == Phase::trying && !schedule_.empty();
    return phase_ == Phase::waiting || tries || others_ > 0 ? std::max<std::uint64_t>(schedule_.size(), least_calls)
                                                            : 0;
  }
  /// How often the times have become others, so that all was tried anew.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  enum class Phase : std::uint8_t { waiting, trying, settled };
  struct Tried {
    Samples samples{};
    double longest_s = 0.0;  ///< of all its calls; 0: it has not run, and opens what it needs the first time
    bool is_open = true;     ///< it may be the fastest
  };

  [[nodiscard]] double native_s() const { return tried_[native_].samples.median(); }
  /// Of a call of what runs, by the last interval: once all is settled, samples stay what they were.
  [[nodiscard]] double lately_s() const { return lately_ran_ == runs_ ? lately_s_ : usual_s(); }
  [[nodiscard]] bool knows(std::size_t arm) const { return tried_[arm].samples.count() >= few; }
  [[nodiscard]] bool knows_both() const { return knows(native_) && knows(runs_); }
  /// Whether calls of it are no trials of one that may lose.
  [[nodiscard]] bool is_sure(std::size_t arm) const { return arm == native_ || arm == runs_; }
  void count_loss(std::uint64_t calls, std::span<const double> seconds, LossAccount& account);
  void decide(std::span<const double> timed);
  void eliminate();
  void settle_where_done();
  void look_for_change(std::span<const double> seconds);
  void settle(std::size_t arm);
  void try_anew();
  [[nodiscard]] std::size_t fastest() const;
  [[nodiscard]] bool is_surely_slower(std::size_t arm, std::size_t than) const;
  [[nodiscard]] double worst_s(std::size_t arm) const;
  [[nodiscard]] static bool wants_more(const Tried& one);
  /// Calls in which that many of them count.
  [[nodiscard]] static std::size_t calls_for(std::size_t counting) {
    return (counting + calls_in_a_row - 2) / (calls_in_a_row - 1) * calls_in_a_row;
  }
  /// Whether a timed call ran the arm that the call before it ran.
  [[nodiscard]] bool goes_on(std::size_t call) const { return arm_of(call) == (call == 0 ? runs_ : arm_of(call - 1)); }
  /// Calls of the interval that begins.
  [[nodiscard]] std::size_t wanted(std::size_t arm) const;
  [[nodiscard]] bool is_undecided() const;

  static constexpr std::size_t few = 3;
  static constexpr std::uint64_t least_calls = 10;  ///< a program of ten calls sees no trial

  std::vector<Arm> arms_;
  std::vector<Tried> tried_;
  std::size_t native_ = 0;
  std::size_t first_;
  std::size_t runs_;
  Phase phase_ = Phase::waiting;
  bool is_known_ = false;
  std::vector<std::uint8_t> schedule_{};  ///< of the interval's first calls: their arms
  std::uint64_t calls_ = 0;
  std::uint64_t began_at_ = 0;  ///< calls before the last trials
  std::uint64_t settled_at_ = 0;
  std::uint64_t uncounted_ = 0;  ///< calls before native ones were measured, whose loss was not known
  double lost_s_ = 0.0;
  Counted counted_{};
  std::size_t lately_ran_ = 0;   ///< an arm
  double lately_s_ = 0.0;        ///< of its calls in the last interval
  double settled_s_ = 0.0;       ///< what calls took then
  double since_native_s_ = 0.0;  ///< time of calls since the last native one, once it is settled
  std::uint64_t others_ = 0;     ///< intervals in a row in which they took another time
  std::uint64_t changes_ = 0;
};

}  // namespace trunkline
