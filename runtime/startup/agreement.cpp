// SPDX-License-Identifier: Apache-2.0
#include "startup/agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mpi_api.hpp"
#include "report.hpp"
#include "shared_in_simulation.hpp"
#include "startup/build.hpp"
#include "startup/records.hpp"

namespace trunkline::runtime {
namespace {

enum class Standing : std::uint16_t { ready, failed, disabled };

/// Of one size in all builds: they must be able to tell each other apart.
struct Record {
  std::uint64_t build;
  std::uint64_t cluster;
  std::uint64_t plan;
  std::uint64_t tuning;
  std::uint64_t choice;
  std::uint32_t host;
  Standing standing;
  std::uint8_t strict;
  std::uint8_t wants;
};
constexpr std::uint8_t wants_trace = 1;
constexpr std::uint8_t goes_on = 2;
constexpr std::uint8_t has_threads = 4;
static_assert(sizeof(Record) == 48, "sent as bytes: no padding");

bool alike(const Record& a, const Record& b) {
  return a.build == b.build && a.cluster == b.cluster && a.plan == b.plan && a.tuning == b.tuning &&
         a.choice == b.choice;
}

std::string difference(const Record& mine, const Record& first) {
  if (mine.build != first.build) {
    return "runs another build of Trunkline's preload library than rank 0: install the same one on all hosts";
  }
  const auto [what, is_given, first_is] = [&] {
    using Difference = std::tuple<const char*, bool, bool>;
    if (mine.cluster != first.cluster) {
      return Difference{"cluster (TRUNKLINE_CLUSTER)", mine.cluster != 0, first.cluster != 0};
    }
    if (mine.plan != first.plan) return Difference{"plan (TRUNKLINE_PLAN)", mine.plan != 0, first.plan != 0};
    if (mine.tuning != first.tuning) {
      return Difference{"tuning file (TRUNKLINE_TUNING)", mine.tuning != 0, first.tuning != 0};
    }
    return Difference{
        "choice of algorithms (TRUNKLINE_BCAST and its like, TRUNKLINE_REPRODUCIBLE, TRUNKLINE_FOLLOW, "
        "TRUNKLINE_LEARN) or "
        "of costs "
        "(TRUNKLINE_HOST_COSTS, TRUNKLINE_MEASURED or the tables that the cluster file names)",
        true, true};
  }();
  if (!is_given) {
    return std::string("was given no ") + what +
           ", which rank 0 was: have the launcher hand TRUNKLINE_* on to all ranks";
  }
  if (!first_is) {
    return std::string("was given a ") + what +
           ", which rank 0 was not: have the launcher hand TRUNKLINE_* on to all ranks";
  }
  return std::string("was given another ") + what +
         " than rank 0: give all ranks the same, also the same content of files";
}

std::string problem(const LocalView& view, int rank, std::span<const Record> records) {
  const Record& mine = records[static_cast<std::size_t>(rank)];
  const std::string text = "rank " + std::to_string(rank) + " on " + view.host_name;
  switch (mine.standing) {
    case Standing::failed:
      return text + ": " + view.problem;
    case Standing::disabled:
      return text + " was told to change nothing (TRUNKLINE_DISABLE=1): set it on all ranks or on none";
    case Standing::ready:
      break;
  }
  return text + " " + difference(mine, records[0]);
}

void tell(const char* what, const std::vector<std::string>& contradictions) {
  std::string text;
  for (const std::string& one : contradictions) text += "\ntrunkline: warning:   " + one;
  if (!text.empty()) warn(what + text);
}

void tell_contradictions(const Knowledge& knowledge) {
  if (knowledge.measured) {
    tell("measured rates are not those of the cluster file; decisions follow the measured ones:",
         knowledge.measured->contradictions);
  }
  tell(
      "the tuning file was measured at other rates than the cluster file states; decisions follow it: tune again with "
      "'trunkline tune', or correct the rates in the cluster file:",
      knowledge.tuned_elsewhere);
}

}  // namespace

std::unique_ptr<World> agree(LocalView view, bool strict) {
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const auto build = shared_in_simulation<std::uint64_t>([] { return std::string("build"); }, build_fingerprint);
  const Record mine{
      .build = *build,
      .cluster = view.cluster_fingerprint,
      .plan = view.world.plan_fingerprint,
      .tuning = view.tuning_fingerprint,
      .choice = view.choice_fingerprint,
      .host = view.host,
      .standing = view.disabled          ? Standing::disabled
                  : view.problem.empty() ? Standing::ready
                                         : Standing::failed,
      .strict = static_cast<std::uint8_t>(strict ? 1 : 0),
      .wants = static_cast<std::uint8_t>((view.world.trace ? wants_trace : 0) | (view.world.goes_on ? goes_on : 0) |
                                         (view.world.has_threads ? has_threads : 0))};
  const auto said = records_of_all(&mine, sizeof mine, rank, ranks);
  const std::span records(reinterpret_cast<const Record*>(said->data()), static_cast<std::size_t>(ranks));

  const bool end = std::ranges::any_of(records, [](const Record& record) { return record.strict != 0; });
  const auto is_disabled = [](const Record& record) { return record.standing == Standing::disabled; };
  if (std::ranges::all_of(records, is_disabled)) return nullptr;
  // A rank that changes nothing is the first to be named: the others differ from it in all they were told.
  auto unfit = std::ranges::find_if(records, is_disabled);
  if (unfit == records.end()) {
    unfit = std::ranges::find_if(records, [&](const Record& record) {
      return record.standing != Standing::ready || !alike(record, records[0]);
    });
  }
  if (unfit == records.end()) {
    if (view.world.knowledge.cluster || !view.world.knowledge.plan_hosts.empty()) {
      view.world.placement = shared_in_simulation<Placement>([] { return std::string("placement"); },
                                                             [&] {
                                                               Placement placement;
                                                               for (const Record& one : records)
                                                                 placement.push_back(one.host);
                                                               return placement;
                                                             });
    }
    view.world.strict = end;
    view.world.trace =
        std::ranges::any_of(records, [](const Record& record) { return (record.wants & wants_trace) != 0; });
    view.world.goes_on =
        std::ranges::all_of(records, [](const Record& record) { return (record.wants & goes_on) != 0; });
    view.world.has_progress_thread = view.world.has_progress_thread && view.world.goes_on;
    view.world.has_threads =
        std::ranges::any_of(records, [](const Record& record) { return (record.wants & has_threads) != 0; });
    if (rank == 0) tell_contradictions(view.world.knowledge);
    return std::make_unique<World>(std::move(view.world));
  }
  const bool mine_to_say = unfit - records.begin() == rank;
  if (mine_to_say) {
    const std::string text = problem(view, rank, records);
    if (!end) {
      warn(text +
           "\ntrunkline: warning: every collective runs natively on all ranks (TRUNKLINE_STRICT=1 ends the job "
           "instead)");
    } else {
      say_last(text);
      PMPI_Abort(MPI_COMM_WORLD, usage_exit_status);
    }
  }
  if (end) PMPI_Barrier(MPI_COMM_WORLD);  // the others wait here for the end of the job
  return nullptr;
}

}  // namespace trunkline::runtime
