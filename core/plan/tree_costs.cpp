// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_costs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/transfer/highest_lines.hpp"
#include "model/transfer/path_loads.hpp"
#include "model/transfer/wire.hpp"
#include "plan/in_flight.hpp"
#include "plan/later_siblings.hpp"
#include "plan/site_branches.hpp"
#include "plan/tree_shape.hpp"

namespace trunkline {

Handlings& Handlings::operator+=(const Handlings& other) {
  sends += other.sends;
  receives += other.receives;
  local_sends += other.local_sends;
  local_receives += other.local_receives;
  combines += other.combines;
  injections_s += other.injections_s;
  return *this;
}

namespace {

/// Those of `all` that stand at the places, each once, in their order.
template <class T>
std::vector<T> at_places(const std::vector<T>& all, std::vector<std::size_t> places) {
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<T> kept;
  kept.reserve(places.size());
  for (const std::size_t place : places) kept.push_back(all[place]);
  return kept;
}

/// Of the hops of both ways, where operands go up and results down: few segments are on their way up at a time.
/// Simulated on 24 and 32 hosts of 1 and 4 ranks at 1 Gbit/s, 64 KiB and 1 MiB (docs/results/hosts.md).
constexpr double meeting_both_ways = 0.25;

constexpr double any_wire_length = std::numeric_limits<double>::infinity();

/// Those that are the longest for some segment. Below a frame all of a segment is its first frame.
std::vector<TreeCosts::Way> longest(const std::vector<TreeCosts::Way>& ways, const HostCosts& hosts) {
  constexpr auto frame = static_cast<double>(frame_wire_bytes);
  std::vector<std::size_t> places;
  const auto keep = [&](bool short_segment, bool eager, double from, double to) {
    if (from >= to) return;
    std::vector<Line> lines;
    lines.reserve(ways.size());
    for (const TreeCosts::Way& way : ways) {
      lines.push_back({way.byte_s(hosts) + (short_segment ? way.per_frame_byte_s : 0.0),
                       way.fixed_s(hosts, eager) + (short_segment ? 0.0 : way.per_frame_byte_s * frame)});
    }
    const std::vector<std::size_t> more = highest_lines(lines, from, to);
    places.insert(places.end(), more.begin(), more.end());
  };
  const bool has_limit = hosts.eager_bytes < segment_sizes().back();
  const double limit = has_limit ? static_cast<double>(wire_bytes(hosts.eager_bytes)) : any_wire_length;
  keep(true, true, 0.0, std::min(frame, limit));
  keep(false, true, frame, limit);
  if (has_limit) {
    keep(true, false, limit, frame);
    keep(false, false, std::max(frame, limit), any_wire_length);
  }
  return at_places(ways, std::move(places));
}

/// Those that are the most for some segment.
std::vector<TreeCosts::Work> most(const std::vector<TreeCosts::Work>& works) {
  std::vector<Line> lines;
  lines.reserve(works.size());
  for (const TreeCosts::Work& work : works) {
    lines.push_back({work.per_byte_s, work.per_ack_byte_s * static_cast<double>(ack_wire_bytes)});
  }
  return at_places(works, highest_lines(lines, 0.0, any_wire_length));
}

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
        data_(paths),
        round_(paths),
        back_(paths) {
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
    handlings_.resize(tree.size());
    for (Rank rank = 0; rank < tree.size(); ++rank) {
      const HostIndex host = placement_[rank];
      const auto local =
          std::ranges::count_if(tree.children[rank], [&](Rank child) { return placement_[child] == host; });
      const bool receives = rank != tree.root;
      add_handlings(handlings_[rank], host,
                    {.sends = tree.children[rank].size() - static_cast<std::size_t>(local),
                     .local_sends = static_cast<std::size_t>(local),
                     .receives = receives,
                     .from_own_host = receives && placement_[tree.parent[rank]] == host});
    }
  }

  /// The same of trees that are not laid over the ranks: see can_add().
  void add(const HostTrees& trees) {
    check_placement(cluster_, placement_, trees.root());
    std::vector<LeadersByRank> leaders;
    for (std::size_t lane = 0; lane < trees.lanes; ++lane) leaders.push_back(leaders_of(trees, lane));
    for (std::size_t tree = 0; tree < trees.over_hosts.size(); ++tree) add_lanes(trees, tree, leaders);
    add_handlings(trees);
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
    const Handlings busiest =
        *std::ranges::max_element(handlings_, {}, [&](const Handlings& one) { return one.fixed_s(hosts_, true); });
    costs.handlings = both_ways ? both(busiest) : upwards(busiest);
    const double times = both_ways ? 2.0 : 1.0;
    costs.local_transfers = times * local_transfers_;
    costs.transfers = times * static_cast<double>(placement_.size() - 1) - costs.local_transfers;
    costs.looks_at_ports = looks_at_ports();
    const double meeting = both_ways && costs.looks_at_ports ? meeting_both_ways : 1.0;
    if (part_ < 1.0) costs.meeting_byte_s = meeting * deepest_byte_s_;
    if (part_ == 1.0 && direction_ != Direction::down && costs.looks_at_ports) costs.flooded_byte_s = port_byte_s_;
    costs.goes_down = direction_ != Direction::up;
    costs.network_hops = static_cast<Rank>(data_.transfers().size()) + further_hops_;
    costs.crowded_byte_s = crowded_byte_s_;
    costs.latest = longest(latest_, hosts_);
    for (const auto& [hop, stream] : streams_) add_slowest(costs.streams, stream);
    costs.capped_hops = (both_ways ? 2.0 : 1.0) * static_cast<double>(capped_hops_);
    data_.settle_loads();
    std::vector<TreeCosts::Work> works;
    for (ChannelId channel = 0; channel < cluster_.channel_count(); ++channel) {
      if (data_.load(channel) + (both_ways ? data_.load(channel ^ 1U) : 0.0) > 0.0) works.push_back(work_of(channel));
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
  /// Of a channel that data cross.
  [[nodiscard]] TreeCosts::Work work_of(ChannelId channel) const {
    const bool both_ways = direction_ == Direction::up_and_down;
    const double other_way = data_.load(channel ^ 1U);
    const double load = data_.load(channel) + (both_ways ? other_way : 0.0);
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
        for (std::size_t at = 0; at < times.size(); ++at) data_.add_again(begin + at, times[at]);
        further_hops_ += further_hops + static_cast<Rank>(times.size());
        continue;
      }
      begin = data_.transfers().size();
      const Rank hops_before = further_hops_;
      add_shape(shape_of(trees, tree, lane));
      further_hops = further_hops_ - hops_before;
      times.clear();
      for (const PathLoads::Transfer& one : data_.transfers().subspan(begin)) times.push_back(one.times);
    }
  }

  /// What a rank does with the segments of one tree.
  struct Does {
    std::size_t sends = 0;  ///< to other hosts
    std::size_t local_sends = 0;
    bool receives = true;
    bool from_own_host = true;
  };

  void add_handlings(Handlings& handlings, HostIndex host, const Does& does) {
    const auto local = static_cast<double>(does.local_sends);
    handlings.sends += part_ * static_cast<double>(does.sends);
    handlings.local_sends += part_ * local;
    local_transfers_ += part_ * local;
    if (does.receives) (does.from_own_host ? handlings.local_receives : handlings.receives) += part_;
    const double ups = direction_ == Direction::down || !does.receives ? 0.0 : 1.0;
    const auto all = static_cast<double>(does.sends + does.local_sends);
    handlings.injections_s += part_ * (all * down_injection_s(host) + ups * injection_s(host));
  }

  /// Of all trees: of who leads each host in a lane, and of the first of the others, who do the same.
  void add_handlings(const HostTrees& trees) {
    std::vector<std::pair<Rank, Handlings>> by_rank;
    const Rank root = trees.root();
    for (Rank number = 0; number < trees.hosts.ranks.size(); ++number) {
      const std::vector<Rank>& own = trees.hosts.ranks[number];
      const HostIndex host = trees.hosts.placement[number];
      // The root is the first of its host's, the others stand in order behind it.
      for (std::size_t at = 0; at < std::min(own.size(), trees.lanes + 1); ++at) {
        Handlings& handlings = by_rank.emplace_back(own[at], Handlings()).second;
        for (std::size_t lane = 0; lane < trees.lanes; ++lane) {
          for (const Tree& tree : trees.over_hosts) {
            add_handlings(handlings, host, does(trees, tree, lane, number, own[at], root));
          }
        }
      }
    }
    std::ranges::sort(by_rank, {}, &std::pair<Rank, Handlings>::first);
    for (const auto& [rank, handlings] : by_rank) handlings_.push_back(handlings);
  }

  static Does does(const HostTrees& trees, const Tree& tree, std::size_t lane, Rank number, Rank rank, Rank root) {
    const bool leads = trees.leader(number, lane) == rank;
    const bool at_home = number == tree.root;
    const bool root_leads = trees.leader(tree.root, lane) == root;
    if (!leads) return {.local_sends = rank == root ? 1U : 0U, .receives = rank != root};
    const std::size_t others = trees.hosts.ranks[number].size() - 1;
    return {.sends = tree.children[number].size(),
            .local_sends = at_home && !root_leads ? others - 1 : others,
            .receives = rank != root,
            .from_own_host = at_home};
  }

  /// To one rank, as if all sends before took as long as they are on the wire, or as their sender's processor needs.
  struct Ways {
    TreeCosts::Way by_wire;
    TreeCosts::Way by_processor;
    TreeCosts::Way for_host;   ///< for others of its host: came by the wire, and only the processor sent before
    double hops_byte_s = 0.0;  ///< of its hops alone
  };

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
    by_site_->add_way(rank, upwards(ways.by_wire));
    by_site_->add_way(rank, upwards(ways.by_processor));
  }

  /// Of those that go there, and back again.
  static Handlings both(const Handlings& there) {
    const double local = there.local_sends + there.local_receives;
    return {.sends = there.sends + there.receives,
            .receives = there.sends + there.receives,
            .local_sends = local,
            .local_receives = local,
            .combines = there.sends + there.local_sends,
            .injections_s = there.injections_s};
  }

  /// The same up: who sends down takes in, and combines what it takes.
  [[nodiscard]] Handlings upwards(Handlings there) const {
    if (direction_ == Direction::down) return there;
    std::swap(there.sends, there.receives);
    std::swap(there.local_sends, there.local_receives);
    there.combines = there.receives + there.local_receives;
    return there;
  }
  [[nodiscard]] TreeCosts::Way upwards(TreeCosts::Way way) const {
    way.handlings = upwards(way.handlings);
    return way;
  }

  /// One after the other.
  static TreeCosts::Way joined(TreeCosts::Way first, const TreeCosts::Way& then) {
    first.per_byte_s += then.per_byte_s;
    first.per_frame_byte_s += then.per_frame_byte_s;
    first.handlings += then.handlings;
    first.latency_s += then.latency_s;
    first.answers_s += then.answers_s;
    return first;
  }

  /// On the sides of root and exchange: to the last ranks there.
  struct Side {
    std::vector<Ways> ways;
    double deepest_byte_s = 0.0;

    /// Of the injections of a hop that is gone both ways half belong to each.
    void add(Ways one, double injections) {
      one.by_wire.handlings.injections_s *= injections;
      one.by_processor.handlings.injections_s *= injections;
      ways.push_back(one);
      deepest_byte_s = std::max(deepest_byte_s, one.hops_byte_s);
    }

    [[nodiscard]] std::vector<TreeCosts::Way> all() const {
      std::vector<TreeCosts::Way> all;
      for (const Ways& one : ways) all.insert(all.end(), {one.by_wire, one.by_processor});
      return all;
    }
  };

  /// What waits at ports, and in which order operands come there, was looked into by simulations of hosts near each
  /// other with processors of their own. On the lab trees up and down took longer than that says.
  [[nodiscard]] bool looks_at_ports() const { return !cluster_.has_sites() && !hosts_.share_processors(); }

  void add_shape(const TreeShape& shape) {
    to_local_leaf_.clear();
    up_.clear();
    up_from_leaf_.clear();
    if (is_star(shape)) {
      note_ports(shape);
      add_star(shape);
      return;
    }
    ways_.assign(shape.nodes.size(), {});
    if (direction_ != Direction::down && shape.exchange == TreeShape::no_node && looks_at_ports()) {
      up_.assign(shape.nodes.size(), {});
      later_ = later_siblings(shape, paths_, hosts_);
    }
    note_ports(shape);
    const ByRound sent = by_round(shape);
    for (std::size_t round = 0; round + 1 < sent.begin.size(); ++round) {
      add_round(shape, std::span(sent.sends).subspan(sent.begin[round], sent.begin[round + 1] - sent.begin[round]));
    }
    add_ways(shape);
  }

  /// Of those who have children in several other hosts, which come up to them.
  void note_ports(const TreeShape& shape) {
    if (direction_ == Direction::down || !looks_at_ports()) return;
    for (const TreeShape::Node& node : shape.nodes) {
      const auto others = std::ranges::count_if(
          node.children, [&](const TreeShape::Child& child) { return shape.nodes[child.node].host != node.host; });
      if (others < 2) continue;
      const ChannelId port = cluster_.neighbours(cluster_.hosts()[node.host]).front().channel ^ 1U;
      port_byte_s_ = std::max(port_byte_s_, paths_.byte_s(port));
    }
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
        const std::size_t transfer = data_.transfers().size();
        clear_round();
        add_transfer(cluster_.hosts()[root.host], cluster_.hosts()[to]);
        settle_round();
        hosts.push_back({.transfer = transfer, .path = cost_of(0), .latest = child.node, .ways = {}});
      } else {
        data_.add_again(hosts[number[to]].transfer, 1);
        ++further_hops_;
      }
      Host& host = hosts[number[to]];
      host.latest = child.node;
      host.ways = arrived(sending, host.path, injections_of(root.host, to));
      sent(sending, host.path.first_byte_s, down_injection_s(root.host), false);
    }
    if (root.further_leaves > 0) add_local_leaves(sending, shape.root, root.host, root.further_leaves);
    Side latest;
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
    Side root;
    Side exchange;
    Side up;
    const std::vector<bool> is_beyond = beyond_exchange(shape);
    const double injections = both_ways ? 0.5 : 1.0;
    for (std::uint32_t node = 0; node < shape.nodes.size(); ++node) {
      const Rank rank = shape.nodes[node].rank;
      const bool exchanges = has_exchange && (node == shape.root || node == shape.exchange);
      const bool counts = looked_at_ == no_rank ? !shape.nodes[node].sends() || exchanges : rank == looked_at_;
      if (!counts) continue;
      (is_beyond[node] ? exchange : root).add(ways_[node], injections);
      if (!up_.empty()) up.add(up_[node], injections);
      add_to_site(rank, up_.empty() ? ways_[node] : up_[node]);
    }
    for (const auto& [parent, ways] : up_from_leaf_) {
      up.add(ways, injections);
      add_to_site(shape.nodes[parent].rank, ways);
    }
    for (const auto& [parent, ways] : to_local_leaf_) {
      if (looked_at_ != no_rank) break;
      (is_beyond[parent] ? exchange : root).add(ways, injections);
      if (up_.empty()) add_to_site(shape.nodes[parent].rank, ways);
    }
    if (has_exchange) {
      add_exchanged(shape, root, exchange);
      return;
    }
    if (up_.empty()) {
      add_latest(root);
    } else {
      add_up(up, root);
    }
  }

  /// Up from its ranks, and then down to them: the first sum starts down once it has come up from all.
  void add_up(const Side& up, const Side& down) {
    deepest_byte_s_ = std::max(deepest_byte_s_, (direction_ == Direction::up ? 1.0 : 2.0) * down.deepest_byte_s);
    std::vector<TreeCosts::Way> ways = up.all();
    for (TreeCosts::Way& way : ways) way = upwards(way);
    if (direction_ == Direction::up) {
      latest_.insert(latest_.end(), ways.begin(), ways.end());
      return;
    }
    const std::vector<TreeCosts::Way> last_down = longest(down.all(), hosts_);
    for (const TreeCosts::Way& one : longest(ways, hosts_)) {
      for (const TreeCosts::Way& other : last_down) latest_.push_back(joined(one, other));
    }
  }

  /// To its ranks, and from them.
  void add_latest(const Side& side) {
    const bool both_ways = direction_ == Direction::up_and_down;
    for (const TreeCosts::Way& way : side.all())
      latest_.push_back(both_ways ? joined(upwards(way), way) : upwards(way));
    deepest_byte_s_ = std::max(deepest_byte_s_, (both_ways ? 2.0 : 1.0) * side.deepest_byte_s);
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
  void add_exchanged(const TreeShape& shape, const Side& root, const Side& exchange) {
    add_crowding(shape, shape.root);
    add_crowding(shape, shape.exchange);
    const HostIndex from = shape.nodes[shape.root].host;
    const HostIndex to = shape.nodes[shape.exchange].host;
    PathCost path;
    double sent_byte_s = 0.0;
    if (from != to) {
      clear_round();
      add_transfer(cluster_.hosts()[from], cluster_.hosts()[to]);
      settle_round();
      sent_byte_s = cost_of(0).first_byte_s;
      path = slower(round_.cost(round_.transfers().front()), paths_.any_back() ? backwards(0) : PathCost());
    }
    const auto there_and_back = [&](const Side& side, double injection_s) {
      for (const Ways& up : side.ways) {
        Ways down = up;
        sent(down, sent_byte_s, injection_s, from == to);
        latest_.insert(latest_.end(), {joined(upwards(up.by_wire), down.by_wire),
                                       joined(upwards(up.by_processor), down.by_processor)});
      }
    };
    const double root_injection_s = injection_s(from);
    const double exchange_injection_s = injection_s(to);
    there_and_back(root, root_injection_s);
    there_and_back(exchange, exchange_injection_s);
    const TreeCosts::Way across =
        upwards(arrived(TreeCosts::Way(), path, std::max(root_injection_s, exchange_injection_s), from == to));
    // Of sums the longest are those of the longest.
    const std::vector<TreeCosts::Way> down = longest(exchange.all(), hosts_);
    for (const TreeCosts::Way& one : longest(root.all(), hosts_)) {
      for (const TreeCosts::Way& other : down) latest_.push_back(joined(joined(upwards(one), across), other));
    }
    deepest_byte_s_ = std::max({deepest_byte_s_, 2.0 * root.deepest_byte_s, 2.0 * exchange.deepest_byte_s,
                                root.deepest_byte_s + path.slowest_byte_s + exchange.deepest_byte_s});
  }

  /// A segment that its host sent, and that came by this path; within a host, by its memory.
  static TreeCosts::Way arrived(TreeCosts::Way way, const PathCost& path, double injections_s, bool is_local) {
    way.handlings.injections_s += injections_s;
    (is_local ? way.handlings.local_sends : way.handlings.sends) += 1.0;
    (is_local ? way.handlings.local_receives : way.handlings.receives) += 1.0;
    way.per_byte_s += path.slowest_byte_s;
    way.per_frame_byte_s += std::max(0.0, path.byte_s - path.slowest_byte_s);
    way.latency_s += path.latency_s;
    way.answers_s += path.answer_s;
    return way;
  }

  /// To a node; or, where that is no_node, to nobody else. Right before it so many local leaves get theirs: of those of
  /// one parent the last one is the latest, and all of them are taken together.
  struct Sent {
    std::uint32_t parent = TreeShape::no_node;
    std::uint32_t to = TreeShape::no_node;
    Rank local_leaves = 0;
  };
  struct ByRound {
    std::vector<Sent> sends{};
    std::vector<std::size_t> begin{0};  ///< of each round, and the end
  };

  /// Who gets the first segment in which round, if every send takes one. A root that exchanges has it as the other
  /// does.
  static ByRound by_round(const TreeShape& shape) {
    std::vector<std::uint32_t> round(shape.nodes.size(), 0);
    ByRound sent;
    std::vector<std::pair<std::uint32_t, Sent>> all;  // with its round, from 1 on
    for (const std::uint32_t parent : parents_first(shape)) {
      const TreeShape::Node& node = shape.nodes[parent];
      std::uint32_t next = round[parent];
      Rank local_leaves = 0;
      for (const TreeShape::Child& child : node.children) {
        next += child.local_leaves;
        local_leaves += child.local_leaves;
        if (child.node == shape.exchange) continue;
        round[child.node] = ++next;
        all.emplace_back(next,
                         Sent{.parent = parent, .to = child.node, .local_leaves = std::exchange(local_leaves, 0)});
      }
      local_leaves += node.further_leaves;
      next += node.further_leaves;
      if (local_leaves > 0) all.emplace_back(next + 1, Sent{.parent = parent, .local_leaves = local_leaves});
    }
    for (const auto& [in_round, one] : all) {
      if (sent.begin.size() <= in_round) sent.begin.resize(in_round + 1, 0);
      ++sent.begin[in_round];
    }
    std::partial_sum(sent.begin.begin(), sent.begin.end(), sent.begin.begin());
    std::vector<std::size_t> place(sent.begin.begin(), sent.begin.end() - 1);
    sent.sends.resize(all.size());
    for (const auto& [in_round, one] : all) sent.sends[place[in_round - 1]++] = one;
    return sent;
  }

  /// Where transfers of one round share a channel they are slower by that. A sender's own are in different rounds.
  void add_round(const TreeShape& shape, std::span<const Sent> sends) {
    if (sends.empty()) return;
    clear_round();
    for (const auto& [parent, to, local_leaves] : sends) {
      if (to == TreeShape::no_node || shape.nodes[parent].host == shape.nodes[to].host) continue;
      add_transfer(cluster_.hosts()[shape.nodes[parent].host], cluster_.hosts()[shape.nodes[to].host]);
    }
    settle_round();
    std::size_t transfer = 0;
    for (const auto& [parent, to, local_leaves] : sends) {
      Ways& sending = ways_[parent];  // when it is ready to send: after its way, and its sends so far
      const HostIndex from = shape.nodes[parent].host;
      if (local_leaves > 0) add_local_leaves(sending, parent, from, local_leaves);
      if (to == TreeShape::no_node) continue;
      const double injections_s = injections_of(from, shape.nodes[to].host);
      if (from == shape.nodes[to].host) {
        ways_[to] = arrived_within(sending, injections_s);
        if (!up_.empty()) up_[to] = arrived_within(up_[parent], injections_s);
        sent_within(sending, 1.0, down_injection_s(from));
        continue;
      }
      const PathCost path = cost_of(transfer++);
      ways_[to] = arrived(sending, path, injections_s);
      sent(sending, path.first_byte_s, down_injection_s(from), false);
      if (up_.empty()) continue;
      Ways before_later = up_[parent];
      sent(before_later, path.first_byte_s, down_injection_s(from), false, static_cast<double>(later_[to]));
      up_[to] = arrived(before_later, path, injections_s);
    }
  }

  void clear_round() {
    round_.clear();
    back_.clear();
  }

  /// From a parent to its child; what goes up goes the other way.
  void add_transfer(NodeId parent, NodeId child) {
    round_.add(parent, child, 1.0);
    if (paths_.any_back()) back_.add(child, parent, 1.0);
    const bool goes_back = paths_.any_back() && direction_ == Direction::up;
    data_.add((goes_back ? back_ : round_).transfers().back());
  }

  void settle_round() {
    round_.settle();
    if (paths_.any_back()) back_.settle();
  }

  /// Of a transfer of the round, as its data go. What goes up and down takes twice the mean of both.
  [[nodiscard]] PathCost cost_of(std::size_t transfer) const {
    const bool goes_up = paths_.any_back() && direction_ != Direction::down;
    if (!goes_up) return round_.cost(round_.transfers()[transfer]);
    const PathCost up = backwards(transfer);
    if (direction_ == Direction::up) return up;
    const PathCost down = round_.cost(round_.transfers()[transfer]);
    return {.slowest_byte_s = std::midpoint(up.slowest_byte_s, down.slowest_byte_s),
            .byte_s = std::midpoint(up.byte_s, down.byte_s),
            .first_byte_s = std::midpoint(up.first_byte_s, down.first_byte_s),
            .latency_s = std::midpoint(up.latency_s, down.latency_s),
            .answer_s = std::midpoint(up.answer_s, down.answer_s)};
  }

  /// From the child to its parent, at whose port transfers come one after another.
  [[nodiscard]] PathCost backwards(std::size_t transfer) const {
    PathCost up = back_.cost(back_.transfers()[transfer]);
    up.first_byte_s = back_.last_byte_s(back_.transfers()[transfer]);
    return up;
  }

  /// Both at once.
  static PathCost slower(const PathCost& one, const PathCost& other) {
    return {.slowest_byte_s = std::max(one.slowest_byte_s, other.slowest_byte_s),
            .byte_s = std::max(one.byte_s, other.byte_s),
            .first_byte_s = std::max(one.first_byte_s, other.first_byte_s),
            .latency_s = std::max(one.latency_s, other.latency_s),
            .answer_s = std::max(one.answer_s, other.answer_s)};
  }

  void add_local_leaves(Ways& sending, std::uint32_t parent, HostIndex host, Rank leaves) {
    if (!up_.empty()) {
      Ways up = up_[parent];
      sent_within(up, static_cast<double>(leaves - 1), down_injection_s(host));
      up_from_leaf_.emplace_back(parent, arrived_within(up, injections_of(host, host)));
    }
    sent_within(sending, static_cast<double>(leaves - 1), down_injection_s(host));
    to_local_leaf_.emplace_back(parent, arrived_within(sending, injections_of(host, host)));
    sent_within(sending, 1.0, down_injection_s(host));
  }

  [[nodiscard]] double injection_s(HostIndex host) const {
    return cluster_.nodes()[cluster_.hosts()[host]].injection_s;
  }

  /// Of a rank there that sends to one of its children.
  [[nodiscard]] double down_injection_s(HostIndex parent) const {
    return direction_ == Direction::up ? 0.0 : injection_s(parent);
  }

  /// Of a transfer, each way that it goes.
  [[nodiscard]] double injections_of(HostIndex parent, HostIndex child) const {
    return down_injection_s(parent) + (direction_ == Direction::down ? 0.0 : injection_s(child));
  }

  static Ways arrived(const Ways& sending, const PathCost& path, double injections_s) {
    const TreeCosts::Way by_wire = arrived(sending.by_wire, path, injections_s, false);
    return {.by_wire = by_wire,
            .by_processor = arrived(sending.by_processor, path, injections_s, false),
            .for_host = by_wire,
            .hops_byte_s = sending.hops_byte_s + path.slowest_byte_s};
  }

  /// From another rank of the host.
  static Ways arrived_within(const Ways& sending, double injections_s) {
    const TreeCosts::Way by_wire = arrived(sending.for_host, PathCost(), injections_s, true);
    return {.by_wire = by_wire,
            .by_processor = arrived(sending.by_processor, PathCost(), injections_s, true),
            .for_host = by_wire,
            .hops_byte_s = sending.hops_byte_s};
  }

  static void sent(Ways& sending, double byte_s, double injections_s, bool is_local, double times = 1.0) {
    sending.by_wire.per_byte_s += times * byte_s;
    for (TreeCosts::Way* const way : {&sending.by_processor, &sending.for_host}) {
      (is_local ? way->handlings.local_sends : way->handlings.sends) += times;
      way->handlings.injections_s += times * injections_s;
    }
  }

  static void sent_within(Ways& sending, double times, double injections_s) {
    for (TreeCosts::Way* const way : {&sending.by_processor, &sending.for_host}) {
      way->handlings.local_sends += times;
      way->handlings.injections_s += times * injections_s;
    }
  }

  const Cluster& cluster_;
  Direction direction_;
  const HostCosts& hosts_;
  const Placement& placement_;
  double part_;  ///< of the message that each tree carries
  const Paths& paths_;
  Rank looked_at_ = no_rank;  ///< of the ways; no_rank: the last ranks
  PathLoads data_;            ///< transfers of a segment of every tree
  Rank further_hops_ = 0;     ///< of these, those that are taken together with others
  PathLoads round_;           ///< of one round
  PathLoads back_;            ///< the same the other way; none where links are alike both ways
  std::vector<Ways> ways_;    ///< by node of the tree's shape
  std::vector<Ways> up_;      ///< the same of what goes up, where children's order is that in which they come; or none
  std::vector<std::pair<std::uint32_t, Ways>> up_from_leaf_;   ///< by parent: of local leaves, likewise
  std::vector<Rank> later_;                                    ///< by node: see later_siblings()
  std::vector<std::pair<std::uint32_t, Ways>> to_local_leaf_;  ///< by parent: the last of its leaves in a row
  std::vector<TreeCosts::Way> latest_;
  double deepest_byte_s_ = 0.0;
  double crowded_byte_s_ = 0.0;
  double port_byte_s_ = 0.0;             ///< the slowest that takes in from several others, going up
  std::optional<SiteBranches> by_site_;  ///< of what goes one way over long links
  std::vector<const Tree*> trees_;
  std::map<std::pair<Rank, Rank>, TcpStream> streams_;  ///< by parent and child, where windows are the limit
  std::uint32_t capped_hops_ = 0;
  std::vector<Handlings> handlings_;  ///< of a segment, by rank; of ranks of a host that do the same perhaps of one
  double local_transfers_ = 0.0;      ///< of a segment, within hosts
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
