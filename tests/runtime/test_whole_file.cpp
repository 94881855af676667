// SPDX-License-Identifier: Apache-2.0
// Files beside a trace, in folders that others may write to.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "whole_file.hpp"

namespace trunkline::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// The shell's, which stands for a disk that is full: a write beyond it fails.
class LimitOnFiles {
 public:
  explicit LimitOnFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  LimitOnFiles(const LimitOnFiles&) = delete;
  LimitOnFiles& operator=(const LimitOnFiles&) = delete;
  ~LimitOnFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class WholeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename());
    return found;
  }

  static std::string text_of(const fs::path& file) {
    std::ifstream opened(file);
    return {std::istreambuf_iterator<char>(opened), {}};
  }

  /// Of its own for each process: ctest runs these cases beside one another.
  const fs::path folder = fs::path(::testing::TempDir()) / ("trunkline-whole-file-" + std::to_string(getpid()));
  const fs::path file = folder / "kept.yaml";
};

TEST_F(WholeFile, IsAllThatIsLeft) {
  ASSERT_TRUE(write_whole(file, "first"));
  const std::string long_text(std::size_t{1} << 20U, 'x');
  ASSERT_TRUE(write_whole(file, long_text));
  EXPECT_EQ(text_of(file), long_text);
  EXPECT_THAT(names(), ElementsAre("kept.yaml"));
}

TEST_F(WholeFile, TakesTheShellsMask) {
  const mode_t before = umask(027);
  ASSERT_TRUE(write_whole(file, ""));
  umask(before);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
}

TEST_F(WholeFile, ReplacesALinkAndLeavesWhatItLeadsTo) {
  const fs::path victim = folder / "victim";
  ASSERT_TRUE(write_whole(victim, "precious"));
  fs::create_symlink(victim, file);
  ASSERT_TRUE(write_whole(file, "ours"));
  EXPECT_EQ(text_of(victim), "precious");
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_EQ(text_of(file), "ours");
}

TEST_F(WholeFile, SaysWhyItCannotAndLeavesNothing) {
  fs::create_directory(file);
  fs::create_directory(file / "full");
  EXPECT_FALSE(write_whole(file, "text"));
  EXPECT_EQ(errno, EISDIR);
  EXPECT_THAT(names(), ElementsAre("kept.yaml"));
  EXPECT_FALSE(write_whole(folder / "no" / "such", "text"));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(WholeFile, SaysThatTheDiskIsFull) {
  const LimitOnFiles limit(rlim_t{1} << 16U);
  const bool is_written = write_whole(file, std::string(std::size_t{1} << 20U, 'x'));
  const int error = errno;
  EXPECT_FALSE(is_written);
  EXPECT_EQ(error, EFBIG);
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace trunkline::runtime
