// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall at MPI's edge, in all its forms.
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "datatype/exchanged.hpp"
#include "datatype/message.hpp"
#include "intercept/call.hpp"
#include "intercept/entry_points.hpp"
#include "intercept/short_calls.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {
namespace {

/// As the program gave them.
struct ExchangeArguments {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  MPI_Datatype receive_type;
  MPI_Comm communicator;
};

/// Whether MPI runs it in any case.
[[nodiscard]] bool is_left_to_mpi(Collective collective, const ExchangeArguments& given) {
  return runtime::is_left_to_mpi(collective, given.receive_count, given.receive_type);
}

class Exchange final : public CallOf<ExchangeArguments> {
 public:
  Exchange(Collective collective, const ExchangeArguments& given, Native* native)
      : CallOf(given, native,
               {.collective = collective,
                .buffer = given.receive,
                .count = given.receive_count,
                .type = given.receive_type,
                .root = 0,
                .communicator = given.communicator}) {}

  [[nodiscard]] bool is_doubtful(int /*rank*/) const override {
    if (is_null(given_.receive, given_.receive_type)) return true;
    if (given_.send == MPI_IN_PLACE) return false;
    if (given_.send_count < 0 || given_.send_type == MPI_DATATYPE_NULL || !type_bytes(given_.send_type)) return true;
    if (given_.send_count == 0) return false;
    return is_null(given_.send, given_.send_type) || given_.send == given_.receive;
  }

  [[nodiscard]] int judged(MPI_Comm alone, int /*rank*/) const override {
    ExchangeArguments own = given_;
    own.communicator = alone;
    return native_(own);
  }

  [[nodiscard]] std::vector<MPI_Datatype> types(int /*ranks*/) const override {
    return {given_.receive_type, given_.send == MPI_IN_PLACE ? MPI_DATATYPE_NULL : given_.send_type};
  }
  [[nodiscard]] Running begin(Transport& transport, const LocalDecision& decision) override {
    const MPI_Comm silent = private_communicator()->communicator();
    const int ranks = transport.ranks();
    received_.emplace(given_.receive, ranks * given_.receive_count, given_.receive_type, silent);
    const bool in_place = given_.send == MPI_IN_PLACE;
    if (in_place) {
      std::vector<std::byte> bytes(received_->bytes());
      received_->read(0, bytes.size(), bytes.data());
      before_.emplace(std::move(bytes));
      sent_.emplace(before_->data(), before_->count(), MPI_BYTE, silent);
    } else {
      sent_.emplace(const_cast<void*>(given_.send), ranks * given_.send_count, given_.send_type, silent);
    }
    const auto blocks = static_cast<std::uint64_t>(ranks);
    exchanged_ = {
        .sent = even_blocks(*sent_, blocks), .received = even_blocks(*received_, blocks), .in_place = in_place};
    return decision.plan->part->exchange(transport, exchanged_, decision.pace());
  }

  void succeeded() noexcept override {
    if (before_) before_->let_go();
  }

 private:
  std::optional<KeptForSends> before_{};  ///< what is sent, where it lies in place
  std::optional<Message> sent_{};
  std::optional<Message> received_{};
  Exchanged exchanged_{};
};

template <class Count>
int pass_alltoall(auto* next, const ExchangeArguments& a, auto... more) {
  return next(a.send, static_cast<Count>(a.send_count), a.send_type, a.receive, static_cast<Count>(a.receive_count),
              a.receive_type, a.communicator, more...);
}

}  // namespace
}  // namespace trunkline::runtime

using namespace trunkline;
using namespace trunkline::runtime;

#define PARAMETERS(Count, Start)                                                                  \
  const void *send, Count send_count, MPI_Datatype send_type, void *receive, Count receive_count, \
      MPI_Datatype receive_type, MPI_Comm communicator
#define GIVEN \
  { send, send_count, send_type, receive, receive_count, receive_type, communicator }

TRUNKLINE_ENTRY_POINTS(Alltoall, alltoall, pass_alltoall, Collective::alltoall, Exchange, ExchangeArguments)

#undef PARAMETERS
#undef GIVEN
