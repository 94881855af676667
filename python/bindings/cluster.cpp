// SPDX-License-Identifier: Apache-2.0
#include "network/cluster.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"
#include "network/file/cluster_file.hpp"
#include "network/file/impaired.hpp"
#include "network/file/lab_script.hpp"
#include "network/file/link_change.hpp"
#include "network/fingerprint.hpp"
#include "network/link_taken.hpp"
#include "network/long_links.hpp"
#include "network/pair_rounds.hpp"
#include "network/with_speeds.hpp"
#include "text/hostlist.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trunkline::python {

namespace {

/// A link with the names of its ends, since Python has no use for node numbers.
struct NamedLink {
  std::string a;
  std::string b;
  double rate_bps;
  double latency_s;
  double back_rate_bps;
  double back_latency_s;
  std::uint32_t width;
  bool in_tree;
  bool used;
};

NamedLink named(const Cluster& cluster, LinkId id) {
  const Link& link = cluster.links()[id];
  return {cluster.nodes()[link.a].name, cluster.nodes()[link.b].name, link.rate_bps, link.latency_s,
          link.way(1).rate_bps,         link.way(1).latency_s,        link.width,    link.in_tree,
          cluster.is_used(id)};
}

std::vector<NamedLink> named_links(const Cluster& cluster) {
  std::vector<NamedLink> all;
  for (LinkId id = 0; id < cluster.links().size(); ++id) {
    all.push_back(named(cluster, id));
  }
  return all;
}

std::vector<std::string> names(const Cluster& cluster, NodeKind kind) {
  std::vector<std::string> all;
  for (const Node& node : cluster.nodes()) {
    if (node.kind == kind) {
      all.push_back(node.name);
    }
  }
  return all;
}

NodeId node_called(const Cluster& cluster, std::string_view name) {
  const auto nodes = cluster.nodes();
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.name == name; });
  if (found == nodes.end()) {
    throw nb::key_error(std::string(name).c_str());
  }
  return static_cast<NodeId>(found - nodes.begin());
}

const Node& host_node(const Cluster& cluster, HostIndex host) {
  if (host >= cluster.hosts().size()) {
    throw nb::index_error("no such host");
  }
  return cluster.nodes()[cluster.hosts()[host]];
}

ChannelId checked(const Cluster& cluster, ChannelId channel) {
  if (channel >= cluster.channel_count()) {
    throw nb::index_error("no such channel");
  }
  return channel;
}

void bind_named_link(nb::module_& module) {
  nb::class_<NamedLink>(module, "Link", "A link between two nodes.")
      .def_ro("a", &NamedLink::a)
      .def_ro("b", &NamedLink::b)
      .def_ro("rate_bps", &NamedLink::rate_bps, "Bits per second from a to b; of one link where there are several.")
      .def_ro("latency_s", &NamedLink::latency_s, "Seconds from a to b, besides serialization.")
      .def_ro("back_rate_bps", &NamedLink::back_rate_bps, "Bits per second from b to a.")
      .def_ro("back_latency_s", &NamedLink::back_latency_s, "Seconds from b to a.")
      .def_prop_ro(
          "least_bps", [](const NamedLink& link) { return std::min(link.rate_bps, link.back_rate_bps); },
          "Of the slower direction.")
      .def_prop_ro(
          "most_bps", [](const NamedLink& link) { return std::max(link.rate_bps, link.back_rate_bps); },
          "Of the faster direction.")
      .def_prop_ro(
          "mean_latency_s", [](const NamedLink& link) { return (link.latency_s + link.back_latency_s) / 2.0; },
          "Half of what there and back take.")
      .def_ro("width", &NamedLink::width, "Equal links side by side, of which a flow crosses one.")
      .def_ro("in_tree", &NamedLink::in_tree, "False: left out by the spanning tree.")
      .def_ro("used", &NamedLink::used, "Whether messages cross it: in the spanning tree, or on a shortest path.")
      .def("__repr__", [](const NamedLink& link) { return "<Link " + link.a + " - " + link.b + ">"; });
}

void bind_changes(nb::module_& module) {
  nb::class_<LinkChange>(module, "LinkChange", "What changes of links while their network runs.")
      .def_prop_ro("text", &LinkChange::text, "As words: ``s0-s1 rate=1Mbit``.")
      .def_prop_ro("impairs", &LinkChange::impairs, "Whether frames are harmed or held up each by itself then.")
      .def_ro("channels", &LinkChange::channels, "That change, in order, each once.");
  nb::class_<LabStep>(module, "LabStep", "Changes of a lab's script that are made at once.")
      .def_ro("at_s", &LabStep::at_s, "Seconds since the program started.")
      .def_ro("changes", &LabStep::changes)
      .def_prop_ro("text", &LabStep::text, "Its changes as words, with a ``;`` between.");
  module.def(
      "parse_link_change",
      [](const Cluster& cluster, const std::vector<std::string>& words) { return parse_link_change(cluster, words); },
      "cluster"_a, "words"_a,
      "Places, KEY=VALUE, ``down`` and ``up`` as one change. Raises ValueError with what would be right.");
  module.def("parse_link_changes", &parse_link_changes, "cluster"_a, "line"_a,
             "The same in one line, with a ``;`` between changes.");
  module.def("parse_lab_script", &parse_lab_script, "yaml"_a, "file"_a, "cluster"_a,
             "Steps of a lab's script; ``file`` is for messages. Raises FaultyFile.");
  module.def("read_lab_script", &read_lab_script, "path"_a, "cluster"_a, "Read a script of a lab. Raises FaultyFile.");
}

void bind_merged_switches(nb::module_& module) {
  nb::class_<MergedSwitches>(module, "MergedSwitches", "Switches that stand for each other on equal-cost paths.")
      .def_ro("name", &MergedSwitches::name, "Of the one switch that they are in the cluster.")
      .def_ro("switches", &MergedSwitches::switches, "Their own names.")
      .def("__repr__", [](const MergedSwitches& merged) { return "<MergedSwitches " + merged.name + ">"; });
}

}  // namespace

void bind_cluster(nb::module_& module) {
  bind_named_link(module);
  bind_merged_switches(module);
  bind_changes(module);
  nb::class_<Cluster>(module, "Cluster", "A connected, checked network with its spanning tree. Immutable.")
      .def_prop_ro("name", &Cluster::name)
      .def_prop_ro("description", &Cluster::description)
      .def_prop_ro(
          "hosts", [](const Cluster& cluster) { return names(cluster, NodeKind::host); },
          "Names, in the order of the file; a host's index is its place here.")
      .def_prop_ro("switches", [](const Cluster& cluster) { return names(cluster, NodeKind::network_switch); })
      .def_prop_ro("links", &named_links,
                   "All links; channel ``2 * i`` runs from a to b of link i, ``2 * i + 1`` back.")
      .def_prop_ro(
          "unused_links",
          [](const Cluster& cluster) {
            std::vector<NamedLink> unused;
            for (const LinkId link : cluster.unused_links()) {
              unused.push_back(named(cluster, link));
            }
            return unused;
          },
          "Links that no message crosses.")
      .def_prop_ro(
          "merged",
          [](const Cluster& cluster) {
            return std::vector<MergedSwitches>(cluster.merged().begin(), cluster.merged().end());
          },
          "Switches that equal-cost paths made one.")
      .def_prop_ro("fingerprint", &Cluster::fingerprint, "Equal for equal networks, on every machine and version.")
      .def_prop_ro(
          "is_routed", [](const Cluster& cluster) { return cluster.routes() != nullptr; },
          "Whether paths are the shortest, and not those of the spanning tree.")
      .def_prop_ro("has_sites", &Cluster::has_sites, "Whether long links divide it into sites.")
      .def_prop_ro("topology_fingerprint", &topology_fingerprint,
                   "The same without times and rates: of what plans are laid over.")
      .def_prop_ro("channel_count", &Cluster::channel_count)
      .def(
          "switch_of",
          [](const Cluster& cluster, HostIndex host) {
            host_node(cluster, host);
            return cluster.nodes()[cluster.switch_of(host)].name;
          },
          "host"_a, "Name of the switch that the host of this index hangs on.")
      .def(
          "aliases", [](const Cluster& cluster, HostIndex host) { return host_node(cluster, host).aliases; }, "host"_a)
      .def(
          "injection_s", [](const Cluster& cluster, HostIndex host) { return host_node(cluster, host).injection_s; },
          "host"_a, "Seconds for which each message that it sends keeps a host busy, besides its rate and its library.")
      .def(
          "tcp_window_bytes",
          [](const Cluster& cluster, HostIndex host) { return host_node(cluster, host).tcp_window_bytes; }, "host"_a,
          "So much at most one of its TCP streams has under way, as the file says; 0 where it says nothing.")
      .def("find_host", &Cluster::find_host, "processor_name"_a,
           "Index of the host that a processor name stands for; None where there is none, or several.")
      .def(
          "path",
          [](const Cluster& cluster, std::string_view u, std::string_view v) {
            return cluster.path(node_called(cluster, u), node_called(cluster, v));
          },
          "u"_a, "v"_a,
          "Channels from node to node along the spanning tree, or by routes, in travel order. KeyError for an unknown "
          "name.")
      .def(
          "channel_bps",
          [](const Cluster& cluster, ChannelId channel) { return cluster.way(checked(cluster, channel)).rate_bps; },
          "channel"_a, "Bits per second; of one link where there are several.")
      .def(
          "channel_name",
          [](const Cluster& cluster, ChannelId channel) { return cluster.channel_name(checked(cluster, channel)); },
          "channel"_a, "``s0->s1``.")
      .def("__repr__", [](const Cluster& cluster) { return "<Cluster " + cluster.name() + ">"; });

  module.def("parse_cluster", &parse_cluster, "yaml"_a, "file"_a,
             "Read a cluster from YAML; ``file`` is for messages. Raises FaultyFile.");
  module.def("read_cluster", &read_cluster, "path"_a, "Read a cluster file. Raises FaultyFile.");
  module.def("write_cluster", &write_cluster, "cluster"_a, "YAML that reads back as an equal cluster.");
  module.def("scaled", &scaled, "cluster"_a, "fastest_bps"_a,
             "The cluster with its fastest link at that many bits per second, every other in proportion.");

  module.def(
      "long_links", [](const Cluster& cluster) { return long_links_of(cluster); }, "cluster"_a,
      "Of each link, whether it is long: one between sites, as their latencies say.");
  module.def(
      "sites_of_hosts",
      [](const Cluster& cluster) {
        const Sites sites = sites_of(cluster);
        std::vector<SiteId> of_host;
        for (const NodeId host : cluster.hosts()) of_host.push_back(sites.of_node[host]);
        return of_host;
      },
      "cluster"_a, "By host: the number of its site.");
  module.def(
      "with_speeds",
      [](const Cluster& cluster, const std::vector<double>& rates_bps, const std::vector<double>& latencies_s,
         const std::optional<std::vector<double>>& injections_s) {
        return with_speeds(cluster, rates_bps, latencies_s, injections_s);
      },
      "cluster"_a, "rates_bps"_a, "latencies_s"_a, "injections_s"_a = nb::none(),
      "The cluster with other rates, one of each channel, latencies, one of each link, in the mean of both directions, "
      "or one of each channel, and injection times, one of each host; without these, hosts keep theirs. Raises "
      "ValueError.");
  module.def(
      "pairs_to_measure",
      [](const Cluster& cluster, const std::vector<HostIndex>& hosts, std::size_t most) {
        for (const HostIndex host : hosts) host_node(cluster, host);
        return pairs_to_measure(cluster, hosts, most);
      },
      "cluster"_a, "hosts"_a, "most"_a, "Pairs of hosts by index that tell all links between them apart.");

  module.def("impaired", &impaired, "cluster"_a, "key"_a, "setting"_a,
             "The cluster with one key of its links or switches set: ``1%``, or ``h3=1%`` where only some are meant. "
             "Raises ValueError where the place or the value is none.");
  module.def("unimpaired", &unimpaired, "cluster"_a, "The cluster with links and switches that only carry frames.");
  module.def("with_queues", &with_queues, "cluster"_a, "bytes"_a,
             "The cluster whose switches hold `bytes` at a port where it says nothing of them.");
  module.def("has_impairments", &has_impairments, "cluster"_a, "Whether some link harms frames.");

  module.def("link_taken", &link_taken, "from_host"_a, "to_host"_a, "width"_a,
             "Which of so many links side by side a hash of two hosts picks, from 0.");

  const nb::exception<BadHostlist> bad_hostlist(module, "BadHostlist", PyExc_ValueError);
  bad_hostlist.attr("__doc__") = "A host list that cannot be read.";
  module.def("expand_hostlist", &expand_hostlist, "text"_a, "limit"_a = 1'000'000,
             "``node[01-03]`` as its names. Raises BadHostlist.");
  module.def(
      "compress_hostlist", [](const std::vector<std::string>& hosts) { return compress_hostlist(hosts); }, "names"_a,
      "A short host list of exactly these names.");
}

}  // namespace trunkline::python
