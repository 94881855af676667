// SPDX-License-Identifier: Apache-2.0
#include "intercept/persistent.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/state.hpp"
#include "intercept/under_way.hpp"
#include "reserve.hpp"

namespace trunkline::runtime {
namespace {

struct Persistent {
  MPI_Request request = MPI_REQUEST_NULL;
  int tag = 0;
  std::shared_ptr<const ReadyCall> call{};
};

/// From MPI_Bcast_init to MPI_Request_free. Programs have few.
class List {
 public:
  [[nodiscard]] int make(std::shared_ptr<const ReadyCall> call, MPI_Request* request) {
    const Changes changes(*this);
    with_reserve([&] { all_.reserve(all_.size() + 1); });
    int tag = 0;
    while (std::ranges::find(all_, tag, &Persistent::tag) != all_.end()) ++tag;
    const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, private_communicator()->alone(), request);
    if (code == MPI_SUCCESS) all_.push_back({.request = *request, .tag = tag, .call = std::move(call)});
    return code;
  }

  /// Without a call: the library's own.
  [[nodiscard]] Persistent of(MPI_Request request) {
    if (count_.load(std::memory_order_relaxed) == 0) return {};
    const Changes changes(*this);
    const auto found = std::ranges::find(all_, request, &Persistent::request);
    return found != all_.end() ? *found : Persistent{};
  }

  void forget(MPI_Request request) {
    if (count_.load(std::memory_order_relaxed) == 0) return;
    Changes changes(*this);
    changes.drop([&](const Persistent& one) { return one.request == request; });
  }

 private:
  /// What dropped ones hold is let go of outside of the lock.
  class Changes {
   public:
    explicit Changes(List& list) : list_(list), lock_(list.mutex_) {
#ifdef OPEN_MPI  // which frees requests whose calls have failed, and hands out their handles again
      drop([](const Persistent& one) { return one.call->prepared.number->has_failed(); });
#endif
    }
    ~Changes() { list_.count_.store(list_.all_.size(), std::memory_order_relaxed); }
    Changes(const Changes&) = delete;
    Changes& operator=(const Changes&) = delete;

    void drop(const auto& is_gone) {
      auto& all = list_.all_;
      if (std::ranges::none_of(all, is_gone)) return;
      const auto gone = std::partition(all.begin(), all.end(), [&](const Persistent& one) { return !is_gone(one); });
      with_reserve([&] { dropped_.reserve(all.size()); });
      std::move(gone, all.end(), std::back_inserter(dropped_));
      all.erase(gone, all.end());
    }

   private:
    std::vector<Persistent> dropped_{};
    List& list_;
    std::unique_lock<std::mutex> lock_;
  };

  std::mutex mutex_{};
  std::atomic<std::size_t> count_ = 0;
  std::vector<Persistent> all_{};
};

/// Never destroyed: programs may free requests while static objects are.
List& list() {
  static auto* const instance = with_reserve([] { return new List; });
  return *instance;
}

}  // namespace

std::optional<int> make_persistent(std::unique_ptr<UserCall> call, MPI_Request* request) {
  if (request == nullptr) return {};
  Ready ready = make_ready(std::move(call), CallForm::persistent);
  return ready.call != nullptr ? list().make(std::move(ready.call), request) : ready.code;
}

}  // namespace trunkline::runtime

using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Start(MPI_Request* request) {
  if (request == nullptr) return NEXT(Start)(request);
  Persistent ours = list().of(*request);
  return ours.call != nullptr ? start_again(std::move(ours.call), request, ours.tag) : NEXT(Start)(request);
}

TRUNKLINE_EXPORT int MPI_Startall(int count, MPI_Request requests[]) {
  const auto is_ours = [](MPI_Request one) { return list().of(one).call != nullptr; };
  if (requests == nullptr || std::none_of(requests, requests + std::max(count, 0), is_ours)) {
    return NEXT(Startall)(count, requests);
  }
  for (int i = 0; i < count; ++i) {
    const int code = MPI_Start(&requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

TRUNKLINE_EXPORT int MPI_Request_free(MPI_Request* request) {
  if (request == nullptr) return NEXT(Request_free)(request);
  // MPI forbids it, and libraries say so of their own; a generalized request MPICH would free, and we complete it then.
  if (const auto communicator = communicator_of_started(*request)) {
    PMPI_Comm_call_errhandler(*communicator == MPI_COMM_NULL ? MPI_COMM_WORLD : *communicator, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  list().forget(*request);
  return NEXT(Request_free)(request);
}
