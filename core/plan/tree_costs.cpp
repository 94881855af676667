// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_costs.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/transfer/path_loads.hpp"
#include "model/transfer/wire.hpp"
#include "plan/in_flight.hpp"
#include "plan/site_branches.hpp"
#include "plan/tree_handlings.hpp"
#include "plan/tree_shape.hpp"
#include "plan/tree_transfers.hpp"
#include "plan/tree_ways.hpp"

namespace trunkline {
namespace {

/// Adds up the transfers of trees that take segments by turns.
class Sum {
 public:
  Sum(const Paths& paths, const Placement& placement, std::size_t trees, Direction direction, const HostCosts& hosts)
      : cluster_(paths.cluster()),
        direction_(direction),
        hosts_(hosts),
        placement_(placement),
        part_(1.0 / static_cast<double>(trees)),
        paths_(paths),
        injections_{.cluster = cluster_, .direction = direction},
        transfers_(paths, direction),
        handlings_(injections_, placement, part_) {
    if (cluster_.has_sites() && direction_ != Direction::up_and_down) by_site_.emplace(cluster_, placement_);
  }

  /// Only the ways to that rank count.
  void look_at(Rank rank) { looked_at_ = rank; }

  /// Throws std::invalid_argument where the tree has another number of ranks, or the placement does not fit.
  void add(const Tree& tree) {
    if (tree.size() != placement_.size()) {
      throw std::invalid_argument("a placement of " + std::to_string(placement_.size()) + " ranks for a tree of " +
                                  std::to_string(tree.size()));
    }
    check_placement(cluster_, placement_, tree.root);
    if (tree.exchange != no_rank && direction_ != Direction::up_and_down) {
      throw std::invalid_argument("two roots exchange only what goes up and down again");
    }
    add_shape(shape_of(tree, placement_, looked_at_));
    add_streams(tree);
    trees_.push_back(&tree);
    handlings_.add(tree);
  }

  /// The same of trees that are not laid over the ranks: see can_add().
  void add(const HostTrees& trees) {
    check_placement(cluster_, placement_, trees.root());
    std::vector<LeadersByRank> leaders;
    for (std::size_t lane = 0; lane < trees.lanes; ++lane) leaders.push_back(leaders_of(trees, lane));
    for (std::size_t tree = 0; tree < trees.over_hosts.size(); ++tree) add_lanes(trees, tree, leaders);
    handlings_.add(trees);
  }

  /// Whether all that counts follows from the shapes of such trees: what is exchanged, long links and windows ask for
  /// the trees themselves. No sum of their parts of the message is rounded, so the order does not matter.
  [[nodiscard]] static bool can_add(const Paths& paths, const HostTrees& trees) {
    return std::has_single_bit(trees.trees()) && !paths.cluster().has_sites() && !paths.any_tcp_window() &&
           std::ranges::all_of(trees.over_hosts, [](const Tree& tree) { return tree.exchange == no_rank; });
  }

  TreeCosts costs() {
    const bool both_ways = direction_ == Direction::up_and_down;
    TreeCosts costs;
    costs.hosts = hosts_;
    costs.handlings = handlings_.busiest(hosts_);
    const double times = both_ways ? 2.0 : 1.0;
    costs.local_transfers = times * handlings_.local_transfers();
    costs.transfers = times * static_cast<double>(placement_.size() - 1) - costs.local_transfers;
    costs.network_hops = static_cast<Rank>(transfers_.all().transfers().size()) + further_hops_;
    costs.crowded_byte_s = crowded_byte_s_;
    costs.latest = longest(latest_, hosts_);
    for (const auto& [hop, stream] : streams_) add_slowest(costs.streams, stream);
    costs.capped_hops = (both_ways ? 2.0 : 1.0) * static_cast<double>(capped_hops_);
    transfers_.all().settle_loads();
    std::vector<TreeCosts::Work> works;
    for (ChannelId channel = 0; channel < cluster_.channel_count(); ++channel) {
      if (load_of(channel) > 0.0) works.push_back(work_of(channel));
    }
    costs.busiest = most(works);
    if (by_site_) {
      const bool backwards = paths_.any_back() && direction_ == Direction::up;
      costs.branches = by_site_->branches(
          trees_, [&](ChannelId channel) { return work_of(channel); }, backwards);
      for (TreeCosts::Branch& branch : costs.branches) branch.latest = longest(branch.latest, hosts_);
    }
    return costs;
  }

 private:
  /// By data that go one way or both.
  [[nodiscard]] double load_of(ChannelId channel) const {
    const double other_way = direction_ == Direction::up_and_down ? transfers_.all().load(channel ^ 1U) : 0.0;
    return transfers_.all().load(channel) + other_way;
  }

  /// Of a channel that data cross.
  [[nodiscard]] TreeCosts::Work work_of(ChannelId channel) const {
    const bool both_ways = direction_ == Direction::up_and_down;
    const double other_way = transfers_.all().load(channel ^ 1U);
    const double load = load_of(channel);
    // Spread evenly over links side by side; what there is crosses one of them at least.
    const double spread_s = paths_.spread_byte_s(channel);
    return {.per_byte_s = std::max(part_ * paths_.byte_s(channel), part_ * load * spread_s),
            .per_ack_byte_s = part_ * (both_ways ? load : other_way) * spread_s};
  }

  /// One tree over hosts in all of its lanes. Where the hosts' leaders stand in the same order as in the lane before,
  /// as where hosts have their ranks in rows, ways are those of that lane, and channels carry the same again.
  void add_lanes(const HostTrees& trees, std::size_t tree, const std::vector<LeadersByRank>& leaders) {
    std::size_t begin = 0;  // of the transfers of the lane that was added last
    Rank further_hops = 0;  // of it
    std::vector<std::uint32_t> times;
    for (std::size_t lane = 0; lane < trees.lanes; ++lane) {
      if (lane > 0 && leaders[lane] == leaders[lane - 1]) {
        for (std::size_t at = 0; at < times.size(); ++at) transfers_.all().add_again(begin + at, times[at]);
        further_hops_ += further_hops + static_cast<Rank>(times.size());
        continue;
      }
      begin = transfers_.all().transfers().size();
      const Rank hops_before = further_hops_;
      add_shape(shape_of(trees, tree, lane));
      further_hops = further_hops_ - hops_before;
      times.clear();
      for (const PathLoads::Transfer& one : transfers_.all().transfers().subspan(begin)) times.push_back(one.times);
    }
  }

  /// Of each two ranks one stream, whichever trees it is in.
  void add_streams(const Tree& tree) {
    if (!paths_.any_tcp_window()) return;
    std::vector<std::uint32_t> hops(tree.size(), 0);
    for (const Rank rank : parents_first(tree)) {
      if (rank == tree.root) continue;
      const Rank parent = tree.parent[rank];
      hops[rank] = hops[parent];
      auto stream = capped_stream(paths_, cluster_.hosts()[placement_[parent]], cluster_.hosts()[placement_[rank]]);
      if (!stream) continue;
      capped_hops_ = std::max(capped_hops_, ++hops[rank]);
      stream->share = 0.0;
      streams_.try_emplace({parent, rank}, *stream).first->second.share += part_;
    }
  }

  void add_to_site(Rank rank, const Ways& ways) {
    if (!by_site_) return;
    by_site_->add_way(rank, upwards(direction_, ways.by_wire));
    by_site_->add_way(rank, upwards(direction_, ways.by_processor));
  }

  void add_shape(const TreeShape& shape) {
    to_local_leaf_.clear();
    if (is_star(shape)) {
      add_star(shape);
      return;
    }
    ways_.assign(shape.nodes.size(), {});
    const FirstSends sent = first_sends(shape);
    for (std::size_t round = 0; round + 1 < sent.begin.size(); ++round) {
      add_round(shape, std::span(sent.sends).subspan(sent.begin[round], sent.begin[round + 1] - sent.begin[round]));
    }
    add_ways(shape);
  }

  /// Nobody sends but the root.
  [[nodiscard]] bool is_star(const TreeShape& shape) const {
    const auto senders = std::ranges::count_if(shape.nodes, [](const TreeShape::Node& node) { return node.sends(); });
    return looked_at_ == no_rank && shape.exchange == TreeShape::no_node &&
           senders == (shape.nodes[shape.root].sends() ? 1 : 0);
  }

  /// Each transfer is alone in its round. Of the ranks of a host the one that gets its segments last is the latest, on
  /// the way of all.
  void add_star(const TreeShape& shape) {
    struct Host {
      std::size_t transfer;  ///< its place among all
      PathCost path;
      std::uint32_t latest;  ///< node
      Ways ways;             ///< to it
    };
    std::vector<Host> hosts;
    std::vector<std::uint32_t> number(cluster_.hosts().size(), TreeShape::no_node);
    const TreeShape::Node& root = shape.nodes[shape.root];
    Ways sending;
    for (const TreeShape::Child& child : root.children) {
      if (child.local_leaves > 0) add_local_leaves(sending, shape.root, root.host, child.local_leaves);
      const HostIndex to = shape.nodes[child.node].host;
      if (number[to] == TreeShape::no_node) {
        number[to] = static_cast<std::uint32_t>(hosts.size());
        const std::size_t transfer = transfers_.all().transfers().size();
        transfers_.begin_round();
        transfers_.add(cluster_.hosts()[root.host], cluster_.hosts()[to]);
        transfers_.settle_round();
        hosts.push_back({.transfer = transfer, .path = transfers_.cost_of(0), .latest = child.node, .ways = {}});
      } else {
        transfers_.all().add_again(hosts[number[to]].transfer, 1);
        ++further_hops_;
      }
      Host& host = hosts[number[to]];
      host.latest = child.node;
      host.ways = arrived(sending, host.path, injections_.both(root.host, to));
      add_sends(sending, host.path.first_byte_s, injections_.down(root.host), false);
    }
    if (root.further_leaves > 0) add_local_leaves(sending, shape.root, root.host, root.further_leaves);
    LastWays latest;
    const double injections = direction_ == Direction::up_and_down ? 0.5 : 1.0;
    if (shape.nodes.size() == 1 && root.further_leaves == 0) latest.add(Ways(), injections);
    for (std::uint32_t node = 0; node < shape.nodes.size(); ++node) {
      if (node == shape.root) continue;
      const Host& host = hosts[number[shape.nodes[node].host]];
      if (host.latest != node) continue;
      latest.add(host.ways, injections);
      add_to_site(shape.nodes[node].rank, host.ways);
    }
    for (const auto& [parent, way] : to_local_leaf_) {
      latest.add(way, injections);
      add_to_site(shape.nodes[parent].rank, way);
    }
    add_latest(latest);
  }

  void add_ways(const TreeShape& shape) {
    const bool both_ways = direction_ == Direction::up_and_down;
    const bool has_exchange = shape.exchange != TreeShape::no_node;
    LastWays root;
    LastWays exchange;
    const std::vector<bool> is_beyond = beyond_exchange(shape);
    const double injections = both_ways ? 0.5 : 1.0;
    for (std::uint32_t node = 0; node < shape.nodes.size(); ++node) {
      const Rank rank = shape.nodes[node].rank;
      const bool exchanges = has_exchange && (node == shape.root || node == shape.exchange);
      const bool counts = looked_at_ == no_rank ? !shape.nodes[node].sends() || exchanges : rank == looked_at_;
      if (!counts) continue;
      (is_beyond[node] ? exchange : root).add(ways_[node], injections);
      add_to_site(rank, ways_[node]);
    }
    for (const auto& [parent, ways] : to_local_leaf_) {
      if (looked_at_ != no_rank) break;
      (is_beyond[parent] ? exchange : root).add(ways, injections);
      add_to_site(shape.nodes[parent].rank, ways);
    }
    if (has_exchange) {
      add_exchanged(shape, root, exchange);
    } else {
      add_latest(root);
    }
  }

  /// To its ranks, and from them.
  void add_latest(const LastWays& side) {
    const bool both_ways = direction_ == Direction::up_and_down;
    for (const TreeCosts::Way& way : side.all())
      latest_.push_back(both_ways ? joined(upwards(direction_, way), way) : upwards(direction_, way));
  }

  /// By node: whether it is on the side of the exchange.
  static std::vector<bool> beyond_exchange(const TreeShape& shape) {
    std::vector<bool> is_beyond(shape.nodes.size(), false);
    if (shape.exchange == TreeShape::no_node) return is_beyond;
    std::vector<std::uint32_t> open{shape.exchange};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      is_beyond[node] = true;
      for (const TreeShape::Child& child : shape.nodes[node].children) open.push_back(child.node);
    }
    return is_beyond;
  }

  /// A root's children near by are ahead of what the other root sends, and share the port with it. What one of them
  /// sends is there before that has come a long way; what the others send may keep the port from it.
  void add_crowding(const TreeShape& shape, std::uint32_t root) {
    const HostIndex host = shape.nodes[root].host;
    const auto near = std::ranges::count_if(shape.nodes[root].children, [&](const TreeShape::Child& child) {
      const HostIndex other = shape.nodes[child.node].host;
      return child.node != shape.exchange && other != host && !is_far(paths_, other, host);
    });
    if (near < 2) return;
    const double port_byte_s = paths_.byte_s(cluster_.neighbours(cluster_.hosts()[host]).front().channel ^ 1U);
    crowded_byte_s_ = std::max(crowded_byte_s_, part_ * static_cast<double>(near - 1) * port_byte_s);
  }

  /// Up on one side and down there after the other root was sent what it needs, or over to it and down on its side.
  void add_exchanged(const TreeShape& shape, const LastWays& root, const LastWays& exchange) {
    add_crowding(shape, shape.root);
    add_crowding(shape, shape.exchange);
    const HostIndex from = shape.nodes[shape.root].host;
    const HostIndex to = shape.nodes[shape.exchange].host;
    PathCost path;
    double sent_byte_s = 0.0;
    if (from != to) {
      transfers_.begin_round();
      transfers_.add(cluster_.hosts()[from], cluster_.hosts()[to]);
      transfers_.settle_round();
      sent_byte_s = transfers_.cost_of(0).first_byte_s;
      path = transfers_.cost_of_exchange(0);
    }
    const auto there_and_back = [&](const LastWays& side, double injection_s) {
      for (const Ways& up : side.ways) {
        Ways down = up;
        add_sends(down, sent_byte_s, injection_s, from == to);
        latest_.insert(latest_.end(), {joined(upwards(direction_, up.by_wire), down.by_wire),
                                       joined(upwards(direction_, up.by_processor), down.by_processor)});
      }
    };
    const double root_injection_s = injections_.of(from);
    const double exchange_injection_s = injections_.of(to);
    there_and_back(root, root_injection_s);
    there_and_back(exchange, exchange_injection_s);
    const TreeCosts::Way across = upwards(
        direction_, arrived(TreeCosts::Way(), path, std::max(root_injection_s, exchange_injection_s), from == to));
    // Of sums the longest are those of the longest.
    const std::vector<TreeCosts::Way> down = longest(exchange.all(), hosts_);
    for (const TreeCosts::Way& one : longest(root.all(), hosts_)) {
      for (const TreeCosts::Way& other : down)
        latest_.push_back(joined(joined(upwards(direction_, one), across), other));
    }
  }

  /// Where transfers of one round share a channel they are slower by that. A sender's own are in different rounds.
  void add_round(const TreeShape& shape, std::span<const FirstSend> sends) {
    if (sends.empty()) return;
    transfers_.begin_round();
    for (const auto& [parent, to, local_leaves] : sends) {
      if (to == TreeShape::no_node || shape.nodes[parent].host == shape.nodes[to].host) continue;
      transfers_.add(cluster_.hosts()[shape.nodes[parent].host], cluster_.hosts()[shape.nodes[to].host]);
    }
    transfers_.settle_round();
    std::size_t transfer = 0;
    for (const auto& [parent, to, local_leaves] : sends) {
      Ways& sending = ways_[parent];  // when it is ready to send: after its way, and its sends so far
      const HostIndex from = shape.nodes[parent].host;
      if (local_leaves > 0) add_local_leaves(sending, parent, from, local_leaves);
      if (to == TreeShape::no_node) continue;
      const double injections_s = injections_.both(from, shape.nodes[to].host);
      if (from == shape.nodes[to].host) {
        ways_[to] = arrived_within(sending, injections_s);
        add_sends_within(sending, 1.0, injections_.down(from));
        continue;
      }
      const PathCost path = transfers_.cost_of(transfer++);
      ways_[to] = arrived(sending, path, injections_s);
      add_sends(sending, path.first_byte_s, injections_.down(from), false);
    }
  }

  void add_local_leaves(Ways& sending, std::uint32_t parent, HostIndex host, Rank leaves) {
    add_sends_within(sending, static_cast<double>(leaves - 1), injections_.down(host));
    to_local_leaf_.emplace_back(parent, arrived_within(sending, injections_.both(host, host)));
    add_sends_within(sending, 1.0, injections_.down(host));
  }

  const Cluster& cluster_;
  Direction direction_;
  const HostCosts& hosts_;
  const Placement& placement_;
  double part_;  ///< of the message that each tree carries
  const Paths& paths_;
  Rank looked_at_ = no_rank;  ///< of the ways; no_rank: the last ranks
  Rank further_hops_ = 0;     ///< of these, those that are taken together with others
  Injections injections_;
  TreeTransfers transfers_;  ///< of a segment of every tree
  TreeHandlings handlings_;
  std::vector<Ways> ways_;                                     ///< by node of the tree's shape
  std::vector<std::pair<std::uint32_t, Ways>> to_local_leaf_;  ///< by parent: the last of its leaves in a row
  std::vector<TreeCosts::Way> latest_;
  double crowded_byte_s_ = 0.0;
  std::optional<SiteBranches> by_site_;  ///< of what goes one way over long links
  std::vector<const Tree*> trees_;
  std::map<std::pair<Rank, Rank>, TcpStream> streams_;  ///< by parent and child, where windows are the limit
  std::uint32_t capped_hops_ = 0;
};

}  // namespace

TreeCosts tree_costs(const Paths& paths, const Placement& placement, const Tree& tree, Direction direction,
                     const HostCosts& hosts) {
  return tree_costs(paths, placement, std::span(&tree, 1), direction, hosts);
}

TreeCosts tree_costs(const Paths& paths, const Placement& placement, std::span<const Tree> trees, Direction direction,
                     const HostCosts& hosts) {
  Sum sum(paths, placement, trees.size(), direction, hosts);
  for (const Tree& tree : trees) sum.add(tree);
  return sum.costs();
}

TreeCosts tree_costs(const Paths& paths, const Placement& placement, const HostTrees& trees, Direction direction,
                     const HostCosts& hosts) {
  if (!Sum::can_add(paths, trees)) return tree_costs(paths, placement, over_ranks(trees), direction, hosts);
  Sum sum(paths, placement, trees.trees(), direction, hosts);
  sum.add(trees);
  return sum.costs();
}

TreeCosts tree_costs_to(const Paths& paths, const Placement& placement, const Tree& tree, Rank rank,
                        const HostCosts& hosts) {
  Sum sum(paths, placement, 1, Direction::down, hosts);
  sum.look_at(rank);
  sum.add(tree);
  return sum.costs();
}

}  // namespace trunkline
