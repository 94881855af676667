// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <gtest/gtest.h>

namespace trunkline::runtime {
namespace {

/// Names of files and communicators may hold any bytes.
TEST(Json, IsValidWhateverBytesAFileIsNamedBy) {
  const std::string line = JsonFields().add("file", "caf\xe9 \"x\"\n").add("bytes", 12).add("b\xff", 0.5).object();
  EXPECT_EQ(line, R"({"file": "caf\udce9 \"x\"\u000a", "bytes": 12, "b\udcff": 0.5})");
}

}  // namespace
}  // namespace trunkline::runtime
