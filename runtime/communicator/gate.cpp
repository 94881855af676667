// SPDX-License-Identifier: Apache-2.0
#include "communicator/gate.hpp"

#include "transport/looks.hpp"

namespace trunkline::runtime {

bool Gate::step() {
  const std::size_t all = ranks_.size();
  for (; distance_ < all; distance_ *= 2, has_begun_ = false) {
    if (!has_begun_) {
      const int to = ranks_[(place_ + distance_) % all];
      const int from = ranks_[(place_ + all - distance_) % all];
      static_cast<void>(PMPI_Irecv(nullptr, 0, MPI_BYTE, from, tag_, communicator_, &come_));
      static_cast<void>(PMPI_Isend(nullptr, 0, MPI_BYTE, to, tag_, communicator_, &sent_));
      has_begun_ = true;
    }
    for (MPI_Request* const one : {&come_, &sent_}) {
      int is_over = 0;
      if (!may_be_tested(*one)) return false;
      if (PMPI_Test(one, &is_over, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_over == 0) return false;
    }
  }
  return true;
}

}  // namespace trunkline::runtime
