// SPDX-License-Identifier: Apache-2.0
// One host's copy: under a hidden name until all of it is there. The first thing that fails is kept, its hidden file is
// removed, and whatever is asked after that does nothing.
//
// Other users may write to the folder, too. Bytes are taken from, and rights given to, no file but one that an earlier
// copy may have made: a regular file without a second name (a hard link), and of an owner who may have it. What else
// has the copy's name is replaced as the copy takes it, never followed, read or changed; a folder is not. What else has
// the hidden name is refused.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "blocks.hpp"
#include "folder.hpp"
#include "source.hpp"

namespace trunkline::copy {

/// Rights that mean something else under another owner.
inline constexpr mode_t bound_to_owner = S_ISUID | S_ISGID | S_ISVTX;

/// Under which name a copy grows. A later command finds it by that name, so it follows from the file's; where it would
/// be too long for the file system, from a digest of it.
[[nodiscard]] std::string hidden_name(const std::string& name, const Folder& folder);
/// Whether a name is such a one: a file that has it would be taken for what a copy has left.
[[nodiscard]] bool is_of_a_copy(const std::string& name);

class Target {
 public:
  /// `is_sender`: the source is on this host. The folder outlives it.
  Target(const Folder& folder, const Facts& facts, std::uint64_t block_bytes, bool is_sender);
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// There is something that blocks of the source may be compared with: a part of an earlier copy, or a whole file.
  [[nodiscard]] bool holds_something() const { return file_.is_open() || whole_.is_open(); }
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
  void open_part();
  void make_part();
  void claim_part(Descriptor part);
  void open_whole();
  [[nodiscard]] std::string fault_of_part(const struct stat& there) const;
  [[nodiscard]] bool may_be_taken(const struct stat& there) const;
  [[nodiscard]] bool is_writable_by_more(const struct stat& there) const;
  [[nodiscard]] std::uint32_t rights(const struct stat& of) const;
  [[nodiscard]] bool is_as_copied(const struct stat& there) const;
  [[nodiscard]] const Descriptor& held() const { return file_.is_open() ? file_ : whole_; }
  [[nodiscard]] bool is_complete() const;
  void finish_whole();
  void set_owner_rights_time(const Descriptor& file);
  void take_name();
  void fail_with_errno(const std::string& what);
  void check_disk(const std::vector<Digest>& digests);

  const Folder& folder_;
  std::string name_;    ///< in the folder, in the end
  std::string hidden_;  ///< until then
  std::string path_;    ///< of both, for messages
  std::string hidden_path_;
  Facts facts_;
  Blocks blocks_;
  std::vector<bool> lacks_;
  std::string failure_;
  Descriptor whole_;  ///< a file of that name that may be taken as it is
  Descriptor file_;   ///< the hidden file, locked
  bool is_source_ = false;
};

}  // namespace trunkline::copy
