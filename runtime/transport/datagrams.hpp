// SPDX-License-Identifier: Apache-2.0
// Datagrams of one collective call, as executors see them: to all of its ranks at once, or to one. Each may get lost,
// come twice, late or in another order; what comes is as it was sent, and of this call. docs/multicast.md has the
// protocol that lives with that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/loss_meter.hpp"

namespace trunkline::runtime {

struct Datagram {
  enum class Kind : std::uint8_t { data = 1, poll = 2, report = 3, not_yet = 7, parity = 8, done = 9 };
  Kind kind = Kind::data;
  int from = -1;             ///< rank of the private communicator; of one that has come
  std::uint32_t number = 0;  ///< of data its packet; of parity its block and number; of polls and reports `end`
  std::uint32_t poll = 0;  ///< that it carries, is, or answers; 0: none. Of an eager message: 1 where it was asked for
  std::span<const std::byte> payload{};
};

class Datagrams {
 public:
  virtual ~Datagrams() = default;
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  /// Most bytes in one, above zero; the same on all ranks.
  [[nodiscard]] virtual std::uint32_t payload_bytes() const noexcept = 0;

  /// Of the group, this one too.
  [[nodiscard]] virtual int ranks() const noexcept = 0;

  /// Datagrams that fit into the smallest buffer of all ranks; at least 1, the same on all ranks.
  [[nodiscard]] virtual std::uint32_t burst() const noexcept = 0;

  /// Some may go together: the data must stay as they are until flush().
  virtual void to_all(const Datagram& datagram) = 0;
  virtual void to_one(int rank, const Datagram& datagram) = 0;
  virtual void flush() = 0;

  /// The next one that has come; its payload stays until the next call. Throws MPI_ERR_TRUNCATE where another rank
  /// takes the call for something else.
  [[nodiscard]] virtual std::optional<Datagram> next() = 0;

  /// Whether the root of a message of `packets` packets may leave once it has sent it, since others may ask for it
  /// later: the same on all ranks that take the call for the same.
  [[nodiscard]] virtual bool is_eager(std::uint32_t packets) const noexcept = 0;

  /// Of the sender of an eager message, before it is sent: others may ask for these packets, from number `first` on.
  /// They are copied; where there are no bytes, it is one empty packet.
  virtual void keep(std::uint32_t first, std::span<const std::byte> packets) = 0;

  /// What it has kept in this call, before packet `first`, is not wanted any more.
  virtual void forget_before(std::uint32_t first) = 0;

  /// Asks the sender of an eager message for the packets whose bits are set, from number `first` on: it sends them
  /// again, to this rank alone, or says that it has not come so far. Asked often without any answer, in a way that
  /// loses nothing. Nothing where no message is eager.
  virtual void ask(int sender, std::uint32_t first, std::uint64_t packets) = 0;

  /// Of a call that is over on no rank before all ranks have come to it, of all of them, before anything is sent: it
  /// stands for a meeting, in which all ranks have what came before. All of them may hear something in it.
  virtual void is_meeting() noexcept = 0;

  /// All ranks have come to this call: what this one has kept of earlier ones is not wanted any more.
  virtual void all_have_come() noexcept = 0;

  /// Something has come of a later call of that rank's, so that it has sent what this call needs.
  [[nodiscard]] virtual bool is_ahead(int rank) const noexcept = 0;

  /// Whether what that rank sends to all comes over the network, as a deaf host hears its own ranks; where all ranks
  /// are of one host, it is taken to.
  [[nodiscard]] virtual bool comes_over_network(int rank) const noexcept = 0;

  /// When the link will have sent what it was given, as now(): of all calls of the communicator.
  [[nodiscard]] virtual double& free_at() noexcept = 0;

  /// Seconds from a poll of this rank's to what all others say of it, on average over all calls of the communicator.
  [[nodiscard]] virtual double& answer_s() noexcept = 0;
  static constexpr double first_answer_s = 0.0025;  ///< before any is known

  /// This rank got a part of the message in another way, since nothing came for long.
  virtual void are_not_heard() noexcept = 0;

  /// Loss on the way to all, over all calls of the communicator. Null: it is not measured.
  [[nodiscard]] virtual LossMeter* loss() noexcept { return nullptr; }

  /// Seconds since any time, never backwards.
  [[nodiscard]] virtual double now() const noexcept = 0;

  /// This rank has found nothing to do, of messages neither. Only in a simulation does time pass here.
  virtual void rest() {}

 protected:
  Datagrams() = default;
};

}  // namespace trunkline::runtime
