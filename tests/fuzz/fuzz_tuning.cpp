// SPDX-License-Identifier: Apache-2.0
// Whatever is in a tuning file: it is read, and then written and read back as the same rules, or it is refused.
#include <cstdint>
#include <cstdlib>

#include "network/cluster.hpp"
#include "tuning/tuning_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const Tuning tuning = parse_tuning({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const TuningEntry& entry : tuning.entries) {
      for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{5000}, ~std::uint64_t{0}}) {
        if (entry.rule_for(bytes).from_bytes > bytes) std::abort();
      }
    }
    if (tuning.entries.empty()) return 0;
    const std::string text = write_tuning(tuning);
    if (write_tuning(parse_tuning(text, "again")) != text) std::abort();
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") {
      std::abort();  // refused without a reason, or what we wrote ourselves cannot be read
    }
  }
  return 0;
}
