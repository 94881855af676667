// SPDX-License-Identifier: Apache-2.0
// Whose native algorithms the MPI library has that this library is built for.
#pragma once

#include "model/native/rules.hpp"
#include "mpi_api.hpp"

namespace trunkline::runtime {

#ifdef TRUNKLINE_SIMULATED
/// Simulated ranks stand for those of the library that their command names (simulate/library.cpp).
extern const NativeLibrary native_library;
#elif defined(OPEN_MPI)
inline constexpr NativeLibrary native_library = NativeLibrary::openmpi;
#else
inline constexpr NativeLibrary native_library = NativeLibrary::mpich;
#endif

}  // namespace trunkline::runtime
