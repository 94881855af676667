// SPDX-License-Identifier: Apache-2.0
#include "communicator/grouping.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "report.hpp"
#include "reserve.hpp"
#include "text/quantity.hpp"

namespace trunkline::runtime {
namespace {

/// Never destroyed. There are few: states, reasons and lengths.
const char* kept_text(std::string text) {
  static std::mutex mutex;
  static auto* const kept = with_reserve([] { return new std::set<std::string>; });
  const std::scoped_lock lock(mutex);
  return with_reserve([&] { return kept->insert(text).first->c_str(); });
}

/// Of many communicators that it is true of, the first one alone tells.
void warn_once(const std::string& text) {
  static std::mutex mutex;
  static auto* const said = with_reserve([] { return new std::set<std::string>; });
  const std::scoped_lock lock(mutex);
  if (with_reserve([&] { return said->insert(text).second; })) warn(text);
}

}  // namespace

Grouping::Grouping(MPI_Comm user, const PrivateCommunicator& ours, std::shared_ptr<Members> members,
                   std::span<const Rank> group_of, GroupWay way, bool explain)
    : user_(user),
      ours_(ours),
      ranks_(user),
      members_(std::move(members)),
      group_of_(group_of.begin(), group_of.end()),
      way_(way),
      explain_(explain) {
  const Processes& all = members_->processes();
  for (Rank rank = 0; rank < all.world_ranks->size(); ++rank) {
    if (has_groups() && group_of_[rank] != group_of_[all.rank]) continue;
    if (rank == all.rank) rank_ = static_cast<Rank>(world_ranks_.size());
    world_ranks_.push_back((*all.world_ranks)[rank]);
  }
}

Grouping::~Grouping() {
  tell_what_it_heard();
  group_.reset();
  if (ranks_ != user_) PMPI_Comm_free(&ranks_);
}

Grouped Grouping::use(const std::function<int()>& before_they_meet) {
  if (!has_asked_) {
    Grouped opened = open();
    if (opened.code == MPI_SUCCESS && opened.group == nullptr) warn_of_none();
    return opened;
  }
  if (group_ != nullptr) return that_hears(before_they_meet);
  warn_of_none();
  return {.are_open = are_open_};
}

std::shared_ptr<DatagramGroup> Grouping::to_start(double saved_s, double opening_s) noexcept {
  if (has_groups()) return {};
  if (!has_asked_) would_have_saved_s_ += saved_s;
  opening_s_ = std::min(opening_s_, opening_s);
  return group_;
}

Grouped Grouping::use_where_it_pays(double saved_s, double opening_s, const std::function<int()>& before_they_meet) {
  if (has_asked_) {
    if (!are_open_) return {};
    return group_ == nullptr ? Grouped{.are_open = true} : that_hears(before_they_meet);
  }
  would_have_saved_s_ += saved_s;
  if (would_have_saved_s_ < opening_s) {
    if (words_ == nullptr) {
      words_ = with_reserve([&] {
        return kept_text("no group yet: it opens once multicasts would have saved the " +
                         std::to_string(static_cast<std::uint64_t>(1e3 * opening_s)) + " ms that it costs");
      });
    }
    return {};
  }
  return open_where_all_are_reached();
}

Grouped Grouping::open_where_all_are_reached() {
  const int own = members_->are_out_of_reach() ? 1 : 0;
  int any = 0;
  const int code = PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, user_);
  if (code != MPI_SUCCESS) return {.code = code};
  if (any == 0) return open();
  has_asked_ = true;
  has_none("another communicator of the same processes has none");
  return {};
}

int Grouping::split() {
  if (!has_groups() || ranks_ != user_) return MPI_SUCCESS;
  MPI_Comm made = MPI_COMM_NULL;
  const auto color = static_cast<int>(group_of_[members_->processes().rank]);
  const int code = PMPI_Comm_split(user_, color, static_cast<int>(rank_), &made);
  if (code == MPI_SUCCESS) ranks_ = made;
  return code;
}

/// Those that choose multicasts by themselves do so where all groups are open.
int Grouping::agree_whether_all_are_open(bool is_open) {
  are_open_ = is_open;
  if (!has_groups()) return MPI_SUCCESS;
  const int own = is_open ? 1 : 0;
  int all = 0;
  const int code = PMPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, user_);
  are_open_ = all != 0;
  return code;
}

Grouped Grouping::open() {
  if (const int code = split(); code != MPI_SUCCESS) return {.code = code};
  const bool is_alone = world_ranks_.size() == 1;
  DatagramGroup::Opened opened;
  if (!is_alone || !has_groups()) {
    opened = DatagramGroup::open(ranks_, rank_, world_ranks_, way_, [this] { ours_.serve_the_program(); });
  }
  if (opened.code != MPI_SUCCESS) return {.code = opened.code};
  const bool is_open = opened.group != nullptr;
  const int code = agree_whether_all_are_open(is_open || (is_alone && has_groups()));
  if (code != MPI_SUCCESS) return {.code = code};
  has_asked_ = true;
  group_ = std::move(opened.group);
  if (!are_open_) members_->have_been_out_of_reach();
  if (group_ == nullptr) {
    has_none(is_alone && has_groups() ? "this rank is a group by itself" : opened.reason);
    return {.are_open = are_open_};
  }
  if (!opened.not_eager.empty() && is_first()) {
    warn_once("the roots of short multicasts wait for all ranks on " + name_for_people() +
              ", since no rank could repair after them: " + opened.not_eager);
  }
  const std::uint64_t eager = group_->most_eager_bytes();
  words_ = with_reserve([&] {
    return kept_text(std::string(has_groups() ? "the group of its site is open " : "its group is open ") +
                     group_->way() + ", " +
                     (eager > 0 ? "messages of up to " + format_bytes(eager) + " are eager"
                                : "no message is eager: " + opened.not_eager));
  });
  return {.are_open = are_open_, .group = group_, .have_met = true};
}

void Grouping::has_none(std::string_view why) {
  with_reserve([&] {
    none_ = why;
    words_ = kept_text("no group: " + none_);
  });
}

void Grouping::warn_of_none() {
  if (std::exchange(has_warned_, true) || !is_first() || (has_groups() && world_ranks_.size() == 1)) return;
  warn_once("multicast does not work on " + name_for_people() + ": " + none_ +
            "; its calls go along the confirm tree, by messages");
}

Grouped Grouping::that_hears(const std::function<int()>& before_they_meet) {
  DatagramGroup::Heard heard;
  if (!group_->deaf_rank()) heard = group_->hears(ranks_, before_they_meet);
  if (heard.code != MPI_SUCCESS) return {.code = heard.code};
  if (const std::optional<int> deaf = group_->deaf_rank()) {
    tell_what_it_heard();
    group_.reset();
    has_warned_ = true;
    if (!has_groups()) are_open_ = false;  // else others do not know, and their groups hear
    members_->have_been_out_of_reach();
    has_none("it was given up, since multicast has stopped to reach rank " + std::to_string(*deaf));
    if (is_first()) {
      warn("multicast has stopped to reach rank " + std::to_string(*deaf) + " of " + name_for_people() +
           "; its calls go by messages from now on. A switch that snoops IGMP or MLD without a querier forgets members "
           "after "
           "some minutes: let it have one");
    }
  }
  return {.are_open = are_open_, .group = group_, .have_met = heard.have_met};
}

std::string Grouping::name_for_people() const {
  const std::string all = std::to_string(group_of_.empty() ? world_ranks_.size() : group_of_.size());
  if (!has_groups()) return "a communicator of " + all + " ranks";
  const Rank here = members_->processes().rank;
  const auto first = std::ranges::find(group_of_, group_of_[here]) - group_of_.begin();
  return "the " + std::to_string(world_ranks_.size()) + " ranks of the site of rank " + std::to_string(first) +
         ", in a communicator of " + all;
}

/// The first rank always, the others where there is something to tell.
void Grouping::tell_what_it_heard() const {
  if (!explain_ || group_ == nullptr) return;
  const auto& [calls, repaired, strange, early] = group_->tally();
  const std::uint64_t by_kernel = group_->dropped_by_kernel();
  if (!is_first() && repaired + strange + early + by_kernel == 0) return;
  say("multicasts",
      "multicast on " + name_for_people() + ", rank " + std::to_string(rank_) + ": " + std::to_string(calls) +
          " calls, " + std::to_string(repaired) + " of them repaired; datagrams dropped: " + std::to_string(strange) +
          " strange, " + std::to_string(early) + " too early, " + std::to_string(by_kernel) +
          " by the kernel, which had no room or knew them for strange ones",
      JsonFields()
          .add("group_size", world_ranks_.size())
          .add("group_rank", rank_)
          .add("calls", calls)
          .add("repaired", repaired)
          .add("dropped_strange", strange)
          .add("dropped_early", early)
          .add("dropped_by_kernel", by_kernel));
}

}  // namespace trunkline::runtime
