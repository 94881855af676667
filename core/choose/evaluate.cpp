// SPDX-License-Identifier: Apache-2.0
#include "choose/evaluate.hpp"

#include <algorithm>
#include <limits>

#include "model/transfer/segments.hpp"
#include "model/transfer/wire.hpp"

namespace trunkline {
namespace {

bool has_short_blocks(const Alternative& alternative, std::uint64_t message_bytes, std::uint64_t limit) {
  const std::uint64_t blocks = alternative.costs->relayed_blocks();
  return blocks > 0 && message_bytes / blocks < limit;
}

/// What a predicted time counts as beside others.
double compared_seconds(const Alternative& alternative, std::uint64_t message_bytes, double seconds) {
  const Uncertainty& uncertainty = *alternative.uncertainty;
  const bool short_blocks = has_short_blocks(alternative, message_bytes, uncertainty.long_block_bytes);
  return uncertainty.handicap * (short_blocks ? uncertainty.short_block_handicap : 1.0) * seconds +
         alternative.lost_byte_s * static_cast<double>(wire_bytes(message_bytes));
}

bool is_surely_cut(const Evaluated& fastest, double whole_s, double native_s, bool shares_processors) {
  const Role role = fastest.alternative->candidate->role;
  if (shares_processors || role == Role::blind) return fastest.compared_seconds * margin_of_cuts < native_s;
  if (fastest.alternative->costs->relayed_blocks() > 0) return true;
  return fastest.seconds * (role == Role::rounds ? margin_of_exchanges_over_whole : margin_over_whole) < whole_s;
}

/// The fastest segment; of a short message a frame, unless cutting it is worth the risk.
void choose_segment(Evaluated& one, std::uint64_t message_bytes, const Cuts& cuts, double native_s,
                    bool shares_processors) {
  const Alternative& alternative = *one.alternative;
  const auto take = [&](std::uint64_t segment_bytes, double seconds) {
    one.segment_bytes = segment_bytes;
    one.seconds = seconds;
    one.compared_seconds = compared_seconds(alternative, message_bytes, seconds);
  };
  const TimedSegment fastest = alternative.costs->fastest_segment(message_bytes, cuts);
  take(fastest.segment_bytes, fastest.seconds);
  const std::uint64_t uncut = std::min(message_bytes, one_frame_bytes);
  if (message_bytes > most_cut_bytes || fastest.segment_bytes >= uncut) return;
  const std::uint64_t segment = *std::ranges::lower_bound(segment_sizes(), uncut);
  const double whole_s = alternative.costs->seconds(message_bytes, segment);
  if (is_surely_cut(one, whole_s, native_s, shares_processors)) return;
  take(segment, whole_s);
  one.stays_whole = true;
}

Evaluated evaluated(const Alternative& alternative, std::uint64_t message_bytes, const Cuts& cuts, double native_s,
                    double least_s, bool shares_processors) {
  Evaluated one;
  one.alternative = &alternative;
  const Uncertainty& uncertainty = *alternative.uncertainty;
  one.verdict = Verdict::short_blocks;
  if (has_short_blocks(alternative, message_bytes, uncertainty.least_block_bytes)) return one;
  choose_segment(one, message_bytes, cuts, native_s, shares_processors);
  one.verdict = one.compared_seconds * uncertainty.margin < native_s ? Verdict::surely_faster
                : one.compared_seconds <= least_s                    ? Verdict::near_least
                                                                     : Verdict::not_surely_faster;
  return one;
}

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
      one = evaluated(alternative, message_bytes, cuts, all.native_s, least_s, alternatives.shares_processors);
    }
    return one;
  };
  const auto runs_now = [&](const Evaluated& one) {
    return may_run(one.verdict) &&
           (message_bytes >= alternatives.floor_bytes || one.alternative->candidate->takes_short);
  };
  double fastest_s = std::numeric_limits<double>::infinity();
  const auto take = [&](Evaluated& row, const Evaluated& one) {
    row = one;
    if (runs_now(one)) fastest_s = std::min(fastest_s, one.compared_seconds);
  };
  for (const Alternative& alternative : alternatives.laid) {
    all.add({.alternative = &alternative, .verdict = Verdict::surely_slower});
    const bool waits = rows == Rows::that_may_run && (alternative.least_s > 0.0 || alternative.least_byte_s > 0.0);
    if (!waits) take(all.row(all.rows().size() - 1), row_of(alternative));
  }
  for (std::size_t at = 0; at < alternatives.laid.size(); ++at) {
    const Alternative& alternative = alternatives.laid[at];
    if (all.rows()[at].verdict != Verdict::surely_slower) continue;
    if (may_run_at_all(alternative, message_bytes, fastest_s, all.native_s, least_s)) {
      take(all.row(at), row_of(alternative));
    }
  }
  // Of what is equally fast the first one.
  for (std::size_t at = 0; at < all.rows().size(); ++at) {
    const Evaluated* const first = all.runs();
    const Evaluated& one = all.rows()[at];
    if (runs_now(one) && (first == nullptr || one.compared_seconds < first->compared_seconds)) all.run(at);
  }
  return all;
}

}  // namespace trunkline
