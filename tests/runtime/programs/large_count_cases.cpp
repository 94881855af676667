// SPDX-License-Identifier: Apache-2.0
// MPI 4: MPI_Bcast_c, and datatypes made by the constructors with large counts, whose description MPI gives out in
// another form.
#include <array>

#include "typed_buffer.hpp"

namespace suite {
namespace {

#if MPI_VERSION >= 4

void broadcast(Run& run, const Type& type, int count, const std::string& what) {
  const unsigned serial = next_serial();
  const auto stream = stream_for(type.get(), count, serial);
  TypedBuffer buffer(type.get(), count);
  TypedBuffer expected(type.get(), count);
  expected.unpack(stream);
  const int root = run.ranks - 1;
  if (run.rank == root) buffer.unpack(stream);
  MPI_Bcast_c(buffer.address(), count, type.get(), root, MPI_COMM_WORLD);
  run.expect(buffer.differences(expected) == 0, what + ": wrong content");
  run.expect_ran(run.ranks > 1, what);
}

void constructors(Run& run) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const auto taken = [&] { return Type(made, false); };
  const std::array<MPI_Count, 3> lengths{3, 1, 4};
  const std::array<MPI_Count, 3> places{12, 0, 4};
  const std::array<MPI_Count, 3> byte_places{96, 0, 40};
  const std::array<MPI_Datatype, 3> types{MPI_DOUBLE, MPI_INT, MPI_SHORT};

  PMPI_Type_contiguous_c(9, MPI_INT, &made);
  broadcast(run, taken(), 50, "contiguous_c");
  PMPI_Type_vector_c(20, 3, 7, MPI_INT, &made);
  broadcast(run, taken(), 20, "vector_c");
  PMPI_Type_create_hvector_c(20, 3, 33, MPI_INT, &made);
  broadcast(run, taken(), 20, "hvector_c");
  PMPI_Type_indexed_c(3, lengths.data(), places.data(), MPI_DOUBLE, &made);
  broadcast(run, taken(), 50, "indexed_c");
  PMPI_Type_create_hindexed_c(3, lengths.data(), byte_places.data(), MPI_DOUBLE, &made);
  broadcast(run, taken(), 50, "hindexed_c");
  PMPI_Type_create_indexed_block_c(3, 2, places.data(), MPI_SHORT, &made);
  broadcast(run, taken(), 90, "indexed_block_c");
  PMPI_Type_create_hindexed_block_c(3, 2, byte_places.data(), MPI_SHORT, &made);
  broadcast(run, taken(), 90, "hindexed_block_c");
  PMPI_Type_create_struct_c(3, lengths.data(), byte_places.data(), types.data(), &made);
  broadcast(run, taken(), 40, "struct_c");
  PMPI_Type_create_resized_c(MPI_INT, -4, 20, &made);
  broadcast(run, taken(), 200, "resized_c");
}

void array_constructors(Run& run) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const std::array<MPI_Count, 3> sizes{6, 7, 8};
  const std::array<MPI_Count, 3> subsizes{3, 4, 5};
  const std::array<MPI_Count, 3> starts{1, 2, 3};
  PMPI_Type_create_subarray_c(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_INT, &made);
  broadcast(run, Type(made, false), 7, "subarray_c, C order");
  PMPI_Type_create_subarray_c(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN, MPI_INT, &made);
  broadcast(run, Type(made, false), 7, "subarray_c, Fortran order");

  const std::array<MPI_Count, 2> whole{23, 17};
  const std::array<int, 2> how{MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  const std::array<int, 2> arguments{3, MPI_DISTRIBUTE_DFLT_DARG};
  const std::array<int, 2> grid{2, 3};
  PMPI_Type_create_darray_c(6, 4, 2, whole.data(), how.data(), arguments.data(), grid.data(), MPI_ORDER_C, MPI_INT,
                            &made);
  broadcast(run, Type(made, false), 5, "darray_c");
}

void plain(Run& run) {
  broadcast(run, Type(MPI_BYTE, true), 4001, "MPI_Bcast_c of bytes");
  broadcast(run, Type(MPI_DOUBLE, true), 401, "MPI_Bcast_c of doubles");
}

#endif

}  // namespace

std::vector<Case> large_count_cases() {
#if MPI_VERSION >= 4
  return {{"large counts", "MPI_Bcast_c", plain},
          {"large counts", "constructors", constructors},
          {"large counts", "array constructors", array_constructors}};
#else
  return {};
#endif
}

}  // namespace suite
