// SPDX-License-Identifier: Apache-2.0
// A call that does not block, decided and not started: once, or as often as a persistent one is.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "intercept/call.hpp"
#include "intercept/prepare.hpp"
#include "intercept/shared_facts.hpp"
#include "receipt/receipt.hpp"

namespace trunkline::runtime {

/// Keeps what a call needs of the program's, which may free it meanwhile: datatypes by types made of them.
class HeldForCall {
 public:
  /// `types`: which may be null.
  HeldForCall(std::vector<MPI_Datatype> types, MPI_Op operation) noexcept;
  ~HeldForCall();
  HeldForCall(const HeldForCall&) = delete;
  HeldForCall& operator=(const HeldForCall&) = delete;

 private:
  std::vector<MPI_Datatype> made_of_types_;
  MPI_Op operation_;
};

struct ReadyCall {
  ReadyCall(std::unique_ptr<UserCall> call, std::vector<MPI_Datatype> types, const SharedFacts& facts,
            const Prepared& decided, CallForm its) noexcept
      : user(std::move(call)), shared(facts), prepared(decided), form(its), held(std::move(types), user->operation()) {}

  std::unique_ptr<UserCall> user;
  SharedFacts shared;
  Prepared prepared;  ///< without its turn, and without the communicator, which the program may free
  CallForm form;
  HeldForCall held;
};

struct Ready {
  std::optional<int> code{};  ///< MPI's, where something is wrong
  std::shared_ptr<const ReadyCall> call{};
};

/// Neither a code nor a call: MPI's own is to run, on all ranks alike. Nothing waits but for a persistent call, which
/// is collective.
[[nodiscard]] Ready make_ready(std::unique_ptr<UserCall> user, CallForm form);

/// Whether anybody wants to know what calls ran.
[[nodiscard]] bool are_told();

/// Says what it ran, where somebody wants to know. `under_way_s`: empty where the MPI library runs it.
void tell(const UserCall& user, const SharedFacts& shared, const Prepared& prepared, CallForm form,
          std::optional<double> under_way_s);

}  // namespace trunkline::runtime
