// SPDX-License-Identifier: Apache-2.0
// Fortran's entry points, where a function of ours in C does not see the call: all of Open MPI's, whose Fortran library
// calls PMPI_* directly, and of MPICH's those of mpi_f08 that have no buffers; the rest of MPICH's calls MPI_*.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "intercept/export.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {
namespace {

/// Optional in mpi_f08: null where it is left out.
void set(MPI_Fint* error, int code) {
  if (error != nullptr) *error = code;
}

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

// By a handle's type in C, which is another one for each kind of handle in Open MPI.
template <class C>
struct Handle {
  static constexpr bool is_one = false;
};
template <>
struct Handle<MPI_Comm> {
  static constexpr bool is_one = true;
  static MPI_Comm to_c(MPI_Fint handle) { return PMPI_Comm_f2c(handle); }
  static MPI_Fint to_fortran(MPI_Comm handle) { return PMPI_Comm_c2f(handle); }
};
template <>
struct Handle<MPI_Datatype> {
  static constexpr bool is_one = true;
  static MPI_Datatype to_c(MPI_Fint handle) { return PMPI_Type_f2c(handle); }
  static MPI_Fint to_fortran(MPI_Datatype handle) { return PMPI_Type_c2f(handle); }
};
template <>
struct Handle<MPI_Op> {
  static constexpr bool is_one = true;
  static MPI_Op to_c(MPI_Fint handle) { return PMPI_Op_f2c(handle); }
  static MPI_Fint to_fortran(MPI_Op handle) { return PMPI_Op_c2f(handle); }
};
template <>
struct Handle<MPI_Info> {
  static constexpr bool is_one = true;
  static MPI_Info to_c(MPI_Fint handle) { return PMPI_Info_f2c(handle); }
  static MPI_Fint to_fortran(MPI_Info handle) { return PMPI_Info_c2f(handle); }
};
template <>
struct Handle<MPI_Request> {
  static constexpr bool is_one = true;
  static MPI_Request to_c(MPI_Fint handle) { return PMPI_Request_f2c(handle); }
  static MPI_Fint to_fortran(MPI_Request handle) { return PMPI_Request_c2f(handle); }
};

/// An argument of MPI's function in C, where Fortran gives an address.
template <class C>
class Argument {
 public:
  explicit Argument(void* at) : at_(at) {
    if constexpr (changes_handle) handle_ = Named::to_c(*static_cast<MPI_Fint*>(at));
  }

  [[nodiscard]] C in_c() {
    if constexpr (changes_handle) {
      return &handle_;
    } else if constexpr (Handle<C>::is_one) {
      return Handle<C>::to_c(*static_cast<MPI_Fint*>(at_));
    } else if constexpr (std::is_same_v<C, int>) {
      return *static_cast<MPI_Fint*>(at_);
    } else if constexpr (std::is_same_v<C, const int*>) {
      static_assert(std::is_same_v<MPI_Fint, int>);
      return static_cast<MPI_Fint*>(at_);
    } else {
      static_assert(std::is_void_v<std::remove_pointer_t<C>>);
      return c_buffer(at_);
    }
  }

  void hand_back() {
    if constexpr (changes_handle) *static_cast<MPI_Fint*>(at_) = Named::to_fortran(handle_);
  }

 private:
  using Named = Handle<std::remove_pointer_t<C>>;
  static constexpr bool changes_handle = std::is_pointer_v<C> && Named::is_one;
  struct Nothing {};

  void* at_;
  std::conditional_t<changes_handle, std::remove_pointer_t<C>, Nothing> handle_{};
};

/// `addresses`: of all arguments, and of the error.
template <class... C, std::size_t... I>
void call(int (*function)(C...), std::index_sequence<I...> /*places*/,
          const std::array<void*, sizeof...(C) + 1>& addresses) {
  std::tuple<Argument<C>...> arguments{Argument<C>(addresses[I])...};
  const int code = function(std::get<I>(arguments).in_c()...);
  if (code == MPI_SUCCESS) (std::get<I>(arguments).hand_back(), ...);
  set(static_cast<MPI_Fint*>(addresses.back()), code);
}
template <class... C>
void call(int (*function)(C...), const std::array<void*, sizeof...(C) + 1>& addresses) {
  call(function, std::index_sequence_for<C...>(), addresses);
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

#endif

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline::runtime;

#ifdef __clang__  // two underscores are how some Fortran compilers spell names
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

// Compilers spell external names in lower case with none, one or two underscores, or in upper case; mpi_f08 binds its
// procedures under names of their own.
// NOLINTBEGIN(bugprone-macro-parentheses): what a declaration names has none
#define TRUNKLINE_ALSO(name, own) TRUNKLINE_EXPORT decltype(own) name __attribute__((alias(#own)));
// NOLINTEND(bugprone-macro-parentheses)
#define TRUNKLINE_SPELLINGS(lower, upper, own) \
  TRUNKLINE_ALSO(lower, own) TRUNKLINE_ALSO(lower##__, own) TRUNKLINE_ALSO(upper, own)
#define TRUNKLINE_F08(lower, upper, own) TRUNKLINE_ALSO(lower##_, own) TRUNKLINE_SPELLINGS(lower, upper, own)

TRUNKLINE_EXPORT void mpi_init_f08_(MPI_Fint* error) { set(error, MPI_Init(nullptr, nullptr)); }
TRUNKLINE_EXPORT void mpi_init_thread_f08_(const MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  set(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
TRUNKLINE_EXPORT void mpi_pcontrol_f08_(const MPI_Fint* level) { static_cast<void>(MPI_Pcontrol(*level)); }
TRUNKLINE_SPELLINGS(mpi_init_f08, MPI_INIT_F08, mpi_init_f08_)
TRUNKLINE_SPELLINGS(mpi_init_thread_f08, MPI_INIT_THREAD_F08, mpi_init_thread_f08_)
TRUNKLINE_SPELLINGS(mpi_pcontrol_f08, MPI_PCONTROL_F08, mpi_pcontrol_f08_)

#ifdef OPEN_MPI

TRUNKLINE_F08(mpi_init, MPI_INIT, mpi_init_f08_)
TRUNKLINE_F08(mpi_init_thread, MPI_INIT_THREAD, mpi_init_thread_f08_)
TRUNKLINE_F08(mpi_pcontrol, MPI_PCONTROL, mpi_pcontrol_f08_)

// An address for each argument besides the error.
#define TRUNKLINE_ADDRESSES_1 void* a
#define TRUNKLINE_ADDRESSES_2 TRUNKLINE_ADDRESSES_1, void* b
#define TRUNKLINE_ADDRESSES_3 TRUNKLINE_ADDRESSES_2, void* c
#define TRUNKLINE_ADDRESSES_4 TRUNKLINE_ADDRESSES_3, void* d
#define TRUNKLINE_ADDRESSES_5 TRUNKLINE_ADDRESSES_4, void* e
#define TRUNKLINE_ADDRESSES_6 TRUNKLINE_ADDRESSES_5, void* f
#define TRUNKLINE_ADDRESSES_7 TRUNKLINE_ADDRESSES_6, void* g
#define TRUNKLINE_ADDRESSES_8 TRUNKLINE_ADDRESSES_7, void* h
#define TRUNKLINE_ADDRESSES_9 TRUNKLINE_ADDRESSES_8, void* i
#define TRUNKLINE_ADDRESSES_10 TRUNKLINE_ADDRESSES_9, void* j
#define TRUNKLINE_ADDRESSES_11 TRUNKLINE_ADDRESSES_10, void* k
#define TRUNKLINE_NAMES_1 a
#define TRUNKLINE_NAMES_2 TRUNKLINE_NAMES_1, b
#define TRUNKLINE_NAMES_3 TRUNKLINE_NAMES_2, c
#define TRUNKLINE_NAMES_4 TRUNKLINE_NAMES_3, d
#define TRUNKLINE_NAMES_5 TRUNKLINE_NAMES_4, e
#define TRUNKLINE_NAMES_6 TRUNKLINE_NAMES_5, f
#define TRUNKLINE_NAMES_7 TRUNKLINE_NAMES_6, g
#define TRUNKLINE_NAMES_8 TRUNKLINE_NAMES_7, h
#define TRUNKLINE_NAMES_9 TRUNKLINE_NAMES_8, i
#define TRUNKLINE_NAMES_10 TRUNKLINE_NAMES_9, j
#define TRUNKLINE_NAMES_11 TRUNKLINE_NAMES_10, k
#define TRUNKLINE_FORTRAN(arguments, lower, upper, function)                     \
  TRUNKLINE_EXPORT void lower##_(TRUNKLINE_ADDRESSES_##arguments, void* error) { \
    call(function, {TRUNKLINE_NAMES_##arguments, error});                        \
  }                                                                              \
  TRUNKLINE_SPELLINGS(lower, upper, lower##_)                                    \
  TRUNKLINE_F08(lower##_f08, upper##_F08, lower##_)

TRUNKLINE_FORTRAN(5, mpi_bcast, MPI_BCAST, MPI_Bcast)
TRUNKLINE_FORTRAN(6, mpi_ibcast, MPI_IBCAST, MPI_Ibcast)
TRUNKLINE_FORTRAN(7, mpi_reduce, MPI_REDUCE, MPI_Reduce)
TRUNKLINE_FORTRAN(8, mpi_ireduce, MPI_IREDUCE, MPI_Ireduce)
TRUNKLINE_FORTRAN(6, mpi_allreduce, MPI_ALLREDUCE, MPI_Allreduce)
TRUNKLINE_FORTRAN(7, mpi_iallreduce, MPI_IALLREDUCE, MPI_Iallreduce)
TRUNKLINE_FORTRAN(1, mpi_barrier, MPI_BARRIER, MPI_Barrier)
TRUNKLINE_FORTRAN(2, mpi_ibarrier, MPI_IBARRIER, MPI_Ibarrier)
TRUNKLINE_FORTRAN(7, mpi_allgather, MPI_ALLGATHER, MPI_Allgather)
TRUNKLINE_FORTRAN(8, mpi_iallgather, MPI_IALLGATHER, MPI_Iallgather)
TRUNKLINE_FORTRAN(8, mpi_allgatherv, MPI_ALLGATHERV, MPI_Allgatherv)
TRUNKLINE_FORTRAN(9, mpi_iallgatherv, MPI_IALLGATHERV, MPI_Iallgatherv)
TRUNKLINE_FORTRAN(7, mpi_alltoall, MPI_ALLTOALL, MPI_Alltoall)
TRUNKLINE_FORTRAN(8, mpi_ialltoall, MPI_IALLTOALL, MPI_Ialltoall)
TRUNKLINE_FORTRAN(9, mpi_alltoallv, MPI_ALLTOALLV, MPI_Alltoallv)
TRUNKLINE_FORTRAN(10, mpi_ialltoallv, MPI_IALLTOALLV, MPI_Ialltoallv)
TRUNKLINE_FORTRAN(8, mpi_gather, MPI_GATHER, MPI_Gather)
TRUNKLINE_FORTRAN(9, mpi_igather, MPI_IGATHER, MPI_Igather)
TRUNKLINE_FORTRAN(8, mpi_scatter, MPI_SCATTER, MPI_Scatter)
TRUNKLINE_FORTRAN(9, mpi_iscatter, MPI_ISCATTER, MPI_Iscatter)
TRUNKLINE_FORTRAN(6, mpi_reduce_scatter, MPI_REDUCE_SCATTER, MPI_Reduce_scatter)
TRUNKLINE_FORTRAN(7, mpi_ireduce_scatter, MPI_IREDUCE_SCATTER, MPI_Ireduce_scatter)
TRUNKLINE_FORTRAN(6, mpi_reduce_scatter_block, MPI_REDUCE_SCATTER_BLOCK, MPI_Reduce_scatter_block)
TRUNKLINE_FORTRAN(7, mpi_ireduce_scatter_block, MPI_IREDUCE_SCATTER_BLOCK, MPI_Ireduce_scatter_block)
TRUNKLINE_FORTRAN(6, mpi_scan, MPI_SCAN, MPI_Scan)
TRUNKLINE_FORTRAN(7, mpi_iscan, MPI_ISCAN, MPI_Iscan)
TRUNKLINE_FORTRAN(6, mpi_exscan, MPI_EXSCAN, MPI_Exscan)
TRUNKLINE_FORTRAN(7, mpi_iexscan, MPI_IEXSCAN, MPI_Iexscan)
TRUNKLINE_FORTRAN(1, mpi_op_free, MPI_OP_FREE, MPI_Op_free)
TRUNKLINE_FORTRAN(1, mpi_comm_free, MPI_COMM_FREE, MPI_Comm_free)
TRUNKLINE_FORTRAN(1, mpi_comm_disconnect, MPI_COMM_DISCONNECT, MPI_Comm_disconnect)

#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_FORTRAN(7, mpi_bcast_init, MPI_BCAST_INIT, MPI_Bcast_init)
TRUNKLINE_FORTRAN(9, mpi_reduce_init, MPI_REDUCE_INIT, MPI_Reduce_init)
TRUNKLINE_FORTRAN(8, mpi_allreduce_init, MPI_ALLREDUCE_INIT, MPI_Allreduce_init)
TRUNKLINE_FORTRAN(3, mpi_barrier_init, MPI_BARRIER_INIT, MPI_Barrier_init)
TRUNKLINE_FORTRAN(9, mpi_allgather_init, MPI_ALLGATHER_INIT, MPI_Allgather_init)
TRUNKLINE_FORTRAN(10, mpi_allgatherv_init, MPI_ALLGATHERV_INIT, MPI_Allgatherv_init)
TRUNKLINE_FORTRAN(9, mpi_alltoall_init, MPI_ALLTOALL_INIT, MPI_Alltoall_init)
TRUNKLINE_FORTRAN(11, mpi_alltoallv_init, MPI_ALLTOALLV_INIT, MPI_Alltoallv_init)
TRUNKLINE_FORTRAN(10, mpi_gather_init, MPI_GATHER_INIT, MPI_Gather_init)
TRUNKLINE_FORTRAN(10, mpi_scatter_init, MPI_SCATTER_INIT, MPI_Scatter_init)
TRUNKLINE_FORTRAN(8, mpi_reduce_scatter_init, MPI_REDUCE_SCATTER_INIT, MPI_Reduce_scatter_init)
TRUNKLINE_FORTRAN(8, mpi_reduce_scatter_block_init, MPI_REDUCE_SCATTER_BLOCK_INIT, MPI_Reduce_scatter_block_init)
TRUNKLINE_FORTRAN(8, mpi_scan_init, MPI_SCAN_INIT, MPI_Scan_init)
TRUNKLINE_FORTRAN(8, mpi_exscan_init, MPI_EXSCAN_INIT, MPI_Exscan_init)
#endif
TRUNKLINE_FORTRAN(1, mpi_start, MPI_START, MPI_Start)
TRUNKLINE_FORTRAN(1, mpi_request_free, MPI_REQUEST_FREE, MPI_Request_free)

TRUNKLINE_EXPORT void mpi_startall_(const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* error) {
  const auto requested = static_cast<std::size_t>(std::max(*count, 0));
  std::vector<MPI_Request> all(requested + 1);  // Open MPI takes no null, even of none
  for (std::size_t i = 0; i < requested; ++i) all[i] = PMPI_Request_f2c(requests[i]);
  const int code = MPI_Startall(*count, all.data());
  for (std::size_t i = 0; i < requested && code == MPI_SUCCESS; ++i) requests[i] = PMPI_Request_c2f(all[i]);
  set(error, code);
}
TRUNKLINE_SPELLINGS(mpi_startall, MPI_STARTALL, mpi_startall_)
TRUNKLINE_F08(mpi_startall_f08, MPI_STARTALL_F08, mpi_startall_)

TRUNKLINE_EXPORT void mpi_alltoallw_(void* send, const MPI_Fint* send_counts, const MPI_Fint* send_starts,
                                     const MPI_Fint* send_types, void* receive, const MPI_Fint* receive_counts,
                                     const MPI_Fint* receive_starts, const MPI_Fint* receive_types,
                                     const MPI_Fint* communicator, MPI_Fint* error) {
  const MPI_Comm among = PMPI_Comm_f2c(*communicator);
  const bool in_place = c_buffer(send) == MPI_IN_PLACE;
  const std::vector<MPI_Datatype> sent = in_place ? std::vector<MPI_Datatype>() : c_types(send_types, among);
  const std::vector<MPI_Datatype> received = c_types(receive_types, among);
  set(error, MPI_Alltoallw(c_buffer(send), send_counts, send_starts, sent.data(), c_buffer(receive), receive_counts,
                           receive_starts, received.data(), among));
}
TRUNKLINE_SPELLINGS(mpi_alltoallw, MPI_ALLTOALLW, mpi_alltoallw_)
TRUNKLINE_F08(mpi_alltoallw_f08, MPI_ALLTOALLW_F08, mpi_alltoallw_)

#elif defined(MPICH_NUMVERSION) && !defined(MPI_ABI) && !defined(TRUNKLINE_SIMULATED)

// Handles are Fortran's own integers.
TRUNKLINE_EXPORT void mpi_barrier_f08_(const MPI_Comm* communicator, MPI_Fint* error) {
  set(error, MPI_Barrier(*communicator));
}
TRUNKLINE_EXPORT void mpi_ibarrier_f08_(const MPI_Comm* communicator, MPI_Request* request, MPI_Fint* error) {
  set(error, MPI_Ibarrier(*communicator, request));
}
#if TRUNKLINE_HAS_PERSISTENT
TRUNKLINE_EXPORT void mpi_barrier_init_f08_(const MPI_Comm* communicator, const MPI_Info* info, MPI_Request* request,
                                            MPI_Fint* error) {
  set(error, MPI_Barrier_init(*communicator, *info, request));
}
TRUNKLINE_SPELLINGS(mpi_barrier_init_f08, MPI_BARRIER_INIT_F08, mpi_barrier_init_f08_)
#endif
TRUNKLINE_EXPORT void mpi_start_f08_(MPI_Request* request, MPI_Fint* error) { set(error, MPI_Start(request)); }
TRUNKLINE_EXPORT void mpi_startall_f08_(const MPI_Fint* count, MPI_Request* requests, MPI_Fint* error) {
  set(error, MPI_Startall(*count, requests));
}
TRUNKLINE_EXPORT void mpi_request_free_f08_(MPI_Request* request, MPI_Fint* error) {
  set(error, MPI_Request_free(request));
}
TRUNKLINE_EXPORT void mpi_comm_free_f08_(MPI_Comm* communicator, MPI_Fint* error) {
  set(error, MPI_Comm_free(communicator));
}
TRUNKLINE_EXPORT void mpi_comm_disconnect_f08_(MPI_Comm* communicator, MPI_Fint* error) {
  set(error, MPI_Comm_disconnect(communicator));
}
TRUNKLINE_EXPORT void mpi_finalize_f08_(MPI_Fint* error) { set(error, MPI_Finalize()); }
/// Statuses are C's.
TRUNKLINE_EXPORT void mpi_waitall_f08_(const MPI_Fint* count, MPI_Request* requests, MPI_F08_status* statuses,
                                       MPI_Fint* error) {
  const bool is_told = statuses != MPI_F08_STATUSES_IGNORE;
  set(error, MPI_Waitall(*count, requests, is_told ? reinterpret_cast<MPI_Status*>(statuses) : MPI_STATUSES_IGNORE));
}
TRUNKLINE_SPELLINGS(mpi_comm_free_f08, MPI_COMM_FREE_F08, mpi_comm_free_f08_)
TRUNKLINE_SPELLINGS(mpi_comm_disconnect_f08, MPI_COMM_DISCONNECT_F08, mpi_comm_disconnect_f08_)
TRUNKLINE_SPELLINGS(mpi_finalize_f08, MPI_FINALIZE_F08, mpi_finalize_f08_)
TRUNKLINE_SPELLINGS(mpi_waitall_f08, MPI_WAITALL_F08, mpi_waitall_f08_)
TRUNKLINE_SPELLINGS(mpi_barrier_f08, MPI_BARRIER_F08, mpi_barrier_f08_)
TRUNKLINE_SPELLINGS(mpi_ibarrier_f08, MPI_IBARRIER_F08, mpi_ibarrier_f08_)
TRUNKLINE_SPELLINGS(mpi_start_f08, MPI_START_F08, mpi_start_f08_)
TRUNKLINE_SPELLINGS(mpi_startall_f08, MPI_STARTALL_F08, mpi_startall_f08_)
TRUNKLINE_SPELLINGS(mpi_request_free_f08, MPI_REQUEST_FREE_F08, mpi_request_free_f08_)

#endif
