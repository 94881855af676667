// SPDX-License-Identifier: Apache-2.0
// Messages between the ranks of one host, through memory that they share: what all calls, communicators and threads of
// this process have in common. A short message is copied into a slot and out again; a long one is read from the
// sender's memory, or comes by pieces where the kernel does not permit that.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/memory/mapping.hpp"
#include "transport/memory/memory_messages.hpp"
#include "transport/memory/shared_segment.hpp"
#include "transport/memory/slot_copies.hpp"
#include "transport/mpi/private_communicator.hpp"
#include "transport/processors.hpp"
#include "transport/shelf.hpp"

namespace trunkline::runtime {

/// What the ranks were told.
struct MemoryWish {
  std::uint64_t host = 0;  ///< equal on ranks that may share memory, as far as is known
  bool may_read = true;    ///< from each other's memory
  Machine machine{};
  MemoryLimits limits{};
};

/// The ranks of one host, of which this process is one.
struct MemoryHost {
  std::vector<int> ranks{};        ///< in MPI_COMM_WORLD, ascending
  std::vector<long> processes{};   ///< of each of them
  std::uint32_t own = 0;           ///< this one's place among them
  Machine machine{};               ///< that they are on
  std::size_t all_ranks = 0;       ///< of MPI_COMM_WORLD
  MPI_Comm alone = MPI_COMM_SELF;  ///< serves MPI_Pack alone; its errors come back
  bool is_threaded = false;
};

class HostMemory {
 public:
  struct Opened {
    std::unique_ptr<HostMemory> memory{};  ///< null on all ranks: there is none
    bool is_mine_to_say = false;           ///< this rank is the one that knows why not all works
    std::string why{};
  };

  /// Collective over all ranks of MPI. Maps the memory of all ranks that `wish.host` puts together, and proves that it
  /// is theirs. Throws MpiError, std::bad_alloc.
  [[nodiscard]] static Opened open(const PrivateCommunicator& ours, const MemoryWish& wish);

  /// Without any memory yet.
  HostMemory(const MemoryLimits& limits, const MemoryHost& host);

  /// That of one rank, this process's own among them, which must outlive the object. Of all, before any message.
  void attach(std::uint32_t peer, const SharedSegment& segment) { peers_[peer].segment = segment; }
  /// Whether all processes may read each other's memory.
  void may_read(bool reads) noexcept { reads_ = reads; }

  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Whether messages are read from the sender's memory.
  [[nodiscard]] bool reads() const noexcept { return reads_; }
  [[nodiscard]] const MemoryLimits& limits() const noexcept { return limits_; }
  /// Of all slots for all peers, that many are used before one is used again.
  void use_in_turn(std::uint32_t slots) noexcept { limits_.slots_in_turn = std::min(slots, limits_.common_slots); }
  /// What 16 KiB took to get through one slot from one rank of a host to the next, in MPI_Init; on all ranks the same.
  /// Infinity where it could not be told.
  [[nodiscard]] double handing_over_s() const noexcept { return handing_over_s_; }
  /// No other rank is on this one's host.
  [[nodiscard]] bool is_alone() const noexcept { return peers_.size() == 1; }
  /// There are more ranks than processors here: who waits is in somebody's way.
  [[nodiscard]] bool is_crowded() const noexcept { return is_crowded_; }
  /// The number on this host of a rank of MPI_COMM_WORLD; none: elsewhere, or this rank itself.
  [[nodiscard]] std::optional<std::uint32_t> peer(int rank) const noexcept {
    const std::uint16_t number = numbers_[static_cast<std::size_t>(rank)];
    return number == elsewhere ? std::nullopt : std::optional<std::uint32_t>(number);
  }

  /// This rank's.
  [[nodiscard]] std::uint32_t own() const noexcept { return own_; }

  /// Held by whoever calls one of those below; nothing where the program has one thread.
  [[nodiscard]] std::unique_lock<std::mutex> guard() {
    return is_threaded_ ? std::unique_lock(mutex_) : std::unique_lock(mutex_, std::defer_lock);
  }

  /// Throws std::bad_alloc; nothing has changed then.
  [[nodiscard]] MemoryCall& enter(const MemoryCallKey& key);
  /// What has come for it and was not asked for is dropped; its senders do not wait any longer.
  void leave(MemoryCall& call) noexcept;

  /// Empty ones, until they are given back. Throws std::bad_alloc.
  [[nodiscard]] MemoryOperation& operation();
  void give_back(MemoryOperation& one) noexcept;

  /// Sends it, or puts it behind others. It may be over then.
  void send(MemoryOperation& one);
  /// The same data, which fit a slot, to several: copied once where there is a slot.
  void send_to_all(std::span<MemoryOperation* const> all);
  void receive(MemoryOperation& one, MemoryCall& call);

  /// Takes what has come, and goes on with what waits for room.
  void progress();
  /// One of a send that is posted, or of any other.
  [[nodiscard]] bool is_over(MemoryOperation& one);

  /// Announces that this thread will sleep unless one more look finds something.
  void lie_down() noexcept { peers_[own_].segment.sleeps().store(1); }
  /// For a while, at most until somebody has put something here, or has done with something of this rank's. Without the
  /// guard.
  void sleep() const noexcept;
  using Clock = std::chrono::steady_clock;
  /// A message of this process's went over MPI, which may have more to do for it, even if it was over at once.
  void has_used_mpi(Clock::time_point now) noexcept { used_mpi_.store(now, std::memory_order_relaxed); }
  [[nodiscard]] bool has_lately_used_mpi(Clock::time_point now) const noexcept {
    return now - used_mpi_.load(std::memory_order_relaxed) < std::chrono::milliseconds(100);
  }
  /// Whether nothing of this rank's waits for room, which nobody wakes it for. With the guard.
  [[nodiscard]] bool may_sleep() const;

  /// Of one that lies, without the guard: it is this thread's. Then finish_reading(), with it.
  void read(MemoryOperation& one) const;
  void finish_reading(MemoryOperation& one);

  /// Of so many ranks' operands, in another one's slot.
  struct Partial {
    std::uint32_t peer = 0;
    std::uint32_t slot = 0;
    const std::byte* at = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t ranks = 0;
  };
  /// What this rank has left last, if anything.
  struct LeftPartial {
    std::uint32_t keeper = 0;
    std::uint64_t word = 0;
  };
  /// Whether there are shelves for a communicator of that number.
  [[nodiscard]] bool has_shelf(std::uint32_t communicator) const noexcept;
  /// What lies on the keeper's shelf for this call; it is in the slot until put_back().
  [[nodiscard]] std::optional<Partial> take_partial(MemoryCall& call, std::uint32_t keeper);
  void put_back(const Partial& partial) noexcept;
  /// Whether what lies on the keeper's shelf is of this call too, for whoever left it, but under another claim.
  [[nodiscard]] bool sees_other_claims(const MemoryCall& call, std::uint32_t keeper) const;
  /// That many bytes, of so many ranks. With the guard.
  /// `left`: where it is, if it is `here`.
  [[nodiscard]] Shelf::Left leave_partial(const MemoryCall& call, std::uint32_t keeper, const std::byte* at,
                                          std::uint32_t bytes, std::uint32_t ranks, LeftPartial& left);
  /// Of a call that is over: if nobody has taken it, the call has failed, and none of a later one is to find it.
  void take_back(std::uint32_t communicator, const LeftPartial& left) noexcept;
  /// Before another communicator gets the number: what a call that failed has left on this rank's shelf goes.
  void clear_shelf(std::uint32_t communicator) noexcept;

  /// Nobody waits for it any more; returns whether its memory may still be read.
  [[nodiscard]] bool let_go(MemoryOperation& one, MemoryCall& call) noexcept;

 private:
  struct Peer {
    int rank = 0;  ///< in MPI_COMM_WORLD
    long process = 0;
    Mapping mapping{};
    SharedSegment segment{};
    std::uint64_t sent = 0;   ///< messages that were put into its inbox
    std::uint64_t taken = 0;  ///< of its messages in ours
    MemoryQueue queue{};      ///< what waits for room there
  };
  static constexpr std::uint16_t elsewhere = 0xFFFF;
  struct Card;

  [[nodiscard]] std::string map_all(std::span<const Card> cards);
  [[nodiscard]] std::string try_reading(std::span<const Card> cards) const;
  [[nodiscard]] double time_handing_over() const noexcept;
  void free_first_slot() const noexcept;

  // Sending.
  [[nodiscard]] bool post(MemoryOperation& one);
  [[nodiscard]] bool take_ticket(MemoryOperation& one);
  struct BusySlot {
    struct Message {
      std::uint32_t peer = 0;
      std::uint64_t count = 0;
    };
    std::uint32_t slot = 0;
    std::optional<Message> message{};  ///< the only one that has it; else its readers are counted
  };
  [[nodiscard]] std::uint32_t take_slot(std::optional<std::uint32_t> peer);
  [[nodiscard]] std::uint32_t take_slot_for(std::uint32_t peer);
  [[nodiscard]] bool is_read(const BusySlot& one) const;
  void reclaim(std::size_t oldest);
  [[nodiscard]] SharedMessage* room_at(Peer& to) const;
  void publish(Peer& to, SharedMessage& message);
  [[nodiscard]] bool push_pieces(MemoryOperation& one);
  void finish_send(MemoryOperation& one) noexcept;
  void give_up_ticket(MemoryOperation& one) noexcept;

  // Receiving.
  void answer_bell();
  void look_into(std::uint32_t peer);
  [[nodiscard]] bool take(std::uint32_t peer, const SharedMessage& message);
  [[nodiscard]] bool is_sound(const SharedMessage& message) const;
  [[nodiscard]] bool is_sound(const ShelfWord& word) const;
  void take_piece(std::uint32_t peer, const SharedMessage& message);
  void deliver(MemoryOperation& one, const EarlyMessage& head, const std::byte* data);
  void ask_instead(MemoryOperation& one);
  void settle(std::uint32_t peer, std::uint32_t ticket) noexcept;

  /// So few ranks that nobody rings: to look into all inboxes costs less than a word that several write.
  [[nodiscard]] bool looks_into_all() const noexcept { return peers_.size() <= most_looked_into; }
  static constexpr std::size_t most_looked_into = 8;

  static void wake(const SharedSegment& whose) noexcept;

  MemoryLimits limits_;
  MPI_Comm alone_;
  bool reads_ = false;
  double handing_over_s_ = std::numeric_limits<double>::infinity();
  bool is_threaded_;
  bool is_crowded_;
  std::chrono::nanoseconds longest_sleep_;
  std::uint32_t own_;  ///< this rank's number
  std::vector<std::uint16_t> numbers_;
  std::vector<Peer> peers_;
  std::mutex mutex_{};

  std::list<MemoryCall> calls_{};
  std::list<MemoryCall> spare_calls_{};
  std::list<MemoryOperation> operations_{};
  std::vector<MemoryOperation*> spare_operations_{};
  std::list<EarlyMessage> early_{};  ///< of calls that have not begun here
  std::size_t queued_ = 0;           ///< in all peers' queues
  std::atomic<Clock::time_point> used_mpi_{};

  SlotCopies copies_;
  std::uint32_t unused_slot_ = 0;                        ///< the first one for all peers that was never used
  std::deque<std::uint32_t> common_slots_{};             ///< free ones, the one that has been so for longest first
  std::vector<std::vector<std::uint32_t>> own_slots_{};  ///< so too, by peer
  std::vector<BusySlot> busy_slots_{};
  std::vector<std::uint32_t> tickets_{};           ///< free ones
  std::vector<std::uint32_t> given_up_tickets_{};  ///< until the receiver has done with them
  std::vector<MemoryOperation*> lying_{};          ///< sends that lie: their pieces may be asked for
  std::vector<MemoryOperation*> by_pieces_{};      ///< receives
};

}  // namespace trunkline::runtime
