// SPDX-License-Identifier: Apache-2.0
#include "choose/evaluate.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "model/transfer/segments.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

bool has_short_blocks(const Alternative& alternative, std::uint64_t message_bytes, std::uint64_t limit) {
  const std::uint64_t blocks = alternative.costs->relayed_blocks();
  return blocks > 0 && message_bytes / blocks < limit;
}

/// What a predicted time counts as beside others. A replay knows what formulas do not.
double compared_seconds(const Evaluated& one, std::uint64_t message_bytes) {
  if (one.replayed) return one.seconds;
  const Alternative& alternative = *one.alternative;
  const Uncertainty& uncertainty = *alternative.uncertainty;
  const bool short_blocks = has_short_blocks(alternative, message_bytes, uncertainty.long_block_bytes);
  return uncertainty.handicap * (short_blocks ? uncertainty.short_block_handicap : 1.0) * one.seconds +
         alternative.lost_byte_s * static_cast<double>(wire_bytes(message_bytes));
}

/// The fastest segment; where hosts share processors a frame of a short message, unless cutting it is worth the risk.
/// Blocks of pairs are cut by what queues hold, not to save time.
void choose_segment(Evaluated& one, std::uint64_t message_bytes, const Cuts& cuts, double native_s,
                    bool may_stay_whole) {
  const Alternative& alternative = *one.alternative;
  const auto take = [&](std::uint64_t segment_bytes, double seconds) {
    one.segment_bytes = segment_bytes;
    one.seconds = seconds;
    one.compared_seconds = compared_seconds(one, message_bytes);
  };
  const TimedSegment fastest = alternative.costs->fastest_segment(message_bytes, cuts);
  take(fastest.segment_bytes, fastest.seconds);
  const std::uint64_t uncut = std::min(message_bytes, one_frame_bytes);
  if (!may_stay_whole || message_bytes > most_cut_bytes || fastest.segment_bytes >= uncut) return;
  if (one.compared_seconds * margin_of_cuts < native_s) return;
  const std::uint64_t segment = *std::ranges::lower_bound(segment_sizes(), uncut);
  take(segment, alternative.costs->seconds(message_bytes, segment));
  one.stays_whole = true;
}

Verdict verdict_of(const Evaluated& one, double native_s, double least_s) {
  if (one.compared_seconds * one.alternative->uncertainty->margin < native_s) return Verdict::surely_faster;
  return one.compared_seconds <= least_s ? Verdict::near_least : Verdict::not_surely_faster;
}

Evaluated evaluated(const Alternatives& all, const Alternative& alternative, std::uint64_t message_bytes,
                    const Cuts& cuts, double native_s, double least_s) {
  Evaluated one;
  one.alternative = &alternative;
  one.verdict = Verdict::short_blocks;
  if (has_short_blocks(alternative, message_bytes, alternative.uncertainty->least_block_bytes)) return one;
  if (message_bytes < alternative.costs->least_bytes(all.queues)) return one;
  choose_segment(one, message_bytes, cuts, native_s,
                 all.shares_processors && !facts_of(all.collective).goes_by_pairs());
  one.verdict = verdict_of(one, native_s, least_s);
  return one;
}

/// Below the floor only what is there for such short messages.
bool takes(const Alternatives& alternatives, std::uint64_t message_bytes, const Evaluated& one) {
  return message_bytes >= alternatives.floor_bytes || one.alternative->candidate->takes_short;
}

/// The fastest by their formulas, which are replayed one after another.
class Finalists {
 public:
  /// Must outlive the object.
  explicit Finalists(const Alternatives& alternatives) : alternatives_(alternatives) {}

  /// Of all that are compared by now.
  void replay(Evaluation& all, double least_s) {
    if (!replays_are_true(*alternatives_.on)) return;
    while (replays_ < most_finalists) {
      const std::size_t at = fastest_left(all);
      if (at == none || (replays_ >= least_finalists && all.row(at).compared_seconds >= fastest_s_)) return;
      is_settled_.at(at) = true;
      Evaluated& one = all.row(at);
      if (!one.alternative->by_datagrams) {
        ++replays_;
        const auto replayed =
            replayed_on(*alternatives_.on, one.algorithm(), all.message_bytes, one.segment_bytes, events_left_);
        if (!replayed) return;
        events_left_ -= std::min(events_left_, replayed->events);
        one.seconds = one.compared_seconds = replayed->seconds;
        one.replayed = true;
        one.verdict = verdict_of(one, all.native_s, least_s);
      }
      if (may_run(one.verdict)) fastest_s_ = std::min(fastest_s_, one.compared_seconds);
    }
  }

 private:
  static constexpr std::size_t none = most_compared;

  [[nodiscard]] std::size_t fastest_left(const Evaluation& all) const {
    const std::span<const Evaluated> rows = all.rows();
    std::size_t fastest = none;
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (!is_compared(rows[at].verdict) || is_settled_.at(at)) continue;
      if (!takes(alternatives_, all.message_bytes, rows[at])) continue;
      if (fastest == none || rows[at].compared_seconds < rows[fastest].compared_seconds) fastest = at;
    }
    return fastest;
  }

  const Alternatives& alternatives_;
  std::array<bool, most_compared> is_settled_{};
  int replays_ = 0;
  std::uint64_t events_left_ = most_events_to_decide;
  double fastest_s_ = std::numeric_limits<double>::infinity();  ///< of what may run
};

/// What it counts as at least; rounding may not matter.
double least_seconds(const Alternative& alternative, std::uint64_t message_bytes) {
  constexpr double but_for_rounding = 1.0 - 1e-9;
  return but_for_rounding * alternative.uncertainty->handicap *
         std::max(alternative.least_s, alternative.least_byte_s * least_wire_bytes(message_bytes));
}

/// Whether it may run beside what takes so long, as far as is known before it is laid.
bool may_run_at_all(const Alternative& alternative, std::uint64_t message_bytes, double fastest_s, double native_s,
                    double least_s) {
  const double seconds = least_seconds(alternative, message_bytes);
  const bool may_be_faster = seconds * alternative.uncertainty->margin < native_s;
  return seconds <= fastest_s && (may_be_faster || seconds <= least_s);
}

}  // namespace

Evaluation evaluate(const Alternatives& alternatives, std::uint64_t message_bytes, OperandOrder order, Reach reach,
                    Rows rows) {
  const Cuts cuts = cuts_of(message_bytes);
  Evaluation all;
  all.message_bytes = message_bytes;
  all.native_s = native_seconds(alternatives, message_bytes);
  const double least_s = near_least * (alternatives.least_byte_s * static_cast<double>(wire_bytes(message_bytes)));
  const auto row_of = [&](const Alternative& alternative) {
    Evaluated one{.alternative = &alternative};
    if (order == OperandOrder::by_rank && !alternative.by_rank) {
      one.verdict = Verdict::out_of_order;
    } else if (reach == Reach::messages && alternative.by_datagrams) {
      one.verdict = Verdict::out_of_reach;
    } else {
      one = evaluated(alternatives, alternative, message_bytes, cuts, all.native_s, least_s);
    }
    return one;
  };
  const auto runs_now = [&](const Evaluated& one) {
    return may_run(one.verdict) && takes(alternatives, message_bytes, one);
  };
  for (const Alternative& alternative : alternatives.laid) {
    const bool waits = alternative.least_s > 0.0 || alternative.least_byte_s > 0.0;
    all.add(waits ? Evaluated{.alternative = &alternative, .verdict = Verdict::surely_slower} : row_of(alternative));
  }
  const auto fastest_s = [&] {
    double least = std::numeric_limits<double>::infinity();
    for (const Evaluated& one : all.rows()) least = runs_now(one) ? std::min(least, one.compared_seconds) : least;
    return least;
  };
  const auto take_late = [&](const auto& may) {
    bool took = false;
    for (std::size_t at = 0; at < alternatives.laid.size(); ++at) {
      if (all.rows()[at].verdict != Verdict::surely_slower || !may(alternatives.laid[at])) continue;
      all.row(at) = row_of(alternatives.laid[at]);
      took = true;
    }
    return took;
  };
  const auto may_be_faster = [&](const Alternative& alternative) {
    return may_run_at_all(alternative, message_bytes, fastest_s(), all.native_s, least_s);
  };
  Finalists finalists(alternatives);
  take_late(may_be_faster);
  // A replay that takes longer than was thought lets others in.
  do finalists.replay(all, least_s);
  while (take_late(may_be_faster));
  // Of what is equally fast the first one.
  for (std::size_t at = 0; at < all.rows().size(); ++at) {
    const Evaluated* const first = all.runs();
    const Evaluated& one = all.rows()[at];
    if (runs_now(one) && (first == nullptr || one.compared_seconds < first->compared_seconds)) all.run(at);
  }
  if (rows == Rows::all) take_late([](const Alternative&) { return true; });
  return all;
}

}  // namespace trunkline
