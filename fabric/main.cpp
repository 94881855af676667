// SPDX-License-Identifier: Apache-2.0
// trunkline-fabric: the network between the hosts of an emulated cluster.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine.hpp"
#include "network/file/cluster_file.hpp"
#include "packet_port.hpp"
#include "priority.hpp"

namespace {

constexpr const char* usage =
    "usage: trunkline-fabric CLUSTER.yaml [--rate BPS] [--interfaces PREFIX] [--seed N] [--control "
    "FD]\n"
    "\n"
    "Joins the interfaces PREFIX0, PREFIX1, ... of this network namespace (default p) as the cluster file says: host "
    "I\n"
    "hangs on PREFIX<I> and has the Ethernet address 02:00:00:00:HH:LL of its index. Writes \"ready\" and the "
    "priority\n"
    "it got to standard output once frames pass, and counters as JSON when it ends (SIGTERM, or FD closed).\n"
    "\n"
    "  --rate BPS           bits per second of the fastest link, others in proportion; 0 (default): as in the file\n"
    "  --interfaces PREFIX  names of the interfaces before their number; default p\n"
    "  --seed N             decides which frames impaired links harm; default 1\n"
    "  --control FD         takes commands on this descriptor, one a line: stats, reset, rate BPS, impair on|off,\n"
    "                       set LINK ... KEY=VALUE ... [down|up] [; ...]\n";

volatile std::sig_atomic_t stop_requested = 0;
void request_stop(int) { stop_requested = 1; }

struct Arguments {
  std::string cluster;
  double rate_bps = 0.0;
  std::string interfaces = "p";
  std::uint64_t seed = 1;
  int control = -1;
};

double number(const char* option, const char* text) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0.0) || value > 1e15) {
    throw std::invalid_argument(std::string(option) + ": \"" + text + "\" is not a number of 0 or more");
  }
  return value;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (!option.starts_with("--")) {
      if (!arguments.cluster.empty()) {
        throw std::invalid_argument("more than one cluster file");
      }
      arguments.cluster = option;
      continue;
    }
    if (++i == argc) {
      throw std::invalid_argument(option + " needs a value");
    }
    if (option == "--rate") {
      arguments.rate_bps = number("--rate", argv[i]);
    } else if (option == "--interfaces") {
      arguments.interfaces = argv[i];
    } else if (option == "--seed") {
      arguments.seed = static_cast<std::uint64_t>(number("--seed", argv[i]));
    } else if (option == "--control") {
      arguments.control = static_cast<int>(number("--control", argv[i]));
    } else {
      throw std::invalid_argument("unknown option " + option);
    }
  }
  if (arguments.cluster.empty()) {
    throw std::invalid_argument("no cluster file");
  }
  return arguments;
}

int run(const Arguments& arguments) {
  using namespace trunkline;
  const Cluster cluster = read_cluster(arguments.cluster);
  fabric::PacketPort port(arguments.interfaces, static_cast<std::uint32_t>(cluster.hosts().size()));
  fabric::Engine engine(cluster, arguments.rate_bps, {}, port, arguments.seed);
  struct sigaction action {};
  action.sa_handler = request_stop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  sigset_t ends{};
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  signal(SIGPIPE, SIG_IGN);
  std::printf("ready %s\n", std::string(fabric::take_priority()).c_str());
  std::fflush(stdout);
  engine.run(stop_requested, arguments.control);
  std::printf("%s\n", engine.stats_json().c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  Arguments arguments;
  try {
    arguments = parse(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trunkline-fabric: %s\n%s", error.what(), usage);
    return 2;
  }
  try {
    return run(arguments);
  } catch (const trunkline::FaultyFile& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trunkline-fabric: %s\n", error.what());
    return 1;
  }
}
