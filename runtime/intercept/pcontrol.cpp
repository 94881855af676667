// SPDX-License-Identifier: Apache-2.0
// MPI_Pcontrol at MPI's edge: the standard's way for a program to turn tools off and on. 0 turns a trace off, any other
// level on.
#include "intercept/export.hpp"
#include "intercept/next.hpp"
#include "intercept/state.hpp"

using namespace trunkline::runtime;

TRUNKLINE_EXPORT int MPI_Pcontrol(const int level, ...) {
  if (recorder() != nullptr) static_cast<void>(recorder()->turn(level != 0));
  return NEXT(Pcontrol)(
      level);  // what follows the level is for other tools; the libraries' own function takes none of it
}
