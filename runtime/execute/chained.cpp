// SPDX-License-Identifier: Apache-2.0
#include "execute/chained.hpp"

#include <algorithm>

namespace trunkline::runtime {

int Chained::code() const {
  const int first = first_->code();
  return first != MPI_SUCCESS || !second_ ? first : second_->code();
}

bool Chained::advance() {
  if (!second_) {
    is_first_over_ = is_first_over_ || first_->advance();
    if (!is_first_over_ || !has_left()) return false;
    first_->settle();
    second_ = next_();
    for (const int rank : left_out_) {
      second_->gone_.push_back(rank);
      second_->leave_out(rank);
    }
  }
  return second_->advance();
}

/// What the first one sends is out of its memory, which the second one may write.
bool Chained::has_left() {
  return std::ranges::all_of(first_->sends(),
                             [&](std::span<Pending> requests) { return transport().test_all(requests, leaving_); });
}

/// No request is awaited while the first one's sends leave.
bool Chained::looks_itself() const {
  return second_ ? second_->looks_itself() : is_first_over_ || first_->looks_itself();
}

bool Chained::is_receiving() const {
  return second_ ? second_->is_receiving() : !sources_.empty() || first_->is_receiving();
}

bool Chained::needs(int rank) const {
  if (second_) return second_->needs(rank);
  return first_->needs(rank) || std::ranges::find(sources_, rank) != sources_.end();
}

void Chained::leave_out(int rank) {
  left_out_.push_back(rank);
  current().gone_.push_back(rank);
  current().leave_out(rank);
}

std::vector<int> Chained::peers() const {
  std::vector<int> all = first_->peers();
  all.insert(all.end(), others_.begin(), others_.end());
  if (second_) {
    const std::vector<int> more = second_->peers();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void Chained::settle() { second_->settle(); }

}  // namespace trunkline::runtime
