// SPDX-License-Identifier: Apache-2.0
#include "intercept/exchange.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "datatype/exchanged.hpp"
#include "datatype/message.hpp"
#include "intercept/state.hpp"

namespace trunkline::runtime {

Exchange::Exchange(const ExchangeArguments& given, Native* native)
    : given_(given),
      arguments_{.collective = Collective::alltoall,
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

int Exchange::execute(Transport& transport, const LocalDecision& decision) const {
  const MPI_Comm silent = private_communicator()->communicator();
  const int ranks = transport.ranks();
  Message received(given_.receive, ranks * given_.receive_count, given_.receive_type, silent);
  const bool in_place = given_.send == MPI_IN_PLACE;
  std::vector<std::byte> bytes(in_place ? received.bytes() : 0);
  if (in_place) received.read(0, bytes.size(), bytes.data());
  KeptForSends before(std::move(bytes));
  std::optional<Message> sent;
  if (in_place) {
    sent.emplace(before.data(), before.count(), MPI_BYTE, silent);
  } else {
    sent.emplace(const_cast<void*>(given_.send), ranks * given_.send_count, given_.send_type, silent);
  }
  const auto blocks = static_cast<std::uint64_t>(ranks);
  const Exchanged exchanged{
      .sent = even_blocks(*sent, blocks), .received = even_blocks(received, blocks), .in_place = in_place};
  return before.over(decision.plan->part->exchange(transport, exchanged, decision.pace())->run());
}

}  // namespace trunkline::runtime
