// SPDX-License-Identifier: Apache-2.0
// What every simulated rank runs: times a collective and half a ping-pong, each between one instant and the last rank's
// return. Linked with the runtime, and loaded once for each rank (shared_pages.hpp), so that each has its own globals.
//
//     --collective bcast --algorithm NAME[:SEGMENT] --sizes 8192,1048576 --root 0 --peer 4 --private 0|1
//     --most-us 0,2500000 --calls 1 --work-us 5000 --tests-every-us 1000
//
// NAME is one of Trunkline's, "auto", or "native" for what SMPI was told to run; "native-by-hosts" for that among the
// first ranks of all hosts (by_hosts.hpp). Rank 0 prints one JSON object a line.
// A call that takes longer than --most-us says for its size (0: any time) is given up, and with it the simulation. Each
// size is called so many times as --calls says: times differ where datagrams get lost. With --work-us above 0, plans
// run once more, started, with that work beside them, which tests the call every --tests-every-us (0: never).
#include <mpi.h>
#include <smpi/smpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/mpi_calls.h"
#include "by_hosts.hpp"
#include "rendezvous.hpp"
#include "shared_pages.hpp"
#include "trunkline.h"

/// As intercept/under_way.hpp says; SimGrid has names that headers of the runtime have, too.
namespace trunkline::runtime {
void go_on_with_calls();
}

namespace {

constexpr int tag = 11;
constexpr std::uint64_t longest_setup_us = 1'000'000;
constexpr useconds_t late_us = 1000;

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
  const collective* what = nullptr;
  std::string algorithm;
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint64_t> most_us;
  int root = 0;
  int peer = 1;
  std::uint64_t calls = 1;
  double work_s = 0.0;
  double tests_every_s = 0.0;
  bool own_memory = false;  ///< a buffer for each rank, whose content is checked; else all write to the same memory
};

Options read_options(int argc, char** argv) {
  std::map<std::string_view, std::string_view> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  for (const char* name : {"--collective", "--algorithm", "--sizes", "--root", "--peer", "--private", "--most-us",
                           "--calls", "--work-us", "--tests-every-us"}) {
    if (!given.contains(name)) fail(2, std::string("missing option ") + name);
  }
  Options options{.what = find_collective(std::string(given["--collective"]).c_str()),
                  .algorithm = std::string(given["--algorithm"]),
                  .sizes = numbers(given["--sizes"]),
                  .most_us = numbers(given["--most-us"]),
                  .root = static_cast<int>(number(given["--root"])),
                  .peer = static_cast<int>(number(given["--peer"])),
                  .calls = number(given["--calls"]),
                  .work_s = static_cast<double>(number(given["--work-us"])) * 1e-6,
                  .tests_every_s = static_cast<double>(number(given["--tests-every-us"])) * 1e-6,
                  .own_memory = number(given["--private"]) != 0};
  if (options.what == nullptr) fail(2, std::string("no such collective; there are: ") + collective_names());
  if (options.sizes.empty() || options.sizes.size() != options.most_us.size()) {
    fail(2, "--sizes and --most-us need as many values");
  }
  return options;
}

/// As MPI_SUM; besides, it keeps the rank's processor busy, which SMPI's own operations do not.
void add_up(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const from = static_cast<const long long*>(in);
  auto* const to = static_cast<long long*>(inout);
  std::transform(from, from + *count, to, to, std::plus<>());
  trunkline_simulate_combine(static_cast<double>(*count) * sizeof(long long));
}

class Rank {
 public:
  explicit Rank(const Options& options) : options_(options) {
    message_.of = options.what;
    message_.root = options.root;
    PMPI_Comm_rank(MPI_COMM_WORLD, &message_.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &message_.ranks);
    MPI_Op_create(add_up, 1, &sum_);
    sum_by(&sum_);
    const std::size_t largest = *std::ranges::max_element(options.sizes);
    if (options.own_memory) {
      if (allocate_message(&message_, largest) == 0) fail(2, "no memory for the largest message");
    } else {
      const std::size_t held = held_bytes(&message_, largest);
      shared_ = SMPI_SHARED_MALLOC(2 * held + 1);
      if (shared_ == nullptr) fail(2, "no memory for the largest message");
      message_.to = static_cast<unsigned char*>(shared_);
      message_.from = message_.to + held;
    }
  }
  ~Rank() {
    by_hosts_.reset();
    sum_by(nullptr);
    MPI_Op_free(&sum_);
    if (options_.own_memory) {
      free_message(&message_);
    } else {
      SMPI_SHARED_FREE(shared_);
    }
    end_calls();
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void measure_all() {
    if (options_.algorithm == "native-by-hosts") by_hosts_.emplace(message_.rank, message_.root);
    warm_up();
    for (std::size_t i = 0; i < options_.sizes.size(); ++i) measure(options_.sizes[i], options_.most_us[i]);
  }

 private:
  [[nodiscard]] unsigned ranks() const { return static_cast<unsigned>(message_.ranks); }
  [[nodiscard]] bool native() const { return options_.algorithm == "native" || by_hosts_; }

  /// Our first call also makes the internal communicator, which is not to be timed; nor is how a group is opened.
  void warm_up() {
    if (native()) return;
    const char* const name = options_.what->name;
    constexpr std::array any{"binomial", "unaware-ring", "recursive-doubling"};
    if (std::ranges::all_of(any, [&](const char* algorithm) { return trunkline_set(name, algorithm) != 0; })) {
      fail(2, "the runtime knows neither binomial nor unaware-ring nor recursive-doubling");
    }
    resize(unit_of(options_.what, message_.ranks));
    run();
    for (const std::string plan : {"multicast", "by-sites-multicast"}) {
      const bool is_wanted = options_.algorithm == "auto" || options_.algorithm.starts_with(plan);
      if (is_wanted && trunkline_set(name, plan.c_str()) == 0) run();  // opens its groups
    }
    if (trunkline_set(name, options_.algorithm.c_str()) != 0) fail(2, "no such algorithm: " + options_.algorithm);
  }

  /// Nor is what some of SMPI's algorithms do at their first call, whatever the size: find out who shares a host.
  void warm_up_native(std::uint64_t most_us) {
    if (!native()) return;
    give_up_after(most_us == 0 ? 0 : most_us + longest_setup_us);
    run();
  }

  void give_up_after(std::uint64_t most_us) const {
    if (message_.rank == 0) trunkline_simulate_give_up_after(static_cast<double>(most_us) * 1e-6);
  }

  void measure(std::size_t bytes, std::uint64_t most_us) {
    resize(bytes);
    const double limit_s = least_seconds();
    if (options_.own_memory) fill_message(&message_, 0);
    if (message_.rank == 0) {
      std::printf("{\"message_bytes\": %zu, \"limit_seconds\": %.12g}\n", bytes, limit_s);
      std::fflush(stdout);
    }
    warm_up_native(most_us);
    std::string times;
    for (std::uint64_t call = 0; call < options_.calls; ++call) {
      trunkline_simulate_meet(ranks());
      give_up_after(most_us);
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%s%.12g", times.empty() ? "" : ", ", timed([&] { run(); }));
      times += text.data();
      check();
      if (message_.rank == 0) give_up_after(0);
    }
    const std::string overlapped = overlaps() ? time_beside_work() : "";
    if (message_.rank != 0) return;
    const char* const name = options_.what->name;
    std::printf("{\"seconds\": [%s], \"ran\": \"%s\", \"segment_bytes\": %llu%s}\n", times.c_str(),
                native() ? "native" : trunkline_last(name), native() ? 0ULL : trunkline_last_segment(name),
                overlapped.c_str());
    std::fflush(stdout);
  }

  /// SMPI's own calls that do not block are no library's.
  [[nodiscard]] bool overlaps() const { return options_.work_s > 0.0 && !native(); }

  /// A field of what is printed.
  std::string time_beside_work() {
    const char* const name = options_.what->name;
    const std::string before = trunkline_last(name);
    trunkline_simulate_meet(ranks());
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), ", \"overlapped\": %.12g", timed([&] { run_beside_work(); }));
    check();
    if (trunkline_last(name) != before) fail(1, "started, it ran " + std::string(trunkline_last(name)));
    return text.data();
  }

  /// A rank that waits in MPI goes on at once. Here it looks again after a thousandth of what it has taken.
  void run_beside_work() {
    constexpr double least_s = 1e-6;
    constexpr double part = 1e-3;
    constexpr double rounding_s = 1e-9;
    const double start = PMPI_Wtime();
    if (const char* why = begin_mpi(&message_, 0)) fail(2, std::string(why) + options_.what->name);
    bool is_done = false;
    const auto rest = [](double seconds) { smpi_usleep(static_cast<useconds_t>(std::ceil(seconds * 1e6))); };
    const auto look = [&] {
      if (is_done) return;
      trunkline::runtime::go_on_with_calls();
      is_done = is_over() != 0;
    };
    while (true) {
      const double left = start + options_.work_s - PMPI_Wtime();
      if (left < rounding_s) break;
      rest(options_.tests_every_s > 0.0 ? std::min(left, options_.tests_every_s) : left);
      if (options_.tests_every_s > 0.0) look();
    }
    for (look(); !is_done; look()) rest(std::max(least_s, part * (PMPI_Wtime() - start)));
  }

  void resize(std::size_t bytes) {
    message_.bytes = bytes;
    if (bytes % unit_of(options_.what, message_.ranks) != 0) fail(2, "a size cannot be shared among the ranks");
    if (const char* why = prepare_call(&message_)) fail(2, why);
  }

  void run() {
    if (!by_hosts_) {
      call_mpi(&message_, native() ? 1 : 0);
    } else if (!by_hosts_->run(message_, sum_)) {
      fail(2, std::string(options_.what->name) + " is not known to go by hosts");
    }
  }

  /// T(m): what the links take. A message in one piece goes through its hosts' processors one after another; pieces go
  /// through them while others are on the wire. So a ping-pong that pays for its hosts would be no bound.
  double least_seconds() {
    if (message_.rank == 0) trunkline_simulate_free_hosts(true);
    const double seconds = timed([&] { ping_pong(); }) / 2.0;
    if (message_.rank == 0) trunkline_simulate_free_hosts(false);
    return seconds;
  }

  void ping_pong() {
    const int count = static_cast<int>(message_.bytes);
    unsigned char* const data = message_.to;
    if (message_.rank == options_.root) {
      PMPI_Send(data, count, MPI_BYTE, options_.peer, tag, MPI_COMM_WORLD);
      PMPI_Recv(data, count, MPI_BYTE, options_.peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (message_.rank == options_.peer) {
      PMPI_Recv(data, count, MPI_BYTE, options_.root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      PMPI_Send(data, count, MPI_BYTE, options_.root, tag, MPI_COMM_WORLD);
    }
  }

  /// Seconds from the instant at which all ranks start to the last one's end, on every rank.
  template <class Action>
  double timed(Action action) {
    trunkline_simulate_meet(ranks());
    const double start = PMPI_Wtime();
    action();
    return trunkline_simulate_largest(ranks(), PMPI_Wtime() - start + trunkline_simulate_rest());
  }

  void check() {
    if (!options_.own_memory) return;
    const std::string who = "rank " + std::to_string(message_.rank);
    const long long wrong = first_wrong(&message_, 0);
    if (wrong != RIGHT) {
      fail(1, who + ": wrong byte at " + std::to_string(wrong) + " of " + std::to_string(message_.bytes) + " under " +
                  options_.algorithm);
    }
    if (options_.what->taken != NOTHING) return;
    // A barrier: once more, with one rank late.
    trunkline_simulate_meet(ranks());
    const double start = PMPI_Wtime();
    if (message_.rank == options_.peer) smpi_usleep(late_us);
    const double come = PMPI_Wtime() - start;
    run();
    const double left = PMPI_Wtime() - start;
    if (left < trunkline_simulate_largest(ranks(), come)) fail(1, who + ": left the barrier before the last rank came");
  }

  const Options& options_;
  message message_{};
  MPI_Op sum_ = MPI_OP_NULL;
  std::optional<trunkline::simulate::ByHosts> by_hosts_;
  void* shared_ = nullptr;
};

}  // namespace

/// What a rank runs, in a copy of this library of its own.
extern "C" __attribute__((visibility("default"))) int trunkline_simulate_rank(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Options options = read_options(argc, argv);
    Rank(options).measure_all();
  }
  MPI_Finalize();
  return 0;
}

// SMPI calls it for each rank, in the library that it has loaded once.
__attribute__((visibility("default"))) int main(int argc, char** argv) {
  static int ranks = 0;
  try {
    void* const entry = trunkline::simulate::entry_of_copy("trunkline_simulate_rank", ranks++);
    return reinterpret_cast<decltype(&trunkline_simulate_rank)>(entry)(argc, argv);
  } catch (const std::runtime_error& wrong) {
    fail(2, wrong.what());
  }
}
