// SPDX-License-Identifier: Apache-2.0
// One kind of fault, one case: a file and exactly what is said about it.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "network/cluster.hpp"
#include "text/fault.hpp"

namespace trunkline::testing {

struct FaultCase {
  std::string name;
  std::string yaml;
  std::vector<std::string> faults;  ///< "line:column: message"
};

inline std::ostream& operator<<(std::ostream& out, const FaultCase& fault_case) { return out << fault_case.name; }

inline std::string case_name(const ::testing::TestParamInfo<FaultCase>& info) { return info.param.name; }

/// What a reader says about a text, without the file's name.
template <typename Read>
std::vector<std::string> faults_of(Read read, const std::string& yaml) {
  std::vector<std::string> texts;
  try {
    static_cast<void>(read(yaml, "f"));
  } catch (const FaultyFile& faulty) {
    for (const Fault& fault : faulty.faults()) {
      EXPECT_EQ(fault.text(),
                "f:" + std::to_string(fault.line) + ":" + std::to_string(fault.column) + ": " + fault.message);
      texts.push_back(std::to_string(fault.line) + ":" + std::to_string(fault.column) + ": " + fault.message);
    }
  }
  return texts;
}

}  // namespace trunkline::testing
