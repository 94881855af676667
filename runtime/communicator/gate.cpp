// SPDX-License-Identifier: Apache-2.0
#include "communicator/gate.hpp"

#include <algorithm>
#include <limits>

#include "transport/looks.hpp"

namespace trunkline::runtime {

bool Gate::step(std::span<std::int64_t> words) {
  const std::size_t all = ranks_.size();
  for (; distance_ < all; distance_ *= 2, has_begun_ = false) {
    if (!has_begun_) {
      const int to = ranks_[(place_ + distance_) % all];
      const int from = ranks_[(place_ + all - distance_) % all];
      const auto bytes = static_cast<int>(words.size_bytes());
      std::ranges::copy(words, sending_.begin());
      coming_.fill(std::numeric_limits<std::int64_t>::min());  // where a dead rank sends nothing
      static_cast<void>(PMPI_Irecv(coming_.data(), bytes, MPI_BYTE, from, tag_, communicator_, &come_));
      static_cast<void>(PMPI_Isend(sending_.data(), bytes, MPI_BYTE, to, tag_, communicator_, &sent_));
      has_begun_ = true;
    }
    const Looks looks;
    for (MPI_Request* const one : {&come_, &sent_}) {
      int is_over = 0;
      if (!may_be_tested(*one)) return false;
      if (PMPI_Test(one, &is_over, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_over == 0) return false;
    }
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::max(words[i], coming_[i]);
  }
  return true;
}

}  // namespace trunkline::runtime
