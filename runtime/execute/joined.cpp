// SPDX-License-Identifier: Apache-2.0
#include "execute/joined.hpp"

#include <algorithm>

namespace trunkline::runtime {

int Joined::code() const {
  const int first = parts_[0].execution->code();
  return first != MPI_SUCCESS ? first : parts_[1].execution->code();
}

/// The second one goes on with what the first one has got.
bool Joined::advance() {
  for (Part& part : parts_) part.is_over = part.is_over || part.execution->advance();
  return parts_[0].is_over && parts_[1].is_over;
}

bool Joined::looks_itself() const {
  return std::ranges::any_of(parts_, [](const Part& part) { return !part.is_over && part.execution->looks_itself(); });
}

void Joined::await(std::vector<Pending*>& requests) {
  for (Part& part : parts_) {
    const std::size_t before = requests.size();
    if (!part.is_over) part.execution->await(requests);
    part.awaited = requests.size() - before;
  }
}

void Joined::take(std::size_t place, int bytes) {
  const bool is_first = place < parts_[0].awaited;
  parts_[is_first ? 0 : 1].execution->take(is_first ? place : place - parts_[0].awaited, bytes);
}

bool Joined::is_receiving() const {
  return std::ranges::any_of(parts_, [](const Part& part) { return part.execution->is_receiving(); });
}

bool Joined::needs(int rank) const {
  return std::ranges::any_of(parts_, [rank](const Part& part) { return part.execution->needs(rank); });
}

void Joined::leave_out(int rank) {
  for (Part& part : parts_) {
    part.execution->gone_.push_back(rank);
    part.execution->leave_out(rank);
  }
}

std::vector<int> Joined::peers() const {
  std::vector<int> all(waiting_.begin(), waiting_.end());
  for (const Part& part : parts_) {
    const std::vector<int> more = part.execution->peers();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

std::vector<std::span<Pending>> Joined::sends() {
  std::vector<std::span<Pending>> all;
  for (const Part& part : parts_) {
    const auto more = part.execution->sends();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void Joined::settle() {
  for (const Part& part : parts_) part.execution->settle();
}

}  // namespace trunkline::runtime
