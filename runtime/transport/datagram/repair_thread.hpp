// SPDX-License-Identifier: Apache-2.0
// The thread that answers asks for eager messages, of all groups of this process. It makes no MPI calls, takes no
// signals, and ends with the last group.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
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

  /// For as long as this is held, the thread does nothing for any group. It lets others in before it goes on, however
  /// much comes from the network.
  [[nodiscard]] std::unique_lock<std::mutex> enter();

  /// How often it tells of a descriptor: again and again until all is read, or once for each thing that comes and each
  /// watch_again().
  enum class Until : std::uint8_t { it_is_read, it_changes };

  // All of these within enter(), or within what the thread calls.

  /// Calls Repairs::ready(), with the lock held, where there is something to read. Whether the system agrees.
  [[nodiscard]] bool watch(int descriptor, Repairs& owner, Until until = Until::it_is_read);
  /// Of one that is told of when it changes: as if it did now, if there is something to read.
  void watch_again(int descriptor);
  /// Calls it instead where there is room to write, as long as it `is_full`.
  void watch_for_room(int descriptor, bool is_full);
  void forget(const Repairs& owner);
  void forget(int descriptor);
  /// Calls Repairs::look_in() of all groups, after a while.
  void look_in_soon();

 private:
  struct Watched {
    int descriptor;
    Repairs* owner;
  };
  RepairThread(Descriptor events, Descriptor end);
  void run();
  [[nodiscard]] std::unique_lock<std::mutex> take_turn();
  [[nodiscard]] int patience_ms() const;
  void look_in();
  template <class Wanted>
  void forget_where(const Wanted& is_wanted);

  Descriptor events_;
  Descriptor end_;  ///< readable: the thread must end
  std::mutex lock_{};
  std::atomic<int> others_{0};  ///< who wait for the lock
  std::vector<Watched> watched_{};
  std::optional<std::chrono::steady_clock::time_point> next_look_{};
  std::thread thread_{};
};

}  // namespace trunkline::runtime
