// SPDX-License-Identifier: Apache-2.0
// The rule of `auto`: what each alternative would take, whether it may run, and which one does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "choose/alternatives.hpp"
#include "collective/operand_order.hpp"

namespace trunkline {

/// How the ranks of a communicator can be reached.
enum class Reach : std::uint8_t {
  datagrams,  ///< by datagrams to all at once, too, or nobody knows yet
  messages,   ///< by messages alone
};

/// What the rule says of an alternative.
enum class Verdict : std::uint8_t {
  surely_faster,      ///< than native, by its margin: may run
  near_least,         ///< may run, since native can hardly be faster
  not_surely_faster,  ///< than native
  short_blocks,       ///< not compared: its blocks are too short
  out_of_reach,       ///< not compared: datagrams do not reach all ranks
  out_of_order,       ///< not compared: would not combine operands by rank
  surely_slower,      ///< not looked at: than what runs, or not faster than native
};

[[nodiscard]] constexpr bool may_run(Verdict verdict) { return verdict <= Verdict::near_least; }
[[nodiscard]] constexpr bool is_compared(Verdict verdict) { return verdict <= Verdict::not_surely_faster; }

/// For which alternatives the times are asked for.
enum class Rows : std::uint8_t {
  all,
  that_may_run,  ///< of what is laid late, those alone whose least time does not rule them out: what runs is the same
};

/// One alternative for one message.
struct Evaluated {
  const Alternative* alternative = nullptr;
  std::uint64_t segment_bytes = 0;  ///< in which it would run
  double seconds = 0.0;             ///< predicted, in those segments
  bool replayed = false;            ///< by a replay; else by a formula
  double compared_seconds = 0.0;    ///< what they count as beside others
  bool stays_whole = false;         ///< shorter segments within a frame are faster, but not surely
  Verdict verdict = Verdict::out_of_order;

  [[nodiscard]] std::string_view algorithm() const { return alternative->candidate->name; }
};

/// The rows of one message.
class Evaluation {
 public:
  std::uint64_t message_bytes = 0;
  double native_s = 0.0;

  void add(const Evaluated& row) { rows_.at(count_++) = row; }
  [[nodiscard]] Evaluated& row(std::size_t at) { return rows_.at(at); }
  void run(std::size_t at) { runs_ = at; }
  [[nodiscard]] std::span<const Evaluated> rows() const { return {rows_.data(), count_}; }
  /// Of them; null: native.
  [[nodiscard]] const Evaluated* runs() const { return runs_ < count_ ? &rows_.at(runs_) : nullptr; }

 private:
  std::array<Evaluated, most_compared> rows_{};
  std::size_t count_ = 0;
  std::size_t runs_ = most_compared;
};

/// Formulas are within 15 % of 88 simulated times in a hundred, and now and then far off; replays of 96. What runs by
/// three to six of these is within 0.4 % of the fastest of all on average (docs/results/replay.md).
inline constexpr int least_finalists = 3;
inline constexpr int most_finalists = 6;

/// Native below the floor, but for candidates that take shorter messages, and unless a plan is predicted to be surely
/// faster, or nearly as fast as the links allow where native exchanges are less fast than predicted. The same answer on
/// every rank: depends on nothing but its arguments. Has a row for each alternative, in their order; `message_bytes` is
/// above zero. The fastest by their formulas are replayed (replayed_on()), until the fastest of all has been, but no
/// more than most_finalists: that takes some tenths of a millisecond among 32 ranks. May throw std::bad_alloc.
[[nodiscard]] Evaluation evaluate(const Alternatives& alternatives, std::uint64_t message_bytes,
                                  OperandOrder order = OperandOrder::any, Reach reach = Reach::datagrams,
                                  Rows rows = Rows::all);

}  // namespace trunkline
