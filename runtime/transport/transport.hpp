// SPDX-License-Identifier: Apache-2.0
// How the messages of one collective call move between its ranks: what executors see of MPI, of threads in a test, and
// of whatever else carries bytes. Each transport is a folder beside this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "mpi_api.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {

class Datagrams;
class EventSink;
class Shelf;

/// Another rank has given this call up, for the error class `code`: what it had still to send will not come, and what
/// is sent to it may never be taken.
struct GivenUp {
  int rank;
  int code;
};

/// This rank has waited for very long. Thrown once in a process, to the caller that knows what it waits for.
struct LongWait {};

/// The data of one message, wherever it lies.
struct Chunk {
  std::byte* at = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  int bytes = 0;  ///< of its signature
};

/// A message under way, which its transport alone understands.
struct Pending {
  std::uintptr_t word = 0;  ///< 0: none, or over

  [[nodiscard]] bool is_none() const noexcept { return word == 0; }
};

/// The messages of one call. Ranks are those of MPI_COMM_WORLD. Used by one thread at a time.
class Transport {
 public:
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// Of the call.
  [[nodiscard]] virtual int ranks() const noexcept = 0;

  /// Where events of the call go; null: nowhere. It must outlive the executor.
  void tell(EventSink* sink) noexcept { sink_ = sink; }
  [[nodiscard]] EventSink* sink() const noexcept { return sink_; }

  /// Starts sending. Messages of one stream between two ranks arrive in their order. `synchronous`: it is over only
  /// once the receiver has come to it. The data must stay as they are until then. Throws MpiError.
  virtual void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) = 0;
  void send(std::byte* at, int bytes, int to, unsigned stream, bool synchronous, Pending& pending) {
    send({.at = at, .count = bytes, .bytes = bytes}, to, stream, synchronous, pending);
  }

  /// The same data to several ranks: `pending` has one place for each of them, none of which is in use. A transport
  /// that they share memory with copies once for all of them.
  virtual void send_to(const Chunk& chunk, std::span<const int> to, unsigned stream, bool synchronous,
                       std::span<Pending> pending) {
    for (std::size_t i = 0; i < to.size(); ++i) send(chunk, to[i], stream, synchronous, pending[i]);
  }

  /// Starts receiving. Throws MpiError.
  virtual void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) = 0;
  void receive(std::byte* at, int bytes, int from, unsigned stream, Pending& pending) {
    receive({.at = at, .count = bytes, .bytes = bytes}, from, stream, pending);
  }

  /// The same from whichever rank of another host sends first in that stream, in which each sends one message. Once it
  /// is over, sender() says who did. Throws MpiError. A transport without shelves has no use for it.
  virtual void receive_from_any(const Chunk& /*chunk*/, unsigned /*stream*/, Pending& /*pending*/) {
    throw MpiError{MPI_ERR_INTERN};
  }

  /// Of the message that was over last, if it was received from any rank.
  [[nodiscard]] virtual int sender() const noexcept { return -1; }

  /// Of a message that is over: its place among those waited for, and of a receive the bytes that came.
  struct Over {
    std::size_t index;
    int bytes;
  };

  /// Waits for one of them, none of which is none. `receiving`: this rank still needs messages of the call. A late rank
  /// is waited for. Throws MpiError, MPI_ERR_TRUNCATE where other ranks take the call for something else; GivenUp;
  /// LongWait.
  [[nodiscard]] virtual Over wait_any(std::span<Pending* const> pending, bool receiving) = 0;

  /// One look, at none of them too: empty where none of them is over yet. `watchdog`: of the looks so far, which hears
  /// of what is over. Throws as wait_any() does.
  [[nodiscard]] virtual std::optional<Over> test_any(std::span<Pending* const> pending, bool receiving,
                                                     Watchdog& watchdog) = 0;

  /// Waits for all of them. Throws as wait_any() does.
  virtual void wait_all(std::span<Pending> pending) = 0;

  /// One look at each: whether all are over. Throws as wait_any() does.
  [[nodiscard]] virtual bool test_all(std::span<Pending> pending, Watchdog& watchdog) = 0;

  /// Tells all other ranks of the call that this one gives it up. They notice once they have waited for a while.
  virtual void give_up(int code) noexcept = 0;

  /// The same where it does so because others have: `peers`, those that it exchanges messages with, may not have waited
  /// for those others.
  virtual void give_up_too(int code, std::span<const int> peers) noexcept = 0;

  /// Says on standard error for which ranks it has waited since long, for something of theirs or until they take what
  /// is sent to them, and what may be wrong.
  virtual void say_long_wait(std::span<const int> awaited, bool receiving) const = 0;

  /// Lets go of what an error left behind. Returns whether there was any: its memory may still be used then.
  [[nodiscard]] virtual bool let_go(std::span<Pending> pending, bool cancel) noexcept = 0;

  /// Whether a message between that rank and this one goes on while both are elsewhere, such as in a call of MPI's own.
  /// Alike on both. Of other messages each must be received in its call: its receiver, once it has left, may never look
  /// again (docs/faults.md, "Who waits for whom").
  [[nodiscard]] virtual bool outlives(int rank) const noexcept = 0;

  /// A receive of a message that is sent for certain, but that this rank no longer needs: it goes on after the call.
  /// Its memory is kept until then. From a rank that outlives() is true of.
  virtual void outlive(std::shared_ptr<void> memory, Pending& receive) noexcept = 0;

  /// A short message that its receiver may take after its call: this rank does not wait until it has left, and keeps
  /// `memory`, where it lies, until then. To a rank that outlives() is true of. Throws MpiError.
  virtual void send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) = 0;

  /// Datagrams between the call's ranks; null on all of them: there are none.
  [[nodiscard]] virtual Datagrams* datagrams() noexcept { return nullptr; }

  /// Where ranks of this host leave partial results of this call; null on all ranks: nowhere.
  [[nodiscard]] virtual Shelf* shelf() noexcept { return nullptr; }

 protected:
  Transport() = default;

 private:
  EventSink* sink_ = nullptr;
};

}  // namespace trunkline::runtime
