// SPDX-License-Identifier: Apache-2.0
#include "plan/written_lists.hpp"

namespace trunkline {
namespace {

constexpr std::size_t columns = 100;

}  // namespace

void append_list(std::string& out, const std::vector<std::string>& items, std::size_t indent) {
  std::size_t line_begin = out.rfind('\n') + 1;
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) {
      out += ',';
      if (out.size() - line_begin + items[i].size() + 2 > columns) {
        out += '\n' + std::string(indent, ' ');
        line_begin = out.size() - indent;
      } else {
        out += ' ';
      }
    }
    out += items[i];
  }
  out += "]\n";
}

std::vector<std::string> ranges_of(const std::vector<Rank>& order) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && order[end] == order[end - 1] + 1) {
      ++end;
    }
    if (end - i > 2) {
      items.push_back(std::to_string(order[i]) + "-" + std::to_string(order[end - 1]));
      i = end;
    } else {
      items.push_back(std::to_string(order[i]));
      ++i;
    }
  }
  return items;
}

void append_children(std::string& out, const Tree& tree, std::size_t indent) {
  for (Rank rank = 0; rank < tree.size(); ++rank) {
    std::vector<std::string> below;
    for (const Rank child : tree.children[rank]) below.push_back(std::to_string(child));
    if (below.empty()) continue;
    out += std::string(indent, ' ') + std::to_string(rank) + ": ";
    append_list(out, below, indent + 2);
  }
}

}  // namespace trunkline
