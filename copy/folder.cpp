// SPDX-License-Identifier: Apache-2.0
#include "folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>

namespace trunkline::copy {
namespace {

constexpr int most_links = 40;  ///< as the kernel follows
constexpr int folder_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t rights_of_folders = S_IRWXU | S_IRWXG | S_IRWXO;

/// A name of a path. What a link leads to is not made: a disk that is not mounted would be made as a folder.
struct Part {
  std::string name;
  bool may_be_made = false;
};

std::deque<Part> parts_of(const std::string& path, bool may_be_made) {
  std::deque<Part> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string name = path.substr(at, end - at);
    if (!name.empty() && name != ".") parts.push_back({name, may_be_made});
    at = end + 1;
  }
  return parts;
}

/// Follows a path name by name, so that no link is followed that was not looked at.
class Walk {
 public:
  explicit Walk(const std::string& path) : left_(parts_of(path, true)), path_(path) {
    open_start(path);
    struct stat top {};
    if (stat("/", &top) == 0) owner_of_all_ = top.st_uid;
  }

  Folder go() {
    while (at_.is_open() && failure_.empty() && !left_.empty()) {
      const Part part = left_.front();
      left_.pop_front();
      Descriptor next = enter(part);
      if (next.is_open()) {
        at_ = std::move(next);
        seen_ += (seen_.empty() || seen_.back() == '/' ? "" : "/") + part.name;
      } else if (errno == ENOTDIR || errno == ELOOP) {
        follow(part.name);
      } else {
        fail(std::strerror(errno));
      }
    }
    if (!failure_.empty()) at_.close();
    return {.path = path_, .opened = std::move(at_), .failure = failure_};
  }

 private:
  void open_start(const std::string& path) {
    const bool is_absolute = !path.empty() && path.front() == '/';
    seen_ = is_absolute ? "/" : "";
    at_ = Descriptor(open(is_absolute ? "/" : ".", folder_flags));
    if (!at_.is_open()) fail(std::strerror(errno));
  }

  Descriptor enter(const Part& part) const {
    Descriptor next(openat(at_.get(), part.name.c_str(), folder_flags));
    if (next.is_open() || errno != ENOENT || !part.may_be_made) return next;
    // Another host's rank may make the same one.
    if (mkdirat(at_.get(), part.name.c_str(), rights_of_folders) != 0 && errno != EEXIST) return next;
    return Descriptor(openat(at_.get(), part.name.c_str(), folder_flags));
  }

  /// The link is opened first, so that the one that was looked at is read.
  void follow(const std::string& name) {
    const std::string where = seen_ + (seen_.empty() || seen_.back() == '/' ? "" : "/") + name;
    const Descriptor link(openat(at_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat there {};
    if (!link.is_open() || fstat(link.get(), &there) != 0) return fail(std::strerror(errno));
    if (!S_ISLNK(there.st_mode)) return fail(where + " is no folder");
    // The owner of "/" may change all that is below it. It is root, in a namespace of a user's by another number.
    if (there.st_uid != 0 && there.st_uid != geteuid() && there.st_uid != owner_of_all_) {
      return fail(where + " is a link of user " + std::to_string(there.st_uid) + ": name the folder that it leads to");
    }
    std::array<char, PATH_MAX> text{};
    const ssize_t length = readlinkat(link.get(), "", text.data(), text.size());
    if (length < 0) return fail(std::strerror(errno));
    if (length == 0 || static_cast<std::size_t>(length) == text.size()) return fail(where + " leads nowhere");
    if (++links_ > most_links) return fail(std::strerror(ELOOP));
    const std::string leads_to(text.data(), static_cast<std::size_t>(length));
    if (leads_to.front() == '/') open_start(leads_to);
    const std::deque<Part> parts = parts_of(leads_to, false);
    left_.insert(left_.begin(), parts.begin(), parts.end());
  }

  void fail(const std::string& why) { failure_ = "cannot make folder " + path_ + ": " + why; }

  Descriptor at_;
  std::deque<Part> left_;
  std::string path_;
  std::string seen_;  ///< what was walked, for messages
  std::string failure_;
  uid_t owner_of_all_ = 0;
  int links_ = 0;
};

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

bool Folder::look_at(const std::string& name, struct stat& found) const {
  return fstatat(opened.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

bool Folder::has(const std::string& name, const Descriptor& file) const {
  struct stat named {};
  struct stat open_one {};
  return look_at(name, named) && fstat(file.get(), &open_one) == 0 && named.st_dev == open_one.st_dev &&
         named.st_ino == open_one.st_ino;
}

Folder make_folder(const std::string& path) { return Walk(path).go(); }

Folder folder_below(const Folder& top, const std::string& path) {
  Folder below{.path = path.empty() ? top.path : top.path_of(path), .opened = {}, .failure = top.failure};
  if (!below.failure.empty()) return below;
  below.opened = Descriptor(openat(top.opened.get(), ".", folder_flags));
  for (const Part& part : parts_of(path, false)) {
    if (below.opened.is_open()) below.opened = Descriptor(openat(below.opened.get(), part.name.c_str(), folder_flags));
  }
  if (!below.opened.is_open()) below.failure = "cannot open folder " + below.path + ": " + std::strerror(errno);
  return below;
}

}  // namespace trunkline::copy
