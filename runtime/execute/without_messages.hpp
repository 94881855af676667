// SPDX-License-Identifier: Apache-2.0
// A part whose messages are none of the MPI library's: it has no requests to wait for. By itself it waits for no rank;
// a part that hears datagrams says which ranks must still send something.
#pragma once

#include <span>
#include <vector>

#include "execute/execution.hpp"

namespace trunkline::runtime {

class WithoutMessages : public Execution {
 protected:
  using Execution::Execution;

 private:
  void await(std::vector<Pending*>& /*requests*/) final {}
  void take(std::size_t /*place*/, int /*bytes*/) final {}
  void leave_out(int /*rank*/) final {}
  [[nodiscard]] std::vector<std::span<Pending>> sends() final { return {}; }

  [[nodiscard]] bool is_receiving() const override { return false; }
  [[nodiscard]] bool needs(int /*rank*/) const override { return false; }
  [[nodiscard]] std::vector<int> peers() const override { return {}; }
};

}  // namespace trunkline::runtime
