// SPDX-License-Identifier: Apache-2.0
// What SimGrid's flows leave out of an Ethernet network: headers, and one port that sends one message after another.
#pragma once

namespace trunkline::simulate {

/// To be called before the platform is loaded; applies to the network models of all its zones.
void use_ethernet();

}  // namespace trunkline::simulate
