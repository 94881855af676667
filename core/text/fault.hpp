// SPDX-License-Identifier: Apache-2.0
// A fault of an input file, and its place.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline {

/// One thing wrong with an input file, where it is, and what would be right.
struct Fault {
  std::string file;
  std::size_t line = 0;    ///< counted from 1; 0: the file as a whole
  std::size_t column = 0;  ///< counted from 1
  std::string message;

  /// "file:line:column: message"
  [[nodiscard]] std::string text() const;
};

/// An input file that cannot be used; carries all its faults at once, in file order.
class FaultyFile : public std::runtime_error {
 public:
  explicit FaultyFile(std::vector<Fault> faults);
  [[nodiscard]] const std::vector<Fault>& faults() const noexcept { return faults_; }

 private:
  std::vector<Fault> faults_;
};

}  // namespace trunkline
