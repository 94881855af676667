// SPDX-License-Identifier: Apache-2.0
// What SimGrid's flows leave out of an Ethernet network: headers, and one port that sends one message after another.
#pragma once

#include "model/transfer/host_costs.hpp"

namespace trunkline::simulate {

/// What messages and datagrams cost their hosts: the setting that the ranks have too, or nothing where they are free
/// for a while (rendezvous.hpp).
[[nodiscard]] const HostCosts& host_costs();

/// To be called before the platform is loaded; applies to the network models of all its zones.
void use_ethernet();

}  // namespace trunkline::simulate
