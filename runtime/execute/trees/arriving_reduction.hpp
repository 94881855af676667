// SPDX-License-Identifier: Apache-2.0
// An allreduce of one segment down and up one tree, in which the ranks of a host combine as they come (Bongo, Anshus,
// Bjoerndalen, the host subtrees of their allreduce): each takes what another one has left on the host's shelf, adds it
// to its own, and leaves the two together for the rank that comes next. The last one to combine has the sum of the
// host. None waits for a given rank, and none is woken to combine.
//
// That rank sends the sum to the next host itself, whose rank takes it from whichever rank of this host it comes from.
// The result comes down the tree, so ranks wake each other as the plan says. On the root's host the sum goes to the
// root.
//
// Who comes first decides in which order operands are combined: for operations that commute, and not where bits must be
// the same in every run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datatype/operands.hpp"
#include "execute/execution.hpp"
#include "execute/trees/host_group.hpp"
#include "execute/trees/local_tree.hpp"
#include "transport/shelf.hpp"

namespace trunkline::runtime {

class ArrivingReduction final : public Execution {
 public:
  /// All must outlive the object. The shelf reaches all of the group, and the operands fit on it; null where this rank
  /// is the only one of its group.
  ArrivingReduction(Transport& transport, Shelf* shelf, const LocalTree& tree, const HostGroup& group,
                    const Operands& operands);
  ~ArrivingReduction() override;
  ArrivingReduction(const ArrivingReduction&) = delete;
  ArrivingReduction& operator=(const ArrivingReduction&) = delete;

 private:
  enum class Stage : std::uint8_t {
    begins,
    from_far,       ///< what other hosts send this rank is awaited
    combines,       ///< with what ranks of this host have left
    sends_sum,      ///< of the host: to the next one, or to the root
    awaits_sum,     ///< at the root, from whichever rank was last
    awaits_result,  ///< from the parent
    hands_down,
    over,
  };

  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override { return stage_ == Stage::combines; }
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override { return stage_ < Stage::hands_down; }
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override { return {up_, down_}; }

  void begin();
  [[nodiscard]] bool meet();
  [[nodiscard]] bool is_root() const { return group_.is_top && tree_.is_root(); }
  void go_on_with_sum();
  [[nodiscard]] std::size_t far_of(int sender) const;
  void expect_result();
  /// The place where all is combined and sent from.
  [[nodiscard]] Chunk result() const { return operands_.result(0, operands_.count()); }
  [[nodiscard]] Chunk slot(std::size_t number) const { return memory_.chunk(operands_, number, operands_.count()); }

  Shelf* shelf_;
  const LocalTree& tree_;
  const HostGroup& group_;
  const Operands& operands_;
  bool is_row_;  ///< operands are bytes in a row: they are combined from where they were left
  Stage stage_ = Stage::begins;
  std::size_t far_combined_ = 0;
  unsigned ranks_ = 1;                  ///< of the group: what they bring is combined here
  Operands::Slots memory_{};            ///< of children on other hosts, and where one from the shelf is unpacked
  std::vector<Pending> far_;            ///< as many as there are children on other hosts, from any of them
  std::vector<bool> has_come_;          ///< by child on another host
  std::vector<Pending> down_;           ///< by child
  std::array<Pending, 1> up_{};         ///< the sum
  std::array<Pending, 1> there_{};      ///< the sum or the result, to here
  std::vector<std::size_t> waiting_{};  ///< places of `far_` that are awaited
};

}  // namespace trunkline::runtime
