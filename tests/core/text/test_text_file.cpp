// SPDX-License-Identifier: Apache-2.0
// What is no regular file, or is too large for what we read, is refused at once.
#include "text/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/measured/measurement.hpp"
#include "network/file/cluster_file.hpp"
#include "plan_file/plan_file.hpp"
#include "tuning/tuning_file.hpp"

namespace trunkline {
namespace {

class TextFile : public ::testing::Test {
 protected:
  TextFile() { std::filesystem::create_directory(folder_); }
  ~TextFile() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("trunkline-text-file-" + std::to_string(getpid()));
};

std::string refused(const std::string& path) {
  try {
    static_cast<void>(read_text_file(path));
  } catch (const FaultyFile& faulty) {
    return faulty.what();
  }
  return "read";
}

TEST_F(TextFile, IsReadWhole) {
  const std::string text = std::string(200'000, 'x') + '\0' + "y\n";
  std::ofstream(path("f")) << text;
  EXPECT_EQ(read_text_file(path("f")), text);
  std::ofstream(path("empty")).flush();
  EXPECT_EQ(read_text_file(path("empty")), "");
  std::filesystem::create_symlink("f", path("link"));
  EXPECT_EQ(read_text_file(path("link")), text);
}

TEST_F(TextFile, HasToBeThere) {
  EXPECT_EQ(refused(path("none")), path("none") + ": cannot be read: No such file or directory");
}

TEST_F(TextFile, IsNoPipe) {
  // Nobody writes: to open it as any file would wait for ever.
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused(path("pipe")), path("pipe") + ": is not a regular file");
}

TEST_F(TextFile, IsNoDeviceAndNoFolder) {
  EXPECT_EQ(refused("/dev/zero"), "/dev/zero: is not a regular file");
  EXPECT_EQ(refused("/dev/null"), "/dev/null: is not a regular file");
  EXPECT_EQ(refused(path("")), path("") + ": is not a regular file");
}

TEST_F(TextFile, IsNotTooLarge) {
  std::ofstream(path("large")).flush();
  std::filesystem::resize_file(path("large"), largest_text_file);
  EXPECT_EQ(refused(path("large")), "read");
  std::filesystem::resize_file(path("large"), largest_text_file + 1);
  EXPECT_EQ(refused(path("large")), path("large") + ": is larger than 64MiB, more than any file of Trunkline needs");
}

TEST_F(TextFile, AllReadersRefuseWhatIsNone) {
  EXPECT_THROW(static_cast<void>(read_cluster("/dev/zero")), FaultyFile);
  EXPECT_THROW(static_cast<void>(read_plan("/dev/zero")), FaultyFile);
  EXPECT_THROW(static_cast<void>(read_tuning("/dev/zero")), FaultyFile);
  EXPECT_THROW(static_cast<void>(read_measurement("/dev/zero")), FaultyFile);
}

}  // namespace
}  // namespace trunkline
