// SPDX-License-Identifier: Apache-2.0
#include "choose/accuracy.hpp"

#include <algorithm>

#include "choose/accuracy_table.hpp"

namespace trunkline {

Accuracy accuracy_of(NativeLibrary library, Rank ranks_per_host, double fastest_bps) {
  const bool shared = ranks_per_host > 1;
  const auto own = std::ranges::find_if(
      own_accuracy, [&](const OwnAccuracy& one) { return one.shared_hosts == shared && fastest_bps <= one.most_bps; });
  const auto other = std::ranges::find_if(library_accuracy, [&](const LibraryAccuracy& one) {
    return one.shared_hosts == shared && one.library == library;
  });
  return {.ours = own->off, .library_least = other->least, .library_most = other->most};
}

}  // namespace trunkline
