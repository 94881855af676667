// SPDX-License-Identifier: Apache-2.0
// Faults that a call is given on purpose, to see that the seeded calls find them. They stand in the test's transports
// and operations alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string_view>

namespace trunkline::testing {

enum class Planted : std::uint8_t {
  nothing,
  lost_completion,
  swapped_operands,
  wrong_peer,
  lost_answers,
  swapped_messages,
  early_receive,
  skipped_segment,
  short_segment,
  forgotten_child,
  renumbered_duplicate,
};

struct PlantedFact {
  Planted fault;
  std::string_view name;
  std::string_view what;
};

inline constexpr std::array planted_facts{
    PlantedFact{Planted::lost_completion, "lost-completion", "a receive has its data, and is never reported as over"},
    PlantedFact{Planted::swapped_operands, "swapped-operands", "an operation that does not commute is turned round"},
    PlantedFact{Planted::wrong_peer, "wrong-peer", "a message goes to the rank after the one that it is for"},
    PlantedFact{Planted::lost_answers, "lost-answers", "what a rank asks for again never comes"},
    PlantedFact{Planted::swapped_messages, "swapped-messages", "two messages of one stream change places"},
    PlantedFact{Planted::early_receive, "early-receive", "a receive is over before its data are there"},
    PlantedFact{Planted::skipped_segment, "skipped-segment", "a message is left out, and the next one takes its place"},
    PlantedFact{Planted::short_segment, "short-segment", "the end of a message is not written"},
    PlantedFact{Planted::forgotten_child, "forgotten-child", "nothing more goes from one rank to another"},
    PlantedFact{Planted::renumbered_duplicate, "renumbered-duplicate", "a datagram comes again as the one after it"},
};

[[nodiscard]] inline std::optional<Planted> find_planted(std::string_view name) {
  for (const PlantedFact& one : planted_facts) {
    if (one.name == name) return one.fault;
  }
  return {};
}

/// One fault of one call: it happens at one of the first chances, as the call's seed says.
class Fault {
 public:
  Fault(Planted which, std::mt19937& random)
      : which_(which), left_(1 + static_cast<unsigned>(random() % most_chances)) {}

  /// Whether it happens now, for which there is a chance.
  [[nodiscard]] bool strikes(Planted which) {
    if (which != which_ || left_ == 0 || --left_ > 0) return false;
    has_struck_ = true;
    return true;
  }
  [[nodiscard]] bool has_struck() const { return has_struck_; }

 private:
  static constexpr unsigned most_chances = 6;
  Planted which_;
  unsigned left_;
  bool has_struck_ = false;
};

}  // namespace trunkline::testing
