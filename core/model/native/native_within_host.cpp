// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_within_host.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "text/quantity.hpp"

namespace trunkline {
namespace {

constexpr std::array<std::uint64_t, 12> sizes{512,      kib,      2 * kib,   4 * kib,    8 * kib,    16 * kib,
                                              32 * kib, 64 * kib, 256 * kib, 1024 * kib, 4096 * kib, 16384 * kib};
using Times = std::array<double, sizes.size()>;

/// Microseconds. Of shares the bytes are those of all of them. docs/results/one-host.md has the commands. A reduce, or
/// a reduce-scatter, of 256 KiB and more that took longer on AMD's processors than the library's allreduce counts as
/// that: what holds it up there (it reads from another process's memory) may not do so elsewhere. On Intel's it does,
/// too.
struct Measured {
  std::string_view processor;  ///< as its speeds of memory are called
  std::string_view library;    ///< as its costs of messages are called
  Times bcast;
  Times reduce;
  Times allreduce;
  Times gather;  ///< of every rank's share to all
  Times reduce_scatter;
  bool with_other_libraries = false;  ///< the shortest time of all that have this one's binary interface
};

constexpr std::array table{
    Measured{.processor = "epyc",
             .library = "mpich",
             .bcast = {0.26, 0.28, 0.34, 0.60, 0.75, 3.9, 5.2, 7.5, 22.2, 84.5, 344, 2700},
             .reduce = {0.60, 0.62, 0.90, 1.44, 2.3, 3.9, 13.7, 22.9, 62, 152, 821, 7000},
             .allreduce = {0.78, 0.82, 0.95, 1.37, 2.1, 3.85, 13.1, 20, 62, 152, 821, 7000},
             .gather = {0.50, 0.52, 0.60, 0.71, 0.90, 1.66, 5.7, 9.2, 27.5, 57.7, 247, 2470},
             .reduce_scatter = {0.60, 0.65, 0.80, 1.01, 1.6, 2.65, 8.0, 12.8, 62, 90, 423, 3500}},
    Measured{.processor = "epyc",
             .library = "mpich-5",
             .bcast = {0.17, 0.20, 0.30, 0.40, 0.99, 2.35, 4.0, 7.5, 29.6, 125, 509, 2230},
             .reduce = {0.43, 0.52, 0.65, 0.95, 1.75, 2.8, 6.0, 11.7, 46, 186, 765, 3200},
             .allreduce = {0.42, 0.49, 0.65, 1.0, 1.84, 3.5, 7.0, 14, 56.6, 228, 1230, 5800},
             .gather = {1.59, 1.6, 1.7, 1.82, 2.2, 6.1, 8.0, 10.9, 30, 60, 247, 2450},
             .reduce_scatter = {1.76, 1.79, 2.0, 2.2, 2.7, 7.0, 10, 13.6, 56.6, 77, 421, 3500}},
    Measured{.processor = "epyc",
             .library = "openmpi",
             .bcast = {0.30, 0.31, 0.38, 2.4, 2.75, 3.5, 4.7, 7.1, 21.7, 80.5, 322, 2450},
             .reduce = {0.30, 0.31, 0.42, 2.5, 2.95, 3.8, 5.3, 8.4, 27.5, 107, 456, 4090},
             .allreduce = {0.40, 0.47, 0.68, 1.17, 4.8, 7.8, 11.1, 17.4, 54.8, 126, 560, 5900},
             .gather = {0.25, 0.40, 0.44, 0.59, 2.85, 3.3, 4.15, 5.75, 16.2, 55.5, 226, 2100},
             .reduce_scatter = {0.30, 0.45, 0.52, 0.69, 3.4, 4.5, 6.7, 10.7, 54.8, 126, 560, 5900}},
    Measured{.processor = "epyc-near",
             .library = "mpich",
             .bcast = {0.21, 0.22, 0.29, 0.32, 0.37, 3.1, 4.2, 6.4, 18.5, 72, 292, 1889},
             .reduce = {0.38, 0.42, 0.52, 0.84, 1.08, 1.45, 7.9, 10.9, 30, 112, 538, 3873},
             .allreduce = {0.58, 0.61, 0.68, 0.84, 1.08, 1.45, 7.9, 10.9, 30, 112, 538, 3873},
             .gather = {0.32, 0.34, 0.36, 0.38, 0.51, 0.62, 3.7, 4.9, 12.4, 46, 199, 1408},
             .reduce_scatter = {0.39, 0.44, 0.53, 0.64, 0.80, 1.11, 4.7, 6.9, 30, 62, 284, 1826}},
    Measured{.processor = "epyc-near",
             .library = "mpich-5",
             .bcast = {0.10, 0.13, 0.17, 0.23, 0.34, 0.52, 0.84, 1.56, 5.5, 23, 103, 551},
             .reduce = {0.31, 0.33, 0.45, 0.58, 0.73, 1.29, 2.3, 4.3, 16.6, 69, 292, 1635},
             .allreduce = {0.26, 0.29, 0.41, 0.55, 0.82, 1.40, 3.3, 6.4, 25, 103, 449, 2764},
             .gather = {0.29, 0.32, 0.34, 0.36, 0.48, 0.59, 3.4, 4.6, 11.6, 43, 177, 1565},
             .reduce_scatter = {0.38, 0.41, 0.50, 0.61, 0.78, 1.47, 4.4, 6.5, 25, 59, 249, 1930},
             .with_other_libraries = true},
    Measured{.processor = "epyc-near",
             .library = "openmpi",
             .bcast = {0.24, 0.25, 0.28, 1.96, 2.2, 2.7, 3.6, 5.6, 17.1, 66, 263, 1723},
             .reduce = {0.24, 0.25, 0.28, 2.0, 2.4, 3.0, 4.3, 6.9, 22, 88, 361, 3414},
             .allreduce = {0.30, 0.32, 0.44, 0.80, 3.2, 5.2, 6.7, 9.3, 27, 97, 442, 4275},
             .gather = {0.19, 0.28, 0.31, 0.37, 2.2, 2.5, 3.2, 4.4, 11.9, 44, 178, 1440},
             .reduce_scatter = {0.22, 0.31, 0.40, 0.47, 2.5, 3.0, 3.8, 5.6, 27, 97, 442, 4275}},
    Measured{.processor = "xeon",
             .library = "mpich",
             .bcast = {0.64, 0.63, 0.85, 1.19, 2.0, 4.6, 6.5, 10.2, 27.8, 102, 542, 2209},
             .reduce = {1.23, 1.41, 1.87, 2.9, 4.0, 6.0, 16.8, 25.5, 199, 857, 3536, 19295},
             .allreduce = {1.95, 2.2, 2.4, 2.9, 3.7, 6.0, 14.9, 22.3, 55.8, 268, 1123, 5284},
             .gather = {1.11, 1.24, 1.42, 1.51, 1.85, 2.7, 6.8, 9.9, 21.9, 90.5, 442, 1854},
             .reduce_scatter = {1.23, 1.34, 1.59, 2.3, 2.5, 4.0, 9.4, 14.9, 180, 126, 648, 3283}},
    Measured{.processor = "xeon",
             .library = "mpich-5",
             .bcast = {0.47, 0.55, 0.92, 1.45, 2.5, 3.3, 6.2, 9.6, 37.1, 146, 593, 2365},
             .reduce = {1.32, 1.59, 2.2, 2.8, 4.2, 7.7, 15.5, 26.4, 92.2, 403, 1415, 5817},
             .allreduce = {1.18, 1.45, 1.98, 2.9, 4.2, 7.4, 16.5, 29.7, 148, 478, 2208, 9206},
             .gather = {1.95, 1.97, 2.1, 2.4, 2.9, 6.5, 8.2, 12.1, 28.8, 100, 484, 2227},
             .reduce_scatter = {2.1, 2.1, 2.5, 2.9, 3.5, 7.7, 11.0, 17.3, 207, 136, 684, 3498}},
    Measured{.processor = "xeon",
             .library = "openmpi",
             .bcast = {0.99, 1.09, 1.35, 2.3, 2.9, 3.8, 5.5, 9.1, 27.3, 101, 537, 2113},
             .reduce = {1.02, 1.07, 1.35, 1.98, 2.7, 3.9, 6.1, 10.3, 34.0, 172, 855, 3389},
             .allreduce = {1.19, 1.36, 1.73, 3.1, 7.1, 9.2, 13.2, 20.8, 50.0, 250, 1200, 5076},
             .gather = {0.75, 1.08, 1.28, 1.54, 3.4, 4.2, 5.7, 8.8, 23.1, 108, 470, 1906},
             .reduce_scatter = {0.85, 1.21, 1.57, 1.79, 4.5, 5.9, 8.6, 13.3, 116, 668, 2843, 13529}},
};

const Times& times_of(const Measured& library, const CollectiveFacts& facts) {
  if (facts.goes_by_shares()) return facts.reduces ? library.reduce_scatter : library.gather;
  if (!facts.reduces) return library.bcast;
  return facts.has_root ? library.reduce : library.allreduce;
}

/// Straight between two sizes, and on from the last two; but where a library goes another way somewhere between them,
/// no more than in proportion to the shorter one. Below the shortest it is as the shortest.
double interpolated_us(const Times& times, std::uint64_t message_bytes) {
  const auto above = std::ranges::lower_bound(sizes, message_bytes);
  if (above == sizes.begin()) return times.front();
  const auto next = std::min(static_cast<std::size_t>(above - sizes.begin()), sizes.size() - 1);
  if (message_bytes == sizes.at(next)) return times.at(next);
  const auto bytes = static_cast<double>(message_bytes);
  const auto from = static_cast<double>(sizes.at(next - 1));
  const double straight =
      std::lerp(times.at(next - 1), times.at(next), (bytes - from) / (static_cast<double>(sizes.at(next)) - from));
  return message_bytes > sizes.back() ? straight : std::min(straight, times.at(next - 1) * bytes / from);
}

class WithinHost final : public NativeTimes {
 public:
  WithinHost(const Times& times, double factor) : times_(times), factor_(factor) {}

  [[nodiscard]] double seconds(std::uint64_t message_bytes) const override {
    constexpr double us = 1e-6;
    return factor_ * us * interpolated_us(times_, message_bytes);
  }

 private:
  const Times& times_;
  double factor_;
};

}  // namespace

std::unique_ptr<const NativeTimes> native_within_host(Collective collective, Rank ranks, const HostCosts& hosts) {
  const CollectiveFacts& facts = facts_of(collective);
  const auto known = std::ranges::find_if(table, [&](const Measured& one) {
    return one.library == hosts.name && one.processor == hosts.memory->name &&
           (!hosts.is_another_library || one.with_other_libraries);
  });
  const bool was_measured = facts.has_data && facts.native != RunLike::pairs && facts.native != RunLike::root_shares &&
                            facts.native != RunLike::prefix;
  if (known == table.end() || !was_measured) return nullptr;
  const double factor = facts.limit_in_transfers(ranks) / facts.limit_in_transfers(2);
  return std::make_unique<WithinHost>(times_of(*known, facts), factor);
}

std::span<const std::uint64_t> sizes_within_host() { return sizes; }

}  // namespace trunkline
