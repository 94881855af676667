// SPDX-License-Identifier: Apache-2.0
#include "text/yaml_document.hpp"

#include <yaml.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

namespace trunkline {

namespace {

constexpr std::size_t deepest = 32;

Position position(const yaml_mark_t& mark) { return {mark.line + 1, mark.column + 1}; }

struct EndEvent {
  void operator()(yaml_event_t* event) const {
    yaml_event_delete(event);
    delete event;
  }
};
using Event = std::unique_ptr<yaml_event_t, EndEvent>;

/// Thrown to leave the recursion; the fault is in the list already.
struct Unusable {};

class Loader {
 public:
  Loader(std::string_view text, Faults& faults) : text_(text), faults_(faults) {
    if (yaml_parser_initialize(&parser_) == 0) {
      throw std::bad_alloc();
    }
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Loader() { yaml_parser_delete(&parser_); }
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Empty where the stream holds no document.
  std::optional<YamlNode> load() {
    next();  // stream start
    Event event = next();
    if (event->type == YAML_STREAM_END_EVENT) {
      return std::nullopt;
    }
    event = next();
    std::optional<YamlNode> root = node(*event, 0);
    next();  // document end
    event = next();
    if (event->type != YAML_STREAM_END_EVENT) {
      faults_.add(position(event->start_mark), "a second document starts here; one file holds one document");
      throw Unusable{};
    }
    return root;
  }

 private:
  Event next() {
    Event event(new yaml_event_t{});
    if (yaml_parser_parse(&parser_, event.get()) == 0) {
      syntax_error();
    }
    return event;
  }

  [[noreturn]] void syntax_error() {
    if (parser_.error == YAML_MEMORY_ERROR) {
      throw std::bad_alloc();
    }
    const std::string problem = parser_.problem != nullptr ? parser_.problem : "not readable";
    if (parser_.error == YAML_READER_ERROR) {
      faults_.add(place_of_byte(parser_.problem_offset),
                  "not text that YAML allows (" + problem + "); save the file as UTF-8");
    } else {
      std::string message = "YAML syntax: " + problem;
      if (parser_.context != nullptr) {
        message += std::string(", ") + parser_.context + " at line " + std::to_string(parser_.context_mark.line + 1);
      }
      const Position at = position(parser_.problem_mark);
      if (message.find("flow") != std::string::npos && has_bare_hostlist(at.line)) {
        message += "; inside { } and [ ] a host list needs quotes, such as \"h[0-3]\"";
      }
      const std::string_view line = line_of(at.line);
      if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != line.npos) {
        message += "; the line begins with a tab, and YAML takes blanks alone there";
      }
      faults_.add(at, message);
    }
    throw Unusable{};
  }

  /// The reader counts bytes only.
  [[nodiscard]] Position place_of_byte(std::size_t offset) const {
    Position at;
    for (const char c : text_.substr(0, offset)) {
      const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
      at.line += c == '\n' ? 1 : 0;
      at.column = c == '\n' ? 1 : at.column + (continues ? 0 : 1);
    }
    return at;
  }

  /// Is there a letter right before a [, as in h[0-3], where YAML would need a comma?
  [[nodiscard]] bool has_bare_hostlist(std::size_t line) const {
    const std::string_view shown = line_of(line);
    const std::size_t bracket = shown.find('[', 1);
    return bracket != shown.npos && std::isalnum(static_cast<unsigned char>(shown[bracket - 1])) != 0;
  }

  /// Counted from 1; empty beyond the end.
  [[nodiscard]] std::string_view line_of(std::size_t line) const {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < line && begin != text_.npos; ++i) {
      begin = text_.find('\n', begin);
      begin += begin == text_.npos ? 0 : 1;
    }
    const std::string_view rest = begin == text_.npos ? std::string_view() : text_.substr(begin);
    return rest.substr(0, rest.find('\n'));
  }

  YamlNode node(const yaml_event_t& event, std::size_t depth) {
    const Position at = position(event.start_mark);
    if (depth > deepest) {
      faults_.add(at, "nested deeper than " + std::to_string(deepest) + " levels; no file of Trunkline is");
      throw Unusable{};
    }
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return scalar(event);
      case YAML_SEQUENCE_START_EVENT:
        refuse(at, event.data.sequence_start.anchor, event.data.sequence_start.tag);
        return sequence(at, depth);
      case YAML_MAPPING_START_EVENT:
        refuse(at, event.data.mapping_start.anchor, event.data.mapping_start.tag);
        return mapping(at, depth);
      default:
        // An alias: whatever it stands for is not looked up, so nothing can be multiplied.
        faults_.add(at, std::string("the alias *") + reinterpret_cast<const char*>(event.data.alias.anchor) +
                            ": aliases are not supported; write the value out");
        return {.kind = YamlNode::Kind::scalar, .at = at, .inside = {}};
    }
  }

  void refuse(Position at, const yaml_char_t* anchor, const yaml_char_t* tag) {
    if (anchor != nullptr) {
      faults_.add(at, std::string("the anchor &") + reinterpret_cast<const char*>(anchor) +
                          ": anchors are not supported; write values out where they are needed");
    }
    if (tag != nullptr) {
      faults_.add(
          at, std::string("the tag ") + reinterpret_cast<const char*>(tag) + ": tags are not supported; leave it out");
    }
  }

  YamlNode scalar(const yaml_event_t& event) {
    const auto& data = event.data.scalar;
    YamlNode made{.kind = YamlNode::Kind::scalar, .at = position(event.start_mark), .inside = {}};
    refuse(made.at, data.anchor, data.tag);
    made.text.assign(reinterpret_cast<const char*>(data.value), data.length);
    const bool one_line = event.start_mark.line == event.end_mark.line;
    const std::size_t quotes = data.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1;
    const std::size_t width = event.end_mark.column - event.start_mark.column;
    if (one_line && data.anchor == nullptr && data.tag == nullptr && width == made.text.size() + 2 * quotes) {
      made.inside = Position{made.at.line, made.at.column + quotes};
    }
    return made;
  }

  YamlNode sequence(Position at, std::size_t depth) {
    YamlNode made{.kind = YamlNode::Kind::sequence, .at = at, .inside = {}};
    while (true) {
      const Event event = next();
      if (event->type == YAML_SEQUENCE_END_EVENT) {
        return made;
      }
      made.items.push_back(node(*event, depth + 1));
    }
  }

  YamlNode mapping(Position at, std::size_t depth) {
    YamlNode made{.kind = YamlNode::Kind::mapping, .at = at, .inside = {}};
    while (true) {
      Event event = next();
      if (event->type == YAML_MAPPING_END_EVENT) {
        return made;
      }
      YamlNode key = node(*event, depth + 1);
      event = next();
      YamlNode value = node(*event, depth + 1);
      if (key.is_scalar()) {
        made.keys.push_back(std::move(key));
        made.items.push_back(std::move(value));
      } else {
        faults_.add(key, std::string("a key must be a text, not ") + key.kind_name());
      }
    }
  }

  std::string_view text_;
  yaml_parser_t parser_{};
  Faults& faults_;
};

/// Of a letter that takes several bytes all are kept, or none.
std::string cropped(std::string message) {
  constexpr std::size_t half = Faults::longest_message / 2;
  if (message.size() <= Faults::longest_message) return message;
  const auto is_inside = [&](std::size_t at) { return (static_cast<unsigned char>(message[at]) & 0xC0U) == 0x80U; };
  std::size_t left = half;
  std::size_t right = message.size() - half;
  while (left > 0 && is_inside(left)) --left;
  while (right < message.size() && is_inside(right)) ++right;
  return message.substr(0, left) + " ... " + message.substr(right);
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) {
      return &items[i];
    }
  }
  return nullptr;
}

Position YamlNode::place(std::size_t offset) const {
  return inside ? Position{inside->line, inside->column + offset} : at;
}

const char* YamlNode::kind_name() const {
  switch (kind) {
    case Kind::scalar:
      return "a text";
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a mapping";
  }
  return "nothing";
}

void Faults::add_alone(const YamlNode& node, std::string message) {
  faults_.clear();
  more_ = 0;
  add(node, std::move(message));
  is_alone_ = true;
}

void Faults::add(Position at, std::string message) {
  if (is_alone_) {
    ++hidden_;
    return;
  }
  if (faults_.size() == most_told) {
    ++more_;
    return;
  }
  faults_.push_back({file_, at.line, at.column, cropped(std::move(message))});
}

void Faults::throw_if_any() {
  if (faults_.empty()) {
    return;
  }
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  if (more_ > 0) {
    faults_.push_back({file_, 0, 0, std::to_string(more_) + " more faults; those that were found first are told"});
  }
  throw FaultyFile(std::move(faults_));
}

std::optional<YamlNode> parse_yaml(std::string_view text, std::string_view format, Faults& faults) {
  try {
    std::optional<YamlNode> root = Loader(text, faults).load();
    if (!root || (root->is_scalar() && root->text.empty())) {
      faults.add(Position{}, "the file is empty; its first line should be \"trunkline: " + std::string(format) + "\"");
      return std::nullopt;
    }
    if (!root->is_mapping()) {
      faults.add(*root, std::string("the file holds ") + root->kind_name() +
                            "; it should hold keys with values, the first being \"trunkline: " + std::string(format) +
                            "\"");
      return std::nullopt;
    }
    return root;
  } catch (const Unusable&) {
    return std::nullopt;
  }
}

}  // namespace trunkline
