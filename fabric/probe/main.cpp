// SPDX-License-Identifier: Apache-2.0
// trunkline-probe: measures an emulated cluster with plain sockets, beside what theory says.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "algorithms/trees/linear.hpp"
#include "network/file/cluster_file.hpp"
#include "probe/measure.hpp"
#include "theory.hpp"

namespace {

using namespace trunkline;

constexpr const char* usage =
    "usage: trunkline-probe ping-pong|relay|at-work CLUSTER.yaml --hosts FOLDER [--rate BPS] [--repeat N] [--bytes N]\n"
    "           [--messages N] [--seconds N] SIZE...\n"
    "\n"
    "Measures the hosts found in FOLDER: by each host's name, the number of a process in its network namespace, or "
    "that\n"
    "namespace. Writes a line of JSON for each SIZE. Of the first two: seconds of every repetition, seconds by theory, "
    "and\n"
    "what the hosts' processes took in all: processor seconds and seconds of the clock.\n"
    "\n"
    "  ping-pong   half a round trip of SIZE bytes between the first two hosts of the contention-free line\n"
    "  relay       --bytes (default 1048576) down that line through all hosts, in segments of SIZE bytes\n"
    "  at-work     --messages (default 1) of SIZE to and fro between neighbours on that line, two and two, all at "
    "once,\n"
    "              for --seconds (default 0.1). Its lines say how many were handed on, in which time, and the period "
    "that\n"
    "              a relay of such segments has by theory at --rate, whatever the rate is meanwhile\n"
    "  --rate BPS  at which the fabric runs the fastest link; 0 (default): as in the file\n";

constexpr std::uint64_t most_bytes = 1ULL << 32U;
constexpr double most_seconds = 3600.0;
constexpr std::uint64_t most_bps = 1'000'000'000'000'000;

struct Arguments {
  std::string what;
  std::string cluster;
  std::string folder;
  double rate_bps = 0.0;
  unsigned repetitions = 5;
  std::uint64_t bytes = 1U << 20U;
  unsigned messages = 1;
  double seconds = 0.1;
  std::vector<std::uint64_t> sizes;
};

std::uint64_t whole_number(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw std::invalid_argument("\"" + text + "\" is not a whole number from " + std::to_string(least) + " to " +
                                std::to_string(most));
  }
  return value;
}

double seconds_above_zero(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0.0) || value > most_seconds) {
    throw std::invalid_argument("\"" + text + "\" is not a number of seconds above 0, at most 3600");
  }
  return value;
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      plain.push_back(words[i]);
      continue;
    }
    if (i + 1 == words.size()) {
      throw std::invalid_argument(words[i] + " needs a value");
    }
    const std::string& value = words[++i];
    if (words[i - 1] == "--hosts") {
      arguments.folder = value;
    } else if (words[i - 1] == "--rate") {
      arguments.rate_bps = static_cast<double>(whole_number(value, 0, most_bps));
    } else if (words[i - 1] == "--repeat") {
      arguments.repetitions = static_cast<unsigned>(whole_number(value, 1, 10000));
    } else if (words[i - 1] == "--messages") {
      arguments.messages = static_cast<unsigned>(whole_number(value, 1, 10000));
    } else if (words[i - 1] == "--seconds") {
      arguments.seconds = seconds_above_zero(value);
    } else if (words[i - 1] == "--bytes") {
      arguments.bytes = whole_number(value, 1, most_bytes);
    } else {
      throw std::invalid_argument("unknown option " + words[i - 1]);
    }
  }
  constexpr std::array<std::string_view, 3> measurements{"ping-pong", "relay", "at-work"};
  if (plain.size() < 3 || std::ranges::find(measurements, plain[0]) == measurements.end() || arguments.folder.empty()) {
    throw std::invalid_argument("needs what to measure, a cluster file, a size and --hosts");
  }
  arguments.what = plain[0];
  arguments.cluster = plain[1];
  std::transform(plain.begin() + 2, plain.end(), std::back_inserter(arguments.sizes),
                 [](const std::string& word) { return whole_number(word, 1, most_bytes); });
  return arguments;
}

std::vector<HostIndex> line_of(const Cluster& cluster) {
  const Tree tree = linear_tree(cluster, block_placement(cluster, 1), 0);
  std::vector<HostIndex> line{tree.root};
  while (!tree.children[line.back()].empty()) {
    line.push_back(tree.children[line.back()].front());
  }
  return line;
}

/// What the processes on the hosts have used so far, in processor seconds.
double used_s() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void report(const char* name, std::uint64_t size, double theory_s,
            const std::function<std::vector<double>()>& repetitions) {
  const double used_before_s = used_s();
  const double start_s = fabric::probe::now_s();
  const std::vector<double> seconds = repetitions();
  std::printf("{\"%s_bytes\": %llu, \"theory_s\": %.9g, \"cpu_s\": %.9g, \"wall_s\": %.9g, \"seconds\": [", name,
              static_cast<unsigned long long>(size), theory_s, used_s() - used_before_s,
              fabric::probe::now_s() - start_s);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    std::printf("%s%.9g", i > 0 ? ", " : "", seconds[i]);
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

void measure(const Arguments& arguments) {
  const Cluster cluster = read_cluster(arguments.cluster);
  const fabric::Network network(cluster, arguments.rate_bps);
  const fabric::probe::Lab lab{cluster, arguments.folder};
  const std::vector<HostIndex> line = line_of(cluster);
  if (line.size() < 2) {
    throw std::invalid_argument(arguments.cluster + ": one host alone has no network to measure");
  }
  for (const std::uint64_t size : arguments.sizes) {
    if (arguments.what == "at-work") {
      const double period_s =
          fabric::relay_s(network, line, 2 * size, size) - fabric::relay_s(network, line, size, size);
      const fabric::probe::Exchanged all =
          fabric::probe::all_at_work(lab, line, size, arguments.messages, arguments.seconds);
      std::printf("{\"message_bytes\": %llu, \"period_s\": %.9g, \"hops\": %.9g, \"seconds\": %.9g}\n",
                  static_cast<unsigned long long>(size), period_s, all.hops, all.seconds);
    } else if (arguments.what == "relay") {
      report("segment", size, fabric::relay_s(network, line, arguments.bytes, size),
             [&] { return fabric::probe::relay(lab, line, arguments.bytes, size, arguments.repetitions); });
    } else {
      report("message", size, fabric::one_way_s(network, line[0], line[1], size),
             [&] { return fabric::probe::ping_pong(lab, line[0], line[1], size, arguments.repetitions); });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  try {
    measure(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "trunkline-probe: %s\n%s", error.what(), usage);
    return 2;
  } catch (const FaultyFile& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trunkline-probe: %s\n", error.what());
    return 1;
  }
}
