// SPDX-License-Identifier: Apache-2.0
// What a function of MPI's does here, whichever collective and form it is of.
#pragma once

#include <memory>
#include <type_traits>

#include "communicator/owing.hpp"
#include "intercept/call.hpp"
#include "intercept/persistent.hpp"
#include "intercept/under_way.hpp"
#include "reserve.hpp"

namespace trunkline::runtime {

/// `native`: the library's own; `given`: the arguments as the program gave them, of which a Call is made, and which
/// is_left_to_mpi() knows.
template <class Call, class Given>
[[nodiscard]] int enter(Collective collective, int (*native)(const Given&), const std::type_identity_t<Given>& given) {
  if (const int code = settle(collective, given.communicator); code != MPI_SUCCESS) return code;
  if (!is_left_to_mpi(collective, given)) return run(Call(collective, given, native));
  last_run(collective) = {};
  return native(given);
}

/// Of a form that does not block: `start` is the library's own.
template <class Call, class Given>
[[nodiscard]] int enter_nonblocking(Collective collective, int (*native)(const Given&),
                                    int (*start)(const Given&, MPI_Request*), const std::type_identity_t<Given>& given,
                                    MPI_Request* request) {
  if (may_start_calls() && !is_left_to_mpi(collective, given)) {
    if (const auto code =
            start_call(with_reserve([&] { return std::make_unique<Call>(collective, given, native); }), request))
      return *code;
  }
  last_run(collective) = {};
  return start(given, request);
}

/// Of a persistent form: `init` is the library's own.
template <class Call, class Given>
[[nodiscard]] int enter_persistent(Collective collective, int (*native)(const Given&),
                                   int (*init)(const Given&, MPI_Info, MPI_Request*),
                                   const std::type_identity_t<Given>& given, MPI_Info info, MPI_Request* request) {
  if (may_start_calls() && !is_left_to_mpi(collective, given)) {
    if (const auto code =
            make_persistent(with_reserve([&] { return std::make_unique<Call>(collective, given, native); }), request))
      return *code;
  }
  return init(given, info, request);
}

}  // namespace trunkline::runtime
