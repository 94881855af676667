// SPDX-License-Identifier: Apache-2.0
#include "decide/prospects.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <variant>

#include "algorithms/registry.hpp"

namespace trunkline {
namespace {

/// A plan must be predicted this much faster than native to be chosen: what the predictions may be off by.
constexpr double margin = 1.15;
/// A plan predicted to take so much of the least time that the links allow is chosen whatever native is predicted to
/// take: that can be no faster, and exchanges between hosts that change partners come less near to the least time than
/// their predictions (on one switch of 16 hosts at 30 Mbit/s they take 1.4 to 1.8 of it, a ring 1.05).
constexpr double near_least = 1.1;
/// A line waits for all of its ranks, one after another: what the rates do not tell adds up.
constexpr double handicap_of_lines = 1.05;
constexpr std::string_view line = "linear";
/// Hosts that change partners come less near to what links allow, as above: this part of the links' time is lost. On a
/// line of four switches with 32 hosts at 10 Mbit/s nothing is, on one switch with 16 hosts at 30 Mbit/s 0.2 to 1.
constexpr double lost_in_exchanges = 0.1;
/// What is cut within frames, and what is exchanged in pairs, sends more messages than the library would, and each
/// costs a busy host more than predictions know. On the lab, one switch with 16 hosts at 30 Mbit/s, broadcasts of 1 KiB
/// and 1460 bytes that were predicted 1.6 and 1.9 times faster than native took 1.3 times as long, allreduces of 1 to 3
/// KiB that were predicted 1.4 to 1.6 times faster 1.1 to 1.35 times.
constexpr double margin_of_cuts = 2.0;
constexpr double margin_of_exchanges = 1.75;
constexpr std::uint64_t one_frame_bytes = frame_payload_bytes - mpi_header_bytes;
/// Of longer messages what is cut counts less.
constexpr std::uint64_t most_cut_bytes = 2 * one_frame_bytes;
/// More children delay each other: where links are slow, the papers found no k above 2 to pay.
constexpr std::array<std::string_view, 4> considered_trees{line, "two-tree", "binary", "3-ary"};
/// Where links are fast, short messages wait for latencies alone: the fewer levels the better, and a rank is soon done
/// with many children.
constexpr std::array<std::string_view, 3> considered_wide{"4-ary", "8-ary", "flat"};
/// Where there is no root. Exchanges in pairs have fewer rounds than a tree has levels up and down.
constexpr std::array<std::string_view, 3> considered_rounds{"ring", "halving-doubling", "recursive-doubling"};
/// Blind to the network, but fewest messages for each rank: where those cost more than links.
constexpr std::array<std::string_view, 3> considered_blind{"circulant", "binomial", "4-nomial"};

/// A ring waits for each of its rounds. Of blocks shorter than this, that is most of its time.
constexpr std::uint64_t least_block_bytes = frame_payload_bytes;
/// Of blocks shorter than this, hosts that are not always ready add what the rates do not tell: on the lab, 64 KiB
/// round 32 hosts at 10 Mbit/s took 1.2 of the predicted time, at 20 Mbit/s 1.8 to 2.8, 32 KiB round 16 hosts 1.3.
constexpr std::uint64_t long_block_bytes = 2 * frame_payload_bytes;
constexpr double handicap_of_short_blocks = 1.5;

/// Of a ring; empty: another algorithm.
std::optional<std::uint64_t> block_of_ring(const Prospects::Candidate& candidate, std::uint64_t message_bytes) {
  const auto* const rounds = std::get_if<RoundCosts>(&candidate.costs);
  return rounds != nullptr && rounds->relays ? std::optional(message_bytes / rounds->blocks) : std::nullopt;
}

bool is_considered(const Prospects::Candidate& candidate, std::uint64_t message_bytes, OperandOrder order) {
  if (order == OperandOrder::by_rank && !candidate.by_rank) return false;
  return block_of_ring(candidate, message_bytes).value_or(least_block_bytes) >= least_block_bytes;
}

/// What a predicted time counts as beside others.
double compared_seconds(const Prospects::Candidate& candidate, std::uint64_t message_bytes, double seconds) {
  const bool short_blocks = block_of_ring(candidate, message_bytes).value_or(long_block_bytes) < long_block_bytes;
  return candidate.handicap * (short_blocks ? handicap_of_short_blocks : 1.0) * seconds +
         candidate.handicap_byte_s * static_cast<double>(wire_bytes(message_bytes));
}

/// The fastest segment; of a short message a frame, unless cutting it is worth the risk.
TimedSegment segment_worth_it(const Prospects::Candidate& candidate, std::uint64_t message_bytes, const Cuts& cuts,
                              double native_s) {
  const TimedSegment fastest = fastest_segment(candidate.costs, message_bytes, cuts);
  const std::uint64_t uncut = std::min(message_bytes, one_frame_bytes);
  if (message_bytes > most_cut_bytes || fastest.segment_bytes >= uncut) return fastest;
  if (compared_seconds(candidate, message_bytes, fastest.seconds) * margin_of_cuts < native_s) return fastest;
  const std::uint64_t segment = *std::ranges::lower_bound(segment_sizes(), uncut);
  return {.segment_bytes = segment, .seconds = seconds_of(candidate.costs, message_bytes, segment)};
}

double least_seconds(const Prospects& prospects, std::uint64_t message_bytes) {
  return prospects.least_byte_s * static_cast<double>(wire_bytes(message_bytes));
}

double find_seconds(const Choice& choice, std::string_view algorithm) {
  return std::ranges::find(choice.predictions, algorithm, &Prediction::algorithm)->seconds;
}

std::string milliseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g ms", seconds * 1e3);
  return text.data();
}

}  // namespace

Prospects prospects_of(Collective collective, const Cluster& cluster, const Placement& placement, Rank root,
                       NativeLibrary native, const HostCosts& hosts) {
  Prospects prospects{
      .candidates = {}, .native = {}, .native_reduction = {}, .native_shares = {}, .collective = collective};
  if (std::ranges::all_of(placement, [&](HostIndex host) { return host == placement.front(); })) return prospects;
  const Paths paths(cluster);
  const CollectiveFacts& facts = facts_of(collective);
  // From a root or to it, and between two, the libraries change no partners.
  if (!facts.has_root && placement.size() > 2) prospects.least_byte_s = least_byte_s(paths, placement, collective);
  const auto consider = [&](std::string_view name) {
    const auto algorithm = find_algorithm(collective, name);
    if (!algorithm) return;
    const Plan plan = lay(collective, name, &cluster, placement, root);
    Prospects::Candidate& candidate = prospects.candidates.emplace_back();
    candidate.algorithm = algorithm->name;
    if (name == line) candidate.handicap = handicap_of_lines;
    if (const Trees* const trees = plan.trees()) {
      candidate.costs = tree_costs(paths, placement, *trees, *facts.direction, hosts);
    } else {
      const RoundCosts costs = round_costs(paths, placement, *plan.rounds(), hosts);
      if (!costs.relays && !costs.any_blocks) {
        candidate.handicap_byte_s = lost_in_exchanges * costs.rounds.seconds_per_byte;
      }
      candidate.costs = costs;
    }
    if (!facts.reduces) return;
    candidate.by_rank = keeps_rank_order(plan);
    candidate.one_order = has_one_order(plan, collective);
  };
  std::ranges::for_each(considered_trees, consider);
  std::ranges::for_each(considered_wide, consider);
  if (collective == Collective::bcast) std::ranges::for_each(considered_blind, consider);
  if (!facts.has_root) std::ranges::for_each(considered_rounds, consider);
  if (facts.goes_by_shares()) {
    prospects.native_shares = native_share_costs(paths, placement, hosts);
  } else if (facts.reduces) {
    const Collective like = facts.has_root ? Collective::reduce : Collective::allreduce;
    prospects.native_reduction = native_reduction_costs(paths, placement, like, root, native, hosts);
  } else {
    prospects.native = native_costs(paths, placement, root, native, hosts);
  }
  return prospects;
}

double native_seconds(const Prospects& prospects, std::uint64_t message_bytes) {
  const CollectiveFacts& facts = facts_of(prospects.collective);
  if (facts.goes_by_shares()) return native_share_seconds(prospects.native_shares, message_bytes);
  return facts.reduces ? native_reduction_seconds(prospects.native_reduction, message_bytes)
                       : native_bcast_seconds(prospects.native, message_bytes);
}

Pick pick(const Prospects& prospects, std::uint64_t message_bytes, OperandOrder order) {
  if (prospects.candidates.empty() || message_bytes < least_bytes) return {};
  const Cuts cuts = cuts_of(message_bytes);
  Pick fastest;
  double fastest_s = std::numeric_limits<double>::infinity();
  const double native_s = native_seconds(prospects, message_bytes);
  const double least_s = near_least * least_seconds(prospects, message_bytes);
  for (const Prospects::Candidate& candidate : prospects.candidates) {
    if (!is_considered(candidate, message_bytes, order)) continue;
    const TimedSegment one = segment_worth_it(candidate, message_bytes, cuts, native_s);
    const double seconds = compared_seconds(candidate, message_bytes, one.seconds);
    const double surely = candidate.handicap_byte_s > 0.0 ? margin_of_exchanges : margin;
    if (seconds >= fastest_s || (seconds > least_s && seconds * surely >= native_s)) continue;
    fastest_s = seconds;
    fastest = {.algorithm = candidate.algorithm, .segment_bytes = one.segment_bytes};
  }
  return fastest;
}

Choice choose(const Prospects& prospects, std::uint64_t message_bytes, OperandOrder order) {
  const Pick quick = pick(prospects, message_bytes, order);
  Choice choice{.algorithm = quick.algorithm, .segment_bytes = quick.segment_bytes, .reason = "all ranks on one host"};
  if (prospects.candidates.empty()) return choice;
  const Cuts cuts = cuts_of(message_bytes);
  for (const Prospects::Candidate& candidate : prospects.candidates) {
    if (!is_considered(candidate, message_bytes, order)) continue;
    const TimedSegment fastest = fastest_segment(candidate.costs, message_bytes, cuts);
    choice.predictions.push_back({candidate.algorithm, fastest.segment_bytes, fastest.seconds});
  }
  choice.predictions.push_back({"native", 0, native_seconds(prospects, message_bytes)});
  std::ranges::stable_sort(choice.predictions, {}, &Prediction::seconds);
  if (message_bytes < least_bytes) {
    choice.reason = below_least_bytes;
    return choice;
  }
  choice.reason.clear();
  for (const Prediction& one : choice.predictions) {
    choice.reason +=
        (choice.reason.empty() ? "predicted: " : ", ") + std::string(one.algorithm) + " " + milliseconds(one.seconds);
  }
  if (choice.segment_bytes == 0) {
    const double fastest_s = choice.predictions.front().seconds;
    choice.reason += fastest_s * margin >= find_seconds(choice, "native")
                         ? "; nothing is faster than native by 15 %"
                         : "; not faster than native by as much as shorter or more messages may cost busy hosts";
  } else if (find_seconds(choice, choice.algorithm) * margin >= find_seconds(choice, "native")) {
    choice.reason += "; hardly more than the least that the links allow";
  }
  const std::string_view front = choice.predictions.front().algorithm;
  if (choice.segment_bytes != 0 && choice.algorithm != front && front != "native") {
    choice.reason += front == line ? "; a line, which waits for every rank, must be 5 % faster"
                                   : "; rounds, which wait for other ranks, must be surely faster";
  }
  return choice;
}

}  // namespace trunkline
