// SPDX-License-Identifier: Apache-2.0
// The content of a folder that is copied, as rank 0 finds it and all hosts make it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "source.hpp"

namespace trunkline::copy {

struct Entry {
  enum class Kind : std::uint32_t { folder, file, link };
  Kind kind = Kind::file;
  std::string path;  ///< the copied folder's name first, without "." and ".."
  std::string text;  ///< of a link: where it leads
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::int64_t changed_s = 0;  ///< its time of change
  std::int64_t changed_ns = 0;
  Identity identity{};  ///< on rank 0 alone
};

struct Listing {
  std::vector<Entry> entries;         ///< a folder before its content
  std::vector<std::string> left_out;  ///< what cannot be copied, and why
  std::string failure;                ///< why nothing can be
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  ///< of all files
};

/// Of a folder, which may be named by a link. Links in it are not followed. `target`: where copies go on this host: a
/// folder that has it in it would be copied into itself.
[[nodiscard]] Listing listing_of(const std::string& folder, const struct stat& target);

/// As bytes, and back.
[[nodiscard]] std::string packed(const std::vector<Entry>& entries);
[[nodiscard]] std::vector<Entry> unpacked(const std::string& bytes);

/// The folder that an entry is in, and its name there.
[[nodiscard]] std::string folder_of(const Entry& entry);
[[nodiscard]] std::string name_of(const Entry& entry);

}  // namespace trunkline::copy
