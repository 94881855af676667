// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "algorithms/registry.hpp"
#include "algorithms/trees/hierarchical.hpp"
#include "algorithms/trees/k_ary.hpp"
#include "algorithms/trees/regions/height_bound.hpp"
#include "bindings.hpp"
#include "collective/planned.hpp"
#include "kinds/multicast/multicast.hpp"
#include "kinds/rounds/list.hpp"
#include "kinds/rounds/rounds.hpp"
#include "kinds/rounds/row.hpp"
#include "kinds/trees/row.hpp"
#include "kinds/trees/trees.hpp"
#include "network/capacity.hpp"
#include "network/placement.hpp"
#include "network/regions.hpp"
#include "plan/checker.hpp"
#include "plan_file/plan_set.hpp"

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

Tree tree_from_children(Rank root, std::vector<std::vector<Rank>> children, std::optional<Rank> exchange) {
  Tree tree{.root = root,
            .parent = std::vector<Rank>(children.size(), no_rank),
            .children = std::move(children),
            .exchange = exchange.value_or(no_rank)};
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
          [](Tree* self, Rank root, std::vector<std::vector<Rank>> children, std::optional<Rank> exchange) {
            new (self) Tree(tree_from_children(root, std::move(children), exchange));
          },
          "root"_a, "children"_a, "exchange"_a = nb::none(),
          "A tree by what each rank sends to, and with which of its children the root exchanges; InvalidPlan where it "
          "is none.")
      .def_ro("root", &Tree::root)
      .def_prop_ro("parent", &parents, "By rank; None for the root. A copy.")
      .def_prop_ro(
          "children", [](const Tree& tree) { return tree.children; }, "By rank, in sending order. A copy.")
      .def_prop_ro(
          "exchange",
          [](const Tree& tree) { return tree.exchange == no_rank ? std::nullopt : std::optional(tree.exchange); },
          "The child with which the root exchanges what has come up to both; None: there is no such one.")
      .def_prop_ro("height", &height, "Longest path from the root, counted in transfers.")
      .def_prop_ro("max_degree", &max_degree, "Largest number of children of any rank.")
      .def("__len__", &Tree::size);
}

/// Of rounds; `otherwise` of another kind.
template <class Value>
Value of_rounds(const Plan& plan, Value otherwise, Value (*value)(const Rounds& rounds)) {
  const Rounds* const rounds = find_rounds(plan);
  return rounds != nullptr ? value(*rounds) : otherwise;
}

void bind_contention(nb::module_& module) {
  nb::class_<ChannelLoad>(module, "ChannelLoad")
      .def_ro("channel", &ChannelLoad::channel)
      .def_ro("senders", &ChannelLoad::senders, "Different ranks whose transfers use the channel.")
      .def_ro("capacity", &ChannelLoad::capacity, "So many senders do not slow each other.");
  nb::class_<Contention>(module, "Contention", "Loads of the channels when every transfer is under way at once.")
      .def_ro("contention_free", &Contention::contention_free)
      .def_ro("max_channel_load", &Contention::max_channel_load, "Of the busiest channels.")
      .def_ro("most_senders", &Contention::most_senders, "On any channel, whatever its capacity.")
      .def_ro("busiest", &Contention::busiest, nb::rv_policy::copy,
              "Channels of the largest load for their capacity, in channel order.");
  module.def(
      "contention_of",
      [](const Cluster& cluster, const Placement& placement, const Plan& plan, std::size_t most) {
        return contention_of(cluster, placement, plan, most);
      },
      "cluster"_a, "placement"_a, "plan"_a, "most"_a = 8,
      "Loads of all channels, and of rounds those of the busiest one. Raises ValueError.");
  module.def("capacities_of", &capacities_of, "cluster"_a, "placement"_a,
             "By link: how many senders do not slow each other on it, in each direction. Raises ValueError.");
}

void bind_plan_file(nb::module_& module) {
  nb::class_<Transfer>(module, "Transfer", "Blocks in rows from one rank to another.")
      .def_ro("sender", &Transfer::from)
      .def_ro("receiver", &Transfer::to)
      .def_ro("first", &Transfer::first)
      .def_ro("count", &Transfer::count, "Of a row.")
      .def_ro("rows", &Transfer::rows)
      .def_ro("stride", &Transfer::stride, "From one row's first block to the next one's; of one row: 0.")
      .def_ro("reduces", &Transfer::reduces, "The receiver adds them to what it has.")
      .def_ro("replaces", &Transfer::replaces, "They are sums that take the place of what it has.");
  nb::class_<RoundList>(module, "RoundList", "What is sent in each round.")
      .def_ro("blocks", &RoundList::blocks, "That the message is cut into.")
      .def_ro("rounds", &RoundList::rounds, nb::rv_policy::copy);
  nb::class_<MulticastGroup>(module, "MulticastGroup", "Ranks of which one sends to the others at once.")
      .def_ro("ranks", &MulticastGroup::ranks, "The one that sends first.")
      .def_ro("byte_s", &MulticastGroup::byte_s, "Its pace: seconds for each byte on the wire; 0: none.");
  nb::class_<Multicast>(module, "Multicast",
                        "Who sends to all at once: a root, whom ranks confirm to, or all by turns.")
      .def_prop_ro("root", &Multicast::root)
      .def_prop_ro(
          "confirm",
          [](const Multicast& multicast) {
            return multicast.goes_by_turns() ? std::nullopt : std::optional(multicast.confirm);
          },
          "From the sender, its root: each rank reports to its parent. None: all ranks send.")
      .def_ro("reduce", &Multicast::reduce, "Trees that operands go up, by turns; none: the confirm tree, if any do.")
      .def_ro("order", &Multicast::order, "Of ranks that all send: by turn; empty: the root alone sends.")
      .def_ro("at_once", &Multicast::at_once, "Of these: so many send without waiting for each other.")
      .def_ro("groups", &Multicast::groups,
              "Where each of several ranks sends to its own group alone: all ranks, each in one; empty: all are one.")
      .def_ro("byte_s", &Multicast::byte_s, "Pace: seconds for each byte on the wire; 0: none.");
  nb::class_<Plan>(module, "Plan", "How one collective runs on one communicator.")
      .def(
          "__init__", [](Plan* self, Trees trees) { new (self) Plan(plan_of(std::move(trees))); }, "trees"_a,
          "Of trees that take segments by turns, over the same ranks from the same root.")
      .def_prop_ro(
          "trees",
          [](const Plan& plan) {
            const Trees* const trees = find_trees(plan);
            return trees != nullptr ? std::optional(*trees) : std::nullopt;
          },
          "None: it is of another kind.")
      .def_prop_ro(
          "kind", [](const Plan& plan) { return plan.kind().name; }, "Its name: ``trees``, ``rounds``, ``multicast``.")
      .def_prop_ro(
          "multicast",
          [](const Plan& plan) {
            const Multicast* const multicast = find_multicast(plan);
            return multicast != nullptr ? std::optional(*multicast) : std::nullopt;
          },
          "None: it is of another kind.")
      .def_prop_ro(
          "round_list",
          [](const Plan& plan) {
            return of_rounds<std::optional<RoundList>>(plan, std::nullopt, [](const Rounds& rounds) {
              return rounds.schedule_of(0)->fixed_blocks() ? std::optional(list_of(rounds)) : std::nullopt;
            });
          },
          "None: it is of another kind, or takes any number of blocks.")
      .def(
          "list_rounds",
          [](const Plan& plan, std::uint64_t blocks, std::optional<std::uint64_t> most) {
            return list_of(rounds_of(plan), blocks, most.value_or(no_round));
          },
          "blocks"_a, "most"_a = nb::none(),
          "The first rounds of a message of so many blocks; ValueError where there are none.")
      .def(
          "round_count",
          [](const Plan& plan, std::uint64_t blocks) { return rounds_of(plan).schedule_of(0)->rounds(blocks); },
          "blocks"_a, "Of a message of so many blocks.")
      .def_prop_ro(
          "blocks",
          [](const Plan& plan) {
            return of_rounds<std::optional<std::uint64_t>>(
                plan, std::nullopt, [](const Rounds& rounds) { return rounds.schedule_of(0)->fixed_blocks(); });
          },
          "That its rounds cut a message into; None: any number, or it is of another kind.")
      .def_prop_ro(
          "period",
          [](const Plan& plan) {
            return of_rounds<std::uint64_t>(plan, 0,
                                            [](const Rounds& rounds) { return rounds.schedule_of(0)->period(); });
          },
          "Rounds after which transfers go between the same ranks again; 0: of another kind, or its blocks are fixed.")
      .def_prop_ro(
          "order",
          [](const Plan& plan) {
            return of_rounds<std::vector<Rank>>(plan, {}, [](const Rounds& rounds) { return rounds.order; });
          },
          "Ranks by position in the rounds, the root first; empty: of another kind. A copy.")
      .def_prop_ro(
          "sums_once",
          [](const Plan& plan) {
            return of_rounds<bool>(plan, false,
                                   [](const Rounds& rounds) { return rounds.schedule_of(0)->sums_once(); });
          },
          "Whether its rounds sum up each block at one rank alone; False: of another kind.")
      .def_prop_ro(
          "generator",
          [](const Plan& plan) {
            return of_rounds<std::string>(plan, "", [](const Rounds& rounds) { return rounds.generator; });
          },
          "What makes its rounds; empty: of another kind, or listed by hand.")
      .def(
          "check",
          [](const Plan& plan, const std::string& collective) { check_plan(plan, collective_named(collective)); },
          "collective"_a = "bcast", "Replay it: InvalidPlan unless every rank gets what the collective promises.")
      .def_prop_ro("root", &Plan::root)
      .def("__len__", &Plan::ranks);
  nb::class_<PlanFile>(module, "PlanFile", "A plan with what it is for.")
      .def(nb::init<>())
      .def_prop_rw(
          "collective", [](const PlanFile& file) { return facts_of(file.collective).name; },
          [](PlanFile& file, const std::string& name) { file.collective = collective_named(name); })
      .def_rw("algorithm", &PlanFile::algorithm, "A name of the registry, or ``custom``.")
      .def_rw("cluster", &PlanFile::cluster, "Name; empty: laid over no cluster.")
      .def_rw("cluster_fingerprint", &PlanFile::cluster_fingerprint,
              "``Cluster.fingerprint``; of older files ``Cluster.topology_fingerprint``.")
      .def_rw("topology_fingerprint", &PlanFile::topology_fingerprint)
      .def_rw("host_of_rank", &PlanFile::host_of_rank, "Host names by rank; empty: any placement. Assign a whole list.")
      .def_rw("plan", &PlanFile::plan, nb::rv_policy::copy, "Assign a whole one.")
      .def_rw("segment_bytes", &PlanFile::segment_bytes, "None: chosen for each message.")
      .def_rw("from_bytes", &PlanFile::from_bytes, nb::arg().none(), "Shorter messages are not for it; None: no bound.")
      .def_rw("below_bytes", &PlanFile::below_bytes, nb::arg().none(), "Nor are those from here on; None: no bound.")
      .def_ro("line", &PlanFile::line, "Where it stands in a set of plans or a tuning file; else 0.")
      .def_rw("provenance", &PlanFile::provenance, "Who or what made it, one line.");
  nb::class_<PlanSet>(module, "PlanSet", "Plans for several collectives, communicators, roots and sizes.")
      .def(nb::init<>())
      .def_rw("provenance", &PlanSet::provenance, "Who or what made it, one line.")
      .def_rw("plans", &PlanSet::plans, nb::rv_policy::copy, "Assign a whole list.");
  module.def("parse_plans", &parse_plans, "yaml"_a, "file"_a,
             "Read a set of plans, or a plan by itself, from YAML; ``file`` is for messages. Raises FaultyFile.");
  module.def("read_plans", &read_plans, "path"_a,
             "Read a file with a set of plans, or with one plan. Raises FaultyFile.");
  module.def("write_plans", &write_plans, "plans"_a, "YAML that reads back as an equal set. Raises InvalidPlan.");
  module.def("sizes_text", &sizes_text, "plan"_a, "For which messages it says it is: ``from 64B``; empty: for all.");
  module.def("parse_plan", &parse_plan, "yaml"_a, "file"_a,
             "Read a plan from YAML; ``file`` is for messages. Raises FaultyFile.");
  module.def("read_plan", &read_plan, "path"_a, "Read a plan file. Raises FaultyFile.");
  module.def("write_plan", &write_plan, "plan"_a, "YAML that reads back as an equal plan. Raises InvalidPlan.");
}

void bind_registry(nb::module_& module) {
  nb::class_<Algorithm>(module, "Algorithm", "One entry of the registry.")
      .def_prop_ro("collective", [](const Algorithm& one) { return facts_of(one.collective).name; })
      .def_ro("name", &Algorithm::name)
      .def_ro("description", &Algorithm::description)
      .def_prop_ro("restrictions", &Algorithm::restrictions)
      .def_ro("cost", &Algorithm::cost)
      .def_ro("needs_cluster", &Algorithm::needs_cluster)
      .def_ro("by_size", &Algorithm::by_size, "Its plans depend on the size of the message.")
      .def_prop_ro(
          "kind", [](const Algorithm& one) { return one.is_native() ? std::string_view("native") : one.kind->name; },
          "Of its plans: ``trees``, ``rounds``, ``multicast``; ``native``: it has none.")
      .def_prop_ro(
          "trees", [](const Algorithm& one) { return one.kind == &trees_kind ? one.streams : 0; },
          "That take segments by turns; 0: it is no tree.")
      .def_prop_ro(
          "by_rounds", [](const Algorithm& one) { return one.kind == &rounds_kind; },
          "Whether blocks reach each rank from several others: it is no tree.")
      .def_ro("family", &Algorithm::family, "``K-ary``: alike but for a number in the name; empty: stands alone.");
  module.attr("usual_message_bytes") = usual_message_bytes;
  module.def(
      "algorithm_names", [](const std::string& collective) { return algorithm_names(collective_named(collective)); },
      "collective"_a, "The names for people, a family in one piece: ``3-ary to 8-ary``.");
  module.def("is_for", &is_for, "plan"_a, "cluster"_a, "Whether a plan is for that network, as far as its file says.");
  module.def(
      "no_such_algorithm",
      [](const std::string& collective, const std::string& name) {
        return no_such_algorithm(collective_named(collective), name);
      },
      "collective"_a, "name"_a, "What to say of a name that a collective has no algorithm of.");
  module.def(
      "algorithms", [] { return std::vector<Algorithm>(algorithms().begin(), algorithms().end()); },
      "The one list of algorithms.");
}

void bind_hierarchical(nb::module_& module) {
  module.def(
      "hierarchical_tree",
      [](const Placement& placement, Rank root, unsigned host_fan_in, unsigned root_fan_in,
         std::optional<unsigned> split_levels) {
        Tree tree = hierarchical_tree(placement, root,
                                      {.host_fan_in = host_fan_in,
                                       .root_fan_in = root_fan_in,
                                       .split_levels = split_levels.value_or(all_levels)});
        check_tree(tree);
        return tree;
      },
      "placement"_a, "root"_a, "host_fan_in"_a = any_fan_in, "root_fan_in"_a = any_fan_in,
      "split_levels"_a.none() = nb::int_(0),
      "A subtree among the ranks of each host, and one among the hosts. A fan-in is the most contributors to a node, "
      "itself "
      "counted in; 0: flat. ``split_levels`` levels of the subtree among hosts are on other hosts than the root's; "
      "None: "
      "all. Raises ValueError.");
  module.def(
      "order_children",
      [](Tree tree, const Placement& placement) {
        check_tree(tree);
        if (placement.size() != tree.size()) throw std::invalid_argument("the placement is of other ranks");
        order_children(tree, placement);
        return tree;
      },
      "tree"_a, "placement"_a,
      "The same tree; each rank sends over the network first, then where most transfers still follow, then by number. "
      "Raises "
      "ValueError.");
}

void bind_heights(nb::module_& module) {
  module.def("algorithm_2_tree", &algorithm_2_tree, "cluster"_a, "placement"_a, "root"_a, "k"_a = 2,
             "Plain Algorithm 2, for comparison with what ``binary`` lays. Raises ValueError.");
  module.def(
      "height_bound",
      [](const Cluster& cluster, const Placement& placement, Rank root, unsigned k) {
        if (k < 2) throw std::invalid_argument("k must be 2 or more");
        return height_bound(cluster, placement, root, k);
      },
      "cluster"_a, "placement"_a, "root"_a, "k"_a = 2,
      "A height that no contention-free tree of degree k goes below. Raises ValueError.");
}

}  // namespace

void bind_plan(nb::module_& module) {
  bind_tree(module);
  bind_contention(module);
  bind_plan_file(module);
  bind_registry(module);
  bind_hierarchical(module);
  bind_heights(module);
  module.def("block_placement", &block_placement, "cluster"_a, "ranks_per_host"_a,
             "Host index by rank, host by host: rank r sits on host ``r // ranks_per_host``.");
  module.def(
      "collectives",
      [] {
        std::vector<std::string_view> names;
        for (const CollectiveFacts& one : collectives()) names.push_back(one.name);
        return names;
      },
      "Those that plans are for.");
  module.def("planned_words", &planned_words, "What is planned and what is not, for people, in one sentence.");
  nb::class_<CollectiveFacts>(module, "CollectiveFacts", "All that is known of a collective operation.")
      .def_ro("name", &CollectiveFacts::name, "In files, settings and on the command line: ``bcast``.")
      .def_ro("mpi_name", &CollectiveFacts::mpi_name, "``MPI_Bcast``.")
      .def_prop_ro("nonblocking_name", &CollectiveFacts::nonblocking_name, "``MPI_Ibcast``.")
      .def_ro("has_root", &CollectiveFacts::has_root)
      .def_ro("reduces", &CollectiveFacts::reduces, "Operands are summed up; else data is moved.")
      .def_ro("has_data", &CollectiveFacts::has_data, "Else ranks only wait for each other.")
      .def_ro("even_shares", &CollectiveFacts::even_shares, "Every rank's share has the same length.")
      .def_ro("before", &CollectiveFacts::before, "What each rank puts in.")
      .def_ro("after", &CollectiveFacts::after, "What each rank gets.")
      .def_ro("direction", &CollectiveFacts::direction,
              "Of data in plans of trees; None: they move shares, or there are none.")
      .def_prop_ro("makes_prefixes", &CollectiveFacts::makes_prefixes,
                   "Whether each rank gets another result, of the operands of those before it.")
      .def_prop_ro("goes_by_shares", &CollectiveFacts::goes_by_shares,
                   "Each rank has a share of the data, before or after.")
      .def_prop_ro("goes_by_pairs", &CollectiveFacts::goes_by_pairs,
                   "Each rank has a block for each other one; its message is one of these blocks.")
      .def("limit_in_transfers", &CollectiveFacts::limit_in_transfers, "hosts"_a,
           "The least time of long messages over two hosts or more, in times T(m) of one transfer.");
  nb::enum_<Holding>(module, "Holding", "What of a call's data each rank has.")
      .value("all_at_root", Holding::all_at_root)
      .value("all", Holding::all)
      .value("own_block", Holding::own_block)
      .value("own_row", Holding::own_row)
      .value("own_column", Holding::own_column)
      .value("up_to_own", Holding::up_to_own)
      .value("before_own", Holding::before_own);
  nb::enum_<Direction>(module, "Direction", "Which way the data of a plan of trees goes.")
      .value("down", Direction::down)
      .value("up", Direction::up)
      .value("up_and_down", Direction::up_and_down);
  module.def(
      "facts_of", [](const std::string& collective) { return facts_of(collective_named(collective)); }, "collective"_a,
      "ValueError where there is none of that name.");
  module.def(
      "lay",
      [](const std::string& collective, const std::string& name, const Cluster* cluster, const Placement& placement,
         Rank root, std::uint64_t message_bytes) {
        return lay(collective_named(collective), name, cluster, placement, root, message_bytes);
      },
      "collective"_a, "name"_a, "cluster"_a.none(), "placement"_a, "root"_a, "message_bytes"_a = usual_message_bytes,
      "Lay an algorithm over ranks; its trees have passed check_tree. The size is for those whose plans depend on it. "
      "Raises ValueError.");
  module.def(
      "lay_trees",
      [](const std::string& collective, const std::string& name, const Cluster* cluster, const Placement& placement,
         Rank root, std::uint64_t message_bytes) {
        return lay_trees(collective_named(collective), name, cluster, placement, root, message_bytes);
      },
      "collective"_a, "name"_a, "cluster"_a.none(), "placement"_a, "root"_a, "message_bytes"_a = usual_message_bytes,
      "The same of an algorithm made of trees, which take segments by turns. Raises ValueError.");
}

}  // namespace trunkline::python
