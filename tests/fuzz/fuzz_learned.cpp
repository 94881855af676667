// SPDX-License-Identifier: Apache-2.0
// Whatever is in a file of what jobs have learned: it is read, and then written and read back as the same, or it is
// refused.
#include <cstdint>
#include <cstdlib>

#include "learn/learned_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  try {
    const Learned learned = parse_learned({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const LearnedEntry& entry : learned.entries) {
      if (learned.find(entry.like) != &entry || !(entry.runs().median_s > 0.0)) std::abort();
    }
    const std::string text = write_learned(learned);
    if (write_learned(parse_learned(text, "again")) != text) std::abort();
  } catch (const FaultyFile& faulty) {
    if (faulty.faults().empty() || faulty.faults().front().file != "fuzz") {
      std::abort();  // refused without a reason, or what we wrote ourselves cannot be read
    }
  }
  return 0;
}
