// SPDX-License-Identifier: Apache-2.0
// How much is told of a file with very many faults: each rank of a job says it.
#include <gmock/gmock.h>

#include <string>

#include "network/file/cluster_file.hpp"
#include "text/yaml_document.hpp"

namespace trunkline {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<Fault> thrown(Faults& faults) {
  try {
    faults.throw_if_any();
  } catch (const FaultyFile& faulty) {
    return faulty.faults();
  }
  return {};
}

TEST(ManyFaults, AreCounted) {
  Faults faults("file");
  for (std::size_t i = 0; i < Faults::most_told + 5; ++i) faults.add(Position{.line = i + 1, .column = 1}, "wrong");
  EXPECT_EQ(faults.size(), Faults::most_told + 5);
  const auto told = thrown(faults);
  ASSERT_THAT(told, SizeIs(Faults::most_told + 1));
  EXPECT_EQ(told.front().text(), "file:1:1: wrong");
  EXPECT_EQ(told.back().text(), "file: 5 more faults; those that were found first are told");
}

TEST(ManyFaults, OfAClusterFile) {
  std::string text = "trunkline: cluster/1\nhosts: h[0-3]\n";
  for (int i = 0; i < 20'000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  try {
    static_cast<void>(parse_cluster(text, "file"));
    FAIL();
  } catch (const FaultyFile& faulty) {
    EXPECT_THAT(faulty.faults(), SizeIs(Faults::most_told + 1));
  }
}

TEST(LongFaults, KeepTheirBeginningAndTheirEnd) {
  Faults faults("file");
  faults.add_whole("begin" + std::string(std::size_t{1} << 20U, 'x') + "end");
  const std::string told = thrown(faults).front().message;
  EXPECT_THAT(told, SizeIs(Faults::longest_message + 5));
  EXPECT_THAT(told, StartsWith("begin"));
  EXPECT_THAT(told, EndsWith("end"));
}

TEST(LongFaults, KeepLettersWhole) {
  for (const std::string before : {"", "x", "xx"}) {
    Faults faults("file");
    std::string message = before;
    for (int i = 0; i < 10'000; ++i) message += "\u20ac";  // three bytes
    faults.add_whole(message);
    std::string told = thrown(faults).front().message.substr(before.size());
    EXPECT_LE(told.size(), Faults::longest_message + 5);
    const std::size_t cut = told.find(" ... ");
    ASSERT_NE(cut, std::string::npos);
    EXPECT_EQ(cut % 3, 0);
    EXPECT_EQ((told.size() - cut - 5) % 3, 0);
  }
}

TEST(LongFaults, AreShortEnough) {
  Faults faults("file");
  const std::string message(Faults::longest_message, 'x');
  faults.add_whole(message);
  EXPECT_EQ(thrown(faults).front().message, message);
}

}  // namespace
}  // namespace trunkline
