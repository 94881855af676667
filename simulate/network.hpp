// SPDX-License-Identifier: Apache-2.0
// What SimGrid's flows leave out of an Ethernet network: headers, and one port that sends one message after another.
#pragma once

#include <simgrid/forward.h>

#include "model/transfer/host_costs.hpp"

namespace trunkline::simulate {

/// What messages and datagrams cost their hosts: the setting that the ranks have too, or nothing where they are free
/// for a while (rendezvous.hpp).
[[nodiscard]] const HostCosts& host_costs();

/// A host's port sends what its ranks hand it, messages and datagrams, one after the other. When it begins with a
/// datagram of so many bytes on the wire that is there at `at_s`.
[[nodiscard]] double through_port(const simgrid::s4u::Host& from, double at_s, double wire_bytes);

/// To be called before the platform is loaded; applies to the network models of all its zones.
void use_ethernet();

}  // namespace trunkline::simulate
