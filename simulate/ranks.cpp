// SPDX-License-Identifier: Apache-2.0
// What every simulated rank runs: times broadcasts and half a ping-pong, each between one instant and the last rank's
// return. Linked with the runtime, and loaded once for each rank by SimGrid's SMPI, so that each has its own globals.
//
//     --algorithm NAME[:SEGMENT] --sizes 8192,1048576 --root 0 --peer 4 --private 0|1 --most-us 0,2500000
//
// NAME is one of Trunkline's, "auto", or "native" for the broadcast that SMPI was told to run. Rank 0 prints one JSON
// object a line. A broadcast that takes longer than --most-us says for its size (0: any time) is given up, and with it
// the simulation. One repetition is all: in a simulation every one takes the same time.
#include <mpi.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rendezvous.hpp"
#include "trunkline.h"

namespace {

constexpr int tag = 11;
constexpr std::uint64_t longest_setup_us = 1'000'000;

[[noreturn]] void fail(int status, const std::string& what) {
  std::fprintf(stderr, "trunkline-simulate: %s\n", what.c_str());
  std::_Exit(status);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(2, "not a number: " + std::string(text));
  return value;
}

std::vector<std::uint64_t> numbers(std::string_view rest) {
  std::vector<std::uint64_t> values;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    values.push_back(number(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return values;
}

struct Options {
  std::string algorithm;
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint64_t> most_us;
  int root = 0;
  int peer = 1;
  bool own_memory = false;  ///< a buffer for each rank, whose content is checked; else all write to the same memory
};

Options read_options(int argc, char** argv) {
  std::map<std::string_view, std::string_view> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  for (const char* name : {"--algorithm", "--sizes", "--root", "--peer", "--private", "--most-us"}) {
    if (!given.contains(name)) fail(2, std::string("missing option ") + name);
  }
  Options options{.algorithm = std::string(given["--algorithm"]),
                  .sizes = numbers(given["--sizes"]),
                  .most_us = numbers(given["--most-us"]),
                  .root = static_cast<int>(number(given["--root"])),
                  .peer = static_cast<int>(number(given["--peer"])),
                  .own_memory = number(given["--private"]) != 0};
  if (options.sizes.empty() || options.sizes.size() != options.most_us.size()) {
    fail(2, "--sizes and --most-us need as many values");
  }
  return options;
}

class Rank {
 public:
  explicit Rank(const Options& options) : options_(options) {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    const std::size_t largest = *std::ranges::max_element(options.sizes);
    void* memory = options.own_memory ? std::malloc(largest) : SMPI_SHARED_MALLOC(largest);
    if (memory == nullptr) fail(2, "no memory for the largest message");
    buffer_ = static_cast<unsigned char*>(memory);
  }
  ~Rank() {
    if (options_.own_memory) {
      std::free(buffer_);
    } else {
      SMPI_SHARED_FREE(buffer_);
    }
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void measure_all() {
    warm_up();
    for (std::size_t i = 0; i < options_.sizes.size(); ++i) measure(options_.sizes[i], options_.most_us[i]);
  }

 private:
  static unsigned ranks() {
    int count = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &count);
    return static_cast<unsigned>(count);
  }
  [[nodiscard]] bool native() const { return options_.algorithm == "native"; }

  /// Our first broadcast also makes the internal communicator, which is not to be timed.
  void warm_up() {
    if (native()) return;
    if (trunkline_set("bcast", "binomial") != 0) fail(2, "the runtime does not know binomial");
    broadcast(1);
    if (trunkline_set("bcast", options_.algorithm.c_str()) != 0) fail(2, "no such algorithm: " + options_.algorithm);
  }

  /// Nor is what some of SMPI's algorithms do at their first call, whatever the size: find out who shares a host.
  void warm_up_native(std::size_t bytes, std::uint64_t most_us) {
    if (!native()) return;
    give_up_after(most_us == 0 ? 0 : most_us + longest_setup_us);
    broadcast(bytes);
  }

  void give_up_after(std::uint64_t most_us) const {
    if (rank_ == 0) trunkline_simulate_give_up_after(static_cast<double>(most_us) * 1e-6);
  }

  void measure(std::size_t bytes, std::uint64_t most_us) {
    const double limit_s = timed([&] { ping_pong(bytes); }) / 2.0;
    fill(bytes);
    if (rank_ == 0) {
      std::printf("{\"message_bytes\": %zu, \"limit_seconds\": %.12g}\n", bytes, limit_s);
      std::fflush(stdout);
    }
    warm_up_native(bytes, most_us);
    trunkline_simulate_meet(ranks());
    give_up_after(most_us);
    const double seconds = timed([&] { broadcast(bytes); });
    check(bytes);
    if (rank_ != 0) return;
    give_up_after(0);
    std::printf("{\"seconds\": %.12g, \"ran\": \"%s\", \"segment_bytes\": %llu}\n", seconds,
                native() ? "native" : trunkline_last("bcast"), native() ? 0ULL : trunkline_last_segment("bcast"));
    std::fflush(stdout);
  }

  void broadcast(std::size_t bytes) {
    const auto run = native() ? PMPI_Bcast : MPI_Bcast;
    run(buffer_, static_cast<int>(bytes), MPI_BYTE, options_.root, MPI_COMM_WORLD);
  }

  void ping_pong(std::size_t bytes) {
    const int count = static_cast<int>(bytes);
    if (rank_ == options_.root) {
      PMPI_Send(buffer_, count, MPI_BYTE, options_.peer, tag, MPI_COMM_WORLD);
      PMPI_Recv(buffer_, count, MPI_BYTE, options_.peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank_ == options_.peer) {
      PMPI_Recv(buffer_, count, MPI_BYTE, options_.root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      PMPI_Send(buffer_, count, MPI_BYTE, options_.root, tag, MPI_COMM_WORLD);
    }
  }

  /// Seconds from the instant at which all ranks start to the last one's end, on every rank.
  template <class Action>
  double timed(Action action) {
    trunkline_simulate_meet(ranks());
    const double start = PMPI_Wtime();
    action();
    return trunkline_simulate_largest(ranks(), PMPI_Wtime() - start);
  }

  static unsigned char byte_at(std::size_t i) { return static_cast<unsigned char>(i * 31 + (i >> 11) + 1); }

  void fill(std::size_t bytes) {
    if (!options_.own_memory) return;
    for (std::size_t i = 0; i < bytes; ++i) buffer_[i] = rank_ == options_.root ? byte_at(i) : 0;
  }

  void check(std::size_t bytes) const {
    if (!options_.own_memory) return;
    for (std::size_t i = 0; i < bytes; ++i) {
      if (buffer_[i] != byte_at(i)) {
        fail(1, "rank " + std::to_string(rank_) + ": wrong byte at " + std::to_string(i) + " of " +
                    std::to_string(bytes) + " under " + options_.algorithm);
      }
    }
  }

  const Options& options_;
  int rank_ = 0;
  unsigned char* buffer_ = nullptr;
};

}  // namespace

// SMPI looks it up in each copy of this library.
__attribute__((visibility("default"))) int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Options options = read_options(argc, argv);
    Rank(options).measure_all();
  }
  MPI_Finalize();
  return 0;
}
