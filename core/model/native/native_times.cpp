// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_times.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/registry.hpp"
#include "algorithms/trees/flat.hpp"
#include "algorithms/trees/k_nomial.hpp"
#include "algorithms/trees/unaware_k_ary.hpp"
#include "algorithms/trees/unaware_linear.hpp"
#include "kinds/rounds/costs.hpp"
#include "kinds/rounds/pair_costs.hpp"
#include "kinds/rounds/rounds.hpp"
#include "model/native/exchanges.hpp"
#include "model/native/native_choice.hpp"
#include "model/transfer/path_loads.hpp"
#include "model/transfer/segments.hpp"
#include "model/transfer/switch_queue.hpp"
#include "model/transfer/wire.hpp"
#include "patterns/over_hosts.hpp"
#include "plan/tree_costs.hpp"

namespace trunkline {
namespace {

/// One collective, from one root.
struct Asked {
  const Paths& paths;
  Placement placement;
  Collective collective;
  Rank root;
  NativeLibrary library;
  HostCosts hosts;

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(placement.size()); }
  [[nodiscard]] bool is_mpich() const { return library == NativeLibrary::mpich; }
};

/// Of one algorithm, by the message's bytes.
using SecondsOfMessage = std::function<double(std::uint64_t message_bytes)>;

/// Among all ranks alike.
class FlatTimes final : public NativeTimes {
 public:
  using Selects = std::uint32_t (*)(const Asked& call, std::uint64_t message_bytes);  ///< one number an algorithm
  using Lays = SecondsOfMessage (*)(const Asked& call, std::uint64_t message_bytes);

  FlatTimes(Asked call, Selects selects, Lays lays) : call_(std::move(call)), selects_(selects), lays_(lays) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes) const override {
    if (call_.ranks() < 2) return 0.0;
    SecondsOfMessage& known = by_selected_[selects_(call_, message_bytes)];
    if (!known) known = lays_(call_, message_bytes);
    return known(message_bytes);
  }

 private:
  Asked call_;
  Selects selects_;
  Lays lays_;
  mutable std::map<std::uint32_t, SecondsOfMessage> by_selected_{};
};

/// Of rounds one after another, whose transfers have their own lengths.
SecondsOfMessage rounds_in_turn(std::vector<RoundCost> rounds, const HostCosts& hosts) {
  return [rounds = std::move(rounds), hosts](std::uint64_t bytes) {
    double all_s = 0.0;
    for (const RoundCost& one : rounds) all_s += one.seconds(bytes, one.transfer_bytes(bytes), hosts);
    return all_s;
  };
}

/// Where it is not known which of two algorithms runs.
SecondsOfMessage the_shorter(SecondsOfMessage one, SecondsOfMessage another) {
  return [one = std::move(one), another = std::move(another)](std::uint64_t bytes) {
    return std::min(one(bytes), another(bytes));
  };
}

SecondsOfMessage the_longer(SecondsOfMessage one, SecondsOfMessage another) {
  return [one = std::move(one), another = std::move(another)](std::uint64_t bytes) {
    return std::max(one(bytes), another(bytes));
  };
}

std::uint32_t selected_bcast(const Asked& call, std::uint64_t bytes) {
  return call.is_mpich() ? static_cast<std::uint32_t>(mpich_bcast(call.ranks(), bytes))
                         : static_cast<std::uint32_t>(openmpi_bcast(call.ranks(), bytes));
}

/// A block for each rank first, then all to all. Blocks that lie side by side are sent as one message.
SecondsOfMessage lay_scattered(const Asked& call, std::string_view algorithm) {
  const Plan plan = lay(Collective::bcast, algorithm, nullptr, call.placement, call.root);
  RoundCosts costs = round_costs(call.paths, call.placement, rounds_of(plan), call.hosts, true);
  costs.each.shrink_to_fit();  // kept for each communicator
  return [costs = std::move(costs)](std::uint64_t bytes) { return round_seconds(costs, bytes, bytes); };
}

SecondsOfMessage lay_mpich_bcast(const Asked& call, std::uint64_t bytes) {
  const MpichBcast algorithm = mpich_bcast(call.ranks(), bytes);
  if (algorithm == MpichBcast::scatter_doubling) return lay_scattered(call, "scatter-doubling");
  if (algorithm == MpichBcast::scatter_ring) return lay_scattered(call, "unaware-scatter-ring");
  const Tree tree = k_nomial_tree(call.ranks(), call.root, 2);
  return [costs = tree_costs(call.paths, call.placement, tree, Direction::down, call.hosts)](std::uint64_t message) {
    return costs.seconds(message, message);
  };
}

Tree openmpi_tree(OpenMpiBcast algorithm, Rank ranks, Rank root) {
  switch (algorithm) {
    case OpenMpiBcast::basic_linear:
      return flat_tree(ranks, root);
    case OpenMpiBcast::chain:
      return unaware_linear_tree(ranks, root);
    case OpenMpiBcast::split_binary_tree:  // counts as a binary one
    case OpenMpiBcast::binary_tree:
      return unaware_k_ary_tree(ranks, root, 2);
    case OpenMpiBcast::binomial:
      return k_nomial_tree(ranks, root, 2);
    case OpenMpiBcast::knomial:
    case OpenMpiBcast::scatter_allgather:
      break;
  }
  return k_nomial_tree(ranks, root, openmpi_knomial_radix);
}

SecondsOfMessage lay_bcast(const Asked& call, std::uint64_t bytes) {
  if (call.is_mpich()) return lay_mpich_bcast(call, bytes);
  const OpenMpiBcast algorithm = openmpi_bcast(call.ranks(), bytes);
  if (algorithm == OpenMpiBcast::scatter_allgather) return lay_scattered(call, "scatter-doubling");
  const Tree tree = openmpi_tree(algorithm, call.ranks(), call.root);
  return [in_turn = tree_costs(call.paths, call.placement, tree, Direction::down, call.hosts),
          at_once = level_cost(call.paths, call.placement, tree), hosts = call.hosts](std::uint64_t message) {
    // One child after another; of a long one all children share the rate.
    return message <= openmpi_eager_bytes ? in_turn.seconds(message, message)
                                          : at_once.seconds(message, message, hosts);
  };
}

std::uint32_t selected_reduction(const Asked& call, std::uint64_t bytes) {
  const NativeReduction all = native_reduction(call.library, call.collective, call.ranks(), bytes);
  if (all != NativeReduction::reduce_and_bcast) return static_cast<std::uint32_t>(all);
  const NativeReduction up = native_reduction(call.library, Collective::reduce, call.ranks(), bytes);
  constexpr unsigned bits = 8;
  return static_cast<std::uint32_t>(all) | static_cast<std::uint32_t>(up) << bits |
         selected_bcast(call, bytes) << 2 * bits;
}

std::vector<RoundCost> reduction_rounds(const Asked& call, NativeReduction algorithm) {
  const Rank ranks = call.ranks();
  const Rank root = call.root;
  const auto exchanges = [&](const std::vector<Exchange>& all) {
    return exchange_costs(call.paths, call.placement, all);
  };
  const auto in_pairs = [&](const std::vector<Exchange>& all) {
    std::vector<RoundCost> rounds = exchanges(all);
    for (RoundCost& one : rounds) one.announced = announced_exchanges;
    return rounds;
  };
  // Up a tree the same transfers go the other way, and links carry both ways alike.
  const auto levels = [&](const Tree& tree) { return std::vector{level_cost(call.paths, call.placement, tree, true)}; };
  switch (algorithm) {
    case NativeReduction::doubling:
      return in_pairs(recursive_doubling(ranks));
    case NativeReduction::halving:
      return in_pairs(call.collective == Collective::allreduce ? halving_and_doubling(ranks)
                                                               : halving_and_gather(ranks));
    case NativeReduction::ring:
      return exchanges(twice_round_a_ring(ranks));
    case NativeReduction::flat_tree:
      return levels(flat_tree(ranks, root));
    case NativeReduction::line:
      return levels(unaware_linear_tree(ranks, root));
    case NativeReduction::binary_tree:
      return levels(unaware_k_ary_tree(ranks, root, 2));
    case NativeReduction::in_order: {
      std::vector<RoundCost> rounds = levels(in_order_binary_tree(ranks));
      if (root != ranks - 1) rounds.push_back(exchanges({{.transfers = {{ranks - 1, root}}}}).front());
      return rounds;
    }
    case NativeReduction::binomial_tree:
    case NativeReduction::reduce_and_bcast:
      break;
  }
  return exchanges(up_binomial_tree(ranks, root));
}

SecondsOfMessage lay_reduction(const Asked& call, std::uint64_t bytes) {
  NativeReduction algorithm = native_reduction(call.library, call.collective, call.ranks(), bytes);
  if (algorithm != NativeReduction::reduce_and_bcast) {
    return rounds_in_turn(reduction_rounds(call, algorithm), call.hosts);
  }
  algorithm = native_reduction(call.library, Collective::reduce, call.ranks(), bytes);
  SecondsOfMessage up = rounds_in_turn(reduction_rounds(call, algorithm), call.hosts);
  SecondsOfMessage down = lay_bcast(call, bytes);
  return [up = std::move(up), down = std::move(down)](std::uint64_t message) { return up(message) + down(message); };
}

std::uint32_t selected_shares(const Asked& call, std::uint64_t bytes) {
  return (mpich_scatters_pairwise(bytes) ? 1U : 0U) | (mpich_gathers_round_a_ring(call.ranks(), bytes) ? 2U : 0U);
}

/// A part that is gathered takes the way back of one that is scattered, so gathers and reduce-scatters cost the same
/// where the ranks are a power of two. Else the first ones of a reduce-scatter hand all that they have to others, who
/// go on for them.
SecondsOfMessage lay_shares(const Asked& call, std::uint64_t bytes) {
  const Rank ranks = call.ranks();
  const bool reduces = facts_of(call.collective).reduces;
  const double reducing = reduces ? 1.0 : 0.0;
  const auto by_share = [&](const std::vector<Exchange>& all) -> SecondsOfMessage {
    return [cost = exchange_cost(call.paths, call.placement, all), ranks, hosts = call.hosts](std::uint64_t message) {
      return cost.seconds(message, pieces_of(message, ranks), hosts);
    };
  };
  if (call.is_mpich() && reduces && mpich_scatters_pairwise(bytes)) return by_share(at_each_distance(ranks, reducing));
  if (call.is_mpich() && !reduces && mpich_gathers_round_a_ring(ranks, bytes)) {
    return by_share(round_a_ring(ranks, reducing));
  }
  SecondsOfMessage doubles = rounds_in_turn(
      exchange_costs(call.paths, call.placement, reduces ? halving_of_blocks(ranks) : doubling_of_blocks(ranks)),
      call.hosts);
  if (call.is_mpich()) return doubles;
  return the_shorter(std::move(doubles), by_share(round_a_ring(ranks, reducing)));
}

enum PairsOfMpich : std::uint8_t { all_at_once, by_bruck, in_turn };

std::uint32_t selected_pairs(const Asked& call, std::uint64_t bytes) {
  const bool is_even = !facts_of(call.collective).has_private_lengths();
  if (!is_even || !call.is_mpich()) return all_at_once;
  if (mpich_exchanges_by_bruck(call.ranks(), bytes)) return by_bruck;
  return mpich_exchanges_in_turn(bytes) ? in_turn : all_at_once;
}

/// Where many messages meet queues lose some. Of queues that are known, and hold less than the fullest link gets, a
/// call waits for a timeout, once at least; else that is left out.
SecondsOfMessage lay_pairs(const Asked& call, std::uint64_t bytes) {
  const auto rounds_of = [&](const std::vector<Exchange>& all) {
    return rounds_in_turn(exchange_costs(call.paths, call.placement, all), call.hosts);
  };
  const std::uint32_t selected = selected_pairs(call, bytes);
  if (selected == by_bruck) return rounds_of(pairs_by_bruck(call.ranks()));
  const Rounds rounds = generate_rounds("alltoall-ring", by_number(call.ranks(), 0));
  PairCosts costs = pair_costs(call.paths, call.placement, rounds, call.hosts);
  costs.lead = std::numeric_limits<double>::infinity();
  const double queues = queues_that_pass(call.library, call.collective);
  const bool may_lose = selected == all_at_once && knows_queues(call.paths.cluster());
  SecondsOfMessage straight = [costs, queues, may_lose](std::uint64_t block) {
    const bool loses = may_lose && !costs.holds_all(block, queues);
    return costs.seconds(block, segment_sizes().back()) + (loses ? tcp_least_timeout_s : 0.0);
  };
  if (selected == in_turn) return the_longer(std::move(straight), rounds_of(pairs_by_turns(call.ranks())));
  if (call.is_mpich() || facts_of(call.collective).has_private_lengths()) return straight;
  return the_shorter(std::move(straight), rounds_of(pairs_by_bruck(call.ranks())));
}

std::uint32_t selected_root_shares(const Asked& call, std::uint64_t bytes) {
  const bool gathers = facts_of(call.collective).after == Holding::all_at_root;
  return goes_along_a_tree(call.library, gathers, call.ranks(), pieces_of(bytes, call.ranks())) ? 1 : 0;
}

/// Of gathers and scatters: a binomial tree by rank number, which is MPICH's way; Open MPI has that for some sizes, and
/// goes straight for others. What queues of switches lose where all send to the root at once is left out.
SecondsOfMessage lay_root_shares(const Asked& call, std::uint64_t bytes) {
  const Rank ranks = call.ranks();
  const bool gathers = facts_of(call.collective).after == Holding::all_at_root;
  if (selected_root_shares(call, bytes) != 0) {
    const Rounds tree = generate_rounds(gathers ? "gather-binomial" : "scatter-binomial", by_number(ranks, call.root));
    constexpr bool in_step = true;
    return [costs = round_costs(call.paths, call.placement, tree, call.hosts, in_step)](std::uint64_t message) {
      return costs.seconds(message, segment_sizes().back());
    };
  }
  PathLoads loads(call.paths);
  const NodeId at_root = call.paths.cluster().hosts()[call.placement[call.root]];
  double messages = 0.0;  // that the root sends, or receives
  double latency_s = 0.0;
  for (const HostIndex host : call.placement) {
    const NodeId other = call.paths.cluster().hosts()[host];
    if (other == at_root) continue;
    const NodeId from = gathers ? other : at_root;
    const NodeId to = gathers ? at_root : other;
    loads.add(from, to, 1.0 / ranks);
    messages += 1.0;
    latency_s = std::max(latency_s, call.paths.latency_s(from, to, call.paths.meeting(from, to)));
  }
  loads.settle_loads();
  const double byte_s = messages > 0.0 ? loads.fullest_byte_s() : 0.0;
  return [byte_s, messages, latency_s, ranks, hosts = call.hosts](std::uint64_t message) {
    const std::uint64_t share = pieces_of(message, ranks);
    const double links_s = byte_s * static_cast<double>(ranks * wire_bytes(share));
    return std::max({links_s, messages * hosts.handling_s(share),
                     hosts.together_s(messages, static_cast<double>(message))}) +
           hosts.trips(share) * latency_s;
  };
}

/// Each message is a word, whatever a call of data would have. Open MPI's rules name exchanges of as many rounds for
/// any number of ranks.
SecondsOfMessage lay_barrier(const Asked& call, std::uint64_t /*bytes*/) {
  const bool by_hosts = call.is_mpich() && !is_one_host(call.placement);
  const Placement among = by_hosts ? ranks_of_hosts(call.placement, 0).placement : call.placement;
  const RoundCost cost = exchange_cost(call.paths, among, dissemination(static_cast<Rank>(among.size())));
  return [seconds = cost.seconds(1, 1, call.hosts)](std::uint64_t /*bytes*/) { return seconds; };
}

/// Scans: MPICH's in pairs, Open MPI's from rank to rank, the whole vector each time.
SecondsOfMessage lay_prefixes(const Asked& call, std::uint64_t /*bytes*/) {
  const std::vector<Exchange> all =
      call.is_mpich() ? doubling_of_prefixes(call.ranks()) : from_rank_to_rank(call.ranks());
  return rounds_in_turn(exchange_costs(call.paths, call.placement, all), call.hosts);
}

std::uint32_t always_the_same(const Asked& /*call*/, std::uint64_t /*bytes*/) { return 0; }

std::unique_ptr<const NativeTimes> flat_times(Asked call) {
  const CollectiveFacts& facts = facts_of(call.collective);
  const auto times = [&](FlatTimes::Selects selects, FlatTimes::Lays lays) {
    return std::make_unique<const FlatTimes>(std::move(call), selects, lays);
  };
  if (!facts.has_data) return times(always_the_same, lay_barrier);
  switch (facts.native) {
    case RunLike::bcast:
      break;
    case RunLike::reduction:
      call.collective = facts.has_root ? Collective::reduce : Collective::allreduce;
      return times(selected_reduction, lay_reduction);
    case RunLike::shares:
      return times(selected_shares, lay_shares);
    case RunLike::pairs:
      return times(selected_pairs, lay_pairs);
    case RunLike::root_shares:
      return times(selected_root_shares, lay_root_shares);
    case RunLike::prefix:
      return times(always_the_same, lay_prefixes);
  }
  return times(selected_bcast, lay_bcast);
}

class ByHosts final : public NativeTimes {
 public:
  ByHosts(Collective collective, Rank ranks, std::unique_ptr<const NativeTimes> flat,
          std::unique_ptr<const NativeTimes> among)
      : collective_(collective), ranks_(ranks), flat_(std::move(flat)), among_(std::move(among)) {}

  void add_within(std::unique_ptr<const NativeTimes> within) { within_.push_back(std::move(within)); }

  [[nodiscard]] double seconds(std::uint64_t message_bytes) const override {
    if (!mpich_goes_by_hosts(collective_, ranks_, message_bytes)) return flat_->seconds(message_bytes);
    double all = among_->seconds(message_bytes);
    for (const auto& one : within_) all += one->seconds(message_bytes);
    return all;
  }

 private:
  Collective collective_;
  Rank ranks_;
  std::unique_ptr<const NativeTimes> flat_;
  std::unique_ptr<const NativeTimes> among_;                ///< the first ranks of all hosts
  std::vector<std::unique_ptr<const NativeTimes>> within_;  ///< the first host
};

/// Sizes for which MPICH does not go by hosts take what they take among all ranks: `flat`. That alone where it goes by
/// hosts for none.
std::unique_ptr<const NativeTimes> native_by_hosts(const Paths& paths, const Placement& placement,
                                                   Collective collective, Rank root, const HostCosts& hosts,
                                                   std::unique_ptr<const NativeTimes> flat) {
  const CollectiveFacts& facts = facts_of(collective);
  if (is_one_host(placement) || !facts.has_one_message() || !facts.has_data) return flat;
  const RanksOfHosts of_hosts = ranks_of_hosts(placement, 0);
  if (!of_hosts.any_is_shared(placement.size())) return flat;
  const auto home = std::ranges::find(of_hosts.placement, placement[root]) - of_hosts.placement.begin();
  const auto number = static_cast<Rank>(home);
  if (facts.has_root && of_hosts.ranks[number].front() != root) return flat;
  const auto times = [&](Collective one, const Placement& where, Rank from) {
    return native_times(paths, where, one, from, NativeLibrary::mpich, hosts);
  };
  auto all = std::make_unique<ByHosts>(collective, static_cast<Rank>(placement.size()), std::move(flat),
                                       times(collective, of_hosts.placement, number));
  const Placement within(of_hosts.ranks.front().size(), placement.front());
  if (facts.reduces) all->add_within(times(Collective::reduce, within, 0));
  if (facts.direction != Direction::up) all->add_within(times(Collective::bcast, within, 0));
  return all;
}

}  // namespace

std::unique_ptr<const NativeTimes> native_times(const Paths& paths, const Placement& placement, Collective collective,
                                                Rank root, NativeLibrary library, const HostCosts& hosts) {
  std::unique_ptr<const NativeTimes> flat = flat_times({paths, placement, collective, root, library, hosts});
  if (library == NativeLibrary::openmpi) return flat;
  return native_by_hosts(paths, placement, collective, root, hosts, std::move(flat));
}

}  // namespace trunkline
