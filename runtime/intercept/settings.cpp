// SPDX-License-Identifier: Apache-2.0
#include "intercept/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <initializer_list>
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

/// One of `words`, each with what it stands for. Throws std::invalid_argument with all of them.
template <typename Meaning>
Meaning meaning_of(std::string_view value, std::initializer_list<std::pair<std::string_view, Meaning>> words) {
  std::string text = "must be ";
  std::size_t left = words.size();
  for (const auto& [word, meaning] : words) {
    if (value == word) return meaning;
    --left;
    text.append(word).append(left > 1 ? ", " : (left == 1 ? " or " : ""));
  }
  throw std::invalid_argument(text);
}

/// Nothing where the text is no number, or one below 0.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_one = error == std::errc() && end == text.data() + text.size() && number >= Number{0};
  return is_one ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
  }
  return parts;
}

bool flag_of(std::string_view value) { return meaning_of<bool>(value, {{"0", false}, {"1", true}}); }

// What takes a setting's value: each throws std::invalid_argument, or BadQuantity, with what the value must be.

template <std::string Setup::*field>
void take_text(Setup& setup, std::string_view value) {
  setup.*field = value;
}

template <bool Setup::*field>
void take_flag(Setup& setup, std::string_view value) {
  setup.*field = flag_of(value);
}

void take_multicast(Setup& setup, std::string_view value) {
  setup.way = meaning_of<GroupWay>(
      value,
      {{"0", GroupWay::usual}, {"1", GroupWay::usual}, {"ipv6", GroupWay::ipv6}, {"broadcast", GroupWay::broadcast}});
  setup.multicasts = value != "0";
}

void take_host_memory(Setup& setup, std::string_view value) {
  setup.host_memory = meaning_of<HostMemoryWish>(
      value, {{"0", HostMemoryWish::none}, {"1", HostMemoryWish::any}, {"copies", HostMemoryWish::copied}});
}

void take_within_hosts(Setup& setup, std::string_view value) {
  setup.within_hosts = meaning_of<WithinHosts>(value, {{"plan", WithinHosts::plan}, {"arrival", WithinHosts::arrival}});
}

void take_progress(Setup& setup, std::string_view value) {
  setup.progress = meaning_of<Progress>(value, {{"calls", Progress::calls}, {"thread", Progress::thread}});
}

void take_learn(Setup& setup, std::string_view value) {
  setup.learn = meaning_of<Learn>(
      value, {{"0", Learn::none}, {"1", Learn::exact}, {"any", Learn::any}, {"only-known", Learn::only_known}});
}

void take_explain(Setup& setup, std::string_view value) {
  setup.explain = meaning_of<Explain>(value, {{"0", Explain::none}, {"1", Explain::words}, {"json", Explain::json}});
}

void take_host_costs(Setup& setup, std::string_view value) {
  static_cast<void>(host_costs_from(value, usual_host_costs()));
  setup.host_costs = value;
}

void take_patience(Setup& setup, std::string_view value) {
  const auto seconds = number_of<double>(value);
  if (!seconds || *seconds == 0.0 || *seconds > 86400.0) {
    throw std::invalid_argument("must be a number of seconds above 0, at most 86400, such as 20");
  }
  setup.patience_s = *seconds;
}

void take_trace_size(Setup& setup, std::string_view value) {
  const std::uint64_t bytes = parse_bytes(value);
  if (bytes < std::uint64_t{256} << 10 || bytes > std::uint64_t{1} << 40) {
    throw std::invalid_argument("must be between 256KiB and 1024GiB");
  }
  setup.trace_bytes = bytes;
}

void take_traced_ranks(Setup& setup, std::string_view value) {
  for (const std::string_view part : parts_of(value)) {
    const std::size_t dash = part.find('-');
    const auto first = number_of<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of<int>(part.substr(dash + 1));
    if (!first || !last || *last < *first) {
      throw std::invalid_argument("must be ranks and ranges, such as 0-7,16");
    }
    setup.traced.ranks.push_back({*first, *last});
  }
}

void take_traced_collectives(Setup& setup, std::string_view value) {
  setup.traced.collectives = 0;
  for (const std::string_view part : parts_of(value)) {
    if (const auto collective = find_collective(part)) {
      setup.traced.collectives |= 1U << static_cast<unsigned>(*collective);
      continue;
    }
    std::vector<std::string_view> names;
    names.reserve(collectives().size());
    for (const CollectiveFacts& facts : collectives()) names.push_back(facts.name);
    throw std::invalid_argument("'" + std::string(part) + "' is no collective that Trunkline plans" +
                                did_you_mean(part, names));
  }
}

void take_traced_time(Setup& setup, std::string_view value) {
  constexpr double most_s = 1e9;
  const std::size_t dash = value.find('-');
  const auto seconds_or = [](std::string_view text, double otherwise) {
    return text.empty() ? std::optional(otherwise) : number_of<double>(text);
  };
  const auto from = seconds_or(value.substr(0, dash), 0.0);
  const auto until = dash == std::string_view::npos ? std::nullopt : seconds_or(value.substr(dash + 1), most_s);
  if (!from || !until || *until <= *from || *until > most_s) {
    throw std::invalid_argument("must be seconds from and until, such as 60-120, 60- or -120");
  }
  setup.traced.from_ns = static_cast<std::uint64_t>(*from * 1e9);
  setup.traced.until_ns = static_cast<std::uint64_t>(*until * 1e9);
}

struct Setting {
  std::string_view name;
  void (*take)(Setup& setup, std::string_view value);
  std::string_view values;
  std::string_view meaning;
  bool chooses_traced = false;  ///< what of all a trace is to have
};

/// The settings, but for one of each collective. Every rank of a job must be given the same ones, except
/// TRUNKLINE_HOST.
constexpr std::array table{
    Setting{"TRUNKLINE_CLUSTER", take_text<&Setup::cluster>, "NAME or FILE",
            "the cluster the ranks run on: a bundled one, or a cluster file"},
    Setting{"TRUNKLINE_PLAN", take_text<&Setup::plan>, "FILE",
            "a plan, or a set of them, for every communicator, root and size that they fit"},
    Setting{"TRUNKLINE_TUNING", take_text<&Setup::tuning>, "FILE",
            "what 'trunkline tune' measured to be fastest on this cluster with this MPI"},
    Setting{"TRUNKLINE_REPRODUCIBLE", take_flag<&Setup::reproducible>, "0 or 1",
            "reductions combine operands in one order for messages of every size; default 0"},
    Setting{"TRUNKLINE_MULTICAST", take_multicast, "0, 1, ipv6 or broadcast",
            "whether auto and tuning files may take multicasts, and how datagrams reach all hosts; default 1"},
    Setting{
        "TRUNKLINE_HOST_MEMORY", take_host_memory, "0, 1 or copies",
        "whether ranks of one host hand data on in memory that they share; copies: but none reads another one's own "
        "memory; default 1"},
    Setting{
        "TRUNKLINE_WITHIN_HOSTS", take_within_hosts, "plan or arrival",
        "how ranks of one host combine short allreduces along one tree: between the ranks that the plan says, or in "
        "memory as they come; default plan"},
    Setting{
        "TRUNKLINE_PROGRESS", take_progress, "calls or thread",
        "what goes on with calls that do not block: the program's calls of MPI, or a thread, too, where the program "
        "has MPI_THREAD_MULTIPLE; default calls"},
    Setting{"TRUNKLINE_HOST", take_text<&Setup::host>, "NAME",
            "this rank's host in the cluster file; default: the processor's name"},
    Setting{"TRUNKLINE_MEASURED", take_text<&Setup::measured>, "FILE",
            "what 'trunkline measure' found on this cluster with this MPI"},
    Setting{"TRUNKLINE_HOST_COSTS", take_host_costs,
            "free, mpich, mpich-5 or openmpi; shared=TIME,shared-byte=TIME; or both with commas",
            "what predictions take messages to cost their hosts; default: what was measured with this library"},
    Setting{"TRUNKLINE_PATIENCE", take_patience, "SECONDS",
            "how long MPI_Init waits for ranks that have not loaded the library; default 20"},
    Setting{"TRUNKLINE_FOLLOW", take_flag<&Setup::follow>, "0 or 1",
            "take the cluster file and the plan file anew when they change while the job runs; default 0"},
    Setting{
        "TRUNKLINE_LEARN", take_learn, "0, 1, any or only-known",
        "whether calls try out what is fastest while the job runs; 1: those whose result no order of operands "
        "changes; any: the others too; only-known: nothing is tried, and what earlier jobs have found runs; default "
        "0"},
    Setting{"TRUNKLINE_LEARNED", take_text<&Setup::learned>, "FOLDERS or 0",
            "where jobs that learn keep what they find: in the first of these folders, with colons between, and jobs "
            "to come read it from all; 0: nowhere; default: trunkline/learned in the user's cache, and "
            "/etc/trunkline/learned"},
    Setting{"TRUNKLINE_EXPLAIN", take_explain, "0, 1 or json",
            "say which algorithm ran for which call, and why; json: in a line for each call, for programs; default 0"},
    Setting{"TRUNKLINE_SUMMARY", take_text<&Setup::summary>, "1, FILE or FOLDER",
            "what the job's calls came to, at its end: on standard error, or as JSON in a file, or in one of its own"},
    Setting{"TRUNKLINE_TRACE", take_text<&Setup::trace>, "FOLDER",
            "leave a trace of what happens inside every collective call there"},
    Setting{"TRUNKLINE_TRACE_SIZE", take_trace_size, "SIZE",
            "of each rank's trace file, which keeps the latest events; default 32MiB"},
    Setting{"TRUNKLINE_TRACE_RANKS", take_traced_ranks, "RANKS", "that leave a trace, such as 0-7,16; default all",
            true},
    Setting{"TRUNKLINE_TRACE_COLLECTIVES", take_traced_collectives, "NAMES",
            "that are traced, such as allreduce,bcast; default all", true},
    Setting{"TRUNKLINE_TRACE_TIME", take_traced_time, "FROM-UNTIL",
            "seconds after MPI_Init between which calls are traced; default all", true},
    Setting{"TRUNKLINE_TRACE_START", [](Setup& setup, std::string_view value) { setup.traced.starts = flag_of(value); },
            "0 or 1",
            "0: calls are traced once the program says so, by MPI_Pcontrol(1) or trunkline_trace(1); default 1", true},
    Setting{"TRUNKLINE_STRICT", take_flag<&Setup::strict>, "0 or 1",
            "end the job where the library would warn and run natively; default 0"},
    Setting{"TRUNKLINE_DISABLE", take_flag<&Setup::disable>, "0 or 1",
            "change nothing at all; wins over everything else; default 0"},
};

constexpr std::string_view prefix = "TRUNKLINE_";
/// Variables of other parts of Trunkline: the lab, the build and its tests.
constexpr std::string_view lab_prefix = "TRUNKLINE_LAB_";
constexpr std::array<std::string_view, 2> of_the_build{"TRUNKLINE_MPICC", "TRUNKLINE_BUILD"};

constexpr const char* wish_values = "auto, native or NAME[:SEGMENT]";
constexpr const char* wish_meaning =
    " runs, on every communicator; SEGMENT in bytes or with a unit (4KiB); default auto";

/// TRUNKLINE_BCAST for bcast.
std::string setting_of(const CollectiveFacts& facts) {
  std::string name(prefix);
  for (const char letter : facts.name)
    name += letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

/// Null where the setting is none that says what a collective runs.
const CollectiveFacts* collective_of(std::string_view setting) {
  const auto facts =
      std::ranges::find_if(collectives(), [&](const CollectiveFacts& each) { return setting_of(each) == setting; });
  return facts != collectives().end() ? &*facts : nullptr;
}

class Reader {
 public:
  void take(std::string_view name, std::string_view value) {
    const CollectiveFacts* const wished = collective_of(name);
    const auto* const setting = std::ranges::find(table, name, &Setting::name);
    if (wished == nullptr && setting == table.end()) return refuse(name);
    if (value.empty()) return;
    try {
      if (wished != nullptr) {
        setup_.wishes[static_cast<std::size_t>(wished->collective)] = parse_wish(wished->collective, value);
        return;
      }
      setting->take(setup_, value);
      if (setting->chooses_traced) trace_choice_ = std::string(name) + "=" + std::string(value);
    } catch (const std::invalid_argument& wrong) {
      add_fault(name, value, wrong);
    } catch (const BadQuantity& wrong) {
      add_fault(name, value, wrong);
    }
  }

  Setup finish() {
    if (setup_.disable) return {.disable = true};
    for (const CollectiveFacts& facts : collectives()) {
      const Wish& wish = setup_.wishes[static_cast<std::size_t>(facts.collective)];
      const std::string given = setting_of(facts) + "=" + std::string(wish.algorithm);
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
    if (setup_.learn == Learn::only_known && setup_.learned == "0") {
      faults_.emplace_back(
          "TRUNKLINE_LEARN=only-known runs what is kept, and TRUNKLINE_LEARNED=0 keeps nothing: set one of the two");
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
  void add_fault(std::string_view name, std::string_view value, const std::exception& wrong) {
    faults_.push_back(std::string(name) + "=" + std::string(value) + ": " + wrong.what());
  }

  /// There is no setting of that name.
  void refuse(std::string_view name) {
    std::vector<std::string> names;
    names.reserve(table.size() + collectives().size());
    for (const Setting& setting : table) names.emplace_back(setting.name);
    for (const CollectiveFacts& facts : collectives()) names.push_back(setting_of(facts));
    const std::vector<std::string_view> views(names.begin(), names.end());
    faults_.push_back(std::string(name) + " is no setting of Trunkline" + did_you_mean(name, views));
    list_settings_ = true;
  }

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

  static std::string listed() {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view values, const std::string& meaning) {
      text.append("\n  ").append(name).append(": ").append(values).append("; ").append(meaning);
    };
    for (const Setting& setting : table) add(setting.name, setting.values, std::string(setting.meaning));
    for (const CollectiveFacts& facts : collectives()) {
      add(setting_of(facts), wish_values, "what " + std::string(facts.mpi_name) + wish_meaning);
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
