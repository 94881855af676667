// SPDX-License-Identifier: Apache-2.0
#include "startup/progress_hook.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <string>
#include <string_view>

#include "mpi_api.hpp"
#include "report.hpp"
#include "transport/looks.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {
namespace {

using GoOn = int();

/// The function of that name that ours stands in front of; null: none was there when the program began.
template <class Function>
[[maybe_unused]] Function* next_of(const char* name, Function* /*ours*/) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// One of the caller's own, which a library behind it has brought in since the start.
template <class Function>
[[maybe_unused]] Function* behind(const char* name, const void* caller, Function* ours) {
  Dl_info about{};
  void* const library = dladdr(caller, &about) != 0 ? dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  auto* const real = library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
  if (real == nullptr || real == ours) end_job(std::string("a library calls ") + name + ", which is not there");
  return real;
}

}  // namespace

bool may_have_threads() {
  int level = MPI_THREAD_SINGLE;
  return PMPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

}  // namespace trunkline::runtime

#if defined(TRUNKLINE_SIMULATED) || defined(MPI_ABI)

namespace trunkline::runtime {

bool has_progress_hook() { return false; }
bool hook_up(GoOn* /*go_on*/) { return false; }
void unhook() {}

}  // namespace trunkline::runtime

#elif defined(OPEN_MPI)

namespace trunkline::runtime {
namespace {

using Register = int(GoOn*);
constinit bool is_registered = false;

Register* found(const char* name) { return reinterpret_cast<Register*>(dlsym(RTLD_DEFAULT, name)); }

}  // namespace

bool has_progress_hook() {
  return found("opal_progress_register") != nullptr && found("opal_progress_unregister") != nullptr;
}

bool hook_up(GoOn* go_on) {
  if (!is_registered) is_registered = found("opal_progress_register")(go_on) == 0;
  return is_registered;
}

/// It stays where it is until the end: a call for nothing costs less than to come and go.
void unhook() {}

}  // namespace trunkline::runtime

/// Open MPI's, unless this thread asks about messages from within it.
extern "C" __attribute__((visibility("default"))) void opal_progress() {
  if (trunkline::runtime::has_looked) return;
  // A static of this function would be asked for its guard each time.
  static constinit std::atomic<void (*)()> known{nullptr};
  auto* next = known.load(std::memory_order_relaxed);
  if (next == nullptr) [[unlikely]] {
    next = trunkline::runtime::next_of("opal_progress", opal_progress);
    if (next == nullptr) {
      next = trunkline::runtime::behind("opal_progress", __builtin_return_address(0), opal_progress);
    }
    known.store(next, std::memory_order_relaxed);
  }
  next();
}

#elif MPICH_NUMVERSION >= 50000000

namespace trunkline::runtime {
namespace {

constinit std::atomic<GoOn*> called{nullptr};
constinit bool is_started = false;  ///< and not done

int poll(MPIX_Async_thing /*thing*/) {
  GoOn* const go_on = called.load(std::memory_order_relaxed);
  if (go_on == nullptr) {
    is_started = false;
    return MPIX_ASYNC_DONE;
  }
  static_cast<void>(go_on());
  return MPIX_ASYNC_NOPROGRESS;
}

}  // namespace

bool has_progress_hook() { return !may_have_threads(); }

bool hook_up(GoOn* go_on) {
  called.store(go_on, std::memory_order_relaxed);
  if (!is_started) is_started = PMPIX_Async_start(poll, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
  return is_started;
}

void unhook() { called.store(nullptr, std::memory_order_relaxed); }

}  // namespace trunkline::runtime

#else

namespace trunkline::runtime {
namespace {

constinit std::atomic<GoOn*> called{nullptr};
/// What it moves its messages by: others in the process may use UCX, maybe in threads of their own, which is no call of
/// MPI's.
constinit std::atomic<void*> worker_of_mpi{nullptr};
constinit thread_local bool looks_for_worker __attribute__((tls_model("initial-exec"))) = false;

/// After a look at a worker: what calls of ours got on by it.
int go_on_by(void* worker) {
  if (looks_for_worker) worker_of_mpi.store(worker, std::memory_order_relaxed);
  GoOn* const go_on = called.load(std::memory_order_acquire);
  return go_on != nullptr && worker == worker_of_mpi.load(std::memory_order_relaxed) ? go_on() : 0;
}

}  // namespace

/// Whether the MPI library is itself on UCX, the loader has put the function below before UCX's, and the library calls
/// it at all.
bool has_progress_hook() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  if (may_have_threads() || PMPI_Get_library_version(version.data(), &length) != MPI_SUCCESS) return false;
  if (std::string_view(version.data()).find("ch4:ucx") == std::string_view::npos) return false;
  int any = 0;
  looks_for_worker = true;
  static_cast<void>(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any, MPI_STATUS_IGNORE));
  looks_for_worker = false;
  return worker_of_mpi.load(std::memory_order_relaxed) != nullptr;
}

bool hook_up(GoOn* go_on) {
  called.store(go_on, std::memory_order_release);
  return true;
}

void unhook() { called.store(nullptr, std::memory_order_relaxed); }

}  // namespace trunkline::runtime

/// UCX's, unless this thread has just been there, and then what the calls of ours have left to do.
extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  if (trunkline::runtime::has_looked) return 0;
  static auto* const next = trunkline::runtime::next_of("ucp_worker_progress", ucp_worker_progress);
  if (next == nullptr) {  // of another library that has brought a UCX of its own
    static constinit thread_local void* caller __attribute__((tls_model("initial-exec"))) = nullptr;
    static constinit thread_local decltype(&ucp_worker_progress) of_caller __attribute__((tls_model("initial-exec"))) =
        nullptr;
    if (of_caller == nullptr || caller != __builtin_return_address(0)) {
      caller = __builtin_return_address(0);
      of_caller = trunkline::runtime::behind("ucp_worker_progress", caller, ucp_worker_progress);
    }
    return of_caller(worker);
  }
  const unsigned got_on = next(worker);
  return got_on + static_cast<unsigned>(trunkline::runtime::go_on_by(worker));
}

#endif
