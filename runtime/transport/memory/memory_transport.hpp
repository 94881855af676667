// SPDX-License-Identifier: Apache-2.0
// The messages of one collective call: those between ranks of one host go through memory that they share, all others
// over MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/memory/host_memory.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/mpi/private_communicator.hpp"
#include "transport/shelf.hpp"
#include "transport/transport.hpp"

namespace trunkline::runtime {

/// Notices that a rank gives up are messages of MPI's, whoever they are for.
class MemoryTransport final : public Transport, private Shelf, private OtherClaims {
 public:
  /// Around `mpi`, the same call's, which does what memory cannot. All must outlive the object.
  MemoryTransport(HostMemory& memory, MpiTransport& mpi, PrivateCommunicator& ours, const MemoryCallKey& key);
  ~MemoryTransport() override;
  MemoryTransport(const MemoryTransport&) = delete;
  MemoryTransport& operator=(const MemoryTransport&) = delete;

  [[nodiscard]] Datagrams* datagrams() noexcept override { return mpi_.datagrams(); }
  [[nodiscard]] Shelf* shelf() noexcept override { return memory_.has_shelf(call_.key.communicator) ? this : nullptr; }
  [[nodiscard]] int ranks() const noexcept override { return mpi_.ranks(); }

  /// Long messages are over once the receiver has read them, whether they are synchronous or not.
  void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) override;
  void send_to(const Chunk& chunk, std::span<const int> to, unsigned stream, bool synchronous,
               std::span<Pending> pending) override;
  void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) override;
  void receive_from_any(const Chunk& chunk, unsigned stream, Pending& pending) override {
    mpi_.receive_from_any(chunk, stream, pending);
  }
  [[nodiscard]] int sender() const noexcept override { return mpi_.sender(); }
  using Transport::receive;
  using Transport::send;

  [[nodiscard]] Over wait_any(std::span<Pending* const> pending, bool receiving) override;
  [[nodiscard]] std::optional<Over> test_any(std::span<Pending* const> pending, bool receiving,
                                             Watchdog& watchdog) override;
  void wait_all(std::span<Pending> pending) override;
  [[nodiscard]] bool test_all(std::span<Pending> pending, Watchdog& watchdog) override;

  void give_up(int code) noexcept override { mpi_.give_up(code); }
  void give_up_too(int code, std::span<const int> peers) noexcept override { mpi_.give_up_too(code, peers); }
  void say_long_wait(std::span<const int> awaited, bool receiving) const override {
    mpi_.say_long_wait(awaited, receiving);
  }
  [[nodiscard]] bool let_go(std::span<Pending> pending, bool cancel) noexcept override;
  /// Memory is looked at in calls of ours alone.
  [[nodiscard]] bool outlives(int rank) const noexcept override { return !memory_.peer(rank); }
  void outlive(std::shared_ptr<void> memory, Pending& receive) noexcept override {
    mpi_.outlive(std::move(memory), receive);
  }
  void send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) override {
    uses_mpi();
    mpi_.send_off(std::move(memory), bytes, to, stream);
  }

 private:
  [[nodiscard]] std::uint64_t most_bytes() const noexcept override {
    return std::min<std::uint64_t>(memory_.limits().slot_bytes, longest_partial);
  }
  [[nodiscard]] bool reaches(int rank) const noexcept override { return memory_.peer(rank).has_value(); }
  [[nodiscard]] std::optional<Partial> take(int keeper, const Chunk& room) override;
  void done() noexcept override;
  [[nodiscard]] Left leave(const Chunk& partial, unsigned ranks, int keeper) override;
  void hand_over(const Chunk& sum, int to, Pending& pending) override;
  void await(const Chunk& sum, Pending& pending) override;
  [[nodiscard]] bool are_known(std::span<const int> members) override;
  [[nodiscard]] std::uint32_t keeper_of(int rank) const noexcept { return memory_.peer(rank).value_or(memory_.own()); }

  /// A message's data, one behind the other.
  struct Row {
    const std::byte* at;
    std::uint32_t bytes;
    std::shared_ptr<std::byte[]> packed{};
  };
  [[nodiscard]] Row row_of(const Chunk& chunk) const;
  [[nodiscard]] MemoryOperation& sending(const Row& row, std::uint32_t peer, int to, unsigned stream, bool synchronous,
                                         std::size_t readers);
  void keep(MemoryOperation& one, Pending& pending);
  [[nodiscard]] int finish(MemoryOperation& one, Pending& pending);
  [[nodiscard]] std::optional<int> read(MemoryOperation& one, Pending& pending);
  [[nodiscard]] std::optional<Over> look(std::span<Pending* const> pending, bool receiving, Watchdog& watchdog,
                                         bool may_sleep);
  void send_within_host(const Chunk& chunk, std::span<const int> to, unsigned stream, bool synchronous,
                        std::span<Pending> pending);
  void notes_look(std::chrono::nanoseconds took);
  void uses_mpi();
  [[nodiscard]] bool looks_at_mpi(bool has_some, bool must, bool is_dear, Watchdog& watchdog);
  void rest(bool may_sleep);

  HostMemory& memory_;
  MpiTransport& mpi_;
  PrivateCommunicator& ours_;
  MemoryCall& call_;
  unsigned fruitless_ = 0;  ///< looks since something was over
  bool is_lying_down_ = false;
  bool has_slept_ = false;
  bool moves_others_data_ = false;  ///< looks at MPI lately have moved data of the program's own messages
  bool was_busy_ = false;           ///< the last look there may have
  HostMemory::Clock::time_point looks_until_{};
  bool has_lately_used_mpi_;                    ///< this process, as far as this call knows
  std::optional<HostMemory::Partial> taken_{};  ///< and not yet put back
  HostMemory::LeftPartial left_{};
  // Scratch.
  std::vector<Pending*> mpi_pending_{};
  std::vector<std::size_t> mpi_places_{};
  std::vector<MemoryOperation*> several_{};
};

}  // namespace trunkline::runtime
