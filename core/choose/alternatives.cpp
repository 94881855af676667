// SPDX-License-Identifier: Apache-2.0
#include "choose/alternatives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "algorithms/registry.hpp"
#include "algorithms/rounds/mixed_radix.hpp"
#include "choose/late_costs.hpp"
#include "choose/least_time.hpp"
#include "model/native/native_within_host.hpp"
#include "model/native/rules.hpp"
#include "model/transfer/segments.hpp"
#include "network/long_links.hpp"
#include "network/placement.hpp"

namespace trunkline {
namespace {

bool goes_by_datagrams(Collective collective, const Candidate& candidate) {
  return find_algorithm(collective, candidate.name)->kind->wants_datagrams;
}

Alternative laid(const Candidate& candidate, const LaidOn& on, Plan plan, bool shares_hosts) {
  const auto& [collective, paths, placement, root, hosts, each, has_sites] = on;
  const CollectiveFacts& facts = facts_of(collective);
  Alternative one{.candidate = &candidate,
                  .uncertainty = candidate.uncertainty,
                  .costs = costs_of(*paths, placement, plan, collective, hosts),
                  .by_datagrams = goes_by_datagrams(collective, candidate)};
  if (candidate.between_two != nullptr && one.costs->relayed_blocks() == 0) one.uncertainty = candidate.between_two;
  const bool is_unsure = one.by_datagrams && facts.native != RunLike::bcast;
  if (replays_are_true(on) && !is_unsure) {
    one.uncertainty = &uncertainty_of_replays();
  } else if (shares_hosts && one.uncertainty->shared_hosts != nullptr) {
    one.uncertainty = one.uncertainty->shared_hosts;
  }
  one.lost_byte_s = one.uncertainty->lost_of_links * one.costs->exchanged_byte_s();
  if (facts.reduces) {
    one.by_rank = plan.steps().keeps_rank_order();
    one.one_order = plan.steps().has_one_order(collective);
  }
  one.plan = std::move(plan);
  return one;
}

/// One that is hardly ever the fastest, and has many ranks to look at. So it is laid once it may be.
Alternative laid_late(const Candidate& candidate, std::shared_ptr<const LaidOn> on, const Bound& bound) {
  const Uncertainty* const uncertainty = replays_are_true(*on) ? &uncertainty_of_replays() : candidate.uncertainty;
  return {.candidate = &candidate,
          .uncertainty = uncertainty,
          .costs = late_costs(std::move(on), candidate.name),
          .least_s = bound.s,
          .least_byte_s = bound.byte_s,
          .lost_byte_s = uncertainty->lost_of_links * bound.byte_s,
          .one_order = true};
}

std::vector<const Candidate*> candidates_for(Collective collective, bool multicasts) {
  std::vector<const Candidate*> candidates = compared_for(collective);
  if (!multicasts) std::erase_if(candidates, [&](const auto* one) { return goes_by_datagrams(collective, *one); });
  return candidates;
}

/// Each once.
std::vector<std::uint64_t> ascending(std::vector<std::uint64_t> sizes) {
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Where segments begin to be one more, messages are announced first, blocks are long enough, or native is another.
std::vector<std::uint64_t> jumps_of(const std::vector<Alternative>& laid, const HostCosts& hosts) {
  std::vector<std::uint64_t> jumps{most_cut_bytes + 1, mpich_short_reduce_bytes + 1, openmpi_eager_bytes + 1};
  // Halves, quarters, ... of longer messages are announced first, too.
  constexpr std::uint64_t longest = std::uint64_t{64} << 20;
  for (std::uint64_t eager = hosts.eager_bytes; eager < longest; eager *= 2) jumps.push_back(eager + 1);
  for (const std::uint64_t segment : segment_sizes()) jumps.push_back(segment + 1);
  for (const Alternative& one : laid) {
    if (one.uncertainty->least_block_bytes == 0) continue;
    const std::uint64_t blocks = one.costs->relayed_blocks();
    jumps.push_back(blocks * one.uncertainty->least_block_bytes);
    jumps.push_back(blocks * one.uncertainty->long_block_bytes);
  }
  return ascending(std::move(jumps));
}

bool is_there(Where where, bool has_sites, bool is_routed, bool shares_hosts, bool own_processors, std::size_t ranks) {
  switch (where) {
    case Where::anywhere:
      return true;
    case Where::within_a_site:
      return !has_sites;
    case Where::with_one_rank_a_host:
      return !has_sites && !shares_hosts;
    case Where::over_long_links:
      return has_sites;
    case Where::over_long_links_with_one_rank_a_host:
      return has_sites && !shares_hosts;
    case Where::over_routed_long_links:
      return has_sites && is_routed;
    case Where::over_long_links_on_shared_hosts:
      return has_sites && shares_hosts && own_processors;
    case Where::with_small_factors:
      return !std::has_single_bit(ranks) && largest_prime_factor(static_cast<Rank>(ranks)) <= largest_factor;
    case Where::on_own_processors:
      return shares_hosts && own_processors;
    case Where::on_shared_hosts_in_groups:
      return shares_hosts && own_processors && !has_sites &&
             largest_prime_factor(static_cast<Rank>(ranks)) <= largest_group;
    case Where::on_shared_hosts:
      break;
  }
  return shares_hosts;
}

constexpr std::string_view not_measured_on_one_host =
    "all ranks on one host, where this library's own calls were not measured";

/// Ranks of hosts.
struct OnHosts {
  Rank most = 0;
  Rank of_two = 0;        ///< the most that two hosts have each
  Rank whole_groups = 0;  ///< of how many each host has whole groups, at most
};

OnHosts on_hosts(Placement placement) {
  std::ranges::sort(placement);
  OnHosts found;
  for (auto host = placement.begin(); host != placement.end();) {
    const auto next = std::ranges::upper_bound(host, placement.end(), *host);
    const auto ranks = static_cast<Rank>(next - host);
    found.of_two = std::max(found.of_two, std::min(found.most, ranks));
    found.most = std::max(found.most, ranks);
    found.whole_groups = std::gcd(found.whole_groups, ranks);
    host = next;
  }
  return found;
}

/// Two in each of eight lanes.
constexpr std::uint64_t most_trees = 16;

/// Ranks that hand all data on in memory: no link, no frame, no datagram.
Alternatives on_one_host(Alternatives all, std::span<const Candidate* const> candidates) {
  const auto& [collective, paths, placement, root, hosts, each, has_sites] = *all.on;
  const auto ranks = static_cast<Rank>(placement.size());
  all.shares_processors = false;
  all.why_none = "all ranks on one host";
  if (ranks < 2) return all;
  std::unique_ptr<const NativeTimes> native = native_within_host(collective, ranks, hosts);
  if (native == nullptr) {
    if (facts_of(collective).has_data) all.why_none = not_measured_on_one_host;
    return all;
  }
  for (const Candidate* const candidate : candidates) {
    if (!candidate->on_one_host || !is_there(candidate->where, false, false, true, true, placement.size())) continue;
    Plan plan = lay(collective, candidate->name, &paths->cluster(), placement, root);
    Alternative one = laid(*candidate, *all.on, std::move(plan), true);
    one.uncertainty = &uncertainty_on_one_host();
    one.lost_byte_s = 0.0;
    if (one.costs->can_pay()) all.laid.push_back(std::move(one));
  }
  all.native = std::move(native);
  // What is read or copied where, what no longer lies in a cache, and what was measured: each begins another class.
  std::vector<std::uint64_t> jumps(sizes_within_host().begin(), sizes_within_host().end());
  for (const std::uint64_t segment : segment_sizes()) jumps.insert(jumps.end(), {segment, segment + 1});
  for (std::uint64_t parts = 1; parts <= most_trees; parts *= 2) {  // of a message, each in a tree of its own
    for (const MemoryReach& reach : hosts.memory->reaches) {
      if (reach.bytes < std::numeric_limits<std::uint64_t>::max()) jumps.push_back(parts * reach.bytes + 1);
    }
  }
  all.jumps = ascending(std::move(jumps));
  return all;
}

Alternatives alternatives_among(std::span<const Candidate* const> candidates, Collective collective,
                                const Cluster& cluster, const Placement& placement, Rank root, NativeLibrary native,
                                const HostCosts& hosts) {
  const bool has_sites = spans_sites(cluster, placement);
  const OnHosts ranks = on_hosts(placement);
  Alternatives all{.collective = collective,
                   .queues = queues_that_pass(native, collective),
                   .shares_processors = hosts.share_processors()};
  all.on = std::make_shared<const LaidOn>(LaidOn{.collective = collective,
                                                 .paths = std::make_shared<const Paths>(cluster),
                                                 .placement = placement,
                                                 .root = root,
                                                 .hosts = hosts,
                                                 .on_each_host = ranks.whole_groups == ranks.most ? ranks.most : 0,
                                                 .has_sites = has_sites});
  if (replays_are_true(*all.on)) all.queues = 0.0;  // their times tell
  if (is_one_host(placement)) return on_one_host(std::move(all), candidates);
  const Paths& paths = *all.on->paths;
  const CollectiveFacts& facts = facts_of(collective);
  // From a root or to it, and between two, the libraries change no partners.
  if (!facts.has_root && placement.size() > 2) all.least_byte_s = least_byte_s(paths, placement, collective);
  const bool is_routed = cluster.routes() != nullptr;
  const bool shares_hosts = ranks.most > 1;
  if (has_sites) all.floor_bytes = least_bytes_of_sites;
  for (const Candidate* const candidate : candidates) {
    if (ranks.whole_groups < candidate->least_lanes || placement.size() > candidate->most_ranks ||
        !is_there(candidate->where, has_sites, is_routed, shares_hosts, !hosts.share_processors(), placement.size()))
      continue;
    if (const std::optional<Bound> bound = late_bound(*all.on, candidate->name)) {
      all.takes_short = all.takes_short || candidate->takes_short;
      all.laid.push_back(laid_late(*candidate, all.on, *bound));
      continue;
    }
    Plan plan = lay(collective, candidate->name, &cluster, placement, root);
    Alternative one = laid(*candidate, *all.on, std::move(plan), shares_hosts);
    if (!one.costs->can_pay()) continue;
    all.takes_short = all.takes_short || candidate->takes_short;
    all.laid.push_back(std::move(one));
  }
  all.native = native_times(paths, placement, collective, root, native, hosts);
  all.jumps = jumps_of(all.laid, hosts);
  return all;
}

}  // namespace

Alternatives alternatives_of(Collective collective, const Cluster& cluster, const Placement& placement, Rank root,
                             NativeLibrary native, const HostCosts& hosts, bool multicasts) {
  const std::vector<const Candidate*> candidates = candidates_for(collective, multicasts);
  return alternatives_among(candidates, collective, cluster, placement, root, native, hosts);
}

Alternatives short_alternatives_of(Collective collective, const Cluster& cluster, const Placement& placement, Rank root,
                                   NativeLibrary native, const HostCosts& hosts, bool multicasts) {
  std::vector<const Candidate*> candidates = candidates_for(collective, multicasts);
  std::erase_if(candidates, [](const auto* one) { return !one->takes_short; });
  return alternatives_among(candidates, collective, cluster, placement, root, native, hosts);
}

double native_seconds(const Alternatives& alternatives, std::uint64_t message_bytes) {
  return alternatives.native != nullptr ? alternatives.native->seconds(message_bytes) : 0.0;
}

std::array<bool, most_collectives> short_calls_may_pay(const Cluster& cluster, const Placement& job,
                                                       const HostCosts& hosts, bool multicasts) {
  double slowest_bps = std::numeric_limits<double>::infinity();
  for (const Link& link : cluster.links()) slowest_bps = std::min(slowest_bps, link.least_bps());
  constexpr double bits = 8.0;
  const double byte_s = bits / slowest_bps;
  const bool datagrams_may_pay = hosts.multicasts_may_pay(cluster.hosts().size(), byte_s);
  const bool messages_may_pay = hosts.messages_are_known(byte_s);
  const OnHosts ranks = on_hosts(job);
  const bool has_sites = spans_sites(cluster, job);
  std::array<bool, most_collectives> may_pay{};
  for (const CollectiveFacts& facts : collectives()) {
    const auto pays = [&](const Candidate* candidate) {
      if (!candidate->takes_short || candidate->least_lanes > ranks.of_two) return false;
      if (goes_by_datagrams(facts.collective, *candidate)) return datagrams_may_pay;
      return messages_may_pay &&
             is_there(candidate->where, has_sites, false, ranks.most > 1, !hosts.share_processors(), job.size());
    };
    may_pay.at(static_cast<std::size_t>(facts.collective)) =
        std::ranges::any_of(candidates_for(facts.collective, multicasts), pays);
  }
  return may_pay;
}

}  // namespace trunkline
