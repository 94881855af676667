// SPDX-License-Identifier: Apache-2.0
#include "model/native/native_by_hosts.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/native/native_choice.hpp"
#include "network/placement.hpp"
#include "patterns/over_hosts.hpp"

namespace trunkline {
namespace {

class ByHosts final : public NativeTimes {
 public:
  ByHosts(Collective collective, Rank ranks, std::unique_ptr<const NativeTimes> flat,
          std::unique_ptr<const NativeTimes> among)
      : collective_(collective), ranks_(ranks), flat_(std::move(flat)), among_(std::move(among)) {}

  void add_within(std::unique_ptr<const NativeTimes> within) { within_.push_back(std::move(within)); }

  [[nodiscard]] double seconds(std::uint64_t message_bytes) const override {
    if (!mpich_goes_by_hosts(collective_, ranks_, message_bytes)) return flat_->seconds(message_bytes);
    double all = among_->seconds(message_bytes);
    for (const auto& one : within_) all += one->seconds(message_bytes);
    return all;
  }

 private:
  Collective collective_;
  Rank ranks_;
  std::unique_ptr<const NativeTimes> flat_;
  std::unique_ptr<const NativeTimes> among_;                ///< the first ranks of all hosts
  std::vector<std::unique_ptr<const NativeTimes>> within_;  ///< the first host
};

}  // namespace

std::unique_ptr<const NativeTimes> native_by_hosts(const Paths& paths, const Placement& placement,
                                                   Collective collective, Rank root, const HostCosts& hosts,
                                                   std::unique_ptr<const NativeTimes>& flat) {
  const CollectiveFacts& facts = facts_of(collective);
  if (is_one_host(placement) || facts.goes_by_shares() || facts.goes_by_pairs() || !facts.has_data) return nullptr;
  const RanksOfHosts of_hosts = ranks_of_hosts(placement, 0);
  if (!of_hosts.any_is_shared(placement.size())) return nullptr;
  const auto home = std::ranges::find(of_hosts.placement, placement[root]) - of_hosts.placement.begin();
  const auto number = static_cast<Rank>(home);
  if (facts.has_root && of_hosts.ranks[number].front() != root) return nullptr;
  const auto times = [&](Collective one, const Placement& where, Rank from) {
    return native_times(paths, where, one, from, NativeLibrary::mpich, hosts);
  };
  auto all = std::make_unique<ByHosts>(collective, static_cast<Rank>(placement.size()), std::move(flat),
                                       times(collective, of_hosts.placement, number));
  const Placement within(of_hosts.ranks.front().size(), placement.front());
  if (facts.reduces) all->add_within(times(Collective::reduce, within, 0));
  if (facts.direction != Direction::up) all->add_within(times(Collective::bcast, within, 0));
  return all;
}

}  // namespace trunkline
