// SPDX-License-Identifier: Apache-2.0
// Messages between threads of one process: ranks are threads, and thousands of calls take seconds.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace trunkline::runtime {

/// What the threads of one call share. Outlives their transports.
class ThreadsNetwork {
 public:
  explicit ThreadsNetwork(int ranks) : ranks_(ranks) {}
  [[nodiscard]] int ranks() const noexcept { return ranks_; }

  /// Messages that no rank has taken, and receives that nothing came for.
  [[nodiscard]] std::size_t left_over() {
    const std::scoped_lock lock(mutex_);
    return messages_.size() + receives_.size();
  }

 private:
  friend class ThreadsTransport;

  /// Either side of a message. `is_over` and all lists are the mutex's.
  struct Operation {
    int from;
    int to;
    unsigned stream;
    Chunk chunk;
    std::vector<std::byte> packed{};  ///< of an ordinary message: it has left when it was sent
    bool is_kept = false;             ///< somebody still asks for it
    bool is_over = false;
    bool is_truncated = false;
  };

  const int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Operation> messages_;            ///< in the order in which they were sent
  std::list<Operation> receives_;            ///< in the order in which they were started
  std::list<Operation> over_;                ///< until they are asked for
  std::vector<std::shared_ptr<void>> late_;  ///< memory of receives that outlive their calls
  struct Notice {
    GivenUp one;
    std::vector<int> told{};  ///< empty: all
  };
  std::vector<Notice> given_up_;  ///< in the order in which they did
};

/// One rank's. An ordinary message is over at once, and a synchronous one once it has been received: from where it lies
/// then, so that a sender that changes its memory too early is found out.
class ThreadsTransport final : public Transport {
 public:
  ThreadsTransport(ThreadsNetwork& network, int rank) : network_(network), rank_(rank) {}

  [[nodiscard]] int ranks() const noexcept override { return network_.ranks(); }

  using Transport::receive;
  using Transport::send;
  void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) override {
    Operation message{.from = rank_, .to = to, .stream = stream, .chunk = chunk};
    if (!synchronous) message.packed = packed(chunk);
    const std::scoped_lock lock(network_.mutex_);
    message.is_kept = synchronous;
    network_.messages_.push_back(std::move(message));
    pending.word = synchronous ? reinterpret_cast<std::uintptr_t>(&network_.messages_.back()) : 0;
    match();
  }

  void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) override {
    const std::scoped_lock lock(network_.mutex_);
    network_.receives_.push_back(
        {.from = from, .to = rank_, .stream = stream, .chunk = chunk, .packed = {}, .is_kept = true});
    pending.word = reinterpret_cast<std::uintptr_t>(&network_.receives_.back());
    match();
  }

  [[nodiscard]] Over wait_any(std::span<Pending* const> pending, bool receiving) override {
    std::unique_lock lock(network_.mutex_);
    while (true) {
      if (const auto over = any_over(pending)) return *over;
      look_for_notice(receiving);
      network_.changed_.wait(lock);
    }
  }

  [[nodiscard]] std::optional<Over> test_any(std::span<Pending* const> pending, bool receiving,
                                             Watchdog& /*watchdog*/) override {
    const std::scoped_lock lock(network_.mutex_);
    const auto over = any_over(pending);
    if (!over) look_for_notice(receiving);
    return over;
  }

  void wait_all(std::span<Pending> pending) override {
    for (Pending& one : pending) {
      Pending* const alone = &one;
      if (!one.is_none()) static_cast<void>(wait_any({&alone, 1}, false));
    }
  }

  [[nodiscard]] bool test_all(std::span<Pending> pending, Watchdog& watchdog) override {
    return std::ranges::all_of(pending, [&](Pending& one) {
      Pending* const alone = &one;
      return one.is_none() || test_any({&alone, 1}, false, watchdog).has_value();
    });
  }

  void give_up(int code) noexcept override { tell_that_it_gives_up(code, {}); }
  void give_up_too(int code, std::span<const int> peers) noexcept override {
    if (!peers.empty()) tell_that_it_gives_up(code, peers);
  }

  /// Nothing here waits for long but by a fault.
  void say_long_wait(std::span<const int> /*awaited*/, bool /*receiving*/) const override {}

  [[nodiscard]] bool let_go(std::span<Pending> pending, bool /*cancel*/) noexcept override {
    const std::scoped_lock lock(network_.mutex_);
    bool left_over = false;
    for (Pending& one : pending) {
      if (one.is_none()) continue;
      left_over = true;
      for (auto* const list : {&network_.messages_, &network_.receives_, &network_.over_}) {
        list->remove_if([&](const Operation& any) { return &any == of(one); });
      }
      one = {};
    }
    return left_over;
  }

  [[nodiscard]] bool outlives(int /*rank*/) const noexcept override { return true; }

  void outlive(std::shared_ptr<void> memory, Pending& receive) noexcept override {
    const std::scoped_lock lock(network_.mutex_);
    network_.late_.push_back(std::move(memory));
    receive = {};
  }

  void send_off(std::shared_ptr<void> memory, int bytes, int to, unsigned stream) override {
    Pending pending;
    send({.at = static_cast<std::byte*>(memory.get()), .count = bytes, .bytes = bytes}, to, stream, false, pending);
    const std::scoped_lock lock(network_.mutex_);
    network_.late_.push_back(std::move(memory));
  }

  /// The data of a message as they travel, and the other way. Throw MpiError.
  static std::vector<std::byte> packed(const Chunk& chunk) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(chunk.bytes));
    if (chunk.type == MPI_BYTE) {
      if (!bytes.empty()) std::memcpy(bytes.data(), chunk.at, bytes.size());
      return bytes;
    }
    int most = 0;
    check(PMPI_Pack_size(chunk.count, chunk.type, MPI_COMM_SELF, &most));
    bytes.resize(static_cast<std::size_t>(most));
    int position = 0;
    check(PMPI_Pack(chunk.at, chunk.count, chunk.type, bytes.data(), most, &position, MPI_COMM_SELF));
    bytes.resize(static_cast<std::size_t>(position));
    return bytes;
  }

  static void unpack(const std::vector<std::byte>& bytes, const Chunk& chunk) {
    if (chunk.type == MPI_BYTE) {
      if (!bytes.empty()) std::memcpy(chunk.at, bytes.data(), bytes.size());
      return;
    }
    int position = 0;
    const int size = static_cast<int>(bytes.size());
    check(PMPI_Unpack(bytes.data(), size, &position, chunk.at, chunk.count, chunk.type, MPI_COMM_SELF));
  }

 private:
  using Operation = ThreadsNetwork::Operation;

  static Operation* of(const Pending& pending) { return reinterpret_cast<Operation*>(pending.word); }

  /// Brings together what belongs together, in order. With the mutex.
  void match() {
    for (auto receive = network_.receives_.begin(); receive != network_.receives_.end();) {
      const auto message = std::ranges::find_if(network_.messages_, [&](const Operation& one) {
        return one.from == receive->from && one.to == receive->to && one.stream == receive->stream;
      });
      if (message == network_.messages_.end()) {
        ++receive;
        continue;
      }
      const std::vector<std::byte> bytes = message->is_kept ? packed(message->chunk) : std::move(message->packed);
      receive->is_truncated = static_cast<int>(bytes.size()) > receive->chunk.bytes;
      if (!receive->is_truncated) unpack(bytes, receive->chunk);
      receive->chunk.bytes = static_cast<int>(bytes.size());
      receive->is_over = message->is_over = true;
      if (message->is_kept) {
        network_.over_.splice(network_.over_.end(), network_.messages_, message);
      } else {
        network_.messages_.erase(message);
      }
      network_.over_.splice(network_.over_.end(), network_.receives_, receive++);
      network_.changed_.notify_all();
    }
  }

  std::optional<Over> any_over(std::span<Pending* const> pending) {
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const auto over = std::ranges::find(network_.over_, of(*pending[i]), [](const Operation& one) { return &one; });
      if (over == network_.over_.end()) continue;
      const Over found{.index = i, .bytes = over->chunk.bytes};
      const bool is_truncated = over->is_truncated;
      network_.over_.erase(over);
      *pending[i] = {};
      if (is_truncated) throw MpiError{MPI_ERR_TRUNCATE};
      return found;
    }
    return {};
  }

  void tell_that_it_gives_up(int code, std::span<const int> told) noexcept {
    const std::scoped_lock lock(network_.mutex_);
    network_.given_up_.push_back({.one = {.rank = rank_, .code = code}, .told = {told.begin(), told.end()}});
    network_.changed_.notify_all();
  }

  void look_for_notice(bool /*receiving*/) {
    while (noticed_ < network_.given_up_.size()) {
      const auto& [one, told] = network_.given_up_[noticed_++];
      const bool is_for_it = told.empty() || std::ranges::find(told, rank_) != told.end();
      if (one.rank != rank_ && is_for_it) throw GivenUp(one);
    }
  }

  ThreadsNetwork& network_;
  int rank_;
  std::size_t noticed_ = 0;  ///< of those that have given up
};

}  // namespace trunkline::runtime
