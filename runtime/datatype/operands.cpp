// SPDX-License-Identifier: Apache-2.0
#include "datatype/operands.hpp"

#include <algorithm>

namespace trunkline::runtime {

Operands::Operands(const Reduced& data) : data_(data) {
  MPI_Count bytes = 0;
  MPI_Count low = 0;
  MPI_Count extent = 0;
  MPI_Count true_low = 0;
  MPI_Count true_extent = 0;
  check(PMPI_Type_size_x(data.type, &bytes));
  check(PMPI_Type_get_extent_x(data.type, &low, &extent));
  check(PMPI_Type_get_true_extent_x(data.type, &true_low, &true_extent));
  element_bytes_ = static_cast<std::uint64_t>(bytes);
  extent_ = static_cast<std::ptrdiff_t>(extent);
  true_first_ = static_cast<std::ptrdiff_t>(true_low);
  true_extent_ = static_cast<std::ptrdiff_t>(true_extent);
}

/// Without gaps it travels as bytes: the library need not look at the datatype.
Chunk Operands::chunk(std::byte* first, std::uint64_t elements) const {
  const auto bytes = static_cast<int>(elements * element_bytes_);
  const auto size = static_cast<std::ptrdiff_t>(element_bytes_);
  const bool dense = true_first_ == 0 && true_extent_ == size && extent_ == size;
  if (dense) return {.at = first, .count = bytes, .bytes = bytes};
  return {.at = first, .count = static_cast<int>(elements), .type = data_.type, .bytes = bytes};
}

Chunk Operands::own(std::uint64_t first, std::uint64_t elements) const {
  // Read only, but MPI's requests have one kind of buffer.
  auto* const at =
      static_cast<std::byte*>(const_cast<void*>(data_.own));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return chunk(at + offset(first), elements);
}

Chunk Operands::result(std::uint64_t first, std::uint64_t elements) const {
  return chunk(static_cast<std::byte*>(data_.result) + offset(first), elements);
}

Operands::Slots::Slots(const Operands& operands, std::uint64_t chunks, std::uint64_t elements) {
  // Extents may be negative: then the last element lies lowest.
  const std::ptrdiff_t span = operands.offset(elements - 1);
  const std::ptrdiff_t lowest = operands.true_first_ + std::min<std::ptrdiff_t>(span, 0);
  const std::ptrdiff_t highest = operands.true_first_ + operands.true_extent_ + std::max<std::ptrdiff_t>(span, 0);
  constexpr std::ptrdiff_t alignment = alignof(std::max_align_t);
  // An element's address modulo the alignment stays what the datatype was made for.
  const std::ptrdiff_t below = (-lowest + alignment - 1) / alignment * alignment;
  origin_ = below;
  stride_ = (below + highest + alignment - 1) / alignment * alignment;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(stride_) * chunks);
}

Chunk Operands::Slots::chunk(const Operands& operands, std::uint64_t slot, std::uint64_t elements) const {
  return operands.chunk(memory_.get() + static_cast<std::ptrdiff_t>(slot) * stride_ + origin_, elements);
}

void Operands::combine(const Chunk& in, const Chunk& inout) const {
  const auto elements = static_cast<int>(static_cast<std::uint64_t>(in.bytes) / element_bytes_);
  check(PMPI_Reduce_local(in.at, inout.at, elements, data_.type, data_.operation));
}

}  // namespace trunkline::runtime
