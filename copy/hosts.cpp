// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace trunkline::copy {
namespace {

constexpr std::size_t longest_name = NAME_MAX + 1;
constexpr const char* host_mark = "{host}";
using Name = std::array<char, longest_name>;

std::string own_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  const char* const told = std::getenv("TRUNKLINE_HOST");
  return told != nullptr && *told != '\0' ? told : name.data();
}

/// Why a host may not have that name, or nothing. In a path it is one name: it leads nowhere else.
std::string fault_of(const std::string& host, const std::string& folder) {
  const std::string named = "host name '" + host + "' (TRUNKLINE_HOST, or else the processor's) ";
  if (host.size() >= longest_name) return named + "is longer than " + std::to_string(NAME_MAX) + " bytes";
  if (folder.find(host_mark) == std::string::npos) return {};
  if (host.empty() || host == "." || host == ".." || host.find('/') != std::string::npos) {
    return named + "cannot stand for {host} in " + folder + ": there it must be the name of a folder, not a path";
  }
  return {};
}

/// The first rank of this one's host.
bool is_first_of_host(const std::string& host, int rank, int ranks) {
  Name mine{};
  host.copy(mine.data(), mine.size() - 1);
  std::vector<Name> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(mine.data(), longest_name, MPI_CHAR, all.data(), longest_name, MPI_CHAR, MPI_COMM_WORLD);
  for (int other = 0; other < rank; ++other) {
    if (all[static_cast<std::size_t>(other)] == mine) return false;
  }
  return true;
}

std::string with_host(std::string folder, const std::string& host) {
  for (std::size_t at = folder.find(host_mark); at != std::string::npos;
       at = folder.find(host_mark, at + host.size())) {
    folder.replace(at, std::strlen(host_mark), host);
  }
  return folder;
}

std::string marker(std::uint64_t job, int rank) {
  return ".trunkline-copy-" + std::to_string(job) + "-" + std::to_string(rank);
}

/// Makes this rank's file in the folder, and looks at it.
struct stat make_marker(Folder& folder, const std::string& name) {
  struct stat made {};
  const Descriptor file(openat(folder.opened.get(), name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC,
                               S_IRUSR | S_IWUSR));
  if (!file.is_open() || fstat(file.get(), &made) != 0) {
    folder.failure = "cannot write into " + folder.path + ": " + std::strerror(errno);
  }
  return made;
}

/// What tells whether a file in a folder is the marker of a rank.
struct Seen {
  unsigned long long folder = 0;  ///< its inode; 0: the rank has none
  unsigned long long owner = 0;   ///< of the marker, as its rank sees it
};

/// Whether a rank of another host before this one sees the same folder. Folders that are one have one inode; of the
/// ranks with that number, the file that one has made tells. One that another user has put there says nothing.
bool sees_folder_of_another(const Folder& mine, const struct stat& own_marker, MPI_Comm firsts, std::uint64_t job) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(firsts, &rank);
  MPI_Comm_size(firsts, &ranks);
  Seen seen{.folder = 0, .owner = own_marker.st_uid};
  struct stat of_folder {};
  if (mine.failure.empty() && fstat(mine.opened.get(), &of_folder) == 0) seen.folder = of_folder.st_ino;
  std::vector<Seen> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&seen, sizeof seen, MPI_BYTE, all.data(), sizeof seen, MPI_BYTE, firsts);
  if (seen.folder == 0) return false;
  for (int other = 0; other < rank; ++other) {
    const Seen& before = all[static_cast<std::size_t>(other)];
    struct stat there {};
    if (before.folder == seen.folder && mine.look_at(marker(job, other), there) && S_ISREG(there.st_mode) &&
        there.st_nlink == 1 && there.st_uid == before.owner) {
      return true;
    }
  }
  return false;
}

}  // namespace

Writers find_writers(const std::string& folder) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Writers writers{.host = own_host(), .folder = {}};
  unsigned long long job = std::random_device{}();
  MPI_Bcast(&job, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  MPI_Comm firsts = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_first_of_host(writers.host, rank, ranks) ? 0 : MPI_UNDEFINED, rank, &firsts);
  if (firsts == MPI_COMM_NULL) return writers;

  int first = 0;
  MPI_Comm_rank(firsts, &first);
  const std::string own_marker = marker(job, first);
  struct stat made {};
  if (const std::string fault = fault_of(writers.host, folder); !fault.empty()) {
    writers.folder.failure = fault;
  } else {
    writers.folder = make_folder(with_host(folder, writers.host));
  }
  if (writers.folder.failure.empty()) made = make_marker(writers.folder, own_marker);
  MPI_Barrier(firsts);  // all files are there
  const int shares = sees_folder_of_another(writers.folder, made, firsts, job) ? 1 : 0;
  MPI_Comm_size(firsts, &writers.hosts);
  MPI_Allreduce(&shares, &writers.sharing, 1, MPI_INT, MPI_SUM, firsts);  // no rank looks any more
  if (writers.folder.failure.empty()) unlinkat(writers.folder.opened.get(), own_marker.c_str(), 0);
  MPI_Comm_split(firsts, shares == 0 ? 0 : MPI_UNDEFINED, first, &writers.all);
  MPI_Comm_free(&firsts);
  return writers;
}

}  // namespace trunkline::copy
