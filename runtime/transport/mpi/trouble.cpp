// SPDX-License-Identifier: Apache-2.0
// What a rank does that has waited for long: others may have given the call up, or take it for something else, because
// the program passed other sizes or other roots there. Both are found by messages that are there already, so a rank
// that is merely late is never mistaken for one that is wrong.
#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "revoked.hpp"
#include "transport/looks.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "transport/mpi/requests.hpp"

namespace trunkline::runtime {
namespace {

constexpr int notice_bytes = static_cast<int>(sizeof(Notice));

/// Notices that may be under way: the library reads them after the call that failed has returned.
Notice& kept_notice() {
  static std::array<Notice, 64> kept;
  static std::atomic<unsigned> next{0};
  return kept[next++ % kept.size()];
}

}  // namespace

bool MpiTransport::is_member(int rank) const { return std::ranges::find(members_, rank) != members_.end(); }

void MpiTransport::tell_ranks(std::span<const int> ranks, int code) noexcept {
  const Uncancelled uncancelled;
  int error_class = MPI_ERR_OTHER;
  PMPI_Error_class(code, &error_class);
  Notice& notice = kept_notice();
  notice = {.turn = number_, .code = error_class};
  int own = MPI_PROC_NULL;
  PMPI_Comm_rank(ours_.communicator(), &own);
  const int tag = ours_.tags().notice(id_, number_);
  for (const int rank : ranks) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == own || rank == MPI_PROC_NULL) continue;
    PMPI_Isend(&notice, notice_bytes, MPI_BYTE, rank, tag, ours_.communicator(), &request);
    if (request != MPI_REQUEST_NULL) PMPI_Request_free(&request);
  }
}

void MpiTransport::look_for_trouble(bool receiving, const Watchdog& watchdog) {
  if (user_.communicator != MPI_COMM_NULL && is_revoked(user_.communicator)) throw MpiError{revoked_code};
  owes_a_look_ = must_not_look();
  if (owes_a_look_ || !notice_.is_none()) {
    ask_for_notice();
  } else {
    look_for_notice();
  }
  if (owes_a_look_) return;
  if (receiving) look_for_other_claims();
  static constinit std::atomic<bool> said{false};
  if (user_.is_blocking && watchdog.is_very_long() && !said.exchange(true)) throw LongWait{};
}

/// Throws GivenUp where a member has given this very call up; drops notices of earlier ones, which came too late.
void MpiTransport::look_for_notice() {
  const int tag = ours_.tags().notice(id_, number_);
  while (true) {
    int found = 0;
    MPI_Status status{};
    check(PMPI_Iprobe(MPI_ANY_SOURCE, tag, ours_.communicator(), &found, &status));
    if (found == 0) return;
    Notice notice{};
    check(PMPI_Recv(&notice, notice_bytes, MPI_BYTE, status.MPI_SOURCE, tag, ours_.communicator(), MPI_STATUS_IGNORE));
    heed(notice, status.MPI_SOURCE);
  }
}

void MpiTransport::heed(const Notice& notice, int from) {
  if (notice.turn != number_ || !is_member(from)) return;
  is_alert_ = true;
  throw GivenUp{.rank = from, .code = static_cast<int>(notice.code)};
}

/// The same without a look: by a receive that stays posted until the call is over.
void MpiTransport::ask_for_notice() {
  while (true) {
    if (notice_.is_none()) {
      if (notice_room_ == nullptr) notice_room_ = std::make_shared<Notice>();
      MPI_Request request = MPI_REQUEST_NULL;
      check(PMPI_Irecv(notice_room_.get(), notice_bytes, MPI_BYTE, MPI_ANY_SOURCE, ours_.tags().notice(id_, number_),
                       ours_.communicator(), &request));
      keep(notice_, request);
    }
    MPI_Status status{};
    if (!is_over(notice_, status)) return;
    heed(*notice_room_, status.MPI_SOURCE);
  }
}

MpiTransport::~MpiTransport() {
  if (notice_.is_none()) return;
  const Uncancelled uncancelled;
  MPI_Request request = request_of(notice_);
  PMPI_Cancel(&request);
  ours_.late().add(std::move(notice_room_), request);
}

/// Throws MPI_ERR_TRUNCATE where a member has sent a message of this call under another claim. Mostly there is no
/// message at all, which one look tells: a look under each claim keeps the rank from what else it waits for.
void MpiTransport::look_for_other_claims() {
  if (other_claims_ != nullptr && other_claims_->are_known(members_)) throw MpiError{MPI_ERR_TRUNCATE};
  int any = 0;
  check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ours_.communicator(), &any, MPI_STATUS_IGNORE));
  if (any == 0) return;
  bool others = false;
  const std::uint64_t claims = ours_.tags().claims(streams_);
  for (std::uint64_t step = streams_; step < claims * streams_; ++step) {
    const auto stream = static_cast<unsigned>(step % streams_);
    const int tag = ours_.tags().tag(id_, number_, claim_ % claims + step / streams_, streams_, stream);
    while (true) {
      int found = 0;
      MPI_Status status{};
      check(PMPI_Iprobe(MPI_ANY_SOURCE, tag, ours_.communicator(), &found, &status));
      if (found == 0) break;
      // Taken out of the way: a later call may have the same tag.
      int bytes = 0;
      check(PMPI_Get_count(&status, MPI_BYTE, &bytes));
      auto dropped = std::make_shared<std::vector<std::byte>>(bytes);
      MPI_Request taken = MPI_REQUEST_NULL;
      check(PMPI_Irecv(dropped->data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag, ours_.communicator(), &taken));
      ours_.late().add(std::move(dropped), taken);
      others = others || is_member(status.MPI_SOURCE);
    }
  }
  if (others) throw MpiError{MPI_ERR_TRUNCATE};
}

}  // namespace trunkline::runtime
