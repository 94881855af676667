// SPDX-License-Identifier: Apache-2.0
// What simulated ranks have in common. Defined once, in the program that loads the ranks.
#pragma once

#include <memory>

/// The place for something of that name; empty until somebody puts it there. Kept to the end.
extern "C" std::shared_ptr<const void>* trunkline_simulate_common(const char* name);
