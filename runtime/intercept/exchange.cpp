// SPDX-License-Identifier: Apache-2.0
#include "intercept/exchange.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "intercept/state.hpp"

namespace trunkline::runtime {

Exchange::Exchange(Collective collective, const ExchangeArguments& given, Native* native)
    : given_(given),
      arguments_{.collective = collective,
                 .buffer = given.receive,
                 .count = given.receive_count,
                 .type = given.receive_type,
                 .root = 0,
                 .communicator = given.communicator},
      native_(native) {}

bool Exchange::is_doubtful(int /*rank*/) const {
  if (is_null(given_.receive, given_.receive_type)) return true;
  if (given_.send == MPI_IN_PLACE) return false;
  if (given_.send_count < 0 || given_.send_type == MPI_DATATYPE_NULL || !type_bytes(given_.send_type)) return true;
  if (given_.send_count == 0) return false;
  return is_null(given_.send, given_.send_type) || given_.send == given_.receive;
}

int Exchange::judged(MPI_Comm alone, int /*rank*/) const {
  ExchangeArguments own = given_;
  own.communicator = alone;
  return native_(own);
}

Running Exchange::begin(Transport& transport, const LocalDecision& decision) {
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
  exchanged_ = {.sent = even_blocks(*sent_, blocks), .received = even_blocks(*received_, blocks), .in_place = in_place};
  return decision.plan->part->exchange(transport, exchanged_, decision.pace());
}

}  // namespace trunkline::runtime
