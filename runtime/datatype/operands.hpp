// SPDX-License-Identifier: Apache-2.0
// What a reduction works on: elements that are combined whole, with their extent, where a broadcast cuts bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "datatype/extremes.hpp"
#include "mpi_api.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// By whole addresses: buffers may be MPI_BOTTOM, and datatypes hold absolute addresses then.
[[nodiscard]] std::byte* moved(const void* from, std::ptrdiff_t by);

/// The data of one call on one rank, as the program gave it.
struct Reduced {
  const void* own;  ///< this rank's operand
  void* result;     ///< either may be MPI_BOTTOM
  bool has_result;  ///< on this rank
  bool in_place;    ///< the operand lies where the result goes
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
  MPI_Comm communicator;  ///< serves MPI_Pack alone
  /// Bits must not depend on where operands lie, nor on whether they do in place.
  bool reproducible = false;
  std::optional<Extreme> extreme{};  ///< what the operation takes of floating numbers, if it does
};

class Operands {
 public:
  /// Throws MpiError. An element may have at most `longest_element` bytes.
  explicit Operands(const Reduced& data);

  static constexpr std::uint64_t longest_element = std::uint64_t{1} << 26;

  /// As the program gave it.
  [[nodiscard]] const Reduced& data() const noexcept { return data_; }

  [[nodiscard]] std::uint64_t count() const noexcept { return static_cast<std::uint64_t>(data_.count); }
  /// Of an element's signature.
  [[nodiscard]] std::uint64_t element_bytes() const noexcept { return element_bytes_; }
  [[nodiscard]] bool has_result() const noexcept { return data_.has_result; }
  [[nodiscard]] bool in_place() const noexcept { return data_.in_place; }
  [[nodiscard]] bool reproducible() const noexcept { return data_.reproducible; }

  [[nodiscard]] Chunk own(std::uint64_t first, std::uint64_t elements) const;
  [[nodiscard]] Chunk result(std::uint64_t first, std::uint64_t elements) const;

  /// Memory for `chunks` chunks of up to `elements` elements each. Throws std::bad_alloc.
  class Slots {
   public:
    Slots() = default;
    Slots(const Operands& operands, std::uint64_t chunks, std::uint64_t elements);
    /// Bytes of one chunk of up to `elements` elements.
    [[nodiscard]] static std::uint64_t bytes(const Operands& operands, std::uint64_t elements);
    [[nodiscard]] Chunk chunk(const Operands& operands, std::uint64_t slot, std::uint64_t elements) const;
    /// Some elements of the first chunk.
    [[nodiscard]] Chunk part(const Operands& operands, std::uint64_t first, std::uint64_t elements) const;
    /// The library may still use it: it is never freed.
    void give_up() noexcept { static_cast<void>(memory_.release()); }

   private:
    std::unique_ptr<std::byte[]> memory_{};
    std::ptrdiff_t stride_ = 0;
    std::ptrdiff_t origin_ = 0;  ///< of an element at the lowest address
  };

  /// Chunks of equal length. Throws MpiError, std::bad_alloc.
  void copy(const Chunk& from, const Chunk& to) const;

  /// This rank's operand to where `place(first, elements)` says. Throws as copy() does.
  template <class Place>
  void copy_own(const Place& place) const {
    constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
    const std::uint64_t most = std::max(chunk_bytes / element_bytes_, std::uint64_t{1});
    for (std::uint64_t first = 0; first < count(); first += most) {
      const std::uint64_t elements = std::min(most, count() - first);
      copy(own(first, elements), place(first, elements));
    }
  }

  /// inout = in op inout, element by element. Throws MpiError, and whatever an operation of the program throws.
  void combine(const Chunk& in, const Chunk& inout) const;

  /// Whether an operation has left by an exception in this thread; asked once.
  [[nodiscard]] static bool has_thrown() noexcept;

 private:
  [[nodiscard]] Chunk chunk(std::byte* first, std::uint64_t elements) const;
  [[nodiscard]] std::ptrdiff_t offset(std::uint64_t first) const {
    return static_cast<std::ptrdiff_t>(first) * extent_;
  }

  Reduced data_;
  std::uint64_t element_bytes_ = 0;
  bool as_bytes_ = false;  ///< the library need not look at the datatype
  std::ptrdiff_t extent_ = 0;
  std::ptrdiff_t true_first_ = 0;  ///< lowest byte of an element
  std::ptrdiff_t true_extent_ = 0;
};

}  // namespace trunkline::runtime
