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
#include "plan_file/plan_set.hpp"
#include "report.hpp"
#include "reserve.hpp"
#include "text/fault.hpp"
#include "text/fnv.hpp"
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

/// Of both files. They are judged together: plans may be for a network that came at the same time.
struct Stamps {
  Stamp cluster{};
  Stamp plan{};
  friend bool operator==(const Stamps&, const Stamps&) = default;
};

Stamps stamps_of(const World& first) {
  return {.cluster = stamp_of(first.cluster_file),
          .plan = first.plan_file.empty() ? Stamp{} : stamp_of(first.plan_file)};
}

std::shared_ptr<const World> make_world(const World& first, const FileTexts& texts) {
  for (const auto& [text, file] : {std::pair(&texts.cluster, &first.cluster_file), {&texts.plan, &first.plan_file}}) {
    // MPI counts in int.
    if (text->size() > INT_MAX / 2) throw std::invalid_argument(*file + ": is longer than 1 GiB");
  }
  Cluster now = parse_cluster(texts.cluster, first.cluster_file);
  const PlanSet plans = first.plan_file.empty() ? PlanSet{} : parse_plans(texts.plan, first.plan_file);
  auto made = std::make_shared<World>(first);  // all else stays as it was
  made->plan_fingerprint = first.plan_file.empty() ? 0 : hash(write_plans(plans));
  if (now.fingerprint() == first.knowledge.cluster->fingerprint() && made->plan_fingerprint == first.plan_fingerprint) {
    return lasting(first);
  }
  if (now.measured()) {
    throw std::invalid_argument(first.cluster_file +
                                ": names tables as measured, which a job that follows the file cannot take");
  }
  if (first.placement != nullptr) {
    made->placement = std::make_shared<const Placement>(
        on_changed(*first.placement, *first.knowledge.cluster, now, first.cluster_file));
  }
  made->knowledge = on_changed(first.knowledge, std::move(now), plans, first.plan_file);
  if (made->placement != nullptr) made->knowledge.look_for_short_calls(*made->placement);
  made->first = &first;
  made->learned = nullptr;  // was found on the network as it was
  return made;
}

class Watch {
 public:
  std::shared_ptr<const WorldVersion> look(const World& first, bool speaks) {
    const std::scoped_lock lock(mutex_);
    if (last_ == nullptr) last_ = std::make_shared<const WorldVersion>(WorldVersion{.world = lasting(first)});
    const auto now = Clock::now();
    if (looked_ && now - *looked_ < between_looks) return last_;
    looked_ = now;
    const Stamps stamps = stamps_of(first);
    const bool is_settled = stamps == seen_;
    seen_ = stamps;
    if (!is_settled || stamps == taken_) return last_;
    taken_ = stamps;
    take(first, speaks);
    return last_;
  }

  std::shared_ptr<const World> world_of(const World& first, const FileTexts& texts) {
    const std::scoped_lock lock(mutex_);
    if (known_ == nullptr || known_->texts != texts) known_ = version_of(first, texts);
    return known_->world;
  }

 private:
  static std::shared_ptr<const WorldVersion> version_of(const World& first, FileTexts texts) {
    std::shared_ptr<const World> world = make_world(first, texts);
    return std::make_shared<const WorldVersion>(WorldVersion{.world = std::move(world), .texts = std::move(texts)});
  }

  void take(const World& first, bool speaks) {
    try {
      FileTexts texts{.cluster = read_text_file(first.cluster_file)};
      if (!first.plan_file.empty()) texts.plan = read_text_file(first.plan_file);
      auto now = version_of(first, std::move(texts));
      if (now->world->fingerprint() != last_->world->fingerprint()) last_ = known_ = std::move(now);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& wrong) {
      if (!speaks) return;
      const std::string what = first.plan_file.empty() ? "cluster file is" : "cluster file or plan file is";
      warn(std::string(wrong.what()) + "\ntrunkline: warning: the changed " + what +
           " not taken; plans stay as they are (TRUNKLINE_FOLLOW)");
    }
  }

  std::mutex mutex_;
  std::optional<Clock::time_point> looked_{};
  Stamps seen_{};   ///< at the last look
  Stamps taken_{};  ///< at the last one whose texts were read
  std::shared_ptr<const WorldVersion> last_{};
  std::shared_ptr<const WorldVersion> known_{};  ///< of the last texts that were asked for: several communicators ask
};

/// Never destroyed: programs may broadcast while static objects are.
Watch& watch() {
  static auto* const instance = with_reserve([] { return new Watch; });
  return *instance;
}

}  // namespace

std::shared_ptr<const World> lasting(const World& first) { return {std::shared_ptr<const void>(), &first}; }

std::shared_ptr<const WorldVersion> look_at_files(const World& first, bool speaks) {
  return with_reserve([&] { return watch().look(first, speaks); });
}

std::shared_ptr<const World> world_of(const World& first, const FileTexts& texts) {
  return with_reserve([&] { return watch().world_of(first, texts); });
}

}  // namespace trunkline::runtime
