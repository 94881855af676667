// SPDX-License-Identifier: Apache-2.0
// Where in memory the bytes of a datatype's signature are, so that any slice of them can be copied without packing the
// rest. The *stream* is those bytes in the order of the signature: the same on all ranks of a broadcast, whatever
// their datatypes look like in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "datatype/contents.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

using NodeIndex = std::uint32_t;

/// `count` elements in a row, `stride` bytes apart in memory; together the stream from `begin` on.
struct Run {
  std::int64_t displacement = 0;  ///< of the first element, from the address of the node
  std::uint64_t begin = 0;        ///< bytes of the node's stream before this run
  std::uint64_t count = 0;        ///< elements; bytes where `child` is raw_bytes
  std::int64_t stride = 0;
  NodeIndex child = 0;
};
inline constexpr NodeIndex raw_bytes = 0xFFFFFFFFU;  ///< not a node: memory itself, without gaps

enum class NodeKind : std::uint8_t {
  empty,   ///< no bytes
  solid,   ///< one piece of memory, in the order of the stream
  opaque,  ///< only the MPI library knows; moved by PMPI_Pack and PMPI_Unpack, whole elements at a time
  runs,    ///< runs of other nodes, in the order of the stream
};

struct LayoutNode {
  NodeKind kind = NodeKind::empty;
  std::uint64_t bytes = 0;                ///< of the stream
  std::int64_t displacement = 0;          ///< solid: of the first byte
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< opaque
  std::vector<Run> runs{};
};

/// A datatype repeated `count` times, as one tree of nodes. Its size is that of the datatype's own description.
class Layout {
 public:
  /// Throws MpiError. `type` must outlive the layout.
  Layout(MPI_Datatype type, std::uint64_t count);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  [[nodiscard]] const LayoutNode& root() const { return nodes_[root_]; }
  [[nodiscard]] const LayoutNode& node(NodeIndex index) const { return nodes_[index]; }

 private:
  struct Element {
    NodeIndex node;
    std::int64_t extent;
  };
  friend class RunsBuilder;

  Element element(MPI_Datatype type, Contents* owner, std::size_t index_in_owner);
  NodeIndex derived(Contents& contents);
  NodeIndex indexed(const Contents& contents, Element of);
  NodeIndex structure(Contents& contents);
  NodeIndex subarray(Contents& contents);
  NodeIndex distributed_array(Contents& contents);
  NodeIndex opaque(MPI_Datatype type, std::uint64_t bytes, Contents* owner, std::size_t index_in_owner);
  NodeIndex add(LayoutNode node);
  NodeIndex repeat(std::uint64_t count, std::int64_t stride, NodeIndex child);

  std::vector<LayoutNode> nodes_;
  std::vector<MPI_Datatype> owned_;
  NodeIndex root_ = 0;
};

}  // namespace trunkline::runtime
