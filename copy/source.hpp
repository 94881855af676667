// SPDX-License-Identifier: Apache-2.0
// The file that is copied, on rank 0's host.
#pragma once

#include <sys/stat.h>

#include <array>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "blocks.hpp"

namespace trunkline::copy {

/// What every rank needs to know of a file before its bytes come; sent as it is.
struct Facts {
  std::array<char, PATH_MAX> name{};  ///< without its folder
  bool can_be_read = false;           ///< else rank 0 knows why not
  std::uint64_t bytes = 0;
  std::int64_t changed_s = 0;  ///< its time of change
  std::int64_t changed_ns = 0;
  std::uint64_t folder_device = 0;  ///< with the inode: the folder that it is in, on rank 0's host
  std::uint64_t folder_inode = 0;
  std::uint32_t mode = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

/// Which file it is, whatever its name.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
};

class Source {
 public:
  /// `listed`: which file it must be still, since other users may rename folders on its way; no link is followed then.
  /// Null: the one that has that name, which may be a link's.
  explicit Source(const std::string& file, const Identity* listed = nullptr);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] const Facts& facts() const { return facts_; }
  /// Why it cannot be read; empty: it can.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  /// Fills a buffer with a block; the error of a read is in its trailer.
  void read(const Blocks& blocks, std::uint64_t block, Buffer& buffer) const;
  /// Whether somebody has written to it since it was opened.
  [[nodiscard]] bool has_changed() const;

 private:
  void look_at(const std::string& file, const Identity* listed);
  [[nodiscard]] bool is_regular(const std::string& file, const struct stat& of);

  int file_ = -1;
  Facts facts_;
  std::string failure_;
};

/// Reads a whole block from an open file; errno, or 0. A file that ends before is EIO.
[[nodiscard]] int read_block(int file, std::uint64_t offset, std::span<std::byte> data);

}  // namespace trunkline::copy
