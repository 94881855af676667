// SPDX-License-Identifier: Apache-2.0
#include "startup/changed_cluster.hpp"

#include <sys/stat.h>

#include <chrono>
#include <climits>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "decide/changed.hpp"
#include "network/file/cluster_file.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "text/fault.hpp"
#include "text/text_file.hpp"

namespace trunkline::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto between_looks = std::chrono::milliseconds(250);

/// What of a file is another once it has been written or replaced; all zero where it cannot be looked at.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

Stamp stamp_of(const std::string& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) return {};
  return {.inode = found.st_ino,
          .bytes = found.st_size,
          .seconds = found.st_mtim.tv_sec,
          .nanoseconds = found.st_mtim.tv_nsec};
}

std::shared_ptr<const World> make_world(const World& first, const std::string& text) {
  // MPI counts in int.
  if (text.size() > INT_MAX) throw std::invalid_argument(first.cluster_file + ": is longer than 2 GiB");
  Cluster now = parse_cluster(text, first.cluster_file);
  if (now.fingerprint() == first.knowledge.cluster->fingerprint()) return lasting(first);
  if (now.measured()) {
    throw std::invalid_argument(first.cluster_file +
                                ": names tables as measured, which a job that follows the file cannot take");
  }
  auto made = std::make_shared<World>();
  if (first.placement != nullptr) {
    made->placement = std::make_shared<const Placement>(
        on_changed(*first.placement, *first.knowledge.cluster, now, first.cluster_file));
  }
  made->knowledge = on_changed(first.knowledge, std::move(now), first.cluster_file);
  if (made->placement != nullptr) made->knowledge.look_for_short_calls(*made->placement);
  made->first = &first;
  made->cluster_file = first.cluster_file;
  made->way = first.way;
  made->explain = first.explain;
  made->strict = first.strict;
  made->trace = first.trace;
  made->by_arrival = first.by_arrival;
  made->follow = first.follow;
  return made;
}

std::string words_of(const std::exception& wrong) {
  const auto* const faulty = dynamic_cast<const FaultyFile*>(&wrong);
  if (faulty == nullptr) return wrong.what();
  std::string text;
  for (const Fault& fault : faulty->faults()) text += (text.empty() ? "" : "\n") + fault.text();
  return text;
}

class Watch {
 public:
  std::shared_ptr<const ClusterVersion> look(const World& first, bool speaks) {
    const std::scoped_lock lock(mutex_);
    if (last_ == nullptr) last_ = first_version(first);
    const auto now = Clock::now();
    if (looked_ && now - *looked_ < between_looks) return last_;
    looked_ = now;
    const Stamp stamp = stamp_of(first.cluster_file);
    const bool is_settled = stamp == seen_;
    seen_ = stamp;
    if (!is_settled || stamp == taken_) return last_;
    taken_ = stamp;
    take(first, speaks);
    return last_;
  }

  std::shared_ptr<const World> world_of(const World& first, const std::string& text) {
    const std::scoped_lock lock(mutex_);
    if (known_ == nullptr || known_->text != text) known_ = version_of(first, text);
    return known_->world;
  }

 private:
  static std::shared_ptr<const ClusterVersion> first_version(const World& first) {
    return std::make_shared<const ClusterVersion>(
        ClusterVersion{.world = lasting(first), .fingerprint = first.knowledge.cluster->fingerprint()});
  }

  static std::shared_ptr<const ClusterVersion> version_of(const World& first, std::string text) {
    std::shared_ptr<const World> world = make_world(first, text);
    const std::uint64_t fingerprint = world->knowledge.cluster->fingerprint();
    return std::make_shared<const ClusterVersion>(
        ClusterVersion{.world = std::move(world), .fingerprint = fingerprint, .text = std::move(text)});
  }

  void take(const World& first, bool speaks) {
    try {
      std::string text = read_text_file(first.cluster_file);
      auto now = version_of(first, std::move(text));
      if (now->fingerprint != last_->fingerprint) last_ = known_ = std::move(now);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& wrong) {
      if (!speaks) return;
      warn(words_of(wrong) +
           "\ntrunkline: warning: the changed cluster file is not taken; plans stay as they are (TRUNKLINE_FOLLOW)");
    }
  }

  std::mutex mutex_;
  std::optional<Clock::time_point> looked_{};
  Stamp seen_{};   ///< at the last look
  Stamp taken_{};  ///< at the last one whose text was read
  std::shared_ptr<const ClusterVersion> last_{};
  std::shared_ptr<const ClusterVersion> known_{};  ///< of the last text that was asked for: several communicators ask
};

/// Never destroyed: programs may broadcast while static objects are.
Watch& watch() {
  static auto* const instance = with_reserve([] { return new Watch; });
  return *instance;
}

}  // namespace

std::shared_ptr<const World> lasting(const World& first) { return {std::shared_ptr<const void>(), &first}; }

std::shared_ptr<const ClusterVersion> look_at_cluster(const World& first, bool speaks) {
  return with_reserve([&] { return watch().look(first, speaks); });
}

std::shared_ptr<const World> world_of(const World& first, const std::string& text) {
  return with_reserve([&] { return watch().world_of(first, text); });
}

}  // namespace trunkline::runtime
