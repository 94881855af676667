// SPDX-License-Identifier: Apache-2.0
// The functions of MPI's that a collective has: the one that blocks, the one that does not, the persistent one, and
// the same with large counts. Before TRUNKLINE_ENTRY_POINTS the file of a collective has
//
//   PARAMETERS(Count, Start): of the function that blocks; `Count` and `Start` are the types of counts and
//       displacements.
//   GIVEN: what becomes of them, an Arguments.
//   template <class Count> int pass(auto* next, const Arguments& a, auto... more), of any name: calls MPI's function
//   with
//       what follows the communicator.
#pragma once

#include "intercept/entry.hpp"
#include "intercept/export.hpp"
#include "intercept/next.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): what a declaration names has none

/// MPI_Name and MPI_Iname of a collective whose calls are objects of the class Call, made of an Arguments.
#define TRUNKLINE_ENTRY_POINTS(Name, name, pass, collective, Call, Arguments)                 \
  TRUNKLINE_FORMS(Name, I##name, , name, pass, collective, Call, Arguments, int, int)         \
  TRUNKLINE_PERSISTENT_FORM(Name##_init, , name, pass, collective, Call, Arguments, int, int) \
  TRUNKLINE_LARGE_FORMS(Name##_c, I##name##_c, Name##_init_c, name, pass, collective, Call, Arguments)

#define TRUNKLINE_FORMS(Blocking, Starting, form, name, pass, collective, Call, Arguments, Count, Start)               \
  namespace {                                                                                                          \
  int native_##name##form(const Arguments& a) { return pass<Count>(NEXT(Blocking), a); }                               \
  int start_##name##form(const Arguments& a, MPI_Request* request) { return pass<Count>(NEXT(Starting), a, request); } \
  }                                                                                                                    \
  TRUNKLINE_EXPORT int MPI_##Blocking(PARAMETERS(Count, Start)) {                                                      \
    return enter<Call>(collective, native_##name##form, GIVEN);                                                        \
  }                                                                                                                    \
  TRUNKLINE_EXPORT int MPI_##Starting(PARAMETERS(Count, Start), MPI_Request* request) {                                \
    return enter_nonblocking<Call>(collective, native_##name##form, start_##name##form, GIVEN, request);               \
  }

#if TRUNKLINE_HAS_PERSISTENT
#define TRUNKLINE_PERSISTENT_FORM(Init, form, name, pass, collective, Call, Arguments, Count, Start)         \
  namespace {                                                                                                \
  int init_##name##form(const Arguments& a, MPI_Info info, MPI_Request* request) {                           \
    return pass<Count>(NEXT(Init), a, info, request);                                                        \
  }                                                                                                          \
  }                                                                                                          \
  TRUNKLINE_EXPORT int MPI_##Init(PARAMETERS(Count, Start), MPI_Info info, MPI_Request* request) {           \
    return enter_persistent<Call>(collective, native_##name##form, init_##name##form, GIVEN, info, request); \
  }
#else
#define TRUNKLINE_PERSISTENT_FORM(Init, form, name, pass, collective, Call, Arguments, Count, Start)
#endif

#if TRUNKLINE_HAS_LARGE_COUNTS
#define TRUNKLINE_LARGE_FORMS(Blocking, Starting, Init, name, pass, collective, Call, Arguments)        \
  TRUNKLINE_FORMS(Blocking, Starting, _c, name, pass, collective, Call, Arguments, MPI_Count, MPI_Aint) \
  TRUNKLINE_PERSISTENT_FORM(Init, _c, name, pass, collective, Call, Arguments, MPI_Count, MPI_Aint)
#else
#define TRUNKLINE_LARGE_FORMS(Blocking, Starting, Init, name, pass, collective, Call, Arguments)
#endif

// NOLINTEND(bugprone-macro-parentheses)
