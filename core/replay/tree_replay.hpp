// SPDX-License-Identifier: Apache-2.0
// Segments that go down trees, or operands that go up, as runtime/execute/trees hands them on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collective/collective.hpp"
#include "plan/tree_shape.hpp"
#include "replay/ground.hpp"
#include "replay/replay.hpp"
#include "replay/resources.hpp"

namespace trunkline {

/// Segment i goes along tree i mod trees. A rank hands a segment on to its children in their order as soon as it has it
/// and the segment one window before has come to them; it combines its children's operands in their order. Local leaves
/// in a row do alike, and are replayed once.
class TreeReplay {
 public:
  TreeReplay(const ReplayGround& ground, const std::vector<TreeShape>& trees, Direction direction);

  /// Nothing where that takes more events.
  [[nodiscard]] std::optional<Replayed> run(std::uint64_t most_events);

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

  void add(const TreeShape& shape, std::uint32_t tree);
  void add_leaves(FlowNumber parent, Rank count, std::uint32_t tree);
  void set_windows(const ReplayGround& ground, Flow& flow) const;
  void set_windows_up(const ReplayGround& ground, Flow& flow) const;
  [[nodiscard]] std::uint64_t bytes_of(const Flow& flow, std::uint64_t segment) const;
  void take(const ReplayedMessage& message);
  void combine(Flow& own);
  void advance(Rank processor);
  [[nodiscard]] bool is_ahead(const Flow& own) const;
  [[nodiscard]] bool send_up(FlowNumber number);
  [[nodiscard]] bool hand_down(FlowNumber number);
  [[nodiscard]] std::uint64_t to_hand_down(const Flow& own) const;
  void has(const Flow& own, std::uint64_t segment);

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

}  // namespace trunkline
