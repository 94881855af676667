// SPDX-License-Identifier: Apache-2.0
// runtime-test [--groups A,B] [--choices C,D] [--groups E --choices F]... [--require]
//
// Runs the cases of the groups once for each choice of algorithm; other groups may follow, with other choices. Rank 0
// names each before it begins: the last one named is the one that hangs. Prints what failed on which rank and, at the
// end, "N passed, M failed". --require: fails where the preload library is not there. Exit status 0 or 1.
#include "suite.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

namespace suite {
namespace {

using Set = int(const char*, const char*);
using Last = const char*(const char*);
using LastSegment = unsigned long long(const char*);

template <typename Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

/// Groups of cases, all where none is named, and the choices under which they run.
struct Part {
  std::vector<std::string> groups;
  std::vector<std::string> choices{"auto"};

  [[nodiscard]] bool has(const Case& test) const {
    return groups.empty() || std::ranges::find(groups, test.group) != groups.end();
  }
};

struct Options {
  std::vector<Part> parts;
  bool require = false;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option(argv[i]);
    if (option == "--require") {
      options.require = true;
    } else if (i + 1 < argc && option == "--groups") {
      options.parts.push_back({.groups = split(argv[++i])});
    } else if (i + 1 < argc && option == "--choices") {
      if (options.parts.empty()) options.parts.emplace_back();
      options.parts.back().choices = split(argv[++i]);
    } else {
      std::fprintf(stderr, "runtime-test: what is %s?\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  if (options.parts.empty()) options.parts.emplace_back();
  return options;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (auto* make : {datatype_cases, large_count_cases, communicator_cases, error_cases, isolation_cases, thread_cases,
                     size_cases, kept_layout_cases, reduction_cases, operation_cases, share_cases}) {
    std::ranges::move(make(), std::back_inserter(cases));
  }
  return cases;
}

/// For all collectives that have it, while others run natively; false where none has. Without the library all do.
bool choose(const std::string& choice, Run& run) {
  auto* const set = find<Set>("trunkline_set");
  run.choice = choice;
  run.served.clear();
  for (const char* collective :
       {"bcast", "reduce", "allreduce", "barrier", "reduce-scatter", "reduce-scatter-block", "allgather", "allgatherv",
        "alltoall", "gather", "scatter", "alltoallv", "scan", "exscan"}) {
    if (set == nullptr || set(collective, choice.c_str()) == 0) {
      run.served.insert(collective);
    } else {
      set(collective, "native");
    }
  }
  return !run.served.empty();
}

/// Runs one case; returns 1 on all ranks where it failed on one of them.
int failed(const Case& test, Run& run) {
  run.log.clear();
  if (run.rank == 0) std::printf("%s/%s (%s) begins\n", test.group.c_str(), test.name.c_str(), run.choice.c_str());
  std::fflush(stdout);
  test.body(run);
  for (const std::string& line : run.log) {
    std::fprintf(stderr, "FAILED %s/%s (%s) on rank %d of %d: %s\n", test.group.c_str(), test.name.c_str(),
                 run.choice.c_str(), run.rank, run.ranks, line.c_str());
  }
  int bad = run.log.empty() ? 0 : 1;
  PMPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return bad;
}

}  // namespace

bool Run::expect(bool ok, const std::string& what) {
  if (!ok) log.push_back(what);
  return ok;
}

void Run::expect_ran(const char* collective, bool accelerated, const std::string& what) {
  auto* const last = find<Last>("trunkline_last");
  auto* const segment = find<LastSegment>("trunkline_last_segment");
  if (last == nullptr || segment == nullptr || choice == "auto") return;
  if (!served.contains(collective)) accelerated = false;
  const std::size_t colon = choice.find(':');
  const std::string name = accelerated ? choice.substr(0, colon) : "native";
  expect(last(collective) == name, what + ": ran " + last(collective) + ", not " + name);
  const bool sized = accelerated && colon != std::string::npos;
  if (sized) expect(std::to_string(segment(collective)) == choice.substr(colon + 1), what + ": another segment");
}

unsigned next_serial() {
  static unsigned serial = 0;
  return ++serial;
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

int broadcast_bytes(Run& run, std::uint64_t bytes, int root, MPI_Comm communicator, const std::string& what) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  const unsigned serial = static_cast<unsigned>(bytes) + static_cast<unsigned>(root) * 3;
  std::vector<unsigned char> data(bytes + 1, 0xA5);
  for (std::uint64_t i = 0; rank == root && i < bytes; ++i) data[i] = content(i, serial);
  const int code = MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_BYTE, root, communicator);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < bytes; ++i) wrong += data[i] != content(i, serial) ? 1 : 0;
  run.expect(wrong == 0, what + ": " + std::to_string(wrong) + " of " + std::to_string(bytes) + " bytes are wrong");
  run.expect(data[bytes] == 0xA5, what + ": wrote beyond the end");
  return code;
}

}  // namespace suite

int main(int argc, char** argv) {
  using namespace suite;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const Options options = read_options(argc, argv);
  Run run;
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  int bad = 0;
  int good = 0;
  if (options.require && find<Set>("trunkline_set") == nullptr) {
    std::fprintf(stderr, "FAILED: the preload library is not there\n");
    ++bad;
  }
  for (const Part& part : options.parts) {
    for (const std::string& choice : part.choices) {
      if (!choose(choice, run)) {
        std::fprintf(stderr, "FAILED: %s is refused\n", choice.c_str());
        ++bad;
        continue;
      }
      for (const Case& test : all_cases()) {
        if (part.has(test)) (failed(test, run) != 0 ? bad : good) += 1;
      }
    }
  }
  if (run.rank == 0) std::printf("%d passed, %d failed\n", good, bad);
  MPI_Finalize();
  return bad == 0 && good > 0 ? 0 : 1;
}
