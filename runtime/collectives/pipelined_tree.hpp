// SPDX-License-Identifier: Apache-2.0
// Pipelined broadcast over a tree: the message flows down in segments, each rank hands a segment on as soon as it has
// it, to its children in order.
//
// Cost, with X segments, height H, largest degree D, and T(m) the time of one transfer of m bytes:
//   (H * D + (X - 1) * D) * T(segment); a line has D = 1.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "datatype/message.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

inline constexpr int no_parent = -1;

/// A rank's own part of a tree.
struct LocalTree {
  int parent = no_parent;
  std::vector<int> children;  ///< in sending order
};

class PipelinedTree {
 public:
  /// Everything must outlive the object. The ranks of `communicator` must agree on tree, message bytes and segment.
  PipelinedTree(MPI_Comm communicator, const LocalTree& tree, Message& message, std::uint64_t segment_bytes);
  ~PipelinedTree();
  PipelinedTree(const PipelinedTree&) = delete;
  PipelinedTree& operator=(const PipelinedTree&) = delete;

  /// Returns when the message is in this rank's buffer and the buffer may be changed again. Throws MpiError; the
  /// communicator is of no use after that.
  void run();

 private:
  void post_receive(std::uint64_t segment);
  void await(std::uint64_t segment);
  void forward(std::uint64_t segment);
  void deliver(std::uint64_t segment);
  void finish();

  [[nodiscard]] std::byte* place(std::uint64_t segment) const;
  [[nodiscard]] int bytes_of(std::uint64_t segment) const;
  [[nodiscard]] MPI_Request* sends_of(std::uint64_t segment);

  MPI_Comm communicator_;
  const LocalTree& tree_;
  Message& message_;
  std::uint64_t segment_bytes_;
  std::uint64_t segments_;
  std::uint64_t window_;               ///< segments received ahead, and segments on their way to each child
  std::byte* in_place_;                ///< the user's own memory; null: through the ring
  std::unique_ptr<std::byte[]> ring_;  ///< 2 * window_ segments
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;  ///< window_ rows, one request a child
};

}  // namespace trunkline::runtime
