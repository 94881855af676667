// SPDX-License-Identifier: Apache-2.0
// Measures the tables of the extended parameterized LogP model between ranks of each distance, and writes them.
//
//     mpiexec -n 32 trunkline-measure-MPI --cluster FILE --output net.yaml --sizes 256,1024 --noise 0.15 --budget
//     0.5 --date 2026-01-31
//
// With --pairs N it measures pairs of hosts instead, N at most, or --only h0=h8,h1=h9, and writes JSON. --least N:
// fewest samples of a figure.
//
// Started by `trunkline measure`, which knows which build belongs to which MPI. Exit status 1: too noisy, nothing
// written.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/trees/linear.hpp"
#include "combining.hpp"
#include "datagram_pair.hpp"
#include "model/measured/measured_network.hpp"
#include "model/measured/measurement.hpp"
#include "network/file/cluster_file.hpp"
#include "network/placement.hpp"
#include "pair.hpp"
#include "pairs_report.hpp"
#include "plan/tree_costs.hpp"
#include "relay.hpp"
#include "text/quantity.hpp"

namespace {

using namespace trunkline;

struct Options {
  std::string cluster;
  std::string output;
  std::string date;
  std::vector<std::uint64_t> sizes;
  double noise = 0.15;
  double budget_s = measure::Limits{}.seconds;  ///< of a figure
  std::size_t pairs = 0;                        ///< most that are measured; 0: tables instead
  std::string only;                             ///< of pairs: these
  std::size_t least = measure::Limits{}.least;  ///< samples of a figure
  double patience_s = 0.0;                      ///< for a pair
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--cluster") {
      options.cluster = value;
    } else if (name == "--output") {
      options.output = value;
    } else if (name == "--date") {
      options.date = value;
    } else if (name == "--noise") {
      options.noise = std::stod(value);
    } else if (name == "--budget") {
      options.budget_s = std::stod(value);
    } else if (name == "--pairs") {
      options.pairs = std::stoull(value);
    } else if (name == "--only") {
      options.only = value;
    } else if (name == "--least") {
      options.least = std::max<std::size_t>(std::stoull(value), 1);
    } else if (name == "--patience") {
      options.patience_s = std::stod(value);
    } else if (name == "--sizes") {
      for (std::size_t at = 0; at < value.size();) {
        std::size_t end = value.find(',', at);
        if (end == std::string::npos) end = value.size();
        options.sizes.push_back(std::stoull(value.substr(at, end - at)));
        at = end + 1;
      }
    } else {
      throw std::invalid_argument("unknown option " + name);
    }
  }
  if (options.cluster.empty() || options.output.empty() || options.sizes.empty()) {
    throw std::invalid_argument("--cluster, --output and --sizes are needed");
  }
  return options;
}

/// Each rank's host, as the preload library finds it, on every rank.
Placement hosts_of_ranks(const Cluster& cluster) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  const char* const told = std::getenv("TRUNKLINE_HOST");
  const std::string known_as = told != nullptr && *told != '\0' ? told : name;
  const auto host = cluster.find_host(known_as);
  HostIndex mine = host ? *host : no_rank;
  Placement all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, 1, MPI_UINT32_T, all.data(), 1, MPI_UINT32_T, MPI_COMM_WORLD);
  if (!host) {
    throw std::invalid_argument("host '" + known_as + "' is not in cluster " + cluster.name() +
                                ": add it there, or say which host this is with TRUNKLINE_HOST");
  }
  if (std::ranges::find(all, no_rank) != all.end()) {
    throw std::runtime_error("another rank's host is not in cluster " + cluster.name());
  }
  return all;
}

/// For each number of channels between two hosts the first two ranks that far apart.
std::map<std::uint32_t, std::pair<int, int>> pairs_by_distance(const Cluster& cluster, const Placement& hosts) {
  std::map<std::uint32_t, std::pair<int, int>> pairs;
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    for (std::size_t b = a + 1; b < hosts.size(); ++b) {
      const auto channels =
          static_cast<std::uint32_t>(cluster.path(cluster.hosts()[hosts[a]], cluster.hosts()[hosts[b]]).size());
      pairs.try_emplace(channels, static_cast<int>(a), static_cast<int>(b));
    }
  }
  return pairs;
}

/// The table of one pair; complete on its first rank. Everybody calls it.
MeasuredDistance measure_pair(std::uint32_t channels, std::pair<int, int> ranks, int rank, const Options& options) {
  MeasuredDistance distance{.channels = channels, .from = {}, .to = {}, .points = {}};
  const bool takes_part = rank == ranks.first || rank == ranks.second;
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 1 : MPI_UNDEFINED, rank, &two);
  if (takes_part) {
    measure::Pair pair(two, std::max(options.sizes.back(), std::uint64_t{1} << 20), {.seconds = options.budget_s});
    distance.eager_bytes = pair.eager_limit(std::uint64_t{1} << 20);
    for (const std::uint64_t bytes : options.sizes) distance.points.push_back(pair.point(bytes));
    MPI_Comm_free(&two);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return distance;
}

/// Moves what the first rank of a pair measured to rank 0.
void gather(MeasuredDistance& distance, int owner, int rank, std::size_t sizes) {
  if (owner == 0) return;
  constexpr int tag = 5;
  std::vector<double> flat(sizes * 6 + 1);
  if (rank == owner) {
    std::size_t at = 0;
    for (const MeasuredPoint& p : distance.points) {
      for (const double value :
           {static_cast<double>(p.bytes), p.round_trip_s, p.gap_s, p.send_s, p.receive_s, p.spread}) {
        flat[at++] = value;
      }
    }
    flat[at] = static_cast<double>(distance.eager_bytes);
    MPI_Send(flat.data(), static_cast<int>(flat.size()), MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Recv(flat.data(), static_cast<int>(flat.size()), MPI_DOUBLE, owner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < sizes; ++i) {
      const double* p = &flat[i * 6];
      distance.points.push_back({static_cast<std::uint64_t>(p[0]), p[1], p[2], p[3], p[4], p[5]});
    }
    distance.eager_bytes = static_cast<std::uint64_t>(flat.back());
  }
}

/// Longer segments than the first that takes as long only repeat the wire's rate, and take minutes on a slow network.
constexpr double long_gap_s = 0.01;

/// All ranks on the line of Algorithm 1.
MeasuredRelay measure_relay(const Cluster& cluster, const Placement& hosts, double budget_s) {
  const Tree line = linear_tree(cluster, hosts, 0);
  MeasuredRelay relay{.ranks = static_cast<std::uint32_t>(line.size()), .points = {}};
  measure::Relay all(line, {.seconds = 2 * budget_s});  // what all ranks do at once varies more
  for (const std::uint64_t segment : segment_sizes()) {
    relay.points.push_back(all.point(segment));
    double gap = relay.points.back().gap_s;
    MPI_Bcast(&gap, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);  // rank 0 says for all whether there is a longer one
    if (gap > long_gap_s) break;
  }
  return relay;
}

/// Between the nearest ranks of two hosts; empty where no two are, or datagrams do not come.
std::optional<MeasuredDatagrams> measure_datagrams(const Cluster& cluster, const Placement& hosts,
                                                   const std::map<std::uint32_t, std::pair<int, int>>& pairs, int rank,
                                                   const Options& options) {
  const auto nearest = pairs.upper_bound(0);
  if (nearest == pairs.end()) return std::nullopt;
  const auto node_of = [&](int one) { return cluster.hosts()[hosts[static_cast<std::size_t>(one)]]; };
  const NodeId from = node_of(nearest->second.first);
  const NodeId to = node_of(nearest->second.second);
  double byte_s = 0.0;
  for (const ChannelId channel : cluster.path(from, to)) byte_s = std::max(byte_s, 8.0 / cluster.way(channel).rate_bps);
  auto figures = measure::measure_datagrams(nearest->second, byte_s, {.seconds = options.budget_s});
  const std::string& first = cluster.nodes()[from].name;
  const std::string& second = cluster.nodes()[to].name;
  if (figures.why != measure::Unheard::no) {
    if (rank == 0) {
      std::fprintf(stderr, "\nmulticast datagrams from %s to %s: not measured, since %s\n", first.c_str(),
                   second.c_str(), measure::reason_of(figures.why));
    }
    return std::nullopt;
  }
  return MeasuredDatagrams{.from = first, .to = second, .points = std::move(figures.points)};
}

/// On all ranks of rank 0's host at once; empty on others.
std::optional<MeasuredCombining> measure_combining(const Cluster& cluster, const Placement& hosts, int rank,
                                                   const Options& options) {
  const bool takes_part = hosts[static_cast<std::size_t>(rank)] == hosts.front();
  MPI_Comm of_host = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 1 : MPI_UNDEFINED, rank, &of_host);
  std::optional<MeasuredCombining> measured;
  if (takes_part) {
    measured = {.host = cluster.nodes()[cluster.hosts()[hosts.front()]].name,
                .ranks = static_cast<std::uint32_t>(std::ranges::count(hosts, hosts.front())),
                .points = measure::measure_combining(of_host, {.seconds = options.budget_s})};
    MPI_Comm_free(&of_host);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return measured;
}

/// As the papers' table 2.
void print_table(const MeasuredDistance& distance) {
  const std::string eager = distance.eager_bytes == 0 ? "nothing" : "up to " + format_bytes(distance.eager_bytes);
  std::fprintf(stderr, "\n%s - %s, %u links apart; eager: %s\n", distance.from.c_str(), distance.to.c_str(),
               distance.channels, eager.c_str());
  std::fprintf(stderr, "%10s %12s %12s %12s %12s %12s %8s\n", "m", "g(m)", "RTT(m)", "L(m)", "os(m)", "or(m)",
               "spread");
  for (const MeasuredPoint& p : distance.points) {
    std::fprintf(stderr, "%10s %9.3f ms %9.3f ms %9.3f ms %9.3f ms %9.3f ms %7.1f%%\n", format_bytes(p.bytes).c_str(),
                 p.gap_s * 1e3, p.round_trip_s * 1e3, p.latency_s() * 1e3, p.send_s * 1e3, p.receive_s * 1e3,
                 p.spread * 1e2);
  }
}

void print_relay(const MeasuredRelay& relay) {
  std::fprintf(stderr, "\nall %u ranks at once, along a line\n%10s %12s %8s\n", relay.ranks, "m", "gap", "spread");
  for (const RelayPoint& p : relay.points) {
    std::fprintf(stderr, "%10s %9.3f ms %7.1f%%\n", format_bytes(p.bytes).c_str(), p.gap_s * 1e3, p.spread * 1e2);
  }
}

void print_datagrams(const Measurement& measurement) {
  const MeasuredDatagrams& datagrams = *measurement.datagrams;
  std::fprintf(stderr, "\nmulticast datagrams from %s to %s, processor time\n%10s %12s %12s %8s\n",
               datagrams.from.c_str(), datagrams.to.c_str(), "m", "send", "receive", "spread");
  for (const DatagramPoint& p : datagrams.points) {
    std::fprintf(stderr, "%10s %9.3f us %9.3f us %7.1f%%\n", format_bytes(p.bytes).c_str(), p.send_s * 1e6,
                 p.receive_s * 1e6, p.spread * 1e2);
  }
}

void print_combining(const Measurement& measurement) {
  const MeasuredCombining& combining = *measurement.combining;
  std::fprintf(stderr, "\nsums of doubles, by all %u ranks of %s at once, processor time\n%10s %12s %8s\n",
               combining.ranks, combining.host.c_str(), "m", "time", "spread");
  for (const CombinePoint& p : combining.points) {
    std::fprintf(stderr, "%10s %9.3f us %7.1f%%\n", format_bytes(p.bytes).c_str(), p.time_s * 1e6, p.spread * 1e2);
  }
  const HostCosts costs = with_combining(with_datagrams(usual_host_costs(), measurement), measurement);
  std::fprintf(stderr, "as --host-costs takes them behind a name: %s\n", datagram_costs_text(costs).c_str());
}

/// One line for each figure that is too noisy to be of use.
std::string too_noisy(const Measurement& measurement, double noise) {
  std::string text;
  const auto judge = [&](const std::string& where, const auto& point, double least_s) {
    if (point.spread <= noise && least_s > 0.0) return;
    char line[160];
    std::snprintf(line, sizeof line, "\n  %s, %s: the median is known to %.0f %% only", where.c_str(),
                  format_bytes(point.bytes).c_str(), point.spread * 100);
    text += line;
  };
  for (const MeasuredDistance& distance : measurement.distances) {
    for (const MeasuredPoint& point : distance.points) judge(distance.from + " - " + distance.to, point, point.gap_s);
  }
  if (measurement.relay) {
    for (const RelayPoint& point : measurement.relay->points) judge("all ranks on a line", point, point.gap_s);
  }
  if (measurement.combining) {
    for (const CombinePoint& point : measurement.combining->points) {
      judge("sums on " + measurement.combining->host, point, point.time_s);
    }
  }
  if (measurement.datagrams) {
    const std::string where = "datagrams from " + measurement.datagrams->from + " to " + measurement.datagrams->to;
    for (const DatagramPoint& point : measurement.datagrams->points) {
      judge(where, point, std::min(point.send_s, point.receive_s));
    }
  }
  return text;
}

/// "h0=h8,h1=h9": pairs of hosts that take part.
std::vector<HostPair> pairs_named(const Cluster& cluster, const Placement& hosts, const std::string& text) {
  const auto host = [&](const std::string& name) {
    const auto found = cluster.find_host(name);
    if (!found || std::ranges::find(hosts, *found) == hosts.end()) {
      throw std::invalid_argument("--only: no rank is on a host '" + name + "'");
    }
    return *found;
  };
  std::vector<HostPair> pairs;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("--only: '" + one + "' is no pair such as h0=h8");
    const auto [a, b] = std::minmax({host(one.substr(0, equals)), host(one.substr(equals + 1))});
    if (a == b) throw std::invalid_argument("--only: '" + one + "' is one host, not two");
    pairs.emplace_back(a, b);
    at = end + 1;
  }
  return pairs;
}

int run_pairs(const Cluster& cluster, const Placement& hosts, const Measurement& of, const Options& options, int rank) {
  if (std::ranges::count(hosts, hosts.front()) == std::ssize(hosts)) {  // all ranks know it, and end in order
    if (rank == 0) std::fputs("trunkline: all ranks are on one host: start them on two at least\n", stderr);
    return 2;
  }
  const auto figures = measure::measure_pairs(cluster, hosts,
                                              {.most_pairs = options.pairs,
                                               .only = pairs_named(cluster, hosts, options.only),
                                               .bytes = options.sizes.back(),
                                               .patience_s = options.patience_s},
                                              {.least = options.least, .seconds = options.budget_s});
  if (rank != 0) return 0;
  measure::print_pairs(cluster, figures);
  std::ofstream file(options.output);
  file << measure::pairs_json(cluster, of, options.sizes.back(), figures);
  if (!file.flush()) throw std::runtime_error("cannot write " + options.output);
  std::fprintf(stderr, "\nWritten: %s\n", options.output.c_str());
  return 0;
}

int run(const Options& options, int rank) {
  const Cluster cluster = read_cluster(options.cluster);
  const Placement hosts = hosts_of_ranks(cluster);
  Measurement measurement{.provenance = "trunkline measure " TRUNKLINE_VERSION,
                          .date = options.date,
                          .cluster = cluster.name(),
                          .cluster_fingerprint = cluster.fingerprint(),
                          .mpi = TRUNKLINE_MPI_FAMILY,
                          .mpi_version = TRUNKLINE_MPI_VERSION,
                          .distances = {},
                          .relay = {}};
  if (options.pairs > 0) return run_pairs(cluster, hosts, measurement, options, rank);
  const auto pairs = pairs_by_distance(cluster, hosts);
  if (pairs.empty()) throw std::invalid_argument("there is only one rank: start at least two");
  for (const auto& [channels, ranks] : pairs) {
    MeasuredDistance distance = measure_pair(channels, ranks, rank, options);
    gather(distance, ranks.first, rank, options.sizes.size());
    const auto name_of = [&](int one) {
      return cluster.nodes()[cluster.hosts()[hosts[static_cast<std::size_t>(one)]]].name;
    };
    distance.from = name_of(ranks.first);
    distance.to = name_of(ranks.second);
    if (rank == 0) print_table(distance);
    measurement.distances.push_back(std::move(distance));
  }
  if (hosts.size() >= 3) measurement.relay = measure_relay(cluster, hosts, options.budget_s);
  measurement.datagrams = measure_datagrams(cluster, hosts, pairs, rank, options);
  measurement.combining = measure_combining(cluster, hosts, rank, options);
  if (rank != 0) return 0;
  if (measurement.relay) print_relay(*measurement.relay);
  if (measurement.datagrams) print_datagrams(measurement);
  print_combining(measurement);
  const std::string noisy = too_noisy(measurement, options.noise);
  if (!noisy.empty()) {
    std::fprintf(stderr,
                 "\ntrunkline: too noisy to be of use, nothing is written; is something else running on these hosts or "
                 "links?%s\n(--noise accepts more than %.0f %%)\n",
                 noisy.c_str(), options.noise * 100);
    return 1;
  }
  const std::string text = write_measurement(measurement);
  static_cast<void>(parse_measurement(text, options.output));  // throws where its readers would refuse it
  std::ofstream file(options.output);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + options.output);
  std::fprintf(stderr, "\nWritten: %s\n", options.output.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int status = 0;
  try {
    status = run(read_options(argc, argv), rank);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trunkline: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
