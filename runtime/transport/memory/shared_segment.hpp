// SPDX-License-Identifier: Apache-2.0
// What one rank shares with the others of its host: an area that it alone makes, and that they map. The others write to
// its bell, to its inboxes, and to its tickets; what it sends lies in its slots.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace trunkline::runtime {

/// How much of everything there is, and from where on messages are read. The same on all ranks of a host.
struct MemoryLimits {
  std::uint32_t inbox = 32;          ///< messages from each peer that may wait to be looked at
  std::uint32_t slot_bytes = 32768;  ///< of a message that is copied in and out
  std::uint32_t own_slots = 2;       ///< for each peer, whoever else is late
  std::uint32_t common_slots = 64;   ///< for all of them
  std::uint32_t slots_in_turn = 64;  ///< of those: so many are used before one is used again
  std::uint32_t tickets = 16384;     ///< messages under way whose sender waits for the receiver
  std::uint32_t shelves = 2048;      ///< of communicators, by their numbers
  /// A message to one rank that is so long is read from its sender's memory, if ranks may, instead of coming by pieces.
  std::uint64_t read_from_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Seconds a byte, from where on copies into slots are slow, and go past the caches.
  double slow_copy_byte_s = std::numeric_limits<double>::infinity();
};

/// A random number that nobody guesses: who finds it in an area knows whose it is.
using MemoryToken = std::array<std::uint64_t, 2>;

/// Of one message, in the receiver's inbox.
struct alignas(128) SharedMessage {
  enum class Kind : std::uint16_t {
    within,  ///< its data are in here
    slot,    ///< in a slot of the sender's
    lying,   ///< in the sender's memory, until its ticket says that it is over; for the receiver to read, or to ask for
    asked,   ///< so too; for the receiver to ask for its pieces
    piece,   ///< one of these, in a slot
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t most_within = 72;

  std::atomic<std::uint32_t> is_there;
  Kind kind;
  std::uint16_t stream;
  std::uint32_t communicator;
  std::uint32_t bytes;
  std::uint64_t turn;
  std::uint64_t claim;
  std::uint64_t place;  ///< of data that lie: their address; of a piece: where it belongs in the message
  std::uint32_t slot;
  std::uint32_t ticket;
  std::uint32_t has_other_readers;  ///< 0: its slot is free once it is no longer there; else they are counted
  std::array<std::byte, most_within> data;
};
static_assert(sizeof(SharedMessage) == 128 && std::atomic<std::uint32_t>::is_always_lock_free);

/// What has become of a message whose sender waits. Sender and receiver both change it.
enum class Ticket : std::uint32_t {
  free,
  posted,
  reading,    ///< the receiver reads
  asked,      ///< the receiver has asked for pieces
  over,       ///< by the receiver, which has done with the ticket
  withdrawn,  ///< by the sender: nobody may read any more
};

/// What lies in a slot that was left on a shelf. Behind the count of its readers.
struct SharedPartial {
  std::atomic<std::uint32_t> readers;
  std::uint32_t communicator;
  std::uint64_t turn;
  std::atomic<std::uint64_t> claim;  ///< others may look at it while it is on the shelf
  std::uint32_t bytes;
  std::uint32_t ranks;  ///< whose operands are in it
};
static_assert(sizeof(SharedPartial) <= 64);

/// What a shelf has: whose slot, and of which call, as far as one word holds it. What was left tells the call in full.
struct ShelfWord {
  static constexpr std::uint64_t nothing = 0;
  static constexpr unsigned peer_bits = 10;
  static constexpr unsigned slot_bits = 12;
  static constexpr unsigned claim_bits = 17;
  static constexpr unsigned turn_bits = 24;
  static_assert(peer_bits + slot_bits + claim_bits + turn_bits == 63);

  std::uint64_t turn = 0;
  std::uint64_t claim = 0;
  std::uint32_t slot = 0;
  std::uint32_t peer = 0;

  static constexpr std::uint64_t low(std::uint64_t value, unsigned bits) {
    return value & ((std::uint64_t{1} << bits) - 1);
  }
  [[nodiscard]] constexpr std::uint64_t word() const {
    std::uint64_t all = 1;  // so that it is not nothing
    all = all << turn_bits | low(turn, turn_bits);
    all = all << claim_bits | low(claim, claim_bits);
    all = all << slot_bits | slot;
    return all << peer_bits | peer;
  }
  static constexpr ShelfWord of(std::uint64_t word) {
    return {.turn = low(word >> (peer_bits + slot_bits + claim_bits), turn_bits),
            .claim = low(word >> (peer_bits + slot_bits), claim_bits),
            .slot = static_cast<std::uint32_t>(low(word >> peer_bits, slot_bits)),
            .peer = static_cast<std::uint32_t>(low(word, peer_bits))};
  }
  /// Calls from this one's to that of the other number; negative: that one came before.
  [[nodiscard]] constexpr std::int64_t calls_to(std::uint64_t other) const {
    constexpr auto half = std::int64_t{1} << (turn_bits - 1);
    const auto ahead = static_cast<std::int64_t>(low(other - turn, turn_bits));
    return ahead < half ? ahead : ahead - 2 * half;
  }
  [[nodiscard]] constexpr bool has_claim(std::uint64_t other) const { return claim == low(other, claim_bits); }
};
static_assert(ShelfWord::of(ShelfWord{.turn = 5, .claim = 7, .slot = 4095, .peer = 1023}.word()).calls_to(4) == -1);

/// One rank's area, mapped into this process.
class SharedSegment {
 public:
  SharedSegment() = default;
  /// `base` has bytes(limits, peers), and is zero where it has never been written.
  SharedSegment(std::byte* base, const MemoryLimits& limits, std::uint32_t peers)
      : base_(base), limits_(limits), peers_(peers) {}

  static constexpr std::uint32_t most_peers = 1024;

  /// `peers`: ranks of the host.
  [[nodiscard]] static std::size_t bytes(const MemoryLimits& limits, std::uint32_t peers) {
    return shelves(limits, peers) + std::size_t{limits.shelves} * line;
  }
  [[nodiscard]] static std::uint32_t slots(const MemoryLimits& limits, std::uint32_t peers) {
    return limits.own_slots * peers + limits.common_slots;
  }

  /// One bit a peer: it has put something into its inbox. On hosts of few ranks nobody rings.
  [[nodiscard]] std::span<std::atomic<std::uint64_t>> bell() const {
    return {reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + bell_at), (peers_ + 63) / 64};
  }
  /// 1 where its rank sleeps, or is about to, until somebody wakes it.
  [[nodiscard]] std::atomic<std::uint32_t>& sleeps() const {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(base_ + sleeps_at);
  }
  [[nodiscard]] std::atomic<Ticket>& ticket(std::uint32_t number) const {
    return *reinterpret_cast<std::atomic<Ticket>*>(base_ + page + std::size_t{number} * line);
  }
  /// Ranks that have not yet read the slot, where several do.
  [[nodiscard]] std::atomic<std::uint32_t>& readers(std::uint32_t slot) const { return partial(slot).readers; }
  /// What was left in the slot.
  [[nodiscard]] SharedPartial& partial(std::uint32_t slot) const {
    return *reinterpret_cast<SharedPartial*>(base_ + uses(limits_) + std::size_t{slot} * line);
  }
  [[nodiscard]] std::byte* slot(std::uint32_t number) const {
    return base_ + data(limits_, peers_) + std::size_t{number} * limits_.slot_bytes;
  }
  /// Its place for the `count`-th message of a peer.
  [[nodiscard]] SharedMessage& inbox(std::uint32_t peer, std::uint64_t count) const {
    auto* const first = reinterpret_cast<SharedMessage*>(base_ + inboxes(limits_, peers_));
    return first[std::size_t{peer} * limits_.inbox + count % limits_.inbox];
  }
  /// Of the groups that this rank keeps one for, that of the communicator: a ShelfWord.
  [[nodiscard]] std::atomic<std::uint64_t>& shelf(std::uint32_t communicator) const {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(base_ + shelves(limits_, peers_) +
                                                          std::size_t{communicator} * line);
  }

 private:
  static constexpr std::size_t line = 64;  ///< of a cache: what two ranks change lies apart
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t bell_at = 256;
  static constexpr std::size_t sleeps_at = 512;

  static std::size_t paged(std::size_t bytes) { return (bytes + page - 1) / page * page; }
  static std::size_t uses(const MemoryLimits& limits) { return page + paged(limits.tickets * line); }
  static std::size_t data(const MemoryLimits& limits, std::uint32_t peers) {
    return uses(limits) + paged(slots(limits, peers) * line);
  }
  static std::size_t inboxes(const MemoryLimits& limits, std::uint32_t peers) {
    return data(limits, peers) + paged(std::size_t{slots(limits, peers)} * limits.slot_bytes);
  }
  static std::size_t shelves(const MemoryLimits& limits, std::uint32_t peers) {
    return inboxes(limits, peers) + paged(std::size_t{peers} * limits.inbox * sizeof(SharedMessage));
  }

  std::byte* base_ = nullptr;
  MemoryLimits limits_{};
  std::uint32_t peers_ = 0;
};

}  // namespace trunkline::runtime
