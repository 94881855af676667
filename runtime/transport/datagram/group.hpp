// SPDX-License-Identifier: Apache-2.0
// The ranks of one communicator as a multicast group: its address and key, which they agree on over MPI, and this
// rank's sockets. docs/multicast.md says how it is opened.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi_api.hpp"
#include "transport/datagram/sockets.hpp"
#include "transport/datagrams.hpp"

namespace trunkline::runtime {

/// Outlives its calls. Used by one thread at a time, as its communicator is.
class DatagramGroup {
 public:
  struct Opened {
    int code = MPI_SUCCESS;                  ///< MPI's, of which the communicator's error handler has heard
    std::unique_ptr<DatagramGroup> group{};  ///< null on all ranks where any cannot take part
    std::string reason{};                    ///< why that is so, where this rank knows; else empty
  };

  /// Collective over `communicator`, in which this process is `rank`; `world_ranks`: its members by their ranks of the
  /// private communicator, which must outlive the group.
  [[nodiscard]] static Opened open(MPI_Comm communicator, std::size_t rank, std::span<const int> world_ranks);

  struct Heard {
    int code = MPI_SUCCESS;        ///< MPI's, of which the communicator's error handler has heard
    std::optional<int> deaf_rank;  ///< of the communicator; the same on all ranks
  };

  /// Before each call, with the communicator of open(). Collective now and then: whether datagrams still reach all
  /// ranks, or some rank has got at least half of the calls since the last time by messages.
  [[nodiscard]] Heard hears(MPI_Comm communicator);

  /// What came and was dropped: with a wrong seal or length; too early for its call, where too many waited already.
  struct Dropped {
    std::uint64_t strange = 0;
    std::uint64_t early = 0;
  };
  [[nodiscard]] const Dropped& dropped() const noexcept { return dropped_; }

 private:
  friend class DatagramCall;
  friend class GroupOpening;
  DatagramGroup(std::span<const int> world_ranks, std::size_t rank) : world_ranks_(world_ranks), rank_(rank) {}

  /// Of a turn that this rank has not come to.
  struct Early {
    std::uint64_t turn;
    std::vector<std::byte> bytes;
  };

  std::span<const int> world_ranks_;
  std::size_t rank_;
  Key key_{};
  Address group_{};
  std::vector<Address> members_{};
  std::uint32_t payload_bytes_ = 0;
  std::uint32_t burst_ = 0;
  std::unique_ptr<Sockets> sockets_{};
  std::deque<Early> early_{};
  Dropped dropped_{};
  std::uint64_t calls_ = 1;          ///< that have begun; the first opened it
  std::uint64_t calls_then_ = 0;     ///< when ranks last told each other
  std::uint64_t unheard_calls_ = 0;  ///< since then
};

/// Those of one call.
class DatagramCall final : public Datagrams {
 public:
  /// `turn`: how many calls came before on the communicator; `claim`: a digest of what all ranks must take the call
  /// for. The group must outlive it.
  DatagramCall(DatagramGroup& group, std::uint64_t turn, std::uint64_t claim);

  [[nodiscard]] std::uint32_t payload_bytes() const noexcept override { return group_.payload_bytes_; }
  [[nodiscard]] std::uint32_t burst() const noexcept override { return group_.burst_; }
  void to_all(const Datagram& datagram) override { send(group_.group_, datagram); }
  void to_one(int rank, const Datagram& datagram) override;
  void flush() override { group_.sockets_->flush(); }
  [[nodiscard]] std::optional<Datagram> next() override;
  void are_not_heard() noexcept override;
  [[nodiscard]] double now() const noexcept override;

 private:
  void send(const Address& to, const Datagram& datagram);
  [[nodiscard]] std::optional<Datagram> judged(const ReadPacket& packet) const;
  void keep(std::uint64_t turn, std::span<const std::byte> bytes);

  DatagramGroup& group_;
  std::uint64_t turn_;
  std::uint32_t claim_;
  bool is_heard_ = true;
  std::vector<std::byte> kept_{};  ///< of the last one that had come early
};

}  // namespace trunkline::runtime
