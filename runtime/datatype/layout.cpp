// SPDX-License-Identifier: Apache-2.0
#include "datatype/layout.hpp"

#include <climits>
#include <unordered_map>
#include <utility>

#include "datatype/node_builder.hpp"

namespace trunkline::runtime {
namespace {

std::uint64_t unsigned_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// A value and an int, in memory as MPI defines them: as C does.
struct PairType {
  MPI_Datatype type;
  std::uint64_t value_bytes;
  std::size_t index_at;
  std::size_t extent;
};

template <class Value>
PairType pair_type(MPI_Datatype type) {
  struct Pair {
    Value value;
    int index;
  };
  return {type, sizeof(Value), offsetof(Pair, index), sizeof(Pair)};
}

}  // namespace

LayoutNode repeated(const LayoutNode& child, std::uint64_t count, std::int64_t stride) {
  if (count == 0 || child.bytes == 0) return {};
  const std::uint64_t bytes = count * child.bytes;
  if (child.kind == NodeKind::solid && (count == 1 || stride == static_cast<std::int64_t>(child.bytes))) {
    return {.kind = NodeKind::solid, .bytes = bytes, .piece_count = 1, .displacement = child.displacement};
  }
  LayoutNode made{.kind = NodeKind::strided,
                  .bytes = bytes,
                  .piece_count = total_pieces(child, count),
                  .count = count,
                  .stride = stride,
                  .child = &child};
  if (child.kind == NodeKind::strided) {
    const bool goes_on = count == 1 || stride == static_cast<std::int64_t>(child.count) * child.stride;
    if (goes_on || child.count == 1) {
      made.displacement = child.displacement;
      made.count = count * child.count;
      made.stride = goes_on ? child.stride : stride;
      made.child = child.child;
    }
  }
  return made;
}

Layout::Layout(MPI_Datatype type) {
  const Element whole = element(type, nullptr, 0);
  root_ = whole.node;
  extent_ = whole.extent;
}

Layout::~Layout() {
  for (MPI_Datatype& type : owned_) PMPI_Type_free(&type);
}

const LayoutNode* Layout::add(LayoutNode node) { return &nodes_.emplace_front(std::move(node)); }

const LayoutNode* Layout::solid(std::uint64_t bytes) {
  return add({.kind = NodeKind::solid, .bytes = bytes, .piece_count = 1});
}

const LayoutNode* Layout::repeat(std::uint64_t count, std::int64_t stride, const LayoutNode* child) {
  return count == 1 ? child : add(repeated(*child, count, stride));
}

Layout::Element Layout::element(MPI_Datatype type, Contents* owner, std::size_t index_in_owner) {
  MPI_Count bytes = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  check(PMPI_Type_size_x(type, &bytes));
  check(PMPI_Type_get_extent_x(type, &lower, &extent));
  if (bytes == 0) return {add({}), extent};

  Contents contents(type);
  switch (contents.combiner()) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return {named(type, unsigned_of(bytes), extent), extent};
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
      return {derived(contents), extent};
    default:  // a constructor of a later MPI
      return {opaque(type, owner, index_in_owner, unsigned_of(bytes), extent), extent};
  }
}

const LayoutNode* Layout::named(MPI_Datatype type, std::uint64_t bytes, std::int64_t extent) {
  if (bytes == unsigned_of(extent)) return solid(bytes);
  for (const PairType& pair :
       {pair_type<double>(MPI_DOUBLE_INT), pair_type<float>(MPI_FLOAT_INT), pair_type<long>(MPI_LONG_INT),
        pair_type<short>(MPI_SHORT_INT), pair_type<long double>(MPI_LONG_DOUBLE_INT)}) {
    if (type != pair.type || bytes != pair.value_bytes + sizeof(int) || unsigned_of(extent) != pair.extent) continue;
    NodeBuilder builder(*this, 2);
    builder.add_memory(0, pair.value_bytes);
    builder.add_memory(static_cast<std::int64_t>(pair.index_at), sizeof(int));
    return builder.finish();
  }
  return opaque(type, nullptr, 0, bytes, extent);
}

const LayoutNode* Layout::opaque(MPI_Datatype type, Contents* owner, std::size_t index_in_owner, std::uint64_t bytes,
                                 std::int64_t extent) {
  if (bytes > INT_MAX) throw MpiError{MPI_ERR_TYPE};  // beyond what MPI_Pack can count
  if (owner != nullptr && !is_named(type)) {
    owned_.push_back(owner->release(index_in_owner));
    check(PMPI_Type_commit(&owned_.back()));  // MPI leaves open whether what it hands out is committed
  }
  return add({.kind = NodeKind::opaque, .bytes = bytes, .piece_count = no_piece_count, .stride = extent, .type = type});
}

const LayoutNode* Layout::derived(Contents& contents) {
  switch (contents.combiner()) {
    case MPI_COMBINER_STRUCT:
      return structure(contents);
    case MPI_COMBINER_SUBARRAY:
      return subarray(contents);
    case MPI_COMBINER_DARRAY:
      return distributed_array(contents);
    default:
      break;
  }
  const Element of = element(contents.types()[0], &contents, 0);
  const auto n = [&](std::size_t index) { return contents.number(index); };
  switch (contents.combiner()) {
    case MPI_COMBINER_CONTIGUOUS:
      return repeat(unsigned_of(n(0)), of.extent, of.node);
    case MPI_COMBINER_VECTOR:
      return repeat(unsigned_of(n(0)), n(2) * of.extent, repeat(unsigned_of(n(1)), of.extent, of.node));
    case MPI_COMBINER_HVECTOR:
      return repeat(unsigned_of(n(0)), n(2), repeat(unsigned_of(n(1)), of.extent, of.node));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return indexed(contents, of);
    default:  // dup and resized change nothing but the extent
      return of.node;
  }
}

const LayoutNode* Layout::indexed(const Contents& contents, Element of) {
  const int combiner = contents.combiner();
  const bool blocks_alike = combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
  const bool in_elements = combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK;
  const std::int64_t unit = in_elements ? of.extent : 1;
  const auto blocks = static_cast<std::size_t>(contents.number(0));
  const std::size_t displacements = blocks_alike ? 2 : 1 + blocks;
  const bool solid_blocks = of.node->kind == NodeKind::solid && of.extent == static_cast<std::int64_t>(of.node->bytes);
  std::unordered_map<std::uint64_t, const LayoutNode*> by_length;
  NodeBuilder builder(*this, blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::int64_t displacement = contents.number(displacements + i) * unit;
    const std::uint64_t length = unsigned_of(contents.number(blocks_alike ? 1 : 1 + i));
    if (solid_blocks) {
      builder.add_memory(displacement + of.node->displacement, length * of.node->bytes);
    } else {
      const LayoutNode*& block = by_length[length];
      if (block == nullptr) block = repeat(length, of.extent, of.node);
      builder.add(displacement, block);
    }
  }
  return builder.finish();
}

const LayoutNode* Layout::structure(Contents& contents) {
  const auto blocks = static_cast<std::size_t>(contents.number(0));
  NodeBuilder builder(*this, blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const Element of = element(contents.types()[i], &contents, i);
    const std::uint64_t length = unsigned_of(contents.number(1 + i));
    builder.add(contents.number(1 + blocks + i), repeat(length, of.extent, of.node));
  }
  return builder.finish();
}

}  // namespace trunkline::runtime
