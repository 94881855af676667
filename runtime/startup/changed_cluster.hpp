// SPDX-License-Identifier: Apache-2.0
// The cluster file and the plan file of a job that follows them (TRUNKLINE_FOLLOW): who looks at them, and the world
// that follows from them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "startup/world.hpp"

namespace trunkline::runtime {

/// What files held at one time.
struct FileTexts {
  std::string cluster{};
  std::string plan{};  ///< empty: there is no plan file
  friend bool operator==(const FileTexts&, const FileTexts&) = default;
};

/// What they have described.
struct WorldVersion {
  std::shared_ptr<const World> world;
  FileTexts texts{};  ///< empty: as they were in MPI_Init
};

/// The world that the job began with, as a pointer that can be kept: it lives as long as the process.
[[nodiscard]] std::shared_ptr<const World> lasting(const World& first);

/// What the files say now together, as far as it can be taken; else what they said last, after a warning where this
/// process `speaks`. Looks at most four times a second, and takes what has not changed between two looks: it may just
/// be written. `first` is what the job began with. Used by any number of threads.
[[nodiscard]] std::shared_ptr<const WorldVersion> look_at_files(const World& first, bool speaks);

/// The world of texts that another rank has taken. The same on all ranks. Throws std::exception where no rank can have
/// taken them.
[[nodiscard]] std::shared_ptr<const World> world_of(const World& first, const FileTexts& texts);

}  // namespace trunkline::runtime
