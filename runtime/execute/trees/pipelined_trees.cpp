// SPDX-License-Identifier: Apache-2.0
#include "execute/trees/pipelined_trees.hpp"

#include <algorithm>

#include "execute/window.hpp"

namespace trunkline::runtime {

PipelinedTrees::PipelinedTrees(Transport& transport, std::span<const LocalTree> trees, Message& message,
                               std::uint64_t segment_bytes, std::uint64_t in_flight_bytes)
    : Execution(transport),
      message_(message),
      segment_bytes_(usable_segment(segment_bytes, message.bytes())),
      segments_((message.bytes() + segment_bytes_ - 1) / segment_bytes_),
      in_place_(message.in_place()) {
  const std::uint64_t window = down_window_of(segment_bytes_, in_flight_bytes, trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) {
    Flow& flow = flows_.emplace_back(Flow{.tree = &trees[t], .number = static_cast<unsigned>(t)});
    flow.segments = segments_of(segments_, trees.size(), t);
    flow.window = std::min(flow.segments, window);
    flow.receives.assign(flow.is_root() ? 0 : flow.window, Pending());
    flow.sends.assign(flow.window * flow.tree->children.size(), Pending());
    if (in_place_ == nullptr && flow.window > 0) {
      flow.ring = std::make_unique_for_overwrite<std::byte[]>(2 * flow.window * segment_bytes_);
    }
  }
}

bool PipelinedTrees::needs(int rank) const {
  return std::ranges::any_of(
      flows_, [rank](const Flow& flow) { return flow.tree->parent == rank && flow.received < flow.segments; });
}

void PipelinedTrees::leave_out(int rank) {
  for (Flow& flow : flows_) {
    const std::vector<int>& children = flow.tree->children;
    for (std::size_t i = 0; i < flow.sends.size(); ++i) {
      if (children[i % children.size()] == rank && transport().let_go(std::span(flow.sends).subspan(i, 1), false)) {
        flow.is_left_over = true;
      }
    }
  }
}

std::vector<int> PipelinedTrees::peers() const {
  std::vector<int> all;
  for (const Flow& flow : flows_) add_peers(*flow.tree, all);
  return all;
}

std::vector<std::span<Pending>> PipelinedTrees::sends() {
  std::vector<std::span<Pending>> all;
  for (Flow& flow : flows_) all.emplace_back(flow.sends);
  return all;
}

bool PipelinedTrees::advance() {
  bool moved = true;
  while (moved) {
    moved = false;
    for (Flow& flow : flows_) moved = hand_on(flow) || moved;
    deliver();
  }
  return std::ranges::all_of(flows_, [](const Flow& flow) { return flow.forwarded == flow.segments; });
}

/// Hands on one segment of a tree, if that needs no waiting: trees take turns. Returns whether it did.
bool PipelinedTrees::hand_on(Flow& flow) {
  post_receives(flow);
  if (flow.forwarded == flow.segments) return false;
  // The root has every segment; others what has arrived.
  if (!flow.is_root() && flow.received == flow.forwarded) return false;
  if (!flow.row_is_free(flow.forwarded)) return false;
  forward(flow);
  return true;
}

/// Up to a window ahead of what was handed on, and never into a place of the ring that is not delivered yet.
void PipelinedTrees::post_receives(Flow& flow) {
  if (flow.is_root()) return;
  std::uint64_t end = std::min(flow.segments, flow.forwarded + flow.window);
  if (in_place_ == nullptr) end = std::min(end, delivered_of(flow) + 2 * flow.window);
  for (; flow.posted < end; ++flow.posted) {
    transport().receive(place(flow, flow.posted), bytes_of(flow, flow.posted), flow.tree->parent, flow.number,
                        flow.receives[flow.posted % flow.window]);
  }
}

void PipelinedTrees::forward(Flow& flow) {
  const std::uint64_t segment = flow.forwarded++;
  std::byte* const at = place(flow, segment);
  if (flow.is_root() && in_place_ == nullptr) {
    message_.read(offset(flow, segment), static_cast<std::uint64_t>(bytes_of(flow, segment)), at);
  }
  const bool synchronous = is_synchronous(segment, flow.segments, flow.window);
  const Chunk chunk{.at = at, .count = bytes_of(flow, segment), .bytes = bytes_of(flow, segment)};
  hand_to_all(chunk, flow.tree->children, flow.number, segment, synchronous, flow.row(segment));
}

/// Into the user's buffer, in the order of the message: an element that only MPI can unpack is then not packed again
/// but where a segment ends inside it.
void PipelinedTrees::deliver() {
  if (in_place_ != nullptr || flows_.front().is_root()) return;
  for (; delivered_ < segments_; ++delivered_) {
    const Flow& flow = flows_[delivered_ % flows_.size()];
    const std::uint64_t segment = delivered_ / flows_.size();
    if (segment >= flow.forwarded) return;
    if (unpacked_ != MPI_SUCCESS) continue;
    try {
      message_.write(offset(flow, segment), static_cast<std::uint64_t>(bytes_of(flow, segment)), place(flow, segment));
    } catch (const MpiError& error) {
      unpacked_ = error.code;  // the others still get theirs
    }
  }
}

std::uint64_t PipelinedTrees::bytes_here() const {
  if (unpacked_ != MPI_SUCCESS) throw MpiError{unpacked_};
  std::uint64_t here = segments_;  // before the first one that is not
  for (const Flow& flow : flows_) {
    if (!flow.is_root() && flow.received < flow.segments) here = std::min(here, number(flow, flow.received));
  }
  if (in_place_ == nullptr && !flows_.front().is_root()) here = delivered_;
  return std::min(here * segment_bytes_, message_.bytes());
}

/// The next segment of each tree, or the sends whose row it needs.
void PipelinedTrees::await(std::vector<Pending*>& requests) {
  arriving_.clear();
  const auto add = [&](Pending& request, Flow* arriving) {
    if (request.is_none()) return;
    requests.push_back(&request);
    arriving_.push_back(arriving);
  };
  for (Flow& flow : flows_) {
    if (flow.forwarded == flow.segments) continue;
    if (flow.is_root() || flow.received > flow.forwarded) {
      for (Pending& request : flow.row(flow.forwarded)) add(request, nullptr);
    } else if (flow.received < flow.posted) {
      add(flow.receives[flow.received % flow.window], &flow);
    }
  }
}

void PipelinedTrees::take(std::size_t place, int bytes) {
  Flow* const flow = arriving_[place];
  if (flow == nullptr) return;
  if (bytes != bytes_of(*flow, flow->received)) throw MpiError{MPI_ERR_TRUNCATE};
  happened(Event::Kind::arrived, flow->number, flow->tree->parent, flow->received);
  ++flow->received;
}

bool PipelinedTrees::is_receiving() const {
  return std::ranges::any_of(flows_, [](const Flow& flow) { return !flow.is_root() && flow.received < flow.segments; });
}

/// After an error requests are left over: the library may still use their memory, so the rings are given up, not freed.
PipelinedTrees::~PipelinedTrees() {
  for (Flow& flow : flows_) {
    const bool receiving = transport().let_go(flow.receives, true);
    const bool sending = transport().let_go(flow.sends, false);
    if (receiving || sending || flow.is_left_over) static_cast<void>(flow.ring.release());
  }
}

std::span<Pending> PipelinedTrees::Flow::row(std::uint64_t segment) {
  const std::size_t children = tree->children.size();
  return std::span(sends).subspan(segment % window * children, children);
}

/// The row's last use was the segment one window back: that bounds what is on its way, and frees its place.
bool PipelinedTrees::Flow::row_is_free(std::uint64_t segment) {
  return std::ranges::all_of(row(segment), [](Pending request) { return request.is_none(); });
}

std::uint64_t PipelinedTrees::number(const Flow& flow, std::uint64_t segment) const {
  return segment * flows_.size() + flow.number;
}

std::uint64_t PipelinedTrees::offset(const Flow& flow, std::uint64_t segment) const {
  return number(flow, segment) * segment_bytes_;
}

std::byte* PipelinedTrees::place(const Flow& flow, std::uint64_t segment) const {
  return in_place_ != nullptr ? in_place_ + offset(flow, segment)
                              : flow.ring.get() + segment % (2 * flow.window) * segment_bytes_;
}

int PipelinedTrees::bytes_of(const Flow& flow, std::uint64_t segment) const {
  return static_cast<int>(std::min(segment_bytes_, message_.bytes() - offset(flow, segment)));
}

std::uint64_t PipelinedTrees::delivered_of(const Flow& flow) const {
  return delivered_ / flows_.size() + (delivered_ % flows_.size() > flow.number ? 1 : 0);
}

}  // namespace trunkline::runtime
