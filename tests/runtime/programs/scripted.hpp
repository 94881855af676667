// SPDX-License-Identifier: Apache-2.0
// Executions that do as they are told, and what those that are made of two make of them: Chained and Joined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "execute/chained.hpp"
#include "execute/joined.hpp"
#include "thread_transport.hpp"

namespace trunkline::testing {

/// What one does, and what happened to it.
struct Script {
  int turns = 1;             ///< until it is over
  int result = MPI_SUCCESS;  ///< its code
  std::vector<int> needed{};
  std::vector<int> partners{};
  bool looks = true;
  bool receives = false;

  runtime::Pending send{};
  std::vector<int> left_out{};
  std::vector<int> gone{};  ///< as it was when it last went on
  int advanced = 0;
  int settled = 0;
};

class Scripted final : public runtime::Execution {
 public:
  /// The script must outlive the object.
  Scripted(runtime::Transport& transport, Script& script) : Execution(transport), script_(script) {}
  [[nodiscard]] int code() const override { return script_.result; }

 private:
  [[nodiscard]] bool advance() override {
    script_.gone.clear();
    for (int rank = 0; rank < transport().ranks(); ++rank) {
      if (is_gone(rank)) script_.gone.push_back(rank);
    }
    return ++script_.advanced >= script_.turns;
  }
  [[nodiscard]] bool looks_itself() const override { return script_.looks; }
  void await(std::vector<runtime::Pending*>& /*requests*/) override {}
  void take(std::size_t /*place*/, int /*bytes*/) override {}
  [[nodiscard]] bool is_receiving() const override { return script_.receives; }
  [[nodiscard]] bool needs(int rank) const override {
    return std::ranges::find(script_.needed, rank) != script_.needed.end();
  }
  void leave_out(int rank) override { script_.left_out.push_back(rank); }
  [[nodiscard]] std::vector<int> peers() const override { return script_.partners; }
  [[nodiscard]] std::vector<std::span<runtime::Pending>> sends() override { return {std::span(&script_.send, 1)}; }
  void settle() override { ++script_.settled; }

  Script& script_;
};

/// Ranks of one call, of which this one, 0, runs what is made of two scripts.
class TwoScripts {
 public:
  static constexpr int ranks = 5;
  Script first{};
  Script second{};
  std::vector<int> others{};
  std::vector<int> sources{};

  [[nodiscard]] runtime::Transport& of(int rank) { return *transports_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] std::unique_ptr<runtime::Execution> chained() {
    auto next = [this] { return std::make_unique<Scripted>(of(0), second); };
    return std::make_unique<runtime::Chained>(of(0), std::make_unique<Scripted>(of(0), first), next, others, sources);
  }
  [[nodiscard]] std::unique_ptr<runtime::Execution> joined() {
    return std::make_unique<runtime::Joined>(of(0), std::make_unique<Scripted>(of(0), first),
                                             std::make_unique<Scripted>(of(0), second), others);
  }

  /// Whether that rank has been told that rank 0 has given up.
  [[nodiscard]] bool is_told(int rank) {
    try {
      runtime::Watchdog watchdog;
      static_cast<void>(of(rank).test_any({}, true, watchdog));
      return false;
    } catch (const runtime::GivenUp& one) {
      return one.rank == 0 || is_told(rank);
    }
  }

 private:
  runtime::ThreadsNetwork network_{ranks};
  std::vector<std::unique_ptr<runtime::ThreadsTransport>> transports_ = [this] {
    std::vector<std::unique_ptr<runtime::ThreadsTransport>> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(std::make_unique<runtime::ThreadsTransport>(network_, rank));
    return all;
  }();
};

/// Whether the step ends since another rank has given up that is needed.
inline bool gives_up(runtime::Execution& running) {
  try {
    static_cast<void>(running.step());
    return false;
  } catch (const runtime::GivenUp&) {
    return true;
  }
}

/// How many promises of Chained and Joined do not hold.
inline int wrong_compositions() {
  int wrong = 0;
  const auto expect = [&wrong](bool is_so, const char* what) {
    if (is_so) return;
    std::fprintf(stderr, "an execution of two: %s\n", what);
    ++wrong;
  };
  const std::vector<int> one{1};
  {
    TwoScripts on;
    on.first = {.turns = 3, .result = 7};
    on.second = {.turns = 2, .result = 9};
    const auto running = on.chained();
    expect(!running->step() && on.second.advanced == 0, "the second begins before the first is over");
    expect(!running->step() && !running->step() && on.first.settled == 1, "the first is over, and not settled");
    expect(running->step() && on.second.settled == 1, "the second is over, and not settled");
    expect(running->code() == 7, "the first one's error is lost");
    on.first.result = MPI_SUCCESS;
    expect(running->code() == 9, "the second one's error is lost");
  }
  {
    TwoScripts on;
    const auto running = on.chained();
    std::byte word{};
    on.of(0).send(&word, 1, 1, 0, true, on.first.send);
    expect(!running->step() && !running->step() && on.second.advanced == 0, "the second begins while the first sends");
    runtime::Pending taken;
    on.of(1).receive(&word, 1, 0, 0, taken);
    expect(running->step() && on.second.advanced == 1, "the second does not begin once the first has sent");
  }
  for (const bool is_chained : {true, false}) {
    TwoScripts on;
    on.first.turns = 3;
    on.second.turns = 5;
    const auto running = is_chained ? on.chained() : on.joined();
    on.of(1).give_up(MPI_ERR_OTHER);
    for (int turn = 0; turn < 12 && !running->step(); ++turn) {
    }
    expect(on.first.left_out == one && on.first.gone == one, "the first does not know who has given up");
    expect(on.second.left_out == one && on.second.gone == one, "the second does not know who has given up");
  }
  for (const bool is_chained : {true, false}) {
    for (Script TwoScripts::*const part : {&TwoScripts::first, &TwoScripts::second}) {
      TwoScripts on;
      on.first.turns = part == &TwoScripts::second && is_chained ? 1 : 9;
      on.second.turns = 9;
      (on.*part).needed = one;
      on.first.partners = {2};
      on.second.partners = {3};
      on.others = {4};
      const auto running = is_chained ? on.chained() : on.joined();
      static_cast<void>(running->step());
      on.of(1).give_up(MPI_ERR_OTHER);
      expect(gives_up(*running), "it goes on without a rank that it needs");
      const bool has_both = !is_chained || part == &TwoScripts::second;
      expect(on.is_told(2) && on.is_told(4) && on.is_told(3) == has_both, "others are not told that it gives up");
    }
  }
  {
    TwoScripts on;
    on.first.turns = 9;
    on.sources = one;
    const auto running = on.chained();
    static_cast<void>(running->step());
    on.of(1).give_up(MPI_ERR_OTHER);
    expect(gives_up(*running), "it goes on without a rank that it will need");
  }
  {
    TwoScripts on;
    on.first.result = 7;
    on.second = {.turns = 4, .result = 9};
    const auto running = on.joined();
    expect(!running->step() && !running->step() && !running->step() && on.first.advanced == 1,
           "one that is over goes on");
    expect(running->step() && on.first.settled == 1 && on.second.settled == 1, "one of both is not settled");
    expect(running->code() == 7, "the first one's error is lost");
    on.first.result = MPI_SUCCESS;
    expect(running->code() == 9, "the second one's error is lost");
  }
  return wrong;
}

}  // namespace trunkline::testing
