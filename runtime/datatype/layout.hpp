// SPDX-License-Identifier: Apache-2.0
// Where in memory the bytes of a datatype's signature are, so that any slice of them can be copied without packing the
// rest. The *stream* is those bytes in the order of the signature: the same on all ranks of a broadcast, whatever
// their datatypes look like in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <vector>

#include "datatype/contents.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

struct LayoutNode;

enum class NodeKind : std::uint8_t {
  empty,    ///< no bytes
  solid,    ///< one piece of memory, in the order of the stream
  opaque,   ///< only the MPI library knows; moved by PMPI_Pack and PMPI_Unpack, whole elements at a time
  strided,  ///< `count` times `child`, `stride` bytes apart in memory
  places,   ///< `child` at each of `displacements`
  pieces,   ///< pieces of memory, each of its own length
  parts,    ///< pieces of memory and other nodes
};

/// Of a list: what lies at `displacement` from the node's address, from byte `begin` of its stream on. The last one of
/// a list holds nothing: it says where the one before it ends.
struct Piece {
  std::int64_t displacement = 0;
  std::uint64_t begin = 0;
};
struct Part : Piece {
  const LayoutNode* node = nullptr;  ///< null: memory itself, without gaps
};

/// Lists are what takes memory: 8 bytes for each of `displacements`, 16 for a piece, 24 for a part.
struct LayoutNode {
  NodeKind kind = NodeKind::empty;
  std::uint64_t bytes = 0;                    ///< of the stream
  std::uint64_t piece_count = 0;              ///< pieces of memory in all; no_piece_count where it is not known
  std::int64_t displacement = 0;              ///< solid, strided: of the first byte or child, from the node's address
  std::uint64_t count = 0;                    ///< strided, places
  std::int64_t stride = 0;                    ///< strided; opaque: the datatype's extent
  const LayoutNode* child = nullptr;          ///< strided, places
  MPI_Datatype type = MPI_DATATYPE_NULL;      ///< opaque
  std::vector<std::int64_t> displacements{};  ///< places
  std::vector<Piece> pieces{};                ///< pieces
  std::vector<Part> parts{};                  ///< parts

  /// strided, places: from the node's address to child number `index`.
  [[nodiscard]] std::int64_t place(std::uint64_t index) const noexcept {
    return kind == NodeKind::strided ? displacement + static_cast<std::int64_t>(index) * stride : displacements[index];
  }
};
inline constexpr std::uint64_t no_piece_count = ~std::uint64_t{0};

/// Of `count` times `node`.
[[nodiscard]] constexpr std::uint64_t total_pieces(const LayoutNode& node, std::uint64_t count) noexcept {
  return node.piece_count == no_piece_count ? no_piece_count : node.piece_count * count;
}

/// `count` times `child`, `stride` bytes apart: empty, solid or strided. May refer to `child` and its children.
[[nodiscard]] LayoutNode repeated(const LayoutNode& child, std::uint64_t count, std::int64_t stride);

/// One element of a datatype, as a tree of nodes. Its size is that of the datatype's own description.
class Layout {
 public:
  /// Throws MpiError. `type` must outlive the layout where that has opaque parts.
  explicit Layout(MPI_Datatype type);
  ~Layout();
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  [[nodiscard]] const LayoutNode& root() const noexcept { return *root_; }

  /// From one element to the next one, bytes.
  [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }

  /// Whether MPI must be asked to pack some part of it.
  [[nodiscard]] bool has_opaque_parts() const noexcept { return root_->piece_count == no_piece_count; }

 private:
  struct Element {
    const LayoutNode* node;
    std::int64_t extent;
  };
  friend class NodeBuilder;

  Element element(MPI_Datatype type, Contents* owner, std::size_t index_in_owner);
  const LayoutNode* named(MPI_Datatype type, std::uint64_t bytes, std::int64_t extent);
  const LayoutNode* derived(Contents& contents);
  const LayoutNode* indexed(const Contents& contents, Element of);
  const LayoutNode* structure(Contents& contents);
  const LayoutNode* subarray(Contents& contents);
  const LayoutNode* distributed_array(Contents& contents);
  const LayoutNode* opaque(MPI_Datatype type, Contents* owner, std::size_t index_in_owner, std::uint64_t bytes,
                           std::int64_t extent);
  const LayoutNode* add(LayoutNode node);
  const LayoutNode* solid(std::uint64_t bytes);
  const LayoutNode* repeat(std::uint64_t count, std::int64_t stride, const LayoutNode* child);

  std::forward_list<LayoutNode> nodes_;
  std::vector<MPI_Datatype> owned_;
  const LayoutNode* root_;
  std::int64_t extent_;
};

}  // namespace trunkline::runtime
