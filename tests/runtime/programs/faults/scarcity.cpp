// SPDX-License-Identifier: Apache-2.0
// Little memory, few descriptors, small stacks.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>
#include <string>
#include <vector>

#include "fault_cases.hpp"

namespace faults {
namespace {

/// Memory that is not there for the last rank's segments of 16 MiB: an error there, and the others do not wait for it.
void out_of_memory() {
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype apart = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_CHAR, 0, 2, &apart);
  MPI_Type_commit(&apart);
  right(copy, 3000, 0, 1, "before");
  std::vector<char> data(std::size_t{64} << 20, 1);
  if (rank == ranks - 1) {
    constexpr rlim_t spare = 8 << 20;  // enough for the MPI library, not for segments of 16 MiB
    const rlimit limit{.rlim_cur = (static_cast<rlim_t>(resident_kib("VmSize:")) << 10) + spare,
                       .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
  }
  const int code = MPI_Bcast(data.data(), 32 << 20, apart, 0, copy);
  if (rank == ranks - 1) {
    const rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    expect(!preloaded() || class_of(code) == MPI_ERR_NO_MEM, "class " + std::to_string(class_of(code)));
  }
  right(MPI_COMM_WORLD, 3000, 0, 2, "another communicator afterwards");
}

/// For the preload library of the last rank alone: what it needs before the first message. Each call has a communicator
/// and a root of its own, so that something is always to be planned.
void without_memory_to_plan(long bytes) {
  using From = void(long);
  using Over = long();
  auto* const from_now = reinterpret_cast<From*>(dlsym(RTLD_DEFAULT, "scarce_from_now"));
  auto* const over = reinterpret_cast<Over*>(dlsym(RTLD_DEFAULT, "scarce_no_more"));
  expect(from_now != nullptr && over != nullptr, "libruntime-scarce.so is not preloaded");
  if (!good) return;
  long times = 0;
  for (int serial = 0; serial < 40; ++serial) {
    MPI_Comm part = MPI_COMM_NULL;
    const bool apart = serial % 2 == 1 && rank == 1;  // other processes: none of the plans is known
    MPI_Comm_split(MPI_COMM_WORLD, apart ? 1 : 0, serial % 3 == 0 ? -rank : rank, &part);
    int members = 0;
    MPI_Comm_size(part, &members);
    right(MPI_COMM_WORLD, 3000, 0, serial, "with memory");
    if (rank == ranks - 1) from_now(bytes + 40 * serial);
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    int own = 0;
    MPI_Comm_rank(part, &own);
    std::vector<unsigned char> data(static_cast<std::size_t>(20000 + serial), 0);
    for (std::size_t i = 0; own == serial % members && i < data.size(); ++i) data[i] = content(i, serial);
    const int code = MPI_Bcast(data.data(), 20000 + serial, MPI_BYTE, serial % members, part);
    times += over();
    bool same = true;
    for (std::size_t i = 0; i < data.size(); ++i) same = same && data[i] == content(i, serial);
    expect(code != MPI_SUCCESS || same, "success, and wrong bytes");
    expect(code == MPI_SUCCESS || class_of(code) == MPI_ERR_NO_MEM, "class " + std::to_string(class_of(code)));
    MPI_Comm_free(&part);
  }
  if (rank == ranks - 1 && preloaded()) expect(times > 0, "there was memory enough");
  right(MPI_COMM_WORLD, 3000, 0, 2, "afterwards");
}

void little_memory_to_plan() { without_memory_to_plan(0); }

/// Even the reserve is gone: the debt is greater.
void no_memory_to_plan() { without_memory_to_plan(-(1L << 40)); }

void out_of_descriptors() {
  rlimit usual{};
  getrlimit(RLIMIT_NOFILE, &usual);
  rlimit limit = usual;
  limit.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &limit);
  right(MPI_COMM_WORLD, 30000, 0, 1, "without descriptors");
  const MPI_Comm copy = copy_of(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  right(copy, 30000, ranks - 1, 2, "on a new communicator");
  setrlimit(RLIMIT_NOFILE, &usual);
}

/// Threads that are given little stack.
void small_stack() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread{};
  const auto body = [](void*) -> void* {
    right(MPI_COMM_WORLD, 100000, 0, 1, "on a small stack");
    return nullptr;
  };
  pthread_create(&thread, &attributes, body, nullptr);
  pthread_join(thread, nullptr);
}

}  // namespace

Cases scarcity_cases() {
  return {
      {"out-of-memory", out_of_memory},
      {"little-memory-to-plan", little_memory_to_plan},
      {"no-memory-to-plan", no_memory_to_plan},
      {"out-of-descriptors", out_of_descriptors},
      {"small-stack", small_stack},
  };
}

}  // namespace faults
