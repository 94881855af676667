// SPDX-License-Identifier: Apache-2.0
// What a rank says that has waited for very long. Ranks whose calls MPI runs do not hear of ours, so a program that is
// wrong may wait for ever, as it may natively; a rank that is only late must not be called wrong.
#include <array>
#include <string>

#include "report.hpp"
#include "transport/mpi/mpi_transport.hpp"

namespace trunkline::runtime {
namespace {

/// "communicator rows of 4 ranks"
std::string named(MPI_Comm communicator, std::size_t ranks) {
  std::array<char, MPI_MAX_OBJECT_NAME + 1> name{};
  int length = 0;
  PMPI_Comm_get_name(communicator, name.data(), &length);
  const std::string what = length > 0 ? std::string("communicator ") + name.data() : "a communicator without a name";
  return what + " of " + std::to_string(ranks) + " ranks";
}

}  // namespace

void MpiTransport::say_long_wait(std::span<const int> awaited, bool receiving) const {
  int own = 0;
  check(PMPI_Comm_rank(ours_.communicator(), &own));
  const bool one = awaited.size() == 1;
  const std::string they = one ? "that rank" : "those ranks";
  std::string text = "rank " + std::to_string(own) + " of MPI_COMM_WORLD has waited " +
                     std::to_string(Watchdog::very_long.count()) + " s in " + std::string(user_.name) + " (" +
                     std::to_string(user_.bytes) + " bytes";
  if (user_.root) text += ", root " + std::to_string(*user_.root);
  text += ", " + named(user_.communicator, members_.size()) + ") for " + (one ? "rank " : "ranks ") + listed(awaited) +
          " of MPI_COMM_WORLD " + (receiving ? "to send" : "to receive") +
          ", and goes on waiting. Nothing is wrong where " + they + (one ? " is" : " are") +
          " late. Else see whether " + they + (one ? " makes" : " make") +
          " this call, and whether all ranks pass the same count, datatype and root to it";
  say("waiting", text);
}

}  // namespace trunkline::runtime
