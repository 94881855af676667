// SPDX-License-Identifier: Apache-2.0
#include "learn/learned_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "algorithms/registry.hpp"
#include "text/fnv.hpp"
#include "text/hostlist.hpp"
#include "text/quantity.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

constexpr std::string_view learned_format = "learned/1";
/// As whole_number() reads it.
constexpr std::uint64_t most_counted = std::numeric_limits<std::uint32_t>::max() - 1;

std::uint32_t as_count(std::uint64_t calls) { return static_cast<std::uint32_t>(std::min(calls, most_counted)); }

using Seconds = std::chrono::sys_seconds;
const Seconds end_of_time = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1);

/// Nothing where it is none such as utc_text() writes.
std::optional<std::int64_t> utc_of(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  const bool is_formed = text.size() == form.size() && std::ranges::equal(text, form, [](char letter, char wanted) {
                           return wanted == '0' ? is_digit(letter) : letter == wanted;
                         });
  if (!is_formed) return std::nullopt;
  const auto at = [&](std::size_t place, std::size_t digits) {
    return static_cast<unsigned>(number(text.substr(place, digits)));
  };
  const auto day =
      std::chrono::year(static_cast<int>(at(0, 4))) / std::chrono::month(at(5, 2)) / std::chrono::day(at(8, 2));
  const bool is_time = day.ok() && at(11, 2) < 24 && at(14, 2) < 60 && at(17, 2) < 60;
  if (!is_time || day.year() < std::chrono::year(1970)) return std::nullopt;
  const Seconds found = std::chrono::sys_days(day) + std::chrono::hours(at(11, 2)) + std::chrono::minutes(at(14, 2)) +
                        std::chrono::seconds(at(17, 2));
  return found.time_since_epoch().count();
}

class LearnedReader {
 public:
  explicit LearnedReader(Faults& faults) : faults_(faults) {}

  Learned read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 11> keys{
        "trunkline", "cluster", "cluster_fingerprint", "mpi",        "mpi_version", "build",
        "hosts",     "ranks",   "placement",           "conditions", "entries"};
    check_keys(root, keys, faults_);
    AlikeJobs& jobs = learned_.jobs;
    jobs = {.cluster = required_text(root, "cluster", "cyclic", faults_),
            .cluster_fingerprint = digest(root, "cluster_fingerprint"),
            .mpi = required_text(root, "mpi", "mpich", faults_),
            .mpi_version = required_text(root, "mpi_version", "\"4.0.2\"", faults_),
            .build = digest(root, "build"),
            .hosts = count(root, "hosts", 1),
            .ranks = count(root, "ranks", 1),
            .placement = digest(root, "placement"),
            .conditions = digest(root, "conditions")};
    for (const auto& [key, text] : {std::pair("mpi", &jobs.mpi), {"mpi_version", &jobs.mpi_version}}) {
      // It is a part of the file's name.
      if (text->find('/') != std::string::npos) faults_.add(*root.find(key), quoted(*text) + " has a slash");
    }
    const YamlNode* const entries = required(root, "entries", "entries: [...], as jobs write them", faults_);
    if (entries == nullptr || !check_kind(*entries, YamlNode::Kind::sequence, "entries", "[...]", faults_)) {
      return std::move(learned_);
    }
    if (entries->items.size() > most_learned_entries) {
      faults_.add(*entries, "has " + std::to_string(entries->items.size()) + " entries; at most " +
                                std::to_string(most_learned_entries) + " are kept: leave the oldest out");
      return std::move(learned_);
    }
    for (const YamlNode& node : entries->items) entry(node);
    return std::move(learned_);
  }

 private:
  std::uint64_t digest(const YamlNode& node, std::string_view key) {
    const YamlNode* const value = required(node, key, std::string(key) + ": \"0123456789abcdef\"", faults_);
    return value != nullptr ? hexadecimal(*value, key, faults_).value_or(0) : 0;
  }

  std::uint32_t count(const YamlNode& node, std::string_view key, std::uint32_t least) {
    const YamlNode* const value = required(node, key, std::string(key) + ": 16", faults_);
    return value != nullptr ? whole_number(*value, key, least, faults_).value_or(least) : least;
  }

  double seconds(const YamlNode& node, std::string_view key) {
    const YamlNode* const value = required(node, key, std::string(key) + ": 1.2ms", faults_);
    if (value == nullptr || !check_kind(*value, YamlNode::Kind::scalar, key, "1.2ms", faults_)) return 0.0;
    try {
      const double found = parse_time(value->text);
      if (found > 0.0) return found;
      faults_.add(*value, "a call takes more than no time");
    } catch (const BadQuantity& wrong) {
      faults_.add(*value, wrong.what());
    }
    return 0.0;
  }

  /// Of an entry, or of an arm.
  void algorithm(const YamlNode& node, Collective collective, std::string& name, std::uint64_t& segment_bytes) {
    name = required_text(node, "algorithm", "linear", faults_);
    const YamlNode* const segment = node.find("segment");
    if (segment != nullptr) segment_bytes = bytes_or_zero(*segment, "segment", faults_).value_or(1);
    if (name.empty()) return;
    if (!find_algorithm(collective, name)) {
      faults_.add(*node.find("algorithm"), no_such_algorithm(collective, name));
    } else if (name == "native" && segment != nullptr) {
      faults_.add(*segment, "native takes no segment");
    } else if (name != "native" && segment_bytes == 0) {
      faults_.add(node, "the algorithm needs a segment above zero, such as segment: 1408B");
    }
  }

  void entry(const YamlNode& node) {
    static constexpr std::array<std::string_view, 13> keys{"collective", "ranks",       "placement", "root", "from",
                                                           "order",      "algorithm",   "segment",   "arms", "when",
                                                           "calls",      "trial_calls", "jobs"};
    if (!check_kind(node, YamlNode::Kind::mapping, "an entry", "{collective: bcast, ...}", faults_)) return;
    check_keys(node, keys, faults_);
    const std::string name = required_text(node, "collective", "bcast", faults_);
    const auto collective = find_collective(name);
    if (!collective) {
      if (!name.empty()) {
        faults_.add(*node.find("collective"),
                    quoted(name) + " is not a collective that is planned; known are " + collective_names());
      }
      return;
    }
    LearnedEntry read;
    AlikeCalls& like = read.like;
    like.collective = *collective;
    like.ranks = count(node, "ranks", 1);
    like.placement = digest(node, "placement");
    if (const YamlNode* const root = node.find("root")) {
      like.root = whole_number(*root, "root", 0, faults_).value_or(0);
      if (like.root >= like.ranks) faults_.add(*root, "the root is none of the ranks, which count from 0");
    }
    if (const YamlNode* const from = required(node, "from", "from: 64KiB", faults_)) {
      like.bytes = bytes_or_zero(*from, "from", faults_).value_or(0);
    }
    if (const YamlNode* const order = node.find("order")) {
      like.order = OperandOrder::by_rank;
      if (!order->is_scalar() || order->text != "by-rank") {
        faults_.add(*order, "must be by-rank, or be left out: operands in any order");
      }
    }
    algorithm(node, *collective, read.algorithm, read.segment_bytes);
    read.trial_calls = count(node, "trial_calls", 0);
    read.calls = count(node, "calls", 0);
    read.jobs = count(node, "jobs", 1);
    const std::string when = required_text(node, "when", "\"2026-11-29T15:40:24Z\"", faults_);
    if (const auto known = utc_of(when)) {
      read.when_s = *known;
    } else if (!when.empty()) {
      faults_.add(*node.find("when"), quoted(when) + " is no time in UTC, such as \"2026-11-29T15:40:24Z\"");
    }
    const YamlNode* const arms = required(node, "arms", "arms: [...], as jobs write them", faults_);
    if (arms != nullptr) all_arms(*arms, read);
    if (learned_.find(like) != nullptr) {
      faults_.add(node, "an entry for the same calls stands above; keep one");
      return;
    }
    learned_.put(std::move(read));
  }

  void all_arms(const YamlNode& node, LearnedEntry& entry) {
    if (!check_kind(node, YamlNode::Kind::sequence, "arms", "[...]", faults_)) return;
    if (node.items.size() > most_arms) {
      faults_.add(node, "has more arms than the " + std::to_string(most_arms) + " that a job tries");
      return;
    }
    const std::size_t faults_before = faults_.size();
    for (const YamlNode& one : node.items) arm(one, entry);
    if (faults_.size() != faults_before || entry.algorithm.empty()) return;
    const auto is_running = [&](const LearnedArm& arm) {
      return arm.algorithm == entry.algorithm && arm.segment_bytes == entry.segment_bytes;
    };
    if (std::ranges::none_of(entry.arms, is_running)) {
      faults_.add(node, "the algorithm that runs is none of the arms; say what its calls took");
    }
  }

  void arm(const YamlNode& node, LearnedEntry& entry) {
    static constexpr std::array<std::string_view, 6> keys{"algorithm", "segment", "calls", "median", "low", "high"};
    const std::string example = "{algorithm: native, calls: 16, median: 2ms, low: 1.9ms, high: 2.2ms}";
    if (!check_kind(node, YamlNode::Kind::mapping, "an arm", example, faults_)) return;
    check_keys(node, keys, faults_);
    LearnedArm read;
    algorithm(node, entry.like.collective, read.algorithm, read.segment_bytes);
    read.calls = count(node, "calls", 1);
    read.median_s = seconds(node, "median");
    read.low_s = seconds(node, "low");
    read.high_s = seconds(node, "high");
    const bool is_ascending = read.low_s <= read.median_s && read.median_s <= read.high_s;
    if (read.median_s > 0.0 && read.high_s > 0.0 && !is_ascending) {
      faults_.add(node, "low must not be above median, nor median above high");
    }
    entry.arms.push_back(std::move(read));
  }

  Faults& faults_;
  Learned learned_;
};

std::string segment_text(std::uint64_t bytes) { return bytes != 0 ? format_bytes(bytes) : ""; }

void append_entry(std::string& out, const LearnedEntry& entry) {
  const auto line = [&](std::string_view key, const std::string& value) {
    out.append("    ").append(key).append(": ").append(value).append("\n");
  };
  const CollectiveFacts& facts = facts_of(entry.like.collective);
  out += "  - collective: " + std::string(facts.name) + "\n";
  line("ranks", std::to_string(entry.like.ranks));
  line("placement", quoted(hexadecimal(entry.like.placement)));
  if (entry.like.root != 0 || facts.has_root) line("root", std::to_string(entry.like.root));
  line("from", format_bytes(entry.like.bytes));
  if (entry.like.order == OperandOrder::by_rank) line("order", "by-rank");
  line("algorithm", entry.algorithm);
  if (entry.segment_bytes != 0) line("segment", segment_text(entry.segment_bytes));
  line("trial_calls", std::to_string(entry.trial_calls));
  line("calls", std::to_string(entry.calls));
  line("jobs", std::to_string(entry.jobs));
  line("when", quoted(utc_text(entry.when_s)));
  out += "    arms:\n";
  for (const LearnedArm& arm : entry.arms) {
    out += "      - {algorithm: " + arm.algorithm;
    if (arm.segment_bytes != 0) out += ", segment: " + segment_text(arm.segment_bytes);
    out += ", calls: " + std::to_string(arm.calls) + ", median: " + format_time(arm.median_s) +
           ", low: " + format_time(arm.low_s) + ", high: " + format_time(arm.high_s) + "}\n";
  }
}

/// A few calls of a short job say less than what is known.
void merge_arm(LearnedEntry& entry, const Arm& arm, const Samples& samples) {
  if (samples.count() == 0) return;
  auto known = std::ranges::find_if(entry.arms, [&](const LearnedArm& one) {
    return one.algorithm == arm.algorithm && one.segment_bytes == arm.segment_bytes;
  });
  if (known == entry.arms.end()) {
    if (entry.arms.size() == most_arms) return;
    known = entry.arms.insert(entry.arms.end(),
                              LearnedArm{.algorithm = std::string(arm.algorithm), .segment_bytes = arm.segment_bytes});
  }
  if (!samples.are_enough() && known->calls > samples.count()) return;
  known->calls = as_count(samples.count());
  // Four digits, and no time that a file says is none.
  const auto kept = [](double seconds) { return parse_time(format_short_time(std::max(seconds, 1e-9))); };
  known->median_s = kept(samples.median());
  known->low_s = kept(samples.are_enough() ? samples.lower() : samples.least_s());
  known->high_s = kept(samples.are_enough() ? samples.upper() : samples.most_s());
}

}  // namespace

std::uint64_t AlikeJobs::digest() const {
  std::string text = hexadecimal(cluster_fingerprint) + " " + mpi + " " + mpi_version + " " + hexadecimal(build);
  text += " " + std::to_string(hosts) + " " + std::to_string(ranks);
  return hash(text + " " + hexadecimal(placement) + " " + hexadecimal(conditions));
}

std::string AlikeJobs::file_name() const { return mpi + "-" + mpi_version + "-" + hexadecimal(digest()) + ".yaml"; }

const LearnedArm& LearnedEntry::runs() const {
  return *std::ranges::find_if(
      arms, [&](const LearnedArm& arm) { return arm.algorithm == algorithm && arm.segment_bytes == segment_bytes; });
}

bool LearnedEntry::is_due() const {
  return static_cast<double>(calls) * part_of_native >= static_cast<double>(std::max(trial_calls, 1U));
}

const LearnedEntry* Learned::find(const AlikeCalls& like) const {
  const auto found = std::ranges::lower_bound(entries, like, {}, &LearnedEntry::like);
  return found != entries.end() && found->like == like ? &*found : nullptr;
}

void Learned::put(LearnedEntry entry) {
  const auto at = std::ranges::lower_bound(entries, entry.like, {}, &LearnedEntry::like);
  if (at != entries.end() && at->like == entry.like) {
    *at = std::move(entry);
    return;
  }
  entries.insert(at, std::move(entry));
  if (entries.size() > most_learned_entries) {
    entries.erase(std::ranges::min_element(entries, {}, &LearnedEntry::when_s));
  }
}

void Learned::put_after(const LearnedEntry& before, const std::optional<LearnedEntry>& entry) {
  const auto what = [](const LearnedEntry& one) {
    return std::tuple(std::string_view(one.algorithm), one.segment_bytes, one.trial_calls);
  };
  const LearnedEntry* const now = find(before.like);
  if (now != nullptr && what(*now) != what(before)) return;
  if (!entry) {
    std::erase_if(entries, [&](const LearnedEntry& one) { return one.like == before.like; });
    return;
  }
  LearnedEntry added = *entry;
  if (now != nullptr && entry->calls >= before.calls) {
    added.calls = as_count(std::uint64_t{now->calls} + (entry->calls - before.calls));
    added.jobs = as_count(std::uint64_t{now->jobs} + (entry->jobs - before.jobs));
  }
  put(std::move(added));
}

void Learned::merge(const Learned& other) {
  for (const LearnedEntry& entry : other.entries) {
    const LearnedEntry* const own = find(entry.like);
    if (own == nullptr || own->when_s < entry.when_s) put(entry);
  }
}

std::uint64_t placement_digest(const Cluster& cluster, const Placement& placement) {
  std::string text;
  std::unordered_map<HostIndex, std::size_t> hosts;
  std::unordered_map<NodeId, std::size_t> nodes;
  const auto add = [&](std::size_t number) { text += std::to_string(number) + " "; };
  for (const HostIndex host : placement) {
    const auto [known, is_new] = hosts.emplace(host, hosts.size());
    add(known->second);
    if (!is_new) continue;
    // In a tree the ways from one host to all others are all the links between them.
    if (cluster.routes() != nullptr) text += "host " + std::to_string(host) + " ";
    for (const ChannelId channel : cluster.path(cluster.hosts()[placement.front()], cluster.hosts()[host])) {
      add(nodes.emplace(cluster.channel_to(channel), nodes.size()).first->second);
      add(cluster.link_of(channel).width);
      for (const ChannelId way : {channel, channel ^ 1U}) {
        text += format_rate(cluster.way(way).rate_bps) + " " + format_time(cluster.way(way).latency_s) + " ";
      }
    }
  }
  return hash(text);
}

std::optional<std::size_t> arm_of(const LearnedEntry& entry, const std::vector<Arm>& arms) {
  std::optional<std::size_t> found;
  for (std::size_t at = 0; at < arms.size(); ++at) {
    if (arms[at].algorithm != entry.algorithm) continue;
    if (!found || arms[at].segment_bytes == entry.segment_bytes) found = at;
  }
  return found;
}

std::optional<LearnedEntry> learned_from(const Trials& trials, const AlikeCalls& like, const LearnedEntry* before,
                                         std::int64_t now_s) {
  const bool is_as_before = before != nullptr && trials.is_known();
  const bool is_new = trials.is_settled() && trials.trial_calls() > 0 && trials.samples(trials.runs()).count() > 0;
  if (!is_as_before && !is_new) return std::nullopt;
  LearnedEntry entry;
  const Arm& runs = trials.arms()[trials.runs()];
  if (is_as_before) {
    entry = *before;
    entry.calls = as_count(before->calls + trials.calls());
    entry.jobs = as_count(before->jobs + std::uint64_t{1});
  } else {
    entry = {.like = like,
             .algorithm = std::string(runs.algorithm),
             .segment_bytes = runs.segment_bytes,
             .trial_calls = as_count(trials.trial_calls()),
             .calls = as_count(trials.calls() - trials.settled_after()),
             .jobs = 1};
  }
  entry.when_s = std::clamp<std::int64_t>(now_s, 0, end_of_time.time_since_epoch().count() - 1);
  for (std::size_t arm = 0; arm < trials.arms().size(); ++arm) {
    merge_arm(entry, trials.arms()[arm], trials.samples(arm));
  }
  return entry;
}

Learned parse_learned(std::string_view yaml, const std::string& file) {
  if (yaml.size() > most_learned_bytes) {
    Faults faults(file);
    faults.add_whole("is larger than " + format_bytes(most_learned_bytes) + ", more than what jobs keep");
    faults.throw_if_any();
  }
  return read_document(yaml, learned_format, file,
                       [](const YamlNode& root, Faults& faults) { return LearnedReader(faults).read(root); });
}

Learned read_learned(const std::string& path) { return parse_learned(read_text_file(path), path); }

std::string write_learned(const Learned& learned) {
  const AlikeJobs& jobs = learned.jobs;
  std::string out = "trunkline: " + std::string(learned_format) + "\n";
  out += "cluster: " + yaml_scalar(jobs.cluster) + "\n";
  out += "cluster_fingerprint: " + quoted(hexadecimal(jobs.cluster_fingerprint)) + "\n";
  out += "mpi: " + yaml_scalar(jobs.mpi) + "\n";
  out += "mpi_version: " + quoted(jobs.mpi_version) + "\n";
  out += "build: " + quoted(hexadecimal(jobs.build)) + "\n";
  out += "hosts: " + std::to_string(jobs.hosts) + "\n";
  out += "ranks: " + std::to_string(jobs.ranks) + "\n";
  out += "placement: " + quoted(hexadecimal(jobs.placement)) + "\n";
  out += "conditions: " + quoted(hexadecimal(jobs.conditions)) + "\n";
  out += learned.entries.empty() ? "entries: []\n" : "entries:\n";
  for (const LearnedEntry& entry : learned.entries) append_entry(out, entry);
  return out;
}

std::string utc_text(std::int64_t seconds) {
  const Seconds at{std::chrono::seconds(seconds)};
  const auto days = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day day(days);
  const std::chrono::hh_mm_ss time(at - days);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

}  // namespace trunkline
