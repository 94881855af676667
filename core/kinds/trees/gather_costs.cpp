// SPDX-License-Identifier: Apache-2.0
#include "kinds/trees/gather_costs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "model/transfer/tcp_stream.hpp"
#include "model/transfer/wire.hpp"
#include "network/long_links.hpp"

namespace trunkline {

GatherBound::Way& GatherBound::Way::operator+=(const Way& other) {
  latency_s += other.latency_s;
  byte_s += other.byte_s;
  frame_byte_s += other.frame_byte_s;
  handlings += other.handlings;
  return *this;
}

namespace {

using Way = GatherBound::Way;

constexpr std::uint64_t one_frame_bytes = frame_payload_bytes - mpi_header_bytes;

/// What stands ahead of a piece in its message: whose it is, and which.
constexpr std::uint64_t head_bytes = 8;

Way operator+(Way one, const Way& other) { return one += other; }

/// A message of a size in segments of a size.
struct Shares {
  Shares(std::uint64_t message_bytes, std::uint64_t segment_bytes, const GatherCosts& costs)
      : share_bytes(std::max<std::uint64_t>(pieces_of(message_bytes, static_cast<std::uint64_t>(costs.ranks)), 1)),
        piece_bytes(std::min(share_bytes + head_bytes, std::max(segment_bytes, 2 * head_bytes))),
        pieces(static_cast<double>(pieces_of(share_bytes, piece_bytes - head_bytes))),
        wire(static_cast<double>(wire_bytes(piece_bytes))),
        is_eager(costs.hosts.is_eager(piece_bytes)) {
    const auto before = static_cast<std::uint64_t>(pieces) - 1;
    const std::uint64_t last = share_bytes - before * (piece_bytes - head_bytes) + head_bytes;
    share_wire = (pieces - 1.0) * wire + static_cast<double>(wire_bytes(last));
    window = static_cast<double>(window_of(piece_bytes, costs.in_flight_bytes));
  }

  std::uint64_t share_bytes;
  std::uint64_t piece_bytes;  ///< with their head
  double pieces;              ///< of a share
  double wire;                ///< of a piece
  double share_wire = 0.0;
  double window = 0.0;  ///< pieces
  bool is_eager;
};

double handling_s(const Handlings& handlings, const Shares& shares, const HostCosts& hosts) {
  return handlings.fixed_s(hosts, shares.is_eager) +
         handlings.byte_s(hosts) * static_cast<double>(std::min(shares.piece_bytes, shares.share_bytes + head_bytes));
}

double way_s(const Way& way, const Shares& shares, const HostCosts& hosts) {
  return way.latency_s * hosts.trips(shares.piece_bytes) + way.byte_s * shares.wire +
         way.frame_byte_s * std::min(shares.wire, static_cast<double>(frame_wire_bytes)) +
         handling_s(way.handlings, shares, hosts);
}

double bound_s(const GatherBound& bound, const Shares& shares, const HostCosts& hosts) {
  const double on_links_s = bound.share_byte_s * shares.share_wire;
  const double handled_s = shares.pieces * handling_s(bound.handlings, shares, hosts);
  const double pieces = bound.shares * shares.pieces;
  const double waited_s = pieces > shares.window ? (pieces / shares.window - 1.0) * bound.round_trip_s : 0.0;
  return way_s(bound.way, shares, hosts) + std::max({on_links_s, handled_s, waited_s});
}

/// Times and shares by rank and by site.
class Gathering {
 public:
  /// `usual_wire_bytes`: of the pieces by which it is told which of several ways is the longest.
  Gathering(const Paths& paths, const Placement& placement, const Tree& tree, const HostCosts& hosts,
            const InFlight& in_flight, std::uint64_t usual_wire_bytes)
      : paths_(paths),
        cluster_(paths.cluster()),
        placement_(placement),
        tree_(tree),
        usual_wire_(static_cast<double>(usual_wire_bytes)),
        order_(parents_first(tree)) {
    if (placement.size() != tree.size()) throw std::invalid_argument("the placement is of another number of ranks");
    check_placement(cluster_, placement, tree.root);
    costs_.ranks = static_cast<double>(tree.size());
    costs_.in_flight_bytes = in_flight.bytes;
    costs_.hosts = hosts;
    number_sites();
    count();
    reach();
    find_first();
  }

  GatherCosts costs() {
    std::vector<std::vector<Hop>> hops_of(cluster_.channel_count());
    std::vector<ChannelId> used;
    std::vector<Hop> from;
    for (const Rank rank : order_) {
      from.clear();
      if (rank != tree_.root) from.push_back({rank, tree_.parent[rank], true});
      for (const Rank child : tree_.children[rank]) from.push_back({rank, child, false});
      for (const Hop& hop : from) {
        const bool is_local = placement_[hop.from] == placement_[hop.to];
        (is_local ? costs_.local_transfers : costs_.transfers) += shares_by(hop);
        if (is_local) continue;
        for (const ChannelId channel : cluster_.path(node(hop.from), node(hop.to))) {
          if (hops_of[channel].empty()) used.push_back(channel);
          hops_of[channel].push_back(hop);
        }
        add_window(hop);
      }
      add_processor(rank, from);
    }
    for (const ChannelId channel : used) add_channel(channel, hops_of[channel]);
    keep_largest();
    return std::move(costs_);
  }

 private:
  /// From a rank to a neighbour.
  struct Hop {
    Rank from;
    Rank to;
    bool is_up;
  };

  [[nodiscard]] NodeId node(Rank rank) const { return cluster_.hosts()[placement_[rank]]; }

  /// Of those with ranks alone.
  void number_sites() {
    const Sites sites = sites_of(cluster_);
    std::vector<SiteId> number(sites.count, sites.count);
    for (Rank rank = 0; rank < placement_.size(); ++rank) {
      SiteId& own = number[sites.of_node[node(rank)]];
      if (own == sites.count) own = sites_++;
      site_.push_back(own);
    }
  }

  /// Ranks of each site at a rank and below.
  void count() {
    below_.assign(tree_.size() * sites_, 0);
    for (std::size_t i = order_.size(); i > 0; --i) {
      const Rank rank = order_[i - 1];
      ++below_[rank * sites_ + site_[rank]];
      if (rank == tree_.root) continue;
      for (SiteId site = 0; site < sites_; ++site) {
        below_[tree_.parent[rank] * sites_ + site] += below_[rank * sites_ + site];
      }
    }
  }

  [[nodiscard]] double shares_by(const Hop& hop, SiteId site) const {
    const std::uint32_t below = below_[(hop.is_up ? hop.from : hop.to) * sites_ + site];
    return hop.is_up ? below : below_[tree_.root * sites_ + site] - below;
  }
  [[nodiscard]] double shares_by(const Hop& hop) const {
    double all = 0.0;
    for (SiteId site = 0; site < sites_; ++site) all += shares_by(hop, site);
    return all;
  }

  [[nodiscard]] Way way_of(Rank from, Rank to) const {
    Way way;
    way.handlings.injections_s = cluster_.nodes()[node(from)].injection_s;
    if (placement_[from] == placement_[to]) {
      way.handlings.local_sends = way.handlings.local_receives = 1.0;
      return way;
    }
    const NodeId u = node(from);
    const NodeId v = node(to);
    const NodeId meeting = paths_.meeting(u, v);
    way.latency_s = paths_.latency_s(u, v, meeting);
    way.byte_s = paths_.slowest_byte_s(u, v, meeting);
    way.frame_byte_s = paths_.byte_s(u, v, meeting) - way.byte_s;
    way.handlings.sends = way.handlings.receives = 1.0;
    return way;
  }

  /// By which of several ways a share comes first, or goes farthest.
  [[nodiscard]] double usual_s(const Way& way) const {
    return way.latency_s + (way.byte_s + way.frame_byte_s + way.handlings.byte_s(costs_.hosts)) * usual_wire_ +
           way.handlings.fixed_s(costs_.hosts, true);
  }
  [[nodiscard]] const Way& longer(const Way& one, const Way& other) const {
    return usual_s(one) < usual_s(other) ? other : one;
  }

  /// From each rank by its parent, and from its parent by it, to the farthest rank.
  void reach() {
    up_.resize(tree_.size());
    down_.resize(tree_.size());
    for (std::size_t i = order_.size(); i > 1; --i) {
      const Rank rank = order_[i - 1];
      Way below;
      for (const Rank child : tree_.children[rank]) below = longer(below, down_[child]);
      down_[rank] = way_of(tree_.parent[rank], rank) + below;
    }
    for (const Rank rank : order_) {
      // The longest way from here, and the longest but that one.
      Way first = rank == tree_.root ? Way() : up_[rank];
      Way second;
      Rank by = no_rank;
      for (const Rank child : tree_.children[rank]) {
        if (usual_s(down_[child]) > usual_s(first)) {
          second = std::exchange(first, down_[child]);
          by = child;
        } else {
          second = longer(second, down_[child]);
        }
      }
      for (const Rank child : tree_.children[rank]) {
        up_[child] = way_of(child, rank) + (child == by ? second : first);
      }
    }
  }

  [[nodiscard]] const Way& reach_of(const Hop& hop) const { return hop.is_up ? up_[hop.from] : down_[hop.to]; }

  /// By rank and site: the way by which the first share from there comes.
  void find_first() {
    std::vector<bool> is_known(tree_.size() * sites_, false);
    first_.resize(tree_.size() * sites_);
    const auto offer = [&](Rank from, Rank to) {
      const Way way = way_of(from, to);
      for (SiteId site = 0; site < sites_; ++site) {
        const std::size_t there = from * sites_ + site;
        const std::size_t here = to * sites_ + site;
        if (!is_known[there]) continue;
        const Way by = first_[there] + way;
        if (is_known[here] && usual_s(first_[here]) <= usual_s(by)) continue;
        first_[here] = by;
        is_known[here] = true;
      }
    };
    for (std::size_t i = order_.size(); i > 0; --i) {
      const Rank rank = order_[i - 1];
      first_[rank * sites_ + site_[rank]] = {};
      is_known[rank * sites_ + site_[rank]] = true;
      if (rank != tree_.root) offer(rank, tree_.parent[rank]);
    }
    for (const Rank rank : order_) {
      if (rank != tree_.root) offer(tree_.parent[rank], rank);
    }
  }

  /// What comes from a site by some hops.
  struct Coming {
    Way first{};
    double usual_s = 0.0;
    double shares = 0.0;
    Handlings handlings{};
  };

  /// By falling time of the first share: from each on, whatever comes no sooner.
  template <class Add>
  void from_each_on(std::vector<Coming>& coming, const Add& add) const {
    std::ranges::sort(coming, std::greater(), &Coming::usual_s);
    Coming sum;
    for (const Coming& one : coming) {
      sum.first = one.first;
      sum.shares += one.shares;
      sum.handlings += one.handlings;
      add(sum, one.usual_s);
    }
  }

  /// Of those hops that go farthest, and of all others: of one, two, three, and so on; where they are many, of some.
  template <class Add>
  void each_reach(std::vector<Hop> hops, const Add& add) const {
    constexpr std::size_t most = 16;
    std::ranges::sort(hops, std::greater(), [&](const Hop& hop) { return usual_s(reach_of(hop)); });
    const std::size_t step = (hops.size() + most - 1) / most;
    const auto all = std::span<const Hop>(hops);
    for (std::size_t count = 1; count <= hops.size();) {
      add(all.first(count), all.subspan(count), reach_of(hops[count - 1]));
      count = count < hops.size() ? std::min(count + step, hops.size()) : count + 1;
    }
  }

  [[nodiscard]] std::vector<Coming> coming_by(std::span<const Hop> hops) const {
    std::vector<Coming> coming;
    for (SiteId site = 0; site < sites_; ++site) {
      Coming one;
      for (const Hop& hop : hops) {
        const double shares = shares_by(hop, site);
        if (shares == 0.0) continue;
        const Way& first = first_[hop.from * sites_ + site];
        if (one.shares == 0.0 || usual_s(first) < one.usual_s) {
          one.first = first;
          one.usual_s = usual_s(first);
        }
        one.shares += shares;
        one.handlings += sent(hop, shares);
      }
      if (one.shares > 0.0) coming.push_back(one);
    }
    return coming;
  }

  [[nodiscard]] Handlings sent(const Hop& hop, double shares) const {
    const bool is_local = placement_[hop.from] == placement_[hop.to];
    Handlings handlings;
    (is_local ? handlings.local_sends : handlings.sends) = shares;
    handlings.injections_s = shares * cluster_.nodes()[node(hop.from)].injection_s;
    return handlings;
  }

  /// What goes by a hop, by falling time of the first share: how much comes no sooner than each.
  struct Later {
    double usual_s;
    double shares;
  };
  [[nodiscard]] std::vector<Later> later_by(const Hop& hop) const {
    std::vector<Later> later;
    for (SiteId site = 0; site < sites_; ++site) {
      const double shares = shares_by(hop, site);
      if (shares > 0.0) later.push_back({usual_s(first_[hop.from * sites_ + site]), shares});
    }
    std::ranges::sort(later, std::greater(), &Later::usual_s);
    for (std::size_t i = 1; i < later.size(); ++i) later[i].shares += later[i - 1].shares;
    return later;
  }
  [[nodiscard]] static double no_sooner(const std::vector<Later>& later, double usual_s) {
    const auto end = std::ranges::upper_bound(later, usual_s, std::greater(), &Later::usual_s);
    return end == later.begin() ? 0.0 : std::prev(end)->shares;
  }

  /// Hops share a channel alike: while one is busy each of the others takes as much, if it has so much.
  void add_channel(ChannelId channel, const std::vector<Hop>& hops) {
    each_reach(hops, [&](std::span<const Hop> farthest, std::span<const Hop> others, const Way& reach) {
      std::vector<std::vector<Later>> own;
      std::vector<std::vector<Later>> beside;
      for (const Hop& hop : farthest) own.push_back(later_by(hop));
      for (const Hop& hop : others) beside.push_back(later_by(hop));
      std::vector<Coming> coming = coming_by(farthest);
      from_each_on(coming, [&](const Coming& sum, double since_s) {
        double most = 0.0;
        for (const std::vector<Later>& one : own) most = std::max(most, no_sooner(one, since_s));
        double shares = sum.shares;
        for (const std::vector<Later>& one : beside) shares += std::min(most, no_sooner(one, since_s));
        // What goes by one hop crosses one of the channel's links side by side.
        const double share_byte_s = std::max(shares * paths_.spread_byte_s(channel), most * paths_.byte_s(channel));
        costs_.bounds.push_back({.way = sum.first + reach, .share_byte_s = share_byte_s});
      });
    });
  }

  /// What it sends, and what it gets with all that it sends.
  void add_processor(Rank rank, const std::vector<Hop>& hops) {
    each_reach(hops, [&](std::span<const Hop> farthest, std::span<const Hop> /*others*/, const Way& reach) {
      std::vector<Coming> coming = coming_by(farthest);
      from_each_on(coming, [&](const Coming& sum, double /*since_s*/) {
        costs_.bounds.push_back({.way = sum.first + reach, .handlings = sum.handlings});
      });
    });
    std::vector<Coming> coming = coming_by(hops);
    for (SiteId site = 0; site < sites_; ++site) {
      const Way& first = first_[rank * sites_ + site];
      Coming& one = coming.emplace_back(Coming{.first = first, .usual_s = usual_s(first)});
      for (const Hop& hop : hops) {
        const Hop back{.from = hop.to, .to = hop.from, .is_up = !hop.is_up};
        const bool is_local = placement_[hop.from] == placement_[hop.to];
        (is_local ? one.handlings.local_receives : one.handlings.receives) += shares_by(back, site);
      }
    }
    from_each_on(coming, [&](const Coming& sum, double /*since_s*/) {
      costs_.bounds.push_back({.way = sum.first, .handlings = sum.handlings});
    });
  }

  void add_window(const Hop& hop) {
    const std::optional<TcpStream> capped = capped_stream(paths_, node(hop.from), node(hop.to));
    const bool far = is_far(paths_, placement_[hop.from], placement_[hop.to]);
    if (!capped && !far) return;
    const NodeId u = node(hop.from);
    const NodeId v = node(hop.to);
    const double round_trip_s = 2.0 * paths_.mean_latency_s(u, v, paths_.meeting(u, v));
    std::vector<Coming> coming = coming_by(std::span(&hop, 1));
    from_each_on(coming, [&](const Coming& sum, double /*since_s*/) {
      costs_.bounds.push_back({.way = sum.first + reach_of(hop),
                               .share_byte_s = capped ? sum.shares * capped->byte_s : 0.0,
                               .shares = far ? sum.shares : 0.0,
                               .round_trip_s = round_trip_s});
    });
  }

  /// Of all bounds, those that are the largest for some message of a power of two in some segments.
  void keep_largest() {
    constexpr unsigned longest = 32;
    std::vector<bool> counts(costs_.bounds.size(), false);
    for (unsigned power = 0; power <= longest; ++power) {
      const auto message = static_cast<std::uint64_t>(costs_.ranks) << power;
      for (const std::uint64_t segment : segment_sizes()) {
        const Shares shares(message, segment, costs_);
        const auto largest = std::ranges::max_element(
            costs_.bounds, {}, [&](const GatherBound& bound) { return bound_s(bound, shares, costs_.hosts); });
        if (largest != costs_.bounds.end()) counts[static_cast<std::size_t>(largest - costs_.bounds.begin())] = true;
        if (segment > shares.share_bytes + head_bytes) break;
      }
    }
    std::vector<GatherBound> kept;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i]) kept.push_back(costs_.bounds[i]);
    }
    costs_.bounds = std::move(kept);
  }

  const Paths& paths_;
  const Cluster& cluster_;
  const Placement& placement_;
  const Tree& tree_;
  double usual_wire_;
  std::vector<Rank> order_;
  SiteId sites_ = 0;
  std::vector<SiteId> site_;  ///< by rank
  std::vector<std::uint32_t> below_;
  std::vector<Way> up_;
  std::vector<Way> down_;
  std::vector<Way> first_;
  GatherCosts costs_;
};

}  // namespace

GatherCosts gather_costs(const Paths& paths, const Placement& placement, const Tree& tree, const HostCosts& hosts,
                         const InFlight& in_flight) {
  GatherCosts costs = Gathering(paths, placement, tree, hosts, in_flight, frame_wire_bytes).costs();
  const GatherCosts of_short = Gathering(paths, placement, tree, hosts, in_flight, wire_bytes(head_bytes)).costs();
  costs.bounds.insert(costs.bounds.end(), of_short.bounds.begin(), of_short.bounds.end());
  return costs;
}

double GatherCosts::seconds(std::uint64_t message_bytes, std::uint64_t segment_bytes) const {
  const Shares shares(message_bytes, segment_bytes, *this);
  double most_s =
      hosts.together_s(transfers * shares.pieces, transfers * static_cast<double>(shares.share_bytes),
                       local_transfers * shares.pieces, local_transfers * static_cast<double>(shares.share_bytes));
  for (const GatherBound& bound : bounds) most_s = std::max(most_s, bound_s(bound, shares, hosts));
  return most_s;
}

/// No less than a frame: each piece costs all ranks a message, which busy hosts pay dearly for.
TimedSegment GatherCosts::fastest_segment(std::uint64_t message_bytes, const Cuts& /*cuts*/) const {
  TimedSegment fastest{.segment_bytes = 0, .seconds = 0.0};
  for (const std::uint64_t segment : segment_sizes()) {
    if (segment < one_frame_bytes) continue;
    const double took = seconds(message_bytes, segment);
    if (fastest.segment_bytes == 0 || took < fastest.seconds) fastest = {.segment_bytes = segment, .seconds = took};
    if (segment >= message_bytes) break;  // longer ones cut it no otherwise
  }
  return fastest;
}

std::uint64_t GatherCosts::best_segment(std::uint64_t message_bytes) const {
  return fastest_segment(message_bytes, {}).segment_bytes;
}

}  // namespace trunkline
