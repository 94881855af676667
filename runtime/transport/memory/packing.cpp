// SPDX-License-Identifier: Apache-2.0
#include "transport/memory/packing.hpp"

namespace trunkline::runtime {
namespace {

/// A chunk whose type has absolute addresses (MPI_BOTTOM), as seen from another address: MPICH 5.0 takes MPI_BOTTOM for
/// a null pointer when it packs.
class SeenFrom {
 public:
  SeenFrom(const Chunk& chunk, const void* base) {
    MPI_Aint address = 0;
    code_ = PMPI_Get_address(base, &address);
    const MPI_Aint back = PMPI_Aint_diff(0, address);
    if (code_ == MPI_SUCCESS) code_ = PMPI_Type_create_hindexed(1, &chunk.count, &back, chunk.type, &type_);
    if (code_ == MPI_SUCCESS) code_ = PMPI_Type_commit(&type_);
  }
  SeenFrom(const SeenFrom&) = delete;
  SeenFrom& operator=(const SeenFrom&) = delete;
  ~SeenFrom() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }

  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int code_ = MPI_SUCCESS;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

int pack_chunk(const Chunk& chunk, std::byte* out, int most, int& bytes, MPI_Comm alone) {
  bytes = 0;
  if (chunk.at != nullptr) return PMPI_Pack(chunk.at, chunk.count, chunk.type, out, most, &bytes, alone);
  const std::byte base{};
  const SeenFrom seen(chunk, &base);
  return seen.code() != MPI_SUCCESS ? seen.code() : PMPI_Pack(&base, 1, seen.type(), out, most, &bytes, alone);
}

int unpack_chunk(const std::byte* in, int bytes, const Chunk& chunk, MPI_Comm alone) {
  int position = 0;
  if (chunk.at != nullptr) return PMPI_Unpack(in, bytes, &position, chunk.at, chunk.count, chunk.type, alone);
  std::byte base{};
  const SeenFrom seen(chunk, &base);
  return seen.code() != MPI_SUCCESS ? seen.code() : PMPI_Unpack(in, bytes, &position, &base, 1, seen.type(), alone);
}

}  // namespace trunkline::runtime
