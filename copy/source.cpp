// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace trunkline::copy {

Source::Source(const std::string& file, const Identity* listed) { look_at(file, listed); }

bool Source::is_regular(const std::string& file, const struct stat& of) {
  if (!S_ISREG(of.st_mode)) failure_ = file + " is no regular file";
  return failure_.empty();
}

/// It is looked at before it is opened, since some devices do something then, and afterwards, since it may be another
/// one by then: a pipe, which would be waited for.
void Source::look_at(const std::string& file, const Identity* listed) {
  const std::filesystem::path path(file);
  const std::string folder = path.has_parent_path() ? path.parent_path() : ".";
  struct stat of {};
  struct stat of_folder {};
  const int at_link = listed == nullptr ? 0 : AT_SYMLINK_NOFOLLOW;
  bool is_seen = stat(folder.c_str(), &of_folder) == 0 && fstatat(AT_FDCWD, file.c_str(), &of, at_link) == 0;
  if (is_seen && !is_regular(file, of)) return;
  if (is_seen)
    file_ = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (listed == nullptr ? 0 : O_NOFOLLOW));
  is_seen = is_seen && file_ >= 0 && fstat(file_, &of) == 0;
  if (!is_seen) {
    failure_ = "cannot read " + file + ": " + std::strerror(errno);
    return;
  }
  if (!is_regular(file, of)) return;
  if (listed != nullptr && (of.st_dev != listed->device || of.st_ino != listed->inode)) {
    failure_ = file + " is another file than was listed: copy it again";
    return;
  }
  const std::string name = path.filename();
  if (name.size() >= facts_.name.size()) {
    failure_ = file + ": its name is longer than " + std::to_string(facts_.name.size() - 1) + " bytes";
    return;
  }
  name.copy(facts_.name.data(), facts_.name.size() - 1);
  posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  facts_.can_be_read = true;
  facts_.bytes = static_cast<std::uint64_t>(of.st_size);
  facts_.changed_s = of.st_mtim.tv_sec;
  facts_.changed_ns = of.st_mtim.tv_nsec;
  facts_.folder_device = of_folder.st_dev;
  facts_.folder_inode = of_folder.st_ino;
  facts_.mode = of.st_mode & 07777U;
  facts_.user = of.st_uid;
  facts_.group = of.st_gid;
}

Source::~Source() {
  if (file_ >= 0) close(file_);
}

void Source::read(const Blocks& blocks, std::uint64_t block, Buffer& buffer) const {
  buffer.hold(block, blocks.bytes(block));
  const int error = read_block(file_, blocks.offset(block), buffer.data());
  buffer.set_trailer({.digest = digest_of(buffer.data()), .error = static_cast<std::uint64_t>(error)});
}

bool Source::has_changed() const {
  struct stat now {};
  return fstat(file_, &now) != 0 || static_cast<std::uint64_t>(now.st_size) != facts_.bytes ||
         now.st_mtim.tv_sec != facts_.changed_s || now.st_mtim.tv_nsec != facts_.changed_ns;
}

int read_block(int file, std::uint64_t offset, std::span<std::byte> data) {
  while (!data.empty()) {
    const ssize_t got = pread(file, data.data(), data.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    data = data.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return 0;
}

}  // namespace trunkline::copy
