// SPDX-License-Identifier: Apache-2.0
// Pipelined broadcast over one tree, or over several that take segments by turns: each rank hands a segment on as soon
// as it has it, to its children in the segment's tree, in order.
//
// Cost, with X segments, height H, largest degree D, and T(m) the time of one transfer of m bytes:
//   (H * D + (X - 1) * D) * T(segment); a line has D = 1; over two trees of degree 2 it is (2 H + X) T(segment).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "datatype/message.hpp"
#include "execute/arriving.hpp"
#include "execute/execution.hpp"
#include "execute/trees/local_tree.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

class PipelinedTrees final : public Execution, public Arriving {
 public:
  /// Everything must outlive the object. The members must agree on trees, message bytes and segment. Under way to each
  /// rank are `in_flight_bytes`, or two segments.
  PipelinedTrees(Transport& transport, std::span<const LocalTree> trees, Message& message, std::uint64_t segment_bytes,
                 std::uint64_t in_flight_bytes);
  ~PipelinedTrees() override;
  PipelinedTrees(const PipelinedTrees&) = delete;
  PipelinedTrees& operator=(const PipelinedTrees&) = delete;

  /// The error with which the message could not be unpacked here, if any; it was handed on all the same.
  [[nodiscard]] int code() const override { return unpacked_; }

  [[nodiscard]] std::uint64_t bytes_here() const override;

 private:
  /// The segments of one tree, numbered 0, 1, ... of their own: segment i of tree t is segment i * trees + t.
  struct Flow {
    const LocalTree* tree = nullptr;
    unsigned number = 0;  ///< of the tree
    std::uint64_t segments = 0;
    std::uint64_t window = 0;             ///< segments received ahead, and segments on their way to each child
    std::uint64_t posted = 0;             ///< receives
    std::uint64_t received = 0;           ///< in order
    std::uint64_t forwarded = 0;          ///< in order
    std::unique_ptr<std::byte[]> ring{};  ///< 2 * window segments; null: in the user's own memory
    std::vector<Pending> receives{};
    std::vector<Pending> sends{};  ///< window rows, one request a child
    bool is_left_over = false;     ///< the library may still use the ring after the call

    [[nodiscard]] bool is_root() const { return tree->is_root(); }
    [[nodiscard]] std::span<Pending> row(std::uint64_t segment);
    [[nodiscard]] bool row_is_free(std::uint64_t segment);
  };

  [[nodiscard]] bool advance() override;
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override;
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override;

  [[nodiscard]] bool hand_on(Flow& flow);
  void post_receives(Flow& flow);
  void forward(Flow& flow);
  void deliver();

  [[nodiscard]] std::uint64_t number(const Flow& flow, std::uint64_t segment) const;
  [[nodiscard]] std::uint64_t offset(const Flow& flow, std::uint64_t segment) const;
  [[nodiscard]] std::byte* place(const Flow& flow, std::uint64_t segment) const;
  [[nodiscard]] int bytes_of(const Flow& flow, std::uint64_t segment) const;
  /// Segments of the flow that are in the user's buffer.
  [[nodiscard]] std::uint64_t delivered_of(const Flow& flow) const;

  Message& message_;
  std::uint64_t segment_bytes_;
  std::uint64_t segments_;
  std::byte* in_place_;          ///< the user's own memory; null: through the rings
  std::uint64_t delivered_ = 0;  ///< in the order of the message, whatever the tree
  std::vector<Flow> flows_;
  std::vector<Flow*> arriving_;  ///< whose next segment each awaited request brings; null: a send
  int unpacked_ = MPI_SUCCESS;   ///< or why it could not be
};

}  // namespace trunkline::runtime
