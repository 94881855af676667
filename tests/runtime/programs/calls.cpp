// SPDX-License-Identifier: Apache-2.0
// runtime-calls BYTES:ROOT...: broadcasts one after another, each with its bytes checked; BYTES:all is an allgather of
// so many of each rank, BYTES:sum an allreduce, and BYTES:ordered one of an operation that does not commute. Rank 0
// prints what ran for each: ALGORITHM SEGMENT. "dup": from here on over a new communicator of the same processes.
// "again=CHOICE": the calls before all that, once more over a new communicator, by that algorithm of broadcasts.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Of two operands the second: that of the last rank in the end.
void take_second(void* /*first*/, void* /*second*/, int* /*count*/, MPI_Datatype* /*type*/) {}

/// Whether the result is right.
bool sums_up(long bytes, bool is_ordered, int rank, int ranks, MPI_Comm communicator) {
  const auto count = static_cast<std::size_t>(bytes) / sizeof(int);
  const std::vector<int> own(count, rank + 1);
  std::vector<int> result(count);
  MPI_Op ordered = MPI_OP_NULL;
  MPI_Op_create(take_second, 0, &ordered);
  MPI_Allreduce(own.data(), result.data(), static_cast<int>(count), MPI_INT, is_ordered ? ordered : MPI_SUM,
                communicator);
  MPI_Op_free(&ordered);
  return result == std::vector<int>(count, is_ordered ? ranks : ranks * (ranks + 1) / 2);
}

constexpr std::string_view again = "again=";
constexpr std::string_view choose = "choose=";

/// Of the command line, with calls that come again written out.
std::vector<std::string> words_of(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  const auto repeats = [](const std::string& word) { return word.starts_with(again); };
  const std::vector<std::string> calls(given.begin(), std::ranges::find_if(given, repeats));
  std::vector<std::string> words;
  for (const std::string& word : given) {
    if (!repeats(word)) {
      words.push_back(word);
      continue;
    }
    words.emplace_back("dup");
    words.push_back(std::string(choose) + word.substr(again.size()));
    words.insert(words.end(), calls.begin(), calls.end());
  }
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using Last = const char*(const char*);
  using LastSegment = unsigned long long(const char*);
  using Set = int(const char*, const char*);
  auto* const last = reinterpret_cast<Last*>(dlsym(RTLD_DEFAULT, "trunkline_last"));
  auto* const segment = reinterpret_cast<LastSegment*>(dlsym(RTLD_DEFAULT, "trunkline_last_segment"));
  auto* const set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "trunkline_set"));
  if (last == nullptr || segment == nullptr || set == nullptr) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm communicator = MPI_COMM_WORLD;
  std::size_t i = 0;
  for (const std::string& word : words_of(argc, argv)) {
    ++i;
    if (word == "dup") {
      MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
      continue;
    }
    if (word.starts_with(choose)) {
      if (set("bcast", word.c_str() + choose.size()) != 0) MPI_Abort(MPI_COMM_WORLD, 5);
      continue;
    }
    char* colon = nullptr;
    const long bytes = std::strtol(word.c_str(), &colon, 10);
    const bool is_ordered = std::strcmp(colon, ":ordered") == 0;
    if (is_ordered || std::strcmp(colon, ":sum") == 0) {
      if (!sums_up(bytes, is_ordered, rank, ranks, communicator)) MPI_Abort(MPI_COMM_WORLD, 4);
      if (rank == 0) std::printf("%s %llu\n", last("allreduce"), segment("allreduce"));
      continue;
    }
    const bool is_gathered = std::strcmp(colon, ":all") == 0;
    const int root = is_gathered ? rank : std::atoi(colon + 1);
    const auto share = static_cast<std::ptrdiff_t>(bytes);
    std::vector<char> sent(static_cast<std::size_t>(is_gathered ? bytes * ranks : bytes));
    for (std::size_t at = 0; at < sent.size(); ++at) sent[at] = static_cast<char>(at * 31 + i);
    std::vector<char> data = rank == root ? sent : std::vector<char>(sent.size());
    const int count = static_cast<int>(bytes);
    if (is_gathered) {
      const std::vector<char> own(sent.begin() + rank * share, sent.begin() + (rank + 1) * share);
      data.assign(sent.size(), 0);
      MPI_Allgather(own.data(), count, MPI_BYTE, data.data(), count, MPI_BYTE, communicator);
    } else {
      MPI_Bcast(data.data(), count, MPI_BYTE, root, communicator);
    }
    if (data != sent) MPI_Abort(MPI_COMM_WORLD, 3);
    const char* const what = is_gathered ? "allgather" : "bcast";
    if (rank == 0) std::printf("%s %llu\n", last(what), segment(what));
  }
  MPI_Finalize();
}
