// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "model/measured/measurement.hpp"
#include "text/quantity.hpp"
#include "text/text_file.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view measurement_format = "measurement/1";

class MeasurementReader {
 public:
  explicit MeasurementReader(Faults& faults) : faults_(faults) {}

  Measurement read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 11> keys{
        "trunkline", "provenance", "date",      "cluster",  "cluster_fingerprint", "mpi", "mpi_version",
        "distances", "relay",      "datagrams", "combining"};
    check_keys(root, keys, faults_);
    Measurement read;
    read.provenance = optional_text(root, "provenance", "trunkline measure", faults_);
    read.date = required_text(root, "date", "\"2026-01-31\"", faults_);
    read.cluster = required_text(root, "cluster", "cyclic", faults_);
    if (const YamlNode* node =
            required(root, "cluster_fingerprint", "cluster_fingerprint: \"0123456789abcdef\"", faults_)) {
      read.cluster_fingerprint = hexadecimal(*node, "cluster_fingerprint", faults_).value_or(0);
    }
    read.mpi = required_text(root, "mpi", "mpich", faults_);
    read.mpi_version = required_text(root, "mpi_version", "\"4.0.2\"", faults_);
    const YamlNode* distances =
        required(root, "distances", "distances: [...], as 'trunkline measure' writes them", faults_);
    if (distances != nullptr && check_kind(*distances, Kind::sequence, "distances", "[...]", faults_)) {
      if (distances->items.empty())
        faults_.add(*distances, "distances is empty; measure again with 'trunkline measure'");
      for (const YamlNode& node : distances->items) distance(node, read);
    }
    if (const YamlNode* node = root.find("relay")) relay(*node, read);
    if (const YamlNode* node = root.find("datagrams")) datagrams(*node, read);
    if (const YamlNode* node = root.find("combining")) combining(*node, read);
    return read;
  }

 private:
  void distance(const YamlNode& node, Measurement& measurement) {
    static constexpr std::array<std::string_view, 4> keys{"channels", "between", "eager_limit", "points"};
    if (!check_kind(node, Kind::mapping, "a distance", "{channels: 2, ...}", faults_)) return;
    check_keys(node, keys, faults_);
    MeasuredDistance read;
    if (const YamlNode* value = required(node, "channels", "channels: 2", faults_)) {
      read.channels = whole_number(*value, "channels", 0, faults_).value_or(0);
      if (!measurement.distances.empty() && read.channels <= measurement.distances.back().channels) {
        faults_.add(*value, "distances must stand in the order of their channels, each once");
      }
    }
    two_hosts(node, read);
    if (const YamlNode* value = required(node, "eager_limit", "eager_limit: 8KiB", faults_)) {
      read.eager_bytes = bytes_or_zero(*value, "eager_limit", faults_).value_or(0);
    }
    points(node, read.points,
           std::to_array<Times<MeasuredPoint>>({{"round_trip", &MeasuredPoint::round_trip_s},
                                                {"gap", &MeasuredPoint::gap_s},
                                                {"send", &MeasuredPoint::send_s, true},
                                                {"receive", &MeasuredPoint::receive_s, true}}));
    measurement.distances.push_back(std::move(read));
  }

  void relay(const YamlNode& node, Measurement& measurement) {
    static constexpr std::array<std::string_view, 2> keys{"ranks", "points"};
    if (!check_kind(node, Kind::mapping, "relay", "{ranks: 32, ...}", faults_)) return;
    check_keys(node, keys, faults_);
    MeasuredRelay& read = measurement.relay.emplace();
    if (const YamlNode* value = required(node, "ranks", "ranks: 32", faults_)) {
      read.ranks = whole_number(*value, "ranks", 3, faults_).value_or(3);
    }
    points(node, read.points, std::to_array<Times<RelayPoint>>({{"gap", &RelayPoint::gap_s}}));
  }

  void datagrams(const YamlNode& node, Measurement& measurement) {
    static constexpr std::array<std::string_view, 2> keys{"between", "points"};
    if (!check_kind(node, Kind::mapping, "datagrams", "{between: [h0, h1], ...}", faults_)) return;
    check_keys(node, keys, faults_);
    MeasuredDatagrams& read = measurement.datagrams.emplace();
    two_hosts(node, read);
    points(node, read.points,
           std::to_array<Times<DatagramPoint>>(
               {{"send", &DatagramPoint::send_s}, {"receive", &DatagramPoint::receive_s}}));
  }

  void combining(const YamlNode& node, Measurement& measurement) {
    static constexpr std::array<std::string_view, 3> keys{"host", "ranks", "points"};
    if (!check_kind(node, Kind::mapping, "combining", "{host: h0, ...}", faults_)) return;
    check_keys(node, keys, faults_);
    MeasuredCombining& read = measurement.combining.emplace();
    read.host = required_text(node, "host", "h0", faults_);
    if (const YamlNode* value = required(node, "ranks", "ranks: 4", faults_)) {
      read.ranks = whole_number(*value, "ranks", 1, faults_).value_or(1);
    }
    points(node, read.points, std::to_array<Times<CombinePoint>>({{"time", &CombinePoint::time_s}}));
  }

  template <class Between>
  void two_hosts(const YamlNode& node, Between& read) {
    const YamlNode* between = required(node, "between", "between: [h0, h1]", faults_);
    if (between == nullptr || !check_kind(*between, Kind::sequence, "between", "[h0, h1]", faults_)) return;
    if (between->items.size() != 2 || !between->items[0].is_scalar() || !between->items[1].is_scalar()) {
      faults_.add(*between, "between must name two hosts, such as [h0, h1]");
    } else {
      read.from = between->items[0].text;
      read.to = between->items[1].text;
    }
  }

  std::vector<const YamlNode*> points_of(const YamlNode& node) {
    std::vector<const YamlNode*> all;
    const YamlNode* points = required(node, "points", "points: [{size: 1KiB, ...}]", faults_);
    if (points != nullptr && check_kind(*points, Kind::sequence, "points", "[{size: 1KiB, ...}]", faults_)) {
      if (points->items.empty()) faults_.add(*points, "points is empty; measure again with 'trunkline measure'");
      for (const YamlNode& one : points->items) all.push_back(&one);
    }
    return all;
  }

  /// The size of a point, above that of the point before it.
  std::uint64_t size_after(const YamlNode& node, std::uint64_t before) {
    const YamlNode* value = required(node, "size", "size: 1KiB", faults_);
    if (value == nullptr) return before + 1;
    const std::uint64_t bytes = bytes_or_zero(*value, "size", faults_).value_or(before + 1);
    if (bytes == 0) faults_.add(*value, "a size must be above zero");
    if (bytes != 0 && bytes <= before) {
      faults_.add(*value, "points must stand in the order of their sizes, each once");
    }
    return bytes;
  }

  /// Of a list of points: what each has besides its size and its spread.
  template <class Point>
  struct Times {
    std::string_view key;
    double Point::*seconds;
    bool may_be_zero = false;
  };

  template <class Point, std::size_t count>
  void points(const YamlNode& node, std::vector<Point>& all, const std::array<Times<Point>, count>& times) {
    for (const YamlNode* one : points_of(node)) point(*one, all, times);
  }

  template <class Point, std::size_t count>
  void point(const YamlNode& node, std::vector<Point>& all, const std::array<Times<Point>, count>& times) {
    if (!check_kind(node, Kind::mapping, "a point", "{size: 1KiB, ...}", faults_)) return;
    std::vector<std::string_view> keys{"size"};
    for (const Times<Point>& one : times) keys.push_back(one.key);
    keys.emplace_back("spread");
    check_keys(node, keys, faults_);
    const std::size_t faults_before = faults_.size();
    Point read;
    read.bytes = size_after(node, all.empty() ? 0 : all.back().bytes);
    std::string positive;
    bool is_positive = true;
    for (const auto& [key, seconds, may_be_zero] : times) {
      read.*seconds = time(node, key);
      if (may_be_zero) continue;
      positive.append(positive.empty() ? "" : " and ").append(key);
      is_positive = is_positive && read.*seconds > 0.0;
    }
    read.spread = fraction(node);
    if (faults_.size() == faults_before) {
      if (!is_positive) {
        faults_.add(node, positive + " must be above zero");
      } else {
        contradiction(node, read);
      }
    }
    all.push_back(read);
  }

  template <class Point>
  void contradiction(const YamlNode& /*node*/, const Point& /*read*/) {}

  void contradiction(const YamlNode& node, const MeasuredPoint& read) {
    if (std::max(read.send_s, read.receive_s) <= read.round_trip_s * (1.0 + read.spread)) return;
    const std::string busy = read.send_s > read.receive_s ? "send" : "receive";
    faults_.add(node, busy + " takes longer than the whole round trip: these figures contradict each other");
  }

  double time(const YamlNode& node, std::string_view key) {
    const YamlNode* value = required(node, key, std::string(key) + ": 20us", faults_);
    if (value == nullptr || !check_kind(*value, Kind::scalar, key, "20us", faults_)) return 0.0;
    try {
      return parse_time(value->text);
    } catch (const BadQuantity& bad) {
      faults_.add(*value, bad.what());
      return 0.0;
    }
  }

  double fraction(const YamlNode& node) {
    const YamlNode* value = required(node, "spread", "spread: 0.01", faults_);
    if (value == nullptr || !check_kind(*value, Kind::scalar, "spread", "0.01", faults_)) return 0.0;
    double read = 0.0;
    const char* last = value->text.data() + value->text.size();
    const auto [end, error] = std::from_chars(value->text.data(), last, read, std::chars_format::fixed);
    if (error != std::errc() || end != last || !(read >= 0.0 && read <= 1.0)) {
      faults_.add(*value, "spread must be a number from 0 to 1, such as 0.01, not " + quoted(value->text));
      return 0.0;
    }
    return read;
  }

  Faults& faults_;
};

}  // namespace

Measurement parse_measurement(std::string_view yaml, const std::string& file) {
  return read_document(yaml, measurement_format, file,
                       [](const YamlNode& root, Faults& faults) { return MeasurementReader(faults).read(root); });
}

Measurement read_measurement(const std::string& path) { return parse_measurement(read_text_file(path), path); }

std::optional<Measurement> read_named_tables(const Cluster& cluster) {
  const std::optional<NamedTables>& named = cluster.measured();
  if (!named) return std::nullopt;
  const auto refuse = [&](const std::string& what) {
    throw FaultyFile({{named->file, named->line, named->column, "measured: " + what}});
  };
  std::string text;
  try {
    text = read_text_file(named->path);
  } catch (const FaultyFile& unreadable) {
    refuse(unreadable.faults().front().text() + "; write the file with 'trunkline measure', or leave measured out");
  }
  Measurement read = parse_measurement(text, named->path);
  if (read.cluster_fingerprint != cluster.fingerprint()) {
    refuse(named->path + " was measured on " + read.cluster + ", not on " + cluster.name() +
           " as it is now; measure again with 'trunkline measure', or leave measured out");
  }
  return read;
}

}  // namespace trunkline
