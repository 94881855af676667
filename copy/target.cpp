// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace trunkline::copy {

Target::Target(const std::string& folder, const Facts& facts, std::uint64_t block_bytes, std::string failure,
               bool is_sender)
    : name_(folder + "/" + facts.name.data()),
      hidden_(folder + "/." + facts.name.data() + ".trunkline-part"),
      facts_(facts),
      blocks_{.file_bytes = facts.bytes, .block_bytes = block_bytes},
      failure_(std::move(failure)) {
  if (failure_.empty()) look_at_folder(is_sender);
}

void Target::look_at_folder(bool is_sender) {
  struct stat there {};
  const bool has_whole = stat(name_.c_str(), &there) == 0;
  if (has_whole && S_ISDIR(there.st_mode)) return fail(name_ + " is a folder");
  is_source_ = is_sender && has_whole && there.st_dev == facts_.device && there.st_ino == facts_.inode;
  if (is_source_) return;
  open_hidden(0);
  if (!failure_.empty()) return;
  held_ = file_;
  if (held_ < 0 && has_whole && static_cast<std::uint64_t>(there.st_size) == facts_.bytes) {
    held_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  }
}

/// In a folder that everybody may write to, somebody else's file or link may have that name.
void Target::open_hidden(int flags) {
  file_ = open(hidden_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, S_IRUSR | S_IWUSR);
  if (file_ < 0) {
    if (flags != 0 || errno != ENOENT) failure_ = "cannot write " + hidden_ + ": " + std::strerror(errno);
    return;
  }
  struct stat there {};
  if (fstat(file_, &there) != 0 || !S_ISREG(there.st_mode) || there.st_uid != geteuid()) {
    failure_ = hidden_ + " is another user's: remove it";
  } else if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    failure_ = hidden_ + " is being written: another copy is under way";
  }
  if (failure_.empty()) return;
  close(file_);  // and it stays there
  file_ = -1;
}

Target::~Target() {
  if (held_ >= 0 && held_ != file_) close(held_);
  if (file_ >= 0) close(file_);
}

const std::vector<bool>& Target::compare(const std::vector<Digest>& digests) {
  lacks_.assign(blocks_.count(), !is_source_ && failure_.empty());
  if (held_ < 0 || !failure_.empty()) return lacks_;
  std::vector<std::byte> data(std::min(blocks_.block_bytes, blocks_.file_bytes));
  for (std::uint64_t block = 0; block < blocks_.count(); ++block) {
    const std::span<std::byte> bytes(data.data(), blocks_.bytes(block));
    const bool has_it = read_block(held_, blocks_.offset(block), bytes) == 0 && digest_of(bytes) == digests[block];
    lacks_[block] = !has_it;
  }
  // A whole file of another content stays as it is until the new one takes its name.
  const bool lacks_any = std::find(lacks_.begin(), lacks_.end(), true) != lacks_.end();
  if (held_ != file_ && lacks_any) lacks_.assign(lacks_.size(), true);
  return lacks_;
}

void Target::lack_all() { lacks_.assign(blocks_.count(), !is_source_ && failure_.empty()); }

void Target::start() {
  const bool is_there = held_ >= 0 && held_ != file_ && std::find(lacks_.begin(), lacks_.end(), true) == lacks_.end();
  if (!failure_.empty() || is_source_ || file_ >= 0 || is_there) return;
  open_hidden(O_CREAT);
  if (!failure_.empty()) return;
  // A disk without room says so now; file systems that reserve none are asked block by block.
  if (facts_.bytes > 0 && fallocate(file_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(facts_.bytes)) != 0 &&
      (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)) {
    fail_with_errno("cannot write " + name_);
  }
}

void Target::write(Buffer& buffer) {
  if (file_ < 0 || !failure_.empty() || !lacks_[buffer.block()]) return;
  if (digest_of(buffer.data()) != buffer.trailer().digest) {
    return fail("block " + std::to_string(buffer.block()) + " of " + name_ +
                " arrived with other bytes than were sent");
  }
  std::span<const std::byte> data = buffer.data();
  std::uint64_t offset = blocks_.offset(buffer.block());
  while (!data.empty()) {
    const ssize_t put = pwrite(file_, data.data(), data.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_with_errno("cannot write " + name_);
    data = data.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void Target::finish(bool reads_back, const std::vector<Digest>& digests) {
  if (!failure_.empty() || is_source_) return;
  const int file = file_ >= 0 ? file_ : held_;
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(facts_.bytes)) != 0) {
    return fail_with_errno("cannot write " + name_);
  }
  if (reads_back) check_disk(digests);
  if (!failure_.empty()) return;
  if (geteuid() == 0 && fchown(file, facts_.user, facts_.group) != 0) {
    return fail_with_errno("cannot give " + name_ + " to its owner");
  }
  if (fchmod(file, facts_.mode) != 0) return fail_with_errno("cannot set the rights of " + name_);
  const std::array<timespec, 2> times{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                      timespec{.tv_sec = facts_.changed_s, .tv_nsec = facts_.changed_ns}};
  if (futimens(file, times.data()) != 0) return fail_with_errno("cannot set the time of " + name_);
  if (file_ >= 0 && rename(hidden_.c_str(), name_.c_str()) != 0) fail_with_errno("cannot write " + name_);
}

void Target::check_disk(const std::vector<Digest>& digests) {
  const int file = file_ >= 0 ? file_ : held_;
  if (fsync(file) != 0) return fail_with_errno("cannot write " + name_);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);  // else memory would answer
  std::vector<std::byte> data(std::min(blocks_.block_bytes, blocks_.file_bytes));
  for (std::uint64_t block = 0; block < blocks_.count(); ++block) {
    const std::span<std::byte> bytes(data.data(), blocks_.bytes(block));
    const int error = read_block(file, blocks_.offset(block), bytes);
    if (error != 0) return fail("cannot read " + name_ + " back: " + std::strerror(error));
    if (digest_of(bytes) != digests[block]) {
      return fail("block " + std::to_string(block) + " of " + name_ + " is not on the disk as it was written");
    }
  }
}

void Target::fail(const std::string& why) {
  if (!failure_.empty()) return;
  failure_ = why;
  if (file_ >= 0) unlink(hidden_.c_str());
}

void Target::fail_with_errno(const std::string& what) { fail(what + ": " + std::strerror(errno)); }

}  // namespace trunkline::copy
