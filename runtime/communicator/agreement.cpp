// SPDX-License-Identifier: Apache-2.0
#include "communicator/agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mpi_api.hpp"
#include "report.hpp"

namespace trunkline::runtime {
namespace {

struct Record {
  std::uint64_t cluster;
  std::uint64_t plan;
  std::uint64_t tuning;
  std::uint64_t choice;
  std::uint32_t host;
  std::uint16_t failed;
  std::uint16_t strict;
};
static_assert(sizeof(Record) == 40, "sent as bytes: no padding");

bool same_settings(const Record& a, const Record& b) {
  return a.cluster == b.cluster && a.plan == b.plan && a.tuning == b.tuning && a.choice == b.choice;
}

std::string difference(const Record& mine, const Record& first) {
  const char* what = mine.cluster != first.cluster ? "another cluster (TRUNKLINE_CLUSTER)"
                     : mine.plan != first.plan     ? "another plan (TRUNKLINE_PLAN)"
                     : mine.tuning != first.tuning ? "another tuning file (TRUNKLINE_TUNING)"
                                                   : "another choice of algorithm (TRUNKLINE_BCAST)";
  return std::string("was given ") + what + " than rank 0: give all ranks the same, also the same content of files";
}

std::string problem(const LocalView& view, int rank, const std::vector<Record>& records) {
  const Record& mine = records[static_cast<std::size_t>(rank)];
  std::string text = "rank " + std::to_string(rank) + " on " + view.host_name;
  return text + (mine.failed != 0 ? ": " + view.problem : " " + difference(mine, records[0]));
}

}  // namespace

std::unique_ptr<const World> agree(LocalView view, bool strict) {
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  check(PMPI_Comm_size(MPI_COMM_WORLD, &ranks));
  const Record mine{.cluster = view.cluster_fingerprint,
                    .plan = view.plan_fingerprint,
                    .tuning = view.tuning_fingerprint,
                    .choice = view.choice_fingerprint,
                    .host = view.host,
                    .failed = static_cast<std::uint16_t>(view.problem.empty() ? 0 : 1),
                    .strict = static_cast<std::uint16_t>(strict ? 1 : 0)};
  std::vector<Record> records(static_cast<std::size_t>(ranks));
  constexpr int bytes = static_cast<int>(sizeof(Record));
  check(PMPI_Allgather(&mine, bytes, MPI_BYTE, records.data(), bytes, MPI_BYTE, MPI_COMM_WORLD));

  const auto unfit = std::ranges::find_if(
      records, [&](const Record& record) { return record.failed != 0 || !same_settings(record, records[0]); });
  if (unfit == records.end()) {
    if (view.world.cluster || !view.world.plan_placement.empty()) {
      Placement placement;
      for (const Record& record : records) placement.push_back(record.host);
      view.world.placement = std::make_shared<const Placement>(std::move(placement));
    }
    return std::make_unique<const World>(std::move(view.world));
  }
  const bool end = std::ranges::any_of(records, [](const Record& record) { return record.strict != 0; });
  const bool mine_to_say = unfit - records.begin() == rank;
  if (mine_to_say) {
    const std::string text = problem(view, rank, records);
    if (!end) {
      warn(text +
           "\ntrunkline: warning: MPI_Bcast runs natively on all ranks (TRUNKLINE_STRICT=1 ends the job instead)");
    } else {
      say_last(text);
      PMPI_Abort(MPI_COMM_WORLD, usage_exit_status);
    }
  }
  if (end) PMPI_Barrier(MPI_COMM_WORLD);  // the others wait here for the end of the job
  return nullptr;
}

}  // namespace trunkline::runtime
