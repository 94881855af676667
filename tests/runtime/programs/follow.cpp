// SPDX-License-Identifier: Apache-2.0
// runtime-follow FILE STEP...: collective calls while rank 0 replaces FILE, the job's cluster file or plan file. Steps:
//
//   take:TEXT    FILE becomes TEXT; goes on until all communicators run something else than before
//   take         the same; somebody else replaces FILE
//   leave:TEXT   FILE becomes TEXT; goes on on MPI_COMM_WORLD, where nothing else may run then, until the library has
//                said that it is not taken. Its words are in FILE.err.
//   leave-half:TEXT   the same, on the half of the ranks that rank 0 is not in
//   gone         FILE is removed; the same as leave
//   pipe         FILE becomes a pipe that nobody writes to; the same
//   put:TEXT     FILE becomes TEXT; goes on for 200 turns on each, and two seconds
//   on           goes on so
//   short-lived  communicators that end soon after the ranks have begun to meet; TEXT of the next step comes meanwhile
//   threads      the same calls by three threads a rank, each on communicators of its own, from the next step on
//
// Every call's data are checked, and that all ranks ran the same for it. Rank 0 prints what ran on MPI_COMM_WORLD after
// each step: ALGORITHM SEGMENT.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Last = const char*(const char*);
using LastSegment = unsigned long long(const char*);

constexpr int watched_bytes = 20000;

Last* last = nullptr;
LastSegment* segment = nullptr;
int rank = 0;
std::string file;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "runtime-follow: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

std::string ran(const char* collective) {
  return std::string(last(collective)) + " " + std::to_string(segment(collective));
}

/// All ranks ran the same for the last call; by messages that the library does not see.
void check_alike(MPI_Comm communicator, const char* collective) {
  std::string own = ran(collective);
  own.resize(64, ' ');
  std::string first = own;
  PMPI_Bcast(first.data(), 64, MPI_CHAR, 0, communicator);
  if (first != own) fail(("ran " + own + ", and rank 0 " + first).c_str());
}

struct Calls {
  MPI_Comm communicator;
  std::string runs{};  ///< what the last broadcast from rank 0 ran
  int turn = 0;

  void broadcast(int bytes, int root) {
    int own = 0;
    MPI_Comm_rank(communicator, &own);
    const auto value = [&](int at) { return static_cast<char>(at * 31 + turn * 7 + root); };
    std::vector<char> data(static_cast<std::size_t>(bytes));
    for (int at = 0; own == root && at < bytes; ++at) data[static_cast<std::size_t>(at)] = value(at);
    MPI_Bcast(data.data(), bytes, MPI_CHAR, root, communicator);
    for (int at = 0; at < bytes; ++at) {
      if (data[static_cast<std::size_t>(at)] != value(at)) fail("a broadcast brought something wrong");
    }
    check_alike(communicator, "bcast");
  }

  void sum(int count) {
    int own = 0;
    int ranks = 0;
    MPI_Comm_rank(communicator, &own);
    MPI_Comm_size(communicator, &ranks);
    std::vector<int> data(static_cast<std::size_t>(count), own + turn);
    MPI_Allreduce(MPI_IN_PLACE, data.data(), count, MPI_INT, MPI_SUM, communicator);
    for (const int one : data) {
      if (one != ranks * (ranks - 1) / 2 + ranks * turn) fail("a sum is wrong");
    }
    check_alike(communicator, "allreduce");
  }

  void go_on() {
    int ranks = 0;
    MPI_Comm_size(communicator, &ranks);
    broadcast(watched_bytes, 0);
    runs = ran("bcast");
    broadcast(16, turn % ranks);
    sum(turn % 3 == 0 ? 5000 : 100);
    if ((turn + rank) % 17 == 0) usleep(500);  // somebody is late
    ++turn;
  }
};

/// Whole or not at all.
void become(const std::string& text) {
  const std::string unfinished = file + ".part";
  std::ofstream(unfinished, std::ios::binary) << std::ifstream(text, std::ios::binary).rdbuf();
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) fail("the file cannot be replaced");
}

/// Rank 0's, for all.
bool agree(MPI_Comm communicator, bool word) {
  int said = word ? 1 : 0;
  PMPI_Bcast(&said, 1, MPI_INT, 0, communicator);
  return said != 0;
}

enum class Until { changed, refused, later };

/// How often the library has said that it does not take the file.
int refusals() {
  std::ifstream said(file + ".err");
  int count = 0;
  for (std::string line; std::getline(said, line);) {
    if (line.find("trunkline: warning: the changed cluster file") != std::string::npos) ++count;
  }
  return count;
}

/// A communicator's own rank 0 says when.
void go_on_until(Calls& calls, Until until, int refused_before) {
  const std::string before = calls.runs;
  const auto start = Clock::now();
  const int first_turn = calls.turn;
  const auto ends = [&] {
    const auto took = Clock::now() - start;
    if (until == Until::later) return calls.turn >= first_turn + 200 && took > std::chrono::seconds(2);
    if (took > std::chrono::seconds(500)) fail("nothing happens");
    return until == Until::changed ? calls.runs != before : refusals() > refused_before;
  };
  do {
    for (int i = 0; i < 5; ++i) calls.go_on();
  } while (!agree(calls.communicator, ends()));
  if (until == Until::refused && calls.runs != before) fail(("runs " + calls.runs).c_str());
}

/// They end while a word is on its way, or just after it was heard.
void be_short_lived() {
  for (int i = 0; i < 60; ++i) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 == 0 ? 0 : rank % 2, -rank, &own);
    Calls calls{own};
    for (int k = 0; k < 1 + i % 9; ++k) calls.go_on();
    MPI_Comm_free(&own);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  last = reinterpret_cast<Last*>(dlsym(RTLD_DEFAULT, "trunkline_last"));
  segment = reinterpret_cast<LastSegment*>(dlsym(RTLD_DEFAULT, "trunkline_last_segment"));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (last == nullptr || segment == nullptr || argc < 3) fail("no library, or no steps");
  file = argv[1];
  MPI_Comm half = MPI_COMM_NULL;  // one rank of each two neighbours, the last one first
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  std::vector<Calls> all{{MPI_COMM_WORLD}, {half}};
  for (Calls& one : all) one.go_on();
  bool has_threads = false;
  for (int i = 2; i < argc; ++i) {
    const char* const step = argv[i];
    const char* const colon = std::strchr(step, ':');
    const bool changes = std::strncmp(step, "take", 4) == 0;
    const bool leaves =
        std::strncmp(step, "leave", 5) == 0 || std::strcmp(step, "gone") == 0 || std::strcmp(step, "pipe") == 0;
    const Until until = changes ? Until::changed : leaves ? Until::refused : Until::later;
    if (std::strcmp(step, "short-lived") == 0) {
      be_short_lived();
    } else if (std::strcmp(step, "threads") == 0) {
      if (provided != MPI_THREAD_MULTIPLE) fail("MPI has no threads");
      for (int k = 0; k < 2; ++k) {
        MPI_Comm own = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &own);
        all.push_back({own});
      }
      has_threads = true;
    } else {
      const bool is_of_half = std::strncmp(step, "leave-half", 10) == 0;
      const int refused = refusals();
      PMPI_Barrier(MPI_COMM_WORLD);
      if (rank == 0 && colon != nullptr) become(colon + 1);
      const bool is_pipe = std::strcmp(step, "pipe") == 0;
      if (rank == 0 && (is_pipe || std::strcmp(step, "gone") == 0)) unlink(file.c_str());
      if (rank == 0 && is_pipe && mkfifo(file.c_str(), 0600) != 0) fail("there can be no pipe");
      std::vector<std::thread> threads;
      for (Calls& one : all) {
        if (one.runs.empty()) one.go_on();
        if (has_threads) {
          threads.emplace_back([&one, until, refused] { go_on_until(one, until, refused); });
        } else if (is_of_half ? rank % 2 == 1 && &one != &all.front() : !leaves || &one == &all.front()) {
          go_on_until(one, until, refused);
        }
      }
      for (std::thread& one : threads) one.join();
    }
    // Rank 0 is in one half only: the other one has to have seen the file before it is replaced again.
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) std::printf("%s\n", all.front().runs.c_str());
  }
  MPI_Finalize();
}
