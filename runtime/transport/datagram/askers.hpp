// SPDX-License-Identifier: Apache-2.0
// Connections of those who ask for eager messages over TCP. Anybody may connect: who has not asked with the group's
// seal yet is a stranger, and has little room, little time, and no way to keep members waiting.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <utility>

#include "transport/datagram/descriptor.hpp"
#include "transport/datagram/kept.hpp"

namespace trunkline::runtime {

class RepairThread;
class Repairs;

/// Of one group; of the thread, which calls with its lock held.
class Askers {
 public:
  using Clock = std::chrono::steady_clock;
  /// What an ask is answered with; empty where it is not of the group.
  using Answering = std::function<std::optional<PacketBytes>(std::span<const std::byte> ask)>;

  static constexpr std::size_t most_strangers = 64;
  static constexpr std::size_t most_members = 256;  ///< who asks again connects again
  static constexpr auto time_to_ask = std::chrono::seconds(3);

  /// `thread` watches the connections for `owner`.
  Askers(RepairThread* thread, Repairs& owner, Answering answering)
      : thread_(thread), owner_(owner), answering_(std::move(answering)) {}

  enum class Waiting : std::uint8_t { none, more, without_descriptors };
  /// Takes some of those who wait at a listener, and says what becomes of the others.
  [[nodiscard]] Waiting take_from(int listener);

  /// Goes on with a connection, if it is one of these.
  void go_on(int descriptor);

  /// Ends the connections of strangers who have not asked in time.
  void end_late(Clock::time_point now);
  [[nodiscard]] bool has_strangers() const noexcept { return !strangers_.empty(); }

 private:
  struct Asker {
    Descriptor socket;
    Clock::time_point since{};
    bool has_asked = false;  ///< with the group's seal
    std::size_t come = 0;    ///< of the next ask
    std::array<std::byte, ask_bytes> ask{};
    PacketBytes answer{};
    std::size_t gone = 0;  ///< of that
  };
  using Place = std::list<Asker>::iterator;

  void serve(Place asker, std::list<Asker>& among);
  void end(Place asker, std::list<Asker>& among);
  void drop_oldest();
  [[nodiscard]] bool has_more_to_do(Asker& asker);
  [[nodiscard]] bool send_rest(Asker& asker);
  [[nodiscard]] bool take_ask(Asker& asker);

  RepairThread* thread_;
  Repairs& owner_;
  Answering answering_;
  std::list<Asker> strangers_{};  ///< the longest there first
  std::list<Asker> members_{};    ///< the longest silent first
};

}  // namespace trunkline::runtime
