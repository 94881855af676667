// SPDX-License-Identifier: Apache-2.0
// runtime-faults CASE[@CHOICE]...: faults of a program, one after another in one job; CHOICE is as for trunkline_set.
// Some cases end the job, and some want it for themselves: little memory, many communicators, being the first call.
// Rank 0 names each case before it begins. Prints "rank R: fine" on each rank where everything was as MPI promises,
// else what was not and in which case; exit status 0 or 1.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "fault_cases.hpp"

namespace faults {

int rank = 0;
int ranks = 1;
bool good = true;
int heard = 0;

namespace {
std::string now;  ///< the case that runs, as it was asked for
}  // namespace

void expect(bool ok, const std::string& what) {
  if (ok) return;
  good = false;
  std::printf("rank %d: %s: %s\n", rank, now.c_str(), what.c_str());
  std::fflush(stdout);
}

int class_of(int code) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  return found;
}

bool preloaded() { return dlsym(RTLD_DEFAULT, "trunkline_version") != nullptr; }

void choose(const char* choice) {
  using Set = int(const char*, const char*);
  auto* const set = reinterpret_cast<Set*>(dlsym(RTLD_DEFAULT, "trunkline_set"));
  if (set == nullptr) return;
  bool taken = false;
  for (const char* const collective : {"bcast", "reduce", "allreduce", "reduce-scatter", "allgather", "barrier"}) {
    set(collective, "auto");  // what has no such algorithm does not keep that of the case before
    taken = set(collective, choice) == 0 || taken;
  }
  expect(taken, std::string("refused: ") + choice);
}

MPI_Comm copy_of(MPI_Comm communicator, MPI_Errhandler handler) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(communicator, &copy);
  MPI_Comm_set_errhandler(copy, handler);
  return copy;
}

unsigned char content(std::size_t i, int serial) {
  return static_cast<unsigned char>(i * 13 + (i >> 9) + static_cast<std::size_t>(serial) * 7 + 1);
}

void right(MPI_Comm communicator, int bytes, int root, int serial, const std::string& what) {
  int own = 0;
  MPI_Comm_rank(communicator, &own);
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes), 0);
  for (std::size_t i = 0; own == root && i < data.size(); ++i) data[i] = content(i, serial);
  const int code = MPI_Bcast(data.data(), bytes, MPI_BYTE, root, communicator);
  expect(code == MPI_SUCCESS, what + ": error " + std::to_string(class_of(code)));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.size(); ++i) wrong += data[i] != content(i, serial) ? 1U : 0U;
  expect(wrong == 0, what + ": " + std::to_string(wrong) + " wrong bytes");
}

long resident_kib(const char* field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stol(line.substr(std::strlen(field)));
  }
  return 0;
}

int add_up(bool to_all, const Sums& own, Sums& all, MPI_Comm communicator) {
  const int count = static_cast<int>(own.size());
  return to_all ? MPI_Allreduce(own.data(), all.data(), count, MPI_LONG_LONG, MPI_SUM, communicator)
                : MPI_Reduce(own.data(), all.data(), count, MPI_LONG_LONG, MPI_SUM, 0, communicator);
}

void right_sums(MPI_Comm communicator, int count, const std::string& what) {
  for (const bool to_all : {false, true}) {
    const Sums own(static_cast<std::size_t>(count), rank + 1);
    Sums all(own.size(), -1);
    const int code = add_up(to_all, own, all, communicator);
    expect(code == MPI_SUCCESS, what + ": error " + std::to_string(class_of(code)));
    if (!to_all && rank != 0) continue;
    const long long sum = static_cast<long long>(ranks) * (ranks + 1) / 2;
    expect(std::count(all.begin(), all.end(), sum) == count, what + ": wrong sums");
  }
}

}  // namespace faults

namespace {

using namespace faults;  // whose program this is

Cases all_cases() {
  Cases all;
  for (const auto& some : {communicator_cases, datagram_cases, disagreement_cases, handler_cases, lateness_cases,
                           native_cases, scarcity_cases})
    all.merge(some());
  return all;
}

/// What was asked for: a case, and the choice of algorithm for it; "" where it keeps what there is.
struct Asked {
  std::string name;
  std::string choice;
};

Asked asked(const std::string& word) {
  const std::size_t at = word.find('@');
  return {word.substr(0, at), at == std::string::npos ? "" : word.substr(at + 1)};
}

void run(const Cases& cases, const std::string& word) {
  const Asked one = asked(word);
  now = word;
  heard = 0;
  if (rank == 0) std::printf("%s begins\n", word.c_str());
  std::fflush(stdout);
  if (!one.choice.empty()) choose(one.choice.c_str());
  cases.at(one.name)();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Cases cases = all_cases();
  const bool known = std::all_of(words.begin(), words.end(),
                                 [&](const std::string& word) { return cases.contains(asked(word).name); });
  // With threads, MPICH holds a lock while it calls an error handler: one that throws would leave it locked.
  const bool threads = !words.empty() && asked(words.front()).name == "small-stack";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (words.empty() || !known) {
    for (const auto& [name, body] : cases) std::printf("%s\n", name.c_str());
    MPI_Finalize();
    return 2;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) PMPI_Barrier(MPI_COMM_WORLD);  // a case that hangs is the one that was named last
    run(cases, words[i]);
  }
  MPI_Finalize();
  if (good) std::printf("rank %d: fine\n", rank);
  return good ? 0 : 1;
}
