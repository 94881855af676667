// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <vector>

namespace trunkline::copy {
namespace {

constexpr std::size_t longest_name = 256;
using Name = std::array<char, longest_name>;

std::string own_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  const char* const told = std::getenv("TRUNKLINE_HOST");
  return told != nullptr && *told != '\0' ? told : name.data();
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
  constexpr const char* mark = "{host}";
  for (std::size_t at = folder.find(mark); at != std::string::npos; at = folder.find(mark, at + host.size())) {
    folder.replace(at, std::strlen(mark), host);
  }
  return folder;
}

std::string marker(const std::string& folder, std::uint64_t job, int rank) {
  return folder + "/.trunkline-copy-" + std::to_string(job) + "-" + std::to_string(rank);
}

/// Makes the folder and this rank's file in it; why not, or nothing.
std::string make_marker(const std::string& folder, const std::string& file) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return "cannot make folder " + folder + ": " + error.message();
  const int opened = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (opened < 0) return "cannot write into " + folder + ": " + std::strerror(errno);
  close(opened);
  return {};
}

/// Whether a rank of another host before this one sees the same folder. Folders that are one have one inode; of the
/// ranks with that number, the file that one has made tells.
bool sees_folder_of_another(const Writers& mine, MPI_Comm firsts, std::uint64_t job) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(firsts, &rank);
  MPI_Comm_size(firsts, &ranks);
  struct stat of_folder {};
  unsigned long long number = 0;
  if (mine.failure.empty() && stat(mine.folder.c_str(), &of_folder) == 0) number = of_folder.st_ino;
  std::vector<unsigned long long> numbers(static_cast<std::size_t>(ranks));
  MPI_Allgather(&number, 1, MPI_UNSIGNED_LONG_LONG, numbers.data(), 1, MPI_UNSIGNED_LONG_LONG, firsts);
  if (number == 0) return false;
  for (int other = 0; other < rank; ++other) {
    if (numbers[static_cast<std::size_t>(other)] != number) continue;
    if (access(marker(mine.folder, job, other).c_str(), F_OK) == 0) return true;
  }
  return false;
}

}  // namespace

Writers find_writers(const std::string& folder) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Writers writers{.host = own_host(), .folder = {}, .failure = {}};
  writers.folder = with_host(folder, writers.host);
  unsigned long long job = std::random_device{}();
  MPI_Bcast(&job, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  MPI_Comm firsts = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_first_of_host(writers.host, rank, ranks) ? 0 : MPI_UNDEFINED, rank, &firsts);
  if (firsts == MPI_COMM_NULL) return writers;

  int first = 0;
  MPI_Comm_rank(firsts, &first);
  const std::string own_marker = marker(writers.folder, job, first);
  writers.failure = make_marker(writers.folder, own_marker);
  MPI_Barrier(firsts);  // all files are there
  const int shares = sees_folder_of_another(writers, firsts, job) ? 1 : 0;
  MPI_Comm_size(firsts, &writers.hosts);
  MPI_Allreduce(&shares, &writers.sharing, 1, MPI_INT, MPI_SUM, firsts);  // nobody looks any more
  if (writers.failure.empty()) unlink(own_marker.c_str());
  MPI_Comm_split(firsts, shares == 0 ? 0 : MPI_UNDEFINED, first, &writers.all);
  MPI_Comm_free(&firsts);
  return writers;
}

}  // namespace trunkline::copy
