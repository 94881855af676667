// SPDX-License-Identifier: Apache-2.0
// A YAML document of which every part knows where it stood, and a list of faults to point there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/fault.hpp"

namespace trunkline {

/// Place in a file, counted from 1.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

struct YamlNode {
  enum class Kind : std::uint8_t { scalar, sequence, mapping };
  Kind kind = Kind::scalar;
  Position at;
  std::string text{};              ///< of a scalar
  std::optional<Position> inside;  ///< of its first letter, where letter i of `text` is i columns further right
  std::vector<YamlNode> keys{};    ///< of a mapping: scalars, in file order
  std::vector<YamlNode> items{};   ///< of a sequence, or values of a mapping beside their keys

  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
  [[nodiscard]] bool is_mapping() const { return kind == Kind::mapping; }
  [[nodiscard]] bool is_sequence() const { return kind == Kind::sequence; }

  /// Value of the first entry with this key; null where there is none.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;

  /// Place of the letter at `offset` of a scalar's text.
  [[nodiscard]] Position place(std::size_t offset) const;

  /// "a text", "a list", "a mapping", for messages.
  [[nodiscard]] const char* kind_name() const;
};

/// Everything wrong with one file, in the order it is found; thrown in the order of the file. A file with very many
/// faults is another file: from most_told on they are counted. Of a long message, which may have a part of the file in
/// it, beginning and end are kept.
class Faults {
 public:
  static constexpr std::size_t most_told = 1000;
  static constexpr std::size_t longest_message = 4000;  ///< bytes

  explicit Faults(std::string file) : file_(std::move(file)) {}

  void add(Position at, std::string message);
  void add(const YamlNode& node, std::string message) { add(node.at, std::move(message)); }
  /// It is of another kind: nothing else is told of the file, neither what was found before nor what follows.
  void add_alone(const YamlNode& node, std::string message);
  /// For faults of the file as a whole.
  void add_whole(std::string message) { add({.line = 0, .column = 0}, std::move(message)); }

  /// Those that are not told among them: who reads on looks whether there were further ones.
  [[nodiscard]] std::size_t size() const { return faults_.size() + more_ + hidden_; }
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Throws FaultyFile where there is any fault.
  void throw_if_any();

 private:
  std::string file_;
  std::vector<Fault> faults_;
  std::size_t more_ = 0;    ///< that are counted alone
  bool is_alone_ = false;   ///< the one that there is
  std::size_t hidden_ = 0;  ///< that are not told beside it
};

/// Reads one document. Syntax errors, further documents, anchors, aliases, tags, keys that are no scalars and nesting
/// deeper than any of our files are faults; empty text too (`format` says what should stand there). Empty where the
/// text is no usable document; `faults` then says why.
[[nodiscard]] std::optional<YamlNode> parse_yaml(std::string_view text, std::string_view format, Faults& faults);

}  // namespace trunkline
