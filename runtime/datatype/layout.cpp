// SPDX-License-Identifier: Apache-2.0
#include "datatype/layout.hpp"

#include <climits>
#include <utility>

#include "datatype/runs_builder.hpp"

namespace trunkline::runtime {
namespace {

std::uint64_t unsigned_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

}  // namespace

Layout::Layout(MPI_Datatype type, std::uint64_t count) {
  const Element whole = element(type, nullptr, 0);
  root_ = repeat(count, whole.extent, whole.node);
}

Layout::~Layout() {
  for (MPI_Datatype& type : owned_) PMPI_Type_free(&type);
}

NodeIndex Layout::add(LayoutNode node) {
  nodes_.push_back(std::move(node));
  return static_cast<NodeIndex>(nodes_.size() - 1);
}

NodeIndex Layout::repeat(std::uint64_t count, std::int64_t stride, NodeIndex child) {
  RunsBuilder runs(*this);
  runs.add(0, count, stride, child);
  return runs.finish();
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
      if (bytes != extent) return {opaque(type, unsigned_of(bytes), owner, index_in_owner), extent};
      return {add({.kind = NodeKind::solid, .bytes = unsigned_of(bytes)}), extent};
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
      return {opaque(type, unsigned_of(bytes), owner, index_in_owner), extent};
  }
}

NodeIndex Layout::opaque(MPI_Datatype type, std::uint64_t bytes, Contents* owner, std::size_t index_in_owner) {
  if (bytes > INT_MAX) throw MpiError{MPI_ERR_TYPE};  // beyond what MPI_Pack can count
  if (owner != nullptr && !is_named(type)) {
    owned_.push_back(owner->release(index_in_owner));
    check(PMPI_Type_commit(&owned_.back()));  // MPI leaves open whether what it hands out is committed
  }
  return add({.kind = NodeKind::opaque, .bytes = bytes, .type = type});
}

NodeIndex Layout::derived(Contents& contents) {
  const auto& n = contents.numbers();
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
  switch (contents.combiner()) {
    case MPI_COMBINER_CONTIGUOUS:
      return repeat(unsigned_of(n[0]), of.extent, of.node);
    case MPI_COMBINER_VECTOR:
      return repeat(unsigned_of(n[0]), n[2] * of.extent, repeat(unsigned_of(n[1]), of.extent, of.node));
    case MPI_COMBINER_HVECTOR:
      return repeat(unsigned_of(n[0]), n[2], repeat(unsigned_of(n[1]), of.extent, of.node));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return indexed(contents, of);
    default:  // dup and resized change nothing but the extent
      return of.node;
  }
}

NodeIndex Layout::indexed(const Contents& contents, Element of) {
  const auto& n = contents.numbers();
  const int combiner = contents.combiner();
  const bool blocks_alike = combiner == MPI_COMBINER_INDEXED_BLOCK || combiner == MPI_COMBINER_HINDEXED_BLOCK;
  const bool in_elements = combiner == MPI_COMBINER_INDEXED || combiner == MPI_COMBINER_INDEXED_BLOCK;
  const auto blocks = static_cast<std::size_t>(n[0]);
  const std::size_t displacements = blocks_alike ? 2 : 1 + blocks;
  RunsBuilder runs(*this);
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::int64_t length = n[blocks_alike ? 1 : 1 + i];
    runs.add(n[displacements + i] * (in_elements ? of.extent : 1), unsigned_of(length), of.extent, of.node);
  }
  return runs.finish();
}

NodeIndex Layout::structure(Contents& contents) {
  const auto& n = contents.numbers();
  const auto blocks = static_cast<std::size_t>(n[0]);
  RunsBuilder runs(*this);
  for (std::size_t i = 0; i < blocks; ++i) {
    const Element of = element(contents.types()[i], &contents, i);
    runs.add(n[1 + blocks + i], unsigned_of(n[1 + i]), of.extent, of.node);
  }
  return runs.finish();
}

}  // namespace trunkline::runtime
