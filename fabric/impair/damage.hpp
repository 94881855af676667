// SPDX-License-Identifier: Apache-2.0
// Frames whose bytes have changed on their way.
#pragma once

#include <cstdint>
#include <span>

#include "impair/fates.hpp"

namespace trunkline::fabric {

/// A bit somewhere behind the Ethernet header is flipped: the kernel of the receiver sees a checksum that does not
/// hold.
[[nodiscard]] Damage corrupting(std::uint64_t dice);

/// Two words of the payload are changed so that their sum, and with it every checksum, holds: wrong bytes reach the
/// program. Payloads below four bytes stay as they are.
[[nodiscard]] Damage garbling(std::uint64_t dice);

/// Changes the frame, which begins with the offload header. A checksum that the sender left to its network card is put
/// in first where it shall be checked: otherwise the receiver's kernel would trust whatever comes.
void inflict(Damage damage, std::span<std::uint8_t> bytes);

}  // namespace trunkline::fabric
