// SPDX-License-Identifier: Apache-2.0
// Marks the few functions that other people's programs see.
#pragma once

#define TRUNKLINE_EXPORT extern "C" __attribute__((visibility("default")))
