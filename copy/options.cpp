// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <stdexcept>

namespace trunkline::copy {

Options read_options(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at + 1 < argc && std::string(argv[at]) != "--"; at += 2) {
    const std::string name = argv[at];
    const std::string value = argv[at + 1];
    if (name == "--to") {
      options.folder = value;
    } else if (name == "--json") {
      options.json = value;
    } else if (name == "--block") {
      options.block_bytes = std::stoull(value);
    } else if (name == "--buffers") {
      options.buffers = std::stoull(value);
    } else if (name == "--read-back") {
      options.reads_back = value == "1";
    } else if (name == "--progress") {
      options.shows_progress = value == "1";
    } else {
      throw std::invalid_argument("unknown option " + name);
    }
  }
  for (++at; at < argc; ++at) options.files.emplace_back(argv[at]);
  if (options.folder.empty() || options.files.empty() || options.block_bytes == 0 || options.buffers < 2) {
    throw std::invalid_argument("--to FOLDER, --block, --buffers and, after --, files are needed");
  }
  return options;
}

}  // namespace trunkline::copy
