// SPDX-License-Identifier: Apache-2.0
#include "trace/session.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#include "report.hpp"
#include "startup/cluster_path.hpp"
#include "text/text_file.hpp"
#include "trace/clocks.hpp"
#include "whole_file.hpp"

namespace trunkline::runtime {
namespace {

using JobName = std::array<char, sizeof(TraceHeader::job)>;

/// The rank that speaks for all those without a file.
constinit bool speaks_for_lost = false;

std::int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// By rank 0's clock and process: jobs in one folder differ in it.
JobName agree_on_job(MPI_Comm communicator, int rank) {
  JobName name{};
  if (rank == 0) {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    const std::size_t length = std::strftime(name.data(), name.size(), "%Y%m%d-%H%M%S", &parts);
    std::snprintf(name.data() + length, name.size() - length, "-%ld", static_cast<long>(getpid()));
  }
  check(PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, communicator));
  return name;
}

std::string host_name(const World& world, int rank) {
  const auto& cluster = world.knowledge.cluster;
  if (cluster && world.placement) {
    return cluster->nodes()[cluster->hosts()[(*world.placement)[static_cast<std::size_t>(rank)]]].name;
  }
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(PMPI_Get_processor_name(name.data(), &length));
  return {name.data(), static_cast<std::size_t>(length)};
}

/// Folder and its parents. Empty: it is there; else why not.
std::string make_folder(const std::string& folder) {
  for (std::size_t slash = folder.find('/', 1);; slash = folder.find('/', slash + 1)) {
    const std::string part = folder.substr(0, slash);
    if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST && slash == std::string::npos) {
      return "cannot make the folder " + folder + ": " + std::generic_category().message(errno);
    }
    if (slash == std::string::npos) return "";
  }
}

std::string rank_file(const std::string& stem, int rank) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), ".rank-%05d.trace", rank);
  return stem + number.data();
}

void warn_about_file(const std::string& path) {
  warn("cannot write " + path + ": " + std::generic_category().message(errno) +
       "; 'trunkline trace analyse' will know less");
}

void keep_cluster(const Setup& setup, const std::string& stem) {
  if (setup.cluster.empty()) return;
  const std::string path = stem + ".cluster.yaml";
  std::string text;
  try {
    text = read_text_file(cluster_path(setup.cluster));
  } catch (const std::exception& error) {  // it was read before, but may have changed
    return warn("the trace is without the cluster's file, " + path + ": " + error.what());
  }
  if (!write_whole(path, text)) warn_about_file(path);
}

/// One rank speaks for all whose trace is not as it was asked for.
void tell_problems(const std::string& problem, const std::string& host, MPI_Comm communicator, int rank, int ranks) {
  std::vector<char> has_problem(static_cast<std::size_t>(ranks));
  const char mine = problem.empty() ? 0 : 1;
  check(PMPI_Allgather(&mine, 1, MPI_CHAR, has_problem.data(), 1, MPI_CHAR, communicator));
  const auto first = std::ranges::find(has_problem, char{1}) - has_problem.begin();
  if (first != rank) return;
  speaks_for_lost = true;
  const auto others = std::ranges::count(has_problem, char{1}) - 1;
  warn("rank " + std::to_string(rank) + " on " + host + ": " + problem +
       (others > 0 ? "; so for " + std::to_string(others) + " other ranks" : "") +
       "\ntrunkline: warning: the program goes on; its trace is not whole (TRUNKLINE_TRACE, TRUNKLINE_TRACE_SIZE)");
}

std::uint32_t bits_of(const Traced& traced) {
  const Traced all;
  const bool is_timed = !traced.starts || traced.from_ns != all.from_ns || traced.until_ns != all.until_ns;
  return (traced.ranks.empty() ? 0U : some_ranks) | (traced.collectives == all.collectives ? 0U : some_collectives) |
         (is_timed ? some_time : 0U);
}

Choice choice_for(const Traced& traced, int rank) {
  const auto is_in = [rank](const RankRange& range) { return range.first <= rank && rank <= range.last; };
  return {.this_rank = traced.ranks.empty() || std::ranges::any_of(traced.ranks, is_in),
          .collectives = traced.collectives,
          .starts = traced.starts,
          .from_ns = traced.from_ns,
          .until_ns = traced.until_ns,
          .start_ns = monotonic_ns()};
}

}  // namespace

std::unique_ptr<Recorder> start_trace(const Setup& setup, const World& world, const PrivateCommunicator& ours) {
  const MPI_Comm communicator = ours.communicator();
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(communicator, &rank));
  check(PMPI_Comm_size(communicator, &ranks));
  const JobName job = agree_on_job(communicator, rank);
  const ClockOffset clock = estimate_clock(communicator, ours.tags().clocks(), rank, ranks);
  const std::string host = host_name(world, rank);
  const Choice choice = choice_for(setup.traced, rank);
  std::string problem = setup.trace.empty()
                            ? "was given no TRUNKLINE_TRACE, which others were: have the launcher hand it on to all"
                            : make_folder(setup.trace);
  const std::string stem = setup.trace + "/" + job.data();
  if (rank == 0 && problem.empty()) keep_cluster(setup, stem);
  std::unique_ptr<Ring> ring;
  if (problem.empty() && choice.this_rank) {
    TraceHeader header{};
    header.rank = static_cast<std::uint32_t>(rank);
    header.ranks = static_cast<std::uint32_t>(ranks);
    header.host = world.placement ? (*world.placement)[static_cast<std::size_t>(rank)] : no_host;
    header.start_ns = choice.start_ns;
    header.wall_ns = wall_ns();
    header.clock_offset_ns = clock.ns;
    header.clock_error_ns = clock.error_ns;
    header.chosen = bits_of(setup.traced);
    copy_text(header.job, job.data());
    copy_text(header.host_name, host);
    copy_text(header.mpi, std::string(mpi_name) + " " + std::string(mpi_version));
    copy_text(header.library, TRUNKLINE_VERSION);
    ring = Ring::make(rank_file(stem, rank), header, setup.trace_bytes, problem);
  }
  tell_problems(problem, host, communicator, rank, ranks);
  // Plans are written while the program runs, which may have gone to another folder.
  std::error_code gone;
  const std::filesystem::path from_root = std::filesystem::absolute(stem, gone);
  return std::make_unique<Recorder>(std::move(ring), gone ? stem : from_root.string(), choice);
}

void compare_clocks_again(Recorder& recorder, const PrivateCommunicator& ours) {
  const MPI_Comm communicator = ours.communicator();
  int rank = 0;
  int ranks = 0;
  check(PMPI_Comm_rank(communicator, &rank));
  check(PMPI_Comm_size(communicator, &ranks));
  const ClockOffset clock = estimate_clock(communicator, ours.tags().clocks(), rank, ranks);
  if (recorder.ring() != nullptr) recorder.ring()->compare_clocks_again(monotonic_ns(), clock.ns, clock.error_ns);
}

void stop_trace(Recorder& recorder) {
  if (recorder.ring() != nullptr) return recorder.ring()->finish();
  if (!speaks_for_lost) return;
  warn(std::to_string(recorder.lost()) + " records of this rank are lost: it had no trace file");
}

void keep_plan(const Recorder& recorder, std::uint64_t identity, const PlanFile& plan, std::span<const int> ranks) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), ".plan-%016llx", static_cast<unsigned long long>(identity));
  const std::string path = recorder.stem() + digits.data();
  std::string numbers;
  for (const int rank : ranks) numbers += std::to_string(rank) + "\n";
  if (write_whole(path + ".ranks", numbers) && write_whole(path + ".yaml", write_plan(plan))) return;
  static std::once_flag said;
  std::call_once(said, [&] { warn_about_file(path + ".yaml"); });
}

}  // namespace trunkline::runtime
