// SPDX-License-Identifier: Apache-2.0
// What `auto` runs for a message, quickly, or with what it follows from.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "choose/alternatives.hpp"
#include "choose/evaluate.hpp"
#include "collective/operand_order.hpp"

namespace trunkline {

/// What runs, without a word about it.
struct Pick {
  std::string_view algorithm = "native";  ///< or one of the registry's own names
  std::uint64_t segment_bytes = 0;        ///< 0: native
};

/// As evaluate() says of the least size of the message's class: the same for all sizes that run alike.
[[nodiscard]] Pick pick(const Alternatives& alternatives, std::uint64_t message_bytes,
                        OperandOrder order = OperandOrder::any, Reach reach = Reach::datagrams);

/// The same, kept for each class of sizes. Used by one thread at a time, always with the same alternatives.
class KeptPicks {
 public:
  /// At most some microseconds where no size of the class was asked for before; else some tens of nanoseconds.
  [[nodiscard]] Pick pick(const Alternatives& alternatives, std::uint64_t message_bytes, OperandOrder order,
                          Reach reach);

 private:
  struct Kept {
    std::uint8_t runs = 0;     ///< 0: not known; 1: native; else the place of the alternative, and 2
    std::uint8_t segment = 0;  ///< its place among segment_sizes()
  };
  std::array<std::array<std::vector<Kept>, 2>, 2> by_class_;  ///< by order of operands and reach
};

/// One algorithm with the segment in which it would run, for one message.
struct Prediction {
  std::string_view algorithm;       ///< the registry's own text
  std::uint64_t segment_bytes = 0;  ///< 0: native
  double seconds = 0.0;
};

struct Choice {
  std::string_view algorithm = "native";  ///< or one of the predictions'
  std::uint64_t segment_bytes = 0;        ///< 0: native
  /// Of this very size, fastest first, native among them; empty: there is no network between ranks.
  std::vector<Prediction> predictions{};
  std::string reason{};  ///< one line, for people
};

/// The same choice, with what it follows from: for people.
[[nodiscard]] Choice choose(const Alternatives& alternatives, std::uint64_t message_bytes,
                            OperandOrder order = OperandOrder::any, Reach reach = Reach::datagrams);

/// Of the candidates with one order that go by messages, the algorithm that loses least: datagrams may not reach all
/// ranks, and another order would run then. For each size from 8 bytes to 16 MiB its time is
/// divided by that of the fastest candidate; the greatest of these ratios is what it loses. Without such candidates,
/// one that needs no cluster. Empty where nothing keeps the order: operands by rank, and another root than rank 0.
[[nodiscard]] std::string_view algorithm_of_one_order(const Alternatives* alternatives, Collective collective,
                                                      OperandOrder order, Rank root);

}  // namespace trunkline
