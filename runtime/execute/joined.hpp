// SPDX-License-Identifier: Apache-2.0
// Two executions of one call that go on side by side in one rank, as one: where a rank sends in two ways at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "execute/execution.hpp"

namespace trunkline::runtime {

/// Of those that neither get messages from the same ranks. It is over once both are.
class Joined final : public Execution {
 public:
  /// `waiting`: further ranks that wait for this one, which are told where it gives up. They must outlive the object.
  Joined(Transport& transport, std::unique_ptr<Execution> first, std::unique_ptr<Execution> second,
         std::span<const int> waiting)
      : Execution(transport), parts_{Part{std::move(first)}, Part{std::move(second)}}, waiting_(waiting) {}

  /// The first one's, where it has any.
  [[nodiscard]] int code() const override;

 private:
  struct Part {
    std::unique_ptr<Execution> execution;
    bool is_over = false;
    std::size_t awaited = 0;  ///< requests that it has added last
  };

  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool looks_itself() const override;
  [[nodiscard]] std::uint64_t progress() const override {
    return parts_[0].execution->progress() + parts_[1].execution->progress();
  }
  void await(std::vector<Pending*>& requests) override;
  void take(std::size_t place, int bytes) override;
  [[nodiscard]] bool is_receiving() const override;
  [[nodiscard]] bool needs(int rank) const override;
  void leave_out(int rank) override;
  [[nodiscard]] std::vector<int> peers() const override;
  [[nodiscard]] std::vector<std::span<Pending>> sends() override;
  void settle() override;

  Part parts_[2];
  std::span<const int> waiting_;
};

}  // namespace trunkline::runtime
