// SPDX-License-Identifier: Apache-2.0
#include "communicator/following.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "communicator/communicator.hpp"
#include "communicator/learning.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "revoked.hpp"

namespace trunkline::runtime {
namespace {

/// Of texts that rank 0 has taken: they can be read here, too, since all ranks run the same build.
std::shared_ptr<const World> world_that_was_taken(const World& first, const FileTexts& texts) {
  try {
    return world_of(first, texts);
  } catch (const std::exception& wrong) {
    end_job(std::string("a changed file that another rank has taken cannot be taken here: ") + wrong.what());
  }
}

}  // namespace

int Communicator::follow(const World& first, std::uint64_t bytes) {
  if (following_ == nullptr) {
    following_ = with_reserve([&] { return std::make_unique<Following>(first.fingerprint()); });
  }
  Following& now = *following_;
  ++now.calls;
  if (now.count.is_due(bytes, now.interval)) return meet(first, bytes);
  if (now.request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  int is_here = 0;
  return PMPI_Test(&now.request, &is_here, MPI_STATUS_IGNORE);
}

int Communicator::meet(const World& first, std::uint64_t bytes) {
  Following& now = *following_;
  const MeetingInterval counted = now.count.begin_anew(bytes);
  if (now.word == nullptr) {
    now.word = with_reserve([] { return std::make_unique<Following::Word>(); });
  } else {
    const int code = hear(first);
    if (code != MPI_SUCCESS) return code;
  }
  const Processes& processes = members_->processes();
  // One process speaks for all who look: the first of MPI_COMM_WORLD, which looks wherever it takes part; on each
  // communicator without it that one's first, since none knows where it takes part.
  const std::vector<int>& world_ranks = *processes.world_ranks;
  const bool speaks = world_ranks[processes.rank] == 0 ||
                      (processes.rank == 0 && std::ranges::find(world_ranks, 0) == world_ranks.end());
  const auto started = MeetingClock::now();
  std::shared_ptr<const WorldVersion> seen;
  if (speaks || processes.rank == 0) seen = look_at_files(first, speaks);
  if (processes.rank == 0) {
    const double took_s = std::chrono::duration<double>(started - std::exchange(now.met, started)).count();
    now.told = std::move(seen);
    const double cost_s = seconds_since(now.met) + now.sending_s;
    *now.word = {.fingerprint = now.told->world->fingerprint(),
                 .cluster_bytes = now.told->texts.cluster.size(),
                 .plan_bytes = now.told->texts.plan.size(),
                 .interval = next_interval(now.interval, counted, took_s, cost_s)};
  }
  const auto start = MeetingClock::now();
  const int code = PMPI_Ibcast(now.word.get(), sizeof(Following::Word), MPI_BYTE, 0, user_, &now.request);
  now.sending_s = seconds_since(start);
  return code;
}

/// What was said at the last meeting.
int Communicator::hear(const World& first) {
  Following& now = *following_;
  const int code = PMPI_Wait(&now.request, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  now.interval = now.word->interval;
  return now.word->fingerprint == now.fingerprint ? MPI_SUCCESS : take_changed(first);
}

int Communicator::take_changed(const World& first) {
  Following& now = *following_;
  FileTexts texts = with_reserve([&] {
    return now.told != nullptr
               ? now.told->texts
               : FileTexts{.cluster = std::string(static_cast<std::size_t>(now.word->cluster_bytes), '\0'),
                           .plan = std::string(static_cast<std::size_t>(now.word->plan_bytes), '\0')};
  });
  for (std::string* const text : {&texts.cluster, &texts.plan}) {
    const int code = PMPI_Bcast(text->data(), static_cast<int>(text->size()), MPI_CHAR, 0, user_);
    if (code != MPI_SUCCESS) return code;
  }
  std::shared_ptr<const World> world = world_that_was_taken(first, texts);
  const bool is_same_network =
      world->knowledge.cluster->fingerprint() == members_->world().knowledge.cluster->fingerprint();
  members_ = with_reserve([&] { return Members::in(world, *members_); });
  now.fingerprint = now.word->fingerprint;
  if (learning_ != nullptr) learning_->forget();
  if (explain_ && members_->processes().rank == 0) {
    const std::string from = "from call " + std::to_string(now.calls) + " of " + name_for_people() + " on, plans are ";
    JsonFields fields;
    fields.add("communicator_size", members_->processes().world_ranks->size()).add("from_call", now.calls);
    if (is_same_network) {
      say("plans-changed", from + "those of " + first.plan_file + " as it is now",
          fields.add("plan_file", first.plan_file));
    } else {
      say("network-changed", from + "for the network as " + first.cluster_file + " says it now",
          fields.add("cluster_file", first.cluster_file));
    }
  }
  return MPI_SUCCESS;
}

void Communicator::end_meetings() {
  // Every member has begun what is under way, so it ends; unless a call has gone wrong.
  const bool has_failed = number_ != nullptr && number_->has_failed();
  const bool waits = !has_failed && !is_revoked(user_);
  if (learning_ != nullptr) learning_->end(waits, static_cast<int>(members_->processes().world_ranks->size()));
  if (following_ == nullptr || following_->request == MPI_REQUEST_NULL) return;
  if (waits) {
    PMPI_Wait(&following_->request, MPI_STATUS_IGNORE);
  } else {
    static_cast<void>(following_->word.release());  // MPI may still write to it
  }
}

}  // namespace trunkline::runtime
