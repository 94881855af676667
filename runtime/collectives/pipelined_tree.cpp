// SPDX-License-Identifier: Apache-2.0
#include "collectives/pipelined_tree.hpp"

#include <algorithm>

namespace trunkline::runtime {
namespace {

constexpr int tag = 1;
/// Enough under way to keep a fast link busy over a round trip; twice that is the most memory a broadcast takes.
constexpr std::uint64_t window_bytes = std::uint64_t{128} << 10;
constexpr std::uint64_t least_window = 2;
constexpr std::uint64_t most_window = 32;
/// MPI counts in int; a segment this long pipelines nothing anyway.
constexpr std::uint64_t longest_segment = std::uint64_t{1} << 30;

}  // namespace

PipelinedTree::PipelinedTree(MPI_Comm communicator, const LocalTree& tree, Message& message,
                             std::uint64_t segment_bytes)
    : communicator_(communicator),
      tree_(tree),
      message_(message),
      segment_bytes_(std::clamp(message.bytes(), std::uint64_t{1}, std::min(segment_bytes, longest_segment))),
      segments_((message.bytes() + segment_bytes_ - 1) / segment_bytes_),
      window_(std::min(segments_, std::clamp(window_bytes / segment_bytes_, least_window, most_window))),
      in_place_(message.in_place()),
      receives_(tree.parent == no_parent ? 0 : window_, MPI_REQUEST_NULL),
      sends_(window_ * tree.children.size(), MPI_REQUEST_NULL) {
  if (in_place_ == nullptr) ring_ = std::make_unique_for_overwrite<std::byte[]>(2 * window_ * segment_bytes_);
}

void PipelinedTree::run() {
  if (window_ == 0) return;  // an empty message
  for (std::uint64_t segment = 0; segment < window_; ++segment) post_receive(segment);
  for (std::uint64_t segment = 0; segment < segments_; ++segment) {
    await(segment);
    forward(segment);
    if (segment + window_ < segments_) post_receive(segment + window_);
    deliver(segment);
  }
  finish();
}

void PipelinedTree::post_receive(std::uint64_t segment) {
  if (tree_.parent == no_parent) return;
  check(PMPI_Irecv(place(segment), bytes_of(segment), MPI_BYTE, tree_.parent, tag, communicator_,
                   &receives_[segment % window_]));
}

/// The segment is at its place: received, or on the root taken from the user's buffer.
void PipelinedTree::await(std::uint64_t segment) {
  if (tree_.parent != no_parent) {
    check(PMPI_Wait(&receives_[segment % window_], MPI_STATUS_IGNORE));
  } else if (in_place_ == nullptr) {
    message_.read(segment * segment_bytes_, static_cast<std::uint64_t>(bytes_of(segment)), place(segment));
  }
}

void PipelinedTree::forward(std::uint64_t segment) {
  if (tree_.children.empty()) return;
  MPI_Request* const requests = sends_of(segment);
  // The row's last use was the segment one window back: that bounds what is on its way, and frees its place.
  check(PMPI_Waitall(static_cast<int>(tree_.children.size()), requests, MPI_STATUSES_IGNORE));
  // An ordinary send may complete before the receiver has asked for it. A synchronous one twice a window keeps a
  // receiver that is late from piling up more than a window and a half.
  const bool synchronous = (segment + 1) % ((window_ + 1) / 2) == 0 && segments_ > window_;
  for (std::size_t child = 0; child < tree_.children.size(); ++child) {
    const auto send = synchronous ? PMPI_Issend : PMPI_Isend;
    check(
        send(place(segment), bytes_of(segment), MPI_BYTE, tree_.children[child], tag, communicator_, &requests[child]));
  }
}

void PipelinedTree::deliver(std::uint64_t segment) {
  if (in_place_ != nullptr || tree_.parent == no_parent) return;
  message_.write(segment * segment_bytes_, static_cast<std::uint64_t>(bytes_of(segment)), place(segment));
}

void PipelinedTree::finish() {
  check(PMPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE));
}

/// After an error requests are left over: the library may still use their memory, so the ring is given up, not freed.
PipelinedTree::~PipelinedTree() {
  bool left_over = false;
  for (MPI_Request& request : receives_) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
    left_over = true;
  }
  for (MPI_Request& request : sends_) {
    if (request == MPI_REQUEST_NULL) continue;
    PMPI_Request_free(&request);
    left_over = true;
  }
  if (left_over) static_cast<void>(ring_.release());
}

std::byte* PipelinedTree::place(std::uint64_t segment) const {
  return in_place_ != nullptr ? in_place_ + segment * segment_bytes_
                              : ring_.get() + segment % (2 * window_) * segment_bytes_;
}

int PipelinedTree::bytes_of(std::uint64_t segment) const {
  return static_cast<int>(std::min(segment_bytes_, message_.bytes() - segment * segment_bytes_));
}

MPI_Request* PipelinedTree::sends_of(std::uint64_t segment) {
  return &sends_[segment % window_ * tree_.children.size()];
}

}  // namespace trunkline::runtime
