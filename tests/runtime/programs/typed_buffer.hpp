// SPDX-License-Identifier: Apache-2.0
// Memory for elements of any datatype, with guards around it, filled and checked through MPI's own packing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite.hpp"

namespace suite {

/// A datatype made for a test, freed with it.
class Type {
 public:
  /// `named` types are MPI's own; others are committed here.
  Type(MPI_Datatype type, bool named);
  ~Type();
  Type(Type&& other) noexcept;
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  Type& operator=(Type&&) = delete;
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  bool named_;
};

class TypedBuffer {
 public:
  TypedBuffer(MPI_Datatype type, int count);

  /// The address to give to MPI.
  [[nodiscard]] void* address();

  /// Puts a packed stream into memory, as a receiver would.
  void unpack(const std::vector<unsigned char>& stream);

  /// Bytes that differ, gaps and guards included.
  [[nodiscard]] std::size_t differences(const TypedBuffer& other) const;

 private:
  MPI_Datatype type_;
  int count_;
  std::int64_t before_;  ///< bytes that the first element may lie before the address
  std::vector<unsigned char> memory_;
};

/// The bytes that broadcast number `serial` sends as `count` elements of `type`.
[[nodiscard]] std::vector<unsigned char> stream_for(MPI_Datatype type, int count, unsigned serial);

/// Broadcasts `count` elements of `type` from `root` with MPI_Bcast and checks all of their memory, gaps included.
/// `serial` differs from broadcast to broadcast, and is equal on all ranks.
void broadcast_typed(Run& run, MPI_Datatype type, int count, int root, MPI_Comm communicator, unsigned serial,
                     const std::string& what);

}  // namespace suite
