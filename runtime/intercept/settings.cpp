// SPDX-License-Identifier: Apache-2.0
#include "intercept/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/transfer/host_costs.hpp"
#include "text/quantity.hpp"
#include "text/spelling.hpp"

namespace trunkline::runtime {
namespace {

struct Setting {
  std::string_view name;
  std::string_view values;
  std::string_view meaning;
};

/// The settings, but for one of each collective. Every rank of a job must be given the same ones, except
/// TRUNKLINE_HOST.
constexpr std::array table{
    Setting{"TRUNKLINE_CLUSTER", "NAME or FILE", "the cluster the ranks run on: a bundled one, or a cluster file"},
    Setting{"TRUNKLINE_PLAN", "FILE", "a plan, or a set of them, for every communicator, root and size that they fit"},
    Setting{"TRUNKLINE_TUNING", "FILE", "what 'trunkline tune' measured to be fastest on this cluster with this MPI"},
    Setting{"TRUNKLINE_REPRODUCIBLE", "0 or 1",
            "reductions combine operands in one order for messages of every size; default 0"},
    Setting{"TRUNKLINE_MULTICAST", "0, 1, ipv6 or broadcast",
            "whether auto and tuning files may take multicasts, and how datagrams reach all hosts; default 1"},
    Setting{
        "TRUNKLINE_HOST_MEMORY", "0, 1 or copies",
        "whether ranks of one host hand data on in memory that they share; copies: but none reads another one's own "
        "memory; default 1"},
    Setting{
        "TRUNKLINE_WITHIN_HOSTS", "plan or arrival",
        "how ranks of one host combine short allreduces along one tree: between the ranks that the plan says, or in "
        "memory as they come; default plan"},
    Setting{"TRUNKLINE_HOST", "NAME", "this rank's host in the cluster file; default: the processor's name"},
    Setting{"TRUNKLINE_MEASURED", "FILE", "what 'trunkline measure' found on this cluster with this MPI"},
    Setting{"TRUNKLINE_HOST_COSTS",
            "free, mpich, mpich-5 or openmpi; shared=TIME,shared-byte=TIME; or both with commas",
            "what predictions take messages to cost their hosts; default: what was measured with this library"},
    Setting{"TRUNKLINE_PATIENCE", "SECONDS",
            "how long MPI_Init waits for ranks that have not loaded the library; default 20"},
    Setting{"TRUNKLINE_FOLLOW", "0 or 1", "take the cluster file anew when it changes while the job runs; default 0"},
    Setting{"TRUNKLINE_EXPLAIN", "0 or 1", "say which algorithm ran for which call, and why; default 0"},
    Setting{"TRUNKLINE_TRACE", "FOLDER", "leave a trace of what happens inside every collective call there"},
    Setting{"TRUNKLINE_TRACE_SIZE", "SIZE", "of each rank's trace file, which keeps the latest events; default 32MiB"},
    Setting{"TRUNKLINE_TRACE_RANKS", "RANKS", "that leave a trace, such as 0-7,16; default all"},
    Setting{"TRUNKLINE_TRACE_COLLECTIVES", "NAMES", "that are traced, such as allreduce,bcast; default all"},
    Setting{"TRUNKLINE_TRACE_TIME", "FROM-UNTIL", "seconds after MPI_Init between which calls are traced; default all"},
    Setting{"TRUNKLINE_TRACE_START", "0 or 1",
            "0: calls are traced once the program says so, by MPI_Pcontrol(1) or trunkline_trace(1); default 1"},
    Setting{"TRUNKLINE_STRICT", "0 or 1", "end the job where the library would warn and run natively; default 0"},
    Setting{"TRUNKLINE_DISABLE", "0 or 1", "change nothing at all; wins over everything else; default 0"},
};

constexpr std::string_view prefix = "TRUNKLINE_";
/// Variables of other parts of Trunkline: the lab, the build and its tests.
constexpr std::string_view lab_prefix = "TRUNKLINE_LAB_";
constexpr std::array<std::string_view, 2> of_the_build{"TRUNKLINE_MPICC", "TRUNKLINE_BUILD"};

constexpr const char* wish_values = "auto, native or NAME[:SEGMENT]";
constexpr const char* wish_meaning =
    " runs, on every communicator; SEGMENT in bytes or with a unit (4KiB); default auto";

/// TRUNKLINE_BCAST for bcast.
std::string setting_of(const CollectiveFacts& one) {
  std::string name(prefix);
  for (const char letter : one.name)
    name += letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

/// Null where the setting is none that says what a collective runs.
const CollectiveFacts* collective_of(std::string_view setting) {
  const auto found =
      std::ranges::find_if(collectives(), [&](const CollectiveFacts& one) { return setting_of(one) == setting; });
  return found != collectives().end() ? &*found : nullptr;
}

class Reader {
 public:
  void take(std::string_view name, std::string_view value) {
    const CollectiveFacts* const wished = collective_of(name);
    const bool known = wished != nullptr || std::ranges::find(table, name, &Setting::name) != table.end();
    if (value.empty() && known) return;
    const std::size_t faults = faults_.size();
    if (name == "TRUNKLINE_CLUSTER") {
      setup_.cluster = value;
    } else if (name == "TRUNKLINE_PLAN") {
      setup_.plan = value;
    } else if (name == "TRUNKLINE_TUNING") {
      setup_.tuning = value;
    } else if (wished != nullptr) {
      take_wish(*wished, name, value);
    } else if (name == "TRUNKLINE_HOST") {
      setup_.host = value;
    } else if (name == "TRUNKLINE_MEASURED") {
      setup_.measured = value;
    } else if (name == "TRUNKLINE_HOST_COSTS") {
      take_host_costs(value);
    } else if (name == "TRUNKLINE_PATIENCE") {
      setup_.patience_s = seconds(name, value);
    } else if (name == "TRUNKLINE_REPRODUCIBLE") {
      setup_.reproducible = flag(name, value);
    } else if (name == "TRUNKLINE_MULTICAST") {
      take_multicast(value);
    } else if (name == "TRUNKLINE_HOST_MEMORY") {
      take_host_memory(value);
    } else if (name == "TRUNKLINE_WITHIN_HOSTS") {
      take_within_hosts(value);
    } else if (name == "TRUNKLINE_FOLLOW") {
      setup_.follow = flag(name, value);
    } else if (name == "TRUNKLINE_EXPLAIN") {
      setup_.explain = flag(name, value);
    } else if (name == "TRUNKLINE_TRACE") {
      setup_.trace = value;
    } else if (name == "TRUNKLINE_TRACE_SIZE") {
      setup_.trace_bytes = trace_bytes(name, value);
    } else if (name == "TRUNKLINE_TRACE_RANKS") {
      take_traced_ranks(value);
    } else if (name == "TRUNKLINE_TRACE_COLLECTIVES") {
      take_traced_collectives(value);
    } else if (name == "TRUNKLINE_TRACE_TIME") {
      take_traced_time(value);
    } else if (name == "TRUNKLINE_TRACE_START") {
      setup_.traced.starts = flag(name, value);
    } else if (name == "TRUNKLINE_STRICT") {
      setup_.strict = flag(name, value);
    } else if (name == "TRUNKLINE_DISABLE") {
      setup_.disable = flag(name, value);
    } else {
      std::vector<std::string> names;
      names.reserve(table.size() + collectives().size());
      for (const Setting& setting : table) names.emplace_back(setting.name);
      for (const CollectiveFacts& one : collectives()) names.push_back(setting_of(one));
      const std::vector<std::string_view> views(names.begin(), names.end());
      faults_.push_back(std::string(name) + " is no setting of Trunkline" + did_you_mean(name, views));
      list_settings_ = true;
    }
    const bool chooses = name.starts_with("TRUNKLINE_TRACE_") && name != "TRUNKLINE_TRACE_SIZE";
    if (chooses && faults_.size() == faults) trace_choice_ = std::string(name) + "=" + std::string(value);
  }

  Setup finish() {
    if (setup_.disable) return {.disable = true};
    for (const CollectiveFacts& one : collectives()) {
      const Wish& wish = setup_.wishes[static_cast<std::size_t>(one.collective)];
      const std::string given = setting_of(one) + "=" + std::string(wish.algorithm);
      if (wish.needs_cluster && setup_.cluster.empty()) {
        faults_.push_back(given + " needs to know the switches: set TRUNKLINE_CLUSTER too");
      }
      if (setup_.reproducible && !wish.has_one_order) {
        faults_.push_back(given + " combines operands in an order that depends on the message's length, and " +
                          "TRUNKLINE_REPRODUCIBLE=1 asks for one order: take an algorithm of one tree, or auto");
      }
    }
    if (!setup_.tuning.empty() && setup_.cluster.empty()) {
      faults_.push_back("TRUNKLINE_TUNING=" + setup_.tuning + ": is about a cluster: set TRUNKLINE_CLUSTER too");
    }
    if (!setup_.measured.empty() && setup_.cluster.empty()) {
      faults_.push_back("TRUNKLINE_MEASURED=" + setup_.measured + ": is about a cluster: set TRUNKLINE_CLUSTER too");
    }
    if (setup_.follow) check_follow();
    if (setup_.within_hosts == WithinHosts::arrival) check_arrival();
    if (setup_.trace.empty() && !trace_choice_.empty()) {
      faults_.push_back(trace_choice_ + " chooses what is traced: set TRUNKLINE_TRACE too");
    }
    if (faults_.empty()) return std::move(setup_);
    std::string text;
    for (const std::string& fault : faults_) text += (text.empty() ? "" : "\ntrunkline: ") + fault;
    if (list_settings_) text += "\nThe settings are:" + listed();
    throw BadSettings(text);
  }

 private:
  void check_arrival() {
    const std::string given = "TRUNKLINE_WITHIN_HOSTS=arrival: ";
    if (setup_.reproducible) {
      faults_.push_back(given +
                        "ranks combine in the order in which they come, and TRUNKLINE_REPRODUCIBLE=1 asks for " +
                        "one order: set one of the two");
    }
    if (setup_.host_memory == HostMemoryWish::none) {
      faults_.push_back(given +
                        "ranks combine in memory that they share, and TRUNKLINE_HOST_MEMORY=0 leaves that out: " +
                        "set one of the two");
    }
    if (!setup_.trace.empty()) {
      faults_.push_back(given +
                        "ranks leave operands for the rank that comes next, and a trace (TRUNKLINE_TRACE) tells " +
                        "messages between the ranks of a plan: set one of the two");
    }
  }

  void check_follow() {
    const std::string given = "TRUNKLINE_FOLLOW=1: ";
    if (setup_.cluster.empty()) faults_.push_back(given + "is about a cluster file: set TRUNKLINE_CLUSTER too");
    for (const auto& [file, name] :
         {std::pair(&setup_.tuning, "TRUNKLINE_TUNING"), {&setup_.measured, "TRUNKLINE_MEASURED"}}) {
      if (file->empty()) continue;
      faults_.push_back(given + "what " + name + "=" + *file +
                        " says holds no longer once the network has changed: set one of the two");
    }
  }

  bool flag(std::string_view name, std::string_view value) {
    if (value != "0" && value != "1") {
      faults_.push_back(std::string(name) + "=" + std::string(value) + ": must be 0 or 1");
    }
    return value == "1";
  }

  void take_multicast(std::string_view value) {
    setup_.multicasts = value != "0";
    if (value == "ipv6") {
      setup_.way = GroupWay::ipv6;
    } else if (value == "broadcast") {
      setup_.way = GroupWay::broadcast;
    } else if (value != "0" && value != "1") {
      faults_.push_back("TRUNKLINE_MULTICAST=" + std::string(value) + ": must be 0, 1, ipv6 or broadcast");
    }
  }

  void take_host_memory(std::string_view value) {
    if (value == "0") {
      setup_.host_memory = HostMemoryWish::none;
    } else if (value == "copies") {
      setup_.host_memory = HostMemoryWish::copied;
    } else if (value != "1") {
      faults_.push_back("TRUNKLINE_HOST_MEMORY=" + std::string(value) + ": must be 0, 1 or copies");
    }
  }

  void take_within_hosts(std::string_view value) {
    if (value == "arrival") {
      setup_.within_hosts = WithinHosts::arrival;
    } else if (value != "plan") {
      faults_.push_back("TRUNKLINE_WITHIN_HOSTS=" + std::string(value) + ": must be plan or arrival");
    }
  }

  double seconds(std::string_view name, std::string_view value) {
    constexpr double most = 86400.0;
    double given = 0.0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), given);
    if (error != std::errc() || end != value.data() + value.size() || !(given > 0.0) || given > most) {
      faults_.push_back(std::string(name) + "=" + std::string(value) +
                        ": must be a number of seconds above 0, at most 86400, such as 20");
    }
    return given;
  }

  std::uint64_t trace_bytes(std::string_view name, std::string_view value) {
    constexpr std::uint64_t least = std::uint64_t{256} << 10;
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    try {
      const std::uint64_t bytes = parse_bytes(value);
      if (bytes >= least && bytes <= most) return bytes;
      faults_.push_back(std::string(name) + "=" + std::string(value) + ": must be between 256KiB and 1024GiB");
    } catch (const BadQuantity& wrong) {
      faults_.push_back(std::string(name) + "=" + std::string(value) + ": " + wrong.what());
    }
    return least;
  }

  void take_traced_ranks(std::string_view value) {
    for (const std::string_view part : parts_of(value)) {
      const std::size_t dash = part.find('-');
      const auto first = whole_number(part.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : whole_number(part.substr(dash + 1));
      if (!first || !last || *last < *first) {
        faults_.push_back("TRUNKLINE_TRACE_RANKS=" + std::string(value) + ": must be ranks and ranges, such as 0-7,16");
        return;
      }
      setup_.traced.ranks.push_back({*first, *last});
    }
  }

  void take_traced_collectives(std::string_view value) {
    setup_.traced.collectives = 0;
    for (const std::string_view part : parts_of(value)) {
      if (const auto found = find_collective(part)) {
        setup_.traced.collectives |= 1U << static_cast<unsigned>(*found);
        continue;
      }
      std::vector<std::string_view> names;
      names.reserve(collectives().size());
      for (const CollectiveFacts& one : collectives()) names.push_back(one.name);
      faults_.push_back("TRUNKLINE_TRACE_COLLECTIVES=" + std::string(value) + ": '" + std::string(part) +
                        "' is no collective that Trunkline plans" + did_you_mean(part, names));
    }
  }

  void take_traced_time(std::string_view value) {
    const std::size_t dash = value.find('-');
    const auto from = seconds_or(value.substr(0, dash), 0.0);
    const auto until = dash == std::string_view::npos ? std::nullopt : seconds_or(value.substr(dash + 1), 1e9);
    if (!from || !until || *until <= *from) {
      faults_.push_back("TRUNKLINE_TRACE_TIME=" + std::string(value) +
                        ": must be seconds from and until, such as 60-120, 60- or -120");
      return;
    }
    setup_.traced.from_ns = static_cast<std::uint64_t>(*from * 1e9);
    setup_.traced.until_ns = static_cast<std::uint64_t>(*until * 1e9);
  }

  /// Empty text: `otherwise`; no number, or one that is not at least 0: nothing.
  static std::optional<double> seconds_or(std::string_view text, double otherwise) {
    if (text.empty()) return otherwise;
    double given = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), given);
    const bool is_one = error == std::errc() && end == text.data() + text.size() && given >= 0.0 && given <= 1e9;
    return is_one ? std::optional(given) : std::nullopt;
  }

  static std::optional<int> whole_number(std::string_view text) {
    int given = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), given);
    const bool is_one = error == std::errc() && end == text.data() + text.size() && given >= 0;
    return is_one ? std::optional(given) : std::nullopt;
  }

  static std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
      comma = list.find(',');
      parts.push_back(list.substr(0, comma));
      if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
    }
    return parts;
  }

  void take_host_costs(std::string_view value) {
    try {
      static_cast<void>(host_costs_from(value, usual_host_costs()));
      setup_.host_costs = value;
    } catch (const std::invalid_argument& wrong) {
      faults_.push_back("TRUNKLINE_HOST_COSTS=" + std::string(value) + ": " + wrong.what());
    }
  }

  void take_wish(const CollectiveFacts& one, std::string_view name, std::string_view value) {
    try {
      setup_.wishes[static_cast<std::size_t>(one.collective)] = parse_wish(one.collective, value);
    } catch (const std::invalid_argument& wrong) {
      faults_.push_back(std::string(name) + "=" + std::string(value) + ": " + wrong.what());
    }
  }

  static std::string listed() {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view values, const std::string& meaning) {
      text.append("\n  ").append(name).append(": ").append(values).append("; ").append(meaning);
    };
    for (const Setting& setting : table) add(setting.name, setting.values, std::string(setting.meaning));
    for (const CollectiveFacts& one : collectives()) {
      add(setting_of(one), wish_values, "what " + std::string(one.mpi_name) + wish_meaning);
    }
    return text;
  }

  Setup setup_;
  std::vector<std::string> faults_;
  std::string trace_choice_;  ///< the last setting that chooses what is traced
  bool list_settings_ = false;
};

}  // namespace

Setup read_settings(const char* const* environment) {
  Reader reader;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || !entry.starts_with(prefix)) continue;
    const std::string_view name = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);
    if (name.starts_with(lab_prefix) || std::ranges::find(of_the_build, name) != of_the_build.end()) continue;
    reader.take(name, value);
  }
  return reader.finish();
}

}  // namespace trunkline::runtime
