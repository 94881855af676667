// SPDX-License-Identifier: Apache-2.0
#include "communicator/explain.hpp"

#include <array>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "report.hpp"
#include "text/quantity.hpp"

namespace trunkline::runtime {
namespace {

std::string milliseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g ms", seconds * 1e3);
  return text.data();
}

std::string description(int ranks, int root, std::uint64_t bytes, const Decision& decision) {
  std::string text = "MPI_Bcast of " + format_bytes(bytes) + " from rank " + std::to_string(root) + " on " +
                     std::to_string(ranks) + " ranks ran ";
  if (decision.laid == nullptr) {
    text += "native";
  } else {
    text += std::string(decision.laid->name) + " with segments of " + format_bytes(decision.segment_bytes);
    if (!decision.laid->load.empty()) text += " (" + decision.laid->load + ")";
  }
  return text + ": " + decision.reason;
}

/// Whether nobody has said it yet.
bool is_new(const std::string& text) {
  static std::mutex mutex;
  static auto* const said = new std::set<std::string>;  // never destroyed: see MPI_Finalize in static destructors
  const std::scoped_lock lock(mutex);
  return said->insert(text).second;
}

}  // namespace

void explain(int ranks, int root, std::uint64_t bytes, const Decision& decision, double measured_s) {
  const std::string text = description(ranks, root, bytes, decision);
  if (is_new(text)) say(text + "; took " + milliseconds(measured_s) + " on rank 0");
}

}  // namespace trunkline::runtime
