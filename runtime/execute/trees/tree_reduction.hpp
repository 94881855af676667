// SPDX-License-Identifier: Apache-2.0
// Pipelined reduction over one tree, or over several that take segments by turns: a rank combines its operand with its
// children's, one child after another, and sends the segment on to its parent; the root's result stays there or goes
// down the same tree at once, while later segments still come up. Two roots that exchange send each other what has come
// up to them at once; both combine the two in the same order, and send the result down on their sides.
//
// The order in which operands are combined is the plan's alone: the same bits in every run. Operations that do not
// commute get them by rank: the children from the last rank to the first, and the rank's own operand at its place
// among them.
//
// Cost: up as much as a broadcast over the same trees; up and down together each link carries twice the data, and the
// first segment has both ways to go, between two roots that exchange only one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collective/operand_order.hpp"
#include "datatype/operands.hpp"
#include "execute/execution.hpp"
#include "execute/trees/local_tree.hpp"
#include "mpi_api.hpp"
#include "plan/in_flight.hpp"

namespace trunkline::runtime {

class TreeReduction : public Execution {
 public:
  /// Everything must outlive the object. The members must agree on trees, elements and segment; where `everywhere`,
  /// this rank gets the result, as all do that are not told otherwise, and has room for it; else the root alone. For an
  /// order by rank the plan must keep it.
  TreeReduction(Transport& transport, std::span<const LocalTree> trees, const Operands& operands,
                std::uint64_t segment_bytes, const InFlight& in_flight, bool everywhere, OperandOrder order);
  ~TreeReduction() override;
  TreeReduction(const TreeReduction&) = delete;
  TreeReduction& operator=(const TreeReduction&) = delete;

 protected:
  [[nodiscard]] bool advance() override;
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override;
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override;

  /// The number of elements, from the first one on, that hold the operands of this rank and all below it in each tree.
  [[nodiscard]] std::uint64_t complete_elements() const;

 private:
  /// A child's operands.
  struct Asked {
    std::uint64_t window = 0;    ///< awaited at once
    std::uint64_t segments = 0;  ///< awaited so far
  };
  /// Of each segment one, for as many as follow each other.
  struct Slots {
    std::uint64_t first = 0;
    std::uint64_t window = 0;

    [[nodiscard]] std::uint64_t of(std::uint64_t segment) const { return first + segment % window; }
  };
  /// The segments of one tree, numbered 0, 1, ... of their own: segment i of tree t is segment i * trees + t.
  struct Flow {
    const LocalTree* tree = nullptr;
    unsigned number = 0;  ///< of the tree
    std::uint64_t segments = 0;
    std::uint64_t window = 0;      ///< of segments that it has slots for, of their sums
    std::uint64_t up_window = 0;   ///< of segments that are sent up
    std::uint64_t first_slot = 0;  ///< children before it send to where the result goes
    std::uint64_t slots_each = 0;  ///< of a segment
    std::vector<Slots> slots{};    ///< slots_each of them: children in their order, sums by rank, the partner's sum
    // Up, in order.
    std::vector<Asked> asked{};  ///< of each child
    std::uint64_t combined = 0;  ///< segments of this rank and all below it
    std::size_t children = 0;    ///< that the next of them holds already
    std::uint64_t sent = 0;      ///< to the parent
    // Down, in order.
    std::uint64_t expected = 0;       ///< results awaited from the parent, or what the partner got
    std::uint64_t received = 0;       ///< of them
    std::uint64_t exchanged = 0;      ///< combined with what the partner got
    std::uint64_t handed_on = 0;      ///< to the children
    Operands::Slots memory{};         ///< of all slots
    std::vector<Pending> operands{};  ///< window rows, one a child
    std::vector<Pending> up{};        ///< up_window
    std::vector<Pending> results{};   ///< window
    std::vector<Pending> down{};      ///< window rows, one a child
    bool is_left_over = false;        ///< the library may still use the slots after the call

    [[nodiscard]] bool is_root() const { return tree->is_root(); }
    [[nodiscard]] bool exchanges() const { return tree->exchanges(); }
    /// Whether this rank has all operands: no rank is above it.
    [[nodiscard]] bool is_top() const { return tree->next_up() == no_parent; }
    [[nodiscard]] bool is_leaf() const { return tree->is_leaf(); }
    /// Children that get the result from here.
    [[nodiscard]] std::size_t told() const { return tree->children.size() - tree->told_otherwise; }
    /// Segments whose result is here.
    [[nodiscard]] std::uint64_t results_here() const {
      return exchanges() ? exchanged : is_top() ? combined : received;
    }
    [[nodiscard]] std::size_t cell(std::uint64_t segment, std::size_t child) const {
      return segment % window * tree->children.size() + child;
    }
    [[nodiscard]] std::span<Pending> down_row(std::uint64_t segment);
    /// Whether a segment has reached who is above, as far as this rank must care: its memory is free again.
    [[nodiscard]] bool is_up(std::uint64_t segment) const;
    /// Whether the slot for a segment still has one that is on its way up.
    [[nodiscard]] bool waits_for_slot(std::uint64_t segment) const;
  };

  void ask(Flow& flow);
  [[nodiscard]] bool is_ahead(const Flow& flow) const;
  [[nodiscard]] bool send_up(Flow& flow);
  void expect(Flow& flow);
  [[nodiscard]] bool exchange(Flow& flow);
  [[nodiscard]] bool hand_down(Flow& flow);
  void combine(Flow& flow);
  void combine_any(const Flow& flow);
  void combine_by_rank(const Flow& flow);
  [[nodiscard]] bool is_done(const Flow& flow) const;

  [[nodiscard]] std::uint64_t first(const Flow& flow, std::uint64_t segment) const;
  [[nodiscard]] std::uint64_t elements(const Flow& flow, std::uint64_t segment) const;
  [[nodiscard]] Chunk own(const Flow& flow, std::uint64_t segment) const;
  [[nodiscard]] Chunk result(const Flow& flow, std::uint64_t segment) const;
  /// Where a child's operand arrives.
  [[nodiscard]] Chunk operand(const Flow& flow, std::uint64_t segment, std::size_t child) const;
  /// Where the partner's sum arrives.
  [[nodiscard]] Chunk partners(const Flow& flow, std::uint64_t segment) const;
  /// Whether the operands from below are combined where the result goes: it is there already, and it is not sent from
  /// there while it is still to change.
  [[nodiscard]] bool sums_in_result(const Flow& flow) const { return operands_.has_result() && !flow.exchanges(); }
  /// Where a segment's operands are combined by rank, the last of them first.
  [[nodiscard]] Chunk gathered(const Flow& flow, std::uint64_t segment) const;
  /// Where they are once all have been combined.
  [[nodiscard]] Chunk sum(const Flow& flow, std::uint64_t segment) const;

  const Operands& operands_;
  bool everywhere_;
  bool by_rank_;
  std::uint64_t segment_elements_;
  std::uint64_t segments_;
  std::uint64_t lead_ = 0;        ///< segments that a rank may be ahead in trees in which it is a leaf
  std::vector<LocalTree> trees_;  ///< the same, with children in the order in which they are combined
  std::vector<Flow> flows_;

  enum class Awaited : std::uint8_t { operand, result, send };
  struct Waiting {
    Flow* flow;
    Awaited what;
    std::size_t child = 0;  ///< of an operand
  };
  std::vector<Waiting> waiting_;  ///< what each awaited request brings
};

}  // namespace trunkline::runtime
