// SPDX-License-Identifier: Apache-2.0
// The graph of hosts, switches and links that every plan is laid over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "network/impair/impairments.hpp"

namespace trunkline {

using NodeId = std::uint32_t;     ///< index into Cluster::nodes()
using LinkId = std::uint32_t;     ///< index into Cluster::links()
using ChannelId = std::uint32_t;  ///< one direction of a link: 2 * link, plus 1 for b -> a
using HostIndex = std::uint32_t;  ///< hosts are numbered 0, 1, ... in the order of the cluster file

enum class NodeKind : std::uint8_t { host, network_switch };

struct Node {
  std::string name;
  NodeKind kind = NodeKind::host;
  std::vector<std::string> aliases{};  ///< further names under which a processor may know itself
  SwitchSettings settings{};           ///< of a switch; for the lab alone, but its queue: fingerprints leave them out
  double injection_s = 0.0;  ///< of a host: time that each message it sends keeps it busy, besides what its rate and
                             ///< its MPI library take; no switch has any
  std::uint64_t tcp_window_bytes = 0;  ///< of a host: the most that one of its TCP streams has under way; 0: enough
};

/// What one direction of a link offers.
struct OneWay {
  double rate_bps = 0.0;   ///< bits per second; of one link where there are several
  double latency_s = 0.0;  ///< seconds, besides serialization

  bool operator==(const OneWay&) const = default;
};

struct Link {
  NodeId a = 0;
  NodeId b = 0;
  double rate_bps = 0.0;         ///< bits per second, from a to b; of one link where there are several
  double latency_s = 0.0;        ///< seconds, from a to b, besides serialization
  std::uint32_t width = 1;       ///< equal links side by side, of which a flow crosses one
  bool in_tree = true;           ///< false: redundant, left unused by the spanning tree
  Impairments impairments{};     ///< for the lab alone: fingerprints leave them out
  std::optional<OneWay> back{};  ///< from b to a, where that is something else

  /// Of one of its channels.
  [[nodiscard]] OneWay way(ChannelId channel) const {
    return channel % 2 != 0 && back ? *back : OneWay{rate_bps, latency_s};
  }
  /// Of the slower direction.
  [[nodiscard]] double least_bps() const { return back ? std::min(rate_bps, back->rate_bps) : rate_bps; }
  /// Of the faster direction.
  [[nodiscard]] double most_bps() const { return back ? std::max(rate_bps, back->rate_bps) : rate_bps; }
  /// The same seen from its other end.
  [[nodiscard]] Link turned() const {
    Link other = *this;
    std::swap(other.a, other.b);
    if (!back) return other;
    other.back = way(0);
    other.rate_bps = back->rate_bps;
    other.latency_s = back->latency_s;
    return other;
  }
  /// Gives both directions other rates, in proportion.
  void scale_rates(double factor) {
    rate_bps *= factor;
    if (back) back->rate_bps *= factor;
  }
  /// Makes the mean of both directions this; what differs between them stays, as far as none is below zero.
  void set_mean_latency(double seconds) {
    const double more = back ? std::clamp((latency_s - back->latency_s) / 2.0, -seconds, seconds) : 0.0;
    latency_s = seconds + more;
    if (back) back->latency_s = seconds - more;
  }
  /// The mean of both directions: half of what there and back take.
  [[nodiscard]] double mean_latency_s() const { return back ? (latency_s + back->latency_s) / 2.0 : latency_s; }
};

/// What the network's switches use where several paths lead from one to another.
enum class UsedPaths : std::uint8_t {
  spanning_tree,  ///< one
  equal_cost,     ///< all of the shortest (ECMP, SPB, MLAG), which a hash of the two hosts chooses among
  shortest        ///< of each two switches that of least latency, as routers do: links beside the tree carry messages
};

/// Switches that stand for each other on equal-cost paths, and are one node of the cluster.
struct MergedSwitches {
  std::string name;
  std::vector<std::string> switches;
};

class Routes;  // network/routes.hpp

/// A file of tables of `trunkline measure` that a cluster file names, and where it does.
struct NamedTables {
  std::string path;  ///< as it can be opened: relative ones are relative to the cluster file
  std::string file;  ///< the cluster file, for messages
  std::size_t line = 0;
  std::size_t column = 0;
};

/// A connected, checked cluster with its spanning tree. Immutable once made; cheap to query.
class Cluster {
 public:
  /// What a reader or a generator fills in; the constructor checks that it is one connected network.
  struct Parts {
    std::string name;
    std::string description;
    std::vector<Node> nodes;
    std::vector<Link> links;  ///< `in_tree` is computed, whatever is given
    UsedPaths paths = UsedPaths::spanning_tree;
    std::optional<NamedTables> measured{};  ///< no part of the network: fingerprints leave it out
  };

  /// Merges what equal-cost paths make one (network/bundles.hpp), then computes the spanning tree: highest rate of one
  /// link in its slower direction first, then width, then lowest latency there and back, then order of the links; where
  /// paths are the shortest, long links (network/long_links.hpp) after all others. A
  /// `back` that says the same as the way there is left out. Throws std::invalid_argument where a host
  /// has not exactly one link, a rate or a width is not positive, two nodes share a name, the network is in several
  /// pieces, or has too many switches for shortest paths.
  explicit Cluster(Parts parts);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  [[nodiscard]] std::span<const Node> nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::span<const Link> links() const noexcept { return links_; }
  /// Switches that equal-cost paths made one.
  [[nodiscard]] std::span<const MergedSwitches> merged() const noexcept { return merged_; }
  /// Tables that the cluster file names. They may not be there (model/measured/measurement.hpp).
  [[nodiscard]] const std::optional<NamedTables>& measured() const noexcept { return measured_; }
  /// What the cluster was made of, before anything was merged.
  [[nodiscard]] Parts stated() const;
  /// Node of each host, in host order.
  [[nodiscard]] std::span<const NodeId> hosts() const noexcept { return hosts_; }
  [[nodiscard]] std::size_t channel_count() const noexcept { return 2 * links_.size(); }

  /// The link of a host, from it to its switch.
  [[nodiscard]] Link own_link(HostIndex host) const;

  /// The switch a host hangs on.
  [[nodiscard]] NodeId switch_of(HostIndex host) const { return tree_parent_switch_.at(host); }

  /// Tree neighbours of a node with the channel that leads there, in link order.
  struct Hop {
    NodeId to;
    ChannelId channel;
  };
  [[nodiscard]] std::span<const Hop> neighbours(NodeId node) const;

  /// Channels from u to v along the spanning tree, or by its routes, in travel order; empty where u == v.
  [[nodiscard]] std::vector<ChannelId> path(NodeId u, NodeId v) const;

  /// The ways between nodes where they are not those of the spanning tree; null: they are.
  [[nodiscard]] const Routes* routes() const noexcept { return routes_.get(); }

  /// Towards node 0, at which the spanning tree is rooted for walks; node 0 is its own parent.
  [[nodiscard]] NodeId parent_of(NodeId node) const { return parent_.at(node); }
  /// The channel from a node to its parent; the way back is `^ 1`. Meaningless for node 0.
  [[nodiscard]] ChannelId channel_to_parent(NodeId node) const { return parent_channel_.at(node); }
  /// Links between a node and node 0.
  [[nodiscard]] std::uint32_t depth_of(NodeId node) const { return depth_.at(node); }

  /// The host a processor name stands for: exact name or alias first, then in any case, then both without their domain.
  /// Empty where there is none, or where the short form fits several hosts.
  [[nodiscard]] std::optional<HostIndex> find_host(std::string_view processor_name) const;

  [[nodiscard]] const Link& link_of(ChannelId channel) const { return links_[channel / 2]; }
  /// Rate and latency of a channel.
  [[nodiscard]] OneWay way(ChannelId channel) const { return link_of(channel).way(channel); }
  [[nodiscard]] NodeId channel_from(ChannelId channel) const;
  [[nodiscard]] NodeId channel_to(ChannelId channel) const;
  /// "s0->s1", for messages and reports.
  [[nodiscard]] std::string channel_name(ChannelId channel) const;

  /// Whether long links (network/long_links.hpp) divide it into sites.
  [[nodiscard]] bool has_sites() const noexcept { return has_sites_; }

  /// Whether messages cross a link: it is in the spanning tree, or on a way between hosts by the routes.
  [[nodiscard]] bool is_used(LinkId link) const;
  /// Links that no message crosses.
  [[nodiscard]] std::vector<LinkId> unused_links() const;

  /// Equal for equal networks (names, order of hosts, links, rates, widths, latencies), on every machine and version.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

 private:
  void index_hops();
  void root_tree();
  void index_hosts();

  std::string name_;
  std::string description_;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  UsedPaths paths_ = UsedPaths::spanning_tree;
  std::optional<NamedTables> measured_;
  std::vector<MergedSwitches> merged_;
  std::shared_ptr<const Parts> stated_;   ///< null where nothing was merged
  std::shared_ptr<const Routes> routes_;  ///< null where all paths are those of the spanning tree
  std::vector<NodeId> hosts_;
  std::vector<NodeId> tree_parent_switch_;
  std::vector<std::size_t> hop_begin_;  ///< compressed rows over hops_
  std::vector<Hop> hops_;
  std::vector<NodeId> parent_;             ///< towards node 0 of the rooted spanning tree
  std::vector<ChannelId> parent_channel_;  ///< channel from node to its parent
  std::vector<std::uint32_t> depth_;
  std::unordered_map<std::string, HostIndex> by_name_;
  std::unordered_map<std::string, std::optional<HostIndex>> by_small_name_;  ///< in small letters; empty: of several
  std::unordered_map<std::string, std::optional<HostIndex>> by_short_name_;  ///< and without domain
  bool has_sites_ = false;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace trunkline
