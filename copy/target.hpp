// SPDX-License-Identifier: Apache-2.0
// One host's copy: under a hidden name until all of it is there. The first thing that fails is kept, its hidden file is
// removed, and whatever is asked after that does nothing.
#pragma once

#include <string>
#include <vector>

#include "blocks.hpp"
#include "source.hpp"

namespace trunkline::copy {

class Target {
 public:
  /// `failure`: why nothing can be written into the folder, or empty. `is_sender`: the source is on this host.
  Target(const std::string& folder, const Facts& facts, std::uint64_t block_bytes, std::string failure, bool is_sender);
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// There is something that blocks of the source may be compared with: a part of an earlier copy, or a whole file.
  [[nodiscard]] bool holds_something() const { return held_ >= 0; }
  /// Which blocks it lacks, by the digests of all blocks.
  [[nodiscard]] const std::vector<bool>& compare(const std::vector<Digest>& digests);
  /// It lacks every block.
  void lack_all();
  /// Before blocks are written: opens the hidden file. Does nothing where no block is lacking.
  void start();
  /// A block that it does not lack is left as it is.
  void write(Buffer& buffer);
  /// All blocks are written: rights, time, name. With `reads_back`, what is on the disk is compared with `digests`
  /// before.
  void finish(bool reads_back, const std::vector<Digest>& digests);
  void fail(const std::string& why);
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  void look_at_folder(bool is_sender);
  void open_hidden(int flags);
  void fail_with_errno(const std::string& what);
  void check_disk(const std::vector<Digest>& digests);

  std::string name_;    ///< in the end
  std::string hidden_;  ///< until then
  Facts facts_;
  Blocks blocks_;
  std::vector<bool> lacks_;
  std::string failure_;
  int held_ = -1;  ///< what is compared with; the hidden file where there was one
  int file_ = -1;  ///< the hidden file, locked
  bool is_source_ = false;
};

}  // namespace trunkline::copy
