// SPDX-License-Identifier: Apache-2.0
#include "weighted_graph/weights_file.hpp"

#include <array>
#include <limits>
#include <string>
#include <unordered_set>

#include "text/names.hpp"
#include "text/quantity.hpp"
#include "text/yaml_fields.hpp"
#include "text/yaml_text.hpp"

namespace trunkline {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view weights_format = "weights/1";
constexpr std::string_view no_way = "none";

/// A row a host: what leads from it to each host. Empty where no way leads.
using Matrix = std::vector<std::vector<std::optional<double>>>;

class WeightsReader {
 public:
  explicit WeightsReader(Faults& faults) : faults_(faults) {}

  WeightedNetwork read(const YamlNode& root) {
    static constexpr std::array<std::string_view, 9> keys{
        "trunkline", "name", "description", "bytes", "hosts", "weights", "injection", "rates", "injection_rates"};
    check_keys(root, keys, faults_);
    read_.name = required_text(root, "name", "two-lans", faults_);
    static_cast<void>(optional_text(root, "description", "as measured in May", faults_));
    hosts(root);
    if (read_.hosts.empty()) return std::move(read_);
    const YamlNode* const weights =
        required(root, "weights", "weights: [[none, 1.6ms], [1.6ms, none]], a row for each host", faults_);
    if (weights != nullptr) ways_ = matrix(*weights, {"weights", "1.6ms", parse_time});
    static_cast<void>(required(root, "injection", "injection: 7.3ms, or a list with a time for each host", faults_));
    const Given busy = given(root, {"injection", "7.3ms", parse_time});
    const Given rates = given(root, {"rates", "100Mbit", parse_rate});
    const Given own_rates = given(root, {"injection_rates", "100Mbit", parse_rate});
    read_.grows = rates.node != nullptr || own_rates.node != nullptr;
    size(root);
    if (!faults_.empty()) return std::move(read_);
    check_alike(busy, "injection");
    check_alike(rates, "rates");
    check_alike(own_rates, "injection_rates");
    if (faults_.empty()) edges(busy.cells, rates.cells, own_rates.cells);
    return std::move(read_);
  }

 private:
  /// What the numbers of a key are.
  struct Numbers {
    std::string_view key;
    std::string_view example;
    double (*parse)(std::string_view);
  };

  /// Of a key, in any form.
  struct Given {
    const YamlNode* node = nullptr;  ///< null: it is not there
    Matrix cells{};
  };

  Given given(const YamlNode& root, const Numbers& numbers) {
    const YamlNode* const node = root.find(numbers.key);
    return node != nullptr ? Given{.node = node, .cells = any_form(*node, numbers)} : Given{};
  }

  void hosts(const YamlNode& root) {
    const YamlNode* const node = required(root, "hosts", "hosts: [a1, a2, b1]", faults_);
    if (node == nullptr) return;
    auto names = names_of(*node, "hosts", "node[1-5]", most_weighted_hosts, faults_);
    if (!names) return;
    std::unordered_set<std::string> seen;
    for (const std::string& name : *names) {
      if (!is_valid_name(name)) {
        faults_.add(*node, "hosts: " + bad_name(name));
      } else if (!seen.insert(in_small_letters(name)).second) {
        faults_.add(*node, "hosts: " + quoted(name) + " is here a second time; keep one");
      }
    }
    read_.hosts = std::move(*names);
  }

  void size(const YamlNode& root) {
    const YamlNode* const node = root.find("bytes");
    if (node == nullptr) return;
    read_.bytes = bytes_or_zero(*node, "bytes", faults_);
    if (read_.grows) {
      faults_.add(*node,
                  "bytes says that all times are those of messages of that size, and rates say how times follow the "
                  "size; keep one of them");
    }
  }

  [[nodiscard]] std::string way(std::size_t from, std::size_t to) const {
    return "from " + read_.hosts[from] + " to " + read_.hosts[to];
  }

  std::optional<double> number(const YamlNode& node, const Numbers& numbers, const std::string& whose) {
    const std::string what = std::string(numbers.key) + " " + whose;
    if (!check_kind(node, Kind::scalar, what, numbers.example, faults_)) return std::nullopt;
    try {
      return numbers.parse(node.text);
    } catch (const BadQuantity& bad) {
      faults_.add(node, what + ": " + bad.what());
      return std::nullopt;
    }
  }

  [[nodiscard]] bool has_room_for_all(const YamlNode& node, const std::string& what) {
    if (node.items.size() == read_.hosts.size()) return true;
    faults_.add(node, what + " must have an entry for each of the " + std::to_string(read_.hosts.size()) +
                          " hosts; here are " + std::to_string(node.items.size()));
    return false;
  }

  Matrix matrix(const YamlNode& node, const Numbers& numbers) {
    const std::size_t count = read_.hosts.size();
    Matrix all(count, std::vector<std::optional<double>>(count));
    const std::string key(numbers.key);
    if (!check_kind(node, Kind::sequence, key, "[[none, 1.6ms], [1.6ms, none]]", faults_)) return all;
    if (!has_room_for_all(node, key)) return all;
    for (std::size_t from = 0; from < count; ++from) {
      const YamlNode& row = node.items[from];
      const std::string whose = key + " from " + read_.hosts[from];
      if (!check_kind(row, Kind::sequence, whose, "[none, " + std::string(numbers.example) + "]", faults_)) continue;
      if (!has_room_for_all(row, whose)) continue;
      for (std::size_t to = 0; to < count; ++to) {
        const YamlNode& cell = row.items[to];
        if (cell.is_scalar() && cell.text == no_way) continue;
        all[from][to] = number(cell, numbers, way(from, to));
        if (from == to && all[from][to] && *all[from][to] != 0.0) {
          faults_.add(cell, whose + " to itself: no message goes there; write none");
        }
      }
    }
    return all;
  }

  /// One for all, one for each host that sends, or a matrix.
  Matrix any_form(const YamlNode& node, const Numbers& numbers) {
    const std::size_t count = read_.hosts.size();
    Matrix all(count, std::vector<std::optional<double>>(count));
    if (node.is_scalar()) {
      const auto one = number(node, numbers, "of all hosts");
      all.assign(count, std::vector<std::optional<double>>(count, one));
      return all;
    }
    if (!node.items.empty() && node.items.front().is_sequence()) return matrix(node, numbers);
    if (!check_kind(node, Kind::sequence, numbers.key, "[" + std::string(numbers.example) + ", ...]", faults_)) {
      return all;
    }
    if (!has_room_for_all(node, std::string(numbers.key))) return all;
    for (std::size_t from = 0; from < count; ++from) {
      const auto one = number(node.items[from], numbers, "of " + read_.hosts[from]);
      all[from].assign(count, one);
    }
    return all;
  }

  /// Whether each way has its number.
  void check_alike(const Given& others, std::string_view key) {
    if (others.node == nullptr) return;
    for (std::size_t from = 0; from < ways_.size(); ++from) {
      for (std::size_t to = 0; to < ways_.size(); ++to) {
        if (from == to || !ways_[from][to] || others.cells[from][to]) continue;
        faults_.add(*others.node, std::string(key) + " " + way(from, to) +
                                      " is none, and weights have a way there: give it, or write none there too");
      }
    }
  }

  void edges(const Matrix& busy, const Matrix& bps, const Matrix& own_bps) {
    constexpr double bits = 8.0;  // a byte
    for (std::size_t from = 0; from < ways_.size(); ++from) {
      for (std::size_t to = 0; to < ways_.size(); ++to) {
        if (from == to || !ways_[from][to]) continue;
        read_.edges.push_back(
            {.from = static_cast<Rank>(from),
             .to = static_cast<Rank>(to),
             .latency_s = *ways_[from][to],
             .bandwidth_Bps = bps.empty() ? std::numeric_limits<double>::infinity() : *bps[from][to] / bits,
             .injection =
                 Injection{.message_s = *busy[from][to], .byte_s = own_bps.empty() ? 0.0 : bits / *own_bps[from][to]}});
      }
    }
  }

  Faults& faults_;
  WeightedNetwork read_;
  Matrix ways_;
};

}  // namespace

StoredGraph WeightedNetwork::weighed(std::uint64_t message_bytes) const {
  return weigh(std::vector<Injection>(hosts.size()), edges, message_bytes);
}

WeightedNetwork parse_weights(std::string_view yaml, const std::string& file) {
  return read_document(yaml, weights_format, file,
                       [](const YamlNode& root, Faults& faults) { return WeightsReader(faults).read(root); });
}

}  // namespace trunkline
