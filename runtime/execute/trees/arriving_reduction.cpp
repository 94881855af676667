// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/arriving_reduction.hpp"

#include <algorithm>

namespace trunkline::runtime {

ArrivingReduction::ArrivingReduction(Transport& transport, Shelf* shelf, const LocalTree& tree, const HostGroup& group,
                                     const Operands& operands)
    : Execution(transport),
      shelf_(shelf),
      tree_(tree),
      group_(group),
      operands_(operands),
      is_row_(operands.result(0, operands.count()).type == MPI_BYTE),
      far_(group.far.size()),
      has_come_(group.far.size(), false),
      down_(tree.children.size()) {
  const std::size_t slots = group.far.size() + (is_row_ ? 0 : 1);
  if (slots > 0) memory_ = Operands::Slots(operands, slots, operands.count());
}

/// After an error the library may still use the memory of receives.
ArrivingReduction::~ArrivingReduction() {
  if (transport().let_go(far_, true)) memory_.give_up();
  static_cast<void>(transport().let_go(up_, false));
  static_cast<void>(transport().let_go(there_, true));
  static_cast<void>(transport().let_go(down_, false));
}

bool ArrivingReduction::advance() {
  while (true) {
    switch (stage_) {
      case Stage::begins:
        begin();
        stage_ = Stage::from_far;
        break;
      case Stage::from_far:
        if (far_combined_ < far_.size()) return false;
        stage_ = Stage::combines;
        // To whichever rank comes next; the plan's parent stands for it, so that each call tells the same.
        if (!group_.is_top) happened(Event::Kind::handed_on, plan_stream, tree_.parent, 0);
        break;
      case Stage::combines:
        if (!meet()) return false;
        break;
      case Stage::sends_sum:
        // What comes goes to where the sum is sent from.
        if (!up_.front().is_none()) return false;
        expect_result();
        break;
      case Stage::awaits_sum:
      case Stage::awaits_result:
        return false;
      case Stage::hands_down:
        stage_ = Stage::over;
        hand_to_all(result(), tree_.children, plan_stream, 0, false, down_);
        break;
      case Stage::over:
        return true;
    }
  }
}

void ArrivingReduction::begin() {
  for (std::size_t i = 0; i < far_.size(); ++i) transport().receive_from_any(slot(i), sum_stream, far_[i]);
  if (!operands_.in_place()) operands_.copy(operands_.own(0, operands_.count()), result());
}

/// Takes what others have left, and leaves it with its own. Returns whether this rank has done its part.
bool ArrivingReduction::meet() {
  const int keeper = group_.ranks.front();
  while (true) {
    while (ranks_ < group_.ranks.size()) {
      const auto found = shelf_->take(keeper, is_row_ ? result() : slot(far_.size()));
      if (!found) break;
      operands_.combine(found->data, result());
      ranks_ += found->ranks;
      shelf_->done();
    }
    if (ranks_ == group_.ranks.size()) {
      go_on_with_sum();
      return true;
    }
    if (ranks_ > group_.ranks.size()) throw MpiError{MPI_ERR_INTERN};
    const Shelf::Left left = shelf_->leave(result(), ranks_, keeper);
    if (left == Shelf::Left::not_now) return false;
    if (left == Shelf::Left::more_to_take) continue;
    if (is_root()) {
      stage_ = Stage::awaits_sum;
      shelf_->await(result(), there_.front());
    } else {
      expect_result();
    }
    return true;
  }
}

void ArrivingReduction::go_on_with_sum() {
  if (is_root()) {
    stage_ = Stage::hands_down;
    happened(Event::Kind::complete, plan_stream, -1, 0);
    return;
  }
  stage_ = Stage::sends_sum;
  if (group_.up == no_parent) {
    shelf_->hand_over(result(), group_.top, up_.front());
    return;
  }
  // Who was last differs from call to call. Alone, it is a message of the plan.
  happened(group_.ranks.size() == 1 ? Event::Kind::handed_on : Event::Kind::sum, plan_stream, group_.up, 0);
  transport().send(result(), group_.up, sum_stream, false, up_.front());
}

void ArrivingReduction::expect_result() {
  stage_ = Stage::awaits_result;
  transport().receive(result(), tree_.parent, plan_stream, there_.front());
}

/// The child below which that rank is. Throws MpiError where the sum of that host has come before, or is not for here:
/// its sender takes the call for something else.
std::size_t ArrivingReduction::far_of(int sender) const {
  const auto found = std::ranges::find_if(
      group_.far, [sender](const HostGroup::Far& far) { return std::ranges::binary_search(far.ranks, sender); });
  const auto place = static_cast<std::size_t>(found - group_.far.begin());
  if (found == group_.far.end() || has_come_[place]) throw MpiError{MPI_ERR_TRUNCATE};
  return place;
}

void ArrivingReduction::await(std::vector<Pending*>& requests) {
  waiting_.clear();
  if (stage_ == Stage::sends_sum) {
    requests.push_back(&up_.front());
  } else if (stage_ == Stage::awaits_sum || stage_ == Stage::awaits_result) {
    requests.push_back(&there_.front());
  } else if (stage_ == Stage::from_far) {
    for (std::size_t i = 0; i < far_.size(); ++i) {
      if (far_[i].is_none()) continue;
      requests.push_back(&far_[i]);
      waiting_.push_back(i);
    }
  }
}

void ArrivingReduction::take(std::size_t place, int bytes) {
  if (stage_ == Stage::sends_sum) return;
  if (bytes != result().bytes) throw MpiError{MPI_ERR_TRUNCATE};
  if (stage_ == Stage::from_far) {
    const std::size_t far = far_of(transport().sender());
    has_come_[far] = true;
    happened(Event::Kind::arrived, plan_stream, group_.far[far].child, 0);
    operands_.combine(slot(waiting_[place]), result());
    ++far_combined_;
  } else if (stage_ == Stage::awaits_sum) {
    go_on_with_sum();
  } else {
    happened(Event::Kind::arrived, plan_stream, tree_.parent, 0);
    stage_ = Stage::hands_down;
  }
}

/// Without any rank of the host there is no sum of it; and who has given up hands down no result.
bool ArrivingReduction::needs(int rank) const {
  if (!is_receiving()) return false;
  if (rank == group_.up || std::ranges::binary_search(group_.ranks, rank)) return true;
  for (std::size_t i = 0; i < group_.far.size(); ++i) {
    if (!has_come_[i] && std::ranges::binary_search(group_.far[i].ranks, rank)) return true;
  }
  return false;
}

void ArrivingReduction::leave_out(int rank) {
  for (std::size_t i = 0; i < down_.size(); ++i) {
    if (tree_.children[i] == rank) static_cast<void>(transport().let_go(std::span(down_).subspan(i, 1), false));
  }
}

std::vector<int> ArrivingReduction::peers() const {
  std::vector<int> all = group_.ranks;
  if (group_.up != no_parent) all.push_back(group_.up);
  for (const HostGroup::Far& far : group_.far) all.insert(all.end(), far.ranks.begin(), far.ranks.end());
  std::erase(all, group_.own);
  return all;
}

}  // namespace trunkline::runtime
