// SPDX-License-Identifier: Apache-2.0
#include "datatype/operands.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "datatype/message.hpp"
#include "datatype/predefined.hpp"

namespace trunkline::runtime {

std::byte* moved(const void* from, std::ptrdiff_t by) {
  const auto address = reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(by);
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}
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
  // A derived datatype without gaps may still be in another order than its signature.
  as_bytes_ = predefined_bytes(data.type).has_value() && extent == bytes;
}

Chunk Operands::chunk(std::byte* first, std::uint64_t elements) const {
  const auto bytes = static_cast<int>(elements * element_bytes_);
  if (as_bytes_) return {.at = first, .count = bytes, .bytes = bytes};
  return {.at = first, .count = static_cast<int>(elements), .type = data_.type, .bytes = bytes};
}

Chunk Operands::own(std::uint64_t first, std::uint64_t elements) const {
  return chunk(moved(data_.own, offset(first)), elements);
}

Chunk Operands::result(std::uint64_t first, std::uint64_t elements) const {
  return chunk(moved(data_.result, offset(first)), elements);
}

namespace {

/// Where chunks of elements lie in memory of their own.
struct Room {
  std::ptrdiff_t below;   ///< of an element at the lowest address: what lies before it
  std::ptrdiff_t stride;  ///< from chunk to chunk
};

/// Extents may be negative: then the last element lies lowest. An element's address modulo the alignment stays that for
/// which the datatype was made.
Room room(std::ptrdiff_t true_first, std::ptrdiff_t true_extent, std::ptrdiff_t span) {
  constexpr std::ptrdiff_t alignment = alignof(std::max_align_t);
  const auto aligned = [](std::ptrdiff_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  const std::ptrdiff_t lowest = true_first + std::min<std::ptrdiff_t>(span, 0);
  const std::ptrdiff_t highest = true_first + true_extent + std::max<std::ptrdiff_t>(span, 0);
  const std::ptrdiff_t below = aligned(-lowest);
  return {.below = below, .stride = aligned(below + highest)};
}

constinit thread_local bool in_operation __attribute__((tls_model("initial-exec"))) = false;

}  // namespace

std::uint64_t Operands::Slots::bytes(const Operands& operands, std::uint64_t elements) {
  return static_cast<std::uint64_t>(
      room(operands.true_first_, operands.true_extent_, operands.offset(elements - 1)).stride);
}

Operands::Slots::Slots(const Operands& operands, std::uint64_t chunks, std::uint64_t elements) {
  const Room one = room(operands.true_first_, operands.true_extent_, operands.offset(elements - 1));
  origin_ = one.below;
  stride_ = one.stride;
  memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(stride_) * chunks);
}

Chunk Operands::Slots::chunk(const Operands& operands, std::uint64_t slot, std::uint64_t elements) const {
  return operands.chunk(moved(memory_.get(), static_cast<std::ptrdiff_t>(slot) * stride_ + origin_), elements);
}

Chunk Operands::Slots::part(const Operands& operands, std::uint64_t first, std::uint64_t elements) const {
  return operands.chunk(moved(memory_.get(), origin_ + operands.offset(first)), elements);
}

void Operands::copy(const Chunk& from, const Chunk& to) const {
  if (as_bytes_) {
    std::memcpy(to.at, from.at, static_cast<std::size_t>(from.bytes));
    return;
  }
  const auto elements = static_cast<MPI_Count>(static_cast<std::uint64_t>(from.bytes) / element_bytes_);
  const auto bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(from.bytes));
  Message(from.at, elements, data_.type, data_.communicator)
      .read(0, static_cast<std::uint64_t>(from.bytes), bytes.get());
  Message(to.at, elements, data_.type, data_.communicator).write(0, static_cast<std::uint64_t>(to.bytes), bytes.get());
}

void Operands::combine(const Chunk& in, const Chunk& inout) const {
  const auto elements = static_cast<int>(static_cast<std::uint64_t>(in.bytes) / element_bytes_);
  if (data_.reproducible && data_.extreme) {
    take_extreme(*data_.extreme, element_bytes_, in.at, inout.at, static_cast<std::uint64_t>(elements));
    return;
  }
  in_operation = true;
  const int code = PMPI_Reduce_local(in.at, inout.at, elements, data_.type, data_.operation);
  in_operation = false;
  check(code);
}

bool Operands::has_thrown() noexcept { return std::exchange(in_operation, false); }

}  // namespace trunkline::runtime
