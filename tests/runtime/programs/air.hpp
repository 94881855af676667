// SPDX-License-Identifier: Apache-2.0
// Datagrams in a time of their own, for tests: they get lost, come twice, late and in another order, as a seed says.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include "transport/datagrams.hpp"
#include "transport/threads/threads.hpp"

namespace trunkline::testing {

using runtime::Datagram;

struct Weather {
  double lost = 0.0;       ///< of all datagrams, for each receiver by itself
  double twice = 0.0;      ///< of what arrives
  double late = 0.0;       ///< of what arrives: after up to 100 times the usual way
  std::size_t room = 8;    ///< datagrams that wait for a rank; more are lost
  std::vector<bool> deaf;  ///< by rank: nothing reaches it
  std::vector<bool> mute;  ///< by rank: nothing leaves it
};

/// What all ranks of one call share, with the time of day.
class Air {
 public:
  static constexpr double way_s = 0.0001;

  Air(Weather weather, std::uint32_t payload_bytes, std::uint32_t burst, unsigned seed)
      : weather_(std::move(weather)),
        payload_bytes_(payload_bytes),
        burst_(burst),
        random_(seed),
        waiting_(weather_.deaf.size()) {}

  double now = 0.0;

 private:
  friend class AirDatagrams;
  struct InAir {
    double at;
    Datagram datagram;
    std::vector<std::byte> payload;
  };

  bool happens(double probability) { return std::uniform_real_distribution<>(0.0, 1.0)(random_) < probability; }

  void put(int from, int to, const Datagram& datagram) {
    const auto receiver = static_cast<std::size_t>(to);
    if (weather_.mute[static_cast<std::size_t>(from)] || weather_.deaf[receiver] || happens(weather_.lost)) return;
    for (int copies = happens(weather_.twice) ? 2 : 1; copies > 0; --copies) {
      std::deque<InAir>& waiting = waiting_[receiver];
      if (waiting.size() >= weather_.room) return;
      const double slow = happens(weather_.late) ? std::uniform_real_distribution<>(1.0, 100.0)(random_) : 1.0;
      InAir one{.at = now + slow * way_s,
                .datagram = datagram,
                .payload = {datagram.payload.begin(), datagram.payload.end()}};
      one.datagram.from = from;
      waiting.push_back(std::move(one));
    }
  }

  Weather weather_;
  std::uint32_t payload_bytes_;
  std::uint32_t burst_;
  std::mt19937 random_;
  std::vector<std::deque<InAir>> waiting_;  ///< by receiver
};

/// One rank's.
class AirDatagrams final : public runtime::Datagrams {
 public:
  AirDatagrams(Air& air, int rank) : air_(air), rank_(rank) {}

  [[nodiscard]] std::uint32_t payload_bytes() const noexcept override { return air_.payload_bytes_; }
  [[nodiscard]] std::uint32_t burst() const noexcept override { return air_.burst_; }
  void to_all(const Datagram& datagram) override {
    for (int to = 0; to < static_cast<int>(air_.waiting_.size()); ++to) {
      if (to != rank_) air_.put(rank_, to, datagram);
    }
  }
  void to_one(int rank, const Datagram& datagram) override { air_.put(rank_, rank, datagram); }
  void flush() override {}

  [[nodiscard]] std::optional<Datagram> next() override {
    std::deque<Air::InAir>& waiting = air_.waiting_[static_cast<std::size_t>(rank_)];
    for (auto one = waiting.begin(); one != waiting.end(); ++one) {
      if (one->at > air_.now) continue;
      last_ = std::move(*one);
      waiting.erase(one);
      last_.datagram.payload = last_.payload;
      return last_.datagram;
    }
    return {};
  }

  void are_not_heard() noexcept override {}
  [[nodiscard]] double now() const noexcept override { return air_.now; }

 private:
  Air& air_;
  int rank_;
  Air::InAir last_{};
};

/// Messages as between threads, all of them of one thread here, and datagrams through the air.
class AirTransport final : public runtime::Transport {
 public:
  AirTransport(runtime::ThreadsNetwork& network, Air& air, int rank)
      : messages_(network, rank), datagrams_(air, rank) {}

  using Pending = runtime::Pending;
  using Chunk = runtime::Chunk;
  using Transport::receive;
  using Transport::send;
  [[nodiscard]] int ranks() const noexcept override { return messages_.ranks(); }
  void send(const Chunk& chunk, int to, unsigned stream, bool synchronous, Pending& pending) override {
    messages_.send(chunk, to, stream, synchronous, pending);
  }
  void receive(const Chunk& chunk, int from, unsigned stream, Pending& pending) override {
    messages_.receive(chunk, from, stream, pending);
  }
  [[nodiscard]] Over wait_any(std::span<Pending* const> pending, bool receiving) override {
    return messages_.wait_any(pending, receiving);
  }
  [[nodiscard]] std::optional<Over> test_any(std::span<Pending* const> pending, bool receiving,
                                             runtime::Watchdog& watchdog) override {
    return messages_.test_any(pending, receiving, watchdog);
  }
  void wait_all(std::span<Pending> pending) override { messages_.wait_all(pending); }
  [[nodiscard]] bool test_all(std::span<Pending> pending, runtime::Watchdog& watchdog) override {
    return messages_.test_all(pending, watchdog);
  }
  void give_up(int code) noexcept override { messages_.give_up(code); }
  void give_up_too(int code, std::span<const int> peers) noexcept override { messages_.give_up_too(code, peers); }
  void say_long_wait(std::span<const int> /*awaited*/, bool /*receiving*/) const override {}
  [[nodiscard]] bool let_go(std::span<Pending> pending, bool cancel) noexcept override {
    return messages_.let_go(pending, cancel);
  }
  [[nodiscard]] runtime::Datagrams* datagrams() noexcept override { return &datagrams_; }

 private:
  runtime::ThreadsTransport messages_;
  AirDatagrams datagrams_;
};

}  // namespace trunkline::testing
