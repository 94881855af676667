// SPDX-License-Identifier: Apache-2.0
// Fortran's entry points, where a function of ours in C does not see the call: all of Open MPI's, whose Fortran library
// calls PMPI_* directly, and of MPICH's those of mpi_f08 that initialise or turn traces on; the rest of MPICH's calls
// MPI_*.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <vector>

#include "intercept/export.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {
namespace {

/// Optional in mpi_f08: null where it is left out.
void set(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

void init(MPI_Fint* error) { set(error, MPI_Init(nullptr, nullptr)); }

void init_thread(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  set(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}

void pcontrol(const MPI_Fint* level) { static_cast<void>(MPI_Pcontrol(*level)); }

#ifdef OPEN_MPI

/// The addresses that a Fortran common block of Open MPI may have: one for each way compilers spell its name.
class Landmark {
 public:
  explicit Landmark(const std::array<const char*, 4>& spellings) {
    for (const char* spelling : spellings) {
      if (const void* address = dlsym(RTLD_DEFAULT, spelling)) addresses_.push_back(address);
    }
  }
  [[nodiscard]] bool is(const void* buffer) const { return std::ranges::find(addresses_, buffer) != addresses_.end(); }

 private:
  std::vector<const void*> addresses_;
};

/// Fortran marks MPI_BOTTOM and MPI_IN_PLACE by the addresses of variables, C by constants.
void* c_buffer(void* buffer) {
  static const auto* const bottom =
      new Landmark({"mpi_fortran_bottom", "mpi_fortran_bottom_", "mpi_fortran_bottom__", "MPI_FORTRAN_BOTTOM"});
  static const auto* const in_place =
      new Landmark({"mpi_fortran_in_place", "mpi_fortran_in_place_", "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE"});
  if (bottom->is(buffer)) return MPI_BOTTOM;
  if (in_place->is(buffer)) return MPI_IN_PLACE;
  return buffer;
}

void bcast(void* buffer, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* root,
           const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Bcast(c_buffer(buffer), *count, PMPI_Type_f2c(*type), *root, PMPI_Comm_f2c(*communicator)));
}

void reduce(void* send, void* receive, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* operation,
            const MPI_Fint* root, const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Reduce(c_buffer(send), c_buffer(receive), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*operation), *root,
                        PMPI_Comm_f2c(*communicator)));
}

void allreduce(void* send, void* receive, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* operation,
               const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Allreduce(c_buffer(send), c_buffer(receive), *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*operation),
                           PMPI_Comm_f2c(*communicator)));
}

void barrier(const MPI_Fint* communicator, MPI_Fint* error) { set(error, MPI_Barrier(PMPI_Comm_f2c(*communicator))); }

void allgather(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive,
               const MPI_Fint* receive_count, const MPI_Fint* receive_type, const MPI_Fint* communicator,
               MPI_Fint* error) {
  set(error, MPI_Allgather(c_buffer(send), *send_count, PMPI_Type_f2c(*send_type), c_buffer(receive), *receive_count,
                           PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*communicator)));
}

void allgatherv(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive,
                const MPI_Fint* counts, const MPI_Fint* starts, const MPI_Fint* receive_type,
                const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Allgatherv(c_buffer(send), *send_count, PMPI_Type_f2c(*send_type), c_buffer(receive), counts, starts,
                            PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*communicator)));
}

void alltoall(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive,
              const MPI_Fint* receive_count, const MPI_Fint* receive_type, const MPI_Fint* communicator,
              MPI_Fint* error) {
  set(error, MPI_Alltoall(c_buffer(send), *send_count, PMPI_Type_f2c(*send_type), c_buffer(receive), *receive_count,
                          PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*communicator)));
}

void alltoallv(void* send, const MPI_Fint* send_counts, const MPI_Fint* send_starts, const MPI_Fint* send_type,
               void* receive, const MPI_Fint* receive_counts, const MPI_Fint* receive_starts,
               const MPI_Fint* receive_type, const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Alltoallv(c_buffer(send), send_counts, send_starts, PMPI_Type_f2c(*send_type), c_buffer(receive),
                           receive_counts, receive_starts, PMPI_Type_f2c(*receive_type), PMPI_Comm_f2c(*communicator)));
}

/// One for each rank.
std::vector<MPI_Datatype> c_types(const MPI_Fint* types, MPI_Comm communicator) {
  int ranks = 0;
  int is_inter = 0;
  if (PMPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS) return {};
  const auto size_of = is_inter != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size;
  if (size_of(communicator, &ranks) != MPI_SUCCESS) return {};
  std::vector<MPI_Datatype> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(PMPI_Type_f2c(types[rank]));
  return all;
}

void alltoallw(void* send, const MPI_Fint* send_counts, const MPI_Fint* send_starts, const MPI_Fint* send_types,
               void* receive, const MPI_Fint* receive_counts, const MPI_Fint* receive_starts,
               const MPI_Fint* receive_types, const MPI_Fint* communicator, MPI_Fint* error) {
  const MPI_Comm among = PMPI_Comm_f2c(*communicator);
  const bool in_place = c_buffer(send) == MPI_IN_PLACE;
  const std::vector<MPI_Datatype> sent = in_place ? std::vector<MPI_Datatype>() : c_types(send_types, among);
  const std::vector<MPI_Datatype> received = c_types(receive_types, among);
  set(error, MPI_Alltoallw(c_buffer(send), send_counts, send_starts, sent.data(), c_buffer(receive), receive_counts,
                           receive_starts, received.data(), among));
}

void gather(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive,
            const MPI_Fint* receive_count, const MPI_Fint* receive_type, const MPI_Fint* root,
            const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Gather(c_buffer(send), *send_count, PMPI_Type_f2c(*send_type), c_buffer(receive), *receive_count,
                        PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*communicator)));
}

void scatter(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive,
             const MPI_Fint* receive_count, const MPI_Fint* receive_type, const MPI_Fint* root,
             const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Scatter(c_buffer(send), *send_count, PMPI_Type_f2c(*send_type), c_buffer(receive), *receive_count,
                         PMPI_Type_f2c(*receive_type), *root, PMPI_Comm_f2c(*communicator)));
}

void reduce_scatter(void* send, void* receive, const MPI_Fint* counts, const MPI_Fint* type, const MPI_Fint* operation,
                    const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Reduce_scatter(c_buffer(send), c_buffer(receive), counts, PMPI_Type_f2c(*type),
                                PMPI_Op_f2c(*operation), PMPI_Comm_f2c(*communicator)));
}

void reduce_scatter_block(void* send, void* receive, const MPI_Fint* count, const MPI_Fint* type,
                          const MPI_Fint* operation, const MPI_Fint* communicator, MPI_Fint* error) {
  set(error, MPI_Reduce_scatter_block(c_buffer(send), c_buffer(receive), *count, PMPI_Type_f2c(*type),
                                      PMPI_Op_f2c(*operation), PMPI_Comm_f2c(*communicator)));
}

void free_operation(MPI_Fint* operation, MPI_Fint* error) {
  MPI_Op handle = PMPI_Op_f2c(*operation);
  const int code = MPI_Op_free(&handle);
  if (code == MPI_SUCCESS) *operation = PMPI_Op_c2f(handle);
  set(error, code);
}

using Free = int(MPI_Comm*);

void free_communicator(Free* free, MPI_Fint* communicator, MPI_Fint* error) {
  MPI_Comm handle = PMPI_Comm_f2c(*communicator);
  const int code = free(&handle);
  if (code == MPI_SUCCESS) *communicator = PMPI_Comm_c2f(handle);
  set(error, code);
}

#endif

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline::runtime;

// Compilers spell external names in lower case with none, one or two underscores, or in upper case; mpi_f08 binds its
// procedures under names of their own.
#define TRUNKLINE_BCAST(name)                                                                                 \
  TRUNKLINE_EXPORT void name(void* buffer, const MPI_Fint* count, const MPI_Fint* type, const MPI_Fint* root, \
                             const MPI_Fint* communicator, MPI_Fint* error) {                                 \
    bcast(buffer, count, type, root, communicator, error);                                                    \
  }
#define TRUNKLINE_REDUCE(name)                                                                              \
  TRUNKLINE_EXPORT void name(void* send, void* receive, const MPI_Fint* count, const MPI_Fint* type,        \
                             const MPI_Fint* operation, const MPI_Fint* root, const MPI_Fint* communicator, \
                             MPI_Fint* error) {                                                             \
    reduce(send, receive, count, type, operation, root, communicator, error);                               \
  }
#define TRUNKLINE_ALLREDUCE(name)                                                                        \
  TRUNKLINE_EXPORT void name(void* send, void* receive, const MPI_Fint* count, const MPI_Fint* type,     \
                             const MPI_Fint* operation, const MPI_Fint* communicator, MPI_Fint* error) { \
    allreduce(send, receive, count, type, operation, communicator, error);                               \
  }
#define TRUNKLINE_BARRIER(name) \
  TRUNKLINE_EXPORT void name(const MPI_Fint* communicator, MPI_Fint* error) { barrier(communicator, error); }
#define TRUNKLINE_PCONTROL(name) \
  TRUNKLINE_EXPORT void name(const MPI_Fint* level) { pcontrol(level); }
#define TRUNKLINE_ALLGATHER(name)                                                                              \
  TRUNKLINE_EXPORT void name(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive, \
                             const MPI_Fint* receive_count, const MPI_Fint* receive_type,                      \
                             const MPI_Fint* communicator, MPI_Fint* error) {                                  \
    allgather(send, send_count, send_type, receive, receive_count, receive_type, communicator, error);         \
  }
#define TRUNKLINE_ALLGATHERV(name)                                                                             \
  TRUNKLINE_EXPORT void name(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive, \
                             const MPI_Fint* counts, const MPI_Fint* starts, const MPI_Fint* receive_type,     \
                             const MPI_Fint* communicator, MPI_Fint* error) {                                  \
    allgatherv(send, send_count, send_type, receive, counts, starts, receive_type, communicator, error);       \
  }
#define TRUNKLINE_ALLTOALL(name)                                                                               \
  TRUNKLINE_EXPORT void name(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive, \
                             const MPI_Fint* receive_count, const MPI_Fint* receive_type,                      \
                             const MPI_Fint* communicator, MPI_Fint* error) {                                  \
    alltoall(send, send_count, send_type, receive, receive_count, receive_type, communicator, error);          \
  }
#define TRUNKLINE_VECTOR_EXCHANGE(call, name)                                                                \
  TRUNKLINE_EXPORT void name(void* send, const MPI_Fint* send_counts, const MPI_Fint* send_starts,           \
                             const MPI_Fint* send_types, void* receive, const MPI_Fint* receive_counts,      \
                             const MPI_Fint* receive_starts, const MPI_Fint* receive_types,                  \
                             const MPI_Fint* communicator, MPI_Fint* error) {                                \
    call(send, send_counts, send_starts, send_types, receive, receive_counts, receive_starts, receive_types, \
         communicator, error);                                                                               \
  }
#define TRUNKLINE_ALLTOALLV(name) TRUNKLINE_VECTOR_EXCHANGE(alltoallv, name)
#define TRUNKLINE_ALLTOALLW(name) TRUNKLINE_VECTOR_EXCHANGE(alltoallw, name)
#define TRUNKLINE_ROOT_SHARES(call, name)                                                                       \
  TRUNKLINE_EXPORT void name(void* send, const MPI_Fint* send_count, const MPI_Fint* send_type, void* receive,  \
                             const MPI_Fint* receive_count, const MPI_Fint* receive_type, const MPI_Fint* root, \
                             const MPI_Fint* communicator, MPI_Fint* error) {                                   \
    call(send, send_count, send_type, receive, receive_count, receive_type, root, communicator, error);         \
  }
#define TRUNKLINE_GATHER(name) TRUNKLINE_ROOT_SHARES(gather, name)
#define TRUNKLINE_SCATTER(name) TRUNKLINE_ROOT_SHARES(scatter, name)
#define TRUNKLINE_REDUCE_SCATTER(name)                                                                   \
  TRUNKLINE_EXPORT void name(void* send, void* receive, const MPI_Fint* counts, const MPI_Fint* type,    \
                             const MPI_Fint* operation, const MPI_Fint* communicator, MPI_Fint* error) { \
    reduce_scatter(send, receive, counts, type, operation, communicator, error);                         \
  }
#define TRUNKLINE_REDUCE_SCATTER_BLOCK(name)                                                             \
  TRUNKLINE_EXPORT void name(void* send, void* receive, const MPI_Fint* count, const MPI_Fint* type,     \
                             const MPI_Fint* operation, const MPI_Fint* communicator, MPI_Fint* error) { \
    reduce_scatter_block(send, receive, count, type, operation, communicator, error);                    \
  }
#define TRUNKLINE_OP_FREE(name) \
  TRUNKLINE_EXPORT void name(MPI_Fint* operation, MPI_Fint* error) { free_operation(operation, error); }
#define TRUNKLINE_COMM_FREE(name)                                       \
  TRUNKLINE_EXPORT void name(MPI_Fint* communicator, MPI_Fint* error) { \
    free_communicator(MPI_Comm_free, communicator, error);              \
  }
#define TRUNKLINE_COMM_DISCONNECT(name)                                 \
  TRUNKLINE_EXPORT void name(MPI_Fint* communicator, MPI_Fint* error) { \
    free_communicator(MPI_Comm_disconnect, communicator, error);        \
  }
#define TRUNKLINE_INIT(name) \
  TRUNKLINE_EXPORT void name(MPI_Fint* error) { init(error); }
#define TRUNKLINE_INIT_THREAD(name)                                                           \
  TRUNKLINE_EXPORT void name(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) { \
    init_thread(required, provided, error);                                                   \
  }
#define TRUNKLINE_EVERY_SPELLING(define, lower, upper) define(lower) define(lower##_) define(lower##__) define(upper)

#ifdef __clang__  // two underscores are how some Fortran compilers spell names
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

extern "C" {
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_INIT, mpi_init_f08, MPI_INIT_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_INIT_THREAD, mpi_init_thread_f08, MPI_INIT_THREAD_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_PCONTROL, mpi_pcontrol_f08, MPI_PCONTROL_F08)
#ifdef OPEN_MPI
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_INIT, mpi_init, MPI_INIT)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_INIT_THREAD, mpi_init_thread, MPI_INIT_THREAD)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_BCAST, mpi_bcast, MPI_BCAST)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_BCAST, mpi_bcast_f08, MPI_BCAST_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_REDUCE, mpi_reduce, MPI_REDUCE)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_REDUCE, mpi_reduce_f08, MPI_REDUCE_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLREDUCE, mpi_allreduce, MPI_ALLREDUCE)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLREDUCE, mpi_allreduce_f08, MPI_ALLREDUCE_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_BARRIER, mpi_barrier, MPI_BARRIER)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_BARRIER, mpi_barrier_f08, MPI_BARRIER_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_PCONTROL, mpi_pcontrol, MPI_PCONTROL)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLGATHER, mpi_allgather, MPI_ALLGATHER)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLGATHER, mpi_allgather_f08, MPI_ALLGATHER_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLGATHERV, mpi_allgatherv, MPI_ALLGATHERV)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLGATHERV, mpi_allgatherv_f08, MPI_ALLGATHERV_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLTOALL, mpi_alltoall, MPI_ALLTOALL)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLTOALL, mpi_alltoall_f08, MPI_ALLTOALL_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLTOALLV, mpi_alltoallv, MPI_ALLTOALLV)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLTOALLV, mpi_alltoallv_f08, MPI_ALLTOALLV_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLTOALLW, mpi_alltoallw, MPI_ALLTOALLW)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_ALLTOALLW, mpi_alltoallw_f08, MPI_ALLTOALLW_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_GATHER, mpi_gather, MPI_GATHER)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_GATHER, mpi_gather_f08, MPI_GATHER_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_SCATTER, mpi_scatter, MPI_SCATTER)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_SCATTER, mpi_scatter_f08, MPI_SCATTER_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_REDUCE_SCATTER, mpi_reduce_scatter, MPI_REDUCE_SCATTER)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_REDUCE_SCATTER, mpi_reduce_scatter_f08, MPI_REDUCE_SCATTER_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_REDUCE_SCATTER_BLOCK, mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_REDUCE_SCATTER_BLOCK, mpi_reduce_scatter_block_f08, MPI_REDUCE_SCATTER_BLOCK_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_OP_FREE, mpi_op_free, MPI_OP_FREE)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_OP_FREE, mpi_op_free_f08, MPI_OP_FREE_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_COMM_FREE, mpi_comm_free, MPI_COMM_FREE)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_COMM_FREE, mpi_comm_free_f08, MPI_COMM_FREE_F08)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_COMM_DISCONNECT, mpi_comm_disconnect, MPI_COMM_DISCONNECT)
TRUNKLINE_EVERY_SPELLING(TRUNKLINE_COMM_DISCONNECT, mpi_comm_disconnect_f08, MPI_COMM_DISCONNECT_F08)
#endif
}
