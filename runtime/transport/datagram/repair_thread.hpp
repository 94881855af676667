// SPDX-License-Identifier: Apache-2.0
// The thread that answers asks for eager messages, of all groups of this process. It makes no MPI calls, takes no
// signals, and ends with the last group.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/datagram/sockets.hpp"

namespace trunkline::runtime {

class Repairs;

class RepairThread {
 public:
  /// The one of this process, started where there is none. Null where the system gives none.
  [[nodiscard]] static std::shared_ptr<RepairThread> get();
  ~RepairThread();
  RepairThread(const RepairThread&) = delete;
  RepairThread& operator=(const RepairThread&) = delete;

  /// Over what the thread uses of any group.
  [[nodiscard]] std::mutex& lock() noexcept { return lock_; }

  /// How often it tells of a descriptor: again and again until all is read, or once for each thing that comes.
  enum class Until : std::uint8_t { it_is_read, it_changes };

  // All of these with the lock held.

  /// Calls Repairs::ready(), with the lock held, where there is something to read. Whether the system agrees.
  [[nodiscard]] bool watch(int descriptor, Repairs& owner, Until until = Until::it_is_read);
  /// Calls it instead where there is room to write, as long as it `is_full`.
  void watch_for_room(int descriptor, bool is_full);
  void forget(const Repairs& owner);
  void forget(int descriptor);

 private:
  struct Watched {
    int descriptor;
    Repairs* owner;
  };
  RepairThread(Descriptor events, Descriptor end);
  void run();
  template <class Wanted>
  void forget_where(const Wanted& is_wanted);

  Descriptor events_;
  Descriptor end_;  ///< readable: the thread must end
  std::mutex lock_{};
  std::vector<Watched> watched_{};
  std::thread thread_{};
};

}  // namespace trunkline::runtime
