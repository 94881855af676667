// SPDX-License-Identifier: Apache-2.0
// Allreduces whose ranks are threads of this process: what the programs that look at every bit of them have in common.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "datatype/operands.hpp"
#include "execute/local_part.hpp"
#include "plan/plan.hpp"
#include "thread_transport.hpp"

namespace trunkline::testing {

struct Elements {
  MPI_Datatype type;
  MPI_Op operation;
  std::size_t bytes;
  OperandOrder order;
};

/// What is the same on all ranks of a call.
struct Call {
  Plan plan;
  Elements elements;
  std::size_t count;
  runtime::Pace pace;
  int late;  ///< a rank, or none
  bool reproducible = true;
};

using Bytes = std::vector<std::byte>;

/// One rank's part; whether it ended well, and left its operand as it was.
inline bool runs(runtime::ThreadsNetwork& network, const Call& call, const std::vector<int>& members, Rank rank,
                 const Bytes& own, bool in_place, std::byte* result) {
  const Bytes before = own;
  runtime::ThreadsTransport transport(network, static_cast<int>(rank));
  const auto part = runtime::local_part(call.plan, rank, members);
  const runtime::Operands operands({.own = in_place ? result : own.data(),
                                    .result = result,
                                    .has_result = true,
                                    .in_place = in_place,
                                    .count = static_cast<MPI_Count>(call.count),
                                    .type = call.elements.type,
                                    .operation = call.elements.operation,
                                    .communicator = MPI_COMM_SELF,
                                    .reproducible = call.reproducible});
  if (call.late == static_cast<int>(rank)) usleep(1000);
  const runtime::Running running = part->reduce(transport, operands, call.pace, true, call.elements.order);
  return running->run() == MPI_SUCCESS && own == before;
}

/// All results, by rank; empty where one of the ranks failed, or messages were left over. `own`: operands, by rank;
/// `in_place`: whose lies where its result goes. A rank's result lies `apart` elements further from an aligned address
/// than that of the rank before.
inline std::vector<Bytes> results_of(const Call& call, const std::vector<Bytes>& own, const std::vector<bool>& in_place,
                                     std::size_t apart = 0) {
  const std::size_t ranks = own.size();
  runtime::ThreadsNetwork network(static_cast<int>(ranks));
  std::vector<int> members;
  for (std::size_t rank = 0; rank < ranks; ++rank) members.push_back(static_cast<int>(rank));
  std::vector<Bytes> results(ranks);
  std::vector<char> is_right(ranks, 0);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const std::size_t bytes = own[rank].size();
      const std::size_t first = rank * apart * call.elements.bytes;
      Bytes room(first + bytes, std::byte{0x5A});
      if (in_place[rank]) std::ranges::copy(own[rank], room.begin() + static_cast<std::ptrdiff_t>(first));
      is_right[rank] = runs(network, call, members, rank, own[rank], in_place[rank], room.data() + first);
      results[rank].assign(room.begin() + static_cast<std::ptrdiff_t>(first), room.end());
    });
  }
  for (std::thread& one : threads) one.join();
  if (network.left_over() > 0 || std::ranges::count(is_right, 0) > 0) return {};
  return results;
}

}  // namespace trunkline::testing
