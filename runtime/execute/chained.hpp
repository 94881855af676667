// SPDX-License-Identifier: Apache-2.0
// Two executions of one call in one rank, of which the second begins where the first is over: its data are what the
// first has made.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "execute/execution.hpp"
#include "transport/watchdog.hpp"

namespace trunkline::runtime {

class Chained final : public Execution {
 public:
  using Next = std::function<std::shared_ptr<Execution>()>;

  /// `next` makes the second one, once nothing of the first is on its way; it may hold what that needs. `others`: ranks
  /// that this one exchanges messages with in it, which are told where this rank gives up before; of these it needs
  /// `sources`. They must outlive the object.
  Chained(Transport& transport, std::shared_ptr<Execution> first, Next next, std::span<const int> others,
          std::span<const int> sources)
      : Execution(transport), first_(std::move(first)), next_(std::move(next)), others_(others), sources_(sources) {}

  /// The first one's, where it has any.
  [[nodiscard]] int code() const override;

 private:
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override;
  [[nodiscard]] std::uint64_t progress() const override {
    return first_->progress() + (second_ ? second_->progress() : 0);
  }
  void await(std::vector<Pending*>& requests) override { current().await(requests); }
  void take(std::size_t place, int bytes) override { current().take(place, bytes); }
  [[nodiscard]] bool is_receiving() const override;
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override { return current().sends(); }
  void settle() override;

  [[nodiscard]] Execution& current() { return second_ ? *second_ : *first_; }
  [[nodiscard]] bool has_left();

  std::shared_ptr<Execution> first_;
  Next next_;
  std::shared_ptr<Execution> second_{};
  std::span<const int> others_;
  std::span<const int> sources_;
  bool is_first_over_ = false;  ///< but for what it sends
  std::vector<int> left_out_{};
  Watchdog leaving_{};
};

}  // namespace trunkline::runtime
