// SPDX-License-Identifier: Apache-2.0
// Segments that go down trees, or operands that go up, as runtime/execute/trees hands them on.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "collective/collective.hpp"
#include "model/transfer/wire.hpp"
#include "plan/lead.hpp"
#include "plan/tree_shape.hpp"
#include "replay/ground.hpp"
#include "replay/replay.hpp"
#include "replay/resources.hpp"

namespace trunkline {
namespace {

constexpr std::uint32_t goes_up = 1U << 31U;

/// Segment i goes along tree i mod trees. A rank hands a segment on to its children in their order as soon as it has it
/// and the segment one window before has come to them; it combines its children's operands in their order. Local leaves
/// in a row do alike, and are replayed once.
class TreeReplay {
 public:
  TreeReplay(const ReplayGround& ground, const std::vector<TreeShape>& trees, Direction direction)
      : host_of_(ground.placement),
        resources_(ground.paths, host_of_, ground.hosts),
        trees_(trees.size()),
        up_(direction != Direction::down),
        down_(direction != Direction::up),
        message_bytes_(ground.message_bytes),
        segment_bytes_(ground.segment_bytes),
        segments_(pieces_of(message_bytes_, segment_bytes_)),
        lead_(lead_of(trees_, segment_bytes_, ground.in_flight)),
        first_flow_(ground.placement.size(), none),
        last_flow_(ground.placement.size(), none) {
    const auto ranks = static_cast<Rank>(ground.placement.size());
    for (std::uint32_t tree = 0; tree < trees.size(); ++tree) add(trees[tree], tree);
    for (Flow& flow : flows_) set_windows(ground, flow);
    // What is under way over a long link comes in bursts, of a window each.
    if (ground.in_flight.bytes > ground.in_flight.near_bytes) {
      for (const Flow& flow : flows_) stride_ = std::max({stride_, 2 * flow.up_window, 2 * flow.window});
    }
    const Rank receivers = up_ ? ranks : ranks - 1;  // of what the root of a broadcast has
    lacking_.assign(segments_, down_ ? receivers : 1);
    resources_.add_processors(host_of_.size() - ranks);
  }

  /// Nothing where that takes more events.
  [[nodiscard]] std::optional<Replayed> run(std::uint64_t most_events) {
    for (Rank processor = 0; processor < first_flow_.size(); ++processor) advance(processor);
    const std::uint64_t stride = stride_ * trees_;
    Steady steady(stride);
    ReplayedMessage message;
    while (resources_.next(message)) {
      if (resources_.events() > most_events) return {};
      take(message);
      const std::optional<double> each_s = steady.at(complete_, complete_at_);
      if (!each_s || complete_ + stride >= segments_) continue;
      return Replayed{complete_at_ + *each_s * static_cast<double>(segments_ - complete_), resources_.events()};
    }
    if (complete_ < segments_) throw std::logic_error("ranks of a tree wait for each other");
    return Replayed{complete_at_, resources_.events()};
  }

 private:
  using FlowNumber = std::uint32_t;
  static constexpr FlowNumber none = ~FlowNumber{0};

  /// The part of a rank in one tree, or of local leaves that do alike.
  struct Flow {
    Rank processor = 0;
    Rank alike = 1;  ///< ranks
    std::uint32_t tree = 0;
    FlowNumber next_of_rank = none;  ///< its part in a later tree
    FlowNumber parent = none;
    FlowNumber partner = none;  ///< of a root that exchanges
    std::vector<FlowNumber> children{};
    std::uint64_t segments = 0;
    std::uint64_t window = 1;           ///< of segments that are handed down
    std::uint64_t up_window = 1;        ///< of those that are sent up
    std::vector<std::uint64_t> came{};  ///< by child: segments
    std::uint64_t combined = 0;         ///< segments of this rank and all below it
    std::size_t children_in = 0;        ///< that the next of them holds
    std::uint64_t sent = 0;             ///< up
    std::uint64_t arrived = 0;          ///< of these
    std::uint64_t received = 0;         ///< from above, or from the partner
    std::uint64_t exchanged = 0;        ///< combined with what the partner had
    std::uint64_t handed_on = 0;        ///< down
    std::vector<Rank> under_way{};      ///< by segment of the window: children that lack it

    [[nodiscard]] FlowNumber next_up() const { return partner != none ? partner : parent; }
  };

  void add(const TreeShape& shape, std::uint32_t tree) {
    const auto begin = static_cast<FlowNumber>(flows_.size());
    for (const TreeShape::Node& node : shape.nodes) {
      const auto number = static_cast<FlowNumber>(flows_.size());
      FlowNumber& last = last_flow_[node.rank];
      (last == none ? first_flow_[node.rank] : flows_[last].next_of_rank) = number;
      last = number;
      flows_.push_back({.processor = node.rank, .tree = tree, .segments = (segments_ + trees_ - 1 - tree) / trees_});
    }
    for (std::uint32_t at = 0; at < shape.nodes.size(); ++at) {
      for (const TreeShape::Child& child : shape.nodes[at].children) {
        add_leaves(begin + at, child.local_leaves, tree);
        const bool exchanges = at == shape.root && child.node == shape.exchange;
        if (exchanges) {
          flows_[begin + at].partner = begin + child.node;
          flows_[begin + child.node].partner = begin + at;
        } else {
          flows_[begin + at].children.push_back(begin + child.node);
          flows_[begin + child.node].parent = begin + at;
        }
      }
      add_leaves(begin + at, shape.nodes[at].further_leaves, tree);
    }
  }

  void add_leaves(FlowNumber parent, Rank count, std::uint32_t tree) {
    if (count == 0) return;
    const auto number = static_cast<FlowNumber>(flows_.size());
    first_flow_.push_back(number);
    flows_.push_back({.processor = static_cast<Rank>(host_of_.size()),
                      .alike = count,
                      .tree = tree,
                      .parent = parent,
                      .segments = flows_[parent].segments});
    host_of_.push_back(host_of_[flows_[parent].processor]);
    flows_[parent].children.push_back(number);
  }

  void set_windows(const ReplayGround& ground, Flow& flow) const {
    flow.came.assign(flow.children.size(), 0);
    if (up_) {
      set_windows_up(ground, flow);
      if (flow.children.empty()) flow.combined = flow.segments;
    } else {
      flow.window = down_window_of(segment_bytes_, ground.in_flight.bytes, trees_);
    }
    flow.under_way.assign(std::min(flow.window, std::max(flow.segments, std::uint64_t{1})), 0);
  }

  /// Over long links ranks are as far ahead as these hold; towards ranks near by no farther than their links need.
  void set_windows_up(const ReplayGround& ground, Flow& flow) const {
    const InFlight& in_flight = ground.in_flight;
    std::uint64_t children = 0;
    for (const FlowNumber child : flow.children) children += flows_[child].alike;
    const auto window = [&](std::uint64_t bytes, std::uint64_t among) {
      return up_window_of(segment_bytes_, segment_bytes_, bytes, trees_, among, among);
    };
    const auto far = [&](FlowNumber other) {
      return is_far(ground.paths, host_of_[flow.processor], host_of_[flows_[other].processor]);
    };
    const std::uint64_t near = window(in_flight.near_bytes, children);
    const std::uint64_t widest = std::max(near, window(in_flight.bytes, 1));
    const std::uint64_t up = flow.next_up() != none && far(flow.next_up()) ? widest : near;
    const bool spans_sites = in_flight.bytes > in_flight.near_bytes;
    flow.up_window =
        spans_sites ? up : std::min(up, sent_up_at_once(segment_bytes_, in_flight.bytes / 4, trees_, children));
    flow.window = std::max(near, flow.up_window);
    for (const FlowNumber child : flow.children) flow.window = std::max(flow.window, far(child) ? widest : near);
  }

  [[nodiscard]] std::uint64_t bytes_of(const Flow& flow, std::uint64_t segment) const {
    return std::min(segment_bytes_, message_bytes_ - (segment * trees_ + flow.tree) * segment_bytes_);
  }

  void take(const ReplayedMessage& message) {
    Flow& from = flows_[message.sender];
    Flow& to = flows_[message.receiver];
    if ((message.part & goes_up) == 0) {
      --from.under_way[message.part % from.under_way.size()];
      ++to.received;
      if (!up_) has(to, message.part);
    } else {
      ++from.arrived;
      if (to.partner == message.sender) {
        ++to.received;
      } else {
        ++to.came[static_cast<std::size_t>(std::ranges::find(to.children, message.sender) - to.children.begin())];
        combine(to);
      }
    }
    advance(message.to);
    advance(message.from);
  }

  void combine(Flow& own) {
    while (own.combined < own.segments && own.came[own.children_in] > own.combined) {
      resources_.combine(own.processor, flows_[own.children[own.children_in]].alike * bytes_of(own, own.combined));
      if (++own.children_in < own.children.size()) continue;
      own.children_in = 0;
      if (!down_ && own.parent == none) has(own, own.combined);
      ++own.combined;
    }
  }

  /// Trees take turns.
  void advance(Rank processor) {
    for (bool moved = true; moved;) {
      moved = false;
      for (FlowNumber number = first_flow_[processor]; number != none; number = flows_[number].next_of_rank) {
        if (up_) moved = send_up(number) || moved;
        if (down_) moved = hand_down(number) || moved;
      }
    }
  }

  /// A leaf of one tree that would keep its port from what has come a long way in another.
  [[nodiscard]] bool is_ahead(const Flow& own) const {
    if (!own.children.empty()) return false;
    for (FlowNumber number = first_flow_[own.processor]; number != none; number = flows_[number].next_of_rank) {
      const Flow& other = flows_[number];
      if (other.children.empty() || other.next_up() == none) continue;
      if (other.sent < other.segments && own.sent >= other.sent + lead_) return true;
    }
    return false;
  }

  [[nodiscard]] bool send_up(FlowNumber number) {
    Flow& own = flows_[number];
    if (own.next_up() == none || own.sent == own.combined || own.sent == own.arrived + own.up_window) return false;
    if (is_ahead(own)) return false;
    const std::uint64_t segment = own.sent++;
    resources_.send({.from = own.processor,
                     .to = flows_[own.next_up()].processor,
                     .bytes = bytes_of(own, segment),
                     .taken = own.alike,
                     .sender = number,
                     .receiver = own.next_up(),
                     .part = static_cast<std::uint32_t>(segment) | goes_up});
    return true;
  }

  [[nodiscard]] bool hand_down(FlowNumber number) {
    Flow& own = flows_[number];
    for (; own.partner != none && own.exchanged < std::min(own.received, own.sent); ++own.exchanged) {
      resources_.combine(own.processor, bytes_of(own, own.exchanged));
    }
    if (own.handed_on == to_hand_down(own)) return false;
    Rank& under_way = own.under_way[own.handed_on % own.under_way.size()];
    if (under_way > 0) return false;
    const std::uint64_t segment = own.handed_on++;
    under_way = static_cast<Rank>(own.children.size());
    for (const FlowNumber child : own.children) {
      resources_.send({.from = own.processor,
                       .to = flows_[child].processor,
                       .bytes = bytes_of(own, segment),
                       .sent = flows_[child].alike,
                       .sender = number,
                       .receiver = child,
                       .part = static_cast<std::uint32_t>(segment)});
    }
    if (up_) has(own, segment);
    return true;
  }

  /// Segments whose result the rank has.
  [[nodiscard]] std::uint64_t to_hand_down(const Flow& own) const {
    if (own.partner != none) return own.exchanged;
    if (own.parent != none) return own.received;
    return up_ ? own.combined : own.segments;
  }

  void has(const Flow& own, std::uint64_t segment) {
    lacking_[segment * trees_ + own.tree] -= down_ ? own.alike : 1;
    for (; complete_ < segments_ && lacking_[complete_] == 0; ++complete_) complete_at_ = resources_.now();
  }

  std::vector<HostIndex> host_of_;  ///< by processor
  Resources resources_;
  std::uint64_t trees_;
  bool up_;
  bool down_;
  std::uint64_t message_bytes_;
  std::uint64_t segment_bytes_;
  std::uint64_t segments_;
  std::uint64_t lead_;
  std::uint64_t stride_ = 8;  ///< segments of each tree after which it may be seen whether the pipeline is filled
  std::vector<Flow> flows_;
  std::vector<FlowNumber> first_flow_;  ///< by processor
  std::vector<FlowNumber> last_flow_;   ///< by processor
  std::vector<Rank> lacking_;           ///< by segment: ranks that are to have its result, and have not
  std::uint64_t complete_ = 0;
  double complete_at_ = 0.0;
};

}  // namespace

std::optional<Replayed> replayed_trees(const ReplayGround& ground, const std::vector<TreeShape>& trees,
                                       Direction direction, std::uint64_t most_events) {
  return TreeReplay(ground, trees, direction).run(most_events);
}

}  // namespace trunkline
