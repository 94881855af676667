// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "bindings.hpp"
#include "plan/checker.hpp"
#include "weighted_graph/graph.hpp"
#include "weighted_graph/schedule.hpp"
#include "weighted_graph/weights_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trunkline::python {

namespace {

using EdgeTuple = std::tuple<Rank, Rank, double, double>;

StoredGraph graph_of(Rank vertices, const std::vector<EdgeTuple>& tuples) {
  std::vector<DirectedEdge> edges;
  edges.reserve(tuples.size());
  for (const auto& [from, to, weight_s, injection_s] : tuples) {
    edges.push_back({.from = from, .edge = {.to = to, .weight_s = weight_s, .injection_s = injection_s}});
  }
  return {vertices, edges};
}

/// From, to, latency in seconds, bytes a second (infinity: bytes take no time), what a message and what a byte cost the
/// sender in seconds.
using WayTuple = std::tuple<Rank, Rank, double, double, double, double>;

WeightedNetwork network_of(std::string name, std::vector<std::string> hosts, const std::vector<WayTuple>& ways) {
  WeightedNetwork made{.name = std::move(name), .hosts = std::move(hosts), .grows = true};
  made.edges.reserve(ways.size());
  for (const auto& [from, to, latency_s, bandwidth_Bps, message_s, byte_s] : ways) {
    made.edges.push_back({.from = from,
                          .to = to,
                          .latency_s = latency_s,
                          .bandwidth_Bps = bandwidth_Bps,
                          .injection = Injection{.message_s = message_s, .byte_s = byte_s}});
  }
  return made;
}

void bind_network(nb::module_& module) {
  nb::class_<WeightedNetwork>(module, "WeightedNetwork", "Hosts, and what messages from each to each other one take.")
      .def(
          "__init__",
          [](WeightedNetwork* self, std::string name, std::vector<std::string> hosts,
             const std::vector<WayTuple>& ways) {
            new (self) WeightedNetwork(network_of(std::move(name), std::move(hosts), ways));
          },
          "name"_a, "hosts"_a, "ways"_a,
          "Ways are (from, to, latency in seconds, bytes a second, seconds that a message costs the sender, seconds a "
          "byte).")
      .def_ro("name", &WeightedNetwork::name)
      .def_ro("hosts", &WeightedNetwork::hosts)
      .def_ro("bytes", &WeightedNetwork::bytes, "Of the messages whose times these are; None: the file does not say.")
      .def_ro("grows", &WeightedNetwork::grows, "Whether times follow the size of a message.")
      .def("weighed", &WeightedNetwork::weighed, "message_bytes"_a,
           "The graph for messages of that size; ValueError where a way is faulty.");
  module.def("parse_weights", &parse_weights, "text"_a, "file"_a,
             "Read weights from YAML; ``file`` is for messages. Raises FaultyFile.");
}

}  // namespace

void bind_weighted(nb::module_& module) {
  bind_network(module);
  nb::class_<StoredGraph>(module, "WeightedGraph",
                          "A directed graph of hosts with a weight and an injection time an edge.")
      .def(
          "__init__",
          [](StoredGraph* self, Rank vertices, const std::vector<EdgeTuple>& edges) {
            new (self) StoredGraph(graph_of(vertices, edges));
          },
          "vertices"_a, "edges"_a,
          "Edges are (from, to, weight in seconds, injection time in seconds); ValueError where one is faulty.")
      .def_prop_ro("edges", &StoredGraph::edges, "How many there are.")
      .def("__len__", &StoredGraph::size);
  nb::class_<WeightedShape>(module, "WeightedShape", "A way to lay a tree over a weighted graph.")
      .def_ro("name", &WeightedShape::name)
      .def_ro("description", &WeightedShape::description);
  module.def(
      "weighted_shapes", [] { return std::vector<WeightedShape>(weighted_shapes().begin(), weighted_shapes().end()); },
      "All there are; ``optimum``, for small graphs alone, is the last one.");
  module.def(
      "lay_weighted",
      [](const std::string& shape, const StoredGraph& graph, Rank root) {
        Tree tree = weighted_shape(shape).lay(graph, root);
        check_tree(tree);
        return tree;
      },
      "shape"_a, "graph"_a, "root"_a, "ValueError where the shape is not known, or a vertex cannot be reached.");
  module.def(
      "broadcast_s", [](const StoredGraph& graph, const Tree& tree) { return broadcast_s(graph, tree); }, "graph"_a,
      "tree"_a, "Seconds until the last host has the message, whole messages sent one after another.");
  module.def(
      "arrivals_s", [](const StoredGraph& graph, const Tree& tree) { return arrivals_s(graph, tree); }, "graph"_a,
      "tree"_a, "Seconds until each host has the message; the root's is 0.");
  module.def(
      "injections_s",
      [](const StoredGraph& graph, const Tree& tree) {
        std::vector<double> injections;
        for (const WeightedEdge& edge : edges_of_tree(graph, tree)) injections.push_back(edge.injection_s);
        return injections;
      },
      "graph"_a, "tree"_a, "Seconds for which the send that reaches a host keeps its sender; the root's is 0.");
  module.def(
      "unreached", [](const StoredGraph& graph, Rank root) { return unreached(graph, root); }, "graph"_a, "root"_a,
      "Vertices that no path from the root leads to; ValueError where the root is no vertex.");
}

}  // namespace trunkline::python
