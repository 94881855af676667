// SPDX-License-Identifier: Apache-2.0
// The messages of one call under a schedule: they take as long as the seed says, and only those of one stream between
// two ranks keep their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../programs/thread_transport.hpp"
#include "planted.hpp"
#include "schedule.hpp"
#include "transport/shelf.hpp"

namespace trunkline::testing {

using runtime::Chunk;
using runtime::GivenUp;
using runtime::MpiError;
using runtime::Pending;

/// What the ranks of one call share.
class SeededNetwork {
 public:
  SeededNetwork(int ranks, double longest_way_s, Schedule& schedule, Fault& fault)
      : schedule_(schedule),
        fault_(fault),
        ranks_(ranks),
        longest_way_s_(longest_way_s),
        notices_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] Schedule& schedule() { return schedule_; }
  [[nodiscard]] Fault& fault() { return fault_; }

  /// How the data of a message leave its sender.
  enum class Leaves : std::uint8_t {
    at_once,   ///< and the send is over
    later,     ///< when it arrives, and then the send is over
    received,  ///< when it is received
  };

  void send(const Chunk& chunk, int from, int to, unsigned stream, Leaves leaves, Pending& pending) {
    schedule_.gets_on();
    const int receiver = receiver_of(from, to);
    auto letter = std::make_shared<Letter>(Letter{.chunk = chunk, .from = from, .to = receiver, .stream = stream});
    pending = {};
    if (leaves == Leaves::at_once) {
      pack(*letter);
    } else {
      letter->sender = operation({.owner = from, .peer = to, .stream = stream, .chunk = chunk, .sends = true});
      letter->leaves_on_arrival = leaves == Leaves::later;
      pending.word = std::bit_cast<std::uintptr_t>(letter->sender);
    }
    if (is_left_out(*letter)) {
      if (letter->sender != nullptr) complete(*letter->sender, chunk.bytes);
      return;
    }
    Channel& channel = channels_[{from, receiver, stream}];
    channel.last_at = std::max(channel.last_at, schedule_.now() + way_s());
    const bool swaps = !channel.letters.empty() && fault_.strikes(Planted::swapped_messages);
    channel.letters.insert(swaps ? std::prev(channel.letters.end()) : channel.letters.end(), letter);
    schedule_.at(channel.last_at, [this, letter] { arrive(*letter); });
  }

  void receive(const Chunk& chunk, int from, int to, unsigned stream, Pending& pending) {
    Operation* const receive = operation({.owner = to, .peer = from, .stream = stream, .chunk = chunk});
    pending.word = std::bit_cast<std::uintptr_t>(receive);
    Channel& channel = channels_[{from, to, stream}];
    channel.receives.push_back(receive);
    match(channel);
    if (!receive->is_over && chunk.bytes > 0 && fault_.strikes(Planted::early_receive)) {
      complete(*receive, chunk.bytes);
      receive->is_deaf = true;
    }
  }

  /// From whichever rank's message is there first. Such a stream has no other receives.
  void receive_from_any(const Chunk& chunk, int to, unsigned stream, Pending& pending) {
    Operation* const receive = operation({.owner = to, .peer = any_host, .stream = stream, .chunk = chunk});
    pending.word = std::bit_cast<std::uintptr_t>(receive);
    from_any_[{to, stream}].push_back(receive);
    for (auto& [key, channel] : channels_) {
      if (std::get<1>(key) == to && std::get<2>(key) == stream) match(channel);
    }
  }

  /// Of a message that was received, and is over.
  [[nodiscard]] static int sender_of(const Pending& pending) {
    return std::bit_cast<const Operation*>(pending.word)->sender;
  }

  /// Whether that one is over: asked until it is.
  [[nodiscard]] std::optional<int> bytes_if_over(Pending& pending) {
    const Operation& one = *std::bit_cast<Operation*>(pending.word);
    if (!one.is_over) return {};
    pending = {};
    if (one.is_truncated) throw MpiError{MPI_ERR_TRUNCATE};
    return one.bytes;
  }

  /// Its message does not come, and none that was sent after it on the same way.
  void let_go(Pending& pending) {
    Operation* const one = std::bit_cast<Operation*>(std::exchange(pending.word, 0));
    one->is_let_go = true;
    for (auto& [key, receives] : from_any_) std::erase(receives, one);
    for (auto& [key, channel] : channels_) {
      std::erase(channel.receives, one);
      const auto own = std::ranges::find(channel.letters, one,
                                         [](const auto& letter) -> const Operation* { return letter->sender; });
      channel.letters.erase(own, channel.letters.end());
    }
  }

  void keep(std::shared_ptr<void> memory) { late_.push_back(std::move(memory)); }

  void give_up(int rank, int code, std::span<const int> told) {
    for (int other = 0; other < ranks_; ++other) {
      if (other == rank || (!told.empty() && std::ranges::find(told, other) == told.end())) continue;
      schedule_.at(schedule_.now() + way_s(), [this, rank, code, other] {
        schedule_.gets_on();
        notices_[static_cast<std::size_t>(other)].push_back({.rank = rank, .code = code});
        schedule_.wake(other);
      });
    }
  }

  void look_for_notice(int rank) {
    auto& own = notices_[static_cast<std::size_t>(rank)];
    if (own.empty()) return;
    const GivenUp first = own.front();
    own.pop_front();
    throw GivenUp(first);
  }

  /// Of ranks that are not over: what each of them waits for.
  [[nodiscard]] std::string waiting() const {
    std::string text;
    for (int rank = 0; rank < ranks_; ++rank) {
      if (schedule_.is_over(rank)) continue;
      text += "\n  rank " + std::to_string(rank) + (schedule_.waits(rank) ? " waits" : " looks again and again") + ":";
      for (const Operation& one : operations_) {
        if (one.owner != rank || (one.is_over && !one.is_lost) || one.is_let_go) continue;
        text += std::string(one.sends ? " to send to " : " to receive from ") +
                (one.peer < ranks_ ? std::to_string(one.peer) : "any rank of " + host_word(one)) + " (stream " +
                std::to_string(one.stream) + ", " + std::to_string(one.chunk.bytes) + " bytes);";
      }
    }
    return text;
  }

  /// After the run: messages that no rank has taken, and receives that nothing came for; empty: none.
  [[nodiscard]] std::string left_over() const {
    std::string text;
    for (const auto& [key, channel] : channels_) {
      const auto& [from, to, stream] = key;
      const std::string way = " from rank " + std::to_string(from) + " to rank " + std::to_string(to) + " (stream " +
                              std::to_string(stream) + ")";
      if (!channel.letters.empty()) text += "\n  messages" + way + ": " + std::to_string(channel.letters.size());
      if (!channel.receives.empty()) text += "\n  receives" + way + ": " + std::to_string(channel.receives.size());
    }
    for (const auto& [key, receives] : from_any_) {
      if (!receives.empty()) text += "\n  receives of rank " + std::to_string(key.first) + " from any other host";
    }
    return text;
  }

  /// Where ranks of a host leave partial sums: by keeper.
  struct Place {
    std::vector<std::byte> bytes{};
    unsigned ranks = 0;  ///< 0: nothing is there
  };
  [[nodiscard]] Place& place(int keeper) { return places_[keeper]; }

 private:
  struct Operation {
    int owner = 0;
    int peer = 0;
    unsigned stream = 0;
    Chunk chunk{};
    bool sends = false;
    int sender = -1;  ///< of what has been received
    int bytes = 0;
    bool is_over = false;
    bool is_truncated = false;
    bool is_let_go = false;
    bool is_deaf = false;  ///< planted: what comes is not written
    bool is_lost = false;  ///< planted: never reported
  };
  struct Letter {
    Chunk chunk;
    int from;
    int to;
    unsigned stream;
    std::vector<std::byte> packed{};
    Operation* sender = nullptr;  ///< none: the send is over
    bool is_packed = false;
    bool leaves_on_arrival = false;
    bool is_here = false;
  };
  struct Channel {
    std::list<std::shared_ptr<Letter>> letters{};  ///< in the order in which they are received
    std::deque<Operation*> receives{};
    double last_at = 0.0;
  };

  static constexpr int any_host = std::numeric_limits<int>::max();
  static std::string host_word(const Operation& one) { return one.peer == any_host ? "another host" : "its host"; }

  Operation* operation(const Operation& one) { return &operations_.emplace_back(one); }

  double way_s() { return schedule_.any_time(schedule_.chance(0.05) ? 20 * longest_way_s_ : longest_way_s_); }

  int receiver_of(int from, int to) {
    const int next = (to + 1) % ranks_;
    const int other = next == from ? (next + 1) % ranks_ : next;
    return other != to && fault_.strikes(Planted::wrong_peer) ? other : to;
  }

  bool is_left_out(const Letter& letter) {
    if (fault_.strikes(Planted::skipped_segment)) return true;
    if (fault_.strikes(Planted::forgotten_child)) forgotten_ = {letter.from, letter.to};
    return forgotten_ == std::pair{letter.from, letter.to};
  }

  static void pack(Letter& letter) {
    letter.packed = runtime::ThreadsTransport::packed(letter.chunk);
    letter.is_packed = true;
  }

  void complete(Operation& one, int bytes) {
    if (one.is_deaf) return;
    one.bytes = bytes;
    if (!one.sends && fault_.strikes(Planted::lost_completion)) one.is_lost = true;
    one.is_over = !one.is_lost;
    schedule_.gets_on();
    schedule_.wake(one.owner);
  }

  void arrive(Letter& letter) {
    const auto found = channels_.find({letter.from, letter.to, letter.stream});
    Channel& channel = found->second;
    const bool is_taken_back =
        std::ranges::none_of(channel.letters, [&](const auto& one) { return one.get() == &letter; });
    if (is_taken_back) return;
    letter.is_here = true;
    if (letter.leaves_on_arrival) {
      pack(letter);
      complete(*std::exchange(letter.sender, nullptr), letter.chunk.bytes);
    }
    match(channel);
  }

  void match(Channel& channel) {
    while (!channel.letters.empty() && channel.letters.front()->is_here) {
      const Letter& next = *channel.letters.front();
      const auto from_any = from_any_.find({next.to, next.stream});
      std::deque<Operation*>& receives = from_any == from_any_.end() ? channel.receives : from_any->second;
      if (receives.empty()) return;
      const std::shared_ptr<Letter> letter = std::move(channel.letters.front());
      channel.letters.pop_front();
      Operation& receive = *receives.front();
      receives.pop_front();
      receive.sender = letter->from;
      if (!letter->is_packed) pack(*letter);
      hand(letter->packed, receive);
      if (letter->sender != nullptr) complete(*letter->sender, letter->chunk.bytes);
    }
  }

  void hand(std::vector<std::byte>& bytes, Operation& receive) {
    const int came = static_cast<int>(bytes.size());
    receive.is_truncated = came > receive.chunk.bytes;
    if (!receive.is_truncated && !receive.is_deaf) {
      const bool is_plain = receive.chunk.type == MPI_BYTE && came >= 4;
      if (is_plain && fault_.strikes(Planted::short_segment)) bytes.resize(bytes.size() - 4);
      runtime::ThreadsTransport::unpack(bytes, receive.chunk);
    }
    complete(receive, came);
  }

  Schedule& schedule_;
  Fault& fault_;
  int ranks_;
  double longest_way_s_;
  std::map<std::tuple<int, int, unsigned>, Channel> channels_;
  std::deque<Operation> operations_;  ///< of the whole call
  std::vector<std::deque<GivenUp>> notices_;
  std::vector<std::shared_ptr<void>> late_;  ///< memory of receives that outlive the call
  std::map<int, Place> places_;
  std::map<std::pair<int, unsigned>, std::deque<Operation*>> from_any_;  ///< receives, by rank and stream
  std::pair<int, int> forgotten_{-1, -1};
};

}  // namespace trunkline::testing
