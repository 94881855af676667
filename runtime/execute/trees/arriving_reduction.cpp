// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/arriving_reduction.hpp"

#include <algorithm>

namespace trunkline::runtime {
namespace {

/// Of a plan of one tree, and a message of one segment.
constexpr unsigned stream = 0;

}  // namespace

ArrivingReduction::ArrivingReduction(Transport& transport, Shelf& shelf, const LocalTree& tree, const HostGroup& group,
                                     const Operands& operands)
    : Execution(transport),
      shelf_(shelf),
      tree_(tree),
      group_(group),
      operands_(operands),
      is_row_(operands.result(0, operands.count()).type == MPI_BYTE),
      far_(group.far.size()),
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
        if (!group_.is_top) happened(Event::Kind::handed_on, stream, tree_.parent, 0);
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
        hand_to_all(result(), tree_.children, stream, 0, false, down_);
        break;
      case Stage::over:
        return true;
    }
  }
}

void ArrivingReduction::begin() {
  for (std::size_t i = 0; i < far_.size(); ++i) transport().receive(slot(i), group_.far[i], stream, far_[i]);
  if (!operands_.in_place()) operands_.copy(operands_.own(0, operands_.count()), result());
}

/// Takes what others have left, and leaves it with its own. Returns whether this rank has done its part.
bool ArrivingReduction::meet() {
  const int keeper = group_.ranks.front();
  while (true) {
    while (ranks_ < group_.ranks.size()) {
      const auto found = shelf_.take(keeper, is_row_ ? result() : slot(far_.size()));
      if (!found) break;
      operands_.combine(found->data, result());
      ranks_ += found->ranks;
      shelf_.done();
    }
    if (ranks_ == group_.ranks.size()) {
      go_on_with_sum();
      return true;
    }
    if (ranks_ > group_.ranks.size()) throw MpiError{MPI_ERR_INTERN};
    const Shelf::Left left = shelf_.leave(result(), ranks_, keeper);
    if (left == Shelf::Left::not_now) return false;
    if (left == Shelf::Left::more_to_take) continue;
    if (group_.is_top) {
      stage_ = Stage::awaits_sum;
      shelf_.await(result(), there_.front());
    } else {
      expect_result();
    }
    return true;
  }
}

void ArrivingReduction::go_on_with_sum() {
  if (group_.is_top && tree_.is_root()) {
    stage_ = Stage::hands_down;
    happened(Event::Kind::complete, stream, -1, 0);
    return;
  }
  stage_ = Stage::sends_sum;
  if (group_.is_top) {
    happened(Event::Kind::handed_on, stream, tree_.parent, 0);
    transport().send(result(), tree_.parent, stream, false, up_.front());
  } else {
    shelf_.hand_over(result(), group_.top, up_.front());
  }
}

void ArrivingReduction::expect_result() {
  stage_ = Stage::awaits_result;
  transport().receive(result(), tree_.parent, stream, there_.front());
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
    happened(Event::Kind::arrived, stream, group_.far[waiting_[place]], 0);
    operands_.combine(slot(waiting_[place]), result());
    ++far_combined_;
  } else if (stage_ == Stage::awaits_sum) {
    go_on_with_sum();
  } else {
    happened(Event::Kind::arrived, stream, tree_.parent, 0);
    stage_ = Stage::hands_down;
  }
}

/// Without any rank of the host there is no sum of it; and who has given up hands down no result.
bool ArrivingReduction::needs(int rank) const {
  if (!is_receiving()) return false;
  if (rank == tree_.parent || std::ranges::binary_search(group_.ranks, rank)) return true;
  const auto found = std::ranges::find(group_.far, rank);
  if (found == group_.far.end()) return false;
  return stage_ == Stage::begins || !far_[static_cast<std::size_t>(found - group_.far.begin())].is_none();
}

void ArrivingReduction::leave_out(int rank) {
  for (std::size_t i = 0; i < down_.size(); ++i) {
    if (tree_.children[i] == rank) static_cast<void>(transport().let_go(std::span(down_).subspan(i, 1), false));
  }
}

std::vector<int> ArrivingReduction::peers() const {
  std::vector<int> all = group_.ranks;
  add_peers(tree_, all);
  std::erase(all, group_.own);
  return all;
}

}  // namespace trunkline::runtime
