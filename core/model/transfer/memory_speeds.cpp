// SPDX-License-Identifier: Apache-2.0
#include "model/transfer/memory_speeds.hpp"

#include <array>
#include <cstring>
#include <span>

#include "text/named.hpp"
#include "text/quantity.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace trunkline {
namespace {

/// The second is Intel Xeon, 4th generation, virtual, with 2 MiB of cache for each processor: there one waits long for
/// what the other one has in its cache.
constexpr std::array measured{usual_memory_speeds, MemorySpeeds{.name = "xeon",
                                                                .tree_s = 0.8e-6,
                                                                .round_s = 2.0e-6,
                                                                .message_s = 0.55e-6,
                                                                .further_s = 0.3e-6,
                                                                .operation_s = 0.7e-6,
                                                                .copy_byte_s = {0.056e-9, 0.085e-9, 0.13e-9},
                                                                .exchange_copies = 2.0,
                                                                .combine = {1.5, 2.8, 2.9},
                                                                .cache_bytes = 512 * kib,
                                                                .shared_cache_bytes = 2048 * kib,
                                                                .read_from_bytes = 256 * kib,
                                                                .read_s = 1.5e-6,
                                                                .read_byte_s = 0.215e-9,
                                                                .read_to_combine_byte_s = 0.15e-9}};

}  // namespace

const MemorySpeeds& memory_speeds_named(std::string_view name) {
  return named_among(std::span<const MemorySpeeds>(measured), name, "no memory was measured with processors called");
}

const MemorySpeeds& memory_speeds_here() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned most = 0;
  std::array<unsigned, 3> words{};
  if (__get_cpuid(0, &most, words.data(), &words[2], &words[1]) != 0) {
    std::array<char, sizeof(words)> vendor{};
    std::memcpy(vendor.data(), words.data(), sizeof(words));
    if (std::string_view(vendor.data(), vendor.size()) == "AuthenticAMD") return measured.front();
  }
#endif
  return measured.back();
}

}  // namespace trunkline
