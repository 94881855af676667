// SPDX-License-Identifier: Apache-2.0
#include "text/fault.hpp"

#include <utility>

namespace trunkline {

namespace {

std::string joined(const std::vector<Fault>& faults) {
  std::string all;
  for (const Fault& fault : faults) {
    all += all.empty() ? "" : "\n";
    all += fault.text();
  }
  return all;
}

}  // namespace

std::string Fault::text() const {
  std::string where = file;
  if (line != 0) {
    where += ":" + std::to_string(line) + ":" + std::to_string(column);
  }
  return where + ": " + message;
}

FaultyFile::FaultyFile(std::vector<Fault> faults) : std::runtime_error(joined(faults)), faults_(std::move(faults)) {}

}  // namespace trunkline
