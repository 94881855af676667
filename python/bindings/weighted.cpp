// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "algorithms/weighted/shapes.hpp"
#include "bindings.hpp"
#include "plan/tree_check.hpp"
#include "weighted_graph/graph.hpp"
#include "weighted_graph/schedule.hpp"

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

}  // namespace

void bind_weighted(nb::module_& module) {
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
}

}  // namespace trunkline::python
