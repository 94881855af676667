// SPDX-License-Identifier: Apache-2.0
// Layouts of MPI_Type_create_subarray and MPI_Type_create_darray.
#include <algorithm>
#include <span>

#include "datatype/layout.hpp"
#include "datatype/node_builder.hpp"

namespace trunkline::runtime {
namespace {

using Numbers = std::span<const std::int64_t>;

// The arguments in one order, wherever the form that was called keeps them: with large counts, what does not fit an
// int comes after all that does.
struct Subarray {
  Numbers sizes, subsizes, starts;
  std::int64_t order;

  /// Refers to `n`, the contents' numbers.
  Subarray(const Contents& contents, Numbers n) {
    const auto dimensions = static_cast<std::size_t>(n[0]);
    const Numbers arrays = n.subspan(contents.large() ? 2 : 1, 3 * dimensions);
    sizes = arrays.first(dimensions);
    subsizes = arrays.subspan(dimensions, dimensions);
    starts = arrays.last(dimensions);
    order = contents.large() ? n[1] : n[1 + 3 * dimensions];
  }
};

struct DistributedArray {
  std::int64_t rank;
  Numbers sizes, distributions, arguments, processes;
  std::int64_t order;

  /// Refers to `n`, the contents' numbers.
  DistributedArray(const Contents& contents, Numbers n) {
    rank = n[1];
    const auto dimensions = static_cast<std::size_t>(n[2]);
    const Numbers rest = n.subspan(contents.large() ? 3 : 3 + dimensions);
    distributions = rest.first(dimensions);
    arguments = rest.subspan(dimensions, dimensions);
    processes = rest.subspan(2 * dimensions, dimensions);
    order = rest[3 * dimensions];
    sizes = contents.large() ? rest.subspan(3 * dimensions + 1, dimensions) : n.subspan(3, dimensions);
  }
};

/// Dimensions from the one that varies fastest in memory to the slowest.
std::vector<std::size_t> fastest_first(std::size_t dimensions, std::int64_t order) {
  std::vector<std::size_t> result(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) result[i] = order == MPI_ORDER_C ? dimensions - 1 - i : i;
  return result;
}

/// Place of a process in its grid, whose last dimension varies fastest whatever the order of the array.
std::vector<std::int64_t> place_in_grid(std::int64_t rank, Numbers processes) {
  std::vector<std::int64_t> place(processes.size());
  for (std::size_t i = processes.size(); i-- > 0;) {
    place[i] = rank % processes[i];
    rank /= processes[i];
  }
  return place;
}

}  // namespace

const LayoutNode* Layout::subarray(Contents& contents) {
  const std::vector<std::int64_t> numbers = contents.numbers();
  const Subarray array(contents, numbers);
  const Element of = element(contents.types()[0], &contents, 0);
  const LayoutNode* node = of.node;
  std::int64_t stride = of.extent;
  std::int64_t start = 0;
  for (const std::size_t d : fastest_first(array.sizes.size(), array.order)) {
    node = repeat(static_cast<std::uint64_t>(array.subsizes[d]), stride, node);
    start += array.starts[d] * stride;
    stride *= array.sizes[d];
  }
  NodeBuilder builder(*this, 1);
  builder.add(start, node);
  return builder.finish();
}

const LayoutNode* Layout::distributed_array(Contents& contents) {
  const std::vector<std::int64_t> numbers = contents.numbers();
  const DistributedArray array(contents, numbers);
  const Element of = element(contents.types()[0], &contents, 0);
  const std::vector<std::int64_t> place = place_in_grid(array.rank, array.processes);
  const LayoutNode* node = of.node;
  std::int64_t stride = of.extent;
  for (const std::size_t d : fastest_first(array.sizes.size(), array.order)) {
    const std::int64_t size = array.sizes[d];
    const std::int64_t processes = array.processes[d];
    const std::int64_t fair = (size + processes - 1) / processes;
    const bool by_default = array.arguments[d] == MPI_DISTRIBUTE_DFLT_DARG;
    const bool cyclic = array.distributions[d] == MPI_DISTRIBUTE_CYCLIC;
    // Blocks of `block` elements are dealt over the processes; a block distribution deals once.
    const std::int64_t block = !by_default && array.distributions[d] != MPI_DISTRIBUTE_NONE ? array.arguments[d]
                               : cyclic                                                     ? 1
                                                                                            : fair;
    const std::int64_t first = place[d] * block;
    const std::int64_t round = processes * block;
    const std::int64_t left = std::max<std::int64_t>(size - first, 0);
    const std::int64_t last = left % round;  // elements of the last round, where it is not full
    const std::int64_t full = left / round + (last >= block ? 1 : 0);
    NodeBuilder builder(*this, 2);
    builder.add(first * stride, repeat(static_cast<std::uint64_t>(full), round * stride,
                                       repeat(static_cast<std::uint64_t>(block), stride, node)));
    if (last < block) {
      builder.add((first + full * round) * stride, repeat(static_cast<std::uint64_t>(last), stride, node));
    }
    node = builder.finish();
    stride *= size;
  }
  return node;
}

}  // namespace trunkline::runtime
