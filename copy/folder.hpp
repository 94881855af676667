// SPDX-License-Identifier: Apache-2.0
// The folder that copies go to. It is opened once, and whatever is done in it goes by that descriptor: another user who
// exchanges a part of its path meanwhile changes nothing.
#pragma once

#include <sys/stat.h>

#include <string>
#include <utility>

namespace trunkline::copy {

/// Of an open file; it closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  void close() { *this = Descriptor(); }

 private:
  int number_ = -1;
};

struct Folder {
  std::string path;     ///< for messages
  Descriptor opened;    ///< names in it can be looked up and changed, no more
  std::string failure;  ///< why nothing can be written there

  [[nodiscard]] std::string path_of(const std::string& name) const { return path + "/" + name; }
  /// What has that name, a link itself; false with errno where there is nothing.
  [[nodiscard]] bool look_at(const std::string& name, struct stat& found) const;
  /// Whether that name is the open file's.
  [[nodiscard]] bool has(const std::string& name, const Descriptor& file) const;
};

/// Opens a folder, and makes the parts of its path that are missing. Links on the way are followed where root or the
/// caller has made them: another user's could lead anywhere.
[[nodiscard]] Folder make_folder(const std::string& path);

/// Opens one below a folder, in which no link is followed; `path` has neither "." nor ".." in it, and may be empty.
[[nodiscard]] Folder folder_below(const Folder& top, const std::string& path);

}  // namespace trunkline::copy
