// SPDX-License-Identifier: Apache-2.0
#include "execute/multicast/staged_sites.hpp"

namespace trunkline::runtime {

StagedSites::StagedSites(const Gathered& gathered, std::span<const Rank> order, std::span<const std::size_t> sizes)
    : blocks_(gathered, order),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(blocks_.offset(blocks_.count()))),
      communicator_(gathered.communicator) {
  std::size_t end = 0;
  for (const std::size_t size : sizes) ends_.push_back(end += size);
  const std::uint64_t own = blocks_.offset(ends_.front());
  const std::uint64_t all = blocks_.offset(blocks_.count());
  if (own == all) return;
  others_ = std::make_unique<Message>(bytes_.get() + own, static_cast<MPI_Count>(all - own), MPI_BYTE, communicator_);
}

StagedSites::~StagedSites() {
  if (!is_over_) static_cast<void>(bytes_.release());
}

Gathered StagedSites::of_groups() {
  Gathered all{.buffer = bytes_.get(), .type = MPI_BYTE, .communicator = communicator_, .shares = {}};
  std::uint64_t start = 0;
  for (const std::size_t end : ends_) {
    const std::uint64_t behind = blocks_.offset(end);
    all.shares.push_back({.count = static_cast<MPI_Count>(behind - start), .start = static_cast<MPI_Count>(start)});
    start = behind;
  }
  return all;
}

void StagedSites::take_own() {
  for (Rank place = 0; place < ends_.front(); ++place) {
    Message* const share = blocks_.message(place);
    if (share != nullptr) share->read(0, share->bytes(), bytes_.get() + blocks_.offset(place));
  }
}

int StagedSites::deliver_others() {
  is_over_ = true;
  int code = MPI_SUCCESS;
  for (auto place = static_cast<Rank>(ends_.front()); place < blocks_.count(); ++place) {
    Message* const share = blocks_.message(place);
    if (share == nullptr) continue;
    try {
      share->write(0, share->bytes(), bytes_.get() + blocks_.offset(place));
    } catch (const MpiError& error) {
      code = error.code;
    }
  }
  return code;
}

}  // namespace trunkline::runtime
