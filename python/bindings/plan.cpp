// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "algorithms/height_bound.hpp"
#include "algorithms/k_ary.hpp"
#include "algorithms/registry.hpp"
#include "bindings.hpp"
#include "network/placement.hpp"
#include "plan/checker.hpp"
#include "plan/regions.hpp"
#include "plan_file/plan_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace trunkline::python {

namespace {

std::vector<std::optional<Rank>> parents(const Tree& tree) {
  std::vector<std::optional<Rank>> all;
  all.reserve(tree.size());
  for (const Rank parent : tree.parent) {
    all.push_back(parent == no_rank ? std::nullopt : std::optional(parent));
  }
  return all;
}

Tree tree_from_children(Rank root, std::vector<std::vector<Rank>> children) {
  Tree tree{.root = root, .parent = std::vector<Rank>(children.size(), no_rank), .children = std::move(children)};
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    for (const Rank child : tree.children[rank]) {
      if (child < tree.size()) {
        tree.parent[child] = rank;
      }
    }
  }
  check_tree(tree);
  return tree;
}

void bind_tree(nb::module_& module) {
  nb::class_<Tree>(module, "Tree", "A shape laid over ranks: who receives from whom, and in which order each sends.")
      .def(
          "__init__",
          [](Tree* self, Rank root, std::vector<std::vector<Rank>> children) {
            new (self) Tree(tree_from_children(root, std::move(children)));
          },
          "root"_a, "children"_a, "A tree by what each rank sends to; InvalidPlan where it is none.")
      .def_ro("root", &Tree::root)
      .def_prop_ro("parent", &parents, "By rank; None for the root. A copy.")
      .def_prop_ro(
          "children", [](const Tree& tree) { return tree.children; }, "By rank, in sending order. A copy.")
      .def_prop_ro("height", &height, "Longest path from the root, counted in transfers.")
      .def_prop_ro("max_degree", &max_degree, "Largest number of children of any rank.")
      .def("__len__", &Tree::size);
  module.def("check_tree", &check_tree, "tree"_a, "Raise InvalidPlan unless every rank is reached exactly once.");
}

void bind_contention(nb::module_& module) {
  nb::class_<ChannelLoad>(module, "ChannelLoad")
      .def_ro("channel", &ChannelLoad::channel)
      .def_ro("senders", &ChannelLoad::senders, "Different ranks whose transfers use the channel.");
  nb::class_<Contention>(module, "Contention", "Loads of the channels when every transfer is under way at once.")
      .def_ro("contention_free", &Contention::contention_free)
      .def_ro("max_channel_load", &Contention::max_channel_load)
      .def_prop_ro(
          "busiest", [](const Contention& contention) { return contention.busiest; },
          "Channels of the largest load, in channel order.");
  module.def(
      "contention_of",
      [](const Cluster& cluster, const Placement& placement, const std::vector<Tree>& trees, std::size_t most) {
        if (trees.empty()) throw std::invalid_argument("no trees");
        return contention_of(cluster, placement, std::span(trees), most);
      },
      "cluster"_a, "placement"_a, "trees"_a, "most"_a = 8);
}

void bind_plan_file(nb::module_& module) {
  nb::class_<Plan>(module, "Plan", "Everything about how one collective runs on one communicator.")
      .def(nb::init<>())
      .def_rw("collective", &Plan::collective)
      .def_rw("shape", &Plan::shape)
      .def_rw("cluster", &Plan::cluster, "Name; empty: laid over no cluster.")
      .def_rw("cluster_fingerprint", &Plan::cluster_fingerprint)
      .def_prop_rw(
          "host_of_rank", [](const Plan& plan) { return plan.host_of_rank; },
          [](Plan& plan, std::vector<std::string> hosts) { plan.host_of_rank = std::move(hosts); },
          "Host names by rank; empty: any placement. Assign a whole list.")
      .def_prop_rw(
          "trees", [](const Plan& plan) { return plan.trees; },
          [](Plan& plan, std::vector<Tree> trees) { plan.trees = std::move(trees); },
          "That take segments by turns, over the same ranks from the same root. Assign a whole list.")
      .def_rw("segment_bytes", &Plan::segment_bytes, "None: chosen for each message.")
      .def_rw("provenance", &Plan::provenance, "Who or what made it, one line.");
  module.def("parse_plan", &parse_plan, "yaml"_a, "file"_a, "Read a plan from YAML; ``file`` is for messages.");
  module.def("read_plan", &read_plan, "path"_a);
  module.def("write_plan", &write_plan, "plan"_a);
}

void bind_registry(nb::module_& module) {
  nb::class_<Algorithm>(module, "Algorithm", "One entry of the registry.")
      .def_ro("collective", &Algorithm::collective)
      .def_ro("name", &Algorithm::name)
      .def_ro("description", &Algorithm::description)
      .def_ro("restrictions", &Algorithm::restrictions)
      .def_ro("cost", &Algorithm::cost)
      .def_ro("needs_cluster", &Algorithm::needs_cluster)
      .def_ro("trees", &Algorithm::trees, "That take segments by turns; 0: it is no tree.")
      .def_prop_ro("by_blocks", &Algorithm::by_blocks, "Whether blocks reach each rank from several others.")
      .def_ro("family", &Algorithm::family, "``K-ary``: alike but for a number in the name; empty: stands alone.");
  module.def("algorithm_names", &algorithm_names, "collective"_a,
             "The names for people, a family in one piece: ``3-ary to 8-ary``.");
  module.def(
      "algorithms", [] { return std::vector<Algorithm>(algorithms().begin(), algorithms().end()); },
      "The one list of algorithms.");
}

void bind_heights(nb::module_& module) {
  module.def("algorithm_2_tree", &algorithm_2_tree, "cluster"_a, "placement"_a, "root"_a, "k"_a = 2,
             "Plain Algorithm 2, for comparison with what ``binary`` lays.");
  module.def(
      "height_bound",
      [](const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
        if (k < 2) throw std::invalid_argument("k must be 2 or more");
        return height_bound(regions_from(cluster, placement, root), k);
      },
      "cluster"_a, "placement"_a, "root"_a, "k"_a = 2, "A height that no contention-free tree of degree k goes below.");
}

}  // namespace

void bind_plan(nb::module_& module) {
  bind_tree(module);
  bind_contention(module);
  bind_plan_file(module);
  bind_registry(module);
  bind_heights(module);
  module.def("block_placement", &block_placement, "cluster"_a, "ranks_per_host"_a,
             "Host index by rank, host by host: rank r sits on host r // ranks_per_host.");
  module.def("lay", &lay, "collective"_a, "name"_a, "cluster"_a.none(), "placement"_a, "root"_a,
             "Lay a shape of one tree over ranks; what it returns has passed check_tree.");
  module.def("lay_all", &lay_all, "collective"_a, "name"_a, "cluster"_a.none(), "placement"_a, "root"_a,
             "Lay any shape of trees over ranks: its trees, which take segments by turns.");
}

}  // namespace trunkline::python
