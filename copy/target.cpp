// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <span>

namespace trunkline::copy {
namespace {

constexpr mode_t written_by_others = S_IWGRP | S_IWOTH;
constexpr const char* part_end = ".trunkline-part";
/// A link is no file, and nothing is waited for: a pipe, a terminal.
constexpr int careful = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

}  // namespace

bool is_of_a_copy(const std::string& name) { return name.starts_with('.') && name.ends_with(part_end); }

std::string hidden_name(const std::string& name, const Folder& folder) {
  std::string hidden = "." + name + part_end;
  struct statvfs of {};
  std::size_t most = NAME_MAX;  // of a name that is longer in letters than that, some file systems count letters
  if (fstatvfs(folder.opened.get(), &of) == 0 && of.f_namemax > 0) most = std::min<std::size_t>(most, of.f_namemax);
  if (hidden.size() <= most) return hidden;
  const Digest digest = digest_of(std::as_bytes(std::span(name)));
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(digest.high),
                static_cast<unsigned long long>(digest.low));
  return "." + std::string(text.data()) + part_end;
}

Target::Target(const Folder& folder, const Facts& facts, std::uint64_t block_bytes, bool is_sender)
    : folder_(folder),
      name_(facts.name.data()),
      path_(folder.path_of(name_)),
      facts_(facts),
      blocks_{.file_bytes = facts.bytes, .block_bytes = block_bytes},
      failure_(folder.failure) {
  if (!failure_.empty()) return;
  hidden_ = hidden_name(name_, folder);
  hidden_path_ = folder.path_of(hidden_);
  look_at_folder(is_sender);
}

void Target::look_at_folder(bool is_sender) {
  struct stat there {};
  const bool has_some = folder_.look_at(name_, there);
  if (!has_some && errno != ENOENT) return fail_with_errno("cannot write " + path_);
  if (has_some && S_ISDIR(there.st_mode)) return fail(path_ + " is a folder");
  struct stat of_folder {};
  if (fstat(folder_.opened.get(), &of_folder) != 0) return fail_with_errno("cannot read " + folder_.path);
  is_source_ = is_sender && of_folder.st_dev == facts_.folder_device && of_folder.st_ino == facts_.folder_inode;
  if (is_source_) return;
  open_part();
  if (failure_.empty() && !file_.is_open() && has_some && may_be_taken(there)) open_whole();
}

/// In a folder that others may write to, somebody else's file or link may have that name.
std::string Target::fault_of_part(const struct stat& there) const {
  if (S_ISLNK(there.st_mode)) return "cannot write " + hidden_path_ + ": it is a link: remove it";
  if (!S_ISREG(there.st_mode)) return "cannot write " + hidden_path_ + ": it is no regular file: remove it";
  if (there.st_uid != geteuid()) return hidden_path_ + " is another user's: remove it";
  if (there.st_nlink > 1) return hidden_path_ + " has another name, too (it is a hard link): remove it";
  if (is_writable_by_more(there)) return hidden_path_ + " may be written by other users: remove it";
  return {};
}

/// What an earlier copy has left, where there is some.
void Target::open_part() {
  struct stat there {};
  if (!folder_.look_at(hidden_, there)) {
    if (errno != ENOENT) fail_with_errno("cannot write " + hidden_path_);
    return;
  }
  if (const std::string fault = fault_of_part(there); !fault.empty()) return fail(fault);
  Descriptor part(openat(folder_.opened.get(), hidden_.c_str(), O_RDWR | careful));
  if (part.is_open()) return claim_part(std::move(part));
  if (errno != ENOENT) fail_with_errno("cannot write " + hidden_path_);
}

void Target::make_part() {
  Descriptor part(
      openat(folder_.opened.get(), hidden_.c_str(), O_RDWR | O_CREAT | O_EXCL | careful, S_IRUSR | S_IWUSR));
  if (part.is_open()) return claim_part(std::move(part));
  if (errno != EEXIST) return fail_with_errno("cannot write " + hidden_path_);
  struct stat there {};
  std::string fault = folder_.look_at(hidden_, there) ? fault_of_part(there) : "";
  fail(fault.empty() ? hidden_path_ + " is being written: another copy is under way" : fault);
}

/// What was opened may be another one than was looked at before, and another copy may have ended since: then the lock
/// is ours, but the file has its name already.
void Target::claim_part(Descriptor part) {
  struct stat there {};
  if (fstat(part.get(), &there) != 0) return fail_with_errno("cannot write " + hidden_path_);
  if (const std::string fault = fault_of_part(there); !fault.empty()) return fail(fault);
  if (flock(part.get(), LOCK_EX | LOCK_NB) != 0 || !folder_.has(hidden_, part)) {
    return fail(hidden_path_ + " is being written: another copy is under way");
  }
  file_ = std::move(part);
}

/// Whether users who may not write to the source might have written to it.
bool Target::is_writable_by_more(const struct stat& there) const {
  return (there.st_mode & written_by_others & ~facts_.mode) != 0;
}

/// Whether a file of the copy's name may be what an earlier copy has made: its bytes are compared, and its rights set.
/// Who owns it could make other bytes of the same digest, and so must be who could as well have changed the copy: the
/// caller, root, or the owner that it gets. None but root changes root's files.
bool Target::may_be_taken(const struct stat& there) const {
  if (!S_ISREG(there.st_mode) || there.st_nlink != 1 || static_cast<std::uint64_t>(there.st_size) != facts_.bytes) {
    return false;
  }
  if (is_writable_by_more(there)) return false;
  const uid_t caller = geteuid();
  if (there.st_uid == caller) return true;
  if (caller != 0) return there.st_uid == 0 && is_as_copied(there);
  return there.st_uid == facts_.user && (facts_.mode & bound_to_owner) == 0;
}

void Target::open_whole() {
  Descriptor file(openat(folder_.opened.get(), name_.c_str(), O_RDONLY | careful));
  struct stat there {};
  if (file.is_open() && fstat(file.get(), &there) == 0 && may_be_taken(there)) whole_ = std::move(file);
}

const std::vector<bool>& Target::compare(const std::vector<Digest>& digests) {
  lacks_.assign(blocks_.count(), !is_source_ && failure_.empty());
  if (!holds_something() || !failure_.empty()) return lacks_;
  std::vector<std::byte> data(std::min(blocks_.block_bytes, blocks_.file_bytes));
  for (std::uint64_t block = 0; block < blocks_.count(); ++block) {
    const std::span<std::byte> bytes(data.data(), blocks_.bytes(block));
    const bool has_it =
        read_block(held().get(), blocks_.offset(block), bytes) == 0 && digest_of(bytes) == digests[block];
    lacks_[block] = !has_it;
  }
  // A whole file of another content stays as it is until the new one takes its name.
  if (whole_.is_open() && !is_complete()) lacks_.assign(lacks_.size(), true);
  return lacks_;
}

void Target::lack_all() { lacks_.assign(blocks_.count(), !is_source_ && failure_.empty()); }

bool Target::is_complete() const { return std::find(lacks_.begin(), lacks_.end(), true) == lacks_.end(); }

void Target::start() {
  if (!failure_.empty() || is_source_ || file_.is_open()) return;
  if (whole_.is_open() && is_complete()) return;
  whole_.close();
  make_part();
  if (!failure_.empty()) return;
  // A disk without room says so now; file systems that reserve none are asked block by block.
  if (facts_.bytes > 0 && fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(facts_.bytes)) != 0 &&
      (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    fail_with_errno("cannot write " + path_);
  }
}

void Target::write(Buffer& buffer) {
  if (!file_.is_open() || !failure_.empty() || !lacks_[buffer.block()]) return;
  if (digest_of(buffer.data()) != buffer.trailer().digest) {
    return fail("block " + std::to_string(buffer.block()) + " of " + path_ +
                " arrived with other bytes than were sent");
  }
  std::span<const std::byte> data = buffer.data();
  std::uint64_t offset = blocks_.offset(buffer.block());
  while (!data.empty()) {
    const ssize_t put = pwrite(file_.get(), data.data(), data.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_with_errno("cannot write " + path_);
    data = data.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void Target::finish(bool reads_back, const std::vector<Digest>& digests) {
  if (!failure_.empty() || is_source_) return;
  if (file_.is_open() && ftruncate(file_.get(), static_cast<off_t>(facts_.bytes)) != 0) {
    return fail_with_errno("cannot write " + path_);
  }
  if (reads_back) check_disk(digests);
  if (!failure_.empty()) return;
  if (!file_.is_open()) return finish_whole();
  set_owner_rights_time(file_);
  if (failure_.empty()) take_name();
}

/// The file was there, with all its bytes.
void Target::finish_whole() {
  struct stat there {};
  if (fstat(whole_.get(), &there) != 0) return fail_with_errno("cannot read " + path_);
  if (!may_be_taken(there) || !folder_.has(name_, whole_)) {
    return fail(path_ + " was changed or replaced while it was compared: copy it again");
  }
  if (!is_as_copied(there)) set_owner_rights_time(whole_);
}

/// Of an open file. Who has set-user-ID or set-group-ID programs under another owner runs them with other rights than
/// was meant: as with 'cp -p', these go with the owner and the group, and the sticky bit with them.
std::uint32_t Target::rights(const struct stat& of) const {
  const bool is_kept = of.st_uid == facts_.user && of.st_gid == facts_.group;
  return is_kept ? facts_.mode : facts_.mode & ~bound_to_owner;
}

/// Owner, rights and time are what they would be made. A user's copy has the user's group, or the folder's.
bool Target::is_as_copied(const struct stat& there) const {
  const bool has_owner = geteuid() != 0 || (there.st_uid == facts_.user && there.st_gid == facts_.group);
  return has_owner && (there.st_mode & 07777U) == rights(there) && there.st_mtim.tv_sec == facts_.changed_s &&
         there.st_mtim.tv_nsec == facts_.changed_ns;
}

/// The owner first: a change of it takes bits away, and which rights it gets depends on the owner that it has then.
void Target::set_owner_rights_time(const Descriptor& file) {
  if (geteuid() == 0 && fchown(file.get(), facts_.user, facts_.group) != 0) {
    return fail_with_errno("cannot give " + path_ + " to its owner");
  }
  struct stat now {};
  if (fstat(file.get(), &now) != 0 || fchmod(file.get(), rights(now)) != 0) {
    return fail_with_errno("cannot set the rights of " + path_);
  }
  const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                      timespec{.tv_sec = facts_.changed_s, .tv_nsec = facts_.changed_ns}};
  if (futimens(file.get(), times.data()) != 0) fail_with_errno("cannot set the time of " + path_);
}

/// Takes the place of a file, a link, a pipe or the like of that name; what a link leads to is not touched.
void Target::take_name() {
  const int in = folder_.opened.get();
  if (!folder_.has(hidden_, file_)) return fail(hidden_path_ + " was replaced while it was written: copy it again");
  if (renameat(in, hidden_.c_str(), in, name_.c_str()) != 0) return fail_with_errno("cannot write " + path_);
  if (!folder_.has(name_, file_)) fail(path_ + " was replaced by another file as it took its name: copy it again");
}

void Target::check_disk(const std::vector<Digest>& digests) {
  const int file = held().get();
  if (fsync(file) != 0) return fail_with_errno("cannot write " + path_);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);  // else memory would answer
  std::vector<std::byte> data(std::min(blocks_.block_bytes, blocks_.file_bytes));
  for (std::uint64_t block = 0; block < blocks_.count(); ++block) {
    const std::span<std::byte> bytes(data.data(), blocks_.bytes(block));
    const int error = read_block(file, blocks_.offset(block), bytes);
    if (error != 0) return fail("cannot read " + path_ + " back: " + std::strerror(error));
    if (digest_of(bytes) != digests[block]) {
      return fail("block " + std::to_string(block) + " of " + path_ + " is not on the disk as it was written");
    }
  }
}

void Target::fail(const std::string& why) {
  if (!failure_.empty()) return;
  failure_ = why;
  if (file_.is_open() && folder_.has(hidden_, file_)) unlinkat(folder_.opened.get(), hidden_.c_str(), 0);
}

void Target::fail_with_errno(const std::string& what) { fail(what + ": " + std::strerror(errno)); }

}  // namespace trunkline::copy
