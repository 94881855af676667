// SPDX-License-Identifier: Apache-2.0
#include "learned/memory.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "model/transfer/switch_queue.hpp"
#include "mpi_api.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "startup/build.hpp"
#include "text/fnv.hpp"
#include "text/quantity.hpp"
#include "whole_file.hpp"

namespace trunkline::runtime {
namespace {

/// Read after the user's own, and never written by jobs.
constexpr const char* site_folder = "/etc/trunkline/learned";

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : "";
}

/// The first one is the job's own, or empty: there is none.
std::vector<std::string> folders_of(const std::string& setting) {
  if (setting.empty()) {
    std::string cache = from_environment("XDG_CACHE_HOME");
    const std::string home = from_environment("HOME");
    if (cache.empty() && !home.empty()) cache = home + "/.cache";
    return {cache.empty() ? "" : cache + "/trunkline/learned", site_folder};
  }
  std::vector<std::string> folders;
  std::istringstream list(setting);
  for (std::string one; std::getline(list, one, ':');) {
    // Programs go elsewhere while they run.
    folders.push_back(one.empty() ? "" : std::filesystem::absolute(one).string());
  }
  return folders;
}

/// But what was measured on the machine just now, and is another thing the next day: `shared` costs of a lab, and as
/// which one the hosts' memory counts. Where these have changed, times have, and all is tried anew.
std::uint64_t conditions_of(const Setup& setup, const World& world) {
  const HostCosts& costs = world.knowledge.message_costs();
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  static_cast<void>(PMPI_Get_library_version(version.data(), &length));  // what it leaves is compared, whatever it is
  std::string text = std::string(version.data()) + "\n" + std::string(costs.name) + " " +
                     std::string(costs.is_memory_named ? costs.memory->name : "") + " " +
                     std::to_string(world.knowledge.network().fingerprint()) + " " +
                     std::to_string(queue_bytes_of(world.knowledge.network()));
  for (const double seconds :
       {costs.send_s, costs.send_byte_s, costs.receive_s, costs.receive_byte_s, costs.local_send_s,
        costs.local_send_byte_s, costs.local_receive_s, costs.local_receive_byte_s, costs.combine_byte_s,
        costs.datagram_send_s, costs.datagram_send_byte_s, costs.datagram_receive_s, costs.datagram_receive_byte_s,
        costs.datagram_rank_s, costs.rendezvous_s}) {
    text += " " + format_time(seconds);
  }
  for (const int choice : {static_cast<int>(setup.way), static_cast<int>(setup.host_memory),
                           static_cast<int>(setup.within_hosts), setup.multicasts ? 1 : 0}) {
    text += " " + std::to_string(choice);
  }
  return hash(text);
}

AlikeJobs jobs_like(const Setup& setup, const World& world) {
  const Placement& placement = *world.placement;
  const Cluster& cluster = *world.knowledge.cluster;
  return {.cluster = cluster.name(),
          .cluster_fingerprint = cluster.fingerprint(),
          .mpi = std::string(mpi_name),
          .mpi_version = std::string(mpi_version),
          .build = build_fingerprint(),
          .hosts = static_cast<std::uint32_t>(std::set(placement.begin(), placement.end()).size()),
          .ranks = static_cast<std::uint32_t>(placement.size()),
          .placement = placement_digest(cluster, placement),
          .conditions = conditions_of(setup, world)};
}

/// What a file holds of jobs like these; nothing where it is not there, or, after a warning, cannot be used.
Learned found_in(const std::string& file, const AlikeJobs& jobs) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {.jobs = jobs};
  std::string wrong;
  try {
    Learned found = read_learned(file);
    if (found.jobs.digest() == jobs.digest()) return found;
    wrong = file + ": is of other jobs than its name says";
  } catch (const FaultyFile& faulty) {
    wrong = faulty.what();
  }
  // What was wrong in MPI_Init still is in MPI_Finalize.
  static std::string told;
  if (wrong != told) {
    warn(wrong + "\ntrunkline: warning: it is not used (TRUNKLINE_LEARNED); 'trunkline learned forget' removes it");
  }
  told = wrong;
  return {.jobs = jobs};
}

/// For some calls. A communicator that lives for a few calls has nothing to say against another one's trials.
struct Found {
  enum Weight : std::uint8_t { nothing, as_before, refuted, by_own_trials };
  Weight weight = nothing;
  std::optional<LearnedEntry> entry{};   ///< none: what was known is refuted, and nothing else was found
  std::optional<LearnedEntry> before{};  ///< that the job began with
};

class Memory {
 public:
  Memory(AlikeJobs jobs, std::string file) : jobs_(std::move(jobs)), file_(std::move(file)) {}

  void keep(const Trials& trials, const AlikeCalls& like, const LearnedEntry* before) {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    Found made{.entry = learned_from(trials, like, before, now.time_since_epoch().count())};
    if (trials.is_known()) {
      made.weight = Found::as_before;
    } else if (made.entry) {
      made.weight = Found::by_own_trials;
    } else if (before != nullptr && trials.changes() > 0) {
      made.weight = Found::refuted;
    } else if (before != nullptr && before->is_due()) {
      // Too few calls to find out: jobs that are as short would never run again what is known.
      made.weight = Found::as_before;
      made.entry = *before;
      made.entry->calls = 0;
    }
    if (made.weight == Found::nothing) return;
    if (before != nullptr) made.before = *before;
    const std::scoped_lock lock(mutex_);
    Found& known = found_[like];
    const auto calls = [](const Found& one) { return one.entry ? one.entry->calls : 0; };
    if (known.weight < made.weight || (known.weight == made.weight && calls(known) < calls(made))) {
      known = std::move(made);
    }
  }

  void write() {
    const std::scoped_lock lock(mutex_);
    if (found_.empty() || file_.empty()) return;
    Learned all = found_in(file_, jobs_);
    for (const auto& [like, found] : found_) {
      if (found.weight == Found::by_own_trials) {
        all.put(*found.entry);
      } else {
        all.put_after(*found.before, found.entry);
      }
    }
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), error);
    if (!error && write_whole(file_, write_learned(all))) return;
    const std::string why = error ? error.message() : std::strerror(errno);
    warn(file_ + ": cannot be written: " + why +
         "\ntrunkline: warning: what this job has found is not kept (TRUNKLINE_LEARNED=FOLDER: elsewhere, 0: not at "
         "all)");
  }

 private:
  AlikeJobs jobs_;
  std::string file_;  ///< empty: there is no folder for it
  std::mutex mutex_{};
  std::map<AlikeCalls, Found> found_{};
};

/// Of rank 0, in a job that keeps what it learns.
constinit Memory* kept_memory = nullptr;

Learned begin_memory(const Setup& setup, const World& world) {
  const std::vector<std::string> folders = folders_of(setup.learned);
  const bool is_homeless = folders.front().empty() && world.learn != Learn::only_known;
  if (is_homeless) {
    warn("what this job finds is not kept: neither XDG_CACHE_HOME nor HOME says where (TRUNKLINE_LEARNED=FOLDER does)");
  }
  const AlikeJobs jobs = jobs_like(setup, world);
  Learned known{.jobs = jobs};
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    for (const LearnedEntry& entry : found_in(folder + "/" + jobs.file_name(), jobs).entries) {
      if (known.find(entry.like) == nullptr) known.put(entry);
    }
  }
  const std::string own = folders.front().empty() ? "" : folders.front() + "/" + jobs.file_name();
  if (world.learn != Learn::only_known) kept_memory = new Memory(jobs, own);
  return known;
}

}  // namespace

std::shared_ptr<const Learned> recall(const Setup& setup, const World& world) {
  if (world.learn == Learn::none || !world.knowledge.cluster) return nullptr;
  int rank = 0;
  check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  constexpr std::uint64_t nothing = ~std::uint64_t{0};  // neither kept nor read
  const bool is_wanted = setup.learned != "0";
  std::string text;
  if (rank == 0 && is_wanted) {
    try {
      text = write_learned(begin_memory(setup, world));
      static_cast<void>(parse_learned(text, "what rank 0 has read"));  // which all others have to
    } catch (const std::exception& wrong) {
      warn(std::string("nothing that earlier jobs have found is used (TRUNKLINE_LEARNED): ") + wrong.what());
      text.clear();
    }
  }
  std::uint64_t bytes = is_wanted ? text.size() : nothing;
  check(PMPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  if (bytes == nothing) return nullptr;
  text.resize(bytes);
  check(PMPI_Bcast(text.data(), static_cast<int>(bytes), MPI_CHAR, 0, MPI_COMM_WORLD));
  return std::make_shared<const Learned>(bytes > 0 ? parse_learned(text, "what rank 0 has read") : Learned{});
}

void keep_learned(const Trials& trials, const AlikeCalls& like, const LearnedEntry* before) {
  if (kept_memory != nullptr) with_reserve([&] { kept_memory->keep(trials, like, before); });
}

void write_what_was_learned() {
  if (kept_memory == nullptr) return;
  try {
    kept_memory->write();
  } catch (const std::exception& wrong) {
    warn(std::string("what this job has found is not kept (TRUNKLINE_LEARNED): ") + wrong.what());
  }
  delete std::exchange(kept_memory, nullptr);
}

}  // namespace trunkline::runtime
